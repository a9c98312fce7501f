"""Weights are stored as bytes and widened when a network is loaded. Requires the extra `train`."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install -e models/training")

from hanafuda_training.training.onnx_rewriting import byte_weights, widen_weights  # noqa: E402  # after the skip

SHAPES = {"few": (72, 3, 3, 3), "many": (80, 72, 3, 3), "point": (4, 80, 1, 1), "last": (4, 5), "shift": (5,)}


def network() -> onnx.ModelProto:  # type: ignore[name-defined]
    """Return a network with a small, a large and a 1 x 1 convolution, a mean of each map, a product and a sum; one output channel is all zeros."""
    rng = np.random.default_rng(3)
    weights = {
        # Channels of very different magnitude, as in a trained network.
        name: (
            rng.normal(size=shape) * 10.0 ** rng.uniform(-2, 1, (shape[0], *(1,) * (len(shape) - 1)))
        ).astype(np.float32)
        for name, shape in SHAPES.items()
    }
    weights["many"][2] = 0
    nodes = [
        onnx.helper.make_node("Conv", ["x", "few"], ["first"]),
        onnx.helper.make_node("Conv", ["first", "many"], ["a"]),
        onnx.helper.make_node("Conv", ["a", "point"], ["b"]),
        onnx.helper.make_node("GlobalAveragePool", ["b"], ["c"]),
        onnx.helper.make_node("Flatten", ["c"], ["d"]),
        onnx.helper.make_node("MatMul", ["d", "last"], ["e"]),
        onnx.helper.make_node("Add", ["e", "shift"], ["y"]),
    ]
    ends = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in (("x", [2, 3, 9, 9]), ("y", [2, 5]))
    ]
    stored = [onnx.numpy_helper.from_array(values, name) for name, values in weights.items()]
    graph = onnx.helper.make_graph(nodes, "net", ends[:1], ends[1:], stored)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


def constants(model: onnx.ModelProto) -> dict[str, np.ndarray]:  # type: ignore[name-defined]
    return {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}


def answer(model: onnx.ModelProto) -> np.ndarray:  # type: ignore[name-defined]
    x = np.random.default_rng(4).normal(size=(2, 3, 9, 9)).astype(np.float32)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": x})[0])


def test_the_rounding_error_of_stored_weights_is_at_most_half_a_step() -> None:
    model, exact = network(), constants(network())
    byte_weights(model.graph)
    onnx.checker.check_model(model)
    kinds = {name: values.dtype for name, values in constants(model).items()}
    assert sorted(map(str, kinds.values())) == ["float16", "float16", "float16", "float32", "float32", "int8"]
    widen_weights(model.graph)
    wide = constants(model)
    assert wide.keys() == exact.keys()
    for channel, values in enumerate(exact["many"]):
        apart = np.abs(wide["many"][channel] - values).max()
        assert apart <= np.abs(values).max() / 254 * 1.001
    for name in ("few", "point", "last"):
        np.testing.assert_allclose(wide[name], exact[name], rtol=1 / 2000, atol=1e-6)
    np.testing.assert_array_equal(wide["shift"], exact["shift"])
    assert [node.op_type for node in model.graph.node] == [node.op_type for node in network().graph.node]


def test_a_compressed_network_gives_the_output_of_the_widened_one() -> None:
    model = network()
    byte_weights(model.graph)
    small = answer(model)
    widen_weights(model.graph)
    np.testing.assert_allclose(answer(model), small, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(small, answer(network()), rtol=0.05, atol=0.05 * np.abs(small).max())


def test_storing_again_does_not_change_the_weights() -> None:
    once, twice = network(), network()
    for model in (once, twice):
        byte_weights(model.graph)
    widen_weights(twice.graph)
    byte_weights(twice.graph)
    for name, values in constants(once).items():
        np.testing.assert_allclose(constants(twice)[name], values, rtol=1e-6)
    assert len(constants(once)) == len(constants(twice))
