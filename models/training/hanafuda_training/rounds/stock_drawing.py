"""Rounds of games in which players draw from the stock: a draw pile on the table, and hands revealed at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from companion.observations import STOCK, hand_zone
from hanafuda_training.rounds.stage import Disturb, Moment, PlacedCard, Stage, bearing, facing, undisturbed

__all__ = ["round_moments"]

#: Distance of a revealed hand from the center of the table: horizontally and vertically, mm.
_HAND_DISTANCE: Final = (235.0, 128.0)
#: Distance between neighboring cards of a revealed hand, mm.
_CARD_DISTANCE: Final = 22.0


def round_moments(
    stage: Stage, record: Mapping[str, Any], disturb: Disturb = undisturbed
) -> Iterator[Moment]:
    """Yield a round from the empty table to the showdown; ``record`` is a round record with all its cards."""
    stage.players = record["players"]
    hands = {int(seat): list(cards) for seat, cards in record["deal"]["hands"].items()}
    yield from stage.rest("empty", 1.0)
    yield from stage.reach(record["dealer"], (0.0, 0.0), "deal")
    stock = len(record["deal"]["stock"])
    stage.cards.append(PlacedCard("back", 0.0, 0.0, float(stage.rng.normal(0, 4)), STOCK, stock))
    yield from stage.rest("dealt", stage.manner.rest)
    revealed = set()
    for number, turn in enumerate(record["turns"]):
        yield from disturb(stage, record, number)
        seat = turn["player"]
        draws = turn.get("draws", [])
        if draws:
            stage.turn += 1
        for card in draws:
            pile = stage.find("back")
            yield from stage.reach(seat, pile.at, "draw")
            stage.thin(pile)
            yield from stage.withdraw(seat)
            hands[seat].append(card)
        if turn.get("bareta"):
            revealed.add(seat)
            yield from _reveal(stage, seat, hands[seat])
        yield from stage.rest("settled", stage.manner.rest)
    for step in range(stage.players):
        seat = (record["dealer"] + step - 1) % stage.players + 1
        if hands[seat] and seat not in revealed:
            yield from _reveal(stage, seat, hands[seat])
    yield from stage.rest("showdown", 2 * stage.manner.rest)


def _reveal(stage: Stage, seat: int, cards: list[str]) -> Iterator[Moment]:
    """Lay the cards of a hand face up side by side in front of their player, facing him."""
    direction = bearing(seat, stage.players)
    x, y = _HAND_DISTANCE[0] * float(np.cos(direction)), _HAND_DISTANCE[1] * float(np.sin(direction))
    turn = facing(seat, stage.players)
    row_angle = np.radians(turn)
    yield from stage.reach(seat, (x, y), "show", cards)
    for number, card in enumerate(cards):
        offset = _CARD_DISTANCE * (number - (len(cards) - 1) / 2)
        stage.put(
            PlacedCard(
                card,
                x + offset * float(np.cos(row_angle)),
                y + offset * float(np.sin(row_angle)),
                turn,
                hand_zone(seat),
            )
        )
