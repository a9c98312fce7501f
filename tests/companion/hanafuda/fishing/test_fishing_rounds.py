"""Rounds of the fishing games, tested with Koi-Koi: deals, unchecked turns, records, pending decisions."""

from random import Random
from typing import Any

import pytest

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.cards import card as named
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.hanafuda.games.koikoi.round import KoiKoiRound
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import round_of_text
from companion.messages import render
from tests.message_text import raises_text

# Dealt so that few cards match: player 1 has the flowers of the first half of the year, player 2 those of the
# second.
DEAL: dict[str, Any] = {
    "hands": {
        "1": [
            "pine-crane", "pine-ribbon", "plum-warbler", "plum-ribbon",
            "cherry-curtain", "wisteria-cuckoo", "iris-bridge", "peony-ribbon",
        ],
        "2": [
            "clover-boar", "clover-ribbon", "susuki-moon", "susuki-geese",
            "chrysanthemum-sake", "maple-deer", "willow-ribbon", "paulownia-yellow",
        ],
    },
    "field": [
        "pine-chaff-1", "plum-chaff-1", "plum-chaff-2", "clover-chaff-1",
        "clover-chaff-2", "chrysanthemum-ribbon", "maple-ribbon", "willow-swallow",
    ],
}  # fmt: skip
_NAMED = {card for part in (*DEAL["hands"].values(), DEAL["field"]) for card in part}
DEAL["stock"] = [card.id for card in HANAFUDA if card.id not in _NAMED]
# On top: pine-chaff-2, cherry-ribbon, cherry-chaff-1, cherry-chaff-2, wisteria-ribbon, ...


def dealt(dealer: int = 1, **deal: Any) -> KoiKoiRound:
    return KoiKoiRound.from_record(
        {"rules": "koikoi-standard", "dealer": dealer, "deal": {**DEAL, **deal}, "month": 4}
    )


def codes(round_: KoiKoiRound, move: FishingMove) -> list[str]:
    return [problem.code for problem in round_.check(move)]


def unchecked(round_: KoiKoiRound, *moves: FishingMove) -> list[str]:
    """Make moves unchecked and return all their problems."""
    found = []
    for move in moves:
        found += codes(round_, move)
        round_.push(move, unchecked=True)
    return found


def test_the_deal_sets_the_initial_state() -> None:
    found = dealt()
    assert found.status() == []
    assert found.players == 2
    assert found.to_move == 1
    assert set(found.hand(1)) == set(DEAL["hands"]["1"])
    assert set(found.hand(2)) == set(DEAL["hands"]["2"])
    assert set(found.field) == set(DEAL["field"])
    assert (found.captured(1), found.captured(2)) == ((), ())
    assert found.pending_decision() is None
    assert found.turns() == []


def test_the_dealer_begins_and_turns_alternate() -> None:
    found = dealt(dealer=2)
    assert found.to_move == 2
    found.push(Play(2, "paulownia-yellow"))
    assert found.to_move == 2
    found.push(Draw(2, "pine-chaff-2", ("pine-chaff-1",)))
    assert found.to_move == 1
    found.push(Play(1, "plum-warbler", ("plum-chaff-1",)))
    found.push(Draw(1, "cherry-ribbon"))
    assert found.to_move == 2


def test_captured_cards_lie_in_the_pile() -> None:
    found = dealt()
    found.push(Play(1, "plum-warbler", ("plum-chaff-2",)))
    assert found.captured(1) == ("plum-warbler", "plum-chaff-2")
    assert "plum-chaff-2" not in found.field
    assert "plum-warbler" not in found.hand(1)
    pending = found.pending_decision()
    assert pending is not None
    assert (pending.code, render(pending.text)) == ("draw-missing", "player 1 has not drawn a card yet")
    found.push(Draw(1, "pine-chaff-2", ("pine-chaff-1",)))
    assert found.captured(1) == ("pine-chaff-1", "pine-chaff-2", "plum-warbler", "plum-chaff-2")
    assert found.pending_decision() is None
    assert found.turns() == [
        {
            "player": 1,
            "play": "plum-warbler",
            "captured": ["plum-warbler", "plum-chaff-2"],
            "draw": "pine-chaff-2",
            "draw_captured": ["pine-chaff-2", "pine-chaff-1"],
            "call": None,
        }
    ]


