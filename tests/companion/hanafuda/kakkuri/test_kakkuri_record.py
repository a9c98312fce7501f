"""Kakkuri's round records: the meaning of each turn, and invalid records."""

from typing import Any

import pytest
from kakkuri_builders import card, codes, play, round_of

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.games.kakkuri import (
    Discard,
    DropOut,
    KakkuriRound,
    LuckyHand,
    OpenBox,
    Pass,
    Swap,
    ThreePairs,
)
from companion.hanafuda.round import Problem
from tests.message_text import raises_text

HANDS = {
    "1": "C6 C7 C8 C9 C10 U3",
    "2": "S11 S12 S2 U8 U5 O5",
    "3": "C4 S4 U4 O4 C5 S9",
}


def ids(text: str) -> list[str | None]:
    return [card(word) for word in text.split()]


def record(**changes: Any) -> dict[str, Any]:
    return {
        "game": "kakkuri",
        "rules": {"preset": "kakkuri", "players": "2_to_8"},
        "players": 3,
        "deal": {"hands": {seat: ids(hand) for seat, hand in HANDS.items()}},
        **changes,
    }


def read(reported: dict[str, Any], *turns: Any) -> tuple[KakkuriRound, list[Problem]]:
    """Make the recorded moves unchecked and return all their problems."""
    played = KakkuriRound.from_record(reported)
    problems = []
    for turn in turns:
        for move in played.read_turn(turn):
            problems += played.check(move)
            played.push(move, unchecked=True)
    return played, problems


KEPT = [Swap(2, False), Swap(3, False)]
OPENING = {"player": 1, "box": "swords-5", "discards": [["clubs-6"], ["clubs-7"]]}


def test_a_turn_ends_with_a_pass() -> None:
    played, problems = read(record(), OPENING)
    assert not problems
    assert list(played.moves) == [
        *KEPT,
        OpenBox(1, "swords-5"),
        Discard(1, ("clubs-6",)),
        Discard(1, ("clubs-7",)),
        Pass(1),
    ]


@pytest.mark.parametrize(
    "turn", [{"player": 2}, {"player": 2, "discards": []}, {"player": 2, "discards": None}]
)
def test_a_turn_without_discards_is_a_pass(turn: dict[str, Any]) -> None:
    played, _ = read(record(), {**OPENING, "discards": [["clubs-6"]]}, turn)
    assert played.moves[-1] == Pass(2)


def test_the_last_turn_ends_with_the_round() -> None:
    discards = [[f"clubs-{rank}"] for rank in range(6, 11)]
    played, problems = read(
        record(),
        {"player": 1, "box": "swords-5", "discards": discards},
        {"player": 2, "discards": [["swords-11"], ["swords-12"], ["swords-2"]]},
        {"player": 3},
        {"player": 1, "discards": [["cups-3"]]},
    )
    assert not problems
    assert played.moves[-1] == Discard(1, ("cups-3",))
    outcome = played.outcome()
    assert outcome is not None
    assert outcome.points == (3, -1, -2)


def test_players_without_a_swap_entry_keep_their_hands() -> None:
    played, problems = read(record(), {"player": 3, "swap": True}, {"player": 1, "box": "swords-5"})
    assert list(played.moves) == [Swap(2, False), Swap(3, True), OpenBox(1, "swords-5"), Pass(1)]
    assert not problems, "of the 4s, the 5 and the 9 that he has now none can follow a 5"
    played, problems = read(record(), {"player": 2, "swap": False}, {"player": 3, "swap": False})
    assert list(played.moves) == KEPT
    assert not problems


def test_swaps_in_the_wrong_order_are_noticed() -> None:
    played, problems = read(record(), {"player": 3, "swap": True}, {"player": 2, "swap": True})
    assert codes(problems) == ["swaps-over"]
    assert list(played.moves) == [Swap(2, False), Swap(3, True), Swap(2, True)]
    _, problems = read(record(), {"player": 1, "swap": True})
    assert codes(problems) == ["out-of-turn"]


