"""Measures how many turns the referee reports correctly: ``python tests/companion/referee/referee_measure.py ROUNDS
[FIRST_SEED]``.

Random rounds of the three Koi-Koi presets and Kekoro, observed with the errors of `Mess`. Errors are
corrected from a phone before the next turn, so that every turn is judged separately. Turns are also counted
as right if only the order of the two cards is wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from time import process_time
from typing import Any

from referee_session import Session

from companion.hanafuda.fishing import Call, FishingMove
from companion.hanafuda.simulation import random_round
from companion.table.events import NewEvent
from tests.companion.watch.fishing_sim import Mess, first_of, play_turn, reported, turns_of

GAMES = [
    ("koikoi", "koikoi-standard"),
    ("koikoi", "koikoi-guide"),
    ("koikoi", "koikoi-hu"),
    ("kekoro", "kekoro"),
]
PATIENCE = 4
"""Number of further observations that the referee gets for an unreported turn."""


def measure(game: str, rules: str, seed: int, mess: Mess, counts: Counter[str]) -> None:
    """Play one round and count its turns."""
    truth = random_round(game, seed, rules)
    session = Session(truth.rules, mess=mess, dealer=None, seed=seed)
    session.deal(truth.deal.field)
    session.observations(2)
    played = session.table.round
    if played is None or cards(played.deal.field) != cards(truth.deal.field):
        counts["deals not right at once"] += 1
        put_right(session, truth, [])
    done: list[FishingMove] = []
    for moves in turns_of(truth.moves):
        start = process_time()
        observations = list(play_turn(session.top, moves))
        for observation in observations:
            session.see(observation)
        done += [move for move in moves if not isinstance(move, Call)]
        for _ in range(PATIENCE):
            if len(plays(session)) >= len(done):
                break
            observations.append(session.top.observation())
            session.see(observations[-1])
        counts["looks"] += len(observations)
        counts["ms"] += round(1000 * (process_time() - start))
        counts["turns"] += 1
        verdict = judged(session, done)
        counts[verdict] += 1
        calls = [move for move in moves if isinstance(move, Call)]
        if verdict not in {"right", "right but for the order"}:
            put_right(session, truth, list(truth.moves[: truth.moves.index(moves[-1]) + 1 - len(calls)]))
        live: Any = session.table.round
        for call in calls:
            if not live.check(call):
                session.submit(moved(call))
    counts["rounds"] += 1


def judged(session: Session, done: list[FishingMove]) -> str:
    """Return how the last turn was reported."""
    got = plays(session)
    if len(got) == len(done) and taken(got) == taken(done):
        return "right" if reported(got[-2:]) == reported(done[-2:]) else "right but for the order"
    if session.table.open_questions:
        return "asked"
    if session.table.open_problems:
        return "problem"
    return "silent" if len(got) < len(done) else "wrong"


def plays(session: Session) -> list[FishingMove]:
    live: Any = session.table.round
    return [move for move in live.moves if not isinstance(move, Call)]


def cards(ids: Any) -> list[str]:
    return sorted(map(first_of, ids))


def taken(moves: list[FishingMove]) -> list[list[Any]]:
    """Return the cards of each turn, in any order."""
    turns = [moves[start : start + 2] for start in range(0, len(moves), 2)]
    return [
        [turn[0].player, sorted({each for _, _, card, took in reported(turn) for each in (card, *took)})]
        for turn in turns
    ]


def moved(move: FishingMove) -> NewEvent:
    return NewEvent("moved", {"player": move.player, "words": list(move.words())})


def put_right(session: Session, truth: Any, moves: list[FishingMove]) -> None:
    """Report the true round from a phone."""
    open_now = [*session.table.open_questions, *session.table.open_problems]
    broken = [NewEvent("abandoned", {})] if session.table.round else []
    data = {
        "deal": {"field": list(truth.deal.field)},
        "dealer": truth.dealer,
        "month": truth.situation().get("month"),
    }
    settled = [NewEvent("settled", {"of": event.seq}) for event in open_now]
    session.submit(*settled, *broken, NewEvent("dealt", data), *map(moved, moves))


if __name__ == "__main__":
    rounds, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found: Counter[str] = Counter()
    for each in range(first, first + rounds):
        measure(*GAMES[each % len(GAMES)], each, Mess(), found)
    for name, count in sorted(found.items()):
        print(f"{name:28} {count}")
    print(f"{'captures right':28} {(found['right'] + found['right but for the order']) / found['turns']:.2%}")
