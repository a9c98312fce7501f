"""A round of Koi-Koi or Kekoro as it is played on a table: from its record to moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companion.sightings import FIELD, captured_zone
from vision.demo.places import STOCK_AT, captured_place, field_place, on_match, put_stock, side
from vision.demo.stage import Lying, Moment, Stage

__all__ = ["deal", "gather", "play_turn", "round_moments"]

_STOCK: Final = 24


def round_moments(stage: Stage, record: Mapping[str, Any]) -> Iterator[Moment]:
    """Yield a round from the empty table to the last capture; ``record`` is a round record with all its cards."""
    yield from deal(stage, record["deal"]["field"], int(record["dealer"]))
    for turn in record["turns"]:
        yield from play_turn(stage, turn)
    yield from stage.rest("end", 1.5)


def deal(stage: Stage, field: Sequence[str], dealer: int) -> Iterator[Moment]:
    """Yield how the dealer lays out the field and the stock."""
    stage.turn = 0
    yield from stage.rest("empty", 1.0)
    for cards in (field[:4], field[4:]):
        yield from stage.reach(dealer, (field_place(stage)[0] + 60, 0.0), "deal")
        for card in cards:
            stage.put(Lying(card, *field_place(stage), 0.0 if dealer == 1 else 180.0, FIELD))
    yield from stage.reach(dealer, STOCK_AT, "deal")
    put_stock(stage, _STOCK)
    yield from stage.rest("dealt", stage.manner.rest)


def play_turn(stage: Stage, turn: Mapping[str, Any]) -> Iterator[Moment]:
    """Yield one turn: the card from the hand, the card from the stock, and what they capture."""
    seat: int = turn["player"]
    manner = stage.manner
    stage.turn += 1
    yield from _sort(stage, seat)
    yield from _lay(stage, seat, turn["play"], turn["captured"], "reach")
    if manner.pause:
        yield from stage.rest("played", manner.pause)
    if manner.collect == "each" and turn["captured"]:
        yield from _collect(stage, seat, turn["captured"])
    left = list(turn["captured"])
    if turn["draw"] is not None:
        yield from stage.reach(seat, _stock_at(stage), "stock")
        put_stock(stage, _stock_count(stage) - 1)
        yield from _lay(stage, seat, turn["draw"], turn["draw_captured"], "draw")
        if manner.pause:
            yield from stage.rest("drawn", manner.pause)
        left = [*left, *turn["draw_captured"]] if manner.collect != "each" else list(turn["draw_captured"])
    elif manner.collect == "each":
        left = []
    if left:
        yield from _collect(stage, seat, list(dict.fromkeys(left)))
    yield from stage.rest("settled", manner.rest)


def _lay(stage: Stage, seat: int, card: str, captured: Sequence[str], what: str) -> Iterator[Moment]:
    """Bring a card to its match, or to a free place of the field."""
    matches = [each for each in captured if each != card]
    at = on_match(stage.find(matches[0]), seat) if matches else field_place(stage)
    yield from stage.reach(seat, at, what, [card])
    stage.put(Lying(card, *at, 0.0 if seat == 1 else 180.0, FIELD))


def _collect(stage: Stage, seat: int, cards: Sequence[str]) -> Iterator[Moment]:
    """Take captured cards in."""
    yield from stage.reach(seat, stage.find(cards[0]).at, "collect")
    stage.take(cards)
    if stage.manner.collect == "late":
        drop = (side(seat) * float(stage.rng.uniform(-60, 60)), side(seat) * 185.0)
        yield from stage.reach(seat, drop, "collect", cards)
        for number, card in enumerate(cards):
            aside = side(seat) * 22.0 * number
            stage.put(Lying(card, drop[0] + aside, drop[1], 0.0 if seat == 1 else 180.0, _loose(seat)))
        return
    yield from stage.reach(seat, captured_place(stage, seat, cards[-1]).at, "collect", cards)
    for card in cards:
        stage.put(captured_place(stage, seat, card))


def _loose(seat: int) -> str:
    return captured_zone(seat)


def _sort(stage: Stage, seat: int) -> Iterator[Moment]:
    return iter(())


def _stock_at(stage: Stage) -> tuple[float, float]:
    return next((lying.at for lying in stage.cards if lying.layers > 1 or lying.card == "back"), STOCK_AT)


def _stock_count(stage: Stage) -> int:
    return next((lying.layers for lying in stage.cards if lying.card == "back"), 0)


def gather(stage: Stage, seat: int) -> Iterator[Moment]:
    """Yield how the cards are gathered up again."""
    yield from stage.reach(seat, (0.0, 0.0), "gather")
    stage.cards = []
    yield from stage.rest("gathered", 1.0)
