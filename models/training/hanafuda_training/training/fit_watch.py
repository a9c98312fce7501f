"""Fits the parameters of the engine (`companion.watch.parameters`) to logs of observations of composed rounds, and writes them there.

``python -m hanafuda_training.training.fit_watch LOG... [--people ROUNDS.jsonl] [--parameters NAME...] [--dry-run]``

Every second round of each game is fitted, with its log of the camera and that of the pictures; the others are held out. One parameter
after the other is multiplied by a factor for as long as that lowers the log-loss of the probabilities of the turns at the end of the
rounds. ``--people``: records of rounds between people, one a line, to which the order of play and draw is fitted, too (`fit_order`).
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields, replace
from functools import cache
from math import log
from pathlib import Path
from typing import Any, Final, NamedTuple

from companion.files import write_json
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import resolve
from companion.hanafuda.table_model import TableModel
from companion.observations import Observation
from companion.watch.beam import Beam, Belief
from companion.watch.parameters import FILE, PARAMETERS, Parameters
from hanafuda_training.benchmarks.turns_reported import hands_of
from hanafuda_training.training.fit_order import fit_order

FITTED: Final = tuple(each.name for each in fields(Parameters) if each.name not in {"order", "wrong_tag"})
"""The parameters that are fitted unless the command line names others."""
_FACTORS: Final = (0.6, 1.6)
"""A parameter is multiplied by each of them."""
_LARGEST: Final = 0.95
"""No probability becomes larger."""
_SUREST: Final = 0.999
"""No turn counts as surer, for or against: one that no camera saw must not decide everything."""
_BINS: Final = 20
"""Number of equal intervals of probability for the calibration error."""
_PROCESSES: Final = min(2, os.cpu_count() or 1)


class Log(NamedTuple):
    """The observations of a round and its true turns."""

    model: TableModel[Any]
    dealer: int
    observations: Sequence[Observation]
    turns: Counter[Hashable]
    """The keys of its turns."""


class Score(NamedTuple):
    """How well the engine does on logs."""

    turns: int
    reported: Sequence[tuple[float, bool]]
    """The probability of each turn that the engine believes in at the end, and whether it is right."""
    loss: float
    """Log-loss of all turns."""
    times: Sequence[float]
    """Of the observations, s."""

    def __str__(self) -> str:
        right, times = sum(is_right for _, is_right in self.reported), sorted(self.times)
        wrong = len(self.reported) - right
        median, slow = (1e3 * times[int(share * len(times))] for share in (0.5, 0.95))
        return (
            f"{right} of {self.turns} turns right, {wrong} wrong, {max(0, self.turns - right - wrong)} missing, "
            f"log-loss {self.loss / self.turns:.4f}, calibration error {calibration_error(self.reported):.1%}, "
            f"{median:.0f} ms, at p95 {slow:.0f} ms"
        )


@cache
def read_log(path: Path) -> Log:
    """Return a log that `hanafuda_training.rounds.observing` has written."""
    about, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    rules = resolve(about["rules"], about["game"])
    camera = GAMES[rules.game].camera
    if camera is None:
        raise ValueError(f"no camera can follow {rules.game}")
    played = GAMES[rules.game].round.from_record(about["record"])
    for turn in about["record"]["turns"]:
        for move in played.read_turn(turn):
            played.push(move)
    model = camera.table(rules, about["players"])
    keys: Iterable[Hashable] = (model.key(moves) for moves in model.turns(played.moves)[0])
    if model.shows_history:
        keys = hands_of(about["record"])  # what was done with hidden cards follows from them
    observations = [Observation.from_json(line["observation"]) for line in lines]
    return Log(model, about["record"]["dealer"], observations, Counter(keys))


def score_log(path: Path, parameters: Parameters) -> Score:
    """Return how well the engine does with the parameters at the end of the round of a log."""
    each, belief = read_log(path), None
    beam, times = Beam(each.model, parameters), list[float]()
    for observation in each.observations:
        start = time.process_time()
        beam.see(observation, {each.dealer: 1.0})
        now = beam.belief()
        times.append(time.process_time() - start)
        belief = now if now.best.state is not None else belief
    reported = [] if belief is None else _compared(belief, each)
    losses = [-log(max(1 - _SUREST, min(_SUREST, p if is_right else 1 - p))) for p, is_right in reported]
    missing = max(0, each.turns.total() - len(reported))
    return Score(each.turns.total(), reported, sum(losses) - missing * log(1 - _SUREST), times)


def _compared(belief: Belief, of_round: Log) -> list[tuple[float, bool]]:
    """Return the probabilities of the turns, and whether they are right."""
    left, compared = Counter(of_round.turns), list[tuple[float, bool]]()
    for turn, p, _ in belief.turns:
        key: Any = turn.key
        if of_round.model.shows_history:
            player, _, cards = key
            if not cards:
                continue
            key = player, *cards
        compared.append((p, left[key] > 0))
        left[key] -= 1
    return compared


def total(scores: Iterable[Score]) -> Score:
    """Return the score of several logs together."""
    found = [*scores]
    return Score(
        sum(each.turns for each in found),
        [one for each in found for one in each.reported],
        sum(each.loss for each in found),
        [one for each in found for one in each.times],
    )


def calibration_error(reported: Sequence[tuple[float, bool]]) -> float:
    """Return the mean difference between probabilities and how many of those turns are right, over intervals of probability."""
    off = sum(abs(sum(p - is_right for p, is_right in found)) for found in _by_interval(reported))
    return off / len(reported) if reported else 0.0


def reliability(reported: Sequence[tuple[float, bool]]) -> str:
    """Return for each interval of probability its mean and how many of how many turns are right."""
    return ", ".join(
        f"{sum(p for p, _ in found) / len(found):.2f}: {sum(is_right for _, is_right in found)} of {len(found)}"
        for found in _by_interval(reported)
    )


def _by_interval(reported: Sequence[tuple[float, bool]]) -> list[list[tuple[float, bool]]]:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for p, is_right in reported:
        bins.setdefault(min(int(p * _BINS), _BINS - 1), []).append((p, is_right))
    return [bins[number] for number in sorted(bins)]


def halves(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Return the logs of every second round, ``GAME-NUMBER.KIND.jsonl``, and those of the others."""
    rounds: dict[str, list[Path]] = {}
    for path in sorted(paths):
        rounds.setdefault(path.name.partition(".")[0], []).append(path)
    first, second = ([path for found in [*rounds.values()][start::2] for path in found] for start in (0, 1))
    return first, second


