"""Geometry of the printed mats and corner cards in mm, shared by printing and detection.

x points right and y down from the sheet's top left, seen from the scorekeeper's seat. Each paper size has its
own marker ids, so that the markers identify the mat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from vision.pictures.crops import Floats

#: Paper sizes, mm, in printing orientation.
PAPERS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "A2": (594.0, 420.0),
        "A3": (420.0, 297.0),
        "tabloid": (431.8, 279.4),
        "A4": (210.0, 297.0),
        "letter": (215.9, 279.4),
    }
)

#: Quiet zone around a marker, in marker sides: one of its six modules.
_QUIET: Final = 1 / 6
#: Margin that home printers cannot print, with some reserve, mm.
_MARGIN: Final = 8.0
_GAP: Final = 10.0
#: Size of a zone for a pile of cards beside the field, mm.
_PILE: Final = (52.0, 76.0)


@dataclass(frozen=True)
class Rect:
    """An axis-aligned rectangle in mm."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge, mm."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge, mm."""
        return self.top + self.height

    @property
    def corners(self) -> Floats:
        """The corners (4 x 2 mm), clockwise from the top left."""
        return np.array(
            (
                (self.left, self.top),
                (self.right, self.top),
                (self.right, self.bottom),
                (self.left, self.bottom),
            )
        )


@dataclass(frozen=True)
class CornerPrint:
    """A marker and the white patch beside it."""

    marker: Rect
    white: Rect


@dataclass(frozen=True)
class PrintedMat:
    """A mat to play on, or a sheet of corner cards to cut out.

    ``parts``: by marker id, clockwise from the far left. ``zones``: printed areas for cards. ``cards``: the
    pieces to cut out, empty for a mat. ``ruler``: top left of a 100 mm line, downward on a mat and rightward
    on a sheet of corner cards.
    """

    paper: str
    size: tuple[float, float]
    parts: Mapping[int, CornerPrint]
    zones: Mapping[str, Rect]
    cards: tuple[Rect, ...]
    ruler: tuple[float, float]

    @property
    def is_cut(self) -> bool:
        """Whether the markers are on separate pieces placed by a person."""
        return bool(self.cards)


def _play_mat(paper: str, first: int, side: float) -> PrintedMat:
    width, height = PAPERS[paper]
    near, right = height - _MARGIN - side, width - _MARGIN - side
    patch = (side - 4) / 2
    quiet = side * _QUIET
    parts = {}
    for number, (x, y) in enumerate(((_MARGIN, _MARGIN), (right, _MARGIN), (right, near), (_MARGIN, near))):
        beside = y + side + quiet if y < height / 2 else y - quiet - patch
        parts[first + number] = CornerPrint(Rect(x, y, side, side), Rect(x, beside, patch, patch))
    inner = Rect(_MARGIN + side + _GAP, _MARGIN, width - 2 * (_MARGIN + side + _GAP), 0.21 * height)
    field_top = inner.bottom + _GAP
    field_left = _MARGIN + max(side, _PILE[0]) + _GAP
    pile = Rect(_MARGIN, (height - _PILE[1]) / 2, *_PILE)
    zones = {
        "captures-far": inner,
        "captures-near": Rect(inner.left, height - _MARGIN - inner.height, inner.width, inner.height),
        "stock": pile,
        "field": Rect(field_left, field_top, width - 2 * field_left, height - 2 * field_top),
    }
    ruler = (width - _MARGIN - side / 2, height / 2 - 50)
    return PrintedMat(paper, (width, height), MappingProxyType(parts), MappingProxyType(zones), (), ruler)


#: Size of a corner card, of its marker, and of its white patch, mm.
_CARD: Final = (72.0, 100.0)
_CARD_MARKER: Final = 48.0
_CARD_PATCH: Final = (22.0, 16.0)


def _corner_cards(paper: str, first: int) -> PrintedMat:
    width, height = PAPERS[paper]
    left = (width - 2 * _CARD[0] - _GAP) / 2
    top = 34.0
    cards, parts = [], {}
    for number, (column, row) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        card = Rect(left + column * (_CARD[0] + _GAP), top + row * (_CARD[1] + _GAP), *_CARD)
        inset = (_CARD[0] - _CARD_MARKER) / 2
        under = card.top + inset + _CARD_MARKER * (1 + _QUIET)
        parts[first + number] = CornerPrint(
            Rect(card.left + inset, card.top + inset, _CARD_MARKER, _CARD_MARKER),
            Rect(card.left + inset, under, *_CARD_PATCH),
        )
        cards.append(card)
    ruler = ((width - 100) / 2, height - 14.0)
    return PrintedMat(
        paper, (width, height), MappingProxyType(parts), MappingProxyType({}), tuple(cards), ruler
    )


#: All sheets by paper size. The corner cards of A4 and letter are identical.
MATS: Final[Mapping[str, PrintedMat]] = MappingProxyType(
    {
        "A3": _play_mat("A3", 0, 36.0),
        "A2": _play_mat("A2", 4, 48.0),
        "tabloid": _play_mat("tabloid", 8, 36.0),
        "A4": _corner_cards("A4", 12),
        "letter": _corner_cards("letter", 12),
    }
)
#: Mats with distinct marker ids, by first id.
_BY_FIRST_ID: Final = {min(MATS[paper].parts): MATS[paper] for paper in ("A3", "A2", "tabloid", "A4")}


def mats_of(ids: set[int]) -> list[PrintedMat]:
    """Return the mats that have any of these marker ids, the one with most of them first."""
    found = [mat for mat in _BY_FIRST_ID.values() if ids & set(mat.parts)]
    return sorted(found, key=lambda mat: -len(ids & set(mat.parts)))
