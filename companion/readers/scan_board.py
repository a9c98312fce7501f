"""The board of a table's card readers: which card is in which reader's zone, according to their scans.

There are two kinds of readers. A reader that watches its zone (a multi-tag tray, an antenna) reports when a card
arrives and when it is removed. A reader that reads one card at a time (a barcode scanner, a coil) reports only that a
card was there once; the card is assumed to stay until it is scanned elsewhere. Nothing is inferred about cards that no
reader has reported in this round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from companion.observations import TransientDetection

ANY = "any"
"""The place of a handheld scanner."""

NOWHERE = (float("nan"), float("nan"))
"""Table coordinates of a card of which only the zone is known: NaN, so every comparison of distances is false."""

_BOUNCE_S = 0.7
"""A card missing for less than this time, s, and not reported elsewhere, was missed by one inventory of the reader."""
_NEIGHBOR_DB = 6.0
"""A tag whose signal is weaker by this much, dB, than at another antenna is in the other antenna's zone."""
_MAX_ARRIVALS = 64
_FIRST_REPORT_S = 1.0
"""Scans of one reader within this time, s, belong to its first report after it was plugged in."""
_MIN_FIRST_REPORT = 3
"""Minimum number of cards in such a first report."""


@dataclass(frozen=True, slots=True)
class ReaderReport:
    """One report of a reader about a card."""

    card: str
    device: str
    place: str
    """A zone (`companion.observations`), or `ANY`."""
    time: float
    """Time of the scan, s."""
    present: bool = True
    """True if the card has arrived, False if it was removed."""
    keeps: bool = True
    """Whether the reader watches its zone; otherwise it has only read the card once."""
    seat: int | None = None
    """The seat that the reader belongs to, if any."""
    rssi: float | None = None
    """Signal strength of the tag, dBm, if the reader reports it."""


@dataclass(frozen=True, slots=True)
class CardAssignment:
    """A card's zone, according to one reader."""

    device: str
    place: str
    since: float
    """When the card arrived there, s."""
    keeps: bool
    seat: int | None = None
    rssi: float | None = None


@dataclass(frozen=True, slots=True)
class _ReaderEntry:
    """The last report of a reader about a card."""

    assignment: CardAssignment
    present: bool
    time: float


