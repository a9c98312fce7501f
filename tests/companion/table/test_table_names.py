"""Players' names in messages of the rules, which number the players."""

from __future__ import annotations

import re
from random import Random

import pytest
from fold_helpers import moved, opened, play_on, reported, shuffled_deal

from companion.hanafuda.messages import Message
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import Text
from companion.messages import LANGUAGES, render
from companion.table import NewEvent
from companion.table.event_messages import PlayerNames

NAMES = PlayerNames(("Aiko", "", "Chiyo"))
NUMBERED = re.compile(r"players? \d|\d番", re.IGNORECASE)


@pytest.mark.parametrize(
    ("en", "ja", "named_en", "named_ja"),
    [
        ("Player 1 wins.", "1番の勝ち。", "Aiko wins.", "Aikoの勝ち。"),
        ("won by player 3's hand", "3番の手で勝ち", "won by Chiyo's hand", "Chiyoの手で勝ち"),
        ("players 1 and 3 win", "1番・3番の勝ち", "Aiko and Chiyo win", "Aiko・Chiyoの勝ち"),
        (
            "doubled for players 1, 2 and 3, bareta",
            "バレタの1番・2番・3番は倍",
            "doubled for Aiko, player 2 and Chiyo, bareta",
            "バレタのAiko・2番・Chiyoは倍",
        ),
        ("Player 2 passes.", "2番のパス。", "Player 2 passes.", "2番のパス。"),
        ("players 2 and 4 pay", "2番・4番が払う", "players 2 and 4 pay", "2番・4番が払う"),
        (
            "there is no player 4: they are 1 to 3",
            "4番はいない（1〜3番）",
            "there is no player 4: they are 1 to 3",
            "4番はいない（1〜3番）",
        ),
        ("Player 11 and 3 stones", "11番と石3", "Player 11 and 3 stones", "11番と石3"),
        ("players 1 and 3 score 5", "1番と3番に5点", "Aiko and Chiyo score 5", "AikoとChiyoに5点"),
    ],
)
def test_numbers_become_names(en: str, ja: str, named_en: str, named_ja: str) -> None:
    assert NAMES.within(Text(en, ja)) == Text(named_en, named_ja)


def test_names_that_look_like_numbers_are_kept() -> None:
    odd = PlayerNames(("player 2", "1番"))
    assert odd.within(Text("players 1 and 2 pay", "1番・2番")) == Text(
        "player 2 and 1番 pay", "player 2・1番"
    )


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
    with pytest.raises(IllegalMoveError, match=table.names.given[dealer - 1]) as caught:
        reported(table, moved(3 - dealer, "play pine-crane"))
    texts = [output for each in caught.value.problems for output in (each.text.en, each.text.ja)]
    assert [output for output in texts if NUMBERED.search(output)] == []


def test_errors_of_illegal_corrections_use_the_players_names() -> None:
    table = opened()
    reported(table, shuffled_deal(table, 1))
    play_on(table, Random(1), 2)
    instead = {"player": 3 - table.game.dealer, "words": ["play", "pine-crane"]}
    with pytest.raises(IllegalMoveError, match="Aiko"):
        reported(table, NewEvent("corrected", {"of": 3, "kind": "moved", "data": instead}))


def test_referee_messages_use_the_players_names() -> None:
    table = opened()
    reported(table, shuffled_deal(table, 1))
    late = {"en": "player 2 has not drawn a card yet", "ja": "2番がまだ山札をめくっていない"}
    what = {"en": "What did player 1 do?", "ja": "1番は何をしましたか？"}
    choices = [{"says": {"en": "player 1 took both", "ja": "1番が両方取った"}, "p": 0.6, "events": []}]
    reported(table, NewEvent("noticed", {"code": "draw-missing", "message": late}))
    reported(table, NewEvent("asked", {"text": what, "choices": choices, "picture": None}))
    view = table.view()
    assert view["problems"][0]["message"] == {
        "en": "Ben has not drawn a card yet",
        "ja": "Benがまだ山札をめくっていない",
    }
    asked = view["questions"][0]
    assert asked["text"] == {"en": "What did Aiko do?", "ja": "Aikoは何をしましたか？"}
    assert asked["choices"][0]["says"] == {"en": "Aiko took both", "ja": "Aikoが両方取った"}
