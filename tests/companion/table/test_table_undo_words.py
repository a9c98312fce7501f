"""The message of an undo: the turn with everything reported together with it."""

from __future__ import annotations

from fold_helpers import moved, opened, reported

from companion.hanafuda.messages import Message
from companion.messages import render
from companion.table import NewEvent, Table
from tests.message_text import english

FIELD = [
    "pine-chaff-1", "plum-ribbon", "cherry-ribbon", "wisteria-chaff-1",
    "iris-ribbon", "peony-ribbon", "clover-ribbon", "maple-ribbon",
]  # fmt: skip


def says(table: Table) -> tuple[str, str]:
    """Return what one undo would undo, in English and Japanese."""
    undo = table.view()["undo"]["says"]
    return english(undo), render(Message.from_dict(undo), "ja")


def dealt() -> Table:
    """Return a table of Koi-Koi without a reported dealer."""
    table = opened()
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD}, "dealer": None}))
    return table


def test_a_turn_reported_together_with_the_dealer() -> None:
    table = dealt()
    reported(
        table,
        NewEvent("began", {"dealer": 2}),
        moved(2, "play pine-crane pine-chaff-1"),
        moved(2, "draw susuki-moon"),
    )
    en, ja = says(table)
    assert en == "Ben plays Crane and Sun and takes Pine Chaff; draws Full Moon"
    assert "松に鶴" in ja
    undo = table.undo_target()
    assert undo is not None
    reported(table, NewEvent("undone", {"of": undo.seq}))
    assert english(table.view()["redo"]["says"]) == f"Undone: {en}"


def test_the_dealer_reported_separately() -> None:
    table = dealt()
    reported(table, NewEvent("began", {"dealer": 2}))
    assert says(table) == ("Ben deals", "親はBen")


def test_an_undo_of_an_undo_names_what_is_restored() -> None:
    table = dealt()
    (began,) = reported(table, NewEvent("began", {"dealer": 2}))
    last, texts = began, []
    for _ in range(4):
        (last,) = reported(table, NewEvent("undone", {"of": last.seq}))
        texts.append(render(table.says(last)))
    assert texts == ["Undone: Ben deals", "Restored: Ben deals"] * 2


def test_an_answer_replaces_its_question() -> None:
    table = dealt()
    reported(table, NewEvent("began", {"dealer": 1}))
    choice = {
        "says": {"en": "played", "ja": "出した"},
        "p": 0.6,
        "events": [{"kind": "moved", "data": {"player": 1, "words": ["play", "pine-crane", "pine-chaff-1"]}}],
    }
    text = {"en": "What?", "ja": "何？"}
    (asked,) = reported(table, NewEvent("asked", {"text": text, "choices": [choice], "picture": None}))
    reported(table, NewEvent("answered", {"of": asked.seq, "choice": 0}))
    assert says(table)[0] == "Aiko plays Crane and Sun and takes Pine Chaff"


def test_passes_that_follow_from_a_discard_are_not_named() -> None:
    table = opened("kakkuri")
    deal = NewEvent("dealt", {"deal": {}, "dealer": 1})
    reported(table, deal, moved(1, "box cups-4"))
    assert says(table)[0] == "Aiko deals; Aiko turns up 4 of Cups"
    reported(table, moved(1, "pass"), moved(2, "pass"), moved(3, "discard coins-5"))
    assert says(table)[0] == "Chiyo discards 5 of Coins"
    reported(table, moved(3, "pass"))
    assert says(table)[0] == "Chiyo passes"
