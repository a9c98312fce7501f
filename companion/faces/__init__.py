"""The faces of the cards of every pack and a back, drawn by this project in the traditional composition.

The SVG files beside this module are the source of the hanafuda: edit them in any editor of vector graphics. Those of the other
packs are written by ``hanafuda_training.render.pack_faces``. Check them with ``tests/faces``.
"""

import difflib
import re
from pathlib import Path

from companion.hanafuda.cards import DECKS, UnknownCardError

__all__ = ["FACES", "FACES_DIR", "drawing_of", "face_path", "face_svg"]

FACES_DIR = Path(__file__).parent
FACES = (*(card.id for pack in DECKS.values() for card in pack), "back")
"""The ids that have a face."""
_PRINTED = frozenset({"kabu-1-a", "kabu-4-a"})
"""The kabufuda that differ from the other copies of their number."""


def drawing_of(card_id: str) -> str:
    """Return the name of a card's drawing: its id, without the letter of a kabufuda's copy that looks like the others."""
    return card_id if card_id in _PRINTED else re.sub(r"(?<=^kabu-)(\d+)-[a-d]$", r"\1", card_id)


def face_path(card_id: str) -> Path:
    """Return the SVG file of a card's face, or of the ``back``; UnknownCardError for anything else."""
    if card_id not in FACES:
        nearest = difflib.get_close_matches(str(card_id), FACES, n=3)
        raise UnknownCardError(card_id, tuple(nearest))
    return FACES_DIR / f"{drawing_of(card_id)}.svg"


def face_svg(card_id: str) -> str:
    """Return the SVG text of a card's face, or of the ``back``; UnknownCardError for anything else."""
    return face_path(card_id).read_text(encoding="utf-8")
