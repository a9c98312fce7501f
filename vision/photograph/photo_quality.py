"""What is wrong with a photograph, so that cards were missed or not recognized: blur, darkness, small cards, tilt, a reflection, ….

The likeliest cause is chosen by a `LinearModel` from measures of the photograph and of its cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from companion.quality_messages import QualityFinding
from vision.geometry.rectification import RectifiedView
from vision.networks.class_ids import UNKNOWN
from vision.networks.detector import card_widths
from vision.networks.read_cards import CardCandidates
from vision.photograph.acceptance import seconds
from vision.photograph.card_scale import MIN_SCORE
from vision.photograph.linear_model import LinearModel
from vision.pictures.crops import Image, Quads

#: The classes of the model; each but the first is a message.
CAUSES: Final = (
    "fine",
    "photo-glare",
    "photo-unknown-deck",
    "photo-cards-hidden",
    "photo-blurred",
    "photo-dark",
    "photo-cards-small",
)
MEASURES: Final = (
    *("reflection", "hard edge", "bright surroundings", "beyond cards", "unknown", "unnamed", "hidden"),
    *("log unnamed", "log rejected", "log cards", "log sharpness", "log brightness", "log px", "constant"),
)
"""``reflection``: see `reflection`; ``hard edge`` and ``bright surroundings``: it, times the light lost at its edge and the light left
around it; ``beyond cards``: overexposed fraction around those without a name. ``unknown``, ``hidden``: their mean probability of an unknown
card, and hidden fraction; ``unnamed``: their share. ``log unnamed``, ``log rejected``, ``log cards``: logarithms of one more than their number, that of the
rejected detections, and of all cards. ``log sharpness``, ``log brightness``: of the median card; ``log px``: width of the median card without a
name."""
#: Tilt of the camera, degrees from vertical, beyond which distant cards are hardly visible.
_MAX_TILT: Final = 60.0
#: Overexposed fraction (0-1) of a card that is under a reflection, and sharpness below which a photograph is blurred: names of such
#: cards need `POOR_PHOTO_CONFIDENCE`. White paper covers up to .42 of a good card, a reflection .67 and more; sharpness is
#: .10-.26 in good pictures, .03-.055 after a blur of 9 px.
_MIN_GLARE_FRACTION: Final = 0.5
_MIN_SHARPNESS: Final = 0.055
_GOOD_SHARPNESS: Final = 0.15
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
#: Width of a card, px, at which reflections are measured.
_REFLECTION_PX: Final = 20.0
#: Brightness (0-255) of a photograph without cards up to which it is dark.
_MIN_WHOLE_BRIGHTNESS: Final = 30.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CardMeasures:
    """Measures of n cards, NaN where too little of a card is visible.

    ``sharpness``: edge energy along the most blurred direction, relative to the contrast. ``brightness``: 0-255, of the lightest
    tenth of a card. ``glare``: overexposed fraction (0-1).
    """

    sharpness: Floats
    brightness: Floats
    glare: Floats

    @property
    def doubtful(self) -> NDArray[np.bool_]:
        """Which cards (n bool) need `POOR_PHOTO_CONFIDENCE`: all in a blurred photograph, and those under a reflection."""
        sharpness = self.sharpness[np.isfinite(self.sharpness)]
        blurred = len(sharpness) > 0 and float(np.median(sharpness)) < _MIN_SHARPNESS
        return np.asarray((self.glare > _MIN_GLARE_FRACTION) | blurred, np.bool_)


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
    overexposed = (crops[..., :3].min(axis=3) >= _OVEREXPOSED) & visible
    brightness = [
        float(np.percentile(level[mask], _LIGHTEST)) if mask.any() else np.nan
        for level, mask in zip(gray, visible, strict=True)
    ]
    measurable = counts >= _MIN_PIXELS

    def measured(values: Floats) -> Floats:
        return np.where(measurable, values, np.nan)

    return CardMeasures(
        measured(np.min(energies, axis=0) / np.maximum(variance, 1)),
        measured(np.array(brightness, np.float64)),
        measured(overexposed.sum(axis=(1, 2)) / counts),
    )


def reflection(image: Image, quads: Quads, doubtful: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Measure the overexposed areas of a photograph (height x width x 3 uint8) with cards at ``quads`` (n x 4 x 2 px).

    Returns the logarithm of one more than their size, in cards; the light (0-1) lost just beside them; the light left a third of a
    card away; and the overexposed fraction just outside the ``doubtful`` cards (n bool). White paper ends at an edge, or fades slowly; a
    reflection fades at once, but not abruptly, and beyond the edge of a card.
    """
    scale = min(_REFLECTION_PX / float(np.median(card_widths(quads))), 1.0)
    darkest = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).min(axis=2)
    disk = [cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * r + 1, 2 * r + 1)) for r in (1, 3, 6, 8)]
    overexposed = (darkest >= _OVEREXPOSED).astype(np.uint8)
    area = cv2.morphologyEx(overexposed, cv2.MORPH_OPEN, disk[1])
    beside, near, away = (cv2.dilate(area, kernel) > 0 for kernel in (disk[0], disk[2], disk[3]))
    size = float(np.log1p(area.sum() / (_REFLECTION_PX**2 * CARD_MM[1] / CARD_MM[0])))
    edge, around = (_mean(darkest[ring] / 255) for ring in (beside & (area == 0), away & ~near))
    inside, outside = np.zeros_like(area), np.zeros_like(area)
    cv2.fillPoly(inside, list((quads * scale).astype(np.int32)), 1)
    cv2.fillPoly(outside, list((quads[doubtful] * scale).astype(np.int32)), 1)
    beyond = (cv2.dilate(outside, disk[1]) > 0) & (inside == 0)
    return size, 1 - edge, around, _mean(overexposed[beyond])


