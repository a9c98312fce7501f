"""The faces of the cards: 48 hanafuda and a back, drawn by this project in the traditional composition.

The SVG files beside this module are the source: edit them in any editor of vector graphics, then check them with ``tests/faces``.
"""

import difflib
from pathlib import Path

from companion.hanafuda.cards import HANAFUDA, UnknownCardError

__all__ = ["FACES_DIR", "face_path", "face_svg"]

FACES_DIR = Path(__file__).parent
_DRAWN = frozenset(card.id for card in HANAFUDA) | {"back"}


def face_path(card_id: str) -> Path:
    """Return the SVG file of a hanafuda's face, or of the ``back``; UnknownCardError for anything else."""
    if card_id not in _DRAWN:
        nearest = difflib.get_close_matches(str(card_id), sorted(_DRAWN), n=3)
        raise UnknownCardError(card_id, tuple(nearest))
    return FACES_DIR / f"{card_id}.svg"


def face_svg(card_id: str) -> str:
    """Return the SVG text of a hanafuda's face, or of the ``back``; UnknownCardError for anything else."""
    return face_path(card_id).read_text(encoding="utf-8")
