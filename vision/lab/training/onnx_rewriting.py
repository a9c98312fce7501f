"""Rewriting exported networks: the same numbers, computed faster or kept smaller.

The int8 network of ``quantize.py`` computes in NHWC. What cost it the most time was not its convolutions: an int8
convolution of three channels runs at a fraction of the speed of one whose channels are a multiple of four, and
between the bytes of a picture and its first layer stood a cast, a division and a quantisation of every pixel.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

#: Pixels side by side that the first layer takes as one with more channels.
FOLD: Final = 4
#: Weights of a convolution from which on they are stored at a byte each.
_MANY: Final = 50_000


def _weights(graph: GraphProto, name: str) -> NDArray[Any]:
    return np.asarray(numpy_helper.to_array(next(each for each in graph.initializer if each.name == name)))


def _constant(graph: GraphProto, name: str, values: NDArray[Any]) -> str:
    graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
    return name


def _after(graph: GraphProto, node: NodeProto, *following: NodeProto) -> None:
    at = list(graph.node).index(node) + 1
    for offset, each in enumerate(following):
        graph.node.insert(at + offset, each)


def _one(graph: GraphProto, kind: str, **fits: str) -> NodeProto:
    """Return the first node of a kind, in the graph's order, that takes the given ``input``."""
    first: NodeProto = next(
        node
        for node in graph.node
        if node.op_type == kind and ("input" not in fits or fits["input"] in node.input)
    )
    return first


def drop_unused(graph: GraphProto) -> None:
    """Remove the weights that nothing uses any more."""
    used = {name for node in graph.node for name in node.input}
    for each in [each for each in graph.initializer if each.name not in used]:
        graph.initializer.remove(each)


