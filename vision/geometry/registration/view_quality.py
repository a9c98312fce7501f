"""Quality of a registered picture for recognizing cards: size, tilt, sharpness, and light, each with a
justified limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.hanafuda.cards import CARD_MM
from vision.geometry.registration.aruco_markers import edge_profiles, to_gray
from vision.geometry.registration.registration_findings import FindingCode, RegistrationFinding
from vision.geometry.registration.table_registration import Registration
from vision.pictures.crops import Floats, Image

#: Card width, px, below which cards are hard to recognize, and from which they are easy (determined by
#: simulation).
MIN_CARD_PX: Final = 28.0
GOOD_CARD_PX: Final = 60.0
#: Maximum tilt, degrees. Oblique views are rectified, but beyond this cards have less than half of their
#: pixels, and piles hide what is behind them.
_MAX_TILT: Final = 60.0
#: Width of a blurred edge, mm, that makes a card's thin lines disappear.
_MAX_BLUR_MM: Final = 2.2
#: Levels of white paper below which it is noisy and from which it is overexposed.
_DARK: Final = 85.0
_CLIPPED: Final = 250.0
#: Maximum overexposed fraction of the table, and maximum ratio of its brightest to its darkest patch.
_MAX_GLARE: Final = 0.02
_MAX_UNEVEN: Final = 2.2
#: Ratio of color channels from which colored light is reported.
_MAX_CAST: Final = 1.6
#: Fraction of a white patch's sides that is sampled, to exclude its outline and blur; samples along a side.
_INNER: Final = 0.6
_PATCH_PX: Final = 12
#: Maximum standard deviation of a patch's levels; above it the patch is covered or at the edge of a shadow.
_MAX_SPREAD: Final = 14.0
#: Margin of points that may be at the picture's very edge, px: the corner of a mat is then half a pixel outside.
_AT_BORDER: Final = -2.0
#: Minimum diameter of a glare spot, mm; paper and card borders are narrower.
_GLARE_MM: Final = 5.0


@dataclass(frozen=True)
class ViewQuality:
    """Quality of a registered picture.

    ``blur``: width of an edge, mm, None without edges. ``white``: mean level of the white patches, 0-255, None without patches.
    ``glare``: overexposed fraction of the table. ``findings``: possible improvements, most important first.
    """

    blur: float | None
    white: float | None
    glare: float
    findings: tuple[RegistrationFinding, ...]


def measure_quality(bgr: Image, registration: Registration, cards: Floats | None = None) -> ViewQuality:
    """Measure a picture (H x W x 3 uint8) of a registered table. ``cards``: quads (n x 4 x 2 px) for
    measuring sharpness if there are no markers.
    """
    gray = to_gray(bgr)
    edges = [registration.to_px(quad) for quad in registration.markers.values()]
    edges = edges or list(cards if cards is not None else ())
    blur = _blur([quad for quad in edges if registration.lens.shows(quad, _AT_BORDER).all()], gray)
    blur_mm = None if blur is None else blur * CARD_MM[0] / registration.card_px[0]
    levels = white_levels(bgr, registration)
    white, glare = float(levels.mean()) if len(levels) else None, _glare(bgr, registration)
    light = list(_light_findings(levels, glare))
    return ViewQuality(blur_mm, white, glare, tuple(_findings(registration, blur_mm, light)))


def _findings(
    registration: Registration, blur: float | None, light: list[RegistrationFinding]
) -> Iterator[RegistrationFinding]:
    smallest, tilt = registration.card_px[1], registration.tilt
    if smallest < MIN_CARD_PX:
        yield RegistrationFinding(FindingCode.CARDS_TOO_SMALL, {"px": smallest})
    if blur is not None and blur > _MAX_BLUR_MM:
        yield RegistrationFinding(FindingCode.BLURRED, {"mm": blur})
    yield from light
    if tilt > _MAX_TILT:
        yield RegistrationFinding(FindingCode.TILTED, {"tilt": tilt})
    corners = registration.to_px(registration.table.corners)
    if registration.method != "cards" and not registration.lens.shows(corners, _AT_BORDER).all():
        yield RegistrationFinding(FindingCode.TABLE_CUT)
    if MIN_CARD_PX <= smallest < GOOD_CARD_PX * 0.75:
        yield RegistrationFinding(FindingCode.CARDS_SMALL, {"px": smallest})


def _light_findings(levels: Floats, glare: float) -> Iterator[RegistrationFinding]:
    """Yield the findings about the light, given the levels of the white patches (n x 3, BGR)."""
    if len(levels):
        if levels.mean() < _DARK:
            yield RegistrationFinding(FindingCode.DARK, {"level": 100 * float(levels.mean()) / 255})
        if np.median(levels.max(axis=1)) >= _CLIPPED:
            yield RegistrationFinding(FindingCode.BRIGHT)
    if glare > _MAX_GLARE:
        yield RegistrationFinding(FindingCode.GLARE, {"percent": 100 * glare})
    if len(levels):
        unevenness = float(levels[:, 1].max() / max(levels[:, 1].min(), 1.0))
        if unevenness > _MAX_UNEVEN:
            yield RegistrationFinding(FindingCode.UNEVEN, {"ratio": unevenness})
        channels = np.median(levels, axis=0)
        if channels.max() > _MAX_CAST * channels.min():
            yield RegistrationFinding(FindingCode.COLOR_CAST)


def white_levels(bgr: Image, registration: Registration) -> Floats:
    """Return the level (n x 3, BGR 0-255) of each white patch that is uncovered and entirely in the picture (H x W x 3 uint8)."""
    steps = np.linspace(0.5 - _INNER / 2, 0.5 + _INNER / 2, _PATCH_PX)
    found = []
    for quad in registration.whites:
        right, down = quad[1] - quad[0], quad[3] - quad[0]
        there = registration.to_px(quad[0] + steps[None, :, None] * right + steps[:, None, None] * down)
        if not registration.lens.shows(there, 1).all():
            continue
        x, y = np.moveaxis(there, -1, 0).astype(np.float32)
        sampled = cv2.remap(bgr, x, y, cv2.INTER_LINEAR).reshape(-1, 3)
        if float(sampled.std(axis=0).max()) <= _MAX_SPREAD:
            found.append(np.median(sampled.astype(np.float64), axis=0))
    return np.array(found).reshape(-1, 3)


def _blur(quads: list[Floats], gray: np.ndarray) -> float | None:
    """Return the median width of edges, px, from 10% to 90% of the step."""
    widths = []
    for quad in quads:
        for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
            profiles, _, outward = edge_profiles(gray, np.asarray(start, float), np.asarray(end, float))
            profile = np.median(profiles, axis=0)
            low, high = profile[:2].mean(), profile[-2:].mean()
            if abs(high - low) < 25:
                continue
            fraction = np.clip((profile - low) / (high - low), 0, 1)
            risen = np.maximum.accumulate(fraction)
            places = np.linspace(-1, 1, len(profile)) * float(np.linalg.norm(outward))
            widths.append(float(np.interp(0.9, risen, places) - np.interp(0.1, risen, places)))
    return float(np.median(widths)) if widths else None


def _glare(bgr: Image, registration: Registration) -> float:
    """Return the fraction of the table with glare: overexposed in all channels and wider than a card's
    border.

    White print is ignored if the mat's own paper is nearly as bright.
    """
    canvas = registration.canvas(card_px=16.0)
    table = canvas.warp(bgr)
    level = table.min(axis=2)
    paper = float(np.percentile(level, 75))
    burnt = (level >= _CLIPPED) & (level > paper + 12)
    across = max(3, round(_GLARE_MM * canvas.px_per_mm)) | 1
    kept = cv2.morphologyEx(
        burnt.astype(np.uint8), cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))
    )
    visible_pixels = (table.max(axis=2) > 0).sum()
    return float(kept.sum()) / max(float(visible_pixels), 1.0)
