"""ONNX Runtime sessions, configured for small computers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from vision.networks.network_variants import NetworkVariant, exact_variant, fastest_variant

if TYPE_CHECKING:
    import onnxruntime

#: Folder of the shipped weights.
MODELS = Path(__file__).resolve().parents[2] / "models"

#: Input sizes used for timing a network whose input may have any size: px of a first pass, cards on a small
#: table.
_TIMING_SHAPE: Final = {"height": 288, "width": 512, "cards": 8}
_TYPES: Final = {"tensor(uint8)": "uint8", "tensor(float)": "float32"}


class MissingModelError(MessageError, RuntimeError):
    """A weight file is missing."""


def check_weights(folder: Path, network: str) -> None:
    """Raise `MissingModelError` if ``folder`` has no weights of ``network``."""
    if not (folder / f"{network}.onnx").is_file():
        raise MissingModelError(
            Message("weights-missing", {"file": f"{network}.onnx", "folder": str(folder)})
        )


def open_session(
    folder: Path, network: str, fast: bool
) -> tuple[onnxruntime.InferenceSession, NetworkVariant]:
    """Load a network (``detector``, ``refiner``, ``recognizer``): in fp32, or in the fastest variant on
    this machine if ``fast``.

    Returns the session and its variant. Raises `MissingModelError` if ``folder`` does not have the network.
    """
    check_weights(folder, network)
    if not fast:
        variant = exact_variant(network)
        return _load(folder, variant), variant
    sessions: dict[NetworkVariant, onnxruntime.InferenceSession] = {}

    def prepare(variant: NetworkVariant) -> Callable[[], object]:
        # Imported late, as ONNX Runtime is in `_load`: a server that reads no pictures itself needs this module's error only.
        import numpy as np  # noqa: PLC0415

        session = sessions[variant] = sessions.get(variant) or _load(folder, variant)
        feeds = {
            each.name: np.ones([_TIMING_SHAPE.get(side, side) for side in each.shape], _TYPES[each.type])
            for each in session.get_inputs()
        }
        return lambda: session.run(None, feeds)

    variant = fastest_variant(folder, network, prepare)
    return sessions.get(variant) or _load(folder, variant), variant


def _load(folder: Path, variant: NetworkVariant) -> onnxruntime.InferenceSession:
    """Load one variant of a network for the CPU.

    Thread spinning is off: with ONNX Runtime's default, its threads and OpenCV's spin against each other and
    take twice as long (17-20 instead of 39-43 ms per frame on 2 cores in a prototype). The memory arena and
    memory patterns are off because they keep a buffer for every picture size and number of cards ever used:
    without them a process that has read 50 frames holds 218 instead of 261 MB, at the same speed (118 ms of
    CPU for the fastest frame).
    """
    # Imported late: saves 26 MB in a server that reads no pictures itself.
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = variant.threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(
        str(folder / variant.file), options, providers=["CPUExecutionProvider"]
    )
