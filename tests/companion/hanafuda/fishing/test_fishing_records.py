"""The fishing games' moves as text and records: valid and invalid input."""

from typing import Any

import pytest

from companion.hanafuda.cards import UnknownCardError
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.hanafuda.fishing.moves import deck_order, read_move
from companion.hanafuda.fishing.record import Turn, read_deal, read_seats, turn_dicts
from companion.hanafuda.round import Deal
from companion.messages import error_text
from tests.message_text import raises_text

FIELD = ["pine-crane", "plum-warbler"]


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Play(1, "iris-bridge"), "1 play iris-bridge"),
        (Play(2, "iris-bridge", ("iris-ribbon", "iris-chaff-1")), "2 play iris-bridge iris-ribbon iris-chaff-1"),
        (Draw(1, "iris-bridge"), "1 draw iris-bridge"),
        (Draw(2, "iris-bridge", ("iris-ribbon",)), "2 draw iris-bridge iris-ribbon"),
        (Call(1, "koikoi"), "1 call koikoi"),
        (Call(2, "stop"), "2 call stop"),
        (Call(1, "win"), "1 call win"),
    ],
)  # fmt: skip
def test_a_move_reads_back(move: FishingMove, text: str) -> None:
    player, *words = text.split()
    assert str(move) == text
    assert read_move(int(player), words) == move


@pytest.mark.parametrize(
    "words", ["", "play", "draw", "call", "call pass", "throw iris-bridge", "call stop stop"]
)
def test_texts_that_are_not_moves(words: str) -> None:
    """The message quotes the text."""
    with raises_text(
        BadRequestError,
        match=f"^'{words}' is not a move: a move is play or draw with cards, or call with one of koikoi, stop, win",
    ):
        read_move(1, words.split())


@pytest.mark.parametrize("words", ["play rose-red", "draw iris-bridge rose-red", "play C1", "draw back"])
def test_ids_that_are_not_cards(words: str) -> None:
    with pytest.raises(UnknownCardError):
        read_move(1, words.split())


def test_captured_cards_stand_in_deck_order() -> None:
    ids = ["paulownia-chaff-2", "iris-ribbon", "pine-crane", "iris-bridge"]
    assert deck_order(ids) == ("pine-crane", "iris-bridge", "iris-ribbon", "paulownia-chaff-2")
    assert read_move(1, ["play", "willow-lightning", *ids]).words()[2:] == deck_order(ids)


# --- seats and deals


@pytest.mark.parametrize(
    ("record", "dealer"),
    [
        ({}, 1),
        ({"dealer": 2}, 2),
        ({"dealer": 1, "players": 2}, 1),
        ({"dealer": None}, 1),
        ({"turns": []}, 1),
        ({"turns": None}, 1),
        ({"turns": [None]}, 1),
        ({"turns": [{"player": 2}, {"player": 1}]}, 2),
        ({"dealer": None, "turns": [{"player": 2}]}, 2),
        ({"turns": [{"player": 1}]}, 1),
        ({"turns": [{"player": 3}]}, 1),
        ({"turns": [{"player": 0}]}, 1),
        ({"dealer": 1, "turns": [{"player": 2}]}, 1),
    ],
)
def test_seats(record: dict[str, Any], dealer: int) -> None:
    assert read_seats(record, 2) == dealer


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"players": 3}, "this game is for 2 players, not 3"),
        ({"dealer": 3}, "dealer must be a player's number from 1 to 2, not 3"),
        ({"dealer": 0}, "dealer must be a player's number from 1 to 2, not 0"),
        ({"dealer": True}, "dealer must be a player's number from 1 to 2, not True"),
        ({"dealer": "1"}, "dealer must be a player's number from 1 to 2, not '1'"),
    ],
)
def test_wrong_seats(record: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequestError) as raised:
        read_seats(record, 2)
    assert error_text(raised.value) == message


