"""The colors of players can be told apart, with every kind of color blindness, and stand out from the page."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import api
from companion.people.people import COLORS

CSS = Path(api.__file__).parent / "static" / "css"
VISION = {
    "full": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
"""Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009)."""
TO_LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_OKLAB = [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
]
LUMINANCE = [0.2126, 0.7152, 0.0722]
MIN_DISTANCE = 0.11
"""In Oklab; the least of the seat colors before was 0.013."""
MIN_CONTRAST = 3.0
"""WCAG 2.2, 1.4.11: graphical objects."""


def linear(color: str) -> np.ndarray:
    values = np.array([int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    return np.array(TO_OKLAB) @ np.cbrt(np.array(TO_LMS) @ np.clip(rgb, 0, 1))


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((float(linear(each) @ LUMINANCE) for each in (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def themes() -> list[tuple[list[str], str]]:
    """Return the colors and the background of the light and of the dark theme."""
    sheet = (CSS / "base.css").read_text(encoding="utf-8")
    color = r"light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)"
    players = re.findall(rf"--player-\d: {color}", sheet)
    surface = re.search(rf"--surface: {color}", sheet)
    assert surface
    return [([pair[at] for pair in players], surface[1 + at]) for at in (0, 1)]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_players_have_colors_that_differ(theme: int) -> None:
    colors, surface = themes()[theme]
    assert len(colors) == COLORS
    for vision, matrix in VISION.items():
        seen = [oklab(np.array(matrix) @ linear(color)) for color in colors]
        nearest = min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))
        assert nearest >= MIN_DISTANCE, vision
    assert min(contrast(color, surface) for color in colors) >= MIN_CONTRAST
