"""Trains the recognizer.

``python -m hanafuda_training.training.train_recognizer --scenes DIR --out recognizer.pt --minutes 40``
"""

from __future__ import annotations

import json

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

from hanafuda_training.training.crop_data import APPEARANCES, RecognizerCrops
from hanafuda_training.training.generate_scenes import IDENTITIES
from hanafuda_training.training.torch_models import Margin, RecognizerNet
from hanafuda_training.training.training_schedule import Training, options, reduced_precision
from hanafuda_training.training.warm_start import begin
from vision.networks.class_ids import BACK


def main() -> None:
    """Run the command line."""
    parser = options(__doc__, minutes=40, batch=128, seed=3)
    parser.add_argument("--margin", type=float, default=0.15, help="weight of the angular margin's loss")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    crops = RecognizerCrops(args.scenes, args.batch, args.seed)
    model = begin(RecognizerNet(), args.start, crops)
    identities = json.loads((args.scenes / IDENTITIES).read_text(encoding="utf-8"))
    margin = Margin(len(identities) * APPEARANCES)
    training = Training(model, args.minutes, args.rate, args.out, beside=margin, threads=args.threads)
    for images, class_ids, turn, appearances in DataLoader(
        crops, batch_size=None, num_workers=1, prefetch_factor=4
    ):
        x = (images.float() / 255).contiguous(memory_format=torch.channels_last)
        with reduced_precision():
            logits, embedding = model(x)
        logits, up, embedding = logits.float()[:, :-1], logits.float()[:, -1], embedding.float()
        naming = F.cross_entropy(logits, class_ids, label_smoothing=0.05)
        has_orientation = class_ids < BACK  # the orientation of backs and unknown cards is undefined
        turning = F.binary_cross_entropy_with_logits(up[has_orientation], turn[has_orientation])
        has_identity = appearances >= 0
        margin_loss = margin(embedding[has_identity], appearances[has_identity])
        right = (logits.argmax(1) == class_ids).float().mean()
        parts = {"naming": naming, "turning": turning, "margin": margin_loss, "right": right}
        loss = naming + 0.3 * turning + args.margin * margin_loss
        if not training.step(loss, len(images), **{name: part.item() for name, part in parts.items()}):
            break


if __name__ == "__main__":
    main()
