"""The project's own card faces as one sheet of pictures.

The SVG faces of `companion.faces` need a renderer that only development installations have, so the rendered faces are shipped:
``python -m hanafuda_training.rounds.face_sheet`` renders the sheet again (extra ``dev``).
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import HANAFUDA
from hanafuda_training.render.deck_art import Face, make_face
from vision.networks.class_ids import BACK, CLASS_OF

__all__ = ["SHEET", "faces"]

Image = NDArray[np.uint8]

SHEET: Final = Path(__file__).with_name("faces.webp")
_NAMES: Final = (*(card.id for card in HANAFUDA), "back")
_COLUMNS: Final = 7
_SIZE: Final = (128, 210)
"""Width and height of a face on the sheet, px."""


@cache
def faces() -> dict[str, Face]:
    """Return the face of each hanafuda card and of the ``back``, by card id. Raises `FileNotFoundError` without the sheet."""
    sheet = cv2.imread(str(SHEET), cv2.IMREAD_COLOR)
    if sheet is None:
        raise FileNotFoundError(f"the demo's card faces are missing: {SHEET} cannot be read; install again")
    faces_by_id = {}
    for number, name in enumerate(_NAMES):
        row, column = divmod(number, _COLUMNS)
        left, top = column * _SIZE[0], row * _SIZE[1]
        art = np.asarray(sheet[top : top + _SIZE[1], left : left + _SIZE[0]], np.uint8)
        faces_by_id[name] = make_face(art, CLASS_OF.get(name, BACK))
    return faces_by_id


def make_sheet() -> Image:
    """Return the sheet of all faces (uint8 BGR), rasterized from their SVG (needs ``resvg-py``)."""
    from hanafuda_training.render.rasterize import rasterize  # noqa: PLC0415  # the demo does not need the renderer

    rows = -(-len(_NAMES) // _COLUMNS)
    sheet = np.zeros((rows * _SIZE[1], _COLUMNS * _SIZE[0], 3), np.uint8)
    for number, name in enumerate(_NAMES):
        row, column = divmod(number, _COLUMNS)
        art = cv2.resize(rasterize(name, 3 * _SIZE[0]), _SIZE, interpolation=cv2.INTER_AREA)
        sheet[row * _SIZE[1] : (row + 1) * _SIZE[1], column * _SIZE[0] : (column + 1) * _SIZE[0]] = art
    return sheet


def main() -> None:
    """Run the command line."""
    argparse.ArgumentParser(
        prog="python -m hanafuda_training.rounds.face_sheet", description=__doc__
    ).parse_args()
    cv2.imwrite(str(SHEET), make_sheet(), [cv2.IMWRITE_WEBP_QUALITY, 88])


if __name__ == "__main__":
    main()
