"""Quality findings of photographs, which explain why cards were not recognized: blur, darkness, glare, small cards, tilt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.quality_messages import QualityFinding
from vision.networks.detector import card_widths
from vision.pictures.crops import Image, Quads

#: Medians of 16 good pictures: sharpness .10-.26 (one soft photograph .03, one .07), brightness 114-252. Sharpness after a blur of
#: 9 px: .03-.055, of 17 px: .016-.038. Brightness with an eighth of the light: 17-30. Overexposed white paper covers up to .42 of a
#: good card, a reflection .67 and more.
_MIN_SHARPNESS: Final = 0.055
_MIN_BRIGHTNESS: Final = 60.0
_MIN_GLARE_FRACTION: Final = 0.5
#: Card width, px, below which cards are often not recognized.
_MIN_CARD_PX: Final = 28.0
#: Tilt of the camera, degrees from vertical, beyond which distant cards are hardly visible.
_MAX_TILT: Final = 60.0
#: Level (0-255) from which a pixel counts as overexposed.
_OVEREXPOSED: Final = 250
#: The brightness of a card is this percentile of its levels: that of white paper, which every card contains.
_LIGHTEST: Final = 90
POOR_PHOTO_CONFIDENCE: Final = 0.9
"""Minimum confidence for naming cards in a blurred photograph or under a reflection. In 180 such pictures of held-out decks, of the
names of half-visible cards with a confidence of .9-.97 all 202 were right, of those with .8-.9 42 of 45."""
#: For photographs without any detected card: length to which the long side is scaled, px; contrast (standard deviation) up to which
#: the photograph shows an empty table; and sharpness below which it is blurred.
_WHOLE_PX: Final = 640
_MIN_CONTRAST: Final = 20.0
_MIN_WHOLE_SHARPNESS: Final = 0.01
#: Minimum number of visible pixels in a crop for measuring its card.
_MIN_PIXELS: Final = 800


@dataclass(frozen=True)
class CardMeasures:
    """Measures of n cards, NaN where too little of a card is visible.

    ``sharpness``: edge energy along the most blurred direction, relative to the contrast. ``brightness``: 0-255, of the lightest
    tenth of a card. ``glare``: overexposed fraction (0-1).
    """

    sharpness: NDArray[np.float64]
    brightness: NDArray[np.float64]
    glare: NDArray[np.float64]

    @property
    def doubtful(self) -> NDArray[np.bool_]:
        """Which cards (n bool) need `POOR_PHOTO_CONFIDENCE`: all in a blurred photograph, and those under a reflection."""
        return np.asarray(
            (self.glare > _MIN_GLARE_FRACTION) | (_median(self.sharpness) < _MIN_SHARPNESS), np.bool_
        )


def measure_cards(crops: Image) -> CardMeasures:
    """Measure upright crops of cards (n x height x width x 4 uint8: BGR and a mask of the visible part)."""
    visible = crops[..., 3] > 127
    counts = np.maximum(visible.sum(axis=(1, 2)), 1)
    gray = crops[..., :3].astype(np.float32).mean(axis=3)
    mean = (gray * visible).sum(axis=(1, 2)) / counts
    variance = ((gray - mean[:, None, None]) ** 2 * visible).sum(axis=(1, 2)) / counts
    height, width = gray.shape[1:]
    energies = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        first = slice(0, height - down), slice(max(-right, 0), width - max(right, 0))
        second = slice(down, height), slice(max(right, 0), width - max(-right, 0))
        both = visible[:, *first] & visible[:, *second]
        squares = (gray[:, *second] - gray[:, *first]) ** 2 * both
        energies.append(squares.sum(axis=(1, 2)) / np.maximum(both.sum(axis=(1, 2)), 1) / (down + abs(right)))
    overexposed = ((crops[..., :3].min(axis=3) >= _OVEREXPOSED) & visible).sum(axis=(1, 2)) / counts
    brightness = [
        float(np.percentile(level[mask], _LIGHTEST)) if mask.any() else np.nan
        for level, mask in zip(gray, visible, strict=True)
    ]
    measurable = counts >= _MIN_PIXELS
    return CardMeasures(
        np.where(measurable, np.min(energies, axis=0) / np.maximum(variance, 1), np.nan),
        np.where(measurable, np.array(brightness, np.float64), np.nan),
        np.where(measurable, overexposed, np.nan),
    )


def findings_without_cards(image: Image) -> tuple[QualityFinding, ...]:
    """Return why no card was detected in a photograph (height x width x 3 uint8); empty if the picture does not explain it."""
    scale = _WHOLE_PX / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    opaque = np.full((1, *small.shape[:2], 1), 255, np.uint8)
    measures = measure_cards(np.concatenate((small[None], opaque), axis=3))
    if _median(measures.brightness) < _MIN_BRIGHTNESS / 2:
        return (QualityFinding("photo-dark", {"level": round(_median(measures.brightness))}),)
    if float(small.std()) > _MIN_CONTRAST and _median(measures.sharpness) < _MIN_WHOLE_SHARPNESS:
        return (QualityFinding("photo-blurred", {}),)
    return ()


def quality_findings(
    measures: CardMeasures, quads: Quads, unnamed: NDArray[np.bool_], tilt: float
) -> tuple[QualityFinding, ...]:
    """Return why cards were not recognized, most likely reason first; empty if all cards have names.

    ``quads``: corners of the measured cards (n x 4 x 2 px of the photograph). ``unnamed``: which of them have no name (n).
    ``tilt``: angle of the camera from vertical, degrees.
    """
    return tuple(_findings(measures, quads, unnamed, tilt)) if unnamed.any() else ()


def _findings(
    measures: CardMeasures, quads: Quads, unnamed: NDArray[np.bool_], tilt: float
) -> Iterator[QualityFinding]:
    if _median(measures.brightness) < _MIN_BRIGHTNESS:
        yield QualityFinding("photo-dark", {"level": round(_median(measures.brightness))})
    small = float(np.median(card_widths(quads[unnamed])))
    if tilt > _MAX_TILT:
        yield QualityFinding("photo-oblique", {"tilt": round(tilt)})
    elif small < _MIN_CARD_PX:
        yield QualityFinding("photo-cards-small", {"px": round(small)})
    elif _median(measures.sharpness) < _MIN_SHARPNESS:
        yield QualityFinding("photo-blurred", {})
    glare = int((measures.glare[unnamed] > _MIN_GLARE_FRACTION).sum())
    if glare:
        yield QualityFinding("photo-glare", {"cards": glare})


def _median(values: NDArray[np.float64]) -> float:
    """Return the median of the finite values; infinity if there are none."""
    measured = values[np.isfinite(values)]
    return float(np.median(measured)) if len(measured) else np.inf
