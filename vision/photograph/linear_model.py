"""Logistic regression with named features, whose weights are stored beside those of the networks.

The weights are written by ``python -m hanafuda_training.training.fit_photographs``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vision.pictures.crops import Floats

_FILE: Final = "photographs.json"


@dataclass(frozen=True)
class LinearModel:
    """Weights of k ``features`` for each of c ``classes``: ``weights`` is c x k."""

    classes: tuple[str, ...]
    features: tuple[str, ...]
    weights: Floats

    def logits(self, features: Floats) -> Floats:
        """Return the logit of each class (... x c) for ``features`` (... x k)."""
        return np.asarray(features @ self.weights.T, np.float64)


def read_model(models: Path, part: str, classes: tuple[str, ...], features: tuple[str, ...]) -> LinearModel:
    """Return the model ``part`` of the folder ``models``, or one without any preference if it has none."""
    path = models / _FILE
    stored = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    rows = [
        [stored.get(part, {}).get(name, {}).get(feature, 0.0) for feature in features] for name in classes
    ]
    return LinearModel(classes, features, np.array(rows, np.float64))


def write_models(models: Path, parts: Mapping[str, LinearModel]) -> None:
    """Write the models by part into the folder ``models``."""
    stored = {
        part: {
            name: dict(zip(model.features, row, strict=True))
            for name, row in zip(model.classes, model.weights.round(3).tolist(), strict=True)
        }
        for part, model in parts.items()
    }
    (models / _FILE).write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
