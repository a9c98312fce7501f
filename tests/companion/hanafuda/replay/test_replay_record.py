"""Record format, comparison of the result with the turns, and interpretation of illegal moves."""

from copy import deepcopy
from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.replay import Replayed, replay
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of
from companion.messages import error_text, render
from tests.message_text import raises_text

Record = dict[str, Any]

DEAL = {
    "field": [
        "pine-ribbon", "wisteria-chaff-1", "iris-chaff-1", "peony-chaff-1",
        "susuki-moon", "maple-chaff-2", "willow-swallow", "paulownia-phoenix",
    ]
}  # fmt: skip
TURNS: list[Record] = [
    {"player": 1, "play": "iris-bridge", "captured": ["iris-bridge", "iris-chaff-1"],
     "draw": "maple-ribbon", "draw_captured": ["maple-ribbon", "maple-chaff-2"], "call": None},
    {"player": 2, "play": "pine-crane", "captured": ["pine-crane", "pine-ribbon"],
     "draw": "susuki-chaff-2", "draw_captured": ["susuki-chaff-2", "susuki-moon"], "call": None},
    {"player": 1, "play": "chrysanthemum-ribbon", "captured": [],
     "draw": "chrysanthemum-chaff-1", "draw_captured": ["chrysanthemum-chaff-1", "chrysanthemum-ribbon"],
     "call": None},
    {"player": 2, "play": "cherry-curtain", "captured": [],
     "draw": "chrysanthemum-sake", "draw_captured": [], "call": None},
    {"player": 1, "play": "clover-ribbon", "captured": [],
     "draw": "peony-ribbon", "draw_captured": ["peony-ribbon", "peony-chaff-1"], "call": "koikoi"},
    {"player": 2, "play": "wisteria-chaff-2", "captured": ["wisteria-chaff-2", "wisteria-chaff-1"],
     "draw": "cherry-chaff-1", "draw_captured": ["cherry-chaff-1", "cherry-curtain"], "call": "stop"},
]  # fmt: skip
"""Player 1 makes the blue ribbons and calls; player 2 makes three brights and stops: 5, doubled."""


def record(**values: Any) -> Record:
    reported: Record = {
        "game": "koikoi",
        "deal": DEAL,
        "turns": TURNS,
        "result": {"winner": 2, "points": {"2": 10}},
    }
    return deepcopy({**reported, **values})


def changed(turn: int, **values: Any) -> Record:
    """The round with values of a turn (from 1) changed."""
    found = record()
    found["turns"][turn - 1].update(values)
    return found


def reported(replayed: Replayed) -> list[tuple[int | None, str]]:
    return [(noted.turn, noted.problem.code) for noted in replayed.noted]


def test_the_round_as_it_was() -> None:
    replayed = replay(record())
    assert reported(replayed) == []
    assert (replayed.legal, replayed.agrees, replayed.turns) == (True, True, 6)
    answer = replayed.to_dict()
    assert list(answer) == [
        "game", "legal", "problems", "captured", "yaku", "points", "how", "why", "agrees",
    ]  # fmt: skip
    assert (answer["game"], answer["legal"], answer["problems"], answer["agrees"]) == (
        "koikoi",
        True,
        [],
        True,
    )
    assert list(answer["captured"]) == ["1", "2"]
    assert answer["captured"]["2"] == [
        "pine-crane", "pine-ribbon", "cherry-curtain", "cherry-chaff-1",
        "wisteria-chaff-1", "wisteria-chaff-2", "susuki-moon", "susuki-chaff-2",
    ]  # fmt: skip
    assert answer["yaku"] == {"1": [["blue-ribbons", 5]], "2": [["three-brights", 5]]}
    assert answer["points"] == {"1": 0, "2": 10}
    assert answer["how"] == "stop"
    assert render(Message.from_dict(answer["why"])).startswith("player 2 stops. Three Brights 5 points.")
    assert render(Message.from_dict(answer["why"]), "ja").startswith("2番の勝負")


