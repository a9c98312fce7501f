"""Deals, round records and text form of Kingo: valid and invalid input, problems of deals."""

from random import Random
from typing import Any

import pytest

from companion.hanafuda.cards import UnknownCardError
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.games.kingo import (
    Bareta,
    Choose,
    Draw,
    KingoBankRound,
    KingoRound,
    NotPlayedError,
    Pass,
    Redeal,
    Show,
    Wager,
)
from companion.hanafuda.games.kingo.hands import deck_of
from companion.hanafuda.games.kingo.moves import read_move
from companion.hanafuda.games.kingo.rules import KingoBankRules, KingoRules
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Deal
from companion.hanafuda.simulation import round_of_text
from companion.messages import error_text, render
from tests.message_text import raises_text

DECK = tuple(deck_of("hanafuda"))
POT: dict[str, Any] = {
    "game": "kingo",
    "rules": "kingo",
    "players": 3,
    "dealer": 2,
    "deal": {"hands": {"1": ["susuki-moon"], "2": ["maple-deer"], "3": None}, "stock": None},
}
BANK: dict[str, Any] = {
    "game": "kingo-bank",
    "rules": "kingo-bank",
    "players": 2,
    "deal": {"hands": {"2": ["susuki-moon", "pine-crane", "pine-ribbon"]}},
}


def _play(played: Any, turns: list[dict[str, Any]]) -> list[str]:
    """Play a record's turns; return the codes of all problems, including pending decisions."""
    codes = []
    for turn in turns:
        for move in played.read_turn(turn):
            codes += [problem.code for problem in played.check(move)]
            played.push(move, unchecked=True)
        if pending := played.pending_decision():
            codes.append(pending.code)
    return codes


# --- records


def test_a_record_for_the_pot() -> None:
    played = KingoRound.from_record({**POT, "wager": 3, "stones": [20, 19, 18]})
    assert (played.players, played.dealer, played.wager, played.stones) == (3, 2, 3, (20, 19, 18))
    assert played.deal == Deal((("susuki-moon",), ("maple-deer",), (None,)), stock=(None,) * 37)
    assert played.situation() == {"wager": 3, "stones": (20, 19, 18)}
    assert played.status() == []
    assert played.order == (2, 3, 1)
    turns = [
        {"player": 2, "draws": ["pine-crane", "pine-ribbon"], "pass": True},
        {
            "player": 3,
            "draws": [None, "maple-ribbon"],
            "show": ["clover-boar", "plum-ribbon"],
            "bareta": True,
        },
        {"player": 1, "draws": ["peony-ribbon"], "pass": True},
    ]
    assert _play(played, turns) == []
    assert played.turns() == turns
    outcome = played.outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.points, outcome.next_dealer) == ((1,), (9, -3, -6), 1)


def test_a_record_of_the_banking_form() -> None:
    played = KingoBankRound.from_record(BANK)
    assert (played.players, played.dealer, played.stones, played.shuffle) == (2, 1, None, None)
    assert played.deal.hands == ((None, None, None), ("susuki-moon", "pine-crane", "pine-ribbon"))
    assert played.deal.stock == (None,) * 34
    turns: list[dict[str, Any]] = [
        {"player": 1, "choose": None},
        {"player": 2, "choose": "susuki-moon", "wager": 4, "draws": ["clover-boar"], "pass": True},
        {"player": 1, "draws": ["iris-bridge", None], "pass": True},
        {"player": 1, "show": ["wisteria-cuckoo", "peony-butterflies"]},
    ]
    assert _play(played, turns) == []
    assert played.turns() == turns
    outcome = played.outcome()
    assert outcome is not None
    # 4, 5 and 6 with the dealer, Shigoro; 15 with the bettor.
    assert (outcome.how, outcome.points) == ("showdown", (4, -4))


@pytest.mark.parametrize(("form", "preset"), [(KingoRound, "kingo"), (KingoBankRound, "kingo-bank")])
def test_a_record_may_leave_out_rules_and_dealer(form: Any, preset: str) -> None:
    played = form.from_record({"game": preset, "players": 3, "deal": {}, "turns": []})
    assert (played.rules.name, played.dealer, played.players) == (preset, 1, 3)
    assert played.deal.hands == ((None,) * form.dealt,) * 3


