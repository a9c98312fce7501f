"""Players' names in messages of the rules, which number the players."""

from __future__ import annotations

import re
from random import Random

import pytest
from fold_helpers import moved, opened, play_on, reported, shuffled_deal

from companion.hanafuda.messages import Message, player_message
from companion.hanafuda.round import IllegalMoveError
from companion.messages import LANGUAGES, render
from companion.table import NewEvent
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
    turn = Message("choice-pass", {"player": player_message(1)}).to_dict()
    choices = [{"says": turn, "p": 0.6, "events": []}]
    reported(table, NewEvent("noticed", {"code": "draw-missing", "message": late}))
    reported(table, NewEvent("asked", {"text": what, "choices": choices, "picture": None}))
    view = table.view()
    assert english(view["problems"][0]["message"]) == "Ben has not drawn a card yet"
    assert render(Message.from_dict(view["problems"][0]["message"]), "ja") == "Benがまだ山札をめくっていない"
    asked = view["questions"][0]
    assert english(asked["text"]) == "What did Aiko do?"
    assert english(asked["choices"][0]["says"]) == "Aiko passed"
