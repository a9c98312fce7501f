"""A sheet of the worst pictures: what is there and what was seen, one over the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from vision.lab.benchmarks.accuracy import faults, is_right
from vision.lab.benchmarks.evaluation import Checked, Find, Looked
from vision.networks.crops import Image
from vision.photograph.picture_decoding import read_picture

__all__ = ["draw_sheet"]

_MOST: Final = 12
_COLUMNS: Final = 2
#: Size of a picture on the sheet and of the line above it, px, and how much it is enlarged at most.
_TILE: Final = (1100, 800)
_HEAD: Final = 34
_LARGEST: Final = 2.0
#: Height of the sheet's own head, and what is left between pictures, px.
_TOP: Final = 60
_GAP: Final = 10
#: What of the table is left around the cards, as a share of the picture's longer side.
_AROUND: Final = 0.04
_FONT: Final = cv2.FONT_HERSHEY_SIMPLEX
_PAPER, _INK = (245, 245, 245), (24, 24, 24)

Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom, px."""
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
    ends, places = [_TOP] * _COLUMNS, []
    for tile in tiles:  # each below the shorter column, so that low pictures leave no hole
        column = ends.index(min(ends))
        places.append((ends[column], _GAP + column * (_TILE[0] + _GAP)))
        ends[column] += tile.shape[0] + _GAP
    sheet = np.full((max(ends), _GAP + _COLUMNS * (_TILE[0] + _GAP), 3), _PAPER, np.uint8)
    told = f"the {len(tiles)} worst of {len(looks)} pictures" if tiles else f"{len(looks)} pictures, no fault"
    cv2.putText(sheet, told, (14, 38), _FONT, 0.9, _INK, 2, cv2.LINE_AA)
    x = 560
    for name, colour in _KEY:
        cv2.rectangle(sheet, (x, 20), (x + 24, 42), colour, cv2.FILLED)
        cv2.putText(sheet, name, (x + 32, 38), _FONT, 0.7, _INK, 1, cv2.LINE_AA)
        x += 260
    for (top, left), tile in zip(places, tiles, strict=True):
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    return sheet


def _tile(each: Looked) -> Image:
    left, top, right, bottom = _part(each)
    image = read_picture(each.picture.path.read_bytes())[top:bottom, left:right]
    scale = min(_TILE[0] / image.shape[1], _TILE[1] / image.shape[0], _LARGEST)
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    drawing = _Drawing(cv2.resize(image, size, interpolation=cv2.INTER_AREA), (left, top), scale)
    drawing.keep_free(
        [quad for card in each.cards if not _is_fine(card) and (quad := card.truth.quad) is not None]
    )
    for fine in (True, False):  # faults last, so that nothing covers them
        for card in each.cards:
            if _is_fine(card) == fine:
                _draw_card(drawing, card)
    for find in each.extra:
        drawing.outline(np.array(find.seen.quad), _EXTRA, 2)
        drawing.say(np.array(find.seen.quad), f"not there: {_name(find)}", _EXTRA)
    tile = np.full((size[1] + _HEAD, _TILE[0], 3), _PAPER, np.uint8)
    tile[_HEAD:, : size[0]] = drawing.finished()
    wrong, other = faults(each)
    path = each.picture.path
    head = (
        f"{path.parent.name}/{path.name}: {len(each.cards)} cards, {wrong} wrong, {other} not right or extra"
    )
    cv2.putText(tile, head, (2, 24), _FONT, 0.7, _INK, 1, cv2.LINE_AA)
    return tile


def _part(each: Looked) -> Box:
    """Return the part of the picture in which cards lie or were seen: left, top, right, bottom."""
    quads = [card.truth.quad for card in each.cards if card.truth.quad is not None]
    quads += [np.array(find.seen.quad) for find, _ in each.finds]
    centres = [np.array([card.truth.centre]) for card in each.cards if card.truth.quad is None]
    points = np.concatenate([*quads, *centres])
    around = _AROUND * max(each.size)
    low, high = points.min(axis=0) - around, points.max(axis=0) + around
    left, top = (int(max(0.0, v)) for v in low)
    right, bottom = (int(min(float(side), v)) for side, v in zip(each.size, high, strict=True))
    return left, top, right, bottom


