"""Players' names in messages of the rules, which number the players."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
from fold_helpers import moved, opened, play_on, reported, shuffled_deal

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.round import IllegalMoveError
from companion.messages import LANGUAGES, render
from companion.table import NewEvent, Table
from tests.message_text import english, raises_text

NUMBERED = re.compile(r"players? \d|\d番", re.IGNORECASE)


@pytest.mark.parametrize("game", ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"])
def test_no_outcome_numbers_anybody(game: str) -> None:
    table = opened(game)
    for seed in range(12):
        if table.game.outcome() is not None:
            break
        reported(table, shuffled_deal(table, seed))
        play_on(table, Random(seed))
    night = table.view()["night"]
    reasons = [each["why"] for each in (*night["rounds"], night["over"]) if each]
    assert reasons
    report = [render(Message.from_dict(why), language) for why in reasons for language in LANGUAGES]
    assert all(report)
    assert [output for output in report if NUMBERED.search(output)] == []


def test_errors_of_illegal_moves_use_the_players_names() -> None:
    table = opened()
    reported(table, shuffled_deal(table, 1))
    dealer = table.game.dealer
    with raises_text(IllegalMoveError, match=table.names.given[dealer - 1]) as caught:
        reported(table, moved(3 - dealer, "play pine-crane"))
    texts = [
        output for each in caught.value.problems for output in (render(each.text), render(each.text, "ja"))
    ]
    assert [output for output in texts if NUMBERED.search(output)] == []


def test_errors_of_illegal_corrections_use_the_players_names() -> None:
    table = opened()
    reported(table, shuffled_deal(table, 1))
    play_on(table, Random(1), 2)
    instead = {"player": 3 - table.game.dealer, "words": ["play", "pine-crane"]}
    with raises_text(IllegalMoveError, match="Aiko"):
        reported(table, NewEvent("corrected", {"of": 3, "kind": "moved", "data": instead}))


def test_referee_messages_use_the_players_names() -> None:
    table = opened()
    reported(table, shuffled_deal(table, 1))
    late = Message("fishing-draw-missing", {"player": player_message(2)}).to_dict()
    what = Message("question-which-turn", {"player": player_message(1)}).to_dict()
    turn = Message("event-dealer", {"player": player_message(1)}).to_dict()
    choices = [{"says": turn, "p": 0.6, "events": []}]
    reported(table, NewEvent("noticed", {"code": "draw-missing", "message": late}))
    reported(table, NewEvent("asked", {"text": what, "choices": choices, "picture": None}))
    view = table.view()
    assert english(view["problems"][0]["message"]) == "Ben has not drawn a card yet"
    assert render(Message.from_dict(view["problems"][0]["message"]), "ja") == "Benがまだ山札をめくっていない"
    asked = view["questions"][0]
    assert english(asked["text"]) == "What did Aiko do?"
    assert english(asked["choices"][0]["says"]) == "Aiko deals"


def seated(seat: int, name: str, **more: str | None) -> NewEvent:
    return NewEvent("seated", {"seat": seat, "name": name, **more})


@pytest.mark.parametrize("other", ["Aiko", "aiko", "Ai\u200bko ", "Ａｉｋｏ"])
def test_two_seats_cannot_have_one_name(other: str) -> None:
    with raises_text(BadRequestError, match="two seats have the name"):
        opened(players=["Aiko", other])
    table = opened(players=["Aiko", "Ben"])
    events = list(table.events)
    for refused in (
        seated(2, other),
        NewEvent(
            "corrected", {"of": 1, "kind": "opened", "data": {**events[0].data, "players": ["Aiko", other]}}
        ),
    ):
        with raises_text(BadRequestError, match="two seats have the name"):
            reported(table, refused)
        assert (table.events, table.names.given) == (events, ("Aiko", "Ben"))


def test_two_seats_cannot_have_one_player() -> None:
    table = opened(players=["Aiko", "Ben"])
    reported(table, seated(1, "Aiko T.", player_id="Aiko"))
    with raises_text(BadRequestError, match="two seats have the name Aiko"):
        reported(table, seated(2, "Aiko"))
    reported(table, seated(2, "Aiko", player_id=""))  # a guest is nobody's player


def test_an_undo_cannot_bring_a_name_back_that_somebody_else_has() -> None:
    table = opened(players=["Aiko", "Ben"])
    renamed = reported(table, seated(1, "Chiyo"))
    reported(table, seated(2, "Aiko"))
    with raises_text(BadRequestError, match="two seats have the name Aiko"):
        reported(table, NewEvent("undone", {"of": renamed[0].seq}))
    assert table.names.given == ("Chiyo", "Aiko")


def test_two_players_change_seats_in_one_step() -> None:
    table = opened(players=["Aiko", "Ben"])
    reported(table, seated(1, "Ben"), seated(2, "Aiko"))
    assert table.names.given == ("Ben", "Aiko")


def test_names_in_all_events_are_stored_as_they_are_seen() -> None:
    table = opened(players=["Zoe\u0308", "\x1b[1mBen\n"])
    assert table.events[0].data["players"] == ["Zoë", "[1mBen"]
    reported(table, seated(2, "\u202eDai"))
    data = {**table.events[0].data, "name": "Par\u200blour", "players": ["A\u0301", "B\0"]}
    reported(table, NewEvent("corrected", {"of": 1, "kind": "opened", "data": data}))
    assert table.events[1].data["name"] == "Dai"
    assert table.events[2].data["data"]["players"] == ["Á", "B"]
    assert (table.opened["name"], table.names.given) == ("Parlour", ("Á", "Dai"))


def test_equal_names_of_an_older_log_get_numbers() -> None:
    first = opened(players=["Aiko", "Ben"]).events[0]
    stored = {"name": "\x1b[31mParlour", "players": ["Aiko", "Aiko"]}
    table = Table.of([replace(first, data={**first.data, **stored})])
    assert table.opened["name"] == "[31mParlour"
    assert (table.names.given, table.names.players) == (("Aiko", "Aiko 2"),) * 2
    reported(table, shuffled_deal(table, 1))  # the game goes on
    reported(table, seated(2, "Ben"))
    assert table.names.given == ("Aiko", "Ben")
