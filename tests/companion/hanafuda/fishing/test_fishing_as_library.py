"""The public API of a round: invalid moves, cards and players; equality of moves and rounds."""

from random import Random
from typing import Any

import pytest

from companion.hanafuda.cards import UnknownCardError
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.fishing import Call, Draw, FishingMove, FishingRound, Play
from companion.hanafuda.games.kekoro import KekoroMatch, KekoroRound
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.koikoi import KoiKoiMatch, KoiKoiRound
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.round import Deal, IllegalMoveError
from companion.hanafuda.simulation import round_of_text
from companion.messages import render
from tests.message_text import raises_text

AnyRound = FishingRound[Any, Any]

STANDARD = KoiKoiRules()
KOIKOI = KoiKoiRound.shuffled(STANDARD, Random(1))
KEKORO = KekoroRound.shuffled(KekoroRules(), Random(1))
GAMES = pytest.mark.parametrize("dealt", [KOIKOI, KEKORO], ids=["koikoi", "kekoro"])


@GAMES
@pytest.mark.parametrize("reported", [False, True])
def test_a_card_that_is_none(dealt: AnyRound, reported: bool) -> None:
    in_hand = str(dealt.hand(1)[0])
    for move in (Play(1, "pine-kran"), Play(1, in_hand, ("pine-kran",)), Draw(1, "pine-kran")):
        with raises_text(UnknownCardError, match="there is no card 'pine-kran'; did you mean pine-crane"):
            dealt.check(move)
        with pytest.raises(UnknownCardError):
            dealt.copy().push(move, unchecked=reported)


def test_a_deal_with_unknown_cards() -> None:
    with pytest.raises(UnknownCardError):
        KoiKoiRound(STANDARD, Deal((("pine-kran",), ()), (), ()))


@GAMES
@pytest.mark.parametrize("player", [-1, 0, 3])
def test_an_unknown_player(dealt: AnyRound, player: int) -> None:
    moves: list[FishingMove] = [Play(player, "pine-crane"), Draw(player, "pine-crane"), Call(player, "stop")]
    for move in moves:
        (problem,) = dealt.check(move)
        assert problem.code == "no-such-player"
        assert render(problem.text) == f"there is no player {player}: they are 1 to 2"
        assert render(problem.text, "ja") == f"{player}番はいない（1〜2番）"
        with raises_text(IllegalMoveError, match="there is no player"):
            dealt.copy().push(move)
        reported = dealt.copy()
        reported.push(move, unchecked=True)  # it cannot have happened, and changes nothing
        assert reported.legal_moves() == dealt.legal_moves()
        assert reported.pop() == move
        assert reported == dealt


@pytest.mark.parametrize("dealer", [-1, 0, 3])
def test_a_dealer_who_is_not_a_player(dealer: int) -> None:
    for make in (
        lambda: KoiKoiRound(STANDARD, KOIKOI.deal, dealer=dealer),
        lambda: KekoroRound(KekoroRules(), KEKORO.deal, dealer=dealer),
        lambda: KoiKoiMatch(STANDARD, dealer=dealer),
        lambda: KekoroMatch(KekoroRules(), dealer=dealer),
    ):
        with raises_text(
            BadRequestError, match=f"dealer must be a player's number from 1 to 2, not {dealer}"
        ):
            make()


@pytest.mark.parametrize("month", [-1, 0, 13])
def test_an_invalid_month(month: int) -> None:
    with raises_text(BadRequestError, match=f"month must be a whole number from 1 to 12, not {month}"):
        KoiKoiRound(STANDARD, KOIKOI.deal, month=month)


def test_the_same_capture_in_any_order_is_the_same_move() -> None:
    taken = ("iris-ribbon", "iris-chaff-1", "iris-chaff-2")
    move, other = Play(1, "iris-bridge", taken), Play(1, "iris-bridge", taken[::-1])
    assert move == other
    assert hash(move) == hash(other)
    assert other.takes == taken
    assert Draw(1, "iris-bridge", list(taken)) == Draw(1, "iris-bridge", taken)  # type: ignore[arg-type]
    assert len({move, other, Draw(1, "iris-bridge", taken)}) == 2


@GAMES
def test_a_round_names_itself(dealt: AnyRound) -> None:
    played = dealt.copy()
    name = f"{type(played).__name__} by {played.rules.name}"
    assert repr(played) == f"<{name}: dealer 1, 0 moves, player 1 to move>"
    rng = Random(1)
    while moves := played.legal_moves():
        played.push(rng.choice(moves))
    assert repr(played) == f"<{name}: dealer 1, {len(played.moves)} moves, over>"


def test_empty_lines_in_the_text_form_are_passed_over() -> None:
    text = KOIKOI.to_text()
    assert round_of_text("\n" + text.replace("\n", "\r\n\r\n") + "\n") == KOIKOI


def test_a_call_before_the_first_card_of_a_turn() -> None:
    (problem,) = KOIKOI.check(Call(1, "koikoi"))
    assert problem.code == "out-of-turn"
    assert render(problem.text).startswith("player 1 has nothing to decide before playing a card")
    assert render(problem.text, "ja").startswith("1番はまだ札を出していない")


@pytest.mark.parametrize("none", [-1, 0, 3])
@GAMES
def test_querying_an_unknown_player(dealt: AnyRound, none: int) -> None:
    for ask in (dealt.hand, dealt.captured, dealt.score, dealt.yaku):
        with pytest.raises(IndexError, match=f"there is no player {none}: they are 1 to 2"):
            ask(none)