@pytest.mark.parametrize(
    ("deal", "expected"),
    [
        ({"field": FIELD}, Deal(((None,) * 3, (None,) * 3), tuple(FIELD), (None,) * 40)),
        (
            {"field": FIELD, "hands": None, "stock": None},
            Deal(((None,) * 3, (None,) * 3), tuple(FIELD), (None,) * 40),
        ),
        (
            {"field": FIELD, "hands": {"2": ["iris-bridge", None, "pine-ribbon"]}},
            Deal(((None,) * 3, ("iris-bridge", None, "pine-ribbon")), tuple(FIELD), (None,) * 40),
        ),
        (
            {"field": [], "hands": {"1": [], "2": None}, "stock": ["iris-bridge", None]},
            Deal(((), (None,) * 3), (), ("iris-bridge", None)),
        ),
    ],
)
def test_deal(deal: dict[str, Any], expected: Deal) -> None:
    assert read_deal({"deal": deal}, players=2, hand_size=3) == expected


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        (None, "deal must be an object with hands, field and stock, not None"),
        ([], "deal must be an object with hands, field and stock, not []"),
        ({}, "deal.field must be a list of card ids: field cards are face up, not None"),
        ({"field": "iris-bridge"}, "deal.field must be a list of card ids: field cards are face up, not 'iris-bridge'"),
        ({"field": [], "hands": []}, "deal.hands must be an object of hands by player (1, 2), not []"),
        ({"field": [], "hands": {"3": []}}, "deal.hands must be an object of hands by player (1, 2), not {'3': []}"),
        ({"field": [], "hands": {"1": "back"}}, "deal.hands.1 must be a list of card ids, null for a hidden one, not 'back'"),
        ({"field": [], "stock": 24}, "deal.stock must be a list of card ids, null for a hidden one, not 24"),
        ({"field": [None]}, "there is no card None"),
        ({"field": [["iris-bridge"]]}, "there is no card ['iris-bridge']"),
        ({"field": ["iris-brigde"]}, "there is no card 'iris-brigde'; did you mean iris-bridge"),
        ({"field": [], "stock": ["rose"]}, "there is no card 'rose'"),
        ({"field": [], "hands": {"2": ["kabu-1-a"]}}, "there is no card 'kabu-1-a' in the hanafuda deck"),
    ],
)  # fmt: skip
def test_a_deal_that_cannot_be_read(deal: object, message: str) -> None:
    with pytest.raises(BadRequestError) as raised:
        read_deal({"deal": deal}, players=2, hand_size=8)
    assert error_text(raised.value).startswith(message)


# --- turns

WHOLE = {
    "player": 2,
    "play": "iris-bridge",
    "captured": ["iris-bridge", "iris-ribbon"],
    "draw": "plum-ribbon",
    "draw_captured": [],
    "call": None,
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Turn(Play(2, "iris-bridge", ("iris-ribbon",)), None, Draw(2, "plum-ribbon"), None)),
        ({"captured": ["iris-ribbon", "iris-bridge"]}, Turn(Play(2, "iris-bridge", ("iris-ribbon",)), None, Draw(2, "plum-ribbon"), None)),
        ({"captured": ["iris-ribbon"]}, Turn(Play(2, "iris-bridge", ("iris-ribbon",)), None, Draw(2, "plum-ribbon"), None)),
        ({"captured": None}, Turn(Play(2, "iris-bridge"), None, Draw(2, "plum-ribbon"), None)),
        ({"captured": []}, Turn(Play(2, "iris-bridge"), None, Draw(2, "plum-ribbon"), None)),
        ({"captured": ["iris-bridge"]}, Turn(Play(2, "iris-bridge", ("iris-bridge",)), None, Draw(2, "plum-ribbon"), None)),
        (
            {"captured": ["iris-chaff-2", "iris-bridge", "iris-chaff-1", "iris-ribbon"]},
            Turn(Play(2, "iris-bridge", ("iris-ribbon", "iris-chaff-1", "iris-chaff-2")), None, Draw(2, "plum-ribbon"), None),
        ),
        ({"draw": None}, Turn(Play(2, "iris-bridge", ("iris-ribbon",)), None, None, None)),
        ({"draw_captured": ["plum-ribbon", "plum-warbler"]}, Turn(Play(2, "iris-bridge", ("iris-ribbon",)), None, Draw(2, "plum-ribbon", ("plum-warbler",)), None)),
        ({"call": "stop"}, Turn(Play(2, "iris-bridge", ("iris-ribbon",)), None, Draw(2, "plum-ribbon"), Call(2, "stop"))),
        ({"call": "win", "play_call": "koikoi"}, Turn(Play(2, "iris-bridge", ("iris-ribbon",)), Call(2, "koikoi"), Draw(2, "plum-ribbon"), Call(2, "win"))),
    ],
)  # fmt: skip
def test_turn(changes: dict[str, Any], expected: Turn) -> None:
    assert Turn.read({**WHOLE, **changes}, 2) == expected


