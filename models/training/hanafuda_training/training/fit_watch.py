"""Fits the parameters of the engine (`companion.watch.evidence.Parameters`) to logs of observations of composed rounds.

``python -m hanafuda_training.training.fit_watch LOG... [--parameters NAME...]``

Every second round is fitted, with its log of the camera and that of the pictures; the others are held out. One parameter after the other
is doubled and halved, and what lowers the log-loss of the probabilities of the turns at the end of the rounds is kept. Fishing games only.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any, Final, NamedTuple

from companion.hanafuda.fishing.moves import Draw, Play
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import resolve
from companion.hanafuda.table_model import TableModel
from companion.observations import Observation
from companion.watch.beam import Beam
from companion.watch.evidence import Parameters

FITTED: Final = (
    "missed",
    "clutter",
    "misread",
    "passing",
    "blocked",
    "late",
    "apart",
    "mid_turn",
    "taken_back",
    "round_ends",
)
"""The parameters that are fitted unless the command line names others."""
_FACTORS: Final = (0.5, 2.0)
"""A parameter is multiplied by each of them; those of whole cards and of strips together."""
_LARGEST: Final = 0.95
"""No probability becomes larger."""
_SUREST: Final = 0.999
"""No turn counts as surer, for or against: one that no camera saw must not decide everything."""
_BINS: Final = 20
"""Number of equal intervals of probability for the calibration error."""


class Log(NamedTuple):
    """The observations of a round and its true turns."""

    name: str
    model: TableModel[Any]
    players: int
    observations: Sequence[Observation]
    turns: Sequence[Any]
    """The keys of its turns."""


class Score(NamedTuple):
    """How well the engine does on logs."""

    turns: int
    right: int
    wrong: int
    missing: int
    log_loss: float
    """Mean of all turns."""
    calibration: float
    """Expected calibration error of the probabilities of the reported turns."""
    ms: tuple[float, float]
    """Median and 95th percentile of the time of an observation, ms."""

    def __str__(self) -> str:
        return (
            f"{self.right} of {self.turns} turns right, {self.wrong} wrong, {self.missing} missing, log-loss {self.log_loss:.4f}, "
            f"calibration error {self.calibration:.1%}, {self.ms[0]:.0f} ms, at p95 {self.ms[1]:.0f} ms"
        )


def read_log(path: Path) -> Log | None:
    """Return a log of a fishing game; None for other games."""
    about, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    rules = resolve(about["rules"], about["game"])
    camera = GAMES[rules.game].camera
    if rules.game not in ("koikoi", "kekoro") or camera is None or camera.table is None:
        return None
    played = GAMES[rules.game].round.from_record(about["record"])
    for turn in about["record"]["turns"]:
        for move in played.read_turn(turn):
            played.push(move)
    model = camera.table(rules, about["players"])
    moves = [move for move in played.moves if isinstance(move, Play | Draw)]
    keys = [model.key(moves[start : start + 2]) for start in range(0, len(moves) - 1, 2)]
    observations = [Observation.from_json(line["observation"]) for line in lines]
    return Log(path.name.removesuffix(".jsonl"), model, about["players"], observations, keys)


def score(logs: Iterable[Log], parameters: Parameters) -> Score:
    """Return how well the engine does with the parameters, at the end of each round."""
    turns = right = wrong = 0
    loss = 0.0
    times, reported = list[float](), list[tuple[float, bool]]()
    for each in logs:
        beam, belief = Beam(each.model, parameters), None
        dealers = dict.fromkeys(range(1, each.players + 1), 1 / each.players)
        for observation in each.observations:
            start = time.process_time()
            beam.see(observation, dealers)
            now = beam.belief()
            times.append(time.process_time() - start)
            belief = now if now.best.state is not None else belief
        found = [] if belief is None else [(turn.key, p) for turn, p in belief.turns]
        turns += len(each.turns)
        for number, (key, p) in enumerate(found):
            is_right = number < len(each.turns) and key == each.turns[number]
            right, wrong = right + is_right, wrong + (not is_right)
            reported.append((p, is_right))
            loss -= log(max(1 - _SUREST, min(_SUREST, p if is_right else 1 - p)))
        loss -= max(0, len(each.turns) - len(found)) * log(1 - _SUREST)
    times.sort()
    ms = 1e3 * times[len(times) // 2], 1e3 * times[int(0.95 * len(times))]
    missing = max(0, turns - right - wrong)
    return Score(turns, right, wrong, missing, loss / turns, calibration_error(reported), ms)


def calibration_error(reported: Sequence[tuple[float, bool]]) -> float:
    """Return the mean difference between probabilities and how many of those turns are right, over intervals of probability."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for p, is_right in reported:
        bins.setdefault(min(int(p * _BINS), _BINS - 1), []).append((p, is_right))
    off = sum(abs(sum(p - is_right for p, is_right in found)) for found in bins.values())
    return off / len(reported) if reported else 0.0


def scaled(parameters: Parameters, name: str, factor: float) -> Parameters:
    """Return the parameters with one of them, or both of its values, multiplied by a factor."""
    value = getattr(parameters, name)
    changed: Any = min(_LARGEST, factor * value) if isinstance(value, float) else None
    if changed is None:
        changed = tuple(min(_LARGEST, factor * each) for each in value)
    return replace(parameters, **{name: changed})


def fit(logs: Sequence[Log], names: Sequence[str]) -> Parameters:
    """Return the parameters of the smallest log-loss that a search along one parameter after the other finds; prints its steps."""
    best = Parameters()
    least = score(logs, best)
    print("start:", least, flush=True)
    for name in names:
        for factor in _FACTORS:
            while (found := score(logs, tried := scaled(best, name, factor))).log_loss < least.log_loss:
                best, least = tried, found
                print(f"{name} = {getattr(best, name)}: {least}", flush=True)
    return best


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", type=Path, nargs="+", help="logs of composed rounds")
    parser.add_argument("--parameters", nargs="*", default=FITTED, help="those to fit, in this order")
    args = parser.parse_args()
    logs = [each for each in map(read_log, sorted(args.logs)) if each is not None]
    rounds = [*dict.fromkeys(each.name.partition(".")[0] for each in logs)]
    fitted = [each for each in logs if each.name.partition(".")[0] in rounds[::2]]
    others = [each for each in logs if each.name.partition(".")[0] in rounds[1::2]]
    parameters = fit(fitted, args.parameters)
    print("fitted:", {name: getattr(parameters, name) for name in args.parameters})
    for name, part in (("fitted half", fitted), ("held-out half", others)):
        for kind in ("camera", "pictures"):
            chosen = [each for each in part if each.name.endswith(kind)]
            if chosen:
                print(f"{name}, {kind}, {len(chosen)} rounds before:", score(chosen, Parameters()))
                print(f"{name}, {kind}, {len(chosen)} rounds after:", score(chosen, parameters), flush=True)


if __name__ == "__main__":
    main()
