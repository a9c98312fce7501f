"""The fit recovers the parameters of generated data."""

import numpy as np
import pytest

from hanafuda_training.training.fit_calibration import LabeledDetections, fit_temperatures, fit_thresholds
from vision.networks.class_ids import BACK, CLASS_COUNT, HANAFUDA_CLASSES, UNKNOWN
from vision.networks.probability_calibration import Calibration, softmax

PLAIN = Calibration(whole=1, hidden=1)
NAMES = [*(cards[0] for cards in HANAFUDA_CLASSES), "back", None]


def one(kind: int, sure: float, true: str | None, share: float = 1.0) -> LabeledDetections:
    """Return a picture of one card with probabilities of the class ``kind`` and of the unknown class."""
    p = np.full(CLASS_COUNT, 1e-6)
    p[UNKNOWN] = 1 - sure
    p[kind] = sure
    return LabeledDetections(np.log(p)[None], np.array([share], np.float32), (true,))


def test_the_temperatures_of_generated_data_are_recovered():
    rng = np.random.default_rng(1)
    truth = Calibration(whole=0.7, hidden=1.6)
    logits, visible = rng.normal(0, 2.5, (4000, CLASS_COUNT)), rng.random(4000).astype(np.float32)
    drawn = [rng.choice(CLASS_COUNT, p=row) for row in softmax(logits, truth.temperatures(visible))]
    accepted = [LabeledDetections(logits, visible, tuple(NAMES[kind] for kind in drawn))]
    fitted = fit_temperatures(accepted, PLAIN)
    assert (fitted.whole, fitted.hidden) == pytest.approx((truth.whole, truth.hidden), rel=0.08)


def test_the_threshold_is_where_wrong_names_become_rare():
    sure = [one(3, 0.95, NAMES[3])] * 100
    unsure = [one(3, 0.75, NAMES[3])] * 15 + [one(3, 0.75, NAMES[8])] * 5
    whole, quarter, sliver = fit_thresholds(sure + unsure, PLAIN).commit
    assert 0.75 < whole <= 0.95
    assert whole <= quarter <= sliver


def test_a_named_false_detection_is_wrong():
    accepted = [one(3, 0.95, NAMES[3])] * 30 + [one(3, 0.85, "")] * 4 + [one(3, 0.85, NAMES[3])] * 30
    assert fit_thresholds(accepted, PLAIN).commit[0] > 0.85


@pytest.mark.parametrize(("false", "accepted"), [(1, True), (30, False)])
def test_the_threshold_of_backs_is_where_most_are_right(false: int, accepted: bool):
    pictures = [one(BACK, 0.4, "back")] * 20 + [one(BACK, 0.4, "")] * false + [one(BACK, 0.9, "back")] * 20
    assert (fit_thresholds(pictures, PLAIN).back < 0.39) == accepted