# --- the format


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (7, "a round record is a JSON object, not 7"),
        ([], "a round record is a JSON object, not []: write each round of the list on a line of its own"),
        ({}, 'the record has no "game"'),
        ({"gmae": "koikoi"}, 'the record has no "game"; is it gmae?'),
        ({"game": "koikoi"}, 'the record has no "deal"'),
        ({"game": "koikoi", "daels": {}}, 'the record has no "deal"; is it daels?'),
        ({"game": "koikoi", "deal": DEAL, "turn": []}, 'the record has no "turns"; is it turn?'),
        ({"game": "koikio", "deal": DEAL, "turns": []}, "there is no game 'koikio'; did you mean koikoi?"),
        (
            {"game": 5, "deal": DEAL, "turns": []},
            "there is no game 5; there are koikoi, kekoro, kakkuri, kingo, kingo-bank",
        ),
        (record(turns={}), "turns must be a list of turns, not {}"),
        (record(result=[]), "result must be an object with winner and points, not []"),
        (record(palyers=2), "the record has an unknown key 'palyers'; did you mean players?"),
        ({**record(dealers=2), "turns": []}, "the record has an unknown key 'dealers'; did you mean dealer?"),
    ],
)
def test_values_that_are_not_records(value: Any, message: str) -> None:
    with pytest.raises(BadRequestError) as caught:
        replay(value)
    assert error_text(caught.value) == message


def test_keys_of_ones_own_are_passed_over() -> None:
    own = record(
        results={},
        id="x-1",
        source="club",
        played_at="2026-11-21",
        expect={},
        result_of="game",
        month_name="?",
    )
    assert replay(own).agrees is True
    missing = {key: value for key, value in own.items() if key not in {"result", "results"}}
    assert replay({**missing, "played_at": 1, "points": 3}).agrees is None
    with raises_text(BadRequestError, match="did you mean result"):
        replay({**missing, "resutl": {}})


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"winner": "2"}, "result.winner must be a player's number, null for nobody or a list of numbers"),
        ({"winner": 3}, "where several win, not 3"),
        ({"winner": 0}, "where several win, not 0"),
        ({"winner": True}, "where several win, not True"),
        ({"winner": [1, 9]}, "where several win, not [1, 9]"),
        ({"points": [0, 10]}, 'result.points must be an object like {"1": 5, "2": 0}, not [0, 10]'),
        ({"points": {"3": 1}}, "result.points names a player '3'; there are 1, 2"),
        ({"points": {"1": "5"}}, "result.points of player 1 must be a whole number, not '5'"),
        ({"points": {"2": 0.5}}, "result.points of player 2 must be a whole number, not 0.5"),
        ({"points": {"2": False}}, "result.points of player 2 must be a whole number, not False"),
    ],
)
def test_empty_results(result: Any, message: str) -> None:
    with pytest.raises(BadRequestError) as caught:
        replay(record(result=result))
    assert message in error_text(caught.value)


def test_given_rules_apply_if_the_record_has_none() -> None:
    # By the guide an own call would double, and so does the opponent's; seven points do not.
    assert replay(record(), resolve("koikoi-hu")).to_dict()["yaku"]["2"] == [["three-brights", 6]]
    assert replay(record(rules=None), resolve("koikoi-hu")).to_dict()["points"]["2"] == 12
    assert replay(record(rules="koikoi-standard"), resolve("koikoi-hu")).to_dict()["points"]["2"] == 10


def test_default_rules_of_the_game() -> None:
    kekoro = replay({"game": "kekoro", "deal": DEAL, "turns": TURNS[:2]})
    assert (kekoro.round.rules, reported(kekoro)) == (resolve("kekoro"), [])
    bank = {"game": "kingo", "rules": "kingo-bank", "players": 2, "deal": {}}
    wager = [
        {"player": 2, "choose": "maple-deer"},
        {"player": 1, "choose": "pine-crane"},
        {"player": 2, "wager": 1},
    ]
    assert reported(replay({**bank, "turns": wager})) == []
    assert (3, "no-such-move") in reported(replay({**bank, "rules": "kingo", "turns": wager}))


# --- the result


@pytest.mark.parametrize(
    ("result", "agrees"),
    [
        (None, None),
        ({}, None),
        ({"points": None}, None),
        ({"winner": 2}, True),
        ({"winner": [2]}, True),
        ({"points": {"1": 0}}, True),
        ({"points": {}}, True),
        ({"winner": 2, "points": {"1": 0, "2": 10}}, True),
        ({"winner": 1}, False),
        ({"winner": None}, False),
        ({"winner": [1, 2]}, False),
        ({"winner": 2, "points": {"1": -10}}, False),
    ],
)
def test_only_the_given_parts_of_a_result_are_compared(result: Any, agrees: bool | None) -> None:
    replayed = replay(record(result=result))
    assert replayed.agrees is agrees
    assert replayed.legal