def test_an_illegal_move_changes_nothing() -> None:
    found = dealt()
    with raises_text(
        IllegalMoveError, match="player 1 played Boar, but holds Crane and Sun, Pine Poetry Ribbon, "
    ):
        found.push(Play(1, "clover-boar", ("clover-chaff-1",)))
    assert found == dealt()


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (Play(1, "iris-bridge"), []),
        (Play(2, "paulownia-yellow"), ["out-of-turn"]),
        (Play(1, "paulownia-yellow"), ["not-in-hand"]),
        (Play(2, "iris-bridge"), ["out-of-turn", "not-in-hand"]),
        (Play(1, "plum-chaff-1", ("plum-chaff-2",)), ["not-in-hand", "card-twice"]),
        (Play(1, "plum-warbler", ("plum-chaff-1", "plum-chaff-1")), ["card-twice"]),
        (Play(1, "plum-warbler", ("plum-chaff-1", "plum-ribbon")), ["not-on-field"]),
        (Play(1, "plum-warbler", ("plum-chaff-1", "plum-chaff-2")), ["one-of-two"]),
        (Play(1, "iris-bridge", ("iris-bridge",)), ["not-on-field"]),
        (Draw(1, "pine-chaff-2", ("pine-chaff-1",)), ["play-missing"]),
        (Draw(2, "pine-chaff-2", ("pine-chaff-1",)), ["play-missing", "out-of-turn"]),
        (Draw(1, "cherry-ribbon"), ["play-missing", "wrong-draw"]),
        (Call(1, "stop"), ["out-of-turn"]),
        (Call(2, "koikoi"), ["out-of-turn"]),
        (Call(1, "win"), ["call-unknown"]),
    ],
)
def test_problems_of_a_first_move(move: FishingMove, expected: list[str]) -> None:
    assert codes(dealt(), move) == expected


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (Draw(1, "pine-chaff-2", ("pine-chaff-1",)), []),
        (Draw(2, "pine-chaff-2", ("pine-chaff-1",)), ["out-of-turn"]),
        (Draw(1, "pine-chaff-2"), ["capture-refused"]),
        (Draw(1, "cherry-chaff-1"), ["wrong-draw"]),
        (Draw(1, "pine-crane", ("pine-chaff-1",)), ["wrong-draw"]),
        (Draw(1, "maple-ribbon"), ["wrong-draw", "card-twice"]),
        (Draw(1, "plum-warbler", ("plum-chaff-1",)), ["wrong-draw", "captured-before"]),
        (Draw(1, "pine-chaff-2", ("plum-chaff-2",)), ["captured-before", "capture-refused"]),
        (Play(2, "paulownia-yellow"), ["draw-missing"]),
        (Play(1, "iris-bridge"), ["draw-missing"]),
        (Call(1, "stop"), ["draw-missing"]),
        (Call(2, "stop"), ["out-of-turn"]),
    ],
)
def test_problems_of_a_second_move(move: FishingMove, expected: list[str]) -> None:
    found = dealt()
    found.push(Play(1, "plum-warbler", ("plum-chaff-2",)))
    assert codes(found, move) == expected


@pytest.mark.parametrize(
    ("move", "en", "ja"),
    [
        (
            Draw(1, "cherry-chaff-1"),
            "Cherry Chaff was drawn, but Pine Chaff was on top of the draw pile",
            "桜のカスをめくったが、山札の一番上は松のカス",
        ),
        (
            Draw(1, "pine-chaff-2", ("pine-chaff-1", "pine-chaff-1")),
            "Pine Chaff is named twice among the captured cards",
            "取り札に松のカスが二度ある",
        ),
        (
            Draw(1, "pine-chaff-2", ("pine-chaff-1", "pine-ribbon")),
            "Pine Poetry Ribbon was captured, but is not on the field",
            "松に赤短を取ったが、場にはない",
        ),
        (
            Draw(1, "pine-chaff-2", ("pine-chaff-1", "plum-warbler")),
            "Bush Warbler was captured by player 1 before",
            "梅に鶯はすでに1番が取っている",
        ),
        (
            Draw(2, "pine-chaff-2", ("pine-chaff-1",)),
            "it is player 1's turn, not player 2's",
            "1番の手番で、2番ではない",
        ),
        (
            Play(2, "maple-deer"),
            "player 1 has not drawn a card yet",
            "1番がまだ山札をめくっていない",
        ),
    ],
)
def test_the_sentence_of_a_problem(move: FishingMove, en: str, ja: str) -> None:
    found = dealt()
    found.push(Play(1, "plum-warbler", ("plum-chaff-2",)))
    problem = found.check(move)[0]
    assert (render(problem.text), render(problem.text, "ja")) == (en, ja)