def test_the_hands_determine_the_number_of_players() -> None:
    record = {"game": "kingo", "deal": {"hands": {"1": None, "2": None, "3": None}}}
    assert KingoRound.from_record(record).players == 3


def test_bareta_evident_from_the_cards_need_not_be_recorded() -> None:
    played = KingoRound.from_record(
        {**POT, "deal": {"hands": {"1": ["pine-crane"], "2": ["maple-deer"], "3": None}}}
    )
    assert _play(played, [{"player": 2, "draws": ["peony-ribbon"]}]) == []
    assert played.moves[-1] == Bareta(2)
    assert played.turns() == [{"player": 2, "draws": ["peony-ribbon"], "bareta": True}]
    # A hidden hand is unknown to all; a turn without an end lacks one.
    assert _play(played, [{"player": 3, "draws": [None]}]) == ["turn-unfinished"]
    assert _play(played, [{"player": 3, "pass": True}, {"player": 1, "draws": ["iris-bridge"]}]) == [
        "turn-unfinished"
    ]


def test_a_known_pile_supplies_omitted_draws() -> None:
    record = {
        **POT,
        "players": 2,
        "deal": {"hands": {"1": [DECK[0]], "2": [DECK[1]]}, "stock": list(DECK[2:])},
    }
    played = KingoRound.from_record(record)
    assert _play(played, [{"player": 2, "draws": [None, DECK[3]], "pass": True}]) == []
    assert played.moves[:2] == (Draw(2, DECK[2]), Draw(2, DECK[3]))
    assert _play(played, [{"player": 1, "draws": [DECK[7]]}]) == ["wrong-draw", "turn-unfinished"]
    state = played._states[-1]
    assert state.stock[:4] == (*DECK[5:7], DECK[4], DECK[8])  # the two have been swapped
    assert [problem.code for problem in played.check(Draw(1, None))] == ["wrong-draw"]


def test_a_hand_that_is_not_fully_revealed() -> None:
    record = {**POT, "players": 2, "dealer": 1, "deal": {}}
    played = KingoRound.from_record(record)
    turns = [{"player": 1, "draws": [None], "pass": True}, {"player": 2, "draws": [None], "pass": True}]
    assert _play(played, turns) == []
    assert _play(played, [{"player": 2, "show": [DECK[0]]}]) == ["show-missing"]
    assert played.outcome() is None
    assert played.to_move == 1
    assert _play(played, [{"player": 2, "show": [DECK[1]]}, {"player": 1, "show": [DECK[4], DECK[5]]}]) == []
    assert played.score(1) is not None
    assert played.outcome() is not None


