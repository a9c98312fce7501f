"""What is wrong with a photograph, so that cards were missed or not recognized: blur, darkness, small cards, tilt, glare, ….

Where it is neither dark nor blurred and cards are large enough, a model chooses between a reflection, an unknown deck and hidden cards, or
that nothing is wrong (multinomial logistic regression, written by ``python -m hanafuda_training.training.fit_quality``).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.quality_messages import QualityFinding
from vision.networks.class_ids import UNKNOWN
from vision.networks.detector import card_widths
from vision.networks.read_cards import CardCandidates
from vision.photograph.card_scale import MIN_SCORE
from vision.pictures.crops import Image, Quads

#: Causes in the order of the model's classes; each but the first is a message.
CAUSES: Final = ("fine", "photo-glare", "photo-unknown-deck", "photo-cards-hidden")
#: Medians of 16 good pictures: brightness 114-252; with an eighth of the light 17-30.
_MIN_BRIGHTNESS: Final = 60.0
#: Card width, px, below which cards are often not recognized.
_MIN_CARD_PX: Final = 28.0
#: Tilt of the camera, degrees from vertical, beyond which distant cards are hardly visible.
_MAX_TILT: Final = 60.0
#: Overexposed fraction (0-1) of a card that is under a reflection, and sharpness below which a photograph is blurred: names of such
#: cards need `POOR_PHOTO_CONFIDENCE`. White paper covers up to .42 of a good card, a reflection .67 and more; sharpness is
#: .10-.26 in good pictures, .03-.055 after a blur of 9 px.
_MIN_GLARE_FRACTION: Final = 0.5
_MIN_SHARPNESS: Final = 0.055
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
#: Visible fraction above which nothing lies on a card.
_WHOLE: Final = 0.9
#: Minimum number of visible pixels in a crop for measuring its card.
_MIN_PIXELS: Final = 800
_FILE: Final = "quality.json"
#: Features: logarithms of one more than the unnamed cards, the rejected detections, and all cards.
_UNNAMED, _REJECTED, _CARDS = range(-4, -1)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CardMeasures:
    """Measures of n cards, NaN where too little of a card is visible.

    ``sharpness``: edge energy along the most blurred direction, relative to the contrast. ``brightness``: 0-255, of the lightest
    tenth of a card. ``glare``: overexposed fraction (0-1). ``softness``: mean level
    (0-1) of the darkest pixels beside overexposed ones, high where light fades and low where a print begins.
    """

    sharpness: Floats
    brightness: Floats
    glare: Floats
    softness: Floats

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
        measured(np.array([_softness(*card) for card in zip(gray, overexposed, visible, strict=True)])),
    )


def _softness(gray: NDArray[np.float32], overexposed: NDArray[np.bool_], visible: NDArray[np.bool_]) -> float:
    """Return the mean level (0-1) of the darkest pixels beside overexposed ones, 0 if there are none."""
    beside = cv2.dilate(overexposed.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.bool_) & visible
    beside &= ~overexposed
    return float(cv2.erode(gray, np.ones((3, 3), np.uint8))[beside].mean() / 255) if beside.any() else 0.0


def findings_without_cards(image: Image) -> tuple[QualityFinding, ...]:
    """Return why no card was detected in a photograph (height x width x 3 uint8); empty if the picture does not explain it."""
    scale = min(_WHOLE_PX / max(image.shape[:2]), 1)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    measures = measure_cards(np.dstack((small, np.full(small.shape[:2], 255, np.uint8)))[None])
    if _median(measures.brightness) < _MIN_BRIGHTNESS / 2:
        return (QualityFinding("photo-dark", {"level": round(_median(measures.brightness))}),)
    if float(small.std()) > _MIN_CONTRAST and _median(measures.sharpness) < _MIN_WHOLE_SHARPNESS:
        return (QualityFinding("photo-blurred", {}),)
    return ()


def photo_features(
    candidates: CardCandidates, accepted: CardCandidates, named: NDArray[np.bool_], measures: CardMeasures
) -> Floats:
    """Return what the model knows about a photograph with cards, the constant 1 last.

    ``candidates``: all of the photograph. ``accepted``: those that are reported; ``named`` (n): which of them have a name; ``measures``: theirs.
    """
    doubtful = ~named if (~named).any() else np.ones(len(named), np.bool_)
    rejected = max(int((candidates.scores >= MIN_SCORE).sum()) - len(named), 0)
    visible = accepted.visible
    return np.array(
        [
            _mean(measures.glare[doubtful]),
            _mean(measures.softness[doubtful]),
            _mean(accepted.recognized.own[~named, UNKNOWN]),
            _mean((~named).astype(np.float64)),
            _mean(1 - visible[~named]),
            _mean((visible < _WHOLE).astype(np.float64)),
            np.log1p((~named).sum()),
            np.log1p(rejected),
            np.log1p(len(named)),
            1.0,
        ]
    )


def is_complete(features: Floats) -> bool:
    """Return whether all detected cards have names, and nothing else that looked like a card was rejected."""
    return bool(features[_CARDS] and not features[_UNNAMED] and not features[_REJECTED])


@dataclass(frozen=True)
class QualityModel:
    """Weights of the causes: ``weights`` has one row of the features (`photo_features`) for each of `CAUSES`."""

    weights: tuple[tuple[float, ...], ...]

    def probabilities(self, features: Floats) -> Floats:
        """Return the probability of each cause for ``features`` (... x k)."""
        logits = features @ np.array(self.weights).T
        raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=-1, keepdims=True), np.float64)

    def findings(
        self,
        candidates: CardCandidates,
        accepted: CardCandidates,
        named: NDArray[np.bool_],
        quads: Quads,
        tilt: float,
    ) -> tuple[QualityFinding, ...]:
        """Return the likeliest cause; empty if nothing is wrong. ``tilt``: angle of the camera from vertical, degrees; ``quads``: n x 4 x 2 px of
        the photograph; others: as in `photo_features`.
        """
        measures = measure_cards(accepted.recognized.crops)
        features = photo_features(candidates, accepted, named, measures)
        probabilities = self.probabilities(features)
        if named.all():
            hidden = not is_complete(features) and probabilities[-1] > probabilities[0]
            return (QualityFinding(CAUSES[-1], {}),) if hidden else ()
        small = float(np.median(card_widths(quads[~named])))
        if (level := _median(measures.brightness)) < _MIN_BRIGHTNESS:
            finding = QualityFinding("photo-dark", {"level": round(level)})
        elif tilt > _MAX_TILT:
            finding = QualityFinding("photo-oblique", {"tilt": round(tilt)})
        elif small < _MIN_CARD_PX:
            finding = QualityFinding("photo-cards-small", {"px": round(small)})
        elif _median(measures.sharpness[~(measures.glare > _MIN_GLARE_FRACTION)]) < _MIN_SHARPNESS:
            finding = QualityFinding("photo-blurred", {})
        else:
            cause = CAUSES[1 + int(probabilities[1:].argmax())]
            if cause != "photo-unknown-deck" and (measures.glare[~named] > _MIN_GLARE_FRACTION).any():
                cause = "photo-glare"
            finding = QualityFinding(cause, {})
        return (finding,)

    def write(self, models: Path) -> None:
        """Write the weights beside those of the networks in ``models``."""
        rounded = {
            cause: [round(value, 3) for value in row] for cause, row in zip(CAUSES, self.weights, strict=True)
        }
        (models / _FILE).write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


def read_quality_model(models: Path) -> QualityModel:
    """Return the model stored in ``models``; without one, nothing is ever wrong."""
    path = models / _FILE
    if not path.is_file():
        return QualityModel(((0.0,),) * len(CAUSES))
    stored = json.loads(path.read_text(encoding="utf-8"))
    return QualityModel(tuple(tuple(stored[cause]) for cause in CAUSES))


def _median(values: NDArray[np.floating]) -> float:
    """Return the median of the finite values; infinity if there are none."""
    measured = values[np.isfinite(values)]
    return float(np.median(measured)) if len(measured) else np.inf


def _mean(values: NDArray[np.floating]) -> float:
    """Return the mean of the finite values; 0 if there are none."""
    measured = values[np.isfinite(values)]
    return float(measured.mean()) if len(measured) else 0.0
