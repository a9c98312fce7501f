"""Where on a table the field, the stock and each player's captures lie: zones as polygons, told by the deal or set by hand.

Without any setting up the deal itself tells: the field's cards say which way the table is turned and how far the field
reaches, and what lies beyond it on a player's side he has captured. Zones that a person has drawn over the camera's
picture win over that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.errors import BadRequestError, shown
from companion.hanafuda.registry import GAMES
from companion.observations import DISCARD, ELSEWHERE, FIELD, STOCK, captured_zone, hand_zone

__all__ = ["ZoneLayout", "default_layout", "field_layout", "parse_layout", "round_layout", "seated_around"]

Floats = NDArray[np.float64]

#: A zone reaches this far to the outside, mm: as far as any camera sees.
_FAR: Final = 3000.0
#: The field's cards may lie this far (mm) beyond its dealt rows: half of the way to where captures begin, and as far as a
#: card laid on its match sticks out.
_BEYOND: Final = 50.0
#: A field that was never seen dealt reaches this far from the table's middle, mm: two rows of cards.
_HALF_FIELD: Final = 90.0
#: The stock's own place, mm around its middle.
_STOCK_HALF: Final = (30.0, 42.0)
#: Where players sit all around the stock: how far from it the discard pile may lie (in a game of discarding), and the stock itself may have been
#: pushed (in a game of drawing), mm.
_DISCARD_HALF: Final = 170.0
_STOCK_ROUND: Final = 60.0
#: Zones in which nothing but the stock lies face down.
_OPEN: Final = frozenset((FIELD, DISCARD))


@dataclass(frozen=True)
class ZoneLayout:
    """Zones in order, each a polygon (n x 2 mm on the table); the first that holds a place is its zone."""

    zones: tuple[tuple[str, Floats], ...]

    def zone(self, at: tuple[float, float], *, back: bool = False) -> str:
        """Return the zone of a place (mm); what lies face down (``back``) where cards lie open is the stock."""
        for name, polygon in self.zones:
            if cv2.pointPolygonTest(polygon.astype(np.float32), at, False) >= 0:
                return STOCK if back and name in _OPEN else name
        return ELSEWHERE


def field_layout(field: Floats, axis: Floats, stock: Floats | None) -> ZoneLayout:
    """Return the zones of a table at which two players sit on either side of a field of cards.

    ``field``: middles of the dealt cards, n x 2 mm; ``axis``: from player 2 to player 1, a unit vector; ``stock``: the middle of
    the face-down pile, mm, None where none was seen.
    """
    across = np.array((-axis[1], axis[0]))
    along = field @ axis
    low, high = float(along.min()) - _BEYOND, float(along.max()) + _BEYOND
    zones: list[tuple[str, Floats]] = []
    if stock is not None:
        half_x, half_y = _STOCK_HALF
        zones.append((STOCK, _band(stock, axis, across, -half_y, half_y, half_x)))
    origin = np.zeros(2)
    zones.append((FIELD, _band(origin, axis, across, low, high, _FAR)))
    zones.append((captured_zone(1), _band(origin, axis, across, high, _FAR, _FAR)))
    zones.append((captured_zone(2), _band(origin, axis, across, -_FAR, low, _FAR)))
    return ZoneLayout(tuple(zones))


def seated_around(game: str) -> bool:
    """Return whether players sit all around the piles of a game, and not on two sides of a field."""
    camera = GAMES[game].camera
    return camera is not None and camera.layout != "beside-field"


def round_layout(game: str, middle: Floats, axis: Floats, seats: int) -> ZoneLayout:
    """Return the zones of a table with players all around: the piles in the middle, a sector a player.

    ``middle``: of the stock, or of the picture where none was seen yet, mm.
    ``axis``: from the middle to player 1, a unit vector; the others follow counter-clockwise as one looks down, as play goes.
    """
    angles = np.linspace(0, 2 * np.pi, 25)[:-1]
    camera = GAMES[game].camera
    piles = camera is not None and camera.layout == "around-discards"
    reach = _DISCARD_HALF if piles else _STOCK_ROUND
    ring = middle + reach * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    zones: list[tuple[str, Floats]] = [(DISCARD if piles else STOCK, ring)]
    first = np.arctan2(axis[1], axis[0])
    half = np.pi / seats
    for seat in range(1, seats + 1):
        # y grows downwards, so counter-clockwise for who looks down is a falling angle.
        towards = first - (seat - 1) * 2 * np.pi / seats
        edges = towards + np.linspace(-half, half, 7)
        arc = middle + _FAR * np.stack((np.cos(edges), np.sin(edges)), axis=1)
        zones.append((hand_zone(seat), np.vstack((middle[None], arc))))
    return ZoneLayout(tuple(zones))


def default_layout(middle: Floats, axis: Floats) -> ZoneLayout:
    """Return the zones of a fishing game's table of which nothing is known but its middle (mm) and where player 1 sits."""
    ends = np.stack((middle - axis * (_HALF_FIELD - _BEYOND), middle + axis * (_HALF_FIELD - _BEYOND)))
    return field_layout(ends, axis, None)


def parse_layout(told: Any) -> Mapping[str, Floats]:
    """Return zones that a person has drawn: polygons (n x 2) by zone, in parts (0-1) of the picture's width and height.

    ``told`` is ``{"zones": [{"zone": name, "polygon": [[x, y], …]}, …]}``; `BadRequestError` where it is not.
    """
    try:
        zones = {
            str(each["zone"]): np.array([[float(x), float(y)] for x, y in each["polygon"]], np.float64)
            for each in told["zones"]
        }
    except (KeyError, TypeError, ValueError) as error:
        raise BadRequestError(
            f"a layout is an object with zones, each with its zone and a polygon of [x, y] from 0 to 1: {shown(error)}"
        ) from None
    for name, polygon in zones.items():
        if len(polygon) < 3:
            raise BadRequestError(
                f"the polygon of {shown(name)} has {len(polygon)} corners; it needs three or more"
            )
    return zones


def _band(origin: Floats, axis: Floats, across: Floats, low: float, high: float, half: float) -> Floats:
    corners = ((low, -half), (low, half), (high, half), (high, -half))
    return np.array([origin + axis * along + across * aside for along, aside in corners])
