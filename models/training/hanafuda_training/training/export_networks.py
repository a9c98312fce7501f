"""Exports trained weights to ONNX, including pre- and post-processing.

``python -m hanafuda_training.training.export_networks --detector a.pt --refiner b.pt --recognizer c.pt --matcher
d.pt --out models``
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hanafuda_training.training.onnx_rewriting import byte_weights
from hanafuda_training.training.torch_models import DetectorNet, MatcherNet, RecognizerNet, RefinerNet
from hanafuda_training.training.training_schedule import load
from vision.pictures.crops import RECOGNIZER_SIZE, REFINER_SIZE


def _pixels(x: Tensor) -> Tensor:
    return x.permute(0, 3, 1, 2).float() / 255


class _Detect(nn.Module):
    """uint8 1 x H x W x 3 and the minimum score (1) → the n local maxima of at least that score: scores n,
    cells n (row by row, of 4 x 4 px), values n x 20; and foreign 1 x h x w (0-1: a hand or a foreign
    object covers the table here).
    """

    def __init__(self, model: DetectorNet) -> None:
        super().__init__()
        # One matrix product: as a convolution, its 22 maps would be transposed three times on output.
        self.head = nn.Linear(model.head.in_channels, model.head.out_channels)
        self.head.weight.data, self.head.bias = model.head.weight.data.flatten(1), model.head.bias  # type: ignore[assignment]
        model.head = nn.Identity()  # type: ignore[assignment]
        self.model = model

    def forward(self, picture: Tensor, least: Tensor) -> tuple[Tensor, ...]:
        features = self.model(_pixels(picture))
        rows, columns = features.shape[2:]
        out = self.head(features.permute(0, 2, 3, 1).reshape(-1, self.head.in_features))
        heat = torch.sigmoid(out[:, 0]).reshape(1, 1, rows, columns)
        peaks = (heat * (heat >= F.max_pool2d(heat, 3, 1, 1)).float()).flatten()
        cells = torch.nonzero(peaks >= least)[:, 0]
        return peaks[cells], cells, out[cells][:, 1:21], torch.sigmoid(out[:, 21]).reshape(1, rows, columns)


class _Refine(nn.Module):
    """uint8 n x 112 x 80 x 3 → numbers n x 10 (8 corner corrections, visible fraction 0-1, at this position
    0-1), mask n x 28 x 20 (0-1).
    """

    def __init__(self, model: RefinerNet) -> None:
        super().__init__()
        self.model = model

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        numbers, mask = self.model(_pixels(crops))
        return torch.cat((numbers[:, :8], torch.sigmoid(numbers[:, 8:])), 1), torch.sigmoid(mask)


class _Name(nn.Module):
    """uint8 n x 96 x 64 x 4 (BGR and visible part) → logits n x (CLASS_COUNT + 1), unit embeddings n x
    EMBEDDING.
    """

    def __init__(self, model: RecognizerNet) -> None:
        super().__init__()
        self.model = model

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        logits, embedding = self.model(_pixels(crops))
        return logits, F.normalize(embedding, dim=1)


class _Match(nn.Module):
    """uint8 n x 96 x 64 x 4 (BGR and visible part) and n x 96 x 64 x 3 (BGR) → logits n that both show the
    same card.
    """

    def __init__(self, model: MatcherNet) -> None:
        super().__init__()
        self.model = model

    def forward(self, crops: Tensor, pictures: Tensor) -> Tensor:
        out: Tensor = self.model(_pixels(torch.cat((crops, pictures), 3)))
        return out


def _export(
    wrapper: nn.Module,
    examples: dict[str, Tensor],
    path: Path,
    outputs: list[str],
    axes: dict[str, dict[int, str]],
) -> None:
    wrapper.eval()
    inputs = tuple(examples.values())
    torch.onnx.export(
        wrapper,
        inputs,
        str(path),
        input_names=list(examples),
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    with torch.no_grad():
        expected = wrapper(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    actual = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(
        None, {name: example.numpy() for name, example in examples.items()}
    )
    for a, b in zip(expected, actual, strict=True):
        np.testing.assert_allclose(a.numpy(), np.asarray(b), atol=2e-3, rtol=1e-3)
    model = onnx.load(path)
    byte_weights(model.graph)
    onnx.save(model, path)
    print(
        f"{path}: {path.stat().st_size / 1e6:.2f} MB, same outputs as PyTorch before its weights were rounded"
    )


def export_detector(model: DetectorNet, folder: Path, name: str = "detector") -> None:
    """Write ``NAME.onnx`` into ``folder``."""
    axes = {
        "picture": {1: "height", 2: "width"},
        **{name: {0: "cards"} for name in ("scores", "cells", "values")},
        "foreign": {1: "rows", 2: "columns"},
    }
    picture = torch.randint(0, 256, (1, 224, 320, 3), dtype=torch.uint8)
    examples = {"picture": picture, "least": torch.tensor([0.001])}
    outputs = ["scores", "cells", "values", "foreign"]
    _export(_Detect(model), examples, folder / f"{name}.onnx", outputs, axes)


def export_refiner(model: RefinerNet, folder: Path) -> None:
    """Write ``refiner.onnx`` into ``folder``."""
    outputs = ["numbers", "mask"]
    crops = torch.randint(0, 256, (3, REFINER_SIZE[1], REFINER_SIZE[0], 3), dtype=torch.uint8)
    axes = {name: {0: "cards"} for name in ("crops", *outputs)}
    _export(_Refine(model), {"crops": crops}, folder / "refiner.onnx", outputs, axes)


def export_recognizer(model: RecognizerNet, folder: Path) -> None:
    """Write ``recognizer.onnx`` into ``folder``."""
    outputs = ["logits", "embedding"]
    crops = torch.randint(0, 256, (3, RECOGNIZER_SIZE[1], RECOGNIZER_SIZE[0], 4), dtype=torch.uint8)
    axes = {name: {0: "cards"} for name in ("crops", *outputs)}
    _export(_Name(model), {"crops": crops}, folder / "recognizer.onnx", outputs, axes)


def export_matcher(model: MatcherNet, folder: Path) -> None:
    """Write ``matcher.onnx`` into ``folder``."""
    crops, pictures = (
        torch.randint(0, 256, (3, RECOGNIZER_SIZE[1], RECOGNIZER_SIZE[0], channels), dtype=torch.uint8)
        for channels in (4, 3)
    )
    axes = {name: {0: "cards"} for name in ("crops", "pictures", "logits")}
    _export(_Match(model), {"crops": crops, "pictures": pictures}, folder / "matcher.onnx", ["logits"], axes)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--detector", type=Path)
    parser.add_argument("--detector-large", type=Path)
    parser.add_argument("--refiner", type=Path)
    parser.add_argument("--recognizer", type=Path)
    parser.add_argument("--matcher", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.detector:
        export_detector(load(DetectorNet(), args.detector), args.out)
    if args.detector_large:
        export_detector(load(DetectorNet(large=True), args.detector_large), args.out, "detector-large")
    if args.refiner:
        export_refiner(load(RefinerNet(), args.refiner), args.out)
    if args.recognizer:
        export_recognizer(load(RecognizerNet(), args.recognizer), args.out)
    if args.matcher:
        export_matcher(load(MatcherNet(), args.matcher), args.out)


if __name__ == "__main__":
    main()
