"""Rewrites exported networks for speed and size, with the same results.

The int8 network of ``quantize.py`` is computed in NHWC. Its convolutions were not the slowest part: an int8
convolution of three channels runs at a fraction of the speed of one whose number of channels is a multiple of
four, and between the bytes of a picture and the first layer were a cast, a division, and a quantization of
every pixel.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

#: Number of adjacent pixels that the first layer takes as one with more channels.
FOLD: Final = 4
#: Minimum number of weights of a convolution that is stored in one byte per weight.
_MIN_BYTE_WEIGHTS: Final = 50_000


def _weights(graph: GraphProto, name: str) -> NDArray[Any]:
    return np.asarray(
        numpy_helper.to_array(next(tensor for tensor in graph.initializer if tensor.name == name))
    )


def _constant(graph: GraphProto, name: str, values: NDArray[Any]) -> str:
    graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
    return name


def _insert_after(graph: GraphProto, node: NodeProto, *following: NodeProto) -> None:
    index = list(graph.node).index(node) + 1
    for offset, added in enumerate(following):
        graph.node.insert(index + offset, added)


def _first_node(graph: GraphProto, op_type: str, **fits: str) -> NodeProto:
    """Return the first node of an operator type, in graph order, optionally with the given ``input``."""
    first: NodeProto = next(
        node
        for node in graph.node
        if node.op_type == op_type and ("input" not in fits or fits["input"] in node.input)
    )
    return first


def drop_unused(graph: GraphProto) -> None:
    """Remove unused weights."""
    used = {name for node in graph.node for name in node.input}
    for tensor in [tensor for tensor in graph.initializer if tensor.name not in used]:
        graph.initializer.remove(tensor)


def fold_first(graph: GraphProto) -> None:
    """Make the first convolution take ``FOLD`` adjacent pixels as one pixel with ``FOLD`` times the channels.

    The layer is a 3 x 3 convolution of stride 2 over a picture of B x H x W x C bytes, W a multiple of
    ``FOLD``, followed by a ReLU. It becomes one of 3 rows x 2 blocks, whose weights are the old ones and
    zeros; in NHWC, input and output only need to be reshaped, no byte is moved.
    """
    conv = _first_node(graph, "Conv")
    transpose, relu = _first_node(graph, "Transpose"), _first_node(graph, "Relu", input=conv.output[0])
    weights, bias = (_weights(graph, name) for name in conv.input[1:3])
    outputs, channels = weights.shape[:2]
    folded = np.zeros((FOLD // 2, outputs, FOLD * channels, 3, 2), np.float32)
    for pixel in range(FOLD // 2):
        for column in range(3):
            # Counted from the first pixel of the previous block.
            block, offset = divmod(FOLD + 2 * pixel - 1 + column, FOLD)
            folded[pixel, :, offset * channels : (offset + 1) * channels, :, block] = weights[..., column]
    conv.input[1] = _constant(graph, "folded.weight", folded.reshape(-1, FOLD * channels, 3, 2))
    conv.input[2] = _constant(graph, "folded.bias", np.tile(bias, FOLD // 2))
    for name, value in (("kernel_shape", [3, 2]), ("strides", [2, 1]), ("pads", [1, 1, 0, 0])):
        next(each for each in conv.attribute if each.name == name).ints[:] = value
    picture = graph.input[0].name
    shape = _constant(graph, "fold.shape", np.array((0, 0, -1, FOLD * channels), np.int64))
    graph.node.insert(0, helper.make_node("Reshape", [picture, shape], ["fold.out"], name="fold"))
    transpose.input[0] = "fold.out"
    after, relu.output[0] = relu.output[0], "unfold.in"
    shape = _constant(graph, "unfold.shape", np.array((0, 0, -1, outputs), np.int64))
    _insert_after(
        graph,
        relu,
        helper.make_node("Transpose", ["unfold.in"], ["unfold.1"], name="unfold.1", perm=(0, 2, 3, 1)),
        helper.make_node("Reshape", ["unfold.1", shape], ["unfold.2"], name="unfold.2"),
        helper.make_node("Transpose", ["unfold.2"], [after], name="unfold.3", perm=(0, 3, 1, 2)),
    )
    del graph.value_info[:]  # the shapes there are no longer valid
    drop_unused(graph)


def take_bytes(graph: GraphProto) -> None:
    """Make a quantized network use the bytes of the picture as its first quantized values, with scale 1/255
    and zero point 0.
    """
    cast = _first_node(graph, "Cast")
    divide = _first_node(graph, "Div", input=cast.output[0])
    quantize = _first_node(graph, "QuantizeLinear", input=divide.output[0])
    _first_node(graph, "DequantizeLinear", input=quantize.output[0]).input[0] = cast.input[0]
    for node in (cast, divide, quantize):
        graph.node.remove(node)
    drop_unused(graph)


def copy_up(graph: GraphProto) -> None:
    """Make a quantized network upsample its maps by two (nearest neighbor) by copying bytes; ONNX Runtime
    looks up each byte separately.
    """
    for number, resize in enumerate([node for node in graph.node if node.op_type == "Resize"]):
        dequantize = next(node for node in graph.node if node.output[0] == resize.input[0])
        quantize = _first_node(graph, "QuantizeLinear", input=resize.output[0])
        name = f"up.{number}"
        twice = _constant(graph, f"{name}.twice", np.array((1, 2, 2, 1), np.int64))
        wide = _constant(graph, f"{name}.wide", np.array((0, 0, 1, -1), np.int64))
        steps: tuple[tuple[str, list[str], str, dict[str, Any]], ...] = (
            ("Transpose", [dequantize.input[0]], "nhwc", {"perm": (0, 2, 3, 1)}),
            ("Shape", [f"{name}.nhwc"], "shape", {}),
            ("Mul", [f"{name}.shape", twice], "doubled", {}),
            ("Concat", [f"{name}.nhwc"] * 2, "columns", {"axis": 3}),
            ("Reshape", [f"{name}.columns", wide], "lines", {}),
            ("Concat", [f"{name}.lines"] * 2, "rows", {"axis": 2}),
            ("Reshape", [f"{name}.rows", f"{name}.doubled"], "grown", {}),
            ("Transpose", [f"{name}.grown"], "out", {"perm": (0, 3, 1, 2)}),
        )
        nodes = [
            helper.make_node(op_type, inputs, [f"{name}.{output}"], name=f"{name}.{output}", **attributes)
            for op_type, inputs, output, attributes in steps
        ]
        nodes[-1].output[0] = quantize.output[0]
        _insert_after(graph, quantize, *nodes)
        for node in (resize, quantize):
            graph.node.remove(node)
        if not any(dequantize.output[0] in node.input for node in graph.node):
            graph.node.remove(dequantize)
    drop_unused(graph)


def widen_last(graph: GraphProto) -> None:
    """Where quantized values are dequantized and then only transposed or reshaped, do the latter first, on
    bytes.
    """
    for number, dequantize in enumerate([node for node in graph.node if node.op_type == "DequantizeLinear"]):
        moves: list[NodeProto] = []
        out = dequantize.output[0]
        for node in graph.node:
            if node.op_type == "Shape" and out in node.input:
                node.input[0] = dequantize.input[0]
        while len(consumers := [node for node in graph.node if out in node.input]) == 1:
            if consumers[0].op_type not in {"Transpose", "Reshape"}:
                break
            moves += consumers
            out = consumers[0].output[0]
        if not moves:
            continue
        name = f"late.{number}"
        moves[0].input[0] = dequantize.input[0]
        for index, move in enumerate(moves):
            move.output[0] = f"{name}.{index}"
            if index:
                move.input[0] = f"{name}.{index - 1}"
        inputs = [moves[-1].output[0], *dequantize.input[1:]]
        graph.node.remove(dequantize)
        _insert_after(graph, moves[-1], helper.make_node("DequantizeLinear", inputs, [out], name=name))


def byte_weights(graph: GraphProto) -> None:
    """Store fp32 weights in less space: large convolutions in one byte per weight with a scale per output
    channel, other layers in two bytes.

    Loading converts them back once: the network is computed in fp32. For a large detector that found 428
    cards, storing all convolutions in one byte moved scores by .0055 and corners by .9 px (standard
    deviations); stored in this way it is a tenth larger, and they move by .0012 and .2 px.
    """
    for tensor in list(graph.initializer):
        values, name = numpy_helper.to_array(tensor), tensor.name
        if tensor.data_type != TensorProto.FLOAT or values.ndim < 2:
            continue
        graph.initializer.remove(tensor)
        if values.ndim < 4 or values.size < _MIN_BYTE_WEIGHTS:
            stored = _constant(graph, f"{name}.half", values.astype(np.float16))
            widening = [helper.make_node("Cast", [stored], [name], name=f"{name}.wide", to=TensorProto.FLOAT)]
        else:
            steps = np.maximum(np.abs(values).max((1, 2, 3), keepdims=True) / 127, 1e-12).astype(np.float32)
            stored = _constant(graph, f"{name}.bytes", np.rint(values / steps).astype(np.int8))
            step, count = _constant(graph, f"{name}.step", steps), f"{name}.count"
            widening = [
                helper.make_node("Cast", [stored], [count], name=count, to=TensorProto.FLOAT),
                helper.make_node("Mul", [count, step], [name], name=f"{name}.wide"),
            ]
        for node in reversed(widening):
            graph.node.insert(0, node)


def widen_weights(graph: GraphProto) -> None:
    """Undo `byte_weights`: the weights are fp32 constants again, under their original names."""
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in list(graph.node):
        if node.op_type not in {"Cast", "Mul"} or not all(name in known for name in node.input):
            continue
        values = reduce(np.multiply, (known[name].astype(np.float32) for name in node.input))
        known[node.output[0]] = values
        _constant(graph, node.output[0], values)
        graph.node.remove(node)
    drop_unused(graph)