def test_the_problem_names_the_player_who_captured_the_card() -> None:
    found = dealt()
    unchecked(found, Play(1, "plum-warbler", ("plum-chaff-2",)), Draw(1, "pine-chaff-2", ("pine-chaff-1",)))
    (problem,) = found.check(Play(2, "clover-boar", ("clover-chaff-1", "plum-warbler")))
    assert render(problem.text) == "Bush Warbler was captured by player 1 before"
    unchecked(found, Play(2, "clover-boar", ("clover-chaff-1",)), Draw(2, "cherry-ribbon"))
    problem = found.check(Play(1, "clover-chaff-1"))[1]
    assert render(problem.text) == "Bush Clover Chaff was captured by player 2 before"


@pytest.mark.parametrize(
    ("hidden", "card", "code", "where", "ja"),
    [
        ({"hands": None}, "maple-ribbon", "card-twice", "it is on the field", "紅葉に青短がここで出るはずがない：場にある"),
        ({"hands": None}, "cherry-ribbon", "not-in-hand", "it is still in the draw pile", "桜に赤短がここで出るはずがない：まだ山札にある"),
        ({"hands": {"2": DEAL["hands"]["2"]}}, "maple-deer", "not-in-hand", "player 2 holds it", "紅葉に鹿がここで出るはずがない：2番の手札にある"),
    ],
)  # fmt: skip
def test_a_hidden_card_cannot_be_a_card_that_is_elsewhere(
    hidden: dict[str, Any], card: str, code: str, where: str, ja: str
) -> None:
    problem = dealt(**hidden).check(Play(1, card))[0]
    assert (problem.code, render(problem.text)) == (
        code,
        f"{named(card).names.en} cannot turn up here: {where}",
    )
    assert render(problem.text, "ja") == ja


def test_a_known_hand_beside_a_hidden_one() -> None:
    found = dealt(hands={"1": DEAL["hands"]["1"]})
    assert {move.card for move in found.legal_moves() if isinstance(move, Play)} == set(DEAL["hands"]["1"])
    assert codes(found, Play(1, "paulownia-yellow")) == ["not-in-hand"]


def test_legal_captures_of_both_cards_of_a_turn() -> None:
    """By the guide (G §5) the hand card takes both plums; the drawn card one of two clovers."""
    record = {"rules": "koikoi-guide", "deal": {**DEAL, "stock": None, "hands": {"1": DEAL["hands"]["1"]}}}
    found = KoiKoiRound.from_record(record)
    takes = {move.takes for move in found.legal_moves() if isinstance(move, Play) and "plum" in move.card}
    assert takes == {("plum-chaff-1", "plum-chaff-2")}
    found.push(Play(1, "iris-bridge"))
    takes = {move.takes for move in found.legal_moves() if isinstance(move, Draw) and "clover" in move.card}
    assert takes == {("clover-chaff-1",), ("clover-chaff-2",)}


def test_hidden_hands_may_contain_any_unrevealed_card() -> None:
    found = dealt(hands=None)
    assert found.hand(1) == (None,) * 8
    cards = {move.card for move in found.legal_moves() if isinstance(move, Play)}
    assert cards == {*DEAL["hands"]["1"], *DEAL["hands"]["2"]}
    found.push(Play(1, "clover-boar", ("clover-chaff-1",)))
    assert found.hand(1) == (None,) * 7
    assert found.hand(2) == (None,) * 8


def test_a_partly_known_hand() -> None:
    hand = ["iris-bridge", None, None, "pine-crane", None, None, None, None]
    found = dealt(hands={"1": hand, "2": DEAL["hands"]["2"]})
    assert found.hand(1) == ("pine-crane", "iris-bridge", *(None,) * 6)
    cards = {move.card for move in found.legal_moves() if isinstance(move, Play)}
    assert cards == set(DEAL["hands"]["1"])
    found.push(Play(1, "iris-bridge"))
    assert found.hand(1) == ("pine-crane", *(None,) * 6)


