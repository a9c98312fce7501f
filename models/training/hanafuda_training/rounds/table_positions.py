"""Positions on the demo's table: field, draw pile and captured cards (mm, coordinates as in `hanafuda_training.rounds.stage`)."""

from __future__ import annotations

from typing import Final

from companion.hanafuda.cards import card
from companion.observations import FIELD, captured_zone
from hanafuda_training.rounds.stage import PlacedCard, Spot, Stage

__all__ = ["captured_place", "field_place", "loose_place", "on_match", "side", "stock_at", "turn_of"]

#: Distance of the draw pile from the center of the table, mm.
_STOCK_DISTANCE: Final = 170.0
#: The dealt field cards form four columns of two; further cards follow on the right.
_FIELD_LEFT: Final = -105.0
_COLUMN_STEP: Final = 41.0
_ROW_OFFSET: Final = 31.0
_COLUMNS: Final = 9

#: By card type: x of the first captured card as its owner sees it, mm, and the number of cards in a row.
_TYPE_POSITIONS: Final = {
    "bright": (-292.0, 5),
    "animal": (-182.0, 9),
    "ribbon": (-24.0, 10),
    "chaff": (146.0, 8),
}
_FIRST_ROW: Final = 114.0
_ROW_STEP: Final = 36.0
#: Pairs: x of the first as its owner sees it, distance between pairs, offset of the second card of a pair, mm; pairs in a row.
_PAIR_LEFT: Final = -200.0
_PAIR_STEP: Final = 62.0
_PAIR_OFFSET: Final = (17.0, 6.0)
_PAIRS: Final = 7
#: A row: x of the first card as its owner sees it, mm, and its number of cards.
_ROW_LEFT: Final = -190.0
_ROW_CARDS: Final = 20
#: A heap: its center as its owner sees it, and the standard deviations of its cards, mm and degrees.
_HEAP_AT: Final[Spot] = (90.0, 150.0)
_HEAP_SPREAD: Final = (34.0, 13.0, 28.0)


def side(seat: int) -> int:
    """Return 1 for the seat at the bottom, -1 for the seat at the top."""
    return 1 if seat == 1 else -1


def field_place(stage: Stage) -> Spot:
    """Return the first free position of the field."""
    taken = [pose.at for pose in stage.cards if pose.zone == FIELD]
    for column in range(_COLUMNS):
        for row in (-1, 1):
            position = (-stage.manner.stock_side * (_FIELD_LEFT + column * _COLUMN_STEP), row * _ROW_OFFSET)
            if all(abs(position[0] - x) > 27 or abs(position[1] - y) > 45 for x, y in taken):
                return position
    return -stage.manner.stock_side * (_FIELD_LEFT + _COLUMNS * _COLUMN_STEP), 0.0


def stock_at(stage: Stage) -> Spot:
    """Return the position of the draw pile."""
    return stage.manner.stock_side * _STOCK_DISTANCE, 0.0


def on_match(match: PlacedCard, seat: int) -> Spot:
    """Return where a player puts a card on its match: offset toward the player, so that both cards are visible."""
    return match.x + 7.0 * side(seat), match.y + 17.0 * side(seat)


def turn_of(seat: int) -> float:
    """Return the angle of a card that faces the player at ``seat``, degrees."""
    return 0.0 if seat == 1 else 180.0


def captured_place(stage: Stage, seat: int, new: str) -> PlacedCard:
    """Return the pose of a newly captured card: the next one in its owner's arrangement."""
    zone = captured_zone(seat)
    captured = [
        card(pose.card).kind
        for pose in stage.cards
        if pose.zone == zone and pose.card not in stage.loose.get(seat, ())
    ]
    arrangement, turn = stage.arrangement(seat), turn_of(seat)
    if arrangement == "heap":
        across, down, degrees = stage.rng.normal(0, _HEAP_SPREAD)
        x, y, turn = _HEAP_AT[0] + across, _HEAP_AT[1] + down, turn + degrees
    elif arrangement == "pairs":
        pair, second = divmod(len(captured), 2)
        row, column = divmod(pair, _PAIRS)
        x = _PAIR_LEFT + column * _PAIR_STEP + second * _PAIR_OFFSET[0]
        y = _FIRST_ROW + row * _ROW_STEP + second * _PAIR_OFFSET[1]
    elif arrangement == "row":
        row, column = divmod(len(captured), _ROW_CARDS)
        x, y = _ROW_LEFT + column * stage.manner.step, _FIRST_ROW + row * _ROW_STEP
    else:
        card_type = card(new).kind or "chaff"
        left, columns = _TYPE_POSITIONS[card_type]
        row, column = divmod(captured.count(card_type), columns)
        push_x, push_y = stage.pushed.get((seat, card_type), (0.0, 0.0))
        x = left + push_x + column * stage.manner.step
        y = _FIRST_ROW + push_y + row * _ROW_STEP
    return PlacedCard(new, float(x) * side(seat), float(y) * side(seat), float(turn), zone)


def loose_place(stage: Stage, seat: int, new: str, number: int) -> PlacedCard:
    """Return the pose of a captured card, number ``number`` (from 0) of a turn, that is dropped before sorting."""
    x, y = -70.0 + 45.0 * float(stage.rng.random()) + 19.0 * number, 156.0 + 2.0 * number
    return PlacedCard(new, x * side(seat), y * side(seat), turn_of(seat), captured_zone(seat))
