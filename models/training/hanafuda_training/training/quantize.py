"""Makes the int8 form of a network.

``python -m hanafuda_training.training.quantize --network detector --models models --scenes DIR`` writes ``detector-int8.onnx`` beside ``detector.onnx``.

First the weights are trained to tolerate quantization (`hanafuda_training.training.quantization_training`); then
follows static quantization with ranges measured on composed scenes. The last layers, which output positions
and classes, stay in fp32.

Weights use 7 of their 8 bits (``reduce_range``). On processors without VNNI (AMD has it since Zen 4, Intel
since about 2019) the sum of two products of full bytes overflows: of 36 pictures of a round, 18 were read
exactly instead of 35. ONNX Runtime can convert such weights to unsigned bytes
(``session.x64quantprecision``), but is then as slow as in fp32 (detector 57 instead of 33 ms on two cores of
an AMD EPYC without VNNI).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import torch
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch.utils.data import IterableDataset

from hanafuda_training.training.crop_data import RecognizerCrops, RefinerCrops
from hanafuda_training.training.detector_data import DetectorCrops
from hanafuda_training.training.generate_scenes import load_shard, unpack
from hanafuda_training.training.onnx_rewriting import (
    byte_weights,
    copy_up,
    fold_first,
    take_bytes,
    widen_last,
)
from hanafuda_training.training.quantization_training import adapt
from hanafuda_training.training.torch_models import DetectorNet, RecognizerNet, RefinerNet
from hanafuda_training.training.training_schedule import Training

#: Number of pictures, and of batches of crops, from which the ranges are measured.
_SCENES: Final = 160
_BATCHES: Final = 48
_BATCH: Final = 16
#: Learning rates of the quantization-aware training; at ten times the rate, the refiner forgets what it has learned.
_RATES: Final = {"detector": 5e-5, "refiner": 3e-5, "recognizer": 2e-4}
#: Minimum score of a peak in calibration pictures; any value works, since the output is not used.
_MIN_SCORE: Final = np.array([0.3], np.float32)
#: Layers that stay in fp32, by a part of their names.
_PRECISE: Final = ("/head/", "/maps.1/", "/embed/", "/names/", "/share/")


def _detector_inputs(folder: Path) -> Iterator[dict[str, Any]]:
    shards = sorted(folder.glob("*.shard"))
    rng = np.random.default_rng(0)
    for _ in range(_SCENES):
        rows = load_shard(shards[int(rng.integers(len(shards)))])
        image = unpack(rows[int(rng.integers(len(rows)))]).image
        yield {"picture": image[:320, :448][None], "least": _MIN_SCORE}


def _crop_inputs(crops: RefinerCrops | RecognizerCrops) -> Iterator[dict[str, Any]]:
    for images, *_ in islice(crops, _BATCHES):
        yield {"crops": np.ascontiguousarray(images.numpy().transpose(0, 2, 3, 1))}


class _Rows(CalibrationDataReader):  # type: ignore[misc]  # no stubs
    def __init__(self, rows: Iterator[dict[str, Any]]) -> None:
        self._rows = rows

    def get_next(self) -> dict[str, Any] | None:
        return next(self._rows, None)


def quantize(path: Path, out: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Write the int8 form of the network at ``path`` to ``out``; ``rows`` are the inputs from which the
    ranges are measured.
    """
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
        model = onnx.load(prepared)
        fold_first(model.graph)
        onnx.save(model, prepared)
        pixels = next(node for node in model.graph.node if node.op_type == "Div").output[0]
        precise = [node.name for node in model.graph.node if any(part in node.name for part in _PRECISE)]
        # The bytes themselves are the first quantized values.
        as_bytes = {"scale": np.array(1 / 255, np.float32), "zero_point": np.array(0, np.uint8)}
        quantize_static(
            str(prepared),
            str(out),
            _Rows(rows),
            quant_format=QuantFormat.QDQ,
            # A ReLU that is not listed would stay between a convolution and its quantization, computed in fp32.
            op_types_to_quantize=["Conv", "Relu", "Add", "Resize"],
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
            nodes_to_exclude=precise,
            extra_options={"TensorQuantOverrides": {pixels: [as_bytes]}},
        )
    model = onnx.load(out)
    take_bytes(model.graph)
    copy_up(model.graph)
    widen_last(model.graph)
    byte_weights(model.graph)
    onnx.save(model, out)


def _training_inputs(
    network: str, scenes: Path
) -> tuple[torch.nn.Module, IterableDataset[tuple[torch.Tensor, ...]], Iterator[dict[str, Any]]]:
    """Return an untrained network of this name, its training data, and the inputs from which the ranges are
    measured.
    """
    if network == "detector":
        return DetectorNet(), DetectorCrops(scenes, 8, 21), _detector_inputs(scenes)
    if network == "refiner":
        return RefinerNet(), RefinerCrops(scenes, 32, 21), _crop_inputs(RefinerCrops(scenes, _BATCH, 0))
    return RecognizerNet(), RecognizerCrops(scenes, 64, 21), _crop_inputs(RecognizerCrops(scenes, _BATCH, 0))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", choices=("detector", "refiner", "recognizer"), required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder of the fp32 network")
    parser.add_argument(
        "--scenes", type=Path, required=True, help="shards made by hanafuda_training.training.generate_scenes"
    )
    parser.add_argument(
        "--minutes", type=float, default=6, help="duration of the quantization-aware training"
    )
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(1)  # type: ignore[no-untyped-call]
    network, crops, rows = _training_inputs(args.network, args.scenes)
    source = args.models / f"{args.network}.onnx"
    with tempfile.TemporaryDirectory() as folder:
        adapted = Path(folder) / source.name

        def training(student: torch.nn.Module) -> Training:
            return Training(
                student,
                args.minutes,
                _RATES[args.network],
                adapted.with_suffix(".pt"),
                decay=0.99,
                threads=args.threads,
            )

        onnx.save(adapt(source, network, crops, [part.strip("/") for part in _PRECISE], training), adapted)
        out = args.models / f"{args.network}-int8.onnx"
        quantize(adapted, out, rows)
    print(f"{out}: {out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
