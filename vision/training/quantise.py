"""Make the int8 detector: ``python -m vision.training.quantise --model models/detector.onnx --scenes DIR --out FILE``.

Static quantisation with the ranges seen on composed scenes; the last layer, which gives the corners, stays in fp32.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
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

from vision.training.generate import load_shard, unpack

_SCENES: Final = 160


class _Scenes(CalibrationDataReader):  # type: ignore[misc]  # no stubs
    def __init__(self, folder: Path) -> None:
        self._rows = self._read(folder)

    @staticmethod
    def _read(folder: Path) -> Iterator[dict[str, Any]]:
        shards = sorted(folder.glob("*.shard"))
        rng = np.random.default_rng(0)
        for _ in range(_SCENES):
            rows = load_shard(shards[int(rng.integers(len(shards)))])
            image = unpack(rows[int(rng.integers(len(rows)))]).image
            yield {"picture": image[:320, :448][None]}

    def get_next(self) -> dict[str, Any] | None:
        return next(self._rows, None)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--scenes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(args.model), str(prepared), skip_symbolic_shape=True)
        heads = [
            node.name
            for node in onnx.load(prepared).graph.node
            if node.op_type == "Conv" and "/head" in node.name
        ]
        quantize_static(
            str(prepared),
            str(args.out),
            _Scenes(args.scenes),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv", "Add", "Resize"],
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
            nodes_to_exclude=heads,
            extra_options={"CalibMovingAverage": True},
        )
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
