"""Quantization-aware training by distillation: the fp32 network is the teacher, its quantized copy the
student.

Quantizing weights and maps of a trained network makes it less confident: of 56 rendered pictures, 52 were
then read exactly instead of 55. Here the student's convolutions learn to reproduce the teacher's outputs
despite the rounding (Jacob et al., Quantization and Training of Neural Networks, 2018; the straight-through
gradient is PyTorch's). Only unlabeled pictures are needed.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Final, TypeAlias

import onnx
import torch
from onnx import ModelProto, numpy_helper
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrize
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.utils.data import DataLoader, IterableDataset

from hanafuda_training.training.onnx_rewriting import widen_weights
from hanafuda_training.training.training_schedule import Training
from hanafuda_training.training.warm_start import from_onnx, in_order

#: Largest weight, of 127: with more, the sum of two products may overflow on processors without VNNI (`vision.networks.onnx_sessions`).
LARGEST: Final = 64
#: Number of batches from which the ranges of the maps are determined before the training.
_RANGE_BATCHES: Final = 24
_Outputs: TypeAlias = tuple[Tensor, ...]


class _RoundedWeights(nn.Module):
    """A convolution's weights, rounded to steps of 1/``LARGEST`` of the largest weight of each output
    channel.
    """

    def forward(self, weight: Tensor) -> Tensor:
        step = weight.detach().abs().amax((1, 2, 3)).clamp(min=1e-8) / LARGEST
        return torch.fake_quantize_per_channel_affine(
            weight, step, torch.zeros(len(step), dtype=torch.int32), 0, -LARGEST, LARGEST
        )


class _RoundedMap(nn.Module):
    """A map, rounded to 256 steps between the smallest and the largest value that occurred in it."""

    low: Tensor
    high: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("low", torch.zeros(()))
        self.register_buffer("high", torch.full((), 1e-6))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            with torch.no_grad():
                self.low.copy_(torch.minimum(self.low, x.min()))
                self.high.copy_(torch.maximum(self.high, x.max()))
        step = (self.high - self.low) / 255
        zero = torch.round(-self.low / step).to(torch.int32).clamp(0, 255)
        return torch.fake_quantize_per_tensor_affine(x, step, zero, 0, 255)

    def going_in(self, _: nn.Module, inputs: _Outputs) -> _Outputs:
        """Round a module's input."""
        return (self(inputs[0]),)

    def coming_out(self, _: nn.Module, __: _Outputs, out: Tensor) -> Any:
        """Round a module's output."""
        return self(out)


def fold(model: nn.Module) -> None:
    """Fold each normalization of ``model`` into the convolution before it."""
    for block in [module for module in model.modules() if isinstance(module, nn.Sequential)]:
        for number, (conv, norm) in enumerate(itertools.pairwise(list(block))):
            if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                block[number] = fuse_conv_bn_eval(conv.eval(), norm.eval())
                block[number + 1] = nn.Identity()


def round_off(model: nn.Module, precise: Collection[str]) -> list[_RoundedMap]:
    """Round the weights of all convolutions of ``model`` except the ``precise`` ones, and their inputs and
    outputs.
    """
    modules = list(model.named_modules())
    rounding: list[_RoundedMap] = []
    convolutions = [(name, module) for name, module in modules if isinstance(module, nn.Conv2d)]
    for name, conv in convolutions:
        if conv is not convolutions[0][1]:  # the first one takes the bytes of a picture
            rounding.append(_RoundedMap())
            conv.register_forward_pre_hook(rounding[-1].going_in)
        if name not in precise:
            parametrize.register_parametrization(conv, "weight", _RoundedWeights())
    for name, block in modules:
        if (
            isinstance(block, nn.Sequential)
            and isinstance(block[0], nn.Conv2d)
            and f"{name}.0" not in precise
        ):
            rounding.append(_RoundedMap())
            block.register_forward_hook(rounding[-1].coming_out)
    return rounding


def _outputs(model: nn.Module, x: Tensor) -> _Outputs:
    out = model(x)
    return out if isinstance(out, tuple) else (out,)


