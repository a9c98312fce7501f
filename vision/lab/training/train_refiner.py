"""Train the refiner: ``python -m vision.lab.training.train_refiner --scenes DIR --out refiner.pt --minutes 30``."""

from __future__ import annotations

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

from vision.lab.training.crop_data import RefinerCrops
from vision.lab.training.torch_models import Refiner
from vision.lab.training.training_schedule import Training, options
from vision.lab.training.warm_start import begin


def main() -> None:
    """Run the command line."""
    args = options(__doc__, minutes=30, batch=96, seed=2).parse_args()
    torch.manual_seed(args.seed)
    crops = RefinerCrops(args.scenes, args.batch, args.seed)
    model = begin(Refiner(), args.start, crops)
    training = Training(model, args.minutes, args.rate, args.out, threads=args.threads)
    for images, numbers, mask in DataLoader(crops, batch_size=None, num_workers=1, prefetch_factor=4):
        x = (images.float() / 255).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            out, shown = training.model(x)
        card, here = numbers[:, 9], numbers[:, 10]
        cards = card.sum().clamp(min=1)
        corner = ((out[:, :8] - numbers[:, :8]).abs().mean(1) * card).sum() / cards
        share = (torch.sigmoid(out[:, 8]) - numbers[:, 8]).abs().mean()
        cover = F.binary_cross_entropy_with_logits(shown, mask)
        lies = F.binary_cross_entropy_with_logits(out[:, 9], here)
        loss = 5 * corner + 0.5 * share + 0.7 * cover + 0.3 * lies
        parts = {"corner": corner, "share": share, "mask": cover, "here": lies}
        if not training.step(loss, len(images), **{name: part.item() for name, part in parts.items()}):
            break


if __name__ == "__main__":
    main()
