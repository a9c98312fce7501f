"""Greedy players, who capture as much as they can so that viewers of the demo see yaku."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from companion.hanafuda.cards import card
from companion.hanafuda.fishing import PLAY_ON, Call
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Round
from companion.hanafuda.rules import Rules, resolve

__all__ = ["AnyRound", "evening", "play", "play_match"]

AnyRound = Round[Any, Any, Any]

#: Value of a captured card to these players by card type; a yaku point is worth as much as two animals.
_CARD_VALUES: Final = {"bright": 20, "animal": 10, "ribbon": 5, "chaff": 1}
_POINT_VALUE: Final = 20
#: They call koi-koi with fewer points than this and at least this many cards left in hand.
_MAX_POINTS: Final = 6
_MIN_CARDS_LEFT: Final = 3


def evening(game: str | None, seed: int, rules: str | None = None) -> Iterator[AnyRound]:
    """Yield an endless sequence of completed rounds, match after match; dealer and month follow the game's rules.

    A deal that ends its round immediately is dealt again: the hand that ends it is not visible to a camera.
    """
    resolved = resolve(rules, game)
    rng = Random(seed)
    while True:
        yield from play_match(resolved, rng)


def play_match(rules: Rules, rng: Random) -> Iterator[AnyRound]:
    """Yield the completed rounds of one match of two players, see `evening`."""
    match = GAMES[rules.game].match(rules, players=2, dealer=rng.randint(1, 2))
    while match.outcome() is None:
        while (played := match.shuffled(rng)).outcome() is not None:
            pass
        play(played, rng)
        match.push(played)
        yield played


def play(played: AnyRound, rng: Random) -> None:
    """Play a dealt round of a fishing game to its end, in place."""
    while moves := played.legal_moves():
        calls = [move for move in moves if isinstance(move, Call)]
        if calls:
            played.push(_choose_call(played, calls))
            continue
        rng.shuffle(moves)
        played.push(max(moves, key=lambda move: _move_value(played, move)))


def _choose_call(played: AnyRound, calls: list[Call]) -> Call:
    """Choose to play on while there is little to lose, and to stop otherwise."""
    player = calls[0].player
    points = sum(number for _, number in played.yaku(player))
    played_turns = sum(turn["player"] == player for turn in played.turns())
    play_on = points < _MAX_POINTS and len(played.deal.hands[player - 1]) - played_turns >= _MIN_CARDS_LEFT
    wanted = PLAY_ON if play_on else "stop"
    return next((call for call in calls if call.name == wanted), calls[-1])


def _move_value(played: AnyRound, move: Any) -> float:
    taken = sum(
        _CARD_VALUES[card(card_id).kind or "chaff"] for card_id in (move.card, *move.takes) if move.takes
    )
    # A card that captures nothing is lost to the field: prefer to lose the least valuable one.
    lost = 0 if move.takes else _CARD_VALUES[card(move.card).kind or "chaff"] / 100
    before = sum(number for _, number in played.yaku(move.player))
    played.push(move)
    after = sum(number for _, number in played.yaku(move.player))
    played.pop()
    return float(taken - lost + _POINT_VALUE * (after - before))