def test_declarations() -> None:
    hands = {"1": "C6 S6 U9 O9 C10 S10", "2": "C7 S7 U7 O7 C2 S2"}
    reported = record(deal={"hands": {seat: ids(hand) for seat, hand in hands.items()}})
    played, problems = read(
        reported,
        {"player": 2, "declares": "three-pairs"},
        {
            "player": 1,
            "box": "swords-5",
            "declares": "three-pairs",
            "discards": [["clubs-6", "swords-6"]],
        },
        {"player": 2, "discards": [["swords-7", "clubs-7"]]},
    )
    assert not problems
    assert list(played.moves) == [
        *KEPT,
        ThreePairs(2),
        OpenBox(1, "swords-5"),
        ThreePairs(1),
        Discard(1, ("clubs-6", "swords-6")),
        Pass(1),
        Discard(2, ("clubs-7", "swords-7")),
        Pass(2),
    ]
    played, problems = read(
        reported, {"player": 1, "box": "swords-5", "declares": "three-pairs", "discards": []}
    )
    assert played.moves[-2:] == (ThreePairs(1), Pass(1))
    assert codes(problems) == ["must-play"]


def test_a_hidden_lucky_hand_is_declared() -> None:
    played, problems = read(record(deal={}), {"player": 3, "declares": "lucky-hand"})
    assert list(played.moves) == [*KEPT, LuckyHand(3)]
    assert not problems


def test_a_known_lucky_hand_wins_automatically() -> None:
    lucky = record(deal={"hands": {"3": ids("S1 U1 O1 C4 C5 C6")}})
    played, problems = read(lucky, {"player": 3, "declares": "lucky-hand"})
    assert list(played.moves) == KEPT
    assert not problems
    _, problems = read(lucky, {"player": 2, "declares": "lucky-hand"})
    assert codes(problems) == ["round-over"]
    _, problems = read(lucky, {"player": 1, "box": "swords-5"})
    assert codes(problems) == ["round-over"]
    _, problems = read(lucky, {"player": 2, "swap": True}, {"player": 3, "declares": "lucky-hand"})
    assert not problems


def test_a_turn_after_the_end_is_noticed() -> None:
    hands = {"1": ids("C6 C7 C8 C9 C10 C11")}
    discards = [[f"clubs-{rank}"] for rank in range(6, 12)]
    _, problems = read(
        record(deal={"hands": hands}),
        {"player": 1, "box": "swords-5", "discards": discards},
        {"player": 2, "discards": []},
    )
    assert codes(problems) == ["round-over"]


def test_a_turn_out_of_turn_is_named_once() -> None:
    played, problems = read(
        record(),
        {"player": 1, "box": "cups-3", "discards": []},
        {"player": 3, "discards": [["clubs-4"], ["clubs-5"]]},
    )
    assert codes(problems) == ["wrong-draw", "out-of-turn"]
    assert played.to_move == 1


def test_folding() -> None:
    played, problems = read(
        record(rules="kakkuri-porges"), {"player": 1, "box": "cups-2"}, {"player": 2, "fold": True}
    )
    assert not problems
    assert played.moves[-1] == DropOut(2)
    assert played.to_move == 3


def test_what_a_wild_card_stands_for() -> None:
    hands = {"1": ids("C1 O2 S6 U6 S10 S11")}
    reported = record(rules="kakkuri-porges", deal={"hands": hands})
    turn = {"player": 1, "box": "swords-5", "discards": [["clubs-1"]], "unfinished": True}
    played, problems = read(reported, turn)
    assert not problems
    assert played.moves[-1] == Discard(1, ("clubs-1",), 6), "a 6 is all that can follow a 5"
    played, _ = read(reported, {**turn, "as": {"clubs-1": 7}})
    assert played.moves[-1] == Discard(1, ("clubs-1",), 7)
    played, problems = read(reported, {**turn, "box": "swords-12"})
    assert played.moves[-1] == Discard(1, ("clubs-1",))
    assert codes(problems) == ["number-missing"]
    played, problems = read(reported, {**turn, "box": "swords-12", "as": {"clubs-1": 7}})
    assert played.moves[-1] == Discard(1, ("clubs-1",), 7)
    assert not problems
    played, problems = read(
        reported, {**turn, "discards": [["clubs-1", "swords-6", "cups-6"]], "as": {"clubs-1": 6}}
    )
    assert played.moves[-1] == Discard(1, ("clubs-1", "swords-6", "cups-6")), "the 6s say it themselves"
    assert not problems
    played, problems = read(
        reported, {**turn, "discards": [["clubs-1", "swords-6", "cups-6"]], "as": {"clubs-1": 7}}
    )
    assert codes(problems) == ["number-needless"]
    played, problems = read(reported, {**turn, "discards": [["swords-6"]], "as": {"swords-6": 6}})
    assert not problems
    played, problems = read(reported, {**turn, "discards": [["ace"]], "as": {"ace": 6}})
    assert played.moves[-1] == Discard(1, ("ace",), 6)
    assert codes(problems) == ["unknown-card"]


