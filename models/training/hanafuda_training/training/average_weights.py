"""Averages two networks of the same architecture.

``python -m hanafuda_training.training.average_weights ONE.onnx OTHER.onnx --share 0.9 --out MEAN.onnx``

The weights before and after fine-tuning are in the same basin of the loss, and their mean often generalizes
better than either (Wortsman et al., Robust fine-tuning of zero-shot models, 2022).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from hanafuda_training.training.onnx_rewriting import byte_weights, widen_weights


def average(one: onnx.ModelProto, other: onnx.ModelProto, share: float) -> onnx.ModelProto:
    """Return ``one`` with each weight moved by ``share`` (0-1) toward that of ``other``.

    Raises ValueError if the architectures differ.
    """
    mean = onnx.ModelProto()
    mean.CopyFrom(one)
    others = {tensor.name: numpy_helper.to_array(tensor) for tensor in other.graph.initializer}
    for tensor in mean.graph.initializer:
        own, partner = numpy_helper.to_array(tensor), others.pop(tensor.name, None)
        if partner is None or partner.shape != own.shape or partner.dtype != own.dtype:
            raise ValueError(
                f"the networks differ at {tensor.name}: only networks of the same architecture can be averaged"
            )
        if own.dtype.kind == "f":
            weights = own.astype(np.float64) * (1 - share) + partner.astype(np.float64) * share
            tensor.CopyFrom(numpy_helper.from_array(weights.astype(own.dtype), tensor.name))
    if others:
        raise ValueError(
            f"the networks differ at {min(others)}: only networks of the same architecture can be averaged"
        )
    return mean


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="weight of the other network (0-1)")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    one, other = (onnx.load(path) for path in (args.one, args.other))
    for model in (one, other):
        widen_weights(model.graph)
    try:
        mean = average(one, other, args.share)
    except ValueError as error:
        parser.error(str(error))
    byte_weights(mean.graph)
    onnx.save(mean, args.out)


if __name__ == "__main__":
    main()
