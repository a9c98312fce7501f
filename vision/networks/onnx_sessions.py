"""ONNX Runtime sessions, configured for small computers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message

if TYPE_CHECKING:
    import onnxruntime

#: Folder of the shipped weights.
MODELS = Path(__file__).resolve().parents[2] / "models"

#: Maximum number of threads per network; the small layers gain nothing from more.
_MAX_THREADS: Final = 4


class MissingModelError(MessageError, RuntimeError):
    """A weight file is missing."""


def check_weights(path: Path) -> None:
    """Raise `MissingModelError` if there is no file of weights at ``path``."""
    if not path.is_file():
        raise MissingModelError(Message("weights-missing", {"file": path.name, "folder": str(path.parent)}))


def open_session(path: Path) -> onnxruntime.InferenceSession:
    """Load the network at ``path`` for the CPU. Raises `MissingModelError` if there is none.

    Thread spinning is off: with ONNX Runtime's default, its threads and OpenCV's spin against each other and
    take twice as long (17-20 instead of 39-43 ms per frame on 2 cores in a prototype). The memory arena and
    memory patterns are off because they keep a buffer for every picture size and number of cards ever used:
    without them a process that has read 50 frames holds 218 instead of 261 MB, at the same speed (118 ms of
    CPU for the fastest frame).
    """
    check_weights(path)
    # Imported late: saves 26 MB in a server that reads no pictures itself.
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(_MAX_THREADS, _available_cores())
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _available_cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
