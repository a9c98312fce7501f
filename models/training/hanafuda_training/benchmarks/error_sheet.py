"""Draws a sheet of the pictures with the most errors: the true cards, with the detections over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from hanafuda_training.benchmarks.accuracy import faults, is_right
from hanafuda_training.benchmarks.evaluation import EvaluatedCard, EvaluatedDetection, EvaluatedPicture
from vision.pictures.crops import Image
from vision.pictures.picture_decoding import read_picture

__all__ = ["draw_sheet"]

_MAX_PICTURES: Final = 12
_COLUMNS: Final = 2
#: Maximum size of a picture on the sheet (width, height), px; height of the line above it, px; maximum enlargement.
_TILE: Final = (1100, 800)
_HEADER_HEIGHT: Final = 34
_MAX_SCALE: Final = 2.0
#: Height of the legend at the top of the sheet and gap between pictures, px.
_LEGEND_HEIGHT: Final = 60
_GAP: Final = 10
#: Margin around the cards, as a fraction of the picture's longer side.
_MARGIN: Final = 0.04
_FONT: Final = cv2.FONT_HERSHEY_SIMPLEX
_BACKGROUND, _INK = (245, 245, 245), (24, 24, 24)

Color = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""Left, top, right, and bottom, px."""
_RIGHT: Final[Color] = (90, 200, 90)
_WRONG: Final[Color] = (60, 60, 255)
_MISSED: Final[Color] = (255, 80, 255)
_UNNAMED: Final[Color] = (0, 165, 255)
_EXTRA: Final[Color] = (255, 200, 0)
_LEGEND: Final = (
    ("right", _RIGHT),
    ("wrong name", _WRONG),
    ("missed", _MISSED),
    ("found, unnamed", _UNNAMED),
    ("false detection", _EXTRA),
)


def draw_sheet(pictures: Sequence[EvaluatedPicture]) -> Image:
    """Return the pictures with the most errors, wrong names first, drawn on one sheet (BGR uint8).

    Correct cards are outlined with a thin green line; the others are labeled with the truth and the
    detection.
    """
    worst = sorted((picture for picture in pictures if any(faults(picture))), key=faults, reverse=True)[
        :_MAX_PICTURES
    ]
    tiles = [_tile(picture) for picture in worst]
    column_ends, positions = [_LEGEND_HEIGHT] * _COLUMNS, []
    for tile in tiles:  # always in the shorter column, so that low pictures leave no gap
        column = column_ends.index(min(column_ends))
        positions.append((column_ends[column], _GAP + column * (_TILE[0] + _GAP)))
        column_ends[column] += tile.shape[0] + _GAP
    sheet = np.full((max(column_ends), _GAP + _COLUMNS * (_TILE[0] + _GAP), 3), _BACKGROUND, np.uint8)
    title = (
        f"the {len(tiles)} worst of {len(pictures)} pictures"
        if tiles
        else f"{len(pictures)} pictures, no errors"
    )
    cv2.putText(sheet, title, (14, 38), _FONT, 0.9, _INK, 2, cv2.LINE_AA)
    x = 560
    for name, color in _LEGEND:
        cv2.rectangle(sheet, (x, 20), (x + 24, 42), color, cv2.FILLED)
        cv2.putText(sheet, name, (x + 32, 38), _FONT, 0.7, _INK, 1, cv2.LINE_AA)
        x += 260
    for (top, left), tile in zip(positions, tiles, strict=True):
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    return sheet


def _tile(picture: EvaluatedPicture) -> Image:
    left, top, right, bottom = _crop_box(picture)
    image = read_picture(picture.picture.path.read_bytes())[top:bottom, left:right]
    scale = min(_TILE[0] / image.shape[1], _TILE[1] / image.shape[0], _MAX_SCALE)
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    drawing = _Drawing(cv2.resize(image, size, interpolation=cv2.INTER_AREA), (left, top), scale)
    drawing.keep_free(
        [quad for card in picture.cards if not _is_correct(card) and (quad := card.truth.quad) is not None]
    )
    for correct in (True, False):  # errors last, so that nothing covers them
        for card in picture.cards:
            if _is_correct(card) == correct:
                _draw_card(drawing, card)
    for detection in picture.extra:
        drawing.outline(np.array(detection.reported.quad), _EXTRA, 2)
        drawing.label(np.array(detection.reported.quad), f"false: {_name(detection)}", _EXTRA)
    tile = np.full((size[1] + _HEADER_HEIGHT, _TILE[0], 3), _BACKGROUND, np.uint8)
    tile[_HEADER_HEIGHT:, : size[0]] = drawing.finished()
    wrong, other_errors = faults(picture)
    path = picture.picture.path
    header = f"{path.parent.name}/{path.name}: {len(picture.cards)} cards, {wrong} wrong, {other_errors} missed, unnamed or extra"
    cv2.putText(tile, header, (2, 24), _FONT, 0.7, _INK, 1, cv2.LINE_AA)
    return tile


