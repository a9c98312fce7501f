"""Draws recognized cards over a picture: outline, top edge, and name of each card."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.hanafuda.cards import twin_of
from companion.observations import Observation
from companion.pile import cards_twice
from vision.photograph.scan_result import Quad, ScannedCard, ScanResult
from vision.pictures.drawing import GREEN, ORANGE, Box, Color, draw_label, draw_outline, pixels, write_picture
from vision.sources.frames import Frame

_BACK = (230, 180, 70)
_TWICE = (60, 230, 255)
_TOP = (255, 90, 255)
_ZONE = (250, 220, 140)


def draw_scan_result(bgr: np.ndarray, result: ScanResult) -> np.ndarray:
    """Return a copy of the picture with every card of the result outlined and labeled.

    Named cards are green, face-down ones blue, unnamed ones orange with ``?``, cards that are there more often
    than in the deck yellow; each card's own top edge is purple.
    """
    drawn = bgr.copy()
    twice = cards_twice(card.card for card in result.cards)
    look_alikes = {*twice, *map(twin_of, twice)} - {None}  # whichever of them is one too many
    colors = [_TWICE if card.card in look_alikes else _color(card) for card in result.cards]
    for card, color in zip(result.cards, colors, strict=True):
        _outline(drawn, card.quad, color)
    taken: list[Box] = []
    # After all outlines, so that none crosses a name.
    for card, color in zip(result.cards, colors, strict=True):
        scale = min(1.6, max(0.36, _width(card.quad) / 190))
        draw_label(drawn, card.card or "?", _label_positions(card.quad), scale, color, taken)
    return drawn


class FrameDrawings:
    """Writes camera frames with their cards and zones drawn to a folder."""

    def __init__(self, folder: Path) -> None:
        """Create the folder. Raises `OSError` if that fails."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, frame: Frame, observation: Observation, zones: Sequence[Mapping[str, Any]]) -> None:
        """Draw an observation over its frame. ``zones``: as returned by the `zones` of the table observer."""
        quads = observation.extra["quads"]
        height, width = frame.bgr.shape[:2]
        cards = tuple(
            ScannedCard(
                card.card, card.likely[0][1] if card.likely else 0.0, quads[str(card.key)], card.visible
            )
            for card in observation.cards
            if str(card.key) in quads
        )
        drawn = draw_scan_result(
            frame.bgr, ScanResult(width, height, str(observation.extra.get("deck")), cards)
        )
        for zone in zones:
            polygon = np.array(zone["polygon"]) * (width, height)
            draw_outline(drawn, polygon, _ZONE, 2)
            x, y = polygon.mean(axis=0).tolist()
            draw_label(drawn, zone["zone"], [(x, y)], 0.6, _ZONE, [])
        write_picture(self._folder / f"{Path(frame.name).stem}.jpg", drawn)


def _color(card: ScannedCard) -> Color:
    if card.card is None:
        return ORANGE
    return _BACK if card.card == "back" else GREEN


def _outline(drawn: np.ndarray, quad: Quad, color: Color) -> None:
    corners = np.array(quad)
    thickness = max(1, round(_width(quad) / 45))
    draw_outline(drawn, corners, color, thickness)
    start, end = pixels(corners[:2]).tolist()
    cv2.line(drawn, start, end, _TOP, 2 * thickness + 1, cv2.LINE_AA)


def _label_positions(quad: Quad) -> Iterator[tuple[float, float]]:
    """Yield possible positions of a label: the center of the card, then positions along its length."""
    top = ((quad[0][0] + quad[1][0]) / 2, (quad[0][1] + quad[1][1]) / 2)
    bottom = ((quad[2][0] + quad[3][0]) / 2, (quad[2][1] + quad[3][1]) / 2)
    for fraction in (0.5, 0.3, 0.7, 0.12, 0.88):
        yield top[0] + (bottom[0] - top[0]) * fraction, top[1] + (bottom[1] - top[1]) * fraction


def _width(quad: Quad) -> float:
    """Return the width of a card, px: the mean of its top and bottom edges."""
    return (math.dist(quad[0], quad[1]) + math.dist(quad[2], quad[3])) / 2