def test_a_turn_may_omit_parts_that_did_not_happen() -> None:
    turn = {"player": 1, "play": "iris-bridge"}
    assert Turn.read(turn, 2) == Turn(Play(1, "iris-bridge"), None, None, None)


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ("pass", "a turn must be an object, not 'pass'"),
        ({**WHOLE, "player": 3}, "player must be a player's number from 1 to 2, not 3"),
        ({**WHOLE, "player": None}, "player must be a player's number from 1 to 2, not None"),
        ({**WHOLE, "play": None}, "there is no card None"),
        ({**WHOLE, "play": "iris"}, "there is no card 'iris'"),
        ({**WHOLE, "draw": 5}, "there is no card 5"),
        ({**WHOLE, "captured": "iris-bridge"}, "captured must be a list of card ids, not 'iris-bridge'"),
        ({**WHOLE, "draw_captured": {}}, "draw_captured must be a list of card ids, not {}"),
        ({**WHOLE, "captured": ["rose"]}, "there is no card 'rose'"),
        ({**WHOLE, "call": "Stop"}, "call must be one of koikoi, stop, win or null, not 'Stop'"),
        ({**WHOLE, "call": False}, "call must be one of koikoi, stop, win or null, not False"),
        ({**WHOLE, "play_call": "go"}, "play_call must be one of koikoi, stop, win or null, not 'go'"),
        (
            {**WHOLE, "draw": None, "draw_captured": ["iris-ribbon"]},
            "draw_captured has cards, but draw is missing",
        ),
    ],
)  # fmt: skip
def test_a_turn_that_cannot_be_read(turn: Any, message: str) -> None:
    with pytest.raises(BadRequestError) as raised:
        Turn.read(turn, 2)
    assert error_text(raised.value).startswith(message)


def test_turns_as_records_write_them() -> None:
    moves: list[FishingMove] = [
        Play(2, "iris-bridge", ("iris-ribbon",)),
        Draw(2, "plum-ribbon"),
        Play(1, "cherry-curtain"),
        Draw(1, "susuki-moon"),
        Call(1, "koikoi"),
        Play(2, "clover-boar"),
        Draw(2, "susuki-geese"),
        Call(2, "koikoi"),
        Play(1, "pine-crane"),
        Call(1, "koikoi"),
        Draw(1, "maple-deer", ("maple-ribbon", "maple-chaff-1", "maple-chaff-2")),
        Call(1, "koikoi"),
        Play(2, "willow-ribbon"),
        Call(2, "stop"),
    ]
    turns = turn_dicts(moves)
    assert turns == [
        WHOLE,
        _laid(1, "cherry-curtain", "susuki-moon", "koikoi"),
        _laid(2, "clover-boar", "susuki-geese", "koikoi"),
        {
            "player": 1,
            "play": "pine-crane",
            "captured": [],
            "draw": "maple-deer",
            "draw_captured": ["maple-deer", "maple-ribbon", "maple-chaff-1", "maple-chaff-2"],
            "call": "koikoi",
            "play_call": "koikoi",
        },
        _laid(2, "willow-ribbon", None, "stop"),
    ]
    reported = [move for turn in turns for move in _moves(Turn.read(turn, 2))]
    assert reported == moves


def _laid(player: int, play: str, draw: str | None, call: str) -> dict[str, Any]:
    return {
        "player": player,
        "play": play,
        "captured": [],
        "draw": draw,
        "draw_captured": [],
        "call": call,
    }


def _moves(turn: Turn) -> list[FishingMove]:
    return [move for move in (turn.play, turn.play_call, turn.draw, turn.call) if move]