def test_a_hidden_stock() -> None:
    found = dealt(stock=None)
    found.push(Play(1, "iris-bridge"))
    assert codes(found, Draw(1, "cherry-ribbon")) == []
    assert codes(found, Draw(1, "clover-boar", ("clover-chaff-1",))) == ["wrong-draw"]
    cards = {move.card for move in found.legal_moves() if isinstance(move, Draw)}
    assert cards == set(DEAL["stock"])
    found.push(Draw(1, "cherry-ribbon"))
    assert codes(found, Play(2, "paulownia-yellow")) == []


def test_a_partly_known_stock() -> None:
    found = dealt(stock=[None, *DEAL["stock"][1:]])
    found.push(Play(1, "iris-bridge"))
    assert codes(found, Draw(1, "cherry-ribbon")) == ["wrong-draw"]
    assert codes(found, Draw(1, "pine-chaff-2", ("pine-chaff-1",))) == []


# --- impossible reports


def test_after_a_play_out_of_turn_that_player_continues() -> None:
    found = dealt()
    assert unchecked(found, Play(2, "paulownia-yellow")) == ["out-of-turn"]
    assert found.to_move == 2
    assert unchecked(found, Draw(2, "pine-chaff-2", ("pine-chaff-1",))) == []
    assert found.captured(2) == ("pine-chaff-1", "pine-chaff-2")
    assert found.to_move == 1


def test_a_card_of_the_other_hand_leaves_that_hand() -> None:
    found = dealt()
    assert unchecked(found, Play(1, "clover-boar", ("clover-chaff-1",))) == ["not-in-hand"]
    assert found.captured(1) == ("clover-boar", "clover-chaff-1")
    assert "clover-boar" not in found.hand(2)
    assert found.hand(1) == tuple(sorted(DEAL["hands"]["1"], key=[card.id for card in HANAFUDA].index))
    assert (
        unchecked(
            found, Draw(1, "pine-chaff-2", ("pine-chaff-1",)), Play(2, "clover-ribbon", ("clover-chaff-2",))
        )
        == []
    )


def test_a_wrong_draw_replaces_the_top_card() -> None:
    found = dealt()
    unchecked(found, Play(1, "iris-bridge"))
    assert unchecked(found, Draw(1, "paulownia-phoenix")) == ["wrong-draw"]
    assert "paulownia-phoenix" in found.field
    assert unchecked(found, Play(2, "maple-deer", ("maple-ribbon",)), Draw(2, "cherry-ribbon")) == []


def test_what_lay_on_top_at_a_wrong_draw_may_be_anywhere() -> None:
    found = dealt(hands=None)
    unchecked(found, Play(1, "iris-bridge"))
    assert unchecked(found, Draw(1, "clover-boar", ("clover-chaff-1",))) == ["wrong-draw"]
    assert codes(found, Play(2, "pine-chaff-2", ("pine-chaff-1",))) == []
    assert codes(found, Play(2, "cherry-ribbon")) == ["not-in-hand"]


def test_wrong_captured_cards_stay_in_place() -> None:
    found = dealt()
    assert unchecked(found, Play(1, "plum-warbler", ("plum-chaff-1", "willow-lightning"))) == ["not-on-field"]
    assert found.captured(1) == ("plum-warbler", "plum-chaff-1")
    assert unchecked(found, Draw(1, "pine-chaff-2", ("plum-chaff-1",))) == [
        "captured-before",
        "capture-refused",
    ]
    assert found.captured(1) == ("plum-warbler", "plum-chaff-1")
    assert "pine-chaff-2" in found.field


def test_a_duplicate_card_stays_at_its_first_position() -> None:
    found = dealt()
    unchecked(found, Play(1, "plum-warbler", ("plum-chaff-2",)), Draw(1, "pine-chaff-2", ("pine-chaff-1",)))
    assert unchecked(found, Play(2, "plum-warbler", ("plum-chaff-1",))) == ["not-in-hand", "captured-before"]
    assert found.captured(2) == ()
    assert "plum-chaff-1" in found.field


def test_a_missing_draw_is_pending_and_the_round_continues() -> None:
    found = dealt()
    unchecked(found, Play(1, "iris-bridge"))
    assert unchecked(found, Play(2, "paulownia-yellow")) == ["draw-missing"]
    assert unchecked(found, Draw(2, "pine-chaff-2", ("pine-chaff-1",))) == []


