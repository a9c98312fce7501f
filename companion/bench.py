"""Benchmarks of the rules engine: the CPU time for scoring a pile and for playing a round.

Each measurement calls one function repeatedly for a given time, in `REPEATS` repeats, and returns the median and the best
repeat. It measures the CPU time of this process, which excludes the time of other programs; they still slow it down through
shared caches and memory.
"""

from __future__ import annotations

import platform
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from companion.hanafuda.description import Game
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import Rules
from companion.hanafuda.simulation import random_round

REPEATS = 5
"""Repeats of each measurement: enough for a median."""
_SEED = 48
"""Seed of the random piles, so that every run measures the same ones."""
_PILES = 5_000
"""Number of different piles: more than fit a processor's first cache."""
_EXPLAINED_PILES = 200
"""Of these, how many are explained, which takes a hundred times as long as their totals."""
_ROUNDS = 50
"""Number of different random rounds."""
_TRIAL = 0.25
"""Part of a repeat's time that the trial which counts the calls takes at least."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A benchmark. `ready` prepares it (lookup tables filled) and returns a function that runs it a given number of times."""

    game: str
    slug: str
    text: str
    ready: Callable[[], Callable[[int], None]]


@dataclass(frozen=True, slots=True)
class Measured:
    """Duration of one call of a subject, µs: median and best of the repeats, each of `calls` calls."""

    subject: Subject
    calls: int
    repeats: int
    median: float
    best: float

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement for JSON."""
        return {
            "game": self.subject.game,
            "what": self.subject.slug,
            "sentence": self.subject.text,
            "microseconds": {"median": round(self.median, 3), "best": round(self.best, 3)},
            "calls": self.calls,
            "repeats": self.repeats,
            **machine(),
        }


def measure(subject: Subject, seconds: float) -> Measured:
    """Measure a subject for about ``seconds`` in total, with at least one call per repeat."""
    run = subject.ready()
    # The number of calls per repeat is found by doubling; reading the clock after every call would distort the result.
    calls = 1
    while (elapsed := _timed(run, calls)) < _TRIAL * seconds / REPEATS:
        calls *= 2
    calls = max(1, round(calls * seconds / REPEATS / elapsed))
    times = [_timed(run, calls) / calls * 1e6 for _ in range(REPEATS)]
    return Measured(subject, calls, REPEATS, statistics.median(times), min(times))


def _timed(run: Callable[[int], None], calls: int) -> float:
    started = process_time()
    run(calls)
    return process_time() - started


def machine() -> dict[str, str]:
    """Return the Python version and the processor of this machine."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "cpu": _processor(),
    }


def _processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the processor's name from ``/proc/cpuinfo`` (a Raspberry Pi has it under Model), else from `platform`."""
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    parts = [line.partition(":") for line in lines]
    fields = {key.strip(): value.strip() for key, _, value in parts}
    return fields.get("model name") or fields.get("Model") or platform.processor() or platform.machine()


def _each(function: Callable[[Any], object], items: Sequence[Any]) -> Callable[[int], None]:
    """Return a function that calls ``function`` a given number of times, cycling through ``items``."""
    for item in items:
        function(item)

    def run(calls: int) -> None:
        whole, rest = divmod(calls, len(items))
        for _ in range(whole):
            for item in items:
                function(item)
        for item in items[:rest]:
            function(item)

    return run


def _piles() -> list[int]:
    """Return random piles of 16 to 24 cards, the size of a player's captured pile late in a round."""
    random = Random(_SEED)
    return [
        sum(1 << card for card in random.sample(range(48), random.randint(16, 24))) for _ in range(_PILES)
    ]


def _scorings(game: Game) -> Iterator[Subject]:
    """Yield the benchmarks of scoring piles, if the game scores piles."""
    scorer, rules = game.scorer, game.rules
    if scorer is None:
        return
    if prepare := scorer.prepare:
        yield Subject(game.slug, "pile-total", _TOTAL, lambda: _each(prepare(rules()).total, _piles()))
        yield Subject(game.slug, "pile-yaku", _YAKU, lambda: _each(prepare(rules()).yaku, _piles()))
    if explain := scorer.explain:
        yield Subject(
            game.slug,
            "pile-why",
            _WHY,
            lambda: _each(partial(_with_rules, explain, rules()), _piles()[:_EXPLAINED_PILES]),
        )


def _with_rules(explain: Callable[[int, Rules], object], rules: Rules, pile: int) -> object:
    return explain(pile, rules)


def _rounds(game: str) -> Callable[[], Callable[[int], None]]:
    def ready() -> Callable[[int], None]:
        return _each(lambda seed: random_round(game, seed), range(_ROUNDS))

    return ready


_TOTAL = "the total of a pile of 16 to 24 cards, scorer prepared"
_YAKU = "the yaku of a pile of 16 to 24 cards, scorer prepared"
_WHY = "a pile of 16 to 24 cards with reasons and near yaku"
_ROUND = "a random round, with the legal moves generated before every move"

SUBJECTS: Sequence[Subject] = (
    *(subject for game in GAMES.values() for subject in _scorings(game)),
    *(Subject(game, "round", _ROUND, _rounds(game)) for game in GAMES),
)
"""All benchmarks, with the default rules of each game."""
