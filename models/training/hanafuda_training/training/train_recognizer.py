"""Trains the recognizer, half of it on crops with motion blur and reflections.

``python -m hanafuda_training.training.train_recognizer --scenes DIR --out recognizer.pt --minutes 40``
"""

from __future__ import annotations

import copy
import json
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.data import DataLoader

from hanafuda_training.training.crop_data import APPEARANCES, RecognizerCrops
from hanafuda_training.training.generate_scenes import IDENTITIES
from hanafuda_training.training.torch_models import Margin, RecognizerNet
from hanafuda_training.training.training_schedule import Training, options, reduced_precision
from hanafuda_training.training.warm_start import begin
from vision.networks.class_ids import BACK, UNKNOWN

#: Weights of the losses that keep the network of --start: the embedding of the sharp crop in angle and length, and the probabilities of
#: crops that are not degraded.
_ANGLE_WEIGHT: Final = 2.0
_LENGTH_WEIGHT: Final = 0.2
_CHANGE_WEIGHT: Final = 0.5


def main() -> None:
    """Run the command line."""
    parser = options(__doc__, minutes=40, batch=128, seed=3)
    parser.add_argument(
        "--margin",
        type=float,
        default=0.15,
        help="weight of the angular margin's loss; 0: keep the embedding of --start instead",
    )
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    crops = RecognizerCrops(args.scenes, args.batch, args.seed)
    model = begin(RecognizerNet(), args.start, crops)
    teacher = copy.deepcopy(model).eval()
    identities = json.loads((args.scenes / IDENTITIES).read_text(encoding="utf-8"))
    margin = Margin(len(identities) * APPEARANCES)
    training = Training(model, args.minutes, args.rate, args.out, beside=margin, threads=args.threads)
    for images, class_ids, turn, appearances, sharp in DataLoader(
        crops, batch_size=None, num_workers=1, prefetch_factor=4
    ):
        x = (images.float() / 255).contiguous(memory_format=torch.channels_last)
        with reduced_precision():
            logits, embedding = model(x)
        logits, up, embedding = logits.float()[:, :-1], logits.float()[:, -1], embedding.float()
        naming = F.cross_entropy(logits, class_ids, label_smoothing=0.05)
        has_orientation = class_ids < BACK  # the orientation of backs and unknown cards is undefined
        turning = F.binary_cross_entropy_with_logits(up[has_orientation], turn[has_orientation])
        right = (logits.argmax(1) == class_ids).float().mean()
        parts = {"naming": naming, "turning": turning, "right": right}
        loss = naming + 0.3 * turning
        has_identity = appearances >= 0
        if args.margin:
            parts["margin"] = margin(embedding[has_identity], appearances[has_identity])
            loss = loss + args.margin * parts["margin"]
        else:
            with torch.no_grad(), reduced_precision():
                before = tuple(part.float() for part in teacher(sharp.float() / 255))
            unchanged = (images == sharp).flatten(1).all(1) & ((class_ids != UNKNOWN) | has_identity)
            parts["drift"] = _drift(embedding[has_identity], before[1][has_identity])
            parts["change"] = F.kl_div(
                F.log_softmax(logits[unchanged], 1),
                F.softmax(before[0][unchanged, :-1], 1),
                reduction="batchmean",
            )
            loss = loss + parts["drift"] + _CHANGE_WEIGHT * parts["change"]
        if not training.step(loss, len(images), **{name: part.item() for name, part in parts.items()}):
            break


def _drift(embedding: Tensor, before: Tensor) -> Tensor:
    """Return how far embeddings (n x EMBEDDING) are from those ``before``, in angle and in length."""
    angle = (1 - F.cosine_similarity(embedding, before)).mean()
    length = (embedding.norm(dim=1) / before.norm(dim=1).clamp(min=1e-3) - 1).square().mean()
    drift: Tensor = _ANGLE_WEIGHT * angle + _LENGTH_WEIGHT * length
    return drift


if __name__ == "__main__":
    main()
