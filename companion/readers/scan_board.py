"""The scanners' board: which card lies at which reader's place, as far as the readers of one table have told.

Readers differ. One that keeps watch over its place (a multi-tag tray, an antenna) tells when a card comes and when it goes. One that
reads a card at a time (a barcode scanner, a coil) tells only that a card came by: it lies there until it is scanned
elsewhere. Of a card that no reader has told of in this round, nothing follows: neither that it lies somewhere nor that it does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from companion.observations import TransientDetection

__all__ = ["ANY", "NOWHERE", "Board", "CardAssignment", "Scan"]

ANY = "any"
"""The place of a scanner that is held in the hand."""

NOWHERE = (float("nan"), float("nan"))
"""Where on the table a card lies of which only the zone is known: it is near nothing and far from nothing."""

_BOUNCE_S = 0.7
"""A card that is gone for less than this, and is not elsewhere, was not taken away: an inventory has missed it."""
_WEAKER_DB = 6.0
"""A tag that answers so much more faintly lies on the neighbour's place."""
_MOST_CAME = 64
_AT_ONCE_S = 1.0
_SOME = 3


@dataclass(frozen=True, slots=True)
class Scan:
    """What a reader told of a card."""

    card: str
    device: str
    place: str
    """A zone (`companion.observations`), or `ANY`."""
    time: float
    """When, s."""
    present: bool = True
    """Whether it has come, or gone."""
    keeps: bool = True
    """Whether the reader keeps watch over its place; otherwise the card has come by."""
    seat: int | None = None
    """Whose reader it is, where it is a player's own."""
    rssi: float | None = None
    """How strongly the tag answered, dBm."""


@dataclass(frozen=True, slots=True)
class CardAssignment:
    """That a card lies somewhere, as a reader has it."""

    device: str
    place: str
    since: float
    """When it came there, s."""
    keeps: bool
    seat: int | None = None
    rssi: float | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    """The last word of a device about a card."""

    assignment: CardAssignment
    present: bool
    time: float


