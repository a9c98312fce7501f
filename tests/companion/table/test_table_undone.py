"""After any undo, deletion or correction, the table can be displayed, and its rounds can be exported and replayed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.registry import GAMES
from companion.hanafuda.replay import replay
from companion.hanafuda.round import IllegalMoveError, Round
from companion.hanafuda.simulation import random_round, record_of
from companion.table import NewEvent, Table

PLAYERS = {"koikoi": 2, "kekoro": 2, "kakkuri": 7, "kingo": 3, "kingo-bank": 3}
NOW = "2026-11-21T19:00:00.000Z"


def opened(game: str, players: int) -> Table:
    data = {
        "name": "Parlour",
        "game": game,
        "rules": None,
        "players": [f"P{seat}" for seat in range(1, players + 1)],
        "deck": None,
    }
    return Table.open(NewEvent("opened", data), actor="host", source="keyboard", time=NOW)


def events_of(played: Round[Any, Any, Any]) -> list[NewEvent]:
    """Return the events of a round: the deal, then each move."""
    record = record_of(played)
    data = {"deal": record["deal"], "dealer": record["dealer"]}
    data |= {key: record[key] for key in (*played.situation_keys, "month") if key in record}
    moves = [NewEvent("moved", {"player": move.player, "words": list(move.words())}) for move in played.moves]
    return [NewEvent("dealt", data), *moves]


def submit(table: Table, event: NewEvent) -> bool:
    """Append an event; return whether the table accepted it."""
    try:
        table.append([event], actor="host", source="phone", time=NOW)
    except (BadRequestError, IllegalMoveError):
        return False
    return True


def check_everything(table: Table) -> None:
    """Compute everything that the API and the export return."""
    json.dumps(table.view())
    table.legal_moves()
    for seq in range(max(1, table.seq - 8), table.seq + 1):
        table.alternatives(seq)
    for number in range(1, table.round_number + 1):
        record = json.loads(json.dumps(table.record(number)))
        replay(record)
        read = GAMES[table.rules.game].round.from_record(record)
        for turn in record["turns"]:
            for move in read.read_turn(turn):
                read.push(move, unchecked=True)


def test_a_draw_without_its_undone_play_survives_a_record() -> None:
    """A play was undone, the draw that followed it was not: /records failed, and the export ended at that table."""
    table = opened("koikoi", 2)
    played = random_round("koikoi", 3)
    dealt, *moves = events_of(played)
    for event in (dealt, *moves[:2]):
        assert submit(table, event)
    assert submit(table, NewEvent("undone", {"of": 3}))
    record = table.record(1)
    draw = moves[1].data["words"][1]
    assert [(turn["play"], turn["draw"]) for turn in record["turns"]] == [(None, draw)]
    replayed = replay(record)
    assert not replayed.legal
    assert {noted.problem.code for noted in replayed.noted}.isdisjoint({"bad-request", "unknown-card"})


@pytest.mark.parametrize("game", PLAYERS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.data())
def test_any_sequence_of_undo_and_deletion(game: str, data: st.DataObject) -> None:
    table = opened(game, PLAYERS[game])
    played = random_round(game, data.draw(st.integers(0, 400)), players=PLAYERS[game])
    events = events_of(played)
    for event in events[: data.draw(st.integers(2, min(len(events), 40)))]:
        submit(table, event)
    for _ in range(data.draw(st.integers(1, 5))):
        seq = data.draw(st.integers(2, table.seq))
        other = data.draw(st.sampled_from(events[1:])).data
        event = data.draw(
            st.sampled_from(
                [
                    NewEvent("undone", {"of": seq}),
                    NewEvent("corrected", {"of": seq, "kind": None}),
                    NewEvent("corrected", {"of": seq, "kind": "moved", "data": {**other, "unchecked": True}}),
                    NewEvent(
                        "inserted", {"before": seq, "kind": "moved", "data": {**other, "unchecked": True}}
                    ),
                    NewEvent("moved", {**other, "unchecked": True}),
                ]
            )
        )
        submit(table, event)
    check_everything(table)
    assert Table.of(table.events).view() == table.view()