def test_turns_as_written() -> None:
    played = round_of(
        "kakkuri-porges", "players=4", "1: C1 O2 C9 S9 C10 S10; 2: C7 S7 U7 O9 S11 O11; 3: C8 ? ? ? ? ?"
    )
    play(played, "2 keep; 3 keep; 4 keep")
    assert played.turns() == [
        {"player": 2, "swap": False},
        {"player": 3, "swap": False},
        {"player": 4, "swap": False},
    ]
    play(played, "1 box C5")
    assert played.turns()[3:] == [{"player": 1, "box": "clubs-5", "unfinished": True}]
    play(played, "1 three-pairs; 1 C1+O2=6")
    first = {
        "player": 1,
        "box": "clubs-5",
        "declares": "three-pairs",
        "discards": [["clubs-1", "coins-2"]],
        "as": {"clubs-1": 6, "coins-2": 6},
    }
    assert played.turns()[3:] == [{**first, "unfinished": True}]
    play(played, "4 three-pairs; 1 pass")
    assert played.turns()[3:] == [
        {**first, "unfinished": True},
        {"player": 4, "declares": "three-pairs"},
        {"player": 1, "discards": []},
    ]
    played.pop()
    played.pop()
    play(played, "1 pass; 2 C7+S7+U7; 2 pass; 3 C8; 3 pass; 4 fold; 1 C9+S9 C10+S10")
    assert played.turns()[3:] == [
        first,
        {"player": 2, "discards": [["clubs-7", "swords-7", "cups-7"]]},
        {"player": 3, "discards": [["clubs-8"]]},
        {"player": 4, "fold": True},
        {"player": 1, "discards": [["clubs-9", "swords-9"], ["clubs-10", "swords-10"]]},
    ]
    assert played.outcome() is not None


def test_a_hidden_lucky_hand_as_written() -> None:
    played = play(round_of("kakkuri swap=false"), "4 lucky-hand")
    assert played.turns() == [{"player": 4, "declares": "lucky-hand"}]


def test_illegal_moves_have_different_problems() -> None:
    played = play(round_of("kakkuri swap=false", "", "1: C6 S7 U7 O9 S10 O11"), "1 box C5; 1 C6")
    for move in (ThreePairs(1), OpenBox(1, "clubs-8"), Swap(1, True), Pass(3)):
        played.push(move, unchecked=True)
    assert played.turns() == [
        {"player": 1, "box": "clubs-5", "discards": [["clubs-6"]], "unfinished": True},
        {"player": 1, "declares": "three-pairs"},
        {"player": 1, "box": "clubs-8", "unfinished": True},
        {"player": 1, "swap": True},
        {"player": 3, "discards": []},
    ]


def test_three_pairs_declared_twice_are_recorded_twice() -> None:
    played = play(round_of("kakkuri swap=false"), "1 box C5; 1 three-pairs")
    played.push(ThreePairs(1), unchecked=True)
    assert played.turns() == [
        {"player": 1, "box": "clubs-5", "declares": "three-pairs", "unfinished": True},
        {"player": 1, "declares": "three-pairs"},
    ]


def test_hidden_hands_and_box() -> None:
    played = KakkuriRound.from_record({"game": "kakkuri", "deal": {"hands": None, "stock": None}})
    assert (played.players, played.dealer, played.pot, played.rules.name) == (7, 1, 0, "kakkuri")
    assert played.deal.hands == ((None,) * 6,) * 7
    assert played.deal.stock == (None,) * 6
    assert played.status() == []
    played = KakkuriRound.from_record(record(dealer=3, pot=4))
    assert (played.dealer, played.pot) == (3, 4)
    assert played.deal.stock == (None,) * 30
    assert played.deal.hands[1] == tuple(ids(HANDS["2"]))
    reported = {"hands": {"2": [*ids("C6 C7"), None, None, None, None]}, "stock": ids("C5 S5 U5 O5 C4 S4")}
    played = KakkuriRound.from_record(record(players=7, deal=reported))
    assert played.deal.hands[1] == ("clubs-6", "clubs-7", None, None, None, None)
    assert played.deal.stock == tuple(ids("C5 S5 U5 O5 C4 S4"))