def test_showing_may_name_the_whole_hand() -> None:
    record = {**POT, "players": 2, "dealer": 1, "deal": {}}
    played = KingoRound.from_record(record)
    turns = [
        {"player": 1, "draws": [None, "pine-crane"], "pass": True},
        {"player": 2, "draws": ["maple-deer"], "pass": True},
    ]
    assert _play(played, turns) == []
    assert played.score(1) is None
    assert played.score(2) is None
    assert _play(played, [{"player": 1, "show": ["plum-ribbon", "pine-crane", "plum-warbler"]}]) == []
    found = played.score(1)
    assert found is not None
    assert found.months == (1, 2, 2)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rules": "kingo-bank"}, "the rules kingo-bank are those of the banking form: a round for the pot"),
        ({"rules": "koikoi-hu"}, "koikoi-hu"),
        ({"players": 1}, "players must be a whole number from 2 to 7, not 1"),
        ({"players": 8}, "players must be a whole number from 2 to 7, not 8"),
        ({"players": "3"}, "players must be a whole number"),
        ({"players": True}, "players must be a whole number"),
        ({"players": 2}, "deal.hands names a player '3'; there are 2"),
        ({"dealer": 0}, "dealer must be a whole number from 1 to 3, not 0"),
        ({"dealer": 4}, "dealer must be a whole number from 1 to 3, not 4"),
        ({"wager": 0}, "wager must be a whole number, 1 or more, not 0"),
        ({"wager": 1.5}, "wager must be a whole number, 1 or more, not 1.5"),
        ({"stones": 20}, "stones must be a list with a number a player, not 20"),
        ({"stones": ["x"]}, "stones must be a whole number, not 'x'"),
        ({"deal": []}, None),
        ({"deal": [1]}, "deal must be an object with hands and stock"),
        ({"deal": {"hands": [1]}}, "deal.hands must be an object like"),
        ({"deal": {"hands": {"1": "pine-crane"}}}, "deal.hands of player 1 must be a list of card ids, not 'pine-crane'"),
        ({"deal": {"hands": {"1": ["pine-crame"]}}}, "there is no card 'pine-crame'; did you mean pine-crane"),
        ({"deal": {"stock": ["willow-rainman"]}}, "willow-rainman is not played with: this table's deck is hanafuda"),
        ({"deal": {"stock": 4}}, "deal.stock must be a list of card ids, not 4"),
        ({"deal": {"stock": [4]}}, "there is no card 4"),
    ],
)  # fmt: skip
def test_unreadable_records(change: dict[str, Any], says: str | None) -> None:
    if says is None:
        assert KingoRound.from_record({**POT, **change}).deal.hands == ((None,),) * 3
        return
    with pytest.raises(BadRequestError) as refused:
        KingoRound.from_record({**POT, **change})
    assert says in error_text(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rules": "kingo"}, "kingo"),
        ({"shuffle": -1}, "shuffle must be a whole number, 0 or more, not -1"),
        ({"shuffle": "a"}, "shuffle must be a whole number, 0 or more, not 'a'"),
        ({"dealer": 3}, "dealer must be a whole number from 1 to 2, not 3"),
    ],
)
def test_unreadable_records_of_the_banking_form(change: dict[str, Any], says: str) -> None:
    with pytest.raises(BadRequestError) as refused:
        KingoBankRound.from_record({**BANK, **change})
    assert says in error_text(refused.value)


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        ([], "a turn is a JSON object, not []"),
        ({"draws": []}, "player must be a whole number from 1 to 3, not None"),
        ({"player": 0}, "player must be a whole number from 1 to 3, not 0"),
        ({"player": 4}, "player must be a whole number from 1 to 3, not 4"),
        ({"player": 1, "draw": []}, "the turn has an unknown key 'draw'; did you mean draws?"),
        ({"player": 1, "xyzzy": []}, "the turn has an unknown key 'xyzzy'; it has player, redeal, choose"),
        ({"player": 1, "draws": "pine-crane"}, "draws must be a list of card ids, not 'pine-crane'"),
        ({"player": 1, "draws": ["kabu-1-a"]}, "kabu-1-a is not played with"),
        ({"player": 1, "show": ["pine"]}, "there is no card 'pine'"),
        ({"player": 1, "choose": ["pine-crane"]}, "there is no card"),
        ({"player": 1, "wager": -1}, "wager must be a whole number, 0 or more, not -1"),
        ({"player": 1, "pass": 1}, "pass must be true or false, not 1"),
        ({"player": 1, "bareta": "yes"}, "bareta must be true or false, not 'yes'"),
        ({"player": 1, "redeal": []}, "redeal must be true or false, not []"),
    ],
)
def test_turns_that_cannot_be_read(turn: Any, says: str) -> None:
    with pytest.raises(BadRequestError) as refused:
        list(KingoRound.from_record(POT).read_turn(turn))
    assert says in error_text(refused.value)


def test_a_turn_may_have_false_flags() -> None:
    turn = {"player": 2, "draws": None, "show": None, "pass": False, "bareta": None, "redeal": False}
    assert list(KingoRound.from_record(POT).read_turn(turn)) == []


