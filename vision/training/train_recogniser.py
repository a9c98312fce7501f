"""Train the recogniser: ``python -m vision.training.train_recogniser --scenes DIR --out recogniser.pt --minutes 40``."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

from vision.kinds import BACK
from vision.training.crop_data import RecogniserCrops
from vision.training.networks import Recogniser
from vision.training.schedule import Training, load


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scenes", type=Path, required=True, help="folder of shards made by vision.training.generate"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    training = Training(load(Recogniser(), args.start), args.minutes, args.rate, args.out)
    crops = RecogniserCrops(args.scenes, args.batch, args.seed)
    for images, kinds, turn in DataLoader(crops, batch_size=None, num_workers=1, prefetch_factor=4):
        x = (images.float() / 255).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            logits = training.model(x)
        logits, up = logits.float()[:, :-1], logits.float()[:, -1]
        naming = F.cross_entropy(logits, kinds, label_smoothing=0.05)
        named = kinds < BACK  # which end of a back or of a stranger is up, nobody knows
        turning = F.binary_cross_entropy_with_logits(up[named], turn[named])
        right = (logits.argmax(1) == kinds).float().mean()
        if not training.step(
            naming + 0.3 * turning,
            len(images),
            naming=naming.item(),
            turning=turning.item(),
            right=right.item(),
        ):
            break


if __name__ == "__main__":
    main()