def _is_fine(card: Checked) -> bool:
    if card.find is None:
        return card.truth.card is None
    return is_right(card.find.seen.card, card.truth)


def _draw_card(drawing: _Drawing, card: Checked) -> None:
    true, find = card.truth, card.find
    if _is_fine(card):
        if find is not None:
            drawing.outline(np.array(find.seen.quad), _RIGHT, 1)
        return
    colour = _MISSED if find is None else _UNNAMED if find.seen.card is None else _WRONG
    if true.quad is not None:
        drawing.outline(true.quad, colour, 2)
    if find is not None:
        drawing.outline(np.array(find.seen.quad), colour, 1)
    where = np.array([true.centre]) if true.quad is None else true.quad
    share = "" if true.visible is None else f" {100 * true.visible:.0f}%"
    said = "missed" if find is None else f"{_name(find)} {100 * find.seen.confidence:.0f}%"
    drawing.say(where, f"{true.card or 'stranger'}{share}: {said}", colour)


def _name(find: Find) -> str:
    return find.seen.card or f"? ({find.own or 'stranger'})"


class _Drawing:
    """A part of a picture, enlarged; what is drawn on it is told in px of the whole picture."""

    def __init__(self, image: MatLike, corner: tuple[int, int], scale: float) -> None:
        self.image = np.array(image, np.uint8)
        self._corner, self._scale = np.array(corner), scale
        self._taken: list[Box] = []
        self._kept: list[Box] = []
        self._said: list[tuple[Box, str, Colour]] = []

    def keep_free(self, quads: Sequence[NDArray[np.floating]]) -> None:
        """Write nothing over these quads (4 x 2) where there is another place."""
        for quad in quads:
            placed = self._place(quad)
            (left, top), (right, bottom) = placed.min(axis=0), placed.max(axis=0)
            self._kept.append((int(left), int(top), int(right), int(bottom)))

    def _place(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray((points - self._corner) * self._scale, np.float64)

    def outline(self, quad: NDArray[np.floating], colour: Colour, thickness: int) -> None:
        """Draw a quad (4 x 2)."""
        corners = np.round(self._place(quad)).astype(np.int32)
        cv2.polylines(self.image, [corners], True, colour, thickness, cv2.LINE_AA)

    def say(self, points: NDArray[np.floating], text: str, colour: Colour) -> None:
        """Write beside some points, above them where there is room, and over nothing written before."""
        (width, height), base = cv2.getTextSize(text, _FONT, 0.5, 1)
        rows, columns = self.image.shape[:2]
        placed = self._place(points)
        left = int(np.clip(placed[:, 0].mean() - width / 2, 0, max(0, columns - width)))
        step = height + base + 3
        first = int(placed[:, 1].min()) - step
        boxes = [
            (left, top, left + width, top + step)
            for top in (*range(first, -1, -step), *range(max(0, first), rows - step, step))
        ] or [(left, 0, left + width, step)]
        free = [box for box in boxes if not any(_overlap(box, other) for other in self._taken)] or boxes[:1]
        box = next((box for box in free if not any(_overlap(box, other) for other in self._kept)), free[0])
        self._taken.append(box)
        nearest = box[3] if box[3] < placed[:, 1].mean() else box[1]
        middle = (int(placed[:, 0].mean()), int(placed[:, 1].mean()))
        cv2.line(self.image, (left + width // 2, nearest), middle, colour, 1, cv2.LINE_AA)
        self._said.append((box, text, colour))

    def finished(self) -> Image:
        """Return the drawing, the words over all lines."""
        for (left, top, right, bottom), text, colour in self._said:
            cv2.rectangle(self.image, (left, top), (right, bottom), _INK, cv2.FILLED)
            cv2.putText(self.image, text, (left, bottom - 6), _FONT, 0.5, colour, 1, cv2.LINE_AA)
        return self.image


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