def test_a_turn_is_split_if_its_parts_would_be_reordered() -> None:
    played = KingoRound.from_record({**POT, "players": 2, "dealer": 1, "deal": {}})
    moves = [Draw(1, None), Pass(1), Draw(2, DECK[0]), Draw(2, DECK[4]), Pass(2), Show(2, DECK[8]), Show(1, DECK[16]), Show(1, DECK[20])]  # fmt: skip
    for move in moves:
        played.push(move)
    assert played.turns() == [
        {"player": 1, "draws": [None], "pass": True},
        {"player": 2, "draws": [DECK[0], DECK[4]], "pass": True},
        {"player": 2, "show": [DECK[8]]},
        {"player": 1, "show": [DECK[16], DECK[20]]},
    ]


# --- text


@pytest.mark.parametrize(
    "move",
    [
        Draw(1, "pine-crane"),
        Draw(2, None),
        Pass(7),
        Bareta(3),
        Show(1, "kabu-1-a"),
        Choose(2, "plum-ribbon"),
        Choose(2, None),
        Redeal(4),
        Wager(5, 12),
    ],
)
def test_moves_read_back(move: Any) -> None:
    player, *words = str(move).split()
    assert read_move(int(player), words) == move
    assert KingoRound.read_move(int(player), words) == move
    assert KingoBankRound.read_move(int(player), words) == move


def test_a_move_as_text() -> None:
    assert str(Draw(1, None)) == "1 draw ?"
    assert str(Wager(2, 3)) == "2 wager 3"
    assert str(Redeal(2)) == "2 redeal"


@pytest.mark.parametrize(
    "words", [[], ["draw"], ["wager", "x"], ["wager"], ["pass", "now"], ["fold"], ["show"]]
)
def test_texts_that_are_not_moves(words: list[str]) -> None:
    with raises_text(BadRequestError, match="is not a move of Kingo: a move is draw, show or choose"):
        read_move(1, words)


def test_stones_and_wager_stand_in_the_text() -> None:
    played = KingoRound.shuffled(KingoRules(), Random(1), players=3, dealer=3, wager=4, stones=[5, 0, 7])
    assert played.to_text().splitlines()[1] == "dealer 3 wager 4 stones 5,0,7"
    assert played.to_text().splitlines()[3] == "hand 2:"
    assert round_of_text(played.to_text()) == played
    assert KingoRound.shuffled(KingoRules(), Random(1), players=3, wager=1).situation() == {}


# --- deals


def _codes(played: Any) -> list[str]:
    return [problem.code for problem in played.status()]


def _pot(hands: list[list[str | None]], rules: KingoRules | None = None, **reported: Any) -> KingoRound:
    left = 40 - sum(map(len, hands))
    deal = Deal(tuple(map(tuple, hands)), stock=(None,) * left)
    return KingoRound(rules or KingoRules(), deal, dealer=reported.pop("dealer", 1), **reported)


@pytest.mark.parametrize(
    ("played", "codes"),
    [
        (lambda: _pot([[None], [None]]), []),
        (lambda: _pot([[None]] * 7), []),
        (lambda: _pot([[None]] * 8), ["wrong-players"]),
        (lambda: _pot([[None], []]), ["wrong-players"]),
        (lambda: _pot([[None], [], [None]]), []),
        (lambda: _pot([[None], [], [None]], dealer=2), ["wrong-dealer"]),
        (lambda: _pot([[None], [None, None]]), ["wrong-hand"]),
        (lambda: _pot([["pine-crane"], ["pine-crane"]]), ["card-twice"]),
        (lambda: _pot([[None], ["pine-crane"]], KingoRules(hands="face_up")), ["card-not-reported"]),
        (lambda: _pot([[None], [None]], wager=0), ["wrong-wager"]),
        (lambda: _pot([[None], [None]], wager=1), []),
        (lambda: _pot([[None], [None]], stones=[3, 4]), []),
        (lambda: _pot([[None], [None]], stones=[3]), ["wrong-stones"]),
        (lambda: _pot([[None], [None]], stones=[3, 0]), ["wrong-stones"]),
        (lambda: _pot([[None], [None], []], stones=[3, 3, 1]), ["wrong-stones"]),
        (lambda: _pot([[None], [None], []], stones=[3, 3, 0]), []),
        (lambda: _pot([[None], [None]], KingoRules(debt="allow"), stones=[3, -4]), []),
        (lambda: KingoRound(KingoRules(), Deal(((None,), (None,)), stock=(None,) * 37), dealer=1), ["wrong-stock"]),
        (
            lambda: KingoRound(
                KingoRules(), Deal((("pine-crane",), (None,)), ("plum-ribbon",), ("pine-crane", *[None] * 37)), dealer=1
            ),
            ["wrong-field", "card-twice"],
        ),
    ],
)  # fmt: skip
def test_deal_problems(played: Any, codes: list[str]) -> None:
    assert _codes(played()) == codes
    for problem in played().status():
        assert any(ord(letter) > 0x3000 for letter in render(problem.text, "ja"))


