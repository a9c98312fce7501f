"""Observations of watched rounds, recorded once, as input of the referee: no pictures, no networks.

Each file of `FOLDER` is one round: a line about the round (``source``, ``game``, ``rules``, ``players``, and ``record``, the round as
it was played, if the pictures were drawn from a record), then one line for each observation, as
`companion.observations.Observation.to_json` writes it, without ``extra``. `tests/nets/README.md` says how they were made.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.hanafuda.cards import first_of
from companion.hanafuda.rules import Rules, resolve
from companion.observations import Observation
from companion.watch.referee import Referee
from companion.watch_session import WatchSession

__all__ = [
    "FOLDER",
    "RecordedRound",
    "cards_of_turn",
    "recorded_round",
    "standing_turns",
    "table_change",
    "watched_lines",
]

FOLDER = Path(__file__).parent / "nets" / "observations"


@dataclass(frozen=True, slots=True)
class RecordedRound:
    """The observations of a round."""

    source: str
    """What the camera saw, and how often."""
    rules: Rules
    players: int
    records: Sequence[Mapping[str, Any]]
    """The rounds as they were played, one after the other; none if they are not part of this repository."""
    observations: tuple[Observation, ...]


def recorded_round(name: str) -> RecordedRound:
    """Return the round in the file ``name`` of `FOLDER`."""
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        about, *observations = map(json.loads, file)
    return RecordedRound(
        about["source"],
        resolve(about["rules"], about["game"]),
        about["players"],
        about.get("records", ()),
        tuple(map(Observation.from_json, observations)),
    )


def watched_lines(
    recorded: RecordedRound, make_referee: Callable[[Rules, int], Any] = Referee
) -> list[dict[str, Any]]:
    """Return the lines of ``companion watch --json`` for a recorded round."""
    names = [f"P{seat}" for seat in range(1, recorded.players + 1)]
    session = WatchSession(recorded.rules, names, None, make_referee)
    lines = [line for observation in recorded.observations for line in session.observe(observation)]
    return [*lines, *session.finish()]


def standing_turns(lines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the turns of the lines of ``companion watch --json`` that were not undone."""
    turns: list[Mapping[str, Any]] = []
    for line in lines:
        if line["event"] == "turn":
            turns.append(line)
        elif line["event"] == "undone" and line["of"]["event"] == "turn":
            turns.pop()  # a turn is undone after all that followed it
    return turns


def cards_of_turn(turn: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return player and cards of a turn of a fishing game; of two look-alikes, which a camera may not tell apart, the first."""

    def first(card: str | None) -> str | None:
        return card and first_of(card)

    captured = (sorted(map(first_of, turn[key])) for key in ("captured", "draw_captured"))
    return (turn["player"], first(turn["play"]), first(turn["draw"]), *captured)


def table_change(turn: Any) -> tuple[Any, ...]:
    """Return player, cards and captures of a turn, in whatever order they were played."""
    player, play, draw, captured, draw_captured = cards_of_turn(turn)
    return player, sorted((play, draw)), sorted([*captured, *draw_captured])
