"""The fitted calibration is read from the folder of the models."""

import numpy as np
import pytest

from hanafuda_training.training.fitted_files import write_fitted
from vision.networks.onnx_sessions import MODELS
from vision.networks.probability_calibration import FILE, Calibration, read_calibration, softmax


def test_a_written_calibration_is_read_unchanged(tmp_path):
    fitted = Calibration(whole=0.7, hidden=1.1, commit=(0.81, 0.92, 0.95), back=0.4)
    write_fitted(tmp_path / FILE, fitted)
    assert read_calibration(tmp_path) == fitted


def test_models_without_a_calibration_are_usable(tmp_path):
    assert read_calibration(tmp_path) == Calibration()


def test_the_shipped_thresholds_increase_with_decreasing_visible_fraction():
    fitted = read_calibration(MODELS)
    assert 0.5 <= fitted.commit[0] <= fitted.commit[1] <= fitted.commit[2] <= 1
    assert 0.3 < fitted.whole <= fitted.hidden < 3


@pytest.mark.parametrize(
    ("share", "temperature", "threshold"),
    [
        (0.0, 2.0, np.inf),
        (0.19, 2**0.81, np.inf),
        (0.2, 2**0.8, 0.9),
        (0.34, 2**0.66, 0.9),
        (0.35, 2**0.65, 0.8),
        (0.5, 2**0.5, 0.7),
        (1, 1, 0.7),
    ],
)
def test_temperature_and_threshold_depend_on_the_visible_fraction(
    share: float, temperature: float, threshold: float
):
    fitted = Calibration(whole=1, hidden=2, commit=(0.7, 0.8, 0.9))
    visible = np.array([share], np.float32)
    assert fitted.temperatures(visible) == pytest.approx([temperature])
    assert fitted.thresholds(visible) == pytest.approx([threshold])


def test_a_higher_temperature_reduces_the_confidence():
    p = softmax(np.array([[2.0, 0, 0], [2.0, 0, 0]]), np.array([1.0, 3.0]))
    assert p.sum(axis=1) == pytest.approx(1)
    assert p[0, 0] > p[1, 0] > 1 / 3
