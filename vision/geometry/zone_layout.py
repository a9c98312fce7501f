"""Zone layout: the polygons of the field, the draw pile, and each player's captures, derived from the deal
or drawn by a person.

Without any setup, the deal determines the zones: the field's cards show the orientation of the table and the
extent of the field, and cards beyond it on a player's side are captured. Zones drawn by a person over the
camera's picture take precedence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.registry import GAMES
from companion.observations import DISCARD, ELSEWHERE, FIELD, STOCK, captured_zone, hand_zone
from vision.pictures.crops import Floats

#: Extent of the outer zones, mm: farther than any camera's view.
_FAR: Final = 3000.0
#: Margin of the field around the dealt rows, mm: half the distance to the captures, and the overhang of a
#: card placed on its match.
_FIELD_MARGIN: Final = 50.0
#: Half the depth of a field whose deal was not observed, mm: two rows of cards.
_HALF_FIELD: Final = 90.0
#: Half the width and height of the draw pile's zone, mm.
_STOCK_HALF: Final = (30.0, 42.0)
#: For games played around the draw pile: radius of the discard pile's zone and of the zone in which
#: the draw pile may move, mm.
_DISCARD_RADIUS: Final = 170.0
_STOCK_RADIUS: Final = 60.0
#: Zones in which only the draw pile is face down.
_OPEN: Final = frozenset((FIELD, DISCARD))


@dataclass(frozen=True)
class ZoneLayout:
    """Zones in order, each a polygon (n x 2 mm); a position belongs to the first zone that contains it."""

    zones: tuple[tuple[str, Floats], ...]

    def zone(self, at: tuple[float, float], *, back: bool = False) -> str:
        """Return the zone of a position (mm); a face-down card (``back``) in a zone of face-up cards
        belongs to the draw pile.
        """
        for name, polygon in self.zones:
            if cv2.pointPolygonTest(polygon.astype(np.float32), at, False) >= 0:
                return STOCK if back and name in _OPEN else name
        return ELSEWHERE


def field_layout(field: Floats, axis: Floats, stock: Floats | None) -> ZoneLayout:
    """Return the zones of a table with two players on opposite sides of a field.

    ``field``: centers of the dealt cards (n x 2 mm). ``axis``: unit vector from player 2 to player 1.
    ``stock``: center of the face-down draw pile, mm, None if not detected.
    """
    across = np.array((-axis[1], axis[0]))
    along = field @ axis
    low, high = float(along.min()) - _FIELD_MARGIN, float(along.max()) + _FIELD_MARGIN
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
    """Return the zones of a table with players all around: the piles in the center, a sector for each
    player.

    ``middle``: center of the draw pile, or of the picture if it was not detected, mm. ``axis``: unit vector
    from the center to player 1; the others follow counterclockwise seen from above, in playing order.
    """
    angles = np.linspace(0, 2 * np.pi, 25)[:-1]
    camera = GAMES[game].camera
    piles = camera is not None and camera.layout == "around-discards"
    reach = _DISCARD_RADIUS if piles else _STOCK_RADIUS
    ring = middle + reach * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    zones: list[tuple[str, Floats]] = [(DISCARD if piles else STOCK, ring)]
    first = np.arctan2(axis[1], axis[0])
    half = np.pi / seats
    for seat in range(1, seats + 1):
        # y points down, so counterclockwise seen from above is a decreasing angle.
        towards = first - (seat - 1) * 2 * np.pi / seats
        edges = towards + np.linspace(-half, half, 7)
        arc = middle + _FAR * np.stack((np.cos(edges), np.sin(edges)), axis=1)
        zones.append((hand_zone(seat), np.vstack((middle[None], arc))))
    return ZoneLayout(tuple(zones))


def default_layout(middle: Floats, axis: Floats) -> ZoneLayout:
    """Return the zones of a fishing game when only the center of the table (mm) and player 1's side are
    known.
    """
    ends = np.stack(
        (middle - axis * (_HALF_FIELD - _FIELD_MARGIN), middle + axis * (_HALF_FIELD - _FIELD_MARGIN))
    )
    return field_layout(ends, axis, None)


def parse_layout(layout: Any) -> Mapping[str, Floats]:
    """Return zones drawn by a person: polygons (n x 2) by zone, as fractions (0-1) of the picture's width
    and height.

    ``layout`` is ``{"zones": [{"zone": name, "polygon": [[x, y], …]}, …]}``. Raises `BadRequestError` if it is
    not.
    """
    try:
        zones = {
            str(each["zone"]): np.array([[float(x), float(y)] for x, y in each["polygon"]], np.float64)
            for each in layout["zones"]
        }
    except (KeyError, TypeError, ValueError) as error:
        raise BadRequestError(
            f"a layout is an object with zones, each with its zone and a polygon of [x, y] from 0 to 1: {quote(error)}"
        ) from None
    for name, polygon in zones.items():
        if len(polygon) < 3:
            raise BadRequestError(
                f"the polygon of {quote(name)} has {len(polygon)} corners; it needs three or more"
            )
    return zones


def _band(origin: Floats, axis: Floats, across: Floats, low: float, high: float, half: float) -> Floats:
    corners = ((low, -half), (low, half), (high, half), (high, -half))
    return np.array([origin + axis * along + across * aside for along, aside in corners])