def test_a_deal_in_words() -> None:
    texts = [
        render(problem.text)
        for problem in _pot([["pine-crane"], ["pine-crane", None], []], stones=[1, 1, 1]).status()
    ]
    assert texts == [
        "player 2's hand was dealt 2 cards, not 1",
        "Crane and Sun was dealt twice",
        "player 3 has stones but no cards",
    ]
    texts = [render(problem.text) for problem in _pot([[None], []], dealer=2, stones=[0, 0]).status()]
    assert texts == [
        "1 of 2 players have cards, but Kingo is for 2 to 7",
        "player 2 deals, but has no cards",
        "player 1 has cards but no stones",
    ]


@pytest.mark.parametrize("form", [KingoRound, KingoBankRound])
def test_two_to_seven_play(form: Any) -> None:
    rules = KingoRules() if form is KingoRound else KingoBankRules()
    assert list(form.seats(rules)) == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("form", [KingoRound, KingoBankRound])
def test_a_deal_without_cards(form: Any) -> None:
    rules = KingoRules() if form is KingoRound else KingoBankRules()
    nothing = form(rules, Deal(((), ()), stock=(None,) * 40), dealer=1)
    assert _codes(nothing) == ["wrong-players", "wrong-dealer"]
    assert nothing.legal_moves() == []
    assert nothing.to_move is None
    assert nothing.outcome().points == (0, 0)
    assert nothing.score(1) is None
    assert [problem.code for problem in nothing.check(Pass(1))] == ["round-over"]


def test_the_banking_form_deals_three_cards() -> None:
    hands = ((None, None, None), (None, None))
    found = KingoBankRound(KingoBankRules(), Deal(hands, stock=(None,) * 35), dealer=1)
    assert _codes(found) == ["wrong-hand"]
    assert render(found.status()[0].text) == "player 2's hand was dealt 2 cards, not 3"


def test_cards_of_another_deck_are_refused() -> None:
    with raises_text(NotPlayedError, match="kabu-1-a to kabu-10-d"):
        _pot([["pine-crane"], [None]], KingoRules(deck="kabufuda"))
    with pytest.raises(UnknownCardError):
        _pot([["pine-crain"], [None]])
    with pytest.raises(NotPlayedError) as refused:
        _pot([["paulownia-phoenix"], [None]])
    assert refused.value.code == "card-not-played"


@pytest.mark.parametrize("form", [KingoRound, KingoBankRound])
def test_a_shuffled_deal(form: Any) -> None:
    rules = KingoRules() if form is KingoRound else KingoBankRules()
    dealt = form.shuffled(rules, Random(3), players=4, dealer=2, stones=[1, 9, 0, 9])
    assert dealt.status() == []
    assert [len(hand) for hand in dealt.deal.hands] == [form.dealt, form.dealt, 0, form.dealt]
    assert (dealt.dealer, dealt.stones) == (2, (1, 9, 0, 9))
    assert sorted(card for cards in (*dealt.deal.hands, dealt.deal.stock) for card in cards) == sorted(DECK)
    assert dealt == form.shuffled(rules, Random(3), players=4, dealer=2, stones=[1, 9, 0, 9])
    other = form.shuffled(rules, Random(4), players=4)
    assert dealt.deal != other.deal
    if form is KingoBankRound:
        assert None not in {dealt.shuffle, other.shuffle}
        assert dealt.shuffle != other.shuffle