def test_a_hand_that_ran_out_first_is_passed_over() -> None:
    found = dealt(hands={"1": ["iris-bridge"], "2": ["paulownia-yellow", "maple-deer"]})
    found.push(Play(1, "iris-bridge"))
    found.push(Draw(1, "pine-chaff-2", ("pine-chaff-1",)))
    unchecked(found, Play(2, "paulownia-yellow"), Draw(2, "cherry-ribbon"))
    assert found.to_move == 2
    unchecked(found, Play(2, "maple-deer", ("maple-ribbon",)), Draw(2, "cherry-chaff-1", ("cherry-ribbon",)))
    assert found.outcome() is not None
    assert found.to_move is None
    # More than the hand had: nothing is left to count down.
    assert unchecked(found, Play(2, "paulownia-yellow"))[0] == "round-over"


def test_an_empty_stock_ends_the_turn_with_the_hand_card() -> None:
    # A field of seven is not a valid deal, so the stock has no hidden cards below the reported ones.
    found = dealt(field=DEAL["field"][:7], stock=[DEAL["stock"][0]])
    unchecked(found, Play(1, "iris-bridge"), Draw(1, "pine-chaff-2", ("pine-chaff-1",)))
    found.push(Play(2, "paulownia-yellow"))
    assert found.to_move == 1
    assert found.pending_decision() is None
    missing, problem = found.check(Draw(1, "cherry-ribbon"))
    assert (missing.code, render(missing.text)) == (
        "play-missing",
        "player 1 drew before a hand card was played",
    )
    assert render(missing.text, "ja") == "1番が手札を出す前にめくった"
    assert render(problem.text, "ja") == "山札がないのに桜に赤短をめくった"
    assert (problem.code, render(problem.text)) == (
        "wrong-draw",
        "Cherry Poetry Ribbon was drawn, but the draw pile is empty",
    )


def test_nothing_left_to_play() -> None:
    found = dealt(hands={"1": [], "2": ["maple-deer"]})
    (problem,) = found.check(Play(1, "iris-bridge"))
    assert render(problem.text) == "player 1 played Bridge, but holds no card"
    assert render(problem.text, "ja") == "1番が菖蒲に八橋を出したが、手札は一枚もない"
    (problem,) = dealt(hands={"1": ["pine-crane"], "2": ["maple-deer"]}).check(Play(1, "iris-bridge"))
    assert render(problem.text, "ja") == "1番が菖蒲に八橋を出したが、手札は松に鶴"


# --- problems of the deal


@pytest.mark.parametrize(
    ("deal", "expected"),
    [
        ({}, []),
        ({"hands": None, "stock": None}, []),
        (
            {"hands": {"1": DEAL["hands"]["1"][:7], "2": DEAL["hands"]["2"]}},
            ["player 1's hand was dealt 7 cards, not 8"],
        ),
        (
            {"hands": {"1": DEAL["hands"]["1"], "2": [*DEAL["hands"]["2"], None]}},
            ["player 2's hand was dealt 9 cards, not 8"],
        ),
        ({"field": DEAL["field"][:7]}, ["the field was dealt 7 cards, not 8"]),
        # Only the drawn cards may be reported, because nobody saw the others.
        ({"stock": DEAL["stock"][:23]}, []),
        ({"stock": [*DEAL["stock"], None]}, ["the draw pile was dealt 25 cards, not 24"]),
        ({"stock": [*DEAL["stock"][:23], "iris-bridge"]}, ["Bridge was dealt twice"]),
        (
            {"hands": {"1": [*DEAL["hands"]["1"][:7], "pine-crane"], "2": DEAL["hands"]["2"]}, "stock": []},
            ["Crane and Sun was dealt twice", "the draw pile was dealt 0 cards, not 24"],
        ),
    ],
)  # fmt: skip
def test_status(deal: dict[str, Any], expected: list[str]) -> None:
    problems = dealt(**deal).status()
    assert [render(problem.text) for problem in problems] == expected
    assert {problem.code for problem in problems} == {
        "card-twice" if "twice" in text else "misdeal" for text in expected
    }


