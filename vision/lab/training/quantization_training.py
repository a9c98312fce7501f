"""Teaching a network to do with bytes: the shipped fp32 one is the teacher, the same with every number rounded the pupil.

Rounding the weights and maps of a trained network costs it sureness: of 56 rendered pictures 52 were then read exactly
rather than 55. Here the pupil's convolutions learn to answer like the teacher in spite of the rounding (Jacob et al.,
Quantization and Training of Neural Networks, 2018; the straight-through gradient is PyTorch's own). Nothing but pictures
is needed: what is right on them does not matter.
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

from vision.lab.training.onnx_rewriting import widen_weights
from vision.lab.training.training_schedule import Training
from vision.lab.training.warm_start import from_onnx, in_order

#: Largest weight, of 127: with more, two products may not fit their sum on processors without VNNI (`vision.networks.onnx_sessions`).
LARGEST: Final = 64
#: Batches from which the ranges of the maps are taken before anything is learned.
_FIRST: Final = 24
_Outputs: TypeAlias = tuple[Tensor, ...]


class _Rounded(nn.Module):
    """A convolution's weights in steps of which the largest of an output channel has ``LARGEST``."""

    def forward(self, weight: Tensor) -> Tensor:
        step = weight.detach().abs().amax((1, 2, 3)).clamp(min=1e-8) / LARGEST
        return torch.fake_quantize_per_channel_affine(
            weight, step, torch.zeros(len(step), dtype=torch.int32), 0, -LARGEST, LARGEST
        )


class _Bytes(nn.Module):
    """A map in 256 steps between the least and the greatest number ever seen in it."""

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
        """Round what a module is given."""
        return (self(inputs[0]),)

    def coming_out(self, _: nn.Module, __: _Outputs, out: Tensor) -> Any:
        """Round what a module gives."""
        return self(out)


def fold(model: nn.Module) -> None:
    """Fold each normalisation of ``model`` into the convolution before it."""
    for block in [each for each in model.modules() if isinstance(each, nn.Sequential)]:
        for number, (conv, norm) in enumerate(itertools.pairwise(list(block))):
            if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                block[number] = fuse_conv_bn_eval(conv.eval(), norm.eval())
                block[number + 1] = nn.Identity()


def round_off(model: nn.Module, precise: Collection[str]) -> list[_Bytes]:
    """Round the weights of all convolutions of ``model`` but the ``precise`` ones, and what goes into and out of them."""
    modules = list(model.named_modules())
    rounding: list[_Bytes] = []
    convolutions = [(name, each) for name, each in modules if isinstance(each, nn.Conv2d)]
    for name, conv in convolutions:
        if conv is not convolutions[0][1]:  # the first takes a picture's bytes
            rounding.append(_Bytes())
            conv.register_forward_pre_hook(rounding[-1].going_in)
        if name not in precise:
            parametrize.register_parametrization(conv, "weight", _Rounded())
    for name, block in modules:
        if (
            isinstance(block, nn.Sequential)
            and isinstance(block[0], nn.Conv2d)
            and f"{name}.0" not in precise
        ):
            rounding.append(_Bytes())
            block.register_forward_hook(rounding[-1].coming_out)
    return rounding


def _outputs(model: nn.Module, x: Tensor) -> _Outputs:
    out = model(x)
    return out if isinstance(out, tuple) else (out,)


def _of_cells(told: Tensor) -> tuple[Tensor, Tensor]:
    """Return the channels of the detector's maps at all cells (n x 22), and how much each cell counts: little without a card."""
    weight = F.max_pool2d(torch.sigmoid(told[:, :1]), 3, 1, 1).flatten() + 0.02
    return told.permute(0, 2, 3, 1).reshape(-1, told.shape[1]), weight


def unlike(pupil: _Outputs, teacher: _Outputs) -> Tensor:
    """Return how far the pupil's answers are from the teacher's: squares, in units of each output's own spread."""
    parts = []
    for mine, wanted in zip(pupil, teacher, strict=True):
        if len(teacher) == 1:
            told, weight = _of_cells(wanted)
            square = (mine.permute(0, 2, 3, 1).reshape(told.shape) - told) ** 2 * weight[:, None]
            spread = (weight[:, None] * (told - told.mean(0)) ** 2).sum(0)
            each = square.sum(0) / spread.clamp(min=1e-6)
            parts.append(each.mean() + each[0])
        else:
            parts.append(((mine - wanted) ** 2).mean() / wanted.var().clamp(min=1e-6))
    return torch.stack(parts).sum()


def adapt(
    path: Path,
    network: nn.Module,
    crops: IterableDataset[tuple[Tensor, ...]],
    precise: Collection[str],
    training: Callable[[nn.Module], Training],
) -> ModelProto:
    """Return the fp32 network at ``path`` with weights that bear rounding; ``network`` is its kind, with any weights.

    ``crops`` yields batches whose first part is the pictures (B x C x H x W uint8); ``precise`` are the names in
    ``network`` of the layers that are not rounded.
    """
    batches: Iterable[Any] = DataLoader(crops, batch_size=None, num_workers=1, prefetch_factor=4)
    pictures = (each[0].float().div(255).contiguous(memory_format=torch.channels_last) for each in batches)
    first = next(iter(pictures))
    from_onnx(network, path, first)
    names = {id(layer): name for name, layer in network.named_modules()}
    order = [names[id(layer)] for layer, _ in in_order(network, first[:1]) if isinstance(layer, nn.Conv2d)]
    fold(network)
    teacher = network.eval().requires_grad_(requires_grad=False)
    pupil = copy.deepcopy(teacher)
    rounding = round_off(pupil, precise)
    learned = [
        each for each in pupil.modules() if isinstance(each, nn.Conv2d) and parametrize.is_parametrized(each)
    ]
    for each in learned:
        each.requires_grad_()
    with torch.no_grad():
        for x in itertools.islice(pictures, _FIRST):
            pupil(x)
    for ranged in rounding:
        ranged.eval()  # ranges that go on growing with every odd picture would round ever more coarsely
    at_work = training(pupil)
    for x in pictures:
        with torch.no_grad():
            wanted = _outputs(teacher, x)
        loss = unlike(_outputs(pupil, x), wanted)
        if not at_work.step(loss, len(x), unlike=loss.item()):
            break
    convolutions = dict(at_work.mean.named_modules())
    model = onnx.load(path)
    widen_weights(model.graph)
    return _with_weights(model, [convolutions[name] for name in order if name not in precise], precise)


def _with_weights(model: ModelProto, learned: Iterable[Any], precise: Collection[str]) -> ModelProto:
    """Put what was ``learned``, convolutions in the order in which they run, into the graph of the network."""
    constants = {each.name: each for each in model.graph.initializer}
    nodes = [
        node
        for node in model.graph.node
        if node.op_type == "Conv" and not any(f"/{name}/" in node.name for name in precise)
    ]
    for node, conv in zip(nodes, learned, strict=True):
        weight, bias = conv.parametrizations.weight.original, conv.bias
        for given, values in zip(node.input[1:], (weight, bias), strict=True):
            held = constants[given]
            array = values.detach().numpy().reshape(tuple(held.dims))
            held.CopyFrom(numpy_helper.from_array(array, held.name))
    return model
