"""What is wrong with a photograph, so that cards were missed or not recognized: blur, darkness, small cards, tilt, a reflection, ….

The likeliest cause is chosen by a `LinearModel` from measures of the photograph and of its cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.quality_messages import QualityFinding
from vision.geometry.rectification import RectifiedView
from vision.networks.class_ids import UNKNOWN
from vision.networks.detector import card_widths
from vision.networks.read_cards import CardCandidates
from vision.occlusion.visible_overlap import duplicate_readings, overlap
from vision.photograph.card_scale import MIN_SCORE
from vision.photograph.linear_model import LinearModel
from vision.pictures.crops import Floats, Image, Quads

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
    *("halo", "fading", "unknown", "hidden", "log unnamed", "log concealed", "log cards"),
    *("log sharpness", "log brightness", "log px", "constant"),
)
"""``halo``, ``fading``: see `reflection`. ``unknown``, ``hidden``: the mean probability of an unknown card, and the hidden fraction, of the
cards without a name. ``log unnamed``, ``log concealed``, ``log cards``: logarithms of one more than their number, the
rejected detections at cards (`_concealed`), and the number of all cards. ``log sharpness``: of the median card that is not overexposed, ``log brightness``: of the median card; ``log px``: width of the median card without a name."""
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
#: Width of a card, px, at which reflections are measured, and the distances from an overexposed area that are beside it and around it.
_REFLECTION_PX: Final = 20.0
_RINGS: Final = ((1.5, 2.5), (4.0, 6.0))
#: Brightness (0-255) of a photograph without cards up to which it is dark.
_MIN_WHOLE_BRIGHTNESS: Final = 30.0


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


def reflection(image: Image, quads: Quads) -> tuple[float, float]:
    """Measure the overexposed areas at cards (n x 4 x 2 px) of a photograph (height x width x 3 uint8).

    Returns the largest product of an area's half width, in card widths and at most 1, and the light (0-1) just beside it; and that with
    the light which is lost farther away. The light is that of the darkest fifth, of ink: white paper ends at an edge or fades slowly, a
    reflection lights also what is beside it, and fades at once.
    """
    scale = min(_REFLECTION_PX / float(np.median(card_widths(quads))), 1.0)
    darkest = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).min(axis=2)
    overexposed = (darkest >= _OVEREXPOSED).astype(np.uint8)
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    white = cv2.morphologyEx(overexposed, cv2.MORPH_OPEN, disk)
    cards = np.ones_like(white)
    for quad in quads * scale:
        cv2.fillConvexPoly(cards, quad.astype(np.int32), 0)
    at_cards = cv2.distanceTransform(cards, cv2.DIST_L2, 3) < _REFLECTION_PX / 2
    count, areas, boxes, _ = cv2.connectedComponentsWithStats(white)
    reach = int(_RINGS[-1][-1]) + 1
    found = np.zeros((count, 2))
    for area in set(areas[at_cards].tolist()) - {0}:
        left, top, width, height = boxes[area, :4].tolist()
        box = (
            slice(max(top - reach, 0), top + height + reach),
            slice(max(left - reach, 0), left + width + reach),
        )
        inside = np.pad(areas[box] == area, 1)
        away = cv2.distanceTransform((~inside).astype(np.uint8), cv2.DIST_L2, 3)[1:-1, 1:-1]
        beside, around = (
            _darkest_fifth(darkest[box][(away > near) & (away <= far) & (white[box] == 0)])
            for near, far in _RINGS
        )
        depth = float(cv2.distanceTransform(inside.astype(np.uint8), cv2.DIST_L2, 3).max())
        found[area] = min(depth / _REFLECTION_PX, 1.0) * np.array((beside, beside - around))
    halo, fading = found.max(axis=0).tolist()
    return halo, fading


def _darkest_fifth(levels: NDArray[np.uint8]) -> float:
    """Return the level (0-1) below which a fifth of ``levels`` (0-255) is; 1 without any."""
    return float(np.percentile(levels, 20)) / 255 if len(levels) else 1.0


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
    widths = card_widths(quads)
    return np.array(
        [
            *reflection(image, quads),
            _mean(cards.recognized.own[unnamed, UNKNOWN]),
            _mean(1 - cards.visible[unnamed]),
            np.log1p(unnamed.sum()),
            np.log1p(_concealed(candidates, accepted)),
            np.log1p(len(unnamed)),
            np.log(_median(measured.sharpness[~(measured.glare > _MIN_GLARE_FRACTION)], _GOOD_SHARPNESS)),
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
    if is_complete(candidates, accepted, named):
        return ()
    measures, reported = photo_measures(image, candidates, accepted, named, view), bool(len(named))
    logits, all_named = model.logits(measures), reported and bool(named.all())
    if all_named:
        logits[CAUSES.index("photo-unknown-deck")] = -np.inf
    else:  # hidden cards lie under others
        logits[CAUSES.index("fine" if reported else "photo-cards-hidden")] = -np.inf
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


def is_complete(candidates: CardCandidates, accepted: CardCandidates, named: NDArray[np.bool_]) -> bool:
    """Return whether all ``accepted`` cards have names (``named``, n), and nothing else that looked like a card was rejected."""
    return bool(len(named) and named.all()) and not len(_rejected(candidates, accepted).scores)


def _rejected(candidates: CardCandidates, accepted: CardCandidates) -> CardCandidates:
    """Return the candidates that are neither ``accepted`` nor a second detection of a card."""
    classes = candidates.recognized.posterior.argmax(axis=1)
    rejected = candidates.scores >= MIN_SCORE
    rejected &= ~duplicate_readings(candidates.quads, candidates.visible, classes)
    rejected &= ~(candidates.quads[:, None] == accepted.quads).all(axis=(2, 3)).any(axis=1)
    return candidates.take(np.flatnonzero(rejected))


def _concealed(candidates: CardCandidates, accepted: CardCandidates) -> float:
    """Return how much looks like cards that lie under or on ``accepted`` ones: the sum of what the scores of rejected candidates there exceed
    `MIN_SCORE` by."""
    rejected = _rejected(candidates, accepted)
    touching = [any(overlap(quad, card) > 0 for card in accepted.quads) for quad in rejected.quads]
    return float((rejected.scores - MIN_SCORE)[np.array(touching, np.bool_)].sum())


def _median(values: NDArray[np.floating], otherwise: float = np.inf) -> float:
    """Return the median of the finite values, or ``otherwise`` if there are none."""
    measured = values[np.isfinite(values)]
    return float(np.median(measured)) if len(measured) else otherwise


def _mean(values: NDArray[Any]) -> float:
    """Return the mean; 0 if there are no values."""
    return float(values.mean()) if len(values) else 0.0
