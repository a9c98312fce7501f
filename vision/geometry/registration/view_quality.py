"""Quality of a registered picture for recognizing cards: size, tilt, sharpness, and light, each with a
justified limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.geometry.fitting import Floats
from vision.geometry.registration.aruco_markers import edge_profiles, to_gray
from vision.geometry.registration.color_balance import PatchLevels, read_patches
from vision.geometry.registration.registration_findings import FindingCode, RegistrationFinding
from vision.geometry.registration.table_registration import Registration
from vision.pictures.crops import Image

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
#: Ratio of color channels from which colored light is reported (and corrected).
_MAX_CAST: Final = 1.6
#: Minimum diameter of a glare spot, mm; paper and card borders are narrower.
_GLARE_MM: Final = 5.0


@dataclass(frozen=True)
class ViewQuality:
    """Quality of a registered picture.

    ``card_px``: card width, px, at the center and at its minimum. ``tilt``: degrees. ``blur``: width of an
    edge, mm, None without edges. ``white``: mean level of the white patches, 0-255, None without patches.
    ``glare``: overexposed fraction of the table. ``findings``: possible improvements, most important first.
    """

    card_px: tuple[float, float]
    tilt: float
    blur: float | None
    white: float | None
    glare: float
    patches: PatchLevels | None
    findings: tuple[RegistrationFinding, ...]


def measure_quality(bgr: Image, registration: Registration, cards: Floats | None = None) -> ViewQuality:
    """Measure a picture (H x W x 3 uint8) of a registered table. ``cards``: quads (n x 4 x 2 px) for
    measuring sharpness if there are no markers.
    """
    gray = to_gray(bgr)
    marked = [registration.to_px(quad) for quad in registration.markers.values()]
    width = registration.card_px[0]
    edges = marked or list(cards if cards is not None else ())
    blur = _blur([quad for quad in edges if _inside(quad, registration.lens.size)], gray)
    blur_mm = None if blur is None else blur * 33.0 / width
    seen = read_patches(bgr, registration)
    white = None if seen is None else float(np.mean([level.mean() for level in seen.whites]))
    glare = _glare(bgr, registration)
    measured = ViewQuality(registration.card_px, registration.tilt, blur_mm, white, glare, seen, ())
    findings = tuple(_findings(measured, registration))
    return ViewQuality(registration.card_px, registration.tilt, blur_mm, white, glare, seen, findings)


def _findings(seen: ViewQuality, registration: Registration) -> Iterator[RegistrationFinding]:
    smallest = seen.card_px[1]
    if smallest < MIN_CARD_PX:
        yield RegistrationFinding(FindingCode.CARDS_TOO_SMALL, {"px": smallest})
    if seen.blur is not None and seen.blur > _MAX_BLUR_MM:
        yield RegistrationFinding(FindingCode.BLURRED, {"mm": seen.blur})
    yield from _light_findings(seen)
    if seen.tilt > _MAX_TILT:
        yield RegistrationFinding(FindingCode.TILTED, {"tilt": seen.tilt})
    corners = registration.to_px(registration.table.corners)
    if registration.method != "cards" and not _inside(corners, registration.lens.size):
        yield RegistrationFinding(FindingCode.TABLE_CUT)
    if MIN_CARD_PX <= smallest < GOOD_CARD_PX * 0.75:
        yield RegistrationFinding(FindingCode.CARDS_SMALL, {"px": smallest})


def _light_findings(seen: ViewQuality) -> Iterator[RegistrationFinding]:
    patches, gains = seen.patches, None if seen.patches is None else seen.patches.gains
    if seen.white is not None and seen.white < _DARK:
        yield RegistrationFinding(FindingCode.DARK, {"level": 100 * seen.white / 255})
    if patches is not None and patches.clipped:
        yield RegistrationFinding(FindingCode.BRIGHT)
    if seen.glare > _MAX_GLARE:
        yield RegistrationFinding(FindingCode.GLARE, {"percent": 100 * seen.glare})
    if patches is not None and patches.unevenness > _MAX_UNEVEN:
        yield RegistrationFinding(FindingCode.UNEVEN, {"ratio": patches.unevenness})
    if gains is not None and max(gains) / min(gains) > _MAX_CAST:
        yield RegistrationFinding(FindingCode.COLOR_CAST)


def _inside(quad: Floats, size: tuple[int, int]) -> bool:
    # The corner of a mat at the picture's very edge is half a pixel outside.
    return bool(((quad >= -2) & (quad <= np.array(size) + 1)).all())


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
