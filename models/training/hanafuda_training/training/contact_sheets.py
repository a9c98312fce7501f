"""Draws a sheet for each factor of composed scenes: the same scenes without it, as trained, and with twice
the strength.

``python -m hanafuda_training.training.contact_sheets --decks DIR --out DIR``
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.deck_art import load_decks
from hanafuda_training.render.scene_factors import TRAINING_FACTORS, SceneFactors
from hanafuda_training.render.scenes import SceneAssets, compose_scene, family_weights
from hanafuda_training.render.tabletops import random_textures

Image = NDArray[np.uint8]

#: Scenes tried for each row; the sheet shows those that the factor changes most.
_TRIES: Final = 6
#: Maximum number of scenes tried, for rare factors.
_MAX_TRIES: Final = 150
_HEADER_PX: Final = 44
_TABLES: Final = 12


def draw_sheet(assets: SceneAssets, factor: Field[float], rows: int, seed: int) -> Image:
    """Return a titled picture: ``rows`` scenes that ``factor`` changes much, each without it, as trained, and
    doubled.

    Raises ValueError if no scene tried shows the factor.
    """

    def draw(number: int, strength: float) -> Image:
        factors = replace(TRAINING_FACTORS, **{factor.name: strength})
        return compose_scene(np.random.default_rng((seed, number)), assets, factors=factors).image

    scenes: list[tuple[float, int, Image, Image]] = []
    for number in range(_MAX_TRIES):
        if number >= rows * _TRIES and len(scenes) >= rows:
            break
        off, on = draw(number, 0.0), draw(number, 1.0)
        if change := float(cv2.absdiff(off, on).mean()):
            scenes.append((change, number, off, on))
    if not scenes:
        raise ValueError(f"no scene of {_MAX_TRIES} shows the factor {factor.name}")
    scenes.sort(key=lambda scene: -scene[0])
    sheet = np.vstack([np.hstack((off, on, draw(number, 2.0))) for _, number, off, on in scenes[:rows]])
    header = np.full((_HEADER_PX, sheet.shape[1], 3), 255, np.uint8)
    title = f"{factor.name}: {factor.metadata['about']} Off, as trained, twice."
    cv2.putText(header, title, (12, 29), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 1, cv2.LINE_AA)
    return np.vstack((header, sheet))


def chosen(names: Sequence[str]) -> list[Field[float]]:
    """Return the factors with the given names, or all if there are none.

    Raises ValueError for an unknown name.
    """
    known = {factor.name: factor for factor in fields(SceneFactors)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"there is no factor {unknown[0]}; available factors: {', '.join(known)}")
    return [known[name] for name in names or known]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, nargs="+", required=True, help="folders of deck folders")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--factors", nargs="*", default=[], help="draw only these factors")
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    try:
        factors = chosen(args.factors)
        decks = load_decks(args.decks)
    except (ValueError, OSError) as problem:
        parser.error(str(problem))
    assets = SceneAssets(
        decks, family_weights(decks), random_textures(np.random.default_rng(args.seed), _TABLES)
    )
    args.out.mkdir(parents=True, exist_ok=True)
    for factor in factors:
        cv2.imwrite(str(args.out / f"{factor.name}.jpg"), draw_sheet(assets, factor, args.rows, args.seed))


if __name__ == "__main__":
    main()
