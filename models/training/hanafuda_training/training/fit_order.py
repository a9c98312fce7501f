"""Fits the weights of the order of play and draw (`companion.watch.order`) by maximum likelihood, for `fit_watch`.

What players usually do is fitted to the rounds between people; what cameras detect to the logs of observations of composed rounds, whose
players are others, so that their habits are fitted beside and not used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import minimize

from companion.hanafuda.cards import first_of
from companion.hanafuda.fishing.camera import exchanged
from companion.hanafuda.fishing.moves import Draw, Play
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import Rules, resolve
from companion.hanafuda.table_model import TableModel
from companion.observations import Observation
from companion.watch.beam import Beam, PlayedTurn
from companion.watch.order import WEIGHTS, Arrivals, Features, features

_REPORTED: Final = 0.97
"""A turn is reported at this probability."""
_PRIOR: Final = 3
"""The number of features of what players usually do, the last ones."""
_KNOWN: Final = 0.9
"""Below this probability the page says that the order is unknown."""
_OTHERS: Final = 0.25
"""The share of players who do not play as those of the records: what players usually do must not decide alone."""
_RIDGE: Final = 0.05
"""Cost of the squares of the weights: a few dozen turns without an error do not make a feature certain."""


class Row(NamedTuple):
    """A turn that may have come in either order."""

    source: str
    number: int
    """Of the turn, from 1."""
    features: Features
    """Of the true order; of the other one they are the negative."""


def people_rows(path: Path) -> Iterator[Row]:
    """Yield the turns of records of rounds, one a line, without observations."""
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines()):
        record = json.loads(text)
        for number, turn in enumerate(_turns(record), 1):
            if exchanged(turn.state, turn.moves) is not None:
                yield Row(f"{path.name}:{line}", number, features(turn, Arrivals()))


def log_rows(path: Path) -> Iterator[Row]:
    """Yield the turns of a log of observations that the beam reports rightly but for the order, as it would report them."""
    about, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    model = _table(resolve(about["rules"], about["game"]))
    if model.turn_steps == 1:
        return  # a turn has no order
    truth = [*_turns(about["record"])]
    beam, arrivals, reported = Beam(model), Arrivals(), set[int]()
    for line in lines:
        observation = Observation.from_json(line["observation"])
        beam.see(observation, dict.fromkeys(range(1, about["players"] + 1), 1 / about["players"]))
        belief = beam.belief()
        if belief.best.state is None:
            reported = set()
        else:
            arrivals = arrivals.in_round(belief.best.dealt.field)
        arrivals.see(observation)
        for turn, probability, _ in belief.turns:
            if probability < _REPORTED or turn.depth in reported:
                continue
            reported.add(turn.depth)
            if turn.depth <= len(truth) and model.key(truth[turn.depth - 1].moves) == turn.key:
                moves = truth[turn.depth - 1].moves
                if exchanged(turn.state, turn.moves) is not None:
                    sign = 1 if first_of(moves[0].card) == first_of(turn.moves[0].card) else -1
                    found = features(turn, arrivals)
                    yield Row(
                        path.name.partition(".")[0], turn.depth, Features._make(sign * x for x in found)
                    )


def _table(rules: Rules) -> TableModel[Any]:
    camera = GAMES[rules.game].camera
    if camera is None or camera.table is None:
        raise ValueError(f"no camera can follow {rules.game}")
    return camera.table(rules, 2)


def _turns(record: Mapping[str, Any]) -> Iterator[PlayedTurn]:
    """Yield the turns of a record with a play and a draw."""
    played = GAMES[record["game"]].round.from_record(record)
    model, last = _table(played.rules), None
    for turn in record["turns"]:
        state, moves = model.committed(played), []
        for move in played.read_turn(turn):
            played.push(move)
            moves += [move] * isinstance(move, Play | Draw)
        if len(moves) == 2:
            last = PlayedTurn(last, tuple(moves), model.key(moves), last.depth + 1 if last else 1, state)
            yield last


def fit(rows: Sequence[Row], used: Sequence[int], others: float = 0.0) -> np.ndarray:
    """Return the weights of maximum likelihood of the features with the given numbers, 0 for the others.

    ``others``: share of players who play in a way that tells nothing of the order.
    """
    matrix = np.array([row.features for row in rows], float)[:, used]

    def loss(weights: np.ndarray) -> float:
        log_odds = matrix @ weights
        likely = (1 - others / 2) * np.logaddexp(0, -log_odds) + others / 2 * np.logaddexp(0, log_odds)
        return float(likely.sum() + _RIDGE * weights @ weights)

    weights = np.zeros(len(WEIGHTS))
    weights[used] = minimize(loss, np.zeros(len(used))).x
    return weights


def report(rows: Sequence[Row], weights: Sequence[float] | np.ndarray) -> str:
    """Return how well the estimate does, in words."""
    log_odds = np.array([row.features for row in rows], float) @ np.array(weights)
    sure = 1 / (1 + np.exp(-np.abs(log_odds)))
    right = np.where(log_odds == 0, 0.5, log_odds > 0)
    known = sure >= _KNOWN
    bins = np.minimum((sure * 20).astype(int), 19)
    error = sum(abs(right[bins == b].mean() - sure[bins == b].mean()) * (bins == b).mean() for b in set(bins))
    return (
        f"{len(rows)} turns: right {right.mean():.1%}, unknown {1 - known.mean():.1%}, "
        f"of the {known.sum()} known {(1 - right[known]).sum():.0f} wrong, "
        f"calibration error {error:.1%}, log-loss {np.logaddexp(0, -log_odds).mean():.3f}"
    )


def fit_order(people: Path, logs: Sequence[Path]) -> Mapping[str, float]:
    """Return the weight of each feature, fitted to every second of the rounds between people and to logs of composed rounds of fishing
    games; prints how well the estimate does."""
    rows = [*people_rows(people)]
    names = [*dict.fromkeys(row.source for row in rows)]
    halves = [[row for row in rows if row.source in set(names[start::2])] for start in (0, 1)]
    count = len(WEIGHTS)
    weights = fit(halves[0], range(count - _PRIOR, count), _OTHERS)
    print("people:", report(halves[1], weights))
    found = [row for path in logs for row in log_rows(path)]
    weights[:-_PRIOR] = fit(found, range(count))[:-_PRIOR]
    print("logs:", report(found, weights))
    print("logs, without habits:", report(found, [*weights[:-_PRIOR], *[0.0] * _PRIOR]))
    return {name: round(float(each), 2) for name, each in zip(Features._fields, weights, strict=True)}
