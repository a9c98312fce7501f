"""Observations of the demo's tables without detection errors, to measure the referee without pictures.

``python -m hanafuda_training.benchmarks.faultless_observations --seeds 0-20`` plays random rounds in many manners and counts the
correctly reported turns, as ``companion bench watch`` does with pictures; ``-v`` prints every event.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from companion.hanafuda.cards import first_of
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of
from companion.observations import ELSEWHERE, HandEvent, Observation, TrackedCard
from companion.table.events import NewEvent
from companion.table.table import Table
from companion.watch.referee import Referee
from companion.watch_lines import WatchLines
from hanafuda_training.benchmarks.watch_accuracy import compare, total
from hanafuda_training.rounds.film import SEED
from hanafuda_training.rounds.fishing import round_moments
from hanafuda_training.rounds.greedy_players import evening
from hanafuda_training.rounds.irregular_rounds import IRREGULAR_ROUNDS
from hanafuda_training.rounds.reference_rounds import REFERENCE_ROUNDS
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.stage import Manner, Moment, Stage

THINGS = frozenset({"paper", "phone", "western"})
#: Minimum duration for which a table must be stable to be observed, s.
SEEN = 1.0
#: Times of observations of a stable table, s after it became stable.
AGAIN = (0.4, 1.0, 2.0)
TIME = "2026-01-01T00:00:00Z"


def observations(moments: Iterable[Moment], confident: float = 0.998) -> Iterator[Observation]:
    """Yield the observations of every stable table; cards less than an eighth visible are not detected."""
    renderer = Renderer(3, size=(640, 360), mess=0.0)
    keys: dict[str, int] = {}
    since: dict[tuple[str, str], float] = {}
    time, number = 0.0, 0
    hand_events: list[HandEvent] = []
    last: object = None
    for moment in moments:
        if moment.hand is not None:
            hand_events += [
                HandEvent(time + moment.seconds * probability, moment.hand.tip(probability), moment.hand.seat)
                for probability in (0.3, 0.7, 1.0)
            ]
        elif moment.seconds >= SEEN and (hand_events or moment.cards != last):
            _, truth = renderer.draw(moment, 0.5)
            cards = [placed for placed in moment.cards if placed.card not in THINGS]
            found = []
            for placed, true in zip(cards, truth, strict=True):
                first = first_of(placed.card)
                if true["visible"] >= 0.125:
                    found.append(
                        TrackedCard(
                            keys.setdefault(placed.card, len(keys) + 1), placed.card, ((first, confident),), placed.zone, placed.at,
                            placed.turn, true["visible"], since.setdefault((placed.card, placed.zone), time),
                        )
                    )  # fmt: skip
            if any(placed.card == "western" for placed in moment.cards):
                found.append(TrackedCard(999, None, (), ELSEWHERE, (0.0, 0.0)))
            # A stable table is observed several times, as by the frame selection.
            for after in AGAIN:
                if after <= moment.seconds:
                    name = f"{number:03d}-{moment.turn:02d}-{moment.what}"
                    yield Observation(name, time + after, tuple(found), tuple(hand_events))
                    number, hand_events = number + 1, []
            last = moment.cards
        time += moment.seconds


def referee_lines(
    record: Mapping[str, Any], moments: Iterable[Moment], verbose: bool = False
) -> list[dict[str, Any]]:
    """Return the lines of ``companion watch --json`` for moments without detection errors."""
    rules = resolve(record["rules"], record["game"])
    opened = {"name": "demo", "game": record["game"], "rules": record["rules"], "deck": None}
    table = Table.open(
        NewEvent("opened", {**opened, "players": [f"P{seat + 1}" for seat in range(record["players"])]}),
        actor="test", source="program", time=TIME,
    )  # fmt: skip
    referee, watch_lines = Referee(rules, record["players"]), WatchLines(table)
    lines: list[dict[str, Any]] = []

    def submit(name: str, new: list[NewEvent]) -> None:
        events = table.append(new, actor="camera", source="camera", time=TIME) if new else []
        lines.extend(watch_lines.after(events))
        if verbose:
            print(name, [(each.kind, each.data.get("words") or each.data.get("code") or "") for each in new])

    for observation in observations(moments):
        submit(observation.frame, referee.see(observation, table))
    submit("close", referee.close(table))
    return [*lines, *watch_lines.finish()]


def odd_record() -> dict[str, Any]:
    """Return the round with which the odd tables begin."""
    return record_of(next(evening("koikoi", SEED)))


def odd_stage() -> Stage:
    """Return a table of tidy and fast players."""
    return Stage(np.random.default_rng(3), Manner(reach=0.5, rest=1.3, pause=1.1, mm=1.0, degrees=2.0))


def odd_lines(name: str, verbose: bool = False) -> list[dict[str, Any]]:
    """Return the lines of an odd table."""
    record = odd_record()
    return referee_lines(record, IRREGULAR_ROUNDS[name](odd_stage(), record), verbose)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m hanafuda_training.benchmarks.faultless_observations", description=__doc__
    )
    parser.add_argument("--game", default="koikoi", choices=("koikoi", "kekoro"))
    parser.add_argument("--rules")
    parser.add_argument("--seeds", default="0-9", help="a number, or first-last")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument(
        "--exam",
        nargs="?",
        const="",
        metavar="NAME",
        help="the rounds of rounds/reference_rounds.py instead",
    )
    parser.add_argument(
        "--odd", action="store_true", help="the twelve odd tables instead, and what is reported of each"
    )
    asked = parser.parse_args()
    if asked.odd:
        for name in IRREGULAR_ROUNDS:
            print(name)
            for line in odd_lines(name, asked.verbose):
                print(
                    "  ", {key: line[key] for key in line if key not in {"ja", "yaku", "message", "choices"}}
                )
        return
    first, _, last = asked.seeds.partition("-")
    rounds = [
        (str(seed), seed, record_of(random_round(asked.game, seed, asked.rules)))
        for seed in range(int(first), int(last or first) + 1)
    ]
    if asked.exam is not None:
        papers = [
            paper
            for paper in REFERENCE_ROUNDS
            if asked.exam in paper.name and paper.game in {"koikoi", "kekoro"}
        ]
        rounds = [(paper.name, paper.seed, paper.record()) for paper in papers]
    found = []
    for name, seed, record in rounds:
        rng = np.random.default_rng((seed, 9))
        manner = Manner.drawn(rng, 0.4)
        lines = referee_lines(record, round_moments(Stage(rng, manner), record), asked.verbose)
        each = compare(name, lines, record)
        found.append(each)
        if each.turns.hits != each.turns.n or not each.points or each.problems or each.questions:
            print(
                f"{name} ({manner.collect}, pause {manner.pause}, step {manner.step}): {each.turns.hits}/{each.turns.n},"
                f" raised {each.raised}, silent {each.silent}, extra {each.extra}, points {each.points},"
                f" problems {each.problems}, questions {each.questions}"
            )
            right = [line for line in lines if line["event"] == "turn"]
            for number, turn in enumerate(record["turns"], start=1):
                if asked.verbose:
                    print(number, turn)
            for line in right if asked.verbose else ():
                print("  reported", line)
    print(total(found))


if __name__ == "__main__":
    main()
