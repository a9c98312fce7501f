"""How good a registered picture is for reading cards: size, tilt, sharpness, light. Found, not judged by taste: each limit has its reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.geometry.registration.aruco_markers import edge_profiles, to_gray
from vision.geometry.registration.camera_fit import Floats
from vision.geometry.registration.color_balance import PatchLevels, read_patches
from vision.geometry.registration.registration_findings import FindingCode, RegistrationFinding
from vision.geometry.registration.table_registration import Registration
from vision.networks.crops import Image

#: Card width, px: under the first a whole card is hard to name, from the second on it is comfortable (design: simulated, 28 and 60).
MIN_CARD_PX: Final = 28.0
GOOD_CARD_PX: Final = 60.0
#: Tilted cameras are watched in a view from above; beyond this many degrees cards have less than half of their pixels, and piles hide what
#: lies behind them.
_MOST_TILT: Final = 60.0
#: An edge that takes this many mm to go from dark to light swallows a card's thin lines.
_MOST_BLUR_MM: Final = 2.2
#: White paper: darker drowns in noise, lighter is cut off.
_DARK: Final = 85.0
_CLIPPED: Final = 250.0
#: Share of the table that is burnt out, and how many times brighter its brightest patch may be than its darkest.
_MOST_GLARE: Final = 0.02
_MOST_UNEVEN: Final = 2.2
#: A colour channel this far off, as a ratio, is a strong lamp's: told, and corrected.
_MOST_CAST: Final = 1.6
#: A glare is this much brighter than what lies around it, and at least this many mm across; paper and card borders are not.
_GLARE_MM: Final = 5.0


@dataclass(frozen=True)
class ViewQuality:
    """What a registered picture is like.

    ``card_px``: width of a card, px, in the middle and where it is smallest; ``tilt`` degrees; ``blur`` mm from dark to light across an
    edge, None without edges to measure; ``white`` mean level of the white patches, 0-255, None without patches; ``glare``, the share of the table burnt out.
    ``findings``: what could be better, the worst first.
    """

    card_px: tuple[float, float]
    tilt: float
    blur: float | None
    white: float | None
    glare: float
    patches: PatchLevels | None
    findings: tuple[RegistrationFinding, ...]


def measure_quality(bgr: Image, registration: Registration, cards: Floats | None = None) -> ViewQuality:
    """Look at a picture (H x W x 3 uint8) of a registered table; ``cards``: quads (n x 4 x 2 px) to measure sharpness by, if any."""
    grey = to_gray(bgr)
    marked = [registration.to_px(quad) for quad in registration.markers.values()]
    width = registration.card_px[0]
    edges = marked or list(cards if cards is not None else ())
    blur = _blur([quad for quad in edges if _inside(quad, registration.lens.size)], grey)
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
    if seen.blur is not None and seen.blur > _MOST_BLUR_MM:
        yield RegistrationFinding(FindingCode.BLURRED, {"mm": seen.blur})
    if seen.white is not None and seen.white < _DARK:
        yield RegistrationFinding(FindingCode.DARK, {"level": 100 * seen.white / 255})
    if seen.patches is not None and seen.patches.clipped:
        yield RegistrationFinding(FindingCode.BRIGHT)
    if seen.glare > _MOST_GLARE:
        yield RegistrationFinding(FindingCode.GLARE, {"percent": 100 * seen.glare})
    if seen.patches is not None and seen.patches.unevenness > _MOST_UNEVEN:
        yield RegistrationFinding(FindingCode.UNEVEN, {"ratio": seen.patches.unevenness})
    if seen.patches is not None and seen.patches.gains is not None:
        gains = seen.patches.gains
        if max(gains) / min(gains) > _MOST_CAST:
            yield RegistrationFinding(FindingCode.COLOUR_CAST)
    if seen.tilt > _MOST_TILT:
        yield RegistrationFinding(FindingCode.TILTED, {"tilt": seen.tilt})
    corners = registration.to_px(registration.table.corners)
    if registration.way != "cards" and not _inside(corners, registration.lens.size):
        yield RegistrationFinding(FindingCode.TABLE_CUT)
    if MIN_CARD_PX <= smallest < GOOD_CARD_PX * 0.75:
        yield RegistrationFinding(FindingCode.CARDS_SMALL, {"px": smallest})


def _inside(quad: Floats, size: tuple[int, int]) -> bool:
    # A mat laid to the picture's very edge has its corner half a pixel outside.
    return bool(((quad >= -2) & (quad <= np.array(size) + 1)).all())


def _blur(quads: list[Floats], grey: np.ndarray) -> float | None:
    """Return how many px an edge takes from a tenth to nine tenths of its step: the median of the edges measured."""
    widths = []
    for quad in quads:
        for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
            profiles, _, outward = edge_profiles(grey, np.asarray(start, float), np.asarray(end, float))
            profile = np.median(profiles, axis=0)
            low, high = profile[:2].mean(), profile[-2:].mean()
            if abs(high - low) < 25:
                continue
            share = np.clip((profile - low) / (high - low), 0, 1)
            risen = np.maximum.accumulate(share)
            places = np.linspace(-1, 1, len(profile)) * float(np.linalg.norm(outward))
            widths.append(float(np.interp(0.9, risen, places) - np.interp(0.1, risen, places)))
    return float(np.median(widths)) if widths else None


def _glare(bgr: Image, registration: Registration) -> float:
    """Return the share of the table that shines: burnt out in all channels, with a soft edge, wider than a card's border.

    Printed white is left alone where a mat's own white paper is near that bright.
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
    shown = (table.max(axis=2) > 0).sum()
    return float(kept.sum()) / max(float(shown), 1.0)
