"""Delta encoding of changes: clients can restore the complete state, and messages stay small all evening."""

from __future__ import annotations

import json
from random import Random

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from api.live.live_table import StateJson
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.simulation import random_round, record_of
from companion.table import NewEvent, Table
from tests.api.api_helpers import context_of
from tests.api.table_helpers import joined, open_table

WHO = {"actor": "a test", "source": "phone", "time": "2026-11-21T19:00:00.000Z"}
ROUNDS = 12


def koikoi() -> Table:
    opened = {"name": None, "game": "koikoi", "rules": None, "players": ["Aiko", "Ben"], "deck": None}
    return Table.open(NewEvent("opened", opened), **WHO)  # type: ignore[arg-type]


def deal(table: Table, seed: int) -> NewEvent:
    """Return a deal with only the field known, as a camera reports it."""
    record = record_of(random_round("koikoi", seed))
    return NewEvent("dealt", {"deal": {"field": record["deal"]["field"]}, "dealer": table.game.dealer})


def move(table: Table, rng: Random) -> NewEvent:
    assert table.round is not None
    made = rng.choice(table.round.legal_moves())
    return NewEvent("moved", {"player": made.player, "words": list(made.words())})


def something(table: Table, rng: Random) -> NewEvent | None:
    """Return the next events to report: mostly moves, sometimes changes of earlier events; None if impossible."""
    seq = rng.randint(1, table.seq)
    match rng.choice(["move"] * 6 + ["undo", "redo", "correct", "strike", "seat", "rules"]):
        case "move":
            over = table.live is None or table.live.outcome is not None
            return deal(table, rng.randrange(1000)) if over else move(table, rng)
        case "undo" | "redo" as which:
            target = table.undo_target() if which == "undo" else table.redo_target()
            return target and NewEvent("undone", {"of": target.seq})
        case "correct":
            instead = table.alternatives(seq)
            return (
                NewEvent("corrected", {"of": seq, **rng.choice(instead)["event"]["data"]})
                if instead
                else None
            )
        case "strike":
            return NewEvent("corrected", {"of": seq, "kind": None})
        case "seat":
            return NewEvent("seated", {"seat": rng.randint(1, 2), "name": rng.choice(["Aya", "Bo", ""])})
    opened = {**table.opened, "rules": rng.choice(["koikoi-standard", "koikoi-nintendo"])}
    return NewEvent("corrected", {"of": 1, "kind": "opened", "data": opened})


@given(seed=st.integers(0, 2**32), reported=st.integers(1, 60))
@settings(max_examples=25, deadline=None)
def test_put_together_again_a_change_is_the_whole_state(seed: int, reported: int) -> None:
    table, rng = koikoi(), Random(seed)
    page, before = table.view(), StateJson(table.view())
    for _ in range(reported):
        event = something(table, rng)
        try:
            table.append([event] if event else [], **WHO)  # type: ignore[arg-type]
        except (BadRequestError, IllegalMoveError):
            continue  # such as an undo that would leave moves without a deal
        state = StateJson(table.view(), before)
        kept = state.unchanged(before)
        page, before = joined(page, {"from": kept, "state": json.loads(state.text_from(kept))}), state
        assert page == json.loads(json.dumps(table.view())) == json.loads(state.text)


def test_a_turn_brings_one_line_and_a_correction_those_from_there_on() -> None:
    table, rng = koikoi(), Random(1)
    table.append([deal(table, 1)], **WHO)  # type: ignore[arg-type]
    for _ in range(6):
        table.append([move(table, rng)], **WHO)  # type: ignore[arg-type]
    lines = [line["kind"] for line in table.view()["history"]]
    assert lines == ["deal", "turn", "turn", "turn"]

    def reported(*events: NewEvent) -> tuple[dict[str, int], list[str]]:
        before = StateJson(table.view())
        table.append(events, **WHO)  # type: ignore[arg-type]
        state = StateJson(table.view(), before)
        kept = state.unchanged(before)
        return kept, [line["kind"] for line in json.loads(state.text_from(kept))["history"]]

    assert reported(move(table, rng)) == ({"history": 4, "trail": 0, "rounds": 0}, ["turn"])
    assert reported(move(table, rng)) == ({"history": 4, "trail": 0, "rounds": 0}, ["turn"])
    assert reported(NewEvent("undone", {"of": table.seq})) == (
        {"history": 4, "trail": 0, "rounds": 0},
        ["turn"],
    )
    second = NewEvent("corrected", {"of": 5, **table.alternatives(5)[0]["event"]["data"]})
    kept, lines = reported(second)
    assert (kept, lines[0]) == ({"history": 2, "trail": 1, "rounds": 0}, "turn")


@pytest.mark.parametrize("corrects", [False, True])
def test_changes_stay_small_all_evening(app: APIFlask, client: FlaskClient, corrects: bool) -> None:
    """Over the stream: a follower has the same state as the server's response, for a tenth of the bytes."""
    table_id, rng = open_table(client), Random(3)
    tables, hub = context_of(app).tables, context_of(app).hub
    follower = hub.follow(table_id)
    page, seq = json.loads(tables.now(table_id).state), 1
    sizes: list[int] = []

    def submit(*events: NewEvent) -> None:
        nonlocal page, seq
        reported = tables.report(table_id, events, actor="a test", source="phone")
        message = follower.take()
        assert message is not None
        change = json.loads(message.split(b"data: ")[1])
        assert (change["after"], change["seq"]) == (seq, reported.seq)
        page, seq = joined(page, change), reported.seq
        sizes.append(len(message))

    with tables.at(table_id) as table:
        for number in range(ROUNDS):
            sizes.clear()
            submit(deal(table, number))
            while table.live is not None and table.live.outcome is None:
                submit(*[move(table, rng)])
            if corrects:
                undo = table.undo_target()
                assert undo is not None
                submit(NewEvent("undone", {"of": undo.seq}))
                submit(NewEvent("undone", {"of": table.seq}))
            assert page == json.loads(tables.now(table_id).state)
        whole = len(tables.now(table_id).state.encode())
    follower.close()
    assert whole > 80_000
    assert max(sizes) < whole / 10
