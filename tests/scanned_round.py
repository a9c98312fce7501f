"""Rounds of which card readers report every card, beside a camera or without one, from recorded reports and observations.

Each file of `FOLDER` is one round: a line about the round, as in `tests.recorded_observations`, then one line for each frame, or
each tenth of a second without a camera: ``time`` (s), and what came since the line before: ``reports`` of readers, ``calls`` of
players (seat and call), the ``observation`` if the frame is stable; ``moving``, whether something moves over the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import resolve
from companion.observations import Observation
from companion.readers import ReaderReport, ScannedTable
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.referee import Referee
from tests.nets.stored import read_lines
from tests.recorded_observations import cards_of_turn

__all__ = ["FOLDER", "PlayedTable", "play_scanned_round", "recorded_turns"]

FOLDER = Path(__file__).parent / "nets" / "readers"
TIME = "2026-01-01T00:00:00Z"


class PlayedTable:
    """A table with a camera and readers."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        (self.record,) = about["records"]
        """The round as it was played."""
        rules = resolve(about["rules"], about["game"])
        opened = {
            "name": "t", "game": rules.game, "rules": rules.to_dict(), "players": ["A", "B"], "deck": None,
        }  # fmt: skip
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.scanned_table, self.referee = ScannedTable(), Referee(rules, 2)
        self.events: list[Event] = []

    def append(self, new: Sequence[NewEvent], source: Source = "scanner") -> None:
        if new:
            self.events += self.table.append(list(new), actor="eyes", source=source, time=TIME)

    def events_of_type(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]


def play_scanned_round(name: str) -> PlayedTable:
    """Play the round in the file ``name`` of `FOLDER` to its end."""
    about, *lines = read_lines(FOLDER / f"{name}.jsonl.gz")
    played = PlayedTable(about)
    scanned = played.scanned_table
    for line in lines:
        now, watching = line["time"], "moving" in line
        for report in line.get("reports", ()):
            scanned.process([ReaderReport(**report)], played.table)
        for seat, call in line.get("calls", ()):
            with suppress(IllegalMoveError):  # a win needs no call; a table that is behind refuses it
                played.append([NewEvent("moved", {"player": seat, "words": ["call", call]})], "phone")
        if "observation" in line:
            observation = Observation.from_json(line["observation"])
            played.append(scanned.see(observation, played.table, played.referee), "camera")
        if scanned.due is not None and scanned.due <= now:
            played.append(scanned.tick(now, played.table, played.referee, watching=watching))
    played.append(played.referee.close(played.table))
    return played


def recorded_turns(record: Mapping[str, Any]) -> list[Any]:
    """Return a record's turns with look-alikes under one name."""
    return [(*cards_of_turn(turn), turn["call"]) for turn in record["turns"]]
