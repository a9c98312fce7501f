"""A sheet of the worst pictures: what is there and what was seen, one over the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.bench.figures import faults, is_right
from vision.bench.run import Checked, Find, Looked
from vision.crops import Image
from vision.pictures import read_picture

__all__ = ["draw_sheet"]

_MOST: Final = 12
_COLUMNS: Final = 2
#: Size of a picture on the sheet and of the line above it, px.
_TILE: Final = (1100, 800)
_HEAD: Final = 34
_FONT: Final = cv2.FONT_HERSHEY_SIMPLEX
_PAPER, _INK = (245, 245, 245), (24, 24, 24)

Colour = tuple[int, int, int]
_RIGHT: Final[Colour] = (90, 200, 90)
_WRONG: Final[Colour] = (60, 60, 255)
_MISSED: Final[Colour] = (255, 80, 255)
_UNNAMED: Final[Colour] = (0, 165, 255)
_EXTRA: Final[Colour] = (255, 200, 0)
_KEY: Final = (
    ("right", _RIGHT),
    ("wrong name", _WRONG),
    ("missed", _MISSED),
    ("found, unnamed", _UNNAMED),
    ("seen, but not there", _EXTRA),
)


def draw_sheet(looks: Sequence[Looked]) -> Image:
    """Return the pictures with the most faults, wrong names first, drawn on one sheet (BGR uint8).

    Cards that are right are thin and green; of the others the truth stands on them and what was said of it.
    """
    worst = sorted((each for each in looks if any(faults(each))), key=faults, reverse=True)[:_MOST]
    tiles = [_tile(each) for each in worst]
    rows = -(-len(tiles) // _COLUMNS)
    step_x, step_y = _TILE[0] + 10, _TILE[1] + _HEAD + 10
    sheet = np.full((60 + rows * step_y, _COLUMNS * step_x + 10, 3), _PAPER, np.uint8)
    told = f"the {len(tiles)} worst of {len(looks)} pictures" if tiles else f"{len(looks)} pictures, no fault"
    cv2.putText(sheet, told, (14, 38), _FONT, 0.9, _INK, 2, cv2.LINE_AA)
    x = 560
    for name, colour in _KEY:
        cv2.rectangle(sheet, (x, 20), (x + 24, 42), colour, cv2.FILLED)
        cv2.putText(sheet, name, (x + 32, 38), _FONT, 0.7, _INK, 1, cv2.LINE_AA)
        x += 260
    for number, tile in enumerate(tiles):
        top, left = 60 + number // _COLUMNS * step_y, 10 + number % _COLUMNS * step_x
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    return sheet


def _tile(each: Looked) -> Image:
    image = read_picture(each.picture.path.read_bytes())
    scale = min(_TILE[0] / image.shape[1], _TILE[1] / image.shape[0])
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    for right in (True, False):  # faults last, so that nothing covers them
        for card in each.cards:
            if _is_fine(card) == right:
                _draw_card(small, card, scale)
    for find in each.extra:
        _outline(small, np.array(find.seen.quad), scale, _EXTRA, 2)
        _say(small, np.array(find.seen.quad).mean(axis=0) * scale, f"not there: {_name(find)}", _EXTRA)
    tile = np.full((size[1] + _HEAD, _TILE[0], 3), _PAPER, np.uint8)
    tile[_HEAD:, : size[0]] = small
    wrong, other = faults(each)
    path = each.picture.path
    head = (
        f"{path.parent.name}/{path.name}: {len(each.cards)} cards, {wrong} wrong, {other} not right or extra"
    )
    cv2.putText(tile, head, (2, 24), _FONT, 0.7, _INK, 1, cv2.LINE_AA)
    return tile


def _is_fine(card: Checked) -> bool:
    if card.find is None:
        return card.truth.card is None
    return is_right(card.find.seen.card, card.truth)


def _draw_card(drawn: Image, card: Checked, scale: float) -> None:
    true, find = card.truth, card.find
    if _is_fine(card):
        if find is not None:
            _outline(drawn, np.array(find.seen.quad), scale, _RIGHT, 1)
        return
    colour = _MISSED if find is None else _UNNAMED if find.seen.card is None else _WRONG
    if true.quad is not None:
        _outline(drawn, true.quad, scale, colour, 2)
    if find is not None:
        _outline(drawn, np.array(find.seen.quad), scale, colour, 1)
    where = true.centre if true.quad is None else true.quad.mean(axis=0)
    share = "" if true.visible is None else f" {100 * true.visible:.0f}%"
    said = "missed" if find is None else f"{_name(find)} {100 * find.seen.confidence:.0f}%"
    _say(drawn, np.array(where) * scale, f"{true.card or 'stranger'}{share}: {said}", colour)


def _name(find: Find) -> str:
    return find.seen.card or f"? ({find.own or 'stranger'})"


def _outline(drawn: Image, quad: NDArray[np.floating], scale: float, colour: Colour, thickness: int) -> None:
    cv2.polylines(drawn, [np.round(quad * scale).astype(np.int32)], True, colour, thickness, cv2.LINE_AA)


def _say(drawn: Image, middle: NDArray[np.floating], text: str, colour: Colour) -> None:
    (width, height), base = cv2.getTextSize(text, _FONT, 0.45, 1)
    left = int(np.clip(middle[0] - width / 2, 0, max(0, drawn.shape[1] - width)))
    foot = int(np.clip(middle[1] + height / 2, height + 2, max(height + 2, drawn.shape[0] - base)))
    cv2.rectangle(drawn, (left - 2, foot - height - 3), (left + width + 2, foot + base), _INK, cv2.FILLED)
    cv2.putText(drawn, text, (left, foot), _FONT, 0.45, colour, 1, cv2.LINE_AA)