def _cells(maps: Tensor) -> tuple[Tensor, Tensor]:
    """Return the channels of the detector's maps at all cells (n x 22) and the weight of each cell, which is
    low without a card.
    """
    weight = F.max_pool2d(torch.sigmoid(maps[:, :1]), 3, 1, 1).flatten() + 0.02
    return maps.permute(0, 2, 3, 1).reshape(-1, maps.shape[1]), weight


def unlike(student: _Outputs, teacher: _Outputs) -> Tensor:
    """Return the squared difference between the student's and the teacher's outputs, relative to the variance
    of each output.
    """
    parts = []
    for output, target in zip(student, teacher, strict=True):
        if len(teacher) == 1:
            cells, weight = _cells(target)
            square = (output.permute(0, 2, 3, 1).reshape(cells.shape) - cells) ** 2 * weight[:, None]
            spread = (weight[:, None] * (cells - cells.mean(0)) ** 2).sum(0)
            losses = square.sum(0) / spread.clamp(min=1e-6)
            parts.append(losses.mean() + losses[0])
        else:
            parts.append(((output - target) ** 2).mean() / target.var().clamp(min=1e-6))
    return torch.stack(parts).sum()


def adapt(
    path: Path,
    network: nn.Module,
    crops: IterableDataset[tuple[Tensor, ...]],
    precise: Collection[str],
    training: Callable[[nn.Module], Training],
) -> ModelProto:
    """Return the fp32 network at ``path`` with weights that tolerate quantization; ``network`` has the same
    architecture and any weights.

    ``crops`` yields batches whose first part is the pictures (B x C x H x W uint8). ``precise``: names of the
    layers in ``network`` that are not quantized. ``training`` creates the training of the student.
    """
    batches: Iterable[Any] = DataLoader(crops, batch_size=None, num_workers=1, prefetch_factor=4)
    pictures = (item[0].float().div(255).contiguous(memory_format=torch.channels_last) for item in batches)
    first = next(iter(pictures))
    from_onnx(network, path, first)
    names = {id(layer): name for name, layer in network.named_modules()}
    order = [names[id(layer)] for layer, _ in in_order(network, first[:1]) if isinstance(layer, nn.Conv2d)]
    fold(network)
    teacher = network.eval().requires_grad_(requires_grad=False)
    student = copy.deepcopy(teacher)
    rounding = round_off(student, precise)
    trained = [
        item
        for item in student.modules()
        if isinstance(item, nn.Conv2d) and parametrize.is_parametrized(item)
    ]
    for item in trained:
        item.requires_grad_()
    with torch.no_grad():
        for x in itertools.islice(pictures, _RANGE_BATCHES):
            student(x)
    for layer_rounding in rounding:
        layer_rounding.eval()  # ranges that keep growing with unusual pictures would make the rounding ever coarser
    run = training(student)
    for x in pictures:
        with torch.no_grad():
            targets = _outputs(teacher, x)
        loss = unlike(_outputs(student, x), targets)
        if not run.step(loss, len(x), unlike=loss.item()):
            break
    convolutions = dict(run.mean.named_modules())
    model = onnx.load(path)
    widen_weights(model.graph)
    return _with_weights(model, [convolutions[name] for name in order if name not in precise], precise)


def _with_weights(model: ModelProto, trained: Iterable[Any], precise: Collection[str]) -> ModelProto:
    """Store the trained convolutions, in the order in which they are executed, in the graph of the network."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes = [
        node
        for node in model.graph.node
        if node.op_type == "Conv" and not any(f"/{name}/" in node.name for name in precise)
    ]
    for node, conv in zip(nodes, trained, strict=True):
        weight, bias = conv.parametrizations.weight.original, conv.bias
        for constant_name, values in zip(node.input[1:], (weight, bias), strict=True):
            constant = constants[constant_name]
            array = values.detach().numpy().reshape(tuple(constant.dims))
            constant.CopyFrom(numpy_helper.from_array(array, constant.name))
    return model