@dataclass(slots=True)
class ScanBoard:
    """The reports of a table's readers. Accepts any scan in any order without raising."""

    changed: float = float("-inf")
    """Time of the last change, s in the time of the scans."""
    _entries: dict[tuple[str, str], _ReaderEntry] = field(default_factory=dict)
    """Last report by device and card."""
    _places_of: dict[str, set[str]] = field(default_factory=dict)
    """By card, the places where it was reported in this round."""
    _arrivals: list[TransientDetection] = field(default_factory=list)
    _first_scans: dict[str, tuple[str, float]] = field(default_factory=dict)
    """By card, the device that reported it first in this round, and the time, s."""

    def process(self, scan: ReaderReport) -> bool:
        """Process a scan and return whether it changes the board. Scans older than the last one of the same card and
        device are ignored.
        """
        key = scan.device, scan.card
        before = self._entries.get(key)
        if before is not None and scan.time <= before.time:
            return False
        if not scan.present:
            return scan.keeps and self._removed(scan, before)  # a card that leaves a coil stays where it is
        since = scan.time
        if before is not None and before.assignment.place == scan.place:
            elsewhere = self._been_elsewhere(scan.card, before.assignment)
            if before.present and (scan.keeps or not elsewhere):
                self._entries[key] = replace(before, time=scan.time)
                return False
            if scan.time - before.time < _BOUNCE_S and not elsewhere:
                since = before.assignment.since
        self._first_scans.setdefault(scan.card, (scan.device, scan.time))
        assignment = CardAssignment(scan.device, scan.place, since, scan.keeps, scan.seat, scan.rssi)
        self._entries[key] = _ReaderEntry(assignment, True, scan.time)
        self._places_of.setdefault(scan.card, set()).add(scan.place)
        if since == scan.time:  # otherwise the tag was only missed for a moment
            self._arrivals.append(TransientDetection(scan.card, since, NOWHERE, scan.place))
            del self._arrivals[:-_MAX_ARRIVALS]
        self.changed = max(self.changed, scan.time)
        return True

    def _removed(self, scan: ReaderReport, before: _ReaderEntry | None) -> bool:
        """Process the removal of a card and return whether it changes the board."""
        if before is None or before.assignment.place != scan.place:
            # The card was there before the reader was connected.
            assignment = CardAssignment(
                scan.device, scan.place, float("-inf"), scan.keeps, scan.seat, scan.rssi
            )
            before = _ReaderEntry(assignment, True, scan.time)
        was_present = before.present
        self._entries[scan.device, scan.card] = replace(before, present=False, time=scan.time)
        self._places_of.setdefault(scan.card, set()).add(scan.place)
        if was_present:
            self.changed = max(self.changed, scan.time)
        return was_present

    def _been_elsewhere(self, card: str, assignment: CardAssignment) -> bool:
        """Return whether another reader reported a card in another place after this assignment."""
        return any(
            entry.assignment.since > assignment.since and entry.assignment.place != assignment.place
            for (_, name), entry in self._entries.items()
            if name == card
        )

    @property
    def cards(self) -> list[str]:
        """The cards that readers have reported in this round, in the order of their arrival."""
        arrived: dict[str, float] = {}
        for (_, card), entry in self._entries.items():
            if card in self._places_of:
                arrived[card] = min(arrived.get(card, entry.assignment.since), entry.assignment.since)
        return sorted(arrived, key=lambda card: (arrived[card], card))

    @property
    def places(self) -> set[str]:
        """All places that any reader has reported."""
        return {entry.assignment.place for entry in self._entries.values()}

    def been(self, card: str) -> frozenset[str]:
        """Return the places where a card was reported in this round."""
        return frozenset(self._places_of.get(card, ()))

    def first_reported(self, card: str) -> float:
        """Return when a card was first reported in this round, s; infinity if never.

        A reader that was just plugged in reports all cards in its zone at once. They were there before, so the result
        is minus infinity.
        """
        device, time = self._first_scans.get(card, ("", float("inf")))
        together = [
            when
            for name, when in self._first_scans.values()
            if name == device and abs(when - time) < _FIRST_REPORT_S
        ]
        started = min((when for name, when in self._first_scans.values() if name == device), default=time)
        just_plugged_in = len(together) >= _MIN_FIRST_REPORT and time - started < _FIRST_REPORT_S
        return float("-inf") if just_plugged_in else time

    def assignments(self, card: str, now: float) -> tuple[CardAssignment, ...]:
        """Return the zones that readers assign to a card at ``now``, s, the newest first; several if they contradict each other.

        A card that was only read once somewhere has left when it is reported elsewhere later. If two antennas receive a
        tag, the much stronger signal wins.
        """
        live = _without_left(_present(self._entries_of(card), now))
        strongest = max((each.rssi for each in live if each.rssi is not None), default=0.0)
        live = [each for each in live if each.rssi is None or each.rssi > strongest - _NEIGHBOR_DB]
        return tuple(sorted(live, key=lambda assignment: (-assignment.since, assignment.device)))

    def removed(self, card: str) -> float | None:
        """Return when a card was last reported as removed, s; None if a reader still has it or none has reported it."""
        entries = self._entries_of(card)
        return (
            None
            if not entries or any(each.present for each in entries)
            else max(each.time for each in entries)
        )

    def _entries_of(self, card: str) -> list[_ReaderEntry]:
        return [entry for (_, name), entry in self._entries.items() if name == card]

    def take_transient_detections(self) -> tuple[TransientDetection, ...]:
        """Return the cards that have arrived since the last call, ordered by time."""
        arrivals, self._arrivals = self._arrivals, []
        return tuple(sorted(arrivals, key=lambda transient: transient.time))

    def begin(self, in_round: Iterable[str], came_by_since: float) -> None:
        """Begin a round. Cards in watched zones stay; cards read once before ``came_by_since``, s, have left.

        ``in_round`` are the cards that are already part of this round: they stay in any case.
        """
        kept = set(in_round)
        self._entries = {
            key: entry
            for key, entry in self._entries.items()
            if entry.present
            and (entry.assignment.keeps or entry.assignment.since >= came_by_since or key[1] in kept)
        }
        self._places_of = {}
        self._first_scans = {
            card: first
            for card, first in self._first_scans.items()
            if any(name == card for _, name in self._entries)
        }
        for (_, card), entry in self._entries.items():
            self._places_of.setdefault(card, set()).add(entry.assignment.place)

    def forget_came_by(self, before: float) -> None:
        """Forget cards that were read once by readers that do not watch their zone, before a time, s: they may have
        been gathered up.
        """
        removed = {
            key
            for key, entry in self._entries.items()
            if not entry.assignment.keeps and entry.present and entry.assignment.since < before
        }
        self._entries = {key: entry for key, entry in self._entries.items() if key not in removed}
        for card in {card for _, card in removed} - {card for _, card in self._entries}:
            self._places_of.pop(card, None)
            self._first_scans.pop(card, None)


def _present(entries: Sequence[_ReaderEntry], now: float) -> list[CardAssignment]:
    """Return the assignments of readers that have a card; a tag that just went missing may only have been missed."""
    present = [each.assignment for each in entries if each.present]
    newest = max((assignment.since for assignment in present), default=float("-inf"))
    just_missed = (each for each in entries if not each.present and now - each.time < _BOUNCE_S)
    return present + [each.assignment for each in just_missed if each.assignment.since > newest]


def _without_left(assignments: Sequence[CardAssignment]) -> list[CardAssignment]:
    """Return assignments without those of a card that was read once and reported elsewhere later."""
    newest = max((assignment.since for assignment in assignments), default=0.0)
    return [assignment for assignment in assignments if assignment.keeps or assignment.since >= newest]