@pytest.mark.parametrize("form", [KingoRound, KingoBankRound])
def test_a_deal_has_no_other_situation(form: Any) -> None:
    rules = KingoRules() if form is KingoRound else KingoBankRules()
    with pytest.raises(TypeError, match="month"):
        form.shuffled(rules, Random(3), players=2, month=1)


def test_in_debt_everybody_is_dealt_cards() -> None:
    dealt = KingoRound.shuffled(KingoRules(debt="allow"), Random(3), players=2, stones=[-1, 0])
    assert [len(hand) for hand in dealt.deal.hands] == [1, 1]
    bank = KingoBankRound.shuffled(KingoBankRules(debt="allow"), Random(3), players=2, stones=[-1, 0])
    assert [len(hand) for hand in bank.deal.hands] == [3, 3]
    for each in (dealt, bank):
        assert each.limited is None
        assert each.status() == []


# --- cards that cannot be drawn


def test_cards_that_cannot_be_drawn() -> None:
    played = _pot([["pine-crane"], ["plum-ribbon"]])
    output = {
        Draw(1, "willow-swallow"): "player 1 draws Swallow, which is not in this table's deck",
        Draw(1, "pine-crow"): "player 1 draws pine-crow, which is not in this table's deck",
        Draw(1, "plum-ribbon"): "player 1 draws Plum Poetry Ribbon, but that card is somewhere else",
    }
    for move, en in output.items():
        assert [render(problem.text) for problem in played.check(move)] == [en]
        played.push(move, unchecked=True)
        assert len(played._states[-1].seats[0].cards) == 2
        assert len(played._states[-1].stock) == 37
        played.pop()
    assert (
        render(played.check(Draw(1, "willow-swallow"))[0].text, "ja")
        == "1番：柳に燕をめくる。この卓の札ではない"
    )
    assert (
        render(played.check(Draw(1, "pine-crow"))[0].text, "ja")
        == "1番：pine-crowをめくる。この卓の札ではない"
    )


def test_cards_that_cannot_be_revealed() -> None:
    played = _pot([[None], ["plum-ribbon"]])
    played.push(Draw(1, "maple-deer"))
    output = {
        Show(1, "willow-swallow"): "player 1 shows Swallow, which is not in this table's deck",
        Show(1, "maple-deer"): "player 1 shows Deer, but that card is somewhere else",
        Show(1, "plum-ribbon"): "player 1 shows Plum Poetry Ribbon, but that card is somewhere else",
    }
    for move, en in output.items():
        assert [render(problem.text) for problem in played.check(move)] == [en]
    assert (
        _play(played, [{"player": 1, "draws": [], "show": ["peony-ribbon", "maple-deer"], "bareta": True}])
        == []
    )
    again = _pot([[None], ["plum-ribbon"]])
    assert (
        _play(
            again,
            [{"player": 1, "draws": ["maple-deer"], "show": ["maple-deer", "peony-ribbon"], "bareta": True}],
        )
        == []
    )
    assert again == played


def test_an_empty_pile() -> None:
    played = KingoRound(KingoRules(), Deal((("pine-crane",), (None,))), dealer=1)
    assert [problem.code for problem in played.check(Draw(1, None))] == ["stock-empty"]
    assert [problem.code for problem in played.check(Draw(1, "plum-ribbon"))] == ["stock-empty"]
    played.push(Draw(1, "plum-ribbon"), unchecked=True)
    found = played.score(1)
    assert found is not None
    assert found.months == (1, 2)
    assert played.legal_moves() == [Pass(1)]


def test_what_the_top_of_the_pile_is() -> None:
    played = KingoRound(KingoRules(), Deal(((DECK[0],), (DECK[1],)), stock=DECK[2:]), dealer=1)
    problems = played.check(Draw(1, "maple-deer"))
    assert [render(problem.text) for problem in problems] == [
        "player 1 draws Deer, but Pine Chaff is on top of the draw pile"
    ]
    assert played.legal_moves() == [Draw(1, "pine-chaff-1")]