def findings_without_cards(image: Image) -> tuple[QualityFinding, ...]:
    """Return why no card was detected in a photograph (height x width x 3 uint8); empty if the picture does not explain it."""
    scale = min(_WHOLE_PX / max(image.shape[:2]), 1)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    measures = measure_cards(np.dstack((small, np.full(small.shape[:2], 255, np.uint8)))[None])
    if _median(measures.brightness) < _MIN_WHOLE_BRIGHTNESS:
        return (QualityFinding("photo-dark", {"level": round(_median(measures.brightness))}),)
    if float(small.std()) > _MIN_CONTRAST and _median(measures.sharpness) < _MIN_WHOLE_SHARPNESS:
        return (QualityFinding("photo-blurred", {}),)
    return ()


def photo_measures(
    image: Image,
    candidates: CardCandidates,
    accepted: CardCandidates,
    named: NDArray[np.bool_],
    view: RectifiedView | None,
) -> Floats:
    """Return the `MEASURES` of a photograph (height x width x 3 uint8) with at least one detection.

    ``candidates``: all detections, in px of the ``view`` if there is one. ``accepted``: those that are reported; without any, all
    detections are measured. ``named`` (n): which of the accepted ones have a name.
    """
    cards = accepted if len(named) else candidates
    unnamed = ~named if len(named) else np.ones(len(cards.scores), np.bool_)
    measured = measure_cards(cards.recognized.crops)
    quads = cards.quads if view is None else view.to_picture(cards.quads).astype(np.float32)
    size, edge, around, beyond = reflection(image, quads, unnamed)
    widths = card_widths(quads)
    return np.array(
        [
            size,
            size * edge,
            size * around,
            beyond,
            _mean(cards.recognized.own[unnamed, UNKNOWN]),
            _mean(unnamed),
            _mean(1 - cards.visible[unnamed]),
            np.log1p(unnamed.sum()),
            np.log1p(_rejected(candidates, len(unnamed))),
            np.log1p(len(unnamed)),
            np.log(_median(measured.sharpness, _GOOD_SHARPNESS)),
            np.log(max(_median(measured.brightness, 255.0), 1.0)),
            np.log(np.median(widths[unnamed] if unnamed.any() else widths)),
            1.0,
        ]
    )


def findings(
    model: LinearModel,
    image: Image,
    candidates: CardCandidates,
    accepted: CardCandidates,
    named: NDArray[np.bool_],
    view: RectifiedView | None,
) -> tuple[QualityFinding, ...]:
    """Return the likeliest cause for what is missing in a photograph; empty if nothing is.

    ``model``: its classes are `CAUSES`, its features `MEASURES`. Others: as in `photo_measures`.
    """
    if not len(candidates.scores):
        return findings_without_cards(image)
    if is_complete(candidates, named):
        return ()
    measures, reported = photo_measures(image, candidates, accepted, named, view), bool(len(named))
    logits, all_named = model.logits(measures), reported and bool(named.all())
    if all_named:
        logits[CAUSES.index("photo-unknown-deck")] = -np.inf
    elif reported:
        logits[CAUSES.index("fine")] = -np.inf
    cause = CAUSES[int(logits.argmax())]
    if view is not None and view.tilt > _MAX_TILT and not all_named and cause != "photo-dark":
        return (QualityFinding("photo-oblique", {"tilt": round(view.tilt)}),)
    if cause == "fine":
        return () if reported else findings_without_cards(image)
    params = {
        name: round(float(np.exp(measures[MEASURES.index(f"log {measure}")])))
        for code, name, measure in (("photo-dark", "level", "brightness"), ("photo-cards-small", "px", "px"))
        if code == cause
    }
    return (QualityFinding(cause, params),)


def is_complete(candidates: CardCandidates, named: NDArray[np.bool_]) -> bool:
    """Return whether all detected cards have names (``named``, n), and nothing else that looked like a card was rejected."""
    return bool(len(named) and named.all()) and not _rejected(candidates, len(named))


def _rejected(candidates: CardCandidates, count: int) -> int:
    """Return how many candidates are neither one of the ``count`` cards nor a second detection of one."""
    single = (candidates.scores >= MIN_SCORE) & ~seconds(candidates)
    return max(int(single.sum()) - count, 0)


def _median(values: NDArray[np.floating], otherwise: float = np.inf) -> float:
    """Return the median of the finite values, or ``otherwise`` if there are none."""
    measured = values[np.isfinite(values)]
    return float(np.median(measured)) if len(measured) else otherwise


def _mean(values: NDArray[Any]) -> float:
    """Return the mean; 0 if there are no values."""
    return float(values.mean()) if len(values) else 0.0