def _crop_box(picture: EvaluatedPicture) -> Box:
    """Return the part of the picture that contains all true cards and detections, with a margin."""
    quads = [card.truth.quad for card in picture.cards if card.truth.quad is not None]
    quads += [np.array(detection.reported.quad) for detection, _ in picture.detections]
    centers = [np.array([card.truth.center]) for card in picture.cards if card.truth.quad is None]
    points = np.concatenate([*quads, *centers])
    margin = _MARGIN * max(picture.size)
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    left, top = (int(max(0.0, v)) for v in low)
    right, bottom = (int(min(float(side), v)) for side, v in zip(picture.size, high, strict=True))
    return left, top, right, bottom


def _is_correct(card: EvaluatedCard) -> bool:
    if card.detection is None:
        return card.truth.card is None
    return is_right(card.detection.reported.card, card.truth)


def _draw_card(drawing: _Drawing, card: EvaluatedCard) -> None:
    truth, detection = card.truth, card.detection
    if _is_correct(card):
        if detection is not None:
            drawing.outline(np.array(detection.reported.quad), _RIGHT, 1)
        return
    color = _MISSED if detection is None else _UNNAMED if detection.reported.card is None else _WRONG
    if truth.quad is not None:
        drawing.outline(truth.quad, color, 2)
    if detection is not None:
        drawing.outline(np.array(detection.reported.quad), color, 1)
    points = np.array([truth.center]) if truth.quad is None else truth.quad
    visible = "" if truth.visible is None else f" {100 * truth.visible:.0f}%"
    result = (
        "missed" if detection is None else f"{_name(detection)} {100 * detection.reported.confidence:.0f}%"
    )
    drawing.label(points, f"{truth.card or 'unknown'}{visible}: {result}", color)


def _name(detection: EvaluatedDetection) -> str:
    return detection.reported.card or f"? ({detection.own or 'unknown'})"


class _Drawing:
    """An enlarged part of a picture; drawing methods take px of the whole picture."""

    def __init__(self, image: MatLike, corner: tuple[int, int], scale: float) -> None:
        self.image = np.array(image, np.uint8)
        self._corner, self._scale = np.array(corner), scale
        self._label_boxes: list[Box] = []
        self._reserved_boxes: list[Box] = []
        self._labels: list[tuple[Box, str, Color]] = []

    def keep_free(self, quads: Sequence[NDArray[np.floating]]) -> None:
        """Place no label on these quads (4 x 2 each) if another position is free."""
        for quad in quads:
            points = self._to_tile(quad)
            (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
            self._reserved_boxes.append((int(left), int(top), int(right), int(bottom)))

    def _to_tile(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray((points - self._corner) * self._scale, np.float64)

    def outline(self, quad: NDArray[np.floating], color: Color, thickness: int) -> None:
        """Draw the outline of a quad (4 x 2)."""
        corners = np.round(self._to_tile(quad)).astype(np.int32)
        cv2.polylines(self.image, [corners], True, color, thickness, cv2.LINE_AA)

    def label(self, points: NDArray[np.floating], text: str, color: Color) -> None:
        """Write a label near the points, above them if possible, without covering another label."""
        (width, height), base = cv2.getTextSize(text, _FONT, 0.5, 1)
        rows, columns = self.image.shape[:2]
        positions = self._to_tile(points)
        left = int(np.clip(positions[:, 0].mean() - width / 2, 0, max(0, columns - width)))
        step = height + base + 3
        first = int(positions[:, 1].min()) - step
        boxes = [
            (left, top, left + width, top + step)
            for top in (*range(first, -1, -step), *range(max(0, first), rows - step, step))
        ] or [(left, 0, left + width, step)]
        free = [
            box for box in boxes if not any(_boxes_overlap(box, other) for other in self._label_boxes)
        ] or boxes[:1]
        box = next(
            (box for box in free if not any(_boxes_overlap(box, other) for other in self._reserved_boxes)),
            free[0],
        )
        self._label_boxes.append(box)
        nearest = box[3] if box[3] < positions[:, 1].mean() else box[1]
        middle = (int(positions[:, 0].mean()), int(positions[:, 1].mean()))
        cv2.line(self.image, (left + width // 2, nearest), middle, color, 1, cv2.LINE_AA)
        self._labels.append((box, text, color))

    def finished(self) -> Image:
        """Return the drawing, with the labels on top of all lines."""
        for (left, top, right, bottom), text, color in self._labels:
            cv2.rectangle(self.image, (left, top), (right, bottom), _INK, cv2.FILLED)
            cv2.putText(self.image, text, (left, bottom - 6), _FONT, 0.5, color, 1, cv2.LINE_AA)
        return self.image


def _boxes_overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
