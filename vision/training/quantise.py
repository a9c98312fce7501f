"""Make the int8 form of a network: ``python -m vision.training.quantise --network detector --models models --scenes DIR``
writes ``detector-int8.onnx`` beside ``detector.onnx``.

Static quantisation with the ranges seen on composed scenes. The last layers, which give places and names, stay in fp32.
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
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from vision.training.crop_data import RecogniserCrops, RefinerCrops
from vision.training.generate import load_shard, unpack
from vision.training.graphs import copy_up, fold_first, halve_weights, take_bytes, widen_last

#: Pictures, or batches of crops, from which the ranges are taken.
_SCENES: Final = 160
_BATCHES: Final = 48
_BATCH: Final = 16
#: Score from which on a calibration picture's peaks count: none need.
_LEAST: Final = np.array([0.3], np.float32)
#: Layers that stay in fp32, by a part of their names.
_PRECISE: Final = ("/head/", "/maps.1/", "/embed/", "/names/", "/share/")


def _detector(folder: Path) -> Iterator[dict[str, Any]]:
    shards = sorted(folder.glob("*.shard"))
    rng = np.random.default_rng(0)
    for _ in range(_SCENES):
        rows = load_shard(shards[int(rng.integers(len(shards)))])
        image = unpack(rows[int(rng.integers(len(rows)))]).image
        yield {"picture": image[:320, :448][None], "least": _LEAST}


def _crops(crops: RefinerCrops | RecogniserCrops) -> Iterator[dict[str, Any]]:
    for images, *_ in islice(crops, _BATCHES):
        yield {"crops": np.ascontiguousarray(images.numpy().transpose(0, 2, 3, 1))}


class _Rows(CalibrationDataReader):  # type: ignore[misc]  # no stubs
    def __init__(self, rows: Iterator[dict[str, Any]]) -> None:
        self._rows = rows

    def get_next(self) -> dict[str, Any] | None:
        return next(self._rows, None)


def quantise(path: Path, out: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Write the int8 form of the network at ``path`` to ``out``; ``rows`` are the inputs from which ranges are taken."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
        model = onnx.load(prepared)
        fold_first(model.graph)
        onnx.save(model, prepared)
        pixels = next(node for node in model.graph.node if node.op_type == "Div").output[0]
        precise = [node.name for node in model.graph.node if any(part in node.name for part in _PRECISE)]
        # The bytes themselves are the first quantised numbers.
        as_bytes = {"scale": np.array(1 / 255, np.float32), "zero_point": np.array(0, np.uint8)}
        quantize_static(
            str(prepared),
            str(out),
            _Rows(rows),
            quant_format=QuantFormat.QDQ,
            # A ReLU that is not listed would come between a convolution and its rounding, and be computed in fp32.
            op_types_to_quantize=["Conv", "Relu", "Add", "Resize"],
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
            nodes_to_exclude=precise,
            extra_options={"CalibMovingAverage": True, "TensorQuantOverrides": {pixels: [as_bytes]}},
        )
    model = onnx.load(out)
    take_bytes(model.graph)
    copy_up(model.graph)
    widen_last(model.graph)
    halve_weights(model.graph)
    onnx.save(model, out)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", choices=("detector", "refiner", "recogniser"), required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder of the fp32 network")
    parser.add_argument("--scenes", type=Path, required=True, help="shards made by vision.training.generate")
    args = parser.parse_args()
    rows = {
        "detector": lambda: _detector(args.scenes),
        "refiner": lambda: _crops(RefinerCrops(args.scenes, _BATCH, 0)),
        "recogniser": lambda: _crops(RecogniserCrops(args.scenes, _BATCH, 0)),
    }
    out = args.models / f"{args.network}-int8.onnx"
    quantise(args.models / f"{args.network}.onnx", out, rows[args.network]())
    print(f"{out}: {out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
