"""What the eyes tell the referee: the cards of a settled table, each with its place, and the hands that reached in.

Cameras and scanners make looks; the referee (`companion.referee`) explains what changed between two of them. Nothing
here knows how the cards were seen.

Zones are named alike everywhere: ``field``, ``stock``, ``discard`` (Kakkuri's pile), ``captured-N`` and ``hand-N`` of the
player at seat N, and ``elsewhere`` for what lies in none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from companion.hanafuda.errors import BadRequestError, shown

__all__ = [
    "DISCARD",
    "ELSEWHERE",
    "FIELD",
    "POSTED",
    "STOCK",
    "Glimpse",
    "Hint",
    "Look",
    "Reach",
    "Sighting",
    "Source",
    "captured_zone",
    "hand_zone",
]

FIELD = "field"
STOCK = "stock"
DISCARD = "discard"
POSTED = "posted"
"""A note of `Look.notes`."""
ELSEWHERE = "elsewhere"

Source = Literal["camera", "scanner"]


def captured_zone(seat: int) -> str:
    """Return the zone of what the player at a seat (from 1) has captured."""
    return f"captured-{seat}"


def hand_zone(seat: int) -> str:
    """Return the zone in which the player at a seat (from 1) lays his hand open at a showdown."""
    return f"hand-{seat}"


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card as a settled table shows it."""

    key: int
    """The same number for the same card from look to look, as far as memory can tell."""
    card: str | None
    """What the eyes commit to: a card id, ``back``, or None. Of two look-alikes it may be either."""
    likely: tuple[tuple[str, float], ...]
    """Card ids and ``back`` with their probabilities (0-1), likeliest first; look-alikes stand under the first of them."""
    zone: str
    at: tuple[float, float]
    """The middle of the card on the table, mm: x to the right, y towards the camera picture's lower edge. A card is
    33 x 54 mm. Without a registered table the plane is estimated from the cards themselves."""
    angle: float = 0.0
    """Which way its upper end points, degrees clockwise from the picture's top."""
    visible: float = 1.0
    """The visible share (0-1); 0 for a card that is only remembered to lie there, under others."""
    since: float = 0.0
    """When it came to lie there, s in the time of `Look.time`."""
    on: tuple[int, ...] = ()
    """The keys of the cards it lies upon."""
    source: Source = "camera"
    towards: float | None = None
    """Whom its lower end points at, with players all around the table: 0 to 1 from player 1 on, as `Reach.around`."""


@dataclass(frozen=True, slots=True)
class Reach:
    """A hand that was over the table between two looks."""

    time: float
    """s, in the time of `Look.time`."""
    at: tuple[float, float]
    """Where its fingertips were, mm."""
    seat: int | None = None
    """From whose side it came, where that can be told."""
    around: float | None = None
    """Where its arm came in, with players all around the table: 0 to 1 from player 1 on, counter-clockwise as one looks down."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A card that was seen to come down while the table was in motion, wherever it is now."""

    card: str
    """Its id; of look-alikes the first."""
    time: float
    """When it was seen there first, s, in the time of `Look.time`."""
    at: tuple[float, float]
    """Where that was, mm."""
    zone: str


@dataclass(frozen=True, slots=True)
class Hint:
    """A card that may have come down while the table was in motion: seen once, or badly."""

    card: str
    """Its id; of look-alikes the first."""
    p: float
    """How likely it was this card (0-1)."""
    at: tuple[float, float]
    """Where that was, mm."""


@dataclass(frozen=True, slots=True)
class Look:
    """A settled table."""

    frame: str
    """What the picture is called: a file's name, a frame's number, or the hash under which it is kept."""
    time: float
    """s since the watching began."""
    cards: tuple[Sighting, ...]
    reaches: tuple[Reach, ...] = ()
    """The hands since the look before, in order."""
    glimpses: tuple[Glimpse, ...] = ()
    """The cards that came down since the look before, in order; one may be covered now."""
    untouched: tuple[tuple[int, float], ...] = ()
    """The keys of cards that lay there at the look before, and when each was last seen to lie there as it had, s: nothing was laid
    on it before then."""
    notes: tuple[str, ...] = ()
    """What else the eyes noticed since the look before: ``camera-moved``, ``light-changed``, ``thing-on-table``; ``posted``: this is a
    picture that somebody took, and no other look at the same table will follow."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What pages draw and the referee does not read: ``quads`` (key to four corners, px), ``size`` (width, height, px)."""
    hints: tuple[Hint, ...] = ()
    """The cards that may have come down as well: they tell covered cards apart, and nothing else."""
    changed: bool = False
    """Whether the table differs from the observation before."""

    def merged_with(self, newer: Look) -> Look:
        """Return one observation in place of this one, which was not delivered, and the next.

        It shows the newer state of the table and reports what happened since the observation before both.
        """
        last_untouched = dict(newer.untouched)
        return replace(
            newer,
            reaches=self.reaches + newer.reaches,
            glimpses=self.glimpses + newer.glimpses,
            hints=self.hints + newer.hints,
            # A card that is untouched since this observation only may have been touched before it.
            untouched=tuple((key, last_untouched.get(key, time)) for key, time in self.untouched),
            notes=tuple(dict.fromkeys(self.notes + newer.notes)),
            changed=self.changed or newer.changed,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the look as the API takes it."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Look:
        """Return the look that `to_json` wrote; `BadRequestError` where it cannot be read."""
        try:
            return cls(
                frame=str(told["frame"]),
                time=float(told["time"]),
                cards=tuple(_sighting(card) for card in told["cards"]),
                reaches=tuple(
                    Reach(float(each["time"]), _point(each["at"]), each.get("seat"), each.get("around"))
                    for each in told.get("reaches", ())
                ),
                glimpses=tuple(
                    Glimpse(str(each["card"]), float(each["time"]), _point(each["at"]), str(each["zone"]))
                    for each in told.get("glimpses", ())
                ),
                untouched=tuple((int(key), float(time)) for key, time in told.get("untouched", ())),
                notes=tuple(map(str, told.get("notes", ()))),
                extra=dict(told.get("extra") or {}),
                hints=tuple(
                    Hint(str(each["card"]), float(each["p"]), _point(each["at"]))
                    for each in told.get("hints", ())
                ),
                changed=bool(told.get("changed", False)),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadRequestError(f"this is no look at a table: {shown(error)}") from None


def _sighting(told: Mapping[str, Any]) -> Sighting:
    return Sighting(
        key=int(told["key"]),
        card=None if told["card"] is None else str(told["card"]),
        likely=tuple((str(card), float(p)) for card, p in told["likely"]),
        zone=str(told["zone"]),
        at=_point(told["at"]),
        angle=float(told.get("angle", 0.0)),
        visible=float(told.get("visible", 1.0)),
        since=float(told.get("since", 0.0)),
        on=tuple(int(key) for key in told.get("on", ())),
        source="scanner" if told.get("source") == "scanner" else "camera",
        towards=None if told.get("towards") is None else float(told["towards"]),
    )


def _point(told: Any) -> tuple[float, float]:
    x, y = told
    return float(x), float(y)