@dataclass(slots=True)
class Board:
    """What the readers of one table have told. Nothing that is heard makes it raise, in whatever order it comes."""

    changed: float = float("-inf")
    """When it last became another, s in the time of the scans."""
    _reported: dict[tuple[str, str], _Told] = field(default_factory=dict)
    """By device and card."""
    _been: dict[str, set[str]] = field(default_factory=dict)
    """By card, the places where it was in this round."""
    _came: list[TransientDetection] = field(default_factory=list)
    _first: dict[str, tuple[str, float]] = field(default_factory=dict)
    """By card, which device told of it first in this round, and when, s."""

    def hear(self, scan: Scan) -> bool:
        """Take in a scan; return whether anything is another now. What was told before changes nothing."""
        key = scan.device, scan.card
        before = self._reported.get(key)
        if before is not None and scan.time <= before.time:
            return False
        if not scan.present:
            return scan.keeps and self._removed(scan, before)  # off a coil it was only held there
        again = before is not None and before.assignment.place == scan.place
        elsewhere = before is not None and self._been_elsewhere(scan.card, before.assignment)
        if before is not None and again and before.present and (scan.keeps or not elsewhere):
            self._reported[key] = replace(before, time=scan.time)
            return False
        bounced = before is not None and again and scan.time - before.time < _BOUNCE_S and not elsewhere
        self._first.setdefault(scan.card, (scan.device, scan.time))
        since = before.assignment.since if before is not None and bounced else scan.time
        assignment = CardAssignment(scan.device, scan.place, since, scan.keeps, scan.seat, scan.rssi)
        self._reported[key] = _Told(assignment, True, scan.time)
        self._been.setdefault(scan.card, set()).add(scan.place)
        if not bounced:
            self._came.append(TransientDetection(scan.card, since, NOWHERE, scan.place))
            del self._came[:-_MOST_CAME]
        self.changed = max(self.changed, scan.time)
        return True

    def _removed(self, scan: Scan, before: _Told | None) -> bool:
        if before is None or before.assignment.place != scan.place:
            # It had lain there before anybody listened.
            assignment = CardAssignment(
                scan.device, scan.place, float("-inf"), scan.keeps, scan.seat, scan.rssi
            )
            before = _Told(assignment, True, scan.time)
        news = before.present
        self._reported[scan.device, scan.card] = replace(before, present=False, time=scan.time)
        self._been.setdefault(scan.card, set()).add(scan.place)
        if news:
            self.changed = max(self.changed, scan.time)
        return news

    def _been_elsewhere(self, card: str, assignment: CardAssignment) -> bool:
        """Return whether another reader told of a card after this claim."""
        return any(
            reported.assignment.since > assignment.since and reported.assignment.place != assignment.place
            for (_, name), reported in self._reported.items()
            if name == card
        )

    @property
    def cards(self) -> list[str]:
        """The cards that readers have told of in this round, those that came first coming first."""
        first: dict[str, float] = {}
        for (_, card), reported in self._reported.items():
            if card in self._been:
                first[card] = min(first.get(card, reported.assignment.since), reported.assignment.since)
        return sorted(first, key=lambda card: (first[card], card))

    @property
    def places(self) -> set[str]:
        """The places from which anything was ever told."""
        return {reported.assignment.place for reported in self._reported.values()}

    def been(self, card: str) -> frozenset[str]:
        """Return the places where a card was in this round."""
        return frozenset(self._been.get(card, ()))

    def first_told(self, card: str) -> float:
        """Return when a card was told of first in this round, s; never: without end.

        A reader that is plugged in tells at once of all that lies on it: that is from the round's beginning, for it lay there before.
        """
        device, time = self._first.get(card, ("", float("inf")))
        together = [
            when for name, when in self._first.values() if name == device and abs(when - time) < _AT_ONCE_S
        ]
        started = min((when for name, when in self._first.values() if name == device), default=time)
        plugged = len(together) >= _SOME and time - started < _AT_ONCE_S
        return float("-inf") if plugged else time

    def assignments(self, card: str, now: float) -> tuple[CardAssignment, ...]:
        """Return where a card lies by its readers at ``now``, s, the newest claim first; more than one where they contradict each other.

        A card that came by somewhere has left when it is claimed elsewhere later. Of two antennas that hear a tag the
        one that hears it much better holds it.
        """
        reported = self._of(card)
        live = [each.assignment for each in reported if each.present]
        newest = max((assignment.since for assignment in live), default=float("-inf"))
        live += [
            each.assignment
            for each in reported
            if not each.present and each.assignment.since > newest and now - each.time < _BOUNCE_S
        ]
        newest = max((assignment.since for assignment in live), default=0.0)
        live = [assignment for assignment in live if assignment.keeps or assignment.since >= newest]
        loudest = max((assignment.rssi for assignment in live if assignment.rssi is not None), default=0.0)
        live = [
            assignment
            for assignment in live
            if assignment.rssi is None or assignment.rssi > loudest - _WEAKER_DB
        ]
        live.sort(key=lambda assignment: (-assignment.since, assignment.device))
        return tuple(live)

    def removed(self, card: str) -> float | None:
        """Return when a card was last told to be gone, where no reader has it; None where one has."""
        reported = self._of(card)
        return (
            None
            if not reported or any(each.present for each in reported)
            else max(each.time for each in reported)
        )

    def _of(self, card: str) -> list[_Told]:
        return [reported for (_, name), reported in self._reported.items() if name == card]

    def take_transient_detections(self) -> tuple[TransientDetection, ...]:
        """Return, once, the cards that came since this was asked last, in the order in which they came."""
        came, self._came = self._came, []
        return tuple(sorted(came, key=lambda transient: transient.time))

    def begin(self, lying: Iterable[str], came_by_since: float) -> None:
        """Begin a round: what lies on watched places lies there; what came by somewhere before ``came_by_since`` has left.

        ``lying``: the cards that this round has already shown.
        """
        kept = set(lying)
        self._reported = {
            key: reported
            for key, reported in self._reported.items()
            if reported.present
            and (reported.assignment.keeps or reported.assignment.since >= came_by_since or key[1] in kept)
        }
        self._been = {}
        self._first = {
            card: first
            for card, first in self._first.items()
            if any(name == card for _, name in self._reported)
        }
        for (_, card), reported in self._reported.items():
            self._been.setdefault(card, set()).add(reported.assignment.place)

    def forget_came_by(self, before: float) -> None:
        """Forget the cards that came by somewhere before a time, s: they may have been gathered up."""
        removed = {
            key
            for key, reported in self._reported.items()
            if not reported.assignment.keeps and reported.present and reported.assignment.since < before
        }
        self._reported = {key: reported for key, reported in self._reported.items() if key not in removed}
        for card in {card for _, card in removed} - {card for _, card in self._reported}:
            self._been.pop(card, None)
            self._first.pop(card, None)
