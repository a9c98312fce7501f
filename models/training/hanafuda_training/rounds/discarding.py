"""Rounds of games in which players discard: a discard pile in the center, the box (draw pile) beside it, and hidden hands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companion.observations import DISCARD, STOCK
from hanafuda_training.rounds.stage import Disturb, Moment, PlacedCard, Spot, Stage, facing, undisturbed

__all__ = ["round_moments"]

_PILE: Final[Spot] = (20.0, 0.0)
_BOX: Final[Spot] = (-110.0, 0.0)
#: Distance between neighboring cards of a discarded pair or triplet, mm.
_CARD_DISTANCE: Final = 18.0


def round_moments(
    stage: Stage, record: Mapping[str, Any], disturb: Disturb = undisturbed
) -> Iterator[Moment]:
    """Yield a round from the empty table to the last card; ``record`` is a round record with all its cards.

    Exchanges of hands and turns without a discard move nothing on the table.
    """
    stage.players = record["players"]
    dealer: int = record["dealer"]
    yield from stage.rest("empty", 1.0)
    yield from stage.reach(dealer, _BOX, "deal")
    stage.cards.append(
        PlacedCard("back", *_BOX, float(stage.rng.normal(0, 4)), STOCK, len(record["deal"]["stock"]))
    )
    yield from stage.rest("dealt", stage.manner.rest)
    for number, turn in enumerate(record["turns"]):
        yield from disturb(stage, record, number)
        if "swap" in turn:
            continue
        stage.turn += 1
        if "box" in turn:
            yield from _open_box(stage, turn["player"], turn["box"])
        for cards in turn.get("discards", []):
            yield from _discard(stage, turn["player"], cards)
            yield from stage.rest("settled", stage.manner.rest)
        if not turn.get("discards"):
            yield from stage.rest("passed", stage.manner.rest)


def _open_box(stage: Stage, seat: int, card: str) -> Iterator[Moment]:
    """Turn up the top card of the box onto the pile; an empty box is refilled with all discards but the last."""
    box = next((pose for pose in stage.cards if pose.zone == STOCK), None)
    if box is None:
        yield from stage.reach(seat, _PILE, "recycle")
        *rest, top = [pose for pose in stage.cards if pose.zone == DISCARD]
        box = PlacedCard("back", *_BOX, float(stage.rng.normal(0, 4)), STOCK, len(rest))
        yield from stage.reach(seat, _BOX, "recycle")
        stage.cards = [*(pose for pose in stage.cards if pose.zone != DISCARD), box, top]
    yield from stage.reach(seat, box.at, "box")
    stage.thin(box)
    yield from _discard(stage, seat, [card])
    yield from stage.rest("opened", stage.manner.rest)


def _discard(stage: Stage, seat: int, cards: Sequence[str]) -> Iterator[Moment]:
    """Lay cards face up on the pile, side by side, facing their player."""
    yield from stage.reach(seat, _PILE, "discard", cards)
    x, y = _PILE
    for number, card in enumerate(cards):
        offset = _CARD_DISTANCE * (number - (len(cards) - 1) / 2)
        turn = facing(seat, stage.players)
        stage.put(PlacedCard(card, x + offset, y, turn + float(stage.rng.normal(0, 6)), DISCARD))
