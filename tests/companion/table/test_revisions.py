"""A program changes its mind: one group of events turns the moves of the round into others and touches nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.messages import Message
from companion.hanafuda.round import Move
from companion.messages import render
from companion.table import NewEvent, Table
from companion.table.events import PEOPLE
from companion.table.revisions import revision
from tests.companion.table.fold_helpers import moved, opened, reported, shuffled_deal, state

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
TURNS = [
    [(1, "play pine-crane pine-ribbon"), (1, "draw maple-ribbon maple-deer")],
    [(2, "play plum-warbler plum-ribbon"), (2, "draw willow-swallow")],
    [(1, "play paulownia-phoenix"), (1, "draw willow-ribbon willow-swallow")],
    [(2, "play cherry-ribbon cherry-chaff-1"), (2, "draw paulownia-chaff-1 paulownia-phoenix")],
]
EXCHANGED = [(2, "play willow-swallow"), (2, "draw plum-warbler plum-ribbon")]


def watched(turns: Sequence[Sequence[tuple[int, str]]]) -> Table:
    """Return a table with turns, each a group of the camera."""
    table = opened("koikoi")
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD}, "dealer": 1}))
    for turn in turns:
        reported(table, *reports([turn]), source="camera")
    return table


def reports(turns: Sequence[Sequence[tuple[int, str]]]) -> list[NewEvent]:
    return [moved(player, words) for turn in turns for player, words in turn]


def revised(table: Table, new: Sequence[NewEvent]) -> list[NewEvent]:
    """Append the revision as the camera does and return it."""
    assert table.live is not None
    events = revision(table.live, new)
    if events:
        reported(table, *events, source="camera")
    return events


def moves(table: Table) -> list[str]:
    assert table.round is not None
    return [f"{move.player} {' '.join(move.words())}" for move in table.round.moves]


def expected(turns: Sequence[Sequence[tuple[int, str]]]) -> list[str]:
    return [f"{player} {words}" for turn in turns for player, words in turn]


def kinds(events: Sequence[NewEvent]) -> list[tuple[str, int]]:
    """Return the kind of each event and the number of the event that it concerns, 0 for none."""
    return [(event.kind, event.data.get("of", event.data.get("before", 0))) for event in events]


def test_the_same_moves_need_no_event() -> None:
    table = watched(TURNS)
    assert table.live is not None
    assert revision(table.live, reports(TURNS)) == []


CASES: dict[str, tuple[Any, list[tuple[str, int]]]] = {
    "exchanged cards": ([TURNS[0], EXCHANGED, *TURNS[2:]], [("corrected", 5), ("corrected", 6)]),
    "one card": (
        [[TURNS[0][0], (1, "draw maple-chaff-1 maple-deer")], *TURNS[1:]],
        [("corrected", 4)],
    ),
    "a turn that did not happen": (TURNS[:3], [("corrected", 9), ("corrected", 10)]),
    "more turns": ([*TURNS, [(1, "play iris-ribbon iris-bridge")]], [("moved", 0)]),
    "all players": (
        [[(3 - player, words) for player, words in turn] for turn in TURNS],
        [("corrected", seq) for seq in range(3, 11)],
    ),
    "none at all": ([], [("corrected", seq) for seq in range(3, 11)]),
}


@pytest.mark.parametrize("case", CASES)
def test_only_what_differs_has_events(case: str) -> None:
    turns, events = CASES[case]
    table = watched(TURNS)
    dealer = [NewEvent("began", {"dealer": 2})] if case == "all players" else []
    assert table.live is not None
    group = revision(table.live, reports(turns))
    assert kinds(group) == events
    appended = reported(table, *dealer, *group, source="camera")
    assert moves(table) == expected(turns)
    assert len({event.group for event in appended}) == 1


def test_a_missed_turn_is_inserted_and_the_others_keep_their_numbers() -> None:
    missed = [TURNS[0], *TURNS[3:]]
    table = opened("koikoi")
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD}, "dealer": 1}))
    reported(table, *reports(missed[:1]), source="camera")
    second = [(2, "play cherry-ribbon cherry-chaff-1"), (2, "draw paulownia-chaff-1")]
    reported(table, *reports([second]), source="camera")
    between = [(2, "play plum-warbler plum-ribbon"), (2, "draw willow-swallow")]
    after = [(1, "play paulownia-phoenix"), (1, "draw willow-ribbon willow-swallow")]
    last = [second[0], (2, "draw paulownia-chaff-1 paulownia-phoenix")]
    events = revised(table, reports([TURNS[0], between, after, last]))
    assert kinds(events) == [*[("inserted", 5)] * 4, ("corrected", 6)]
    assert moves(table) == expected([TURNS[0], between, after, last])
    lines = [line for line in table.view()["history"] if line["kind"] == "turn"]
    assert [line["missed"] for line in lines] == [False, True, True, False]
    assert lines[-1]["moves"][0]["seq"] == 5


@pytest.mark.parametrize(
    ("before", "after", "events"),
    [
        (0.5, None, [("corrected", 4)]),
        (0.95, 0.5, [("corrected", 4)]),
        (0.5, 0.6, []),
        (None, 0.95, []),
    ],
)
def test_the_order_alone_is_corrected_if_it_becomes_known_or_unknown(
    before: float | None, after: float | None, events: list[tuple[str, int]]
) -> None:
    play, draw = TURNS[0]

    def turn(order: float | None) -> list[NewEvent]:
        more: dict[str, Any] = {} if order is None else {"order": order}
        return [moved(*play), moved(*draw, **more)]

    table = watched([])
    reported(table, *turn(before), source="camera")
    assert kinds(revised(table, turn(after))) == events
    assert table.view()["history"][-1]["order_unknown"] is (0.5 in (before, after) and after in (0.5, 0.6))


@pytest.mark.parametrize("source", sorted(PEOPLE))
@pytest.mark.parametrize("how", ["reported", "corrected"])
def test_what_a_person_reported_stays(source: Any, how: str) -> None:
    table = watched(TURNS[:1])
    if how == "reported":
        reported(table, *reports(TURNS[1:2]), source=source)
    else:
        reported(table, *reports([EXCHANGED]), source="camera")
        contents = [{"kind": "moved", "data": event.data} for event in reports(TURNS[1:2])]
        corrections = [
            NewEvent("corrected", {"of": seq, **content})
            for seq, content in zip((5, 6), contents, strict=True)
        ]
        reported(table, *corrections, source=source)
    for other in ([TURNS[0]], [TURNS[0], EXCHANGED], [TURNS[0], *TURNS[1:2]]):
        assert revised(table, reports(other)) == []
    first = [(1, "play maple-ribbon maple-deer"), (1, "draw pine-crane pine-ribbon")]
    assert kinds(revised(table, reports([first, TURNS[1]]))) == [("corrected", 3), ("corrected", 4)]
    assert moves(table) == expected([first, TURNS[1]])


def test_after_a_reset_only_the_moves_since_then_are_revised() -> None:
    table = watched(TURNS[:2])
    round_ = table.view()["round"]
    captured = [[card for pile in seat["captured"].values() for card in pile] for seat in round_["seats"]]
    reported(table, NewEvent("set", {"field": round_["field"], "captured": captured, "to_move": 1}))
    reported(table, *reports(TURNS[2:3]), source="camera")
    other = [(1, "play willow-ribbon willow-swallow"), (1, "draw paulownia-phoenix")]
    assert kinds(revised(table, reports([other]))) == [("corrected", 8), ("corrected", 9)]
    assert moves(table) == expected([*TURNS[:2], other])


def test_an_illegal_move_that_was_seen_stays_unchecked() -> None:
    table = watched(TURNS[:2])
    twice = moved(1, "play pine-crane", unchecked=True)
    revised(table, [*reports(TURNS[:2]), twice])
    assert moves(table)[-1] == "1 play pine-crane"
    assert table.view()["history"][-1]["problems"]
    assert revised(table, [*reports(TURNS[:2]), twice]) == []


def continued(table: Table, rng: Random, since: int) -> list[Move]:
    """Return another course of the round, the same up to a move."""
    assert table.round is not None
    other = table.round.copy()
    while len(other.moves) > since:
        other.pop()
    for _ in range(rng.randint(0, 30)):
        if not (legal := other.legal_moves()):
            break
        other.push(rng.choice(legal))
    return list(other.moves)


@given(seed=st.integers(0, 2**32), played=st.integers(0, 40), since=st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_any_course_of_a_round_can_become_any_other_and_one_undo_restores_it(
    seed: int, played: int, since: int
) -> None:
    rng = Random(seed)
    table = opened("koikoi")
    reported(table, shuffled_deal(table, seed))
    for _ in range(played):
        assert table.round is not None
        if not (legal := table.round.legal_moves()):
            break
        move = rng.choice(legal)
        reported(table, moved(move.player, " ".join(move.words())), source="camera")
    before = state(table)
    new = continued(table, rng, since)
    log = table.seq
    events = revised(table, [moved(move.player, " ".join(move.words())) for move in new])
    assert table.round is not None
    assert list(table.round.moves) == new
    assert not any(line["problems"] for line in table.view()["history"])
    if events:
        assert {event.group for event in table.events[log:]} == {log + 1}
        reported(table, NewEvent("undone", {"of": log + 1}))
    assert state(table) == before


SENTENCES: dict[str, tuple[Any, str]] = {
    "exchanged cards": (
        [TURNS[0], EXCHANGED, *TURNS[2:]],
        "Corrected: Ben plays Bush Warbler and takes Plum Poetry Ribbon; draws Swallow"
        " → Ben plays Swallow; draws Bush Warbler and takes Plum Poetry Ribbon",
    ),
    "a turn that did not happen": (
        TURNS[:3],
        "Deleted: Ben plays Cherry Poetry Ribbon and takes Cherry Chaff; draws Paulownia Chaff and takes Phoenix",
    ),
    "corrected and added": (
        [
            [TURNS[0][0], (1, "draw maple-chaff-1 maple-deer")],
            *TURNS[1:],
            [(1, "play iris-ribbon iris-bridge")],
        ],
        "Corrected: Aiko draws Maple Blue Ribbon and takes Deer → Aiko draws Maple Chaff and takes Deer;"
        " Added: Aiko plays Iris Ribbon and takes Bridge",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_a_revision_is_one_correction_of_the_history_which_one_undo_takes_back(case: str) -> None:
    turns, sentence = SENTENCES[case]
    table = watched(TURNS)
    before = state(table)
    revised(table, reports(turns))
    view = table.view()
    assert [render(Message.from_dict(each["says"])) for each in view["trail"]] == [sentence]
    assert render(Message.from_dict(view["undo"]["says"])) == sentence
    (undone,) = reported(table, NewEvent("undone", {"of": view["undo"]["seq"]}))
    assert state(table) == before
    assert render(table.says(undone)) == f"Undone: {sentence}"
    assert [each["holds"] for each in table.view()["trail"]] == [False, True]
