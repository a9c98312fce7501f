"""Observations: the tracked cards of a table at rest, and what happened over the table since the observation before.

Cameras (`vision.tracking.table_observer`) and card readers (`companion.readers`) deliver observations, each of its own; the referee
(`companion.watch`) explains the difference between two of them.

Zones have the same names everywhere: ``field``, ``stock``, ``discard`` (the discard pile), ``captured-N`` and ``hand-N`` of the
player at seat N, and ``elsewhere`` outside all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from companion.hanafuda.cards import BACK
from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.zones import DISCARD, ELSEWHERE, FIELD, STOCK, captured_zone, hand_zone

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "DISCARD",
    "ELSEWHERE",
    "FIELD",
    "POSTED",
    "STOCK",
    "HandEvent",
    "Observation",
    "Source",
    "TrackedCard",
    "captured_zone",
    "hand_zone",
]

POSTED = "posted"
"""A note of `Observation.notes`: a person took this photograph, and no other of the same table will follow."""

Source = Literal["camera", "scanner"]


@dataclass(frozen=True, slots=True)
class TrackedCard:
    """One card of an observation: at rest, or detected while the table was in motion, wherever it is now."""

    key: int
    """The track's number: the same in successive observations for a card that lies at one place. Those of card readers are negative, so
    that they differ from the camera's. 0 for a card in motion, which has no track."""
    card: str | None
    """The recognized card id, ``back``, or None if uncertain. Of two look-alikes it may be either."""
    likely: tuple[tuple[str, float], ...]
    """Card ids and ``back`` with their probabilities, most likely first; look-alikes appear as the first of them."""
    zone: str
    at: tuple[float, float]
    """Center of the card in mm: x to the right, y toward the lower edge of the camera picture. A card is 33 x 54 mm.
    Without a registered table the plane is estimated from the cards themselves."""
    angle: float = 0.0
    """Direction of the upper end, degrees clockwise from the top of the picture."""
    visible: float = 1.0
    """Visible fraction (0-1)."""
    since: float = 0.0
    """Time of the first frame that showed it at its position, s in the time of `Observation.time`."""
    on: tuple[int, ...] = ()
    """Keys of the cards directly below it."""
    towards: float | None = None
    """With players all around the table, the direction of the lower end: 0 to 1 from player 1 on, as `HandEvent.around`."""
    absent: float | None = None
    """Time of the last frame that showed its position without it, s: it arrived after this and by `since`. None if unknown."""
    p_card: float = 1.0
    """Probability that it is a card at all, face up or down, and not the table or another object."""

    @property
    def likeliest(self) -> tuple[str, float]:
        """The likeliest card with its probability; ``back`` with 0 if no card is likely."""
        return self.likely[0] if self.likely else (BACK, 0.0)


@dataclass(frozen=True, slots=True)
class HandEvent:
    """A hand that was over the table between two observations."""

    time: float
    """s in the time of `Observation.time`."""
    at: tuple[float, float]
    """Position of the fingertips, mm."""
    seat: int | None = None
    """The seat it came from, if known."""
    around: float | None = None
    """With players all around the table, where the arm entered: 0 to 1 from player 1 on, counter-clockwise seen from above."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A table at rest."""

    frame: str
    """Name of the picture: a file name, a frame number, or the hash under which it is stored."""
    time: float
    """s since the source was opened."""
    cards: tuple[TrackedCard, ...]
    hand_events: tuple[HandEvent, ...] = ()
    """Hands since the observation before, in order."""
    transient_detections: tuple[TrackedCard, ...] = ()
    """Cards laid down since the observation before, in order, as they were in motion (of look-alikes the first); one may be covered by
    now."""
    untouched: tuple[tuple[int, float], ...] = ()
    """Keys of cards of the observation before, each with the last time (s) at which it was seen unchanged: no card was laid on
    it before then."""
    notes: tuple[str, ...] = ()
    """Events since the observation before: ``camera-moved``, ``light-changed``, ``thing-on-table``, ``table-covered`` (something
    has hidden a part of the table for some seconds; cards there are not visible), and `POSTED`."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Data for drawing that the referee ignores: ``quads`` (key to four corners, px), ``size`` (width, height, px)."""
    weak_detections: tuple[TrackedCard, ...] = ()
    """Further cards that may have been laid down: detected once, or with low confidence. Used only to tell covered cards apart."""
    silent: tuple[str, ...] = ()
    """The cards of the table that no card reader has reported: that `cards` does not have them says nothing.
    Of two look-alikes the first if no reader has reported either, and the second if they have not reported both."""
    source: Source = "camera"

    def merged_with(self, newer: Observation) -> Observation:
        """Return one observation in place of this one, which was not delivered, and the next.

        It has the cards of the newer one and the events since the observation before both.
        """
        last_untouched = dict(newer.untouched)
        return replace(
            newer,
            hand_events=self.hand_events + newer.hand_events,
            transient_detections=self.transient_detections + newer.transient_detections,
            weak_detections=self.weak_detections + newer.weak_detections,
            # A card that only the newer one calls untouched may have been touched before this one.
            untouched=tuple((key, last_untouched.get(key, time)) for key, time in self.untouched),
            notes=tuple(dict.fromkeys(self.notes + newer.notes)),
        )

    def later(self, by: float) -> Observation:
        """Return the observation with all times later by some s."""

        def shifted(cards: tuple[TrackedCard, ...]) -> tuple[TrackedCard, ...]:
            return tuple(
                replace(card, since=card.since + by, absent=None if card.absent is None else card.absent + by)
                for card in cards
            )

        return replace(
            self,
            time=self.time + by,
            cards=shifted(self.cards),
            hand_events=tuple(replace(each, time=each.time + by) for each in self.hand_events),
            transient_detections=shifted(self.transient_detections),
            untouched=tuple((key, time + by) for key, time in self.untouched),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the observation as a JSON object for the API."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Observation:
        """Return the observation written by `to_json`; raises `BadRequestError` for any other object."""
        try:
            return _parser().validate_python(data)
        except ValueError as error:
            raise BadRequestError(
                f"this is not an observation of a table: {quote(' '.join(str(error).split()))}"
            ) from None


@cache
def _parser() -> TypeAdapter[Observation]:
    from pydantic import TypeAdapter  # noqa: PLC0415  # a slow import, which only the server needs

    return TypeAdapter(Observation)
