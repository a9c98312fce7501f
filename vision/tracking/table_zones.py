"""Zones of a watched table: field, draw pile and captures, found from the deal or drawn by a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import cv2
import numpy as np

from companion.observations import ELSEWHERE, HandEvent
from vision.geometry.registration.table_registration import Registration
from vision.geometry.zone_layout import (
    ZoneLayout,
    default_layout,
    field_layout,
    parse_layout,
    round_layout,
    seated_around,
)
from vision.photograph.acceptance import MOSTLY_VISIBLE
from vision.pictures.crops import Floats
from vision.tracking.card_tracks import LIKELY, UNLIKELY, CardTrack
from vision.tracking.hand_detection import HandPosition

#: Number of face-up cards of a deal.
DEAL_CARDS: Final = range(6, 13)
#: Largest depth of the dealt rows (mm, between centers); the draw pile is nearer than half of it to their axis.
_MAX_FIELD_DEPTH: Final = 150.0
#: A hand whose direction has a smaller component along the axis of the players belongs to no seat.
_MIN_SEAT_COMPONENT: Final = 0.4


class TableZones:
    """Knows where the zones and the players of a table are."""

    def __init__(self, game: str, seats: int, drawn: Any = None) -> None:
        """``drawn``: zones drawn by a person, as in `vision.geometry.zone_layout.parse_layout`; raises `BadRequestError`."""
        self._game, self._seats = game, seats
        self.is_round = seated_around(game)
        """Whether players sit all around the table."""
        self._drawn = None if drawn is None else parse_layout(drawn)
        self._layout: ZoneLayout | None = None
        self._has_deal = False  # whether the layout was found from a deal
        self._has_pile = False  # whether the draw pile of a round game was detected
        self._axis = np.array((0.0, 1.0))  # from the table's center to player 1
        self._is_turned = False  # whether the draw pile of a round game determined that direction

    @property
    def is_known(self) -> bool:
        """Whether the zones have been found."""
        return self._layout is not None

    def draw(self, drawn: Any) -> None:
        """Use the zones drawn by a person; None finds them from the deal again. Raises `BadRequestError`."""
        self._drawn = None if drawn is None else parse_layout(drawn)
        self._layout = None

    def reset(self) -> None:
        """Discard the zones, because the table is seen from elsewhere."""
        self._layout, self._is_turned = None, False

    def remeasure(self, before: Registration, plane: Registration) -> None:
        """Find the zones again because the same pictures are measured differently, with player 1 in the same direction."""
        center = before.to_mm(np.array(before.size) / 2)
        start, end = plane.to_mm(before.to_px(np.stack((center, center + self._axis))))
        self._axis = np.asarray((end - start) / np.linalg.norm(end - start), np.float64)
        self._layout = None

    def zone(self, at: tuple[float, float], *, back: bool = False) -> str:
        """Return the zone of a position (mm); ``back`` for a face-down card."""
        return self._layout.zone(at, back=back) if self._layout else ELSEWHERE

    def polygons(self, plane: Registration) -> list[dict[str, Any]]:
        """Return the zones as polygons in fractions (0-1) of the picture's width and height."""
        if self._layout is None:
            return []
        if self._drawn is not None:
            return [
                {"zone": name, "polygon": polygon.round(4).tolist()} for name, polygon in self._drawn.items()
            ]
        size = np.array(plane.size, np.float64)
        # Clipped in table coordinates: corners far outside the picture cannot be projected.
        visible = plane.to_mm(np.array(((0, 0), (1, 0), (1, 1), (0, 1))) * size).astype(np.float32)
        zones = []
        for name, polygon in self._layout.zones:
            area, clipped = cv2.intersectConvexConvex(polygon.astype(np.float32), visible)
            if area > 0 and clipped is not None:
                fractions = plane.to_px(clipped.reshape(-1, 2).astype(np.float64)) / size
                zones.append({"zone": name, "polygon": fractions.clip(0, 1).round(4).tolist()})
        return zones

    def update(self, plane: Registration, tracks: Sequence[CardTrack]) -> None:
        """Find the zones from the cards on the table, if that improves what is known."""
        tracks = [track for track in tracks if track.p_object > UNLIKELY]
        size = np.array(plane.size, np.float64)
        if self._drawn is not None:
            self._layout = ZoneLayout(
                tuple((name, plane.to_mm(polygon * size)) for name, polygon in self._drawn.items())
            )
        elif self.is_round:
            if self._layout is None or not self._has_pile:
                self._update_round(plane.to_mm(size / 2), tracks)
        elif (is_deal := self._is_deal(tracks)) or self._layout is None:
            faces = _face_up(tracks)
            # Face-down cards may be a draw pile that lies across, or the print of the table.
            self._axis = _players_axis(faces or tracks)
            if is_deal:
                field = np.array([each.at for each in faces])
                self._layout = field_layout(field, self._axis, self._draw_pile(faces, tracks))
                self._has_deal = True
            else:
                self._layout = default_layout(plane.to_mm(size / 2), self._axis)

    def is_back(self, track: CardTrack) -> bool:
        """Return whether a card is face down."""
        *_, back, unknown = track.posterior
        # The deck of a game with players all around may have an unknown back.
        return bool(back > LIKELY * (1 - unknown if self.is_round else 1))

    def turn_fraction(self, direction: Floats) -> float:
        """Return a direction on the table as a fraction (0-1) of a turn, counter-clockwise from player 1 seen from above."""
        angle = np.arctan2(self._axis[1], self._axis[0]) - np.arctan2(direction[1], direction[0])
        return float(angle / (2 * np.pi)) % 1

    def hand_event(self, hand: HandPosition, plane: Registration | None) -> HandEvent:
        """Return a hand with its position on the table and the seat it belongs to."""
        if plane is None:
            return HandEvent(hand.time, (0.0, 0.0), None)
        tip = plane.to_mm(np.array(hand.tip))
        at = (float(tip[0]), float(tip[1]))
        # Relative to the center of the picture: the piles are not necessarily in the middle of the players.
        direction = plane.to_mm(np.array(hand.entry)) - plane.to_mm(np.array(plane.size) / 2)
        if not self.is_round:
            component = float(direction @ self._axis / max(np.linalg.norm(direction), 1.0))
            seat = None if abs(component) < _MIN_SEAT_COMPONENT else 1 if component > 0 else 2
            return HandEvent(hand.time, at, seat)
        around = self.turn_fraction(direction)
        seat = round(around * self._seats) % self._seats + 1
        return HandEvent(hand.time, at, seat, round(around, 4))

    def _update_round(self, center: Floats, tracks: Sequence[CardTrack]) -> None:
        backs = [track for track in tracks if self.is_back(track)]
        pile = _nearest(backs, center)
        if not self._is_turned:  # by the first draw pile: other cards lie in all directions
            self._axis = _players_axis([] if pile is None else [pile])
            self._is_turned = pile is not None
        middle = center if pile is None else pile.at
        self._layout = round_layout(self._game, middle, self._axis, self._seats)
        self._has_pile = pile is not None

    def _draw_pile(self, faces: Sequence[CardTrack], tracks: Sequence[CardTrack]) -> Floats | None:
        """Return the position (mm) of the face-down pile beside the dealt cards, if there is one. A face-down card within
        their rows is more likely one of them."""
        middle = np.mean([each.at for each in faces], axis=0)
        beside = [
            track
            for track in tracks
            if track.posterior[-2] > LIKELY and abs((track.at - middle) @ self._axis) < _MAX_FIELD_DEPTH / 2
        ]
        axes = np.column_stack((self._axis, (-self._axis[1], self._axis[0])))
        corners = np.concatenate([each.quad for each in faces]) @ axes
        low, high = corners.min(axis=0), corners.max(axis=0)
        outside = [each for each in beside if ((each.at @ axes < low) | (each.at @ axes > high)).any()]
        pile = _nearest(outside or beside, middle)
        return None if pile is None else pile.at

    def _is_deal(self, tracks: Sequence[CardTrack]) -> bool:
        """Return whether the table shows a dealt field: rows of cards close together, and at most a draw pile."""
        faces = _face_up(tracks)
        if len(faces) not in DEAL_CARDS or any(each.visible < MOSTLY_VISIBLE for each in faces):
            return False
        if self._has_deal and any(
            self.zone((each.at[0], each.at[1])).startswith("captured") for each in faces
        ):
            return False  # first captures beside a smaller field
        axis = _players_axis(faces)
        depth = np.ptp(np.array([each.at for each in faces]) @ axis)
        return float(depth) < _MAX_FIELD_DEPTH


