"""What the recognizer is taught with besides cards as they are: bad photographs of them, and cards of other kinds."""

from __future__ import annotations

import numpy as np
import pytest

from hanafuda_training.training.crop_degradation import dazzled, degraded, smeared
from hanafuda_training.training.foreign_cards import foreign_card
from vision.pictures.crops import RECOGNIZER_SIZE

_WIDTH, _HEIGHT = RECOGNIZER_SIZE
_SEEDS = range(40)


@pytest.fixture
def checks() -> np.ndarray:
    """Return a crop of black and white squares of 4 px."""
    rows, columns = np.indices((_HEIGHT, _WIDTH)) // 4
    return np.repeat(((rows + columns) % 2 * 255).astype(np.uint8)[..., None], 3, axis=2)


@pytest.mark.parametrize("seed", _SEEDS)
def test_motion_mixes_neighboring_pixels_and_keeps_the_light(checks: np.ndarray, seed: int):
    blurred = smeared(np.random.default_rng(seed), checks)
    assert blurred.shape == checks.shape
    assert blurred.dtype == np.uint8
    assert blurred.std() < checks.std()
    assert blurred.mean() == pytest.approx(checks.mean(), abs=12)


@pytest.mark.parametrize("seed", _SEEDS)
def test_a_reflection_only_adds_light(checks: np.ndarray, seed: int):
    bright = dazzled(np.random.default_rng(seed), checks)
    assert (bright >= checks).all()
    assert bright.mean() > checks.mean()


def test_some_crops_are_left_unchanged(checks: np.ndarray):
    crop = np.ascontiguousarray(checks.transpose(2, 0, 1))
    results = [degraded(np.random.default_rng(seed), crop) for seed in _SEEDS]
    assert {each.shape for each in results} == {crop.shape}
    assert 8 < sum(np.array_equal(each, crop) for each in results) < 32


@pytest.mark.parametrize("seed", _SEEDS)
def test_drawn_cards_of_other_kinds_are_crops(seed: int):
    drawn = foreign_card(np.random.default_rng(seed))
    assert drawn.shape == (_HEIGHT, _WIDTH, 3)
    assert drawn.dtype == np.uint8
    np.testing.assert_array_equal(drawn, foreign_card(np.random.default_rng(seed)))


def test_drawn_cards_of_other_kinds_differ():
    drawn = {foreign_card(np.random.default_rng(seed)).tobytes() for seed in _SEEDS}
    assert len(drawn) == len(_SEEDS)
