"""Fit what makes probabilities believable: ``python -m vision.lab.training.fit_calibration FOLDER... [--models DIR] [--write]``.

The folders hold pictures with ``truth.json``, of families and tables that no training has seen; ``vision.lab.training.compose_holdout``
composes such. Fitted are the temperatures (Guo et al. 2017) of cards wholly and hardly seen, on everything that is told
of, what is no card being a stranger; then the least probability of a name, by visible share, and of a back. ``--write``
puts them beside the weights, where the program reads them.
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

from vision.decks.deck_choice import GENERIC
from vision.lab.benchmarks.accuracy import calibration_error
from vision.lab.benchmarks.evaluation import read
from vision.lab.benchmarks.ground_truth import TruePicture, read_folders, same
from vision.lab.benchmarks.truth_matching import match
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN
from vision.networks.onnx_sessions import MODELS
from vision.networks.probability_calibration import BANDS, Calibration, read_calibration, softmax
from vision.photograph.name_assignment import names_only
from vision.photograph.scanner import Scanner, build_result

Floats = NDArray[np.float64]

#: A wrong name costs this many cards left unnamed: the issue's 0.2 % to 2 %.
WRONG: Final = 10.0
#: And a back told of what is none this many backs not told: it names no card, and nothing is scored by it.
WRONG_BACK: Final = 3.0
_THRESHOLDS: Final = np.round(np.arange(0.5, 0.991, 0.01), 2)
_BACKS: Final = np.round(np.arange(0.1, 0.91, 0.05), 2)
_FLOOR: Final = 1e-12


@dataclass(frozen=True, eq=False)
class Told:
    """What was told of one picture: ``logits`` n x KIND_COUNT at temperature 1, visible ``shares`` (n), and the true
    ``names``: a card id, ``"back"``, None for a card of no deck, ``""`` for what is no card.
    """

    logits: Floats
    shares: NDArray[np.float32]
    names: tuple[str | None, ...]

    @property
    def kinds(self) -> NDArray[np.intp]:
        """The true kinds (n); what is no card is a stranger."""
        return np.array(
            [UNKNOWN if not name else BACK if name == "back" else CLASS_OF[name] for name in self.names],
            np.intp,
        )

    def posterior(self, fitted: Calibration) -> Floats:
        """Return what is believed at the fitted temperatures."""
        return softmax(self.logits, fitted.temperatures(self.shares))


def collect(scanner: Scanner, pictures: Sequence[TruePicture], used: Calibration) -> list[Told]:
    """Look at the pictures with weights that were calibrated as ``used``; what the truth knows by month only is left out."""
    told = []
    for picture in pictures:
        image = read(picture)
        seen, _, believed = scanner.accept(scanner.detect_cards(image, deck=GENERIC), GENERIC)
        reading = build_result(seen, image.shape[1], image.shape[0], GENERIC, believed, used)
        true = {index: number for number, index in match(picture.cards, reading.cards).items()}
        names = [picture.cards[true[k]].card if k in true else "" for k in range(len(reading.cards))]
        known = np.flatnonzero([not name or name == "back" or name in CLASS_OF for name in names])
        log = np.log(np.maximum(seen.recognized.posterior, _FLOOR)) * used.temperatures(seen.visible)[:, None]
        told.append(Told(log[known], seen.visible[known], tuple(names[k] for k in known)))
    return [each for each in told if len(each.names)]


def fit_temperatures(told: Sequence[Told], start: Calibration) -> Calibration:
    """Return ``start`` with the temperatures under which the truth is likeliest."""
    every = Told(
        np.concatenate([each.logits for each in told]),
        np.concatenate([each.shares for each in told]),
        tuple(name for each in told for name in each.names),
    )
    kinds, rows = every.kinds, np.arange(len(every.names))

    def at(logs: Floats) -> Calibration:
        whole, hidden = (float(v) for v in np.exp(np.clip(logs, -2, 2)))
        return replace(start, whole=whole, hidden=hidden)

    def loss(logs: Floats) -> float:
        return -float(np.log(every.posterior(at(logs))[rows, kinds] + _FLOOR).mean())

    return at(minimize(loss, np.log((start.whole, start.hidden)), method="Nelder-Mead").x)


def fit_thresholds(told: Sequence[Told], fitted: Calibration) -> Calibration:
    """Return ``fitted`` with the thresholds that cost least, a wrong name costing `WRONG` cards left unnamed."""
    free = replace(fitted, commit=(0.0, 0.0, 0.0), back=2.0)
    bands: list[list[tuple[float, bool]]] = [[] for _ in BANDS]
    for each in told:
        given = names_only(each.posterior(fitted), each.shares, calibration=free)
        for (name, sure), share, true in zip(given, each.shares, each.names, strict=True):
            band = next(k for k, least in enumerate(BANDS) if share >= least)
            if name is not None:
                bands[band].append((sure, bool(true) and same(name, true)))
    commit = [_cheapest(band) for band in bands]
    # Less of a card never asks for less.
    first, second, third = (float(v) for v in np.maximum.accumulate(commit))
    fitted = replace(fitted, commit=(first, second, third))
    costs = {float(back): _cost_of_backs(told, replace(fitted, back=float(back))) for back in _BACKS}
    return replace(fitted, back=min(costs, key=lambda back: costs[back]))


def _cheapest(sure: Sequence[tuple[float, bool]]) -> float:
    """Return the cheapest threshold of names given (probability, whether right); the middle of those equally cheap."""
    if not sure:
        return float(_THRESHOLDS[-1])
    p, right = np.array([each[0] for each in sure]), np.array([each[1] for each in sure])
    costs = np.array(
        [WRONG * np.sum((p >= least) & ~right) + np.sum((p < least) & right) for least in _THRESHOLDS]
    )
    return float(np.median(_THRESHOLDS[costs == costs.min()]))


def _cost_of_backs(told: Sequence[Told], fitted: Calibration) -> float:
    cost = 0.0
    for each in told:
        given = names_only(each.posterior(fitted), each.shares, calibration=fitted)
        for (name, _), true in zip(given, each.names, strict=True):
            if name == "back":
                cost += WRONG_BACK * (true != "back")
            else:
                cost += true == "back"
    return cost


def report(told: Sequence[Told], fitted: Calibration) -> str:
    """Return what these settings give on the same pictures."""
    own, counts = [], {least: [0, 0, 0, 0] for least in BANDS}
    backs = [0, 0, 0]
    for each in told:
        posterior = each.posterior(fitted)
        own += [
            (float(row.max()), row.argmax() == kind) for row, kind in zip(posterior, each.kinds, strict=True)
        ]
        for (name, _), share, true in zip(
            names_only(posterior, each.shares, calibration=fitted), each.shares, each.names, strict=True
        ):
            if "back" in (name, true):
                backs[0] += name == "back" == true
                backs[1] += name == "back" != true
                backs[2] += name != "back"
            else:
                count = counts[next(least for least in BANDS if share >= least)]
                right = name is not None and bool(true) and same(name, true)
                count[0] += right
                count[1] += name is not None and not right
                count[2] += name is None and bool(true)
    lines = [
        f"n = {len(own)} told of in {len(told)} pictures; ECE of own guesses {calibration_error(own):.4f}"
    ]
    lines += [
        f"seen for {least:.2f} and more: {right} right, {wrong} wrong, {none} unnamed"
        for least, (right, wrong, none, _) in counts.items()
    ]
    return "\n".join([*lines, f"backs: {backs[0]} right, {backs[1]} wrong, {backs[2]} not told"])


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--write", action="store_true", help="put the fit beside the weights")
    args = parser.parse_args()
    pictures = [
        picture for path in args.folders for folder in read_folders(path) for picture in folder.pictures
    ]
    used = read_calibration(args.models)
    told = collect(Scanner(args.models), pictures, used)
    fitted = fit_thresholds(told, fit_temperatures(told, used))
    print(f"before: {used}\n{report(told, used)}\nafter: {fitted}\n{report(told, fitted)}")
    if args.write:
        fitted.write(args.models)


if __name__ == "__main__":
    main()
