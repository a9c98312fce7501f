"""Makes test sets of degraded photographs.

``python -m hanafuda_training.benchmarks.degrade_photographs blur --data FOLDER --out FOLDER --amount 17``

``blur``: motion blur of that many px. ``small``: cards that many px wide. ``glare``: reflections of that
strength (0-1) over a third of the cards. ``dark``: that fraction of the light. All are synthetic, with sensor
noise.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.benchmarks.evaluation import read
from hanafuda_training.benchmarks.ground_truth import TruePicture, read_folders
from vision.networks.detector import card_widths
from vision.pictures.crops import Image

Rng = np.random.Generator

_NOISE: Final = 2.0
_JPEG_QUALITY: Final = 90
#: Range of the half axes of a reflection, in card widths.
_GLARE_SIZE: Final = (0.6, 1.2)


def moved(rng: Rng, image: Image, px: float) -> Image:
    """Return the picture with motion blur: a straight movement of ``px`` in a random direction."""
    side = int(np.ceil(px)) | 1
    kernel = np.zeros((side, side), np.float32)
    angle, center = rng.uniform(0, np.pi), side // 2
    step = np.array((np.cos(angle), np.sin(angle))) * px / 2
    ends = [tuple(int(v) for v in np.round(center + sign * step)) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)


def dazzled(rng: Rng, image: Image, quads: NDArray[np.float32], strength: float) -> Image:
    """Return the picture with soft reflections of ``strength`` (0-1) over a third of the cards (``quads``, n
    x 4 x 2 px).
    """
    lit = quads[rng.random(len(quads)) < 1 / 3]
    light = reflections(rng, image.shape[:2], lit, float(np.median(card_widths(quads))), strength)
    return np.asarray(np.clip(image + light[..., None], 0, 255), np.uint8)


def reflections(
    rng: Rng, shape: tuple[int, ...], lit: NDArray[np.float32], width: float, strength: float
) -> NDArray[np.float32]:
    """Return the light (``shape``: height and width; 255 is white) of soft reflections of ``strength`` (0-1) on the cards ``lit`` (n x 4
    x 2 px), about a card's ``width`` (px) large.
    """
    added = np.zeros(shape, np.float32)
    for quad in lit:
        x, y = quad.mean(axis=0) + rng.normal(0, 0.2 * width, 2)
        axes = rng.uniform(*_GLARE_SIZE, 2) * width
        cv2.ellipse(
            added,
            ((float(x), float(y)), (2 * axes[0], 2 * axes[1]), float(rng.uniform(0, 180))),
            255.0 * strength,
            -1,
        )
    return np.asarray(cv2.GaussianBlur(added, (0, 0), 0.2 * width), np.float32)


def degraded(rng: Rng, picture: TruePicture, kind: str, amount: float) -> tuple[Image, float]:
    """Return a degraded picture and the factor by which its sides were scaled."""
    image = read(picture)
    quads = np.array([card.quad for card in picture.cards if card.quad is not None], np.float32).reshape(
        -1, 4, 2
    )
    scale = 1.0
    if kind == "blur":
        image = moved(rng, image, amount)
    elif kind == "glare":
        image = dazzled(rng, image, quads, amount)
    elif kind == "small":
        scale = amount / float(np.median(card_widths(quads)))
        image = np.asarray(
            cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    elif kind == "dark":
        image = np.asarray(cv2.convertScaleAbs(image, alpha=amount), np.uint8)
    noisy = image + rng.normal(0, _NOISE, image.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), scale


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("blur", "small", "glare", "dark"))
    parser.add_argument("--amount", type=float, required=True)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    truth: list[dict[str, Any]] = []
    for folder in (found for data in args.data for found in read_folders(data)):
        for picture in folder.pictures:
            image, scale = degraded(rng, picture, args.kind, args.amount)
            name = f"{len(truth):04d}.jpg"
            cv2.imwrite(str(args.out / name), image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
            cards = [
                {"card": card.card, "quad": (card.quad * scale).round(1).tolist(), "visible": card.visible}
                for card in picture.cards
                if card.quad is not None
            ]
            truth.append({"image": name, "width": image.shape[1], "height": image.shape[0], "cards": cards})
    (args.out / "truth.json").write_text(json.dumps(truth), encoding="utf-8")


if __name__ == "__main__":
    main()
