"""The weighted mean of two networks of the same architecture. Requires the extra `train`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install -e models/training")

from hanafuda_training.training.average_weights import average, main  # noqa: E402  # after the skip


def network(weights: list[float], name: str = "w") -> onnx.ModelProto:  # type: ignore[name-defined]
    """Return a network that adds half-precision weights to its input and also has an integer initializer."""
    ends = [onnx.helper.make_tensor_value_info(end, onnx.TensorProto.FLOAT16, [len(weights)]) for end in "xy"]
    stored = [
        onnx.numpy_helper.from_array(np.array(weights, np.float16), name),
        onnx.numpy_helper.from_array(np.array([7], np.int64), "shape"),
    ]
    add = onnx.helper.make_node("Add", ["x", name], ["y"])
    return onnx.helper.make_model(onnx.helper.make_graph([add], "net", ends[:1], ends[1:], stored))


def weights_of(model: onnx.ModelProto) -> list[float]:  # type: ignore[name-defined]
    return [float(each) for each in onnx.numpy_helper.to_array(model.graph.initializer[0])]


@pytest.mark.parametrize(("share", "mean"), [(0.0, [0, 4]), (0.25, [2, 3]), (1.0, [8, 0])])
def test_weights_are_interpolated(share: float, mean: list[float]) -> None:
    one = network([0, 4])
    mean_network = average(one, network([8, 0]), share)
    assert weights_of(mean_network) == mean
    assert onnx.numpy_helper.to_array(mean_network.graph.initializer[1]).tolist() == [7]
    assert weights_of(one) == [0, 4]


@pytest.mark.parametrize("other", [network([1, 2, 3]), network([1, 2], "v")], ids=["longer", "another name"])
def test_networks_of_different_architecture_are_rejected(other: onnx.ModelProto) -> None:  # type: ignore[name-defined]
    with pytest.raises(ValueError, match="the networks differ at w"):
        average(network([1, 2]), other, 0.5)


def test_the_command_writes_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, weights in (("one", [0, 4]), ("other", [8, 0])):
        onnx.save(network(weights), tmp_path / f"{name}.onnx")
    paths = [str(tmp_path / f"{name}.onnx") for name in ("one", "other", "mean")]
    monkeypatch.setattr(sys, "argv", ["average", *paths[:2], "--share", "0.25", "--out", paths[2]])
    main()
    assert weights_of(onnx.load(paths[2])) == [2, 3]