# --- moves of players who are not seated, or at a wrong time


def test_recorded_moves_out_of_turn() -> None:
    played = _pot([["pine-crane"], ["plum-ribbon"], ["iris-ribbon"]])
    played.push(Draw(3, "iris-bridge"), unchecked=True)
    assert played.to_move == 3
    played.push(Pass(3))
    assert played.to_move == 1
    played.push(Draw(3, "pine-ribbon"), unchecked=True)
    assert (played.to_move, len(played._states[-1].seats[2].cards)) == (1, 3)
    stood = played._states[-1]
    played.push(Show(1, "clover-boar"), unchecked=True)
    assert played._states[-1] == stood


def test_a_contradiction_is_reported_once() -> None:
    played = _pot([["pine-crane"], [None], [None]])
    turns = [
        {"player": 1, "draws": ["plum-ribbon"], "pass": True},
        {"player": 2, "draws": ["maple-deer", "iris-bridge"], "pass": True},
        {"player": 3, "draws": ["maple-ribbon"], "pass": True},
        {"player": 3, "show": ["plum-warbler"]},
    ]
    assert _play(played, turns) == ["hidden-contradiction"]
    assert _play(played, [{"player": 2, "show": ["pine-ribbon"]}]) == []
    assert played.outcome() is not None


# --- the banking form before the draws


def _october(rules: KingoBankRules | None = None, shuffle: int | None = 5, **reported: Any) -> KingoBankRound:
    hands = (("pine-crane", "plum-ribbon", "iris-ribbon"), ("maple-deer", "maple-ribbon", "maple-chaff-1"))
    stock = tuple(card for card in DECK if card not in {*hands[0], *hands[1]})
    return KingoBankRound(
        rules or KingoBankRules(), Deal(hands, stock=stock), dealer=1, shuffle=shuffle, **reported
    )


def test_three_octobers_are_dealt_again_from_the_pile() -> None:
    played = _october()
    played.push(Redeal(2))
    state = played._states[-1]
    assert state.seats[1].cards == ("pine-ribbon", "pine-chaff-1", "pine-chaff-2")
    assert state.stock[-3:] == ("maple-deer", "maple-ribbon", "maple-chaff-1")
    assert len(state.stock) == 34
    assert played.outcome() is None
    assert [problem.code for problem in played.check(Redeal(2))] == ["no-redeal"]
    played.push(Choose(2, "pine-chaff-1"))
    assert played.turns() == [{"player": 2, "redeal": True, "choose": "pine-chaff-1"}]


def test_three_octobers_may_mean_a_new_deal_for_all() -> None:
    played = _october(KingoBankRules(october_redeal="all"), stones=[4, 4])
    played.push(Choose(1, "pine-crane"))
    played.push(Redeal(2))
    outcome = played.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.winners, outcome.points) == ("redeal", (), (0, 0))
    assert (outcome.next_dealer, outcome.counts, outcome.pot) == (1, False, 0)
    assert played.legal_moves() == []
    assert played.to_move is None
    assert played.settlements() == ()


def test_discards_are_shuffled_into_the_pile() -> None:
    played = _october()
    played.push(Choose(2, "maple-ribbon"))
    assert played._states[-1].stock[-2:] == ("maple-deer", "maple-chaff-1")
    played.push(Choose(1, "plum-ribbon"))
    shuffled = played._states[-1].stock
    pile = [*played.deal.stock, "maple-deer", "maple-chaff-1", "pine-crane", "iris-ribbon"]
    Random(5).shuffle(pile)
    assert shuffled == tuple(pile)
    assert [seat.cards for seat in played._states[-1].seats] == [("plum-ribbon",), ("maple-ribbon",)]
    unknown = _october(shuffle=None)
    unknown.push(Choose(2, "maple-ribbon"))
    unknown.push(Choose(1, "plum-ribbon"))
    assert unknown._states[-1].stock == (None,) * 38
    assert unknown.situation() == {}
    assert played.situation() == {"shuffle": 5}