def test_status_in_japanese() -> None:
    problems = dealt(
        hands={"1": ["pine-crane"] * 2, "2": [None] * 8}, field=["iris-ribbon"], stock=[]
    ).status()
    assert [render(problem.text, "ja") for problem in problems] == [
        "松に鶴が二度配られている",
        "1番の手札が2枚（正しくは8枚）",
        "場が1枚（正しくは8枚）",
        "山札が0枚（正しくは24枚）",
    ]


def test_shuffled_deals_are_whole_and_repeat_by_seed() -> None:
    rules = KoiKoiRules()
    found = KoiKoiRound.shuffled(rules, Random(5), dealer=2, month=3)
    cards = [*found.deal.hands[0], *found.deal.hands[1], *found.deal.field, *found.deal.stock]
    assert sorted(map(str, cards)) == sorted(card.id for card in HANAFUDA)
    assert [len(part) for part in (*found.deal.hands, found.deal.field, found.deal.stock)] == [8, 8, 8, 24]
    assert (found.dealer, found.month) == (2, 3)
    assert found.status() == []
    assert found == KoiKoiRound.shuffled(rules, Random(5), dealer=2, month=3)
    assert KoiKoiRound.shuffled(rules, Random(5)).dealer == 1


def test_shuffled_deals_of_ten_cards() -> None:
    found = KoiKoiRound.shuffled(KoiKoiRules(hand_size=10), Random(1))
    assert [len(part) for part in (*found.deal.hands, found.deal.field, found.deal.stock)] == [10, 10, 8, 20]
    assert found.status() == []


def test_a_misdeal_is_shuffled_again() -> None:
    """More than a third of the fields of eight cards have three of a month or four pairs."""
    rules = KoiKoiRules(field_three="redeal", field_pairs="redeal")
    for seed in range(60):
        outcome = KoiKoiRound.shuffled(rules, Random(seed)).outcome()
        assert outcome is None or outcome.counts
    assert any(
        (outcome := KoiKoiRound.shuffled(KoiKoiRules(four_of_a_kind=6), Random(seed)).outcome())
        and outcome.how == "teyaku"
        for seed in range(60)
    )


# --- records and text


def test_a_record_without_hands_deals_hands_of_the_rules() -> None:
    record = {"rules": {"hand_size": 10}, "deal": {"field": DEAL["field"]}}
    found = KoiKoiRound.from_record(record)
    assert [len(part) for part in (*found.deal.hands, found.deal.stock)] == [10, 10, 20]
    assert found.dealer == 1
    assert found.rules == resolve({"hand_size": 10})


@pytest.mark.parametrize(
    "record",
    [
        {"rules": "kekoro", "deal": {"field": []}},
        {"rules": "koikoi-gide", "deal": {"field": []}},
        {"deal": {"field": []}, "players": 4},
        {"deal": {"field": []}, "dealer": 3},
        {},
    ],
)
def test_records_that_cannot_be_read(record: dict[str, Any]) -> None:
    with pytest.raises(BadRequestError):
        KoiKoiRound.from_record(record)


def test_the_text_form_reads_back() -> None:
    found = dealt(stock=None, dealer=2)
    unchecked(found, Play(2, "paulownia-yellow"), Draw(2, "pine-chaff-2", ("pine-chaff-1",)))
    text = found.to_text()
    assert text.splitlines()[1] == "dealer 2 month 4"
    assert text.splitlines()[-2:] == ["2 play paulownia-yellow", "2 draw pine-chaff-2 pine-chaff-1"]
    assert round_of_text(text) == found
    with pytest.raises(BadRequestError):
        round_of_text(text + "1 play rose-red\n")


def test_every_problem_has_a_message_in_both_languages() -> None:
    found = dealt()
    asked: list[FishingMove] = [
        Play(1, "plum-chaff-1", ("plum-chaff-2", "plum-chaff-2", "iris-ribbon")),
        Play(2, "iris-bridge", ("maple-ribbon",)),
        Draw(2, "maple-ribbon"),
        *(Call(player, output) for player in (1, 2) for output in ("koikoi", "stop", "win")),
    ]
    problems = [problem for move in asked for problem in found.check(move)]
    found.push(Play(1, "plum-warbler", ("plum-chaff-2",)))
    problems += [problem for move in asked for problem in found.check(move)]
    assert len({problem.code for problem in problems}) >= 9
    for problem in problems:
        assert render(problem.text)
        assert render(problem.text, "ja")
        assert render(problem.text) != render(problem.text, "ja")
