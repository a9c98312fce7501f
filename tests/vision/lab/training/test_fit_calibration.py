"""The fit recovers the parameters with which the cards were drawn."""

import numpy as np
import pytest

from vision.lab.training.fit_calibration import LabeledDetections, fit_temperatures, fit_thresholds
from vision.networks.class_ids import BACK, CLASS_COUNT, HANAFUDA_CLASSES, UNKNOWN
from vision.networks.probability_calibration import Calibration, softmax

PLAIN = Calibration(whole=1, hidden=1)
NAMES = [*(cards[0] for cards in HANAFUDA_CLASSES), "back", None]


def one(kind: int, sure: float, true: str | None, share: float = 1.0) -> LabeledDetections:
    """Return a picture of one card that is believed to be of ``kind``, else a stranger."""
    p = np.full(CLASS_COUNT, 1e-6)
    p[UNKNOWN] = 1 - sure
    p[kind] = sure
    return LabeledDetections(np.log(p)[None], np.array([share], np.float32), (true,))


def test_the_temperatures_that_cards_were_drawn_at_are_found():
    rng = np.random.default_rng(1)
    truth = Calibration(whole=0.7, hidden=1.6)
    logits, visible = rng.normal(0, 2.5, (4000, CLASS_COUNT)), rng.random(4000).astype(np.float32)
    drawn = [rng.choice(CLASS_COUNT, p=row) for row in softmax(logits, truth.temperatures(visible))]
    told = [LabeledDetections(logits, visible, tuple(NAMES[kind] for kind in drawn))]
    fitted = fit_temperatures(told, PLAIN)
    assert (fitted.whole, fitted.hidden) == pytest.approx((truth.whole, truth.hidden), rel=0.08)


def test_names_are_given_from_where_wrong_ones_become_rare():
    sure = [one(3, 0.95, NAMES[3])] * 100
    unsure = [one(3, 0.75, NAMES[3])] * 15 + [one(3, 0.75, NAMES[8])] * 5
    whole, quarter, sliver = fit_thresholds(sure + unsure, PLAIN).commit
    assert 0.75 < whole <= 0.95
    assert whole <= quarter <= sliver


def test_a_name_for_what_is_no_card_is_wrong():
    told = [one(3, 0.95, NAMES[3])] * 30 + [one(3, 0.85, "")] * 4 + [one(3, 0.85, NAMES[3])] * 30
    assert fit_thresholds(told, PLAIN).commit[0] > 0.85


@pytest.mark.parametrize(("false", "told"), [(1, True), (30, False)])
def test_a_back_is_told_from_where_that_is_mostly_right(false: int, told: bool):
    pictures = [one(BACK, 0.4, "back")] * 20 + [one(BACK, 0.4, "")] * false + [one(BACK, 0.9, "back")] * 20
    assert (fit_thresholds(pictures, PLAIN).back < 0.39) == told