@pytest.mark.parametrize(
    ("result", "code", "en", "ja"),
    [
        ({"winner": 1}, "wrong-winner", "by the record player 1 won, by its turns player 2",
         "記録では1番の勝ちだが、手番によれば2番の勝ち"),
        ({"winner": None}, "wrong-winner", "by the record nobody won, by its turns player 2",
         "記録ではなしの勝ちだが、手番によれば2番の勝ち"),
        ({"winner": [2, 1]}, "wrong-winner", "by the record player 1 and player 2 won, by its turns player 2",
         "記録では1番と2番の勝ちだが、手番によれば2番の勝ち"),
        ({"points": {"1": 1, "2": 5}}, "wrong-points",
         "the record gives 1 to player 1 instead of 0 and 5 to player 2 instead of 10",
         "1番は0点のはずが1点と2番は10点のはずが5点"),
    ],
)  # fmt: skip
def test_how_a_result_is_wrong(result: Any, code: str, en: str, ja: str) -> None:
    (noted,) = replay(record(result=result)).noted
    assert (noted.turn, noted.problem.code) == (None, code)
    assert (render(noted.problem.text), render(noted.problem.text, "ja")) == (en, ja)


def _exhausted(**changes: Any) -> Record:
    """A random exhausted round, under rules that pay its dealer 6 points."""
    rules = resolve({"preset": "koikoi-standard", "exhausted": 6, **changes}, "koikoi")
    for seed in range(1000):
        found = random_round("koikoi", seed, rules)
        if (outcome := found.outcome()) and outcome.how == "exhausted":
            return record_of(found)
    raise AssertionError("no round of a thousand ran out of cards")


@pytest.mark.parametrize("zero_sum", [True, False])
def test_the_dealer_whom_an_exhausted_round_pays_may_be_named_as_winner(zero_sum: bool) -> None:
    reported = _exhausted(zero_sum=zero_sum)
    assert reported["result"]["winner"] is None
    assert replay(reported).agrees
    reported["result"]["winner"] = reported["dealer"]
    assert replay(reported).agrees
    reported["result"]["winner"] = 3 - reported["dealer"]
    assert [noted.problem.code for noted in replay(reported).noted] == ["wrong-winner"]


def test_an_exhausted_round_without_payment_has_no_winner() -> None:
    reported = _exhausted(exhausted=0)
    reported["result"]["winner"] = reported["dealer"]
    assert [noted.problem.code for noted in replay(reported).noted] == ["wrong-winner"]


def test_winner_and_points_may_both_be_wrong() -> None:
    replayed = replay(record(result={"winner": 1, "points": {"1": 10, "2": 0}}))
    assert reported(replayed) == [(None, "wrong-winner"), (None, "wrong-points")]


def test_a_result_before_the_end() -> None:
    replayed = replay(record(turns=TURNS[:5]))
    assert (replayed.legal, replayed.agrees, replayed.outcome) == (True, False, None)
    (noted,) = replayed.noted
    assert (noted.turn, noted.problem.code) == (None, "unfinished")
    assert render(noted.problem.text) == (
        "the record has a result, but its turns stop before the end: it is player 2's turn"
    )
    assert render(noted.problem.text, "ja") == "結果は書かれているが、手番が途中で終わっている：次は2番の手番"
    assert replay({**record(turns=TURNS[:5]), "result": None}).noted == ()


def test_a_round_without_turns_may_have_ended_by_a_hidden_hand() -> None:
    """Four cards of a month win at the deal; with hidden hands this cannot be excluded."""
    replayed = replay(record(turns=[]))
    assert (reported(replayed), replayed.agrees) == ([], None)


def test_a_turn_after_the_end() -> None:
    extra = {"player": 1, "play": "plum-ribbon", "captured": [], "draw": "plum-warbler", "draw_captured": []}
    replayed = replay(record(turns=[*TURNS, extra, extra]))
    assert (reported(replayed), replayed.agrees, replayed.turns) == ([(7, "round-over")], True, 8)
    (noted,) = replayed.noted
    assert render(noted.problem.text).startswith("the round was over before this turn: player 2 stops.")
    assert render(noted.problem.text, "ja").startswith("この手番の前に一局は終わっている：2番の勝負")


# --- illegal moves and their interpretation


def test_a_turn_that_cannot_be_read_ends_the_checking() -> None:
    replayed = replay(changed(3, play="pine-crain"))
    assert (reported(replayed), replayed.legal, replayed.agrees) == ([(3, "unknown-card")], False, None)
    (noted,) = replayed.noted
    assert "did you mean pine-crane" in render(noted.problem.text)
    assert render(noted.problem.text).endswith("(what follows is not checked)")
    assert render(noted.problem.text, "ja").startswith("手番が読めない：'pine-crain' という札はありません")
    assert replayed.outcome is None
    assert replayed.round.captured(2) == ("pine-crane", "pine-ribbon", "susuki-moon", "susuki-chaff-2")
    assert reported(replay(record(turns=[7]))) == [(1, "bad-request")]


