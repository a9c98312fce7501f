"""Players who take what they can, so that whoever watches the demo sees yaku come about."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from companion.hanafuda.cards import card
from companion.hanafuda.families.fishing import PLAY_ON, Call
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Round
from companion.hanafuda.rules import resolve

__all__ = ["evening", "play"]

AnyRound = Round[Any, Any, Any]

#: What a captured card is worth to these players; a point of a yaku weighs as much as two animals.
_WORTH: Final = {"bright": 20, "animal": 10, "ribbon": 5, "chaff": 1}
_POINT: Final = 20
#: With so few points, and so many cards in hand, they play on.
_MODEST: Final = 6
_CARDS_LEFT: Final = 3


def evening(game: str | None, seed: int, rules: str | None = None) -> Iterator[AnyRound]:
    """Yield rounds played to their end, evening after evening; who deals and the month are as the game's rules say.

    A deal that ends its round at once, by a hand that no camera sees, is dealt again.
    """
    found = resolve(rules, game)
    rng = Random(seed)
    while True:
        night = GAMES[found.game].match(found, players=2, dealer=rng.randint(1, 2))
        while night.outcome() is None:
            while (played := night.shuffled(rng)).outcome() is not None:
                pass
            play(played, rng)
            night.push(played)
            yield played


def play(played: AnyRound, rng: Random) -> None:
    """Play a dealt round of a fishing game to its end, in place."""
    while moves := played.legal_moves():
        calls = [move for move in moves if isinstance(move, Call)]
        if calls:
            played.push(_call(played, calls))
            continue
        rng.shuffle(moves)
        played.push(max(moves, key=lambda move: _worth(played, move)))


def _call(played: AnyRound, calls: list[Call]) -> Call:
    """Play on while there is little to lose, else end the round."""
    player = calls[0].player
    points = sum(number for _, number in played.yaku(player))
    held = sum(turn["player"] == player for turn in played.turns())
    bold = points < _MODEST and len(played.deal.hands[player - 1]) - held >= _CARDS_LEFT
    wanted = PLAY_ON if bold else "stop"
    return next((call for call in calls if call.said == wanted), calls[-1])


def _worth(played: AnyRound, move: Any) -> float:
    taken = sum(_WORTH[card(each).kind or "chaff"] for each in (move.card, *move.takes) if move.takes)
    # What nothing takes is laid down: the least of it first.
    given = 0 if move.takes else _WORTH[card(move.card).kind or "chaff"] / 100
    before = sum(number for _, number in played.yaku(move.player))
    played.push(move)
    after = sum(number for _, number in played.yaku(move.player))
    played.pop()
    return float(taken - given + _POINT * (after - before))
