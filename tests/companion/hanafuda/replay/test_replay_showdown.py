"""What a record may omit at the end of a round, and what it may contain after it."""

from typing import Any

import pytest

from companion.hanafuda.replay import replay

POT: dict[str, Any] = {
    "game": "kingo",
    "deal": {
        "hands": {"1": ["iris-bridge"], "2": ["susuki-moon"], "3": ["chrysanthemum-sake"]},
    },
    "turns": [
        {"player": 1, "draws": ["wisteria-cuckoo", "peony-ribbon"], "pass": True},
        {"player": 2, "draws": ["clover-boar"], "pass": True},
        {"player": 3, "draws": ["susuki-geese"], "bareta": True},
    ],
    "result": {"winner": 1, "points": {"1": 6, "2": -2, "3": -4}},
}
BANK: dict[str, Any] = {
    "game": "kingo-bank",
    "players": 2,
    "deal": {"hands": {"2": ["maple-deer", "plum-warbler", "cherry-curtain"]}},
    "turns": [
        {"player": 2, "choose": "maple-deer"},
        {"player": 1, "choose": None},
        {"player": 2, "wager": 3, "draws": ["susuki-moon"], "bareta": True},
    ],
    "result": {"winner": 1, "points": {"1": 3, "2": -3}},
}


def answered(record: dict[str, Any], *more: dict[str, Any]) -> tuple[list[tuple[Any, str]], bool | None]:
    replayed = replay({**record, "turns": [*record["turns"], *more]})
    return [(noted.turn, noted.problem.code) for noted in replayed.noted], replayed.agrees


def test_a_showdown_of_unknown_hands_leaves_the_result_open() -> None:
    hidden = {**POT, "players": 3, "deal": {"hands": {"2": ["susuki-moon"]}}}
    assert answered(hidden) == ([], None)
    assert answered(hidden, {"player": 1, "show": ["iris-bridge"]}) == ([], True)


def test_a_round_that_stops_before_the_showdown_is_unfinished() -> None:
    assert answered({**POT, "turns": POT["turns"][:2]}) == ([(None, "unfinished")], False)


def test_hands_may_be_revealed_after_a_showdown_that_is_known_already() -> None:
    """Kingo, Showdown: all players then reveal their hands."""
    displayed = {"player": 2, "show": ["clover-boar", "susuki-moon"]}
    assert answered(POT, {"player": 1, "show": ["iris-bridge"]}, displayed) == ([], True)


@pytest.mark.parametrize(
    "turn",
    [
        {"player": 2, "show": ["iris-bridge"]},  # another player's card
        {"player": 2, "show": ["clover-boar"], "pass": True},
        {"player": 2, "draws": ["pine-crane"], "show": ["clover-boar"]},
        {"player": 2, "show": []},
        {"player": 2, "pass": True},
    ],
)
def test_nothing_else_follows_the_end(turn: dict[str, Any]) -> None:
    assert answered(POT, turn) == ([(4, "round-over")], True)


def test_a_turn_after_the_end_that_cannot_be_read_is_named() -> None:
    assert answered(POT, {"player": 2, "shows": ["clover-boar"]}) == ([(4, "bad-request")], None)


def test_the_banker_may_play_where_all_bettors_are_bareta() -> None:
    """Kingo, Banking, Gameplay: the dealer is last to play; who is bareta has lost already."""
    assert answered(BANK) == ([], True)
    assert answered(BANK, {"player": 1, "draws": ["iris-bridge", None], "pass": True}) == ([], True)


@pytest.mark.parametrize(
    "turn",
    [
        {"player": 1, "draws": ["maple-deer"], "pass": True},  # a bettor's card
        {"player": 2, "draws": ["iris-bridge"], "pass": True},
        {"player": 1, "pass": True},
    ],
)
def test_no_other_turn_follows_when_all_bettors_are_bareta(turn: dict[str, Any]) -> None:
    assert answered(BANK, turn) == ([(4, "round-over")], True)


def test_the_banker_has_one_turn_at_a_showdown() -> None:
    played = {
        **BANK,
        "turns": [*BANK["turns"][:2], {"player": 2, "wager": 3, "draws": ["iris-bridge"], "pass": True},
                  {"player": 1, "draws": ["iris-ribbon", "iris-chaff-1", "clover-boar"], "bareta": True}],
        "result": {"winner": 2, "points": {"1": -3, "2": 3}},
    }  # fmt: skip
    assert answered(played) == ([], True)
    assert answered(played, {"player": 1, "draws": ["pine-crane"], "bareta": True}) == (
        [(5, "round-over")],
        True,
    )


def test_a_hidden_hand_may_be_the_lucky_one_after_the_swaps() -> None:
    """Kakkuri: a lucky hand wins after the swaps; with hidden hands this cannot be excluded."""
    record = {
        "game": "kakkuri",
        "deal": {},
        "turns": [{"player": 2, "swap": True}],
        "result": {"winner": 2, "points": {"2": 18}},
    }
    assert answered(record) == ([], None)
    opened = {"player": 1, "box": "clubs-5", "discards": []}
    assert answered(record, opened) == ([(None, "unfinished")], False)
