"""What is wrong with a card played in a fishing round, or with its deal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.families.fishing.captures import bit_of, named
from companion.hanafuda.families.fishing.moves import Call, Draw, FishingMove, Play
from companion.hanafuda.families.fishing.record import FIELD
from companion.hanafuda.families.fishing.state import FishingState
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Deal, Problem
from companion.hanafuda.rules import Text

if TYPE_CHECKING:
    from companion.hanafuda.families.fishing.round import FishingRound

__all__ = ["deal_problems", "move_problems"]


def move_problems(played: FishingRound[Any, Any], state: FishingState, move: FishingMove) -> list[Problem]:
    """Return every problem of a card played from the hand or the stock; of any move by an unknown player."""
    if not 1 <= move.player <= played.players:
        return [
            Problem(
                "no-such-player",
                Text(
                    f"there is no player {move.player}: they are 1 to {played.players}",
                    f"{move.player}番はいない（1〜{played.players}番）",
                ),
            )
        ]
    assert not isinstance(move, Call)
    move.check_ids()
    problems = _turn_problems(played, state, move)
    if isinstance(move, Play):
        problems += _hand_problems(state, move.player, move.bit)
    else:
        problems += _draw_problems(played, state, move.bit)
    problems += _capture_problems(played, state, move)
    if not problems and (problem := played.contradiction(state, move)):
        problems.append(problem)
    return problems


def _turn_problems(played: FishingRound[Any, Any], state: FishingState, move: Play | Draw) -> list[Problem]:
    if state.phase == "over":
        return [played._over(state)]
    problems = []
    if pending := played.pending(state):
        if isinstance(move, Play) or state.phase != "draw":
            return [pending]
    elif isinstance(move, Draw):
        problems.append(
            Problem(
                "play-missing",
                Text(
                    f"player {move.player} drew before a hand card was played",
                    f"{move.player}番が手札を出す前にめくった",
                ),
            )
        )
    if move.player != state.player:
        problems.append(
            Problem(
                "out-of-turn",
                Text(
                    f"it is player {state.player}'s turn, not player {move.player}'s",
                    f"{state.player}番の手番で、{move.player}番ではない",
                ),
            )
        )
    return problems


def _hand_problems(state: FishingState, player: int, bit: int) -> list[Problem]:
    hand = state.hands[player - 1]
    if bit & hand:
        return []
    if state.hidden(player):
        return _elsewhere(state, bit, "not-in-hand")
    card, held = named(bit), named(hand)
    problem = Problem(
        "not-in-hand",
        Text(
            f"player {player} played {card.en}, but holds {held.en or 'no card'}",
            f"{player}番が{card.ja}を出したが、手札は{held.ja or '一枚もない'}",
        ),
    )
    return [problem, *_face_up(state, bit)]


def _draw_problems(played: FishingRound[Any, Any], state: FishingState, bit: int) -> list[Problem]:
    card, top = named(bit), played.top_card(state)
    if state.drawn >= len(played.stock):
        return [
            Problem(
                "wrong-draw",
                Text(f"{card.en} was drawn, but the stock is empty", f"山札がないのに{card.ja}をめくった"),
            )
        ]
    if bit == top:
        return []
    if not top:
        return _elsewhere(state, bit, "wrong-draw")
    expected = named(top)
    problem = Problem(
        "wrong-draw",
        Text(
            f"{card.en} was drawn, but {expected.en} lay on top of the stock",
            f"{card.ja}をめくったが、山札の一番上は{expected.ja}",
        ),
    )
    return [problem, *_face_up(state, bit)]


def _elsewhere(state: FishingState, bit: int, code: str) -> list[Problem]:
    """Return the problem of a card that cannot be the hidden one, because it is known to be somewhere else.

    `code` is the problem's code if the card is face down there; a face-up card has its own code.
    """
    if bit & state.face_up:
        return _face_up(state, bit)
    if bit & state.known_stock:
        where = Text("it is still in the stock", "まだ山札にある")
    elif holders := [player for player, hand in enumerate(state.hands, start=1) if bit & hand]:
        where = Text(f"player {holders[0]} holds it", f"{holders[0]}番の手札にある")
    else:
        return []
    return [_impossible(code, bit, where)]


def _face_up(state: FishingState, bit: int) -> list[Problem]:
    """Return the problem of a card that is face up already, if it is."""
    for player, pile in enumerate(state.piles, start=1):
        if bit & pile:
            return [_captured_before(bit, player)]
    if bit & state.field:
        return [_impossible("card-twice", bit, Text("it lies on the field", "場にある"))]
    return []


def _capture_problems(
    played: FishingRound[Any, Any], state: FishingState, move: Play | Draw
) -> list[Problem]:
    problems, takes = [], 0
    for each in move.takes:
        bit = bit_of(each)
        name = named(bit)
        if bit & takes:
            problems.append(
                Problem(
                    "card-twice",
                    Text(
                        f"{name.en} is named twice among the captured cards",
                        f"取り札に{name.ja}が二度ある",
                    ),
                )
            )
        elif not bit & state.field:
            owner = next((p for p, pile in enumerate(state.piles, start=1) if bit & pile), None)
            problems.append(
                _captured_before(bit, owner)
                if owner
                else Problem(
                    "not-on-field",
                    Text(
                        f"{name.en} was captured, but does not lie on the field",
                        f"{name.ja}を取ったが、場にはない",
                    ),
                )
            )
        takes |= bit
    return problems + played.captures.problems(
        move.bit, takes & state.field, state.field, from_hand=isinstance(move, Play)
    )


def _impossible(code: str, bit: int, where: Message) -> Problem:
    card = named(bit)
    return Problem(
        code,
        Text(f"{card.en} cannot turn up here: {where.en}", f"{card.ja}がここで出るはずがない：{where.ja}"),
    )


def _captured_before(bit: int, player: int) -> Problem:
    card = named(bit)
    return Problem(
        "captured-before",
        Text(
            f"{card.en} lies in player {player}'s pile already: it was captured before",
            f"{card.ja}はすでに{player}番が取っている",
        ),
    )


def deal_problems(deal: Deal, hand_size: int) -> list[Problem]:
    """Return every problem of a deal: duplicate cards, wrong numbers of cards."""
    problems, dealt = [], 0
    for card in (*(each for hand in deal.hands for each in hand), *deal.field, *deal.stock):
        bit = 0 if card is None else bit_of(card)
        if bit & dealt:
            name = named(bit)
            problems.append(
                Problem(
                    "card-twice",
                    Text(f"{name.en} was dealt twice", f"{name.ja}が二度配られている"),
                )
            )
        dealt |= bit
    parts = [
        *(
            (Text(f"player {player}'s hand", f"{player}番の手札"), len(hand), hand_size)
            for player, hand in enumerate(deal.hands, start=1)
        ),
        (Text("the field", "場"), len(deal.field), FIELD),
        (Text("the stock", "山札"), len(deal.stock), len(HANAFUDA) - FIELD - len(deal.hands) * hand_size),
    ]
    problems += [
        Problem(
            "misdeal",
            Text(
                f"{part.en} was dealt {count} cards, not {right}",
                f"{part.ja}が{count}枚（正しくは{right}枚）",
            ),
        )
        for part, count, right in parts
        if count != right
    ]
    return problems
