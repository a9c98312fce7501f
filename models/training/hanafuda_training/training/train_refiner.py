"""Trains the refiner.

``python -m hanafuda_training.training.train_refiner --scenes DIR --out refiner.pt --minutes 30``
"""

from __future__ import annotations

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

from hanafuda_training.training.crop_data import RefinerCrops
from hanafuda_training.training.torch_models import RefinerNet
from hanafuda_training.training.training_schedule import Training, options, reduced_precision
from hanafuda_training.training.warm_start import begin


def main() -> None:
    """Run the command line."""
    args = options(__doc__, minutes=30, batch=96, seed=2).parse_args()
    torch.manual_seed(args.seed)
    crops = RefinerCrops(args.scenes, args.batch, args.seed)
    model = begin(RefinerNet(), args.start, crops)
    training = Training(model, args.minutes, args.rate, args.out, threads=args.threads)
    for images, numbers, mask in DataLoader(crops, batch_size=None, num_workers=1, prefetch_factor=4):
        x = (images.float() / 255).contiguous(memory_format=torch.channels_last)
        with reduced_precision():
            out, mask_logits = training.model(x)
        card, here = numbers[:, 9], numbers[:, 10]
        cards = card.sum().clamp(min=1)
        corner_loss = ((out[:, :8] - numbers[:, :8]).abs().mean(1) * card).sum() / cards
        visible_loss = (torch.sigmoid(out[:, 8]) - numbers[:, 8]).abs().mean()
        mask_loss = F.binary_cross_entropy_with_logits(mask_logits, mask)
        position_loss = F.binary_cross_entropy_with_logits(out[:, 9], here)
        loss = 5 * corner_loss + 0.5 * visible_loss + 0.7 * mask_loss + 0.3 * position_loss
        parts = {"corner": corner_loss, "visible": visible_loss, "mask": mask_loss, "here": position_loss}
        if not training.step(loss, len(images), **{name: part.item() for name, part in parts.items()}):
            break


if __name__ == "__main__":
    main()
