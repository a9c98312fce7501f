"""A round of a game of drawing from the stock as it is played on a table: a draw pile, and hands laid open at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from companion.observations import STOCK, hand_zone
from vision.demo.stage import Lying, Moment, Stage, bearing, facing

__all__ = ["round_moments"]

#: Where a hand is laid open: how far from the middle to the side, and up or down, mm.
_BEFORE: Final = (235.0, 128.0)
#: How far apart its cards lie, mm.
_STEP: Final = 22.0


def round_moments(stage: Stage, record: Mapping[str, Any]) -> Iterator[Moment]:
    """Yield a round from the empty table to the showdown; ``record`` is a round record with all its cards."""
    stage.players = record["players"]
    hands = {int(seat): list(cards) for seat, cards in record["deal"]["hands"].items()}
    yield from stage.rest("empty", 1.0)
    yield from stage.reach(record["dealer"], (0.0, 0.0), "deal")
    stock = len(record["deal"]["stock"])
    stage.cards.append(Lying("back", 0.0, 0.0, float(stage.rng.normal(0, 4)), STOCK, stock))
    yield from stage.rest("dealt", stage.manner.rest)
    shown = set()
    for turn in record["turns"]:
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
            shown.add(seat)
            yield from _show(stage, seat, hands[seat])
        yield from stage.rest("settled", stage.manner.rest)
    for step in range(stage.players):
        seat = (record["dealer"] + step - 1) % stage.players + 1
        if hands[seat] and seat not in shown:
            yield from _show(stage, seat, hands[seat])
    yield from stage.rest("showdown", 2 * stage.manner.rest)


def _show(stage: Stage, seat: int, cards: list[str]) -> Iterator[Moment]:
    """Lay a hand open before its player, side by side as he sees it."""
    way = bearing(seat, stage.players)
    x, y = _BEFORE[0] * float(np.cos(way)), _BEFORE[1] * float(np.sin(way))
    turn = facing(seat, stage.players)
    along = np.radians(turn)
    yield from stage.reach(seat, (x, y), "show", cards)
    for number, card in enumerate(cards):
        aside = _STEP * (number - (len(cards) - 1) / 2)
        stage.put(
            Lying(
                card,
                x + aside * float(np.cos(along)),
                y + aside * float(np.sin(along)),
                turn,
                hand_zone(seat),
            )
        )
