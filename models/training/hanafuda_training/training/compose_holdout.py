"""Composes validation pictures of held-out families: JPEGs with a ``truth.json`` for ``companion bench
vision``.

``python -m hanafuda_training.training.compose_holdout --decks DIR --families NAME... --out DIR --pictures 60``
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hanafuda_training.render.deck_art import load_decks
from hanafuda_training.render.scenes import (
    Scene,
    SceneAssets,
    compose_scene,
    family_weights,
    visible_fractions,
)
from hanafuda_training.render.tabletops import random_textures
from vision.networks.class_ids import BACK, HANAFUDA_CLASSES, UNKNOWN


def truth_of(scene: Scene) -> list[dict[str, Any]]:
    """Return the cards of a scene in the format of ``truth.json``: null for unknown cards, twins as the first
    of them.
    """
    names = {
        **{class_id: cards[0] for class_id, cards in enumerate(HANAFUDA_CLASSES)},
        BACK: "back",
        UNKNOWN: None,
    }
    return [
        {
            "card": names[int(class_id)],
            "quad": np.round(quad.astype(float), 1).tolist(),
            "visible": round(float(visible), 3),
        }
        for quad, class_id, visible in zip(
            scene.quads, scene.class_ids, visible_fractions(scene.ids, scene.quads), strict=True
        )
        if visible >= 0.05
    ]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, nargs="+", required=True)
    parser.add_argument("--families", nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pictures", type=int, default=60)
    parser.add_argument("--seed", type=int, default=77)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    decks = [deck for deck in load_decks(args.decks) if deck.family in args.families]
    truth = []
    for number in range(args.pictures):
        rng = np.random.default_rng((args.seed, number))
        scene = compose_scene(
            rng, SceneAssets(decks, family_weights(decks), random_textures(rng, 3)), 1024, 768
        )
        name = f"{number:04d}.jpg"
        cv2.imwrite(str(args.out / name), scene.image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))])
        truth.append({"image": name, "width": 1024, "height": 768, "cards": truth_of(scene)})
    (args.out / "truth.json").write_text(json.dumps(truth), encoding="utf-8")


if __name__ == "__main__":
    main()
