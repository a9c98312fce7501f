"""The lines of ``companion watch``: deal, turns, yaku, calls, problems, questions, undos, rounds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click
import pytest

from companion.hanafuda.replay import replay
from companion.hanafuda.rules import resolve
from companion.observations import Observation
from companion.table import NewEvent, Table
from companion.table.revisions import revision
from companion.watch_lines import WatchLines
from companion.watch_session import WatchSession
from companion.watch_text import line_text

NAMES = ["Aiko", "Ben"]
FIELD = [
    "susuki-moon",
    "pine-chaff-1",
    "plum-ribbon",
    "cherry-ribbon",
    "iris-bridge",
    "peony-ribbon",
    "clover-boar",
    "maple-deer",
]


def table() -> Table:
    opened = {"name": "t", "game": "koikoi", "rules": None, "players": NAMES, "deck": None}
    return Table.open(NewEvent("opened", opened), actor="t", source="program", time="2026-01-01T00:00:00Z")


def moved(player: int, *words: str, confidence: float = 0.9, frame: str = "f1") -> NewEvent:
    return NewEvent("moved", {"player": player, "words": list(words)}, confidence, frame)


DEALT = NewEvent("dealt", {"deal": {"field": FIELD}, "dealer": 1}, 0.99, "f0")
FIRST = (
    moved(1, "play", "chrysanthemum-sake"),
    moved(1, "draw", "pine-crane", "pine-chaff-1", confidence=0.8),
)
SECOND = (moved(2, "play", "plum-warbler", "plum-ribbon"), moved(2, "draw", "iris-chaff-1", "iris-bridge"))
#: Aiko captures moon and sake cup: moon viewing, and a decision.
THIRD = (
    moved(1, "play", "susuki-geese", "susuki-moon"),
    moved(1, "draw", "chrysanthemum-ribbon", "chrysanthemum-sake", frame="f3"),
)


class Report:
    """A table and the lines of what was appended to it."""

    def __init__(self) -> None:
        self.table = table()
        self.printer = WatchLines(self.table)

    def __call__(self, *events: NewEvent) -> list[dict[str, Any]]:
        taken = self.table.append(events, actor="t", source="camera", time="2026-01-01T00:00:01Z")
        return list(self.printer.after(taken))


@pytest.fixture
def reported() -> Report:
    return Report()


def kinds(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    return [line["event"] for line in lines]


def test_deal_and_turns_follow_the_contract(reported):
    (deal,) = reported(DEALT)
    assert deal["event"] == "deal"
    assert sorted(deal["field"]) == sorted(FIELD)
    assert deal.keys() == {"event", "field"}
    (turn,) = reported(*FIRST)
    assert turn == {
        "event": "turn",
        "player": 1,
        "play": "chrysanthemum-sake",
        "captured": [],
        "draw": "pine-crane",
        "draw_captured": ["pine-crane", "pine-chaff-1"],
        "order_confidence": None,  # the source gave none
        "frame": "f1",
        "confidence": 0.8,  # of the uncertain part
    }


def unordered(draw: NewEvent, order: float) -> NewEvent:
    return replace(draw, data={**draw.data, "order": order})


def test_each_turn_has_its_own_order_confidence(reported):
    lines = reported(DEALT, FIRST[0], unordered(FIRST[1], 0.62), *SECOND, THIRD[0], unordered(THIRD[1], 0.97))
    turns = [line for line in lines if line["event"] == "turn"]
    assert [turn["order_confidence"] for turn in turns] == [0.62, None, 0.97]


def test_an_order_confidence_is_printed_again_when_it_is_corrected(reported):
    reported(DEALT, FIRST[0], unordered(FIRST[1], 0.62))
    draw = unordered(FIRST[1], 0.98)
    undone, turn = reported(NewEvent("corrected", {"of": 4, "kind": "moved", "data": draw.data}))
    assert (undone["event"], undone["of"]["order_confidence"]) == ("undone", 0.62)
    assert (turn["event"], turn["order_confidence"]) == ("turn", 0.98)


def test_a_revision_takes_back_what_no_longer_stands_and_prints_what_does(reported):
    first, second, *_ = [line for line in reported(DEALT, *FIRST, *SECOND) if line["event"] == "turn"]
    exchanged = [
        moved(2, "play", "iris-chaff-1", "iris-bridge"),
        moved(2, "draw", "plum-warbler", "plum-ribbon"),
    ]
    group = revision(reported.table.live, [*FIRST, *exchanged, THIRD[0], unordered(THIRD[1], 0.5)])
    lines = reported(*group)
    assert kinds(lines) == ["undone", "turn", "turn", "yaku"]
    assert lines[0]["of"].items() <= second.items()
    assert (lines[1]["play"], lines[1]["draw"]) == ("iris-chaff-1", "plum-warbler")
    assert [line["order_confidence"] for line in lines[1:3]] == [None, 0.5]
    assert reported.table.record(1)["turns"][0].items() <= {**first, "call": None}.items()


@pytest.mark.parametrize(("order", "noted"), [(0.62, True), (0.9, False), (None, False)])
def test_an_order_that_was_not_seen_is_in_the_text(reported, order: float | None, noted: bool):
    draw = FIRST[1] if order is None else unordered(FIRST[1], order)
    (_, turn) = reported(DEALT, FIRST[0], draw)
    text = click.unstyle(line_text(turn, NAMES))
    assert ("; which of the two came from the hand was not seen" in text) is noted


def test_half_a_turn_is_not_printed(reported):
    reported(DEALT)
    assert reported(FIRST[0]) == []
    assert kinds(reported(FIRST[1])) == ["turn"]


def test_a_yaku_follows_its_turn_and_the_call_precedes_later_turns(reported):
    reported(DEALT, *FIRST, *SECOND)
    turn, yaku = reported(*THIRD)
    assert (turn["event"], turn["frame"]) == ("turn", "f3")
    assert (yaku["event"], yaku["player"]) == ("yaku", 1)
    assert [(each["name"], sorted(each["cards"])) for each in yaku["yaku"]] == [
        ("moon-viewing", ["chrysanthemum-sake", "susuki-moon"])
    ]
    # The koi-koi follows from the next play, and is printed before it.
    lines = reported(
        moved(1, "call", "koikoi"),
        moved(2, "play", "maple-chaff-1", "maple-deer"),
        moved(2, "draw", "willow-swallow"),
    )
    assert kinds(lines) == ["call", "turn"]
    assert lines[0] == {"event": "call", "player": 1, "call": "koikoi"}


def test_a_koikoi_that_changes_points_prints_no_yaku_again(reported):
    reported(DEALT, *FIRST, *SECOND, *THIRD, moved(1, "call", "koikoi"))
    reported(moved(2, "play", "maple-chaff-1", "maple-deer"), moved(2, "draw", "willow-swallow"))
    lines = reported(moved(1, "play", "paulownia-chaff-1"), moved(1, "draw", "wisteria-chaff-1"))
    assert kinds(lines) == ["turn"]


def test_a_round_that_is_stopped_ends_with_its_record(reported):
    reported(DEALT, *FIRST, *SECOND, *THIRD)
    call, record = reported(moved(1, "call", "stop"))
    assert call == {"event": "call", "player": 1, "call": "stop"}
    assert record.pop("event") == "round"
    assert len(record["turns"]) == 3
    replayed = replay(json.loads(json.dumps(record)))
    assert replayed.legal
    assert replayed.agrees
    assert list(reported.printer.finish()) == []


def test_an_unfinished_round_is_printed_without_a_result(reported):
    reported(DEALT, *FIRST)
    (record,) = reported.printer.finish()
    assert record["event"] == "round"
    assert "result" not in record
    assert len(record["turns"]) == 1


def test_undone_turns_and_their_replacements_are_printed(reported):
    reported(DEALT, *FIRST, *SECOND)
    reported(*THIRD)
    undone = NewEvent("undone", {"of": reported.table.undo_target().seq}, 0.9, "f4")
    lines = reported(
        undone, moved(1, "play", "susuki-geese", "susuki-moon"), moved(1, "draw", "willow-swallow")
    )
    assert kinds(lines) == ["undone", "turn"]
    assert lines[0]["of"]["draw"] == "chrysanthemum-ribbon"
    assert lines[1]["draw"] == "willow-swallow"
    # The yaku was undone with the turn: if it is made again, it is printed again.
    reported(moved(2, "play", "maple-chaff-1", "maple-deer"), moved(2, "draw", "wisteria-chaff-1"))
    again = reported(
        moved(1, "play", "chrysanthemum-ribbon", "chrysanthemum-sake"),
        moved(1, "draw", "cherry-chaff-1", "cherry-ribbon"),
    )
    assert kinds(again) == ["turn", "yaku"]


def test_the_next_deal_ends_a_round_that_was_not_over(reported):
    reported(DEALT, *FIRST)
    lines = reported(NewEvent("abandoned", {}), DEALT)
    assert kinds(lines) == ["round", "deal"]
    assert "result" not in lines[0]


def test_a_deal_after_a_yaku_implies_a_stop(reported):
    reported(DEALT, *FIRST, *SECOND, *THIRD)
    lines = reported(DEALT)
    assert kinds(lines) == ["call", "round", "deal"]
    assert lines[0] == {"event": "call", "player": 1, "call": "stop"}
    assert lines[1]["result"]["winner"] == 1


def test_problems_and_questions_have_their_frame(reported):
    reported(DEALT)
    problem = {
        "code": "capture-refused",
        "message": {"en": "It must be taken.", "ja": "取らなければならない"},
        "pictures": {"before": "f0", "after": "f1"},
        "cards": ["pine-crane"],
    }
    question = {
        "text": {"en": "Which?", "ja": "どちら？"},
        "choices": [{"says": {"en": "This", "ja": "これ"}, "p": 0.6, "events": []}],
        "picture": "f1",
    }
    first, second = reported(NewEvent("noticed", problem, 0.9, "f1"), NewEvent("asked", question, 0.6, "f1"))
    assert (first["event"], first["code"], first["message"], first["frame"]) == (
        "problem",
        "capture-refused",
        "It must be taken.",
        "f1",
    )
    assert (second["event"], second["text"], second["choices"][0]["says"]) == ("question", "Which?", "This")


def test_every_line_has_a_text(reported):
    lines = reported(DEALT) + reported(*FIRST) + reported(*SECOND) + reported(*THIRD)
    lines += reported(NewEvent("undone", {"of": reported.table.undo_target().seq})) + reported(*THIRD)
    lines += reported(moved(1, "call", "stop"))
    spoken = "\n".join(line_text(line, NAMES) for line in lines)
    for words in (
        "A round is dealt",
        "Aiko",
        "Ben",
        "draws",
        "月見で一杯",
        "Taken back",
        "stop 勝負",
        "Round",
        "Aiko +",
    ):
        assert words in spoken


# --- a table that only the camera reports to


def test_an_impossible_move_of_the_referee_is_a_problem_and_no_crash(monkeypatch):
    class Wrong:
        def see(self, watched: Observation, table: Table) -> list[NewEvent]:
            return [DEALT] if table.round is None else [moved(2, "play", "maple-deer")]

    monkeypatch.setattr("companion.watch_session.Referee", lambda rules, players: Wrong())
    alone = WatchSession(resolve(None, "koikoi"), NAMES, None)
    list(alone.observe(Observation("f", 0.0, ())))
    (line,) = alone.observe(Observation("f", 0.0, ()))
    assert line["event"] == "problem"
    assert alone.problems == 1


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        ({"box": "plum-ribbon", "discards": [["cherry-curtain"]]}, "turns up Plum Poetry Ribbon"),
        ({"discards": []}, "A: passes"),
        (
            {"discards": [["wisteria-cuckoo", "wisteria-ribbon"]]},
            "discards Cuckoo 藤に不如帰, Wisteria Ribbon",
        ),
        ({"swap": True}, "exchanges hands with the dealer"),
        ({"draws": [None, None], "pass": True}, "A: draws 2 cards, passes"),
        (
            {"draws": ["pine-crane"], "show": ["pine-crane"], "bareta": True},
            "shows Crane and Sun 松に鶴, calls bareta",
        ),
        ({"wager": 3}, "A: wagers 3"),
    ],
)
def test_turns_of_kakkuri_and_kingo_have_texts(turn, says):
    assert says in click.unstyle(line_text({"event": "turn", "player": 1, **turn, "frame": None}, ["A", "B"]))
