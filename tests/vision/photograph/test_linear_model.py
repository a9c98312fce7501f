"""Logistic regressions with named features, stored beside the networks."""

from pathlib import Path

import numpy as np

from vision.photograph.linear_model import LinearModel, read_model, write_models


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    model = LinearModel(("one", "other"), ("x", "constant"), np.array([(0.5, -1.0), (2.0, 0.25)]))
    write_models(tmp_path, {"causes": model})
    read = read_model(tmp_path, "causes", model.classes, model.features)
    np.testing.assert_array_equal(read.weights, model.weights)
    np.testing.assert_array_equal(read.logits(np.array([2.0, 1.0])), [0.0, 4.25])


def test_without_a_file_no_class_is_preferred(tmp_path: Path) -> None:
    read = read_model(tmp_path, "causes", ("one", "other"), ("x", "constant"))
    np.testing.assert_array_equal(read.logits(np.array([2.0, 1.0])), [0.0, 0.0])