def _nearest(backs: Sequence[CardTrack], middle: Floats) -> CardTrack | None:
    """Return the face-down card that is nearest to a position (mm); one that is perhaps none counts as farther away."""
    return min(backs, key=lambda back: float(np.linalg.norm(back.at - middle)) / back.p_object, default=None)


def _face_up(tracks: Sequence[CardTrack]) -> list[CardTrack]:
    return [track for track in tracks if track.is_card and track.posterior[-2] <= LIKELY]


def _players_axis(cards: Sequence[CardTrack]) -> Floats:
    """Return the direction to player 1 (unit vector): along the cards' longer sides, towards the bottom of the picture.

    If the cards lie across the picture, player 1 is on the left: in the rendered tables cameras turned by a quarter are mostly
    turned clockwise (4 of 4).
    """
    if not cards:
        return np.array((0.0, 1.0))
    down = np.array([each.quad[2] + each.quad[3] - each.quad[0] - each.quad[1] for each in cards])
    # Angles are doubled so that cards turned by 180° count as parallel.
    doubled = np.exp(2j * np.arctan2(down[:, 1], down[:, 0])).sum()
    angle = np.angle(doubled) / 2
    axis = np.array((np.cos(angle), np.sin(angle)))
    towards = axis[1] if abs(axis[1]) > abs(axis[0]) else -axis[0]
    return axis if towards > 0 else -axis
