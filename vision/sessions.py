"""ONNX Runtime sessions, set up for a small machine."""

from __future__ import annotations

import os
from pathlib import Path

import onnxruntime

#: The folder with the shipped weights.
MODELS = Path(__file__).resolve().parent.parent / "models"


class MissingModelError(RuntimeError):
    """A weight file is not where it should be."""


def open_session(path: Path) -> onnxruntime.InferenceSession:
    """Load ``path`` for the CPU; MissingModelError when it is not there.

    Spinning is off: with ONNX Runtime's default the sessions and OpenCV spin against each other and take twice as
    long (17-20 against 39-43 ms a frame on 2 cores, in the prototype that came before this program).
    """
    if not path.is_file():
        raise MissingModelError(
            f"the weights {path.name} are missing from {path.parent}: install hanafuda-companion again"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(4, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
