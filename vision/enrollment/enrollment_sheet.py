"""Draws the overview of a deck being enrolled: each card's picture, number, and proposed name; doubtful
names are marked.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vision.enrollment.enrollment import DeckProposal, ProposedCard
from vision.pictures.crops import RECOGNIZER_SIZE, Image

_COLUMNS: Final = 12
#: Margin around a picture drawn at double size, px, and the height of the two lines of text below it.
_MARGIN: Final = 8
_TEXT: Final = 40
_FONT: Final = cv2.FONT_HERSHEY_SIMPLEX
_PAPER: Final = (246, 248, 250)
_INK: Final = (40, 40, 40)
_DOUBT: Final = (0, 110, 230)


def draw_sheet(proposal: DeckProposal, title: str) -> Image:
    """Return the sheet (H x W x 3 uint8 BGR) with twelve cards per row, in the order of their numbers."""
    width, height = 2 * RECOGNIZER_SIZE[0] + 2 * _MARGIN, 2 * RECOGNIZER_SIZE[1] + _TEXT + _MARGIN
    rows = -(-len(proposal.places) // _COLUMNS)
    sheet = np.full((rows * height + _TEXT, _COLUMNS * width, 3), _PAPER, np.uint8)
    doubtful = len(proposal.doubtful)
    line = f"{title.encode('ascii', 'replace').decode()}: {len(proposal.places)} cards, {doubtful} to check"
    cv2.putText(sheet, line, (_MARGIN, 27), _FONT, 0.7, _DOUBT if doubtful else _INK, 2, cv2.LINE_AA)
    for number, place in enumerate(proposal.places):
        row, column = divmod(number, _COLUMNS)
        top, left = _TEXT + row * height, column * width
        _draw_card(sheet[top : top + height, left : left + width], place)
    return sheet


def _draw_card(cell: Image, place: ProposedCard) -> None:
    width, height = 2 * RECOGNIZER_SIZE[0], 2 * RECOGNIZER_SIZE[1]
    picture = cv2.resize(place.pictures[0], (width, height), interpolation=cv2.INTER_CUBIC)
    cell[_MARGIN : _MARGIN + height, _MARGIN : _MARGIN + width] = picture
    ink = _DOUBT if place.doubtful else _INK
    if place.doubtful:
        corner = (_MARGIN + width + 2, _MARGIN + height + 2)
        cv2.rectangle(cell, (_MARGIN - 3, _MARGIN - 3), corner, _DOUBT, 4)
    label = (place.card or "no name") + (" ?" if place.doubtful else "")
    below = _MARGIN + height
    cv2.putText(cell, f"{place.number}", (_MARGIN, below + 15), _FONT, 0.5, ink, 1, cv2.LINE_AA)
    label_width = cv2.getTextSize(label, _FONT, 0.42, 1)[0][0]
    size = 0.42 * min(1.0, width / max(label_width, 1))
    cv2.putText(cell, label, (_MARGIN, below + 31), _FONT, size, ink, 1, cv2.LINE_AA)
