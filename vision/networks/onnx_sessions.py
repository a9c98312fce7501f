"""ONNX Runtime sessions, set up for a small machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.networks.network_variants import NetworkVariant, exact_variant, fastest_variant

if TYPE_CHECKING:
    import onnxruntime

#: The folder with the shipped weights.
MODELS = Path(__file__).resolve().parents[2] / "models"

#: What a form is timed with, where a network's input may be of any size: px of a first look, cards of a small table.
_TYPICAL: Final = {"height": 288, "width": 512, "cards": 8}
_TYPES: Final = {"tensor(uint8)": np.uint8, "tensor(float)": np.float32}


class MissingModelError(RuntimeError):
    """A weight file is not where it should be."""


def check_weights(folder: Path, network: str) -> None:
    """Raise MissingModelError when ``folder`` does not have the weights of ``network``."""
    if not (folder / f"{network}.onnx").is_file():
        raise MissingModelError(
            f"the weights {network}.onnx are missing from {folder}: install hanafuda-companion again"
        )


def open_session(
    folder: Path, network: str, fast: bool
) -> tuple[onnxruntime.InferenceSession, NetworkVariant]:
    """Load a network (``detector``, ``refiner``, ``recogniser``) in fp32 or, where it is to be ``swift``, in the form that is
    the fastest here.

    MissingModelError when ``folder`` does not have it.
    """
    check_weights(folder, network)
    if not fast:
        form = exact_variant(network)
        return _load(folder, form), form
    tried: dict[NetworkVariant, onnxruntime.InferenceSession] = {}

    def ready(form: NetworkVariant) -> Callable[[], object]:
        session = tried[form] = tried.get(form) or _load(folder, form)
        feeds = {
            each.name: np.ones([_TYPICAL.get(side, side) for side in each.shape], _TYPES[each.type])
            for each in session.get_inputs()
        }
        return lambda: session.run(None, feeds)

    form = fastest_variant(folder, network, ready)
    return tried.get(form) or _load(folder, form), form


def _load(folder: Path, form: NetworkVariant) -> onnxruntime.InferenceSession:
    """Load one form for the CPU.

    Spinning is off: with ONNX Runtime's default the sessions and OpenCV spin against each other and take twice as
    long (17-20 against 39-43 ms a frame on 2 cores, in the prototype that came before this program). Arena and memory
    patterns keep what every size of picture and number of cards took once: without them a process that has read 50 frames
    holds 218 MB instead of 261, and spends as much (118 ms of the processor for the fastest, both).
    """
    # Imported now: a server that reads no pictures, as beside a camera worker, does without its 26 MB.
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = form.threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(folder / form.file), options, providers=["CPUExecutionProvider"])