def scaled(parameters: Parameters, name: str, factor: float) -> Parameters:
    """Return the parameters with one of them multiplied by a factor."""
    changed: Any = min(_LARGEST, factor * getattr(parameters, name))
    return replace(parameters, **{name: changed})


def fit(logs: Sequence[Path], names: Sequence[str], pool: ProcessPoolExecutor) -> Parameters:
    """Return the parameters of the smallest log-loss that a search along one parameter after the other finds; prints its steps."""
    best, scores = PARAMETERS, scores_of(logs, PARAMETERS, pool)
    print("start:", total(scores), flush=True)
    for name in names:
        for factor in _FACTORS:
            while (tried := scaled(best, name, factor)) != best:
                found = scores_of(logs, tried, pool)
                if total(found).loss >= total(scores).loss:
                    break
                best, scores = tried, found
                print(f"{name} = {getattr(best, name):.3g}: {total(scores)}", flush=True)
    return best


def scores_of(logs: Sequence[Path], parameters: Parameters, pool: ProcessPoolExecutor) -> list[Score]:
    """Return the score of each log."""
    return [*pool.map(score_log, logs, [parameters] * len(logs))]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", type=Path, nargs="+", help="logs of composed rounds")
    parser.add_argument("--people", type=Path, help="records of rounds between people, one a line")
    parser.add_argument("--parameters", nargs="*", default=FITTED, help="those to fit, in this order")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    args = parser.parse_args()
    fitted, others = halves(args.logs)
    with ProcessPoolExecutor(_PROCESSES) as pool:
        parameters = fit(fitted, args.parameters, pool)
        if args.people is not None:
            cameras = [path for path in args.logs if ".camera." in path.name]
            parameters = replace(parameters, order=fit_order(args.people, cameras))
        for name, part in (("fitted half", fitted), ("held-out half", others)):
            for when, tried in (("before", PARAMETERS), ("after", parameters)):
                scores = scores_of(part, tried, pool)
                by_kind: dict[str, list[Score]] = {}
                for each, found in zip(part, scores, strict=True):
                    game, kind = each.name.partition("-")[0], each.suffixes[-2]
                    by_kind.setdefault(f"{game} {kind}", []).append(found)
                for kind, found_of_kind in [*by_kind.items(), ("all", scores)]:
                    score = total(found_of_kind)
                    print(f"{name}, {when}, {kind}: {score}; {reliability(score.reported)}", flush=True)
    if not args.dry_run:
        write_json(FILE, asdict(parameters))


if __name__ == "__main__":
    main()
