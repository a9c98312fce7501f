"""Turns of which it was not seen which of the two cards came from the hand."""

from __future__ import annotations

from typing import Any

import pytest

from companion.hanafuda.messages import Message
from companion.messages import render
from companion.table import NewEvent, Source, Table
from companion.table.replay import replay_of
from tests.companion.table.fold_helpers import moved, opened, reported, state

FIELD = [
    "pine-ribbon",
    "plum-ribbon",
    "cherry-chaff-1",
    "iris-bridge",
    "peony-ribbon",
    "clover-boar",
    "susuki-geese",
    "maple-deer",
]
PLAY = "play pine-crane pine-ribbon"
DRAW = "draw maple-ribbon maple-deer"
PLAYED, DRAWN = 3, 4  # the numbers of their events


def watched(order: float | None, source: Source = "camera") -> Table:
    """Return a table with one turn."""
    table = opened("koikoi")
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD}, "dealer": 1}))
    more = {} if order is None else {"order": order}
    reported(table, moved(1, PLAY), moved(1, DRAW, **more), source=source)
    return table


def corrected(seq: int, words: str, **more: Any) -> NewEvent:
    return NewEvent("corrected", {"of": seq, "kind": "moved", "data": {**moved(1, words).data, **more}})


def unknown(table: Table) -> bool:
    """Whether the history's last line and the replay's steps of its cards say that the order is unknown."""
    in_history = table.view()["history"][-1]["order_unknown"]
    in_replay = [step["order_unknown"] for step in replay_of(table, 1)["steps"]]
    assert in_replay == [False, in_history, in_history]
    return bool(in_history)


@pytest.mark.parametrize(
    ("order", "expected"),
    [(0.0, True), (0.62, True), (0.899, True), (0.9, False), (1.0, False), (None, False)],
)
def test_the_order_is_unknown_below_nine_in_ten(order: float | None, expected: bool) -> None:
    assert unknown(watched(order)) is expected


def test_an_unknown_order_changes_nothing_but_its_note() -> None:
    sure, unsure = watched(None), watched(0.5)
    for table in (sure, unsure):
        reported(
            table, moved(2, "play plum-warbler plum-ribbon"), moved(2, "draw cherry-curtain cherry-chaff-1")
        )
    views = [state(table) for table in (sure, unsure)]
    assert [[line["order_unknown"] for line in view["history"]] for view in views] == [
        [False, False, False],
        [False, True, False],
    ]
    assert views[0]["round"] == views[1]["round"]
    assert views[1]["questions"] == views[1]["problems"] == []
    assert sure.record(1) == unsure.record(1)


@pytest.mark.parametrize(
    "correction",
    [
        corrected(PLAYED, "play maple-ribbon maple-deer"),
        corrected(DRAWN, "draw maple-chaff-1 maple-deer"),
        corrected(DRAWN, DRAW),
    ],
    ids=["the card from the hand", "the drawn card", "the same drawn card"],
)
def test_a_correction_by_a_person_ends_the_doubt(correction: NewEvent) -> None:
    table = watched(0.5)
    events = reported(table, correction, source="phone")
    assert not unknown(table)
    reported(table, NewEvent("undone", {"of": events[0].seq}))
    assert unknown(table)


@pytest.mark.parametrize(("order", "expected"), [(0.97, False), (0.3, True)])
def test_a_correction_by_the_camera_has_its_own_doubt(order: float, expected: bool) -> None:
    table = watched(0.5)
    reported(
        table,
        corrected(PLAYED, "play maple-ribbon maple-deer"),
        corrected(DRAWN, "draw pine-crane pine-ribbon", order=order),
        source="camera",
    )
    assert unknown(table) is expected


def test_a_call_by_a_button_does_not_tell_which_card_was_played() -> None:
    table = opened("koikoi")
    field = ["susuki-moon", "pine-chaff-1", *FIELD[1:7]]
    field[field.index("susuki-geese")] = "willow-swallow"
    reported(table, NewEvent("dealt", {"deal": {"field": field}, "dealer": 1}))
    reported(
        table,
        moved(1, "play susuki-chaff-1 susuki-moon"),
        moved(1, "draw chrysanthemum-sake", order=0.5),
        source="camera",
    )
    reported(
        table, moved(2, "play plum-warbler plum-ribbon"), moved(2, "draw paulownia-chaff-1"), source="camera"
    )
    reported(
        table,
        moved(1, "play chrysanthemum-ribbon chrysanthemum-sake"),
        moved(1, "draw paulownia-phoenix paulownia-chaff-1", order=0.5),
        source="camera",
    )
    reported(table, moved(1, "call koikoi"), source="button")
    last = table.view()["history"][-1]
    assert (last["call"], last["order_unknown"]) == ("koikoi", True)


def test_what_a_person_entered_has_a_known_order() -> None:
    assert not unknown(watched(0.5, source="phone"))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "which of the two came from the hand was not seen"),
        ("ja", "どちらが手札の札かは見えなかった"),
        ("ko", "둘 중 어느 패가 손패인지 보이지 않았어요"),
    ],
)
def test_the_note_in_each_language(language: str, text: str) -> None:
    assert render(Message("turn-order-unknown"), language) == text