def test_a_capture_written_down_wrongly() -> None:
    """Player 1 took the iris, as the blank iris field of the later turns shows; only the record forgot it."""
    replayed = replay(changed(1, captured=[]))
    assert (reported(replayed), replayed.legal, replayed.agrees) == ([(1, "capture-refused")], False, True)


@pytest.mark.parametrize(
    ("turn", "key"),
    [
        (1, "draw_captured"), (2, "captured"), (2, "draw_captured"), (3, "draw_captured"),
        (5, "draw_captured"), (6, "captured"), (6, "draw_captured"),
    ],
)  # fmt: skip
def test_any_capture_written_down_wrongly(turn: int, key: str) -> None:
    """A hidden hand allows dozens of moves; later turns confirm the one with the same card."""
    replayed = replay(changed(turn, **{key: []}))
    assert (reported(replayed), replayed.agrees) == ([(turn, "capture-refused")], True)


def test_a_problem_as_json_has_it() -> None:
    (problem,) = replay(changed(1, captured=[])).to_dict()["problems"]
    assert problem == {
        "turn": 1,
        "code": "capture-refused",
        "reason": problem["reason"],
    }
    assert (
        render(Message.from_dict(problem["reason"]))
        == "Bridge matches Iris Chaff on the field and must capture"
    )
    assert (
        render(Message.from_dict(problem["reason"]), "ja")
        == "菖蒲に八橋は場の菖蒲のカスと合うので、取らなければならない"
    )


def test_a_capture_made_wrongly() -> None:
    """A refused capture that later turns confirm is kept: the iris is still on the field."""
    broken = changed(1, captured=[])
    broken["turns"][2] = {
        "player": 1, "play": "iris-ribbon", "captured": ["iris-ribbon", "iris-bridge", "iris-chaff-1"],
        "draw": "chrysanthemum-chaff-1", "draw_captured": [],
    }  # fmt: skip
    broken["turns"] = broken["turns"][:3]
    broken["turns"][2]["captured"] = ["iris-ribbon", "iris-bridge"]
    del broken["result"]
    replayed = replay(broken)
    assert reported(replayed) == [(1, "capture-refused")]
    assert set(replayed.round.captured(1)) == {"maple-ribbon", "maple-chaff-2", "iris-ribbon", "iris-bridge"}


def test_another_player_named_for_a_turn() -> None:
    replayed = replay(changed(3, player=2))
    assert (reported(replayed), replayed.agrees) == ([(3, "out-of-turn")], True)
    assert replayed.to_dict()["yaku"]["1"] == [["blue-ribbons", 5]]


@pytest.mark.parametrize(
    ("turn", "message", "problem"),
    [
        (1, "koikoi", (1, "call-without-yaku")),
        (2, "stop", (2, "stop-without-yaku")),
        (4, "koikoi", (4, "call-without-yaku")),
    ],
)
def test_an_invalid_call(turn: int, message: str, problem: tuple[int, str]) -> None:
    replayed = replay(changed(turn, call=message))
    assert (reported(replayed), replayed.agrees) == ([problem], True)


@pytest.mark.parametrize("turn", [5, 6])
def test_a_missing_decision(turn: int) -> None:
    """After turn 5 the round continued, so it was koi-koi; after turn 6 it did not, so it was stop."""
    replayed = replay(changed(turn, call=None))
    assert (reported(replayed), replayed.agrees) == ([(turn, "decision-missing")], True)
    assert replayed.to_dict()["points"] == {"1": 0, "2": 10}


def test_a_missing_decision_at_the_end_of_the_record() -> None:
    broken = {**changed(5, call=None), "result": None}
    broken["turns"] = broken["turns"][:5]
    assert reported(replay(broken)) == [(5, "decision-missing")]


HANDS: dict[str, list[str | None]] = {
    "1": [
        "iris-bridge", "chrysanthemum-ribbon", "clover-ribbon", "plum-ribbon",
        "plum-warbler", "plum-chaff-1", "susuki-geese", "clover-boar",
    ],
    "2": ["pine-crane", "cherry-curtain", "wisteria-chaff-2", *[None] * 5],
}  # fmt: skip
STOCK = ["maple-ribbon", "susuki-chaff-2", "chrysanthemum-chaff-1", *[None] * 21]


def dealt(first: str = "iris-bridge", top: str = "maple-ribbon") -> Record:
    """The round with hands and stock, but another card in place of player 1's bridge or of the top card."""
    return {**DEAL, "hands": {**HANDS, "1": [first, *HANDS["1"][1:]]}, "stock": [top, *STOCK[1:]]}


