"""Positions on the demo's table: field, draw pile and captured cards (mm, see `vision.demo.stage`)."""

from __future__ import annotations

from typing import Final

from companion.hanafuda.cards import card
from companion.observations import FIELD, captured_zone
from vision.demo.stage import Lying, Spot, Stage

__all__ = ["STOCK_AT", "captured_place", "field_place", "loose_place", "on_match", "side", "turn_of"]

STOCK_AT: Final[Spot] = (-170.0, 0.0)

#: The deal is in four columns of two; further cards follow on the right.
_FIELD_LEFT: Final = -105.0
_COLUMN: Final = 41.0
_ROW: Final = 31.0
_COLUMNS: Final = 9

#: First position of each card type in its owner's view: x, and the number of cards in a row.
_KINDS: Final = {"bright": (-292.0, 5), "animal": (-182.0, 9), "ribbon": (-24.0, 10), "chaff": (146.0, 8)}
_FIRST_ROW: Final = 114.0
_NEXT_ROW: Final = 36.0


def side(seat: int) -> int:
    """Return 1 for the seat at the bottom, -1 for the seat at the top."""
    return 1 if seat == 1 else -1


def field_place(stage: Stage) -> Spot:
    """Return the first free position of the field."""
    taken = [lying.at for lying in stage.cards if lying.zone == FIELD]
    for column in range(_COLUMNS):
        for row in (-1, 1):
            at = (_FIELD_LEFT + column * _COLUMN, row * _ROW)
            if all(abs(at[0] - x) > 27 or abs(at[1] - y) > 45 for x, y in taken):
                return at
    return _FIELD_LEFT + _COLUMNS * _COLUMN, 0.0


def on_match(match: Lying, seat: int) -> Spot:
    """Return where a player puts a card on its match: offset towards himself, so that both are visible."""
    return match.x + 7.0 * side(seat), match.y + 17.0 * side(seat)


def turn_of(seat: int) -> float:
    """Return the angle of a card that faces the player at ``seat``, degrees."""
    return 0.0 if seat == 1 else 180.0


def captured_place(stage: Stage, seat: int, new: str) -> Lying:
    """Return a newly captured card at the end of the row of its type."""
    kind = card(new).kind or "chaff"
    zone = captured_zone(seat)
    before = sum(
        1
        for lying in stage.cards
        if lying.zone == zone
        and card(lying.card).kind == kind
        and lying.card not in stage.loose.get(seat, ())
    )
    left, columns = _KINDS[kind]
    row, column = divmod(before, columns)
    aside, down = stage.pushed.get((seat, kind), (0.0, 0.0))
    x = left + aside + column * stage.manner.step
    y = _FIRST_ROW + down + row * _NEXT_ROW
    return Lying(new, x * side(seat), y * side(seat), turn_of(seat), zone)


def loose_place(stage: Stage, seat: int, new: str, number: int) -> Lying:
    """Return a captured card, the ``number``-th of a turn, where the player drops it before sorting."""
    x, y = -70.0 + 45.0 * float(stage.rng.random()) + 19.0 * number, 156.0 + 2.0 * number
    return Lying(new, x * side(seat), y * side(seat), turn_of(seat), captured_zone(seat))