def fold_first(graph: GraphProto) -> None:
    """Let the first convolution take ``FOLD`` pixels side by side as one of ``FOLD`` times the channels.

    That is a 3 x 3 convolution of stride 2 over a picture of B x H x W x C bytes, W a multiple of ``FOLD``, followed by a ReLU.
    It becomes one of 3 rows x 2 blocks, whose weights are the old ones and zeros; in NHWC the picture and what comes
    out need only be given another shape, no byte moves.
    """
    conv = _one(graph, "Conv")
    transpose, relu = _one(graph, "Transpose"), _one(graph, "Relu", input=conv.output[0])
    weights, bias = (_weights(graph, name) for name in conv.input[1:3])
    out, channels = weights.shape[:2]
    folded = np.zeros((FOLD // 2, out, FOLD * channels, 3, 2), np.float32)
    for pixel in range(FOLD // 2):
        for column in range(3):
            # Counted from the first pixel of the block before.
            block, place = divmod(FOLD + 2 * pixel - 1 + column, FOLD)
            folded[pixel, :, place * channels : (place + 1) * channels, :, block] = weights[..., column]
    conv.input[1] = _constant(graph, "folded.weight", folded.reshape(-1, FOLD * channels, 3, 2))
    conv.input[2] = _constant(graph, "folded.bias", np.tile(bias, FOLD // 2))
    for name, value in (("kernel_shape", [3, 2]), ("strides", [2, 1]), ("pads", [1, 1, 0, 0])):
        next(each for each in conv.attribute if each.name == name).ints[:] = value
    picture = graph.input[0].name
    shape = _constant(graph, "fold.shape", np.array((0, 0, -1, FOLD * channels), np.int64))
    graph.node.insert(0, helper.make_node("Reshape", [picture, shape], ["fold.out"], name="fold"))
    transpose.input[0] = "fold.out"
    after, relu.output[0] = relu.output[0], "unfold.in"
    shape = _constant(graph, "unfold.shape", np.array((0, 0, -1, out), np.int64))
    _after(
        graph,
        relu,
        helper.make_node("Transpose", ["unfold.in"], ["unfold.1"], name="unfold.1", perm=(0, 2, 3, 1)),
        helper.make_node("Reshape", ["unfold.1", shape], ["unfold.2"], name="unfold.2"),
        helper.make_node("Transpose", ["unfold.2"], [after], name="unfold.3", perm=(0, 3, 1, 2)),
    )
    del graph.value_info[:]  # the shapes told there are no longer true
    drop_unused(graph)


def take_bytes(graph: GraphProto) -> None:
    """Let a quantised network take the picture's bytes as its first quantised numbers, of scale 1/255 and zero point 0."""
    cast = _one(graph, "Cast")
    divide = _one(graph, "Div", input=cast.output[0])
    quantise = _one(graph, "QuantizeLinear", input=divide.output[0])
    _one(graph, "DequantizeLinear", input=quantise.output[0]).input[0] = cast.input[0]
    for node in (cast, divide, quantise):
        graph.node.remove(node)
    drop_unused(graph)


def copy_up(graph: GraphProto) -> None:
    """Make a quantised network double its maps (nearest neighbour) by copying bytes; ONNX Runtime looks up each by itself."""
    for number, resize in enumerate([node for node in graph.node if node.op_type == "Resize"]):
        before = next(node for node in graph.node if node.output[0] == resize.input[0])
        after = _one(graph, "QuantizeLinear", input=resize.output[0])
        name = f"up.{number}"
        twice = _constant(graph, f"{name}.twice", np.array((1, 2, 2, 1), np.int64))
        wide = _constant(graph, f"{name}.wide", np.array((0, 0, 1, -1), np.int64))
        steps: tuple[tuple[str, list[str], str, dict[str, Any]], ...] = (
            ("Transpose", [before.input[0]], "nhwc", {"perm": (0, 2, 3, 1)}),
            ("Shape", [f"{name}.nhwc"], "shape", {}),
            ("Mul", [f"{name}.shape", twice], "doubled", {}),
            ("Concat", [f"{name}.nhwc"] * 2, "columns", {"axis": 3}),
            ("Reshape", [f"{name}.columns", wide], "lines", {}),
            ("Concat", [f"{name}.lines"] * 2, "rows", {"axis": 2}),
            ("Reshape", [f"{name}.rows", f"{name}.doubled"], "grown", {}),
            ("Transpose", [f"{name}.grown"], "out", {"perm": (0, 3, 1, 2)}),
        )
        nodes = [
            helper.make_node(kind, taken, [f"{name}.{given}"], name=f"{name}.{given}", **rest)
            for kind, taken, given, rest in steps
        ]
        nodes[-1].output[0] = after.output[0]
        _after(graph, after, *nodes)
        for node in (resize, after):
            graph.node.remove(node)
        if not any(before.output[0] in node.input for node in graph.node):
            graph.node.remove(before)
    drop_unused(graph)


def widen_last(graph: GraphProto) -> None:
    """Where quantised numbers are widened and then only moved about, move them about first, as bytes."""
    for number, widen in enumerate([node for node in graph.node if node.op_type == "DequantizeLinear"]):
        moves: list[NodeProto] = []
        out = widen.output[0]
        for node in graph.node:
            if node.op_type == "Shape" and out in node.input:
                node.input[0] = widen.input[0]
        while len(using := [node for node in graph.node if out in node.input]) == 1:
            if using[0].op_type not in {"Transpose", "Reshape"}:
                break
            moves += using
            out = using[0].output[0]
        if not moves:
            continue
        name = f"late.{number}"
        moves[0].input[0] = widen.input[0]
        for place, move in enumerate(moves):
            move.output[0] = f"{name}.{place}"
            if place:
                move.input[0] = f"{name}.{place - 1}"
        scale = [moves[-1].output[0], *widen.input[1:]]
        graph.node.remove(widen)
        _after(graph, moves[-1], helper.make_node("DequantizeLinear", scale, [out], name=name))


def byte_weights(graph: GraphProto) -> None:
    """Store fp32 weights small: those of convolutions of many at a byte, in steps of their output channel, others at two.

    Loading widens them again, once: the network is computed in fp32. Of a large detector, by which 428 cards were found, all
    convolutions at a byte moved scores by .0055 and corners by .9 px (standard deviations); so stored it is a tenth larger, and they
    move by .0012 and .2 px.
    """
    for each in list(graph.initializer):
        values, name = numpy_helper.to_array(each), each.name
        if each.data_type != TensorProto.FLOAT or values.ndim < 2:
            continue
        graph.initializer.remove(each)
        if values.ndim < 4 or values.size < _MANY:
            small = _constant(graph, f"{name}.half", values.astype(np.float16))
            widening = [helper.make_node("Cast", [small], [name], name=f"{name}.wide", to=TensorProto.FLOAT)]
        else:
            steps = np.maximum(np.abs(values).max((1, 2, 3), keepdims=True) / 127, 1e-12).astype(np.float32)
            small = _constant(graph, f"{name}.bytes", np.rint(values / steps).astype(np.int8))
            step, count = _constant(graph, f"{name}.step", steps), f"{name}.count"
            widening = [
                helper.make_node("Cast", [small], [count], name=count, to=TensorProto.FLOAT),
                helper.make_node("Mul", [count, step], [name], name=f"{name}.wide"),
            ]
        for node in reversed(widening):
            graph.node.insert(0, node)


def widen_weights(graph: GraphProto) -> None:
    """Undo ``byte_weights``: the weights are fp32 constants again, by the names that the layers know."""
    known = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    for node in list(graph.node):
        if node.op_type not in {"Cast", "Mul"} or not all(name in known for name in node.input):
            continue
        values = reduce(np.multiply, (known[name].astype(np.float32) for name in node.input))
        known[node.output[0]] = values
        _constant(graph, node.output[0], values)
        graph.node.remove(node)
    drop_unused(graph)