def test_recorded_choices() -> None:
    played = _october()
    played.push(Choose(2, "susuki-moon"), unchecked=True)  # which was not dealt to him
    assert played._states[-1].seats[1].cards == ("susuki-moon",)
    assert len(played._states[-1].stock) == 36
    stood = played._states[-1]
    played.push(Choose(2, "maple-ribbon"), unchecked=True)
    assert played._states[-1] == stood


def test_the_message_names_the_player_who_must_choose() -> None:
    hands = (DECK[0:3], DECK[4:7], DECK[8:11])
    played = KingoBankRound(KingoBankRules(), Deal(hands, stock=(None,) * 31), dealer=1)
    output = [render(problem.text) for problem in played.check(Wager(2, 1))]
    assert output == [
        "player 2 wagers 1 stone, but first a card must be chosen by player 2, player 3, and player 1"
    ]


def test_a_dealer_who_keeps_all_cards_discards_nothing() -> None:
    played = _october(KingoBankRules(dealer_discards=False))
    assert played.to_move == 2
    assert {move.player for move in played.legal_moves()} == {2}
    played.push(Choose(2, "maple-ribbon"))
    state = played._states[-1]
    assert [len(seat.cards) for seat in state.seats] == [3, 1]
    assert len(state.stock) == 36
    assert played.to_move == 2


def test_hidden_hands_discard_hidden_cards() -> None:
    hands: tuple[tuple[str | None, ...], ...] = ((None,) * 3, ("pine-crane", None, "pine-ribbon"))
    played = KingoBankRound(KingoBankRules(), Deal(hands, stock=(None,) * 34), dealer=1, shuffle=1)
    played.push(Choose(1, "susuki-moon"))
    played.push(Choose(2, "pine-crane"))
    state = played._states[-1]
    assert [seat.cards for seat in state.seats] == [("susuki-moon",), ("pine-crane",)]
    assert sorted(card or "" for card in state.stock) == [*[""] * 37, "pine-ribbon"]
    played.pop()
    assert [problem.code for problem in played.check(Choose(2, "susuki-moon"))] == ["card-twice"]
    played.push(Choose(2, "plum-ribbon"))
    assert sorted(card or "" for card in played._states[-1].stock) == [
        *[""] * 36,
        "pine-crane",
        "pine-ribbon",
    ]
    played.pop()
    played.push(Choose(2, None))
    assert played._states[-1].stock == (None,) * 38


def test_who_chooses_and_wagers_first() -> None:
    played = _october()
    assert played.settlements() == ()
    assert played.order == (2, 1)
    assert played.bettors == (2,)
    assert [played.role(player) for player in (1, 2)] == ["dealer", "bettor"]
    assert played.to_move == 2
    played.push(Choose(2, "maple-ribbon"))
    assert played.to_move == 1
    played.push(Choose(1, "plum-ribbon"))
    assert played.to_move == 2
    assert played.legal_moves() == [Wager(2, stones) for stones in range(1, 11)]
    played.push(Wager(2, 10))
    assert played.to_move == 2


def test_wagers_are_limited_by_stones() -> None:
    for debt, most in (("out", 3), ("allow", 10)):
        played = _october(KingoBankRules(debt=debt), stones=[9, 3])  # type: ignore[arg-type]  # both are values
        played.push(Choose(2, "maple-ribbon"))
        played.push(Choose(1, "plum-ribbon"))
        assert played.legal_moves() == [Wager(2, stones) for stones in range(1, most + 1)]


@pytest.mark.parametrize("rules", [KingoRules(), KingoBankRules()])
def test_invalid_player_numbers(rules: KingoRules | KingoBankRules) -> None:
    form = GAMES[rules.game].round
    for players in (0, 1, 8):
        with raises_text(BadRequestError, match=f"Kingo is for 2 to 7 players, not {players}"):
            form.shuffled(rules, Random(1), players=players)
    dealt = form.shuffled(rules, Random(1), players=7)
    for none in (-1, 0, 8):
        for ask in (dealt.score, dealt.captured, dealt.yaku):
            with pytest.raises(IndexError, match=f"no player {none}: they are 1 to 7"):
                ask(none)
