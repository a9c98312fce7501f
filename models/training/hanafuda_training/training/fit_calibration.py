"""Fits the calibration of the probabilities.

``python -m hanafuda_training.training.fit_calibration FOLDER... [--models DIR] [--write]``

The folders hold pictures with ``truth.json``, of deck families and tables that were not used in training;
``hanafuda_training.training.compose_holdout`` composes them. Fitted are the temperatures (Guo et al. 2017) of fully
and barely visible cards, on all detections, false ones counting as unknown; then the minimum probability of a
name, by visible fraction, and of a back. ``--write`` stores them beside the weights, where the program reads
them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from hanafuda_training.benchmarks.accuracy import calibration_error
from hanafuda_training.benchmarks.evaluation import read
from hanafuda_training.benchmarks.ground_truth import TruePicture, read_folders, same
from hanafuda_training.benchmarks.truth_matching import match
from hanafuda_training.training.fitted_files import write_fitted
from vision.decks.deck_choice import GENERIC
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN
from vision.networks.onnx_sessions import MODELS
from vision.networks.probability_calibration import BANDS, FILE, Calibration, read_calibration, softmax
from vision.photograph.name_assignment import assign_names
from vision.photograph.scanner import Scanner, build_result

Floats = NDArray[np.float64]

#: Cost of a wrong name, in unnamed cards: the ratio of the rates required by the project, 2 % to 0.2 %.
WRONG: Final = 10.0
#: Cost of a wrong back, in missed backs; lower, since a back names no card and does not affect the score.
WRONG_BACK: Final = 3.0
_THRESHOLDS: Final = np.round(np.arange(0.5, 0.991, 0.01), 2)
_BACK_THRESHOLDS: Final = np.round(np.arange(0.1, 0.91, 0.05), 2)
_FLOOR: Final = 1e-12


@dataclass(frozen=True, eq=False)
class LabeledDetections:
    """The detections of one picture: ``logits`` n x CLASS_COUNT at temperature 1, visible fractions
    ``visible`` (n), and the true ``names``: a card id, ``"back"``, None for a card of an unknown deck,
    ``""`` for a detection that is not a card.
    """

    logits: Floats
    visible: NDArray[np.float32]
    names: tuple[str | None, ...]

    @property
    def class_ids(self) -> NDArray[np.intp]:
        """The true class ids (n); a detection that is not a card is unknown."""
        return np.array(
            [UNKNOWN if not name else BACK if name == "back" else CLASS_OF[name] for name in self.names],
            np.intp,
        )

    def posterior(self, fitted: Calibration) -> Floats:
        """Return the posterior at the fitted temperatures."""
        return softmax(self.logits, fitted.temperatures(self.visible))


def collect(scanner: Scanner, pictures: Sequence[TruePicture], used: Calibration) -> list[LabeledDetections]:
    """Scan the pictures with weights that are calibrated as ``used``; cards whose truth is only a month are
    left out.
    """
    collected = []
    for picture in pictures:
        image = read(picture)
        accepted = scanner.accept(scanner.detect_cards(image, deck=GENERIC), GENERIC)
        result = build_result(accepted, image.shape[1], image.shape[0], used)
        true = {index: number for number, index in match(picture.cards, result.cards).items()}
        names = [picture.cards[true[k]].card if k in true else "" for k in range(len(result.cards))]
        known = np.flatnonzero([not name or name == "back" or name in CLASS_OF for name in names])
        logits = (
            np.log(np.maximum(accepted.recognized.own, _FLOOR)) * used.temperatures(accepted.visible)[:, None]
        )
        collected.append(
            LabeledDetections(logits[known], accepted.visible[known], tuple(names[k] for k in known))
        )
    return [each for each in collected if len(each.names)]


def fit_temperatures(pictures: Sequence[LabeledDetections], start: Calibration) -> Calibration:
    """Return ``start`` with the temperatures of maximum likelihood."""
    pooled = LabeledDetections(
        np.concatenate([picture.logits for picture in pictures]),
        np.concatenate([picture.visible for picture in pictures]),
        tuple(name for picture in pictures for name in picture.names),
    )
    class_ids, rows = pooled.class_ids, np.arange(len(pooled.names))

    def calibration(log_temperatures: Floats) -> Calibration:
        whole, hidden = (float(v) for v in np.exp(np.clip(log_temperatures, -2, 2)))
        return replace(start, whole=whole, hidden=hidden)

    def loss(log_temperatures: Floats) -> float:
        return -float(
            np.log(pooled.posterior(calibration(log_temperatures))[rows, class_ids] + _FLOOR).mean()
        )

    return calibration(minimize(loss, np.log((start.whole, start.hidden)), method="Nelder-Mead").x)


def fit_thresholds(pictures: Sequence[LabeledDetections], fitted: Calibration) -> Calibration:
    """Return ``fitted`` with the thresholds of minimum cost; a wrong name costs as much as `WRONG` unnamed
    cards.
    """
    without_thresholds = replace(fitted, commit=(0.0, 0.0, 0.0), back=2.0)
    bands: list[list[tuple[float, bool]]] = [[] for _ in BANDS]
    for picture in pictures:
        given = assign_names(picture.posterior(fitted), picture.visible, calibration=without_thresholds)[0]
        for (name, probability), visible, true in zip(given, picture.visible, picture.names, strict=True):
            if name is not None:
                band = next(k for k, minimum in enumerate(BANDS) if visible >= minimum)
                bands[band].append((probability, bool(true) and same(name, true)))
    commit = [_cheapest(band) for band in bands]
    # A less visible card never has a lower threshold.
    first, second, third = (float(v) for v in np.maximum.accumulate(commit))
    fitted = replace(fitted, commit=(first, second, third))
    costs = {
        float(back): _cost_of_backs(pictures, replace(fitted, back=float(back))) for back in _BACK_THRESHOLDS
    }
    return replace(fitted, back=min(costs, key=lambda back: costs[back]))


def _cheapest(predictions: Sequence[tuple[float, bool]]) -> float:
    """Return the threshold of minimum cost for names given as (probability, correct); the median of equally
    good ones.
    """
    if not predictions:
        return float(_THRESHOLDS[-1])
    p, right = np.array([pair[0] for pair in predictions]), np.array([pair[1] for pair in predictions])
    costs = np.array(
        [
            WRONG * np.sum((p >= threshold) & ~right) + np.sum((p < threshold) & right)
            for threshold in _THRESHOLDS
        ]
    )
    return float(np.median(_THRESHOLDS[costs == costs.min()]))


def _cost_of_backs(pictures: Sequence[LabeledDetections], fitted: Calibration) -> float:
    cost = 0.0
    for picture in pictures:
        given = assign_names(picture.posterior(fitted), picture.visible, calibration=fitted)[0]
        for (name, _), true in zip(given, picture.names, strict=True):
            if name == "back":
                cost += WRONG_BACK * (true != "back")
            else:
                cost += true == "back"
    return cost


def report(pictures: Sequence[LabeledDetections], fitted: Calibration) -> str:
    """Return a text report of these settings on the same pictures."""
    guesses, counts = [], {minimum: [0, 0, 0, 0] for minimum in (*BANDS, 0.0)}
    backs = [0, 0, 0]
    for picture in pictures:
        posterior = picture.posterior(fitted)
        guesses += [
            (float(row.max()), row.argmax() == class_id)
            for row, class_id in zip(posterior, picture.class_ids, strict=True)
        ]
        for (name, _), visible, true in zip(
            assign_names(posterior, picture.visible, calibration=fitted)[0],
            picture.visible,
            picture.names,
            strict=True,
        ):
            if "back" in (name, true):
                backs[0] += name == "back" == true
                backs[1] += name == "back" != true
                backs[2] += name != "back"
            else:
                count = counts[next(minimum for minimum in counts if visible >= minimum)]
                right = name is not None and bool(true) and same(name, true)
                count[0] += right
                count[1] += name is not None and not right
                count[2] += name is None and bool(true)
    lines = [
        f"n = {len(guesses)} detections in {len(pictures)} pictures; ECE of the best guesses {calibration_error(guesses):.4f}"
    ]
    lines += [
        f"visible fraction from {minimum:.2f}: {right} correct, {wrong} wrong, {unnamed} unnamed"
        for minimum, (right, wrong, unnamed, _) in counts.items()
    ]
    return "\n".join([*lines, f"backs: {backs[0]} correct, {backs[1]} wrong, {backs[2]} missed"])


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--write", action="store_true", help="store the fit beside the weights")
    args = parser.parse_args()
    pictures = [
        picture for path in args.folders for folder in read_folders(path) for picture in folder.pictures
    ]
    used = read_calibration(args.models)
    collected = collect(Scanner(args.models), pictures, used)
    fitted = fit_thresholds(collected, fit_temperatures(collected, used))
    print(f"before: {used}\n{report(collected, used)}\nafter: {fitted}\n{report(collected, fitted)}")
    if args.write:
        write_fitted(args.models / FILE, fitted)


if __name__ == "__main__":
    main()
