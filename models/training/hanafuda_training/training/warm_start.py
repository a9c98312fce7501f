"""Continues training from shipped weights: loads an ONNX file into a trainable network.

The export folds each batch normalization into its convolution. Here the convolution gets the folded weights,
and its normalization is initialized so that both together compute the same as the file: scale and shift
cancel the mean and deviation that it measures on real pictures. The first layer of an int8 file is different:
use the fp32 file beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from hanafuda_training.training.onnx_rewriting import widen_weights
from hanafuda_training.training.training_schedule import load

#: Layers with weights.
_Layer: TypeAlias = nn.Conv2d | nn.Linear
_Norm: TypeAlias = nn.BatchNorm1d | nn.BatchNorm2d
_Model = TypeVar("_Model", bound=nn.Module)
#: Constant that PyTorch's normalizations add to a variance.
_EPSILON: Final = 1e-5


def _weights(path: Path) -> list[tuple[NDArray[np.float32], NDArray[np.float32] | None]]:
    """Return the weights and biases of the layers of an fp32 ONNX file, in order."""
    graph = onnx.load(path).graph
    widen_weights(graph)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def value(name: str) -> NDArray[np.float32]:
        return np.array(constants[name], np.float32)

    layers: list[tuple[NDArray[np.float32], NDArray[np.float32] | None]] = []
    for node, following in pairwise((*graph.node, onnx.NodeProto())):
        if node.op_type in {"Conv", "Gemm"}:
            layers.append((value(node.input[1]), value(node.input[2]) if len(node.input) > 2 else None))
        elif (
            node.op_type == "MatMul" and following.op_type == "BatchNormalization"
        ):  # the export does not merge these two
            layers.append((value(node.input[1]).T, None))
        elif node.op_type == "BatchNormalization":
            gain, shift, mean, variance = map(value, node.input[1:])
            gain = gain / np.sqrt(variance + _EPSILON)
            layers[-1] = (layers[-1][0] * gain[:, None], shift - gain * mean)
    return layers


def in_order(model: nn.Module, example: Tensor) -> list[tuple[_Layer, _Norm | None]]:
    """Return the model's layers in the order of execution, each with the normalization that follows it, if
    any.
    """
    order: list[tuple[_Layer, _Norm | None]] = []

    def record(module: nn.Module, *_: Any) -> None:
        if isinstance(module, _Layer):
            order.append((module, None))
        elif isinstance(module, _Norm):
            order[-1] = (order[-1][0], module)

    hooks = [
        module.register_forward_hook(record)
        for module in model.modules()
        if isinstance(module, _Layer | _Norm)
    ]
    with torch.no_grad():
        model.eval()(example)
    for hook in hooks:
        hook.remove()
    return order


def _fit_norm_hook(norm: _Norm, bias: Tensor) -> Any:
    """Return a hook that, on its first input, sets ``norm`` to add ``bias`` and change nothing else."""

    def measure(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        values = inputs[0].float().transpose(0, 1).flatten(1)
        mean, variance = values.mean(1), values.var(1)
        norm.running_mean, norm.running_var = mean.clone(), variance.clone()
        norm.weight.data = torch.sqrt(variance + norm.eps)
        norm.bias.data = bias + mean

    return norm.register_forward_pre_hook(measure)


def from_onnx(model: nn.Module, path: Path, pictures: Tensor) -> None:
    """Load the weights in ``path`` into ``model``; ``pictures`` is a batch of real input.

    A last layer with more outputs than in the file keeps its own weights for the additional ones. Raises
    ValueError if the file is of another network.
    """
    stored, order = _weights(path), in_order(model, pictures[:1])
    if len(stored) != len(order):
        raise ValueError(f"{path} has {len(stored)} layers, but the network has {len(order)}")
    hooks = []
    with torch.no_grad():
        for (weight, bias), (layer, norm) in zip(stored, order, strict=True):
            if (
                isinstance(layer, nn.Conv2d) and weight.ndim == 2
            ):  # the detector's last layer, exported as a matrix product
                weight = weight[..., None, None]  # noqa: PLW2901
            if weight[0].size != layer.weight[0].numel() or len(weight) > len(layer.weight):
                raise ValueError(f"{path}: {weight.shape} does not fit {tuple(layer.weight.shape)}")
            # A 1 x 1 convolution may have been exported as a matrix product.
            layer.weight.data[: len(weight)] = torch.from_numpy(weight).reshape(-1, *layer.weight.shape[1:])
            shift = torch.from_numpy(np.zeros(len(weight), np.float32) if bias is None else bias)
            if norm is not None:
                hooks.append(_fit_norm_hook(norm, shift))
            elif layer.bias is not None:
                layer.bias.data[: len(weight)] = shift
        model.eval()(pictures)
    for hook in hooks:
        hook.remove()


def begin(model: _Model, start: Path | None, crops: Iterable[tuple[Tensor, ...]]) -> _Model:
    """Return ``model`` with the weights of ``start``: a training's own file or a shipped ONNX file; unchanged
    for None.

    ``crops`` yields batches whose first part is the pictures (B x C x H x W uint8); only an ONNX file needs
    one.
    """
    if start is not None and start.suffix == ".onnx":
        from_onnx(model, start, next(iter(crops))[0].float() / 255)
        return model
    return load(model, start)
