"""Trains the matcher.

``python -m hanafuda_training.training.train_matcher --decks DIR... --hold-out FAMILY... --scenes DIR --out
matcher.pt --minutes 40``; decks and held-out families must be those with which the scenes were composed.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.data import DataLoader

from hanafuda_training.render.deck_art import load_decks
from hanafuda_training.training.matcher_data import OFFERED, MatcherCrops
from hanafuda_training.training.torch_models import MatcherNet
from hanafuda_training.training.training_schedule import Training, options, reduced_precision
from hanafuda_training.training.warm_start import begin


def in_pairs(crops: Tensor, pictures: Tensor) -> Tensor:
    """Return each crop (B x 4 x 96 x 64) combined with each of its pictures (B x OFFERED x 3 x 96 x 64): B *
    OFFERED x 7 x 96 x 64.
    """
    return torch.cat((crops[:, None].expand(-1, OFFERED, -1, -1, -1), pictures), 2).flatten(0, 1)


def main() -> None:
    """Run the command line."""
    parser = options(__doc__, minutes=40, batch=64, seed=3)
    parser.add_argument("--decks", type=Path, nargs="+", required=True, help="folders of deck folders")
    parser.add_argument("--hold-out", nargs="*", default=[], help="families to exclude from training")
    args = parser.parse_args()
    cv2.setNumThreads(1)  # the loader is forked, and OpenCV's threads do not survive a fork
    torch.manual_seed(args.seed)
    decks = [deck for deck in load_decks(args.decks) if deck.family not in args.hold_out]
    crops = MatcherCrops(args.scenes, decks, args.batch, args.seed)
    model = begin(MatcherNet(), args.start, ((in_pairs(*batch[:2]),) for batch in crops))
    training = Training(model, args.minutes, args.rate, args.out, threads=args.threads)
    for images, pictures, answers in DataLoader(crops, batch_size=None, num_workers=1, prefetch_factor=4):
        x = (in_pairs(images, pictures).float() / 255).contiguous(memory_format=torch.channels_last)
        with reduced_precision():
            logits = model(x).float().reshape(-1, OFFERED)
        # "None of them" has the fixed logit 0.
        logits = torch.cat((logits, torch.zeros(len(logits), 1)), 1)
        loss = F.cross_entropy(logits, answers)
        right = (logits.argmax(1) == answers).float().mean()
        has_match = answers < OFFERED
        right_if_match = (logits[has_match, :OFFERED].argmax(1) == answers[has_match]).float().mean()
        parts = {"naming": loss.item(), "right": right.item(), "right_if_match": right_if_match.item()}
        if not training.step(loss, len(images), **parts):
            break


if __name__ == "__main__":
    main()