def test_the_hands_determine_the_number_of_players() -> None:
    reported = record(deal={"hands": {str(seat): None for seat in range(1, 6)}})
    del reported["players"]
    assert KakkuriRound.from_record(reported).players == 5


def test_the_dropped_player_can_be_recorded_without_cards() -> None:
    played = KakkuriRound.from_record(record(players=8, rules="kakkuri", deal={"dropped": 5}))
    assert played.status() == []
    assert played.deal.hands[4] == ("clubs-3", None, None, None, None, None)
    assert played.dropped == 5
    played = KakkuriRound.from_record(
        record(players=8, rules="kakkuri", deal={"dropped": 5, "hands": {"5": ids("C3 C4 C5 C6 C7 C8")}})
    )
    assert played.deal.hands[4] == tuple(ids("C3 C4 C5 C6 C7 C8"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"deal": None}, "deal must be an object with hands and stock, not None"),
        ({"deal": []}, "deal must be an object"),
        ({"deal": {"hands": []}}, r"deal.hands must be an object of hands by player \(1, 2, 3\)"),
        ({"deal": {"hands": {"4": None}}}, "deal.hands must be an object of hands by player"),
        ({"deal": {"hands": {"1": "clubs-1"}}}, "deal.hands.1 must be a list of card ids"),
        ({"deal": {"hands": {"1": ["onifuda"]}}}, "no card 'onifuda'"),
        ({"deal": {"hands": {"1": [7]}}}, "no card 7"),
        ({"deal": {"hands": {"1": [["clubs-1"]]}}}, "no card"),
        ({"deal": {"stock": {}}}, "deal.stock must be a list of card ids"),
        ({"deal": {"dropped": 4}}, "dropped must be a whole number from 1 to 3, not 4"),
        ({"players": 1}, "players must be a whole number from 2 to 8, not 1"),
        ({"players": 9}, "players must be a whole number from 2 to 8, not 9"),
        ({"players": "7"}, "players must be a whole number from 2 to 8, not '7'"),
        ({"players": True}, "players must be"),
        ({"dealer": 0}, "dealer must be a whole number from 1 to 3, not 0"),
        ({"dealer": 4}, "dealer must be a whole number from 1 to 3, not 4"),
        ({"pot": -1}, "pot must be a whole number from 0"),
        ({"rules": "koikoi-hu"}, "for Koi-Koi, not Kakkuri"),
    ],
)
def test_records_that_cannot_be_read(changes: dict[str, Any], message: str) -> None:
    with raises_text(BadRequestError, match=message):
        KakkuriRound.from_record(record(**changes))


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        (None, "a turn must be an object, not None"),
        ({}, "a turn must have a player"),
        ({"player": 4}, "player must be a whole number from 1 to 3, not 4"),
        ({"player": 1, "discard": []}, "a turn of Kakkuri has no 'discard'; did you mean discards"),
        ({"player": 1, "discards": ["clubs-6"]}, "discards must be a list of lists of card ids"),
        ({"player": 1, "discards": [[6]]}, "discards must be a list of lists of card ids"),
        ({"player": 1, "discards": {}}, "discards must be a list of lists of card ids"),
        ({"player": 1, "box": 5}, "box must be the id of the card turned up, not 5"),
        ({"player": 1, "swap": "yes"}, "swap must be true or false, not 'yes'"),
        ({"player": 1, "fold": 1}, "fold must be true or false, not 1"),
        ({"player": 1, "unfinished": 0}, "unfinished must be true or false, not 0"),
        ({"player": 1, "as": 6}, "as must give wild cards their numbers"),
        ({"player": 1, "as": {"clubs-1": True}}, "as must give wild cards their numbers"),
        ({"player": 1, "declares": "pairs"}, "declares must be one of three-pairs, lucky-hand, not 'pairs'"),
        ({"player": 1, "declares": []}, "declares must be one of"),
        ({"player": 1, "swap": True, "discards": []}, "a turn with swap must have no other key"),
    ],
)
def test_turns_that_cannot_be_read(turn: Any, message: str) -> None:
    with raises_text(BadRequestError, match=message):
        list(KakkuriRound.from_record(record()).read_turn(turn))
