"""Trains the detector.

``python -m hanafuda_training.training.train_detector --scenes DIR --out detector.pt --minutes 70``

``--large`` trains the detector for photographs; ``--grow models/training/weights/detector.onnx`` initializes it with the small
one.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from hanafuda_training.training.detector_data import DetectorCrops
from hanafuda_training.training.torch_models import DetectorNet, grown
from hanafuda_training.training.training_schedule import Training, options, reduced_precision
from hanafuda_training.training.warm_start import begin


def heat_loss(logits: Tensor, heat: Tensor) -> Tensor:
    """Return the penalty-reduced focal loss (Zhou et al., Objects as Points, 2019) for target and weight, B x
    2 x h x w.
    """
    target, weight = heat[:, 0], heat[:, 1]
    p = torch.sigmoid(logits).clamp(1e-5, 1 - 1e-5)
    peak = target >= 0.999
    hit = torch.log(p) * (1 - p) ** 2 * peak
    miss = torch.log(1 - p) * p**2 * (1 - target) ** 4 * ~peak
    return -((hit + miss) * weight).sum() / peak.sum().clamp(min=1)


def point_losses(out: Tensor, truth: Tensor) -> dict[str, Tensor]:
    """Return the losses at points: ``out`` n x 20 (the channels after the heat), ``truth`` n x TRUTH."""
    weight = truth[:, 23]
    total = weight.sum().clamp(min=1e-6)
    error = (out[:, :16] - truth[:, :16]).abs() * truth[:, 22:23]  # in card widths
    both = error.reshape(-1, 2, 8).mean(2) * truth[:, 16:18]
    angle = F.normalize(out[:, 16:18], dim=1)
    return {
        "corner": (both.sum(1) * weight).sum() / total,
        "angle": ((1 - (angle * truth[:, 18:20]).sum(1)) * weight).sum() / total,
        "visible": ((torch.sigmoid(out[:, 18]) - truth[:, 20]).abs() * weight).sum() / total,
        "down": (
            F.binary_cross_entropy_with_logits(out[:, 19], truth[:, 21], reduction="none") * weight
        ).sum()
        / total,
    }


def main() -> None:
    """Run the command line."""
    parser = options(__doc__, minutes=70, batch=16, seed=1)
    parser.add_argument("--large", action="store_true", help="the detector for photographs")
    parser.add_argument("--grow", type=Path, help="with --large: weights of a small detector to start from")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    crops = DetectorCrops(args.scenes, args.batch, args.seed)
    if args.grow:
        model: nn.Module = grown(begin(DetectorNet(), args.grow, crops))
    else:
        model = begin(DetectorNet(large=args.large), args.start, crops)
    training = Training(model, args.minutes, args.rate, args.out, threads=args.threads)
    for images, heat, foreign, truth, flat in DataLoader(
        crops, batch_size=None, num_workers=1, prefetch_factor=4
    ):
        x = (images.float() / 255).contiguous(memory_format=torch.channels_last)
        with reduced_precision():
            out = training.model(x)
        out = out.float()
        heats = heat_loss(out[:, 0], heat)
        parts = point_losses(out[:, 1:].permute(0, 2, 3, 1).reshape(-1, out.shape[1] - 1)[flat], truth)
        parts["foreign"] = F.binary_cross_entropy_with_logits(out[:, 21], foreign)
        loss = (
            heats + 2 * parts["corner"] + 0.2 * sum(parts[k] for k in ("angle", "visible", "down", "foreign"))
        )
        if not training.step(
            loss, len(images), heat=heats.item(), **{name: part.item() for name, part in parts.items()}
        ):
            break


if __name__ == "__main__":
    main()