def test_partly_known_hands_and_stock() -> None:
    assert reported(replay(record(deal=dealt()))) == []
    assert reported(replay(record(deal=dealt(first="maple-chaff-1")))) == [(1, "not-in-hand")]
    assert reported(replay(record(deal=dealt(top="maple-chaff-1")))) == [(1, "wrong-draw")]


@pytest.mark.parametrize(
    "deal",
    [
        pytest.param(dealt(first="cherry-curtain"), id="in both hands"),
        pytest.param(dealt(first="pine-ribbon"), id="in a hand and on the field"),
        pytest.param(dealt(first="susuki-chaff-2"), id="in a hand and in the stock"),
        pytest.param(dealt(first="plum-ribbon"), id="twice in a hand"),
        pytest.param(dealt(top="pine-ribbon"), id="in the stock and on the field"),
        pytest.param(dealt(top="plum-ribbon"), id="in the stock and in a hand"),
        pytest.param(dealt(top="susuki-chaff-2"), id="twice in the stock"),
        pytest.param({**dealt(top="susuki-chaff-2"), "hands": None}, id="in the stock, no hand told"),
        pytest.param({**dealt(first="plum-ribbon"), "stock": None}, id="in a hand, no stock told"),
        pytest.param(
            {**DEAL, "hands": {**HANDS, "1": None, "2": ["pine-crane"] * 2 + [None] * 6}}, id="one hand"
        ),
    ],
)
def test_the_position_of_a_card_dealt_twice_is_unknown(deal: Record) -> None:
    """The duplicate card replaces another one, which the turns still contain."""
    replayed = replay(record(deal=deal))
    assert (reported(replayed), replayed.agrees) == ([(0, "card-twice")], True)


def test_a_turn_recorded_in_parts_is_complete() -> None:
    """In Kakkuri another player may declare three pairs while a turn goes on."""
    opened = {"player": 1, "box": "cups-4", "unfinished": True}
    declared = {"player": 3, "declares": "three-pairs"}
    turns = [opened, declared, {"player": 1, "discards": [["cups-5"]]}]
    for count in (1, 2, 3):
        assert reported(replay({"game": "kakkuri", "deal": {}, "turns": turns[:count]})) == []


def test_a_turn_that_lacks_its_end() -> None:
    hands = {"1": ["iris-bridge"], "2": ["susuki-moon"]}
    turns = [{"player": 1, "draws": ["pine-crane"]}, {"player": 2, "draws": ["clover-boar"], "pass": True}]
    kingo = {"game": "kingo", "deal": {"hands": hands}, "turns": turns, "result": {"winner": 2}}
    replayed = replay(kingo)
    assert (reported(replayed), replayed.agrees) == ([(1, "turn-unfinished")], True)


def test_a_card_not_drawn() -> None:
    """The drawn card is missing; it may have been any card, and without a capture there is no evidence."""
    replayed = replay(changed(4, draw=None))
    assert (reported(replayed), replayed.agrees) == ([(4, "draw-missing")], True)


def test_a_card_twice_on_the_field() -> None:
    field = [*DEAL["field"][:6], "pine-ribbon", "paulownia-phoenix"]
    assert reported(replay(record(deal={"field": field}))) == [(0, "card-twice")]


def test_another_wrong_deal_is_reported() -> None:
    hands = {**HANDS, "1": HANDS["1"][:7]}
    replayed = replay(record(deal={**DEAL, "hands": hands}))
    assert reported(replayed) == [(0, "misdeal"), (0, "misdeal")]
    assert [render(noted.problem.text) for noted in replayed.noted] == [
        "player 1's hand was dealt 7 cards, not 8", "the draw pile was dealt 25 cards, not 24",
    ]  # fmt: skip


def test_more_slips_than_a_slip_of_the_pen() -> None:
    """Six of them are interpreted; the rest are reported as recorded, and replay ends."""
    broken = record()
    for turn in broken["turns"]:
        turn["captured"], turn["draw_captured"] = [], []
    problems = reported(replay(broken))
    assert problems[:3] == [(1, "capture-refused"), (1, "capture-refused"), (2, "capture-refused")]
    assert len(problems) > 6


def test_thousands_of_broken_turns_are_answered_at_once() -> None:
    """Compared with all slips of the pen, they would take minutes."""
    turn = {"player": 1, "play": "pine-crane", "captured": ["pine-crane", "plum-ribbon"]}
    replayed = replay(record(turns=[turn] * 2000))
    assert not replayed.legal
    assert {each.turn for each in replayed.noted} >= set(range(2, 2001))
