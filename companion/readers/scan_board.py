"""The board of a table's card readers: which card is in which reader's zone, according to their scans.

There are two kinds of readers. A reader that watches its zone (a multi-tag tray, an antenna) reports when a card
arrives and when it is removed. A reader that reads one card at a time (a barcode scanner, a coil) reports only that a
card was there once; the card is assumed to stay until it is scanned elsewhere. Nothing is inferred about cards that no
reader has reported.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from typing import Final

ANY: Final = "any"
"""The place of a handheld scanner."""

_BOUNCE_S: Final = 0.7
"""A card missing for less than this time, s, and not reported elsewhere, was missed by one inventory of the reader."""
_LEAVING_S: Final = 3.0
"""A reader may need as long to report that a card is no longer there, s; until then the newer reader is right."""
_NEIGHBOR_DB: Final = 6.0
"""A tag whose signal is weaker by this much, dB, than at another antenna is in the other antenna's zone."""


@dataclass(frozen=True, slots=True)
class ReaderReport:
    """The report of a reader about a card."""

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
    since: float = float("-inf")
    """On the board, when the card arrived there, s."""


@dataclass(slots=True)
class ScanBoard:
    """The reports of a table's readers. Accepts any scan in any order without raising."""

    changed: float = float("-inf")
    """Time of the last change, s in the time of the scans."""
    _entries: dict[tuple[str, str], ReaderReport] = field(default_factory=dict)
    """By device and card."""
    _arrivals: list[ReaderReport] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)
    """The cards that were reported in this round."""

    def process(self, scan: ReaderReport) -> bool:
        """Process a scan and return whether it changes the board. Scans older than the last one of the same card and
        device are ignored.
        """
        key = scan.device, scan.card
        before = self._entries.get(key)
        if before is not None and scan.time <= before.time:
            return False
        if not scan.present:
            return scan.keeps and self._remove(scan, before)  # a card that leaves a coil stays where it is
        since = scan.time
        if before is not None and before.place == scan.place:
            elsewhere = any(
                each.since > before.since and each.place != before.place
                for each in self._entries_of(scan.card)
            )
            if before.present and (scan.keeps or not elsewhere):
                self._entries[key] = replace(before, time=scan.time)
                return False
            if scan.time - before.time < _BOUNCE_S and not elsewhere:
                since = before.since
        self._entries[key] = arrived = replace(scan, since=since)
        if scan.card not in self._known:  # otherwise it was on the table already
            self._known.add(scan.card)
            self._arrivals.append(arrived)
        self.changed = max(self.changed, scan.time)
        return True

    def _remove(self, scan: ReaderReport, before: ReaderReport | None) -> bool:
        """Process the removal of a card and return whether it changes the board."""
        if before is None or before.place != scan.place:  # it was there from the beginning
            before = replace(scan, present=True)
        self._entries[scan.device, scan.card] = replace(scan, since=before.since)
        if not before.present:
            return False
        self.changed = max(self.changed, scan.time)
        return True

    @property
    def cards(self) -> list[str]:
        """The cards that readers have reported, in the order of their arrival."""
        arrived: dict[str, float] = {}
        for (_, card), entry in self._entries.items():
            arrived[card] = min(arrived.get(card, entry.since), entry.since)
        return sorted(arrived, key=lambda card: (arrived[card], card))

    def places(self, card: str, now: float) -> tuple[ReaderReport, ...]:
        """Return where readers have a card at ``now``, s, the newest first; several if they contradict each other for long.

        A card that was only read once somewhere has left when it is reported elsewhere later. If two antennas receive a
        tag, the much stronger signal wins.
        """
        entries = self._entries_of(card)
        live = [each for each in entries if each.present]
        newest = max((each.since for each in live), default=float("-inf"))
        live += [
            each
            for each in entries
            if not each.present and now - each.time < _BOUNCE_S and each.since > newest
        ]
        strongest = max((each.rssi for each in live if each.rssi is not None), default=0.0)
        live = [each for each in live if each.rssi is None or each.rssi > strongest - _NEIGHBOR_DB]
        newest = max((each.since for each in live), default=0.0)
        has_left = now - newest < _LEAVING_S
        found = [each for each in live if each.since == newest or (each.keeps and not has_left)]
        return tuple(sorted(found, key=lambda each: (-each.since, each.device)))

    def was_at(self, card: str, places: Set[str]) -> bool:
        """Return whether a reader of some places has reported a card."""
        return any(each.place in places for each in self._entries_of(card))

    def take_arrivals(self) -> list[ReaderReport]:
        """Return the cards that have come to the table since the last call, ordered by time."""
        arrivals, self._arrivals = self._arrivals, []
        return sorted(arrivals, key=lambda each: each.since)

    def keep(self, is_kept: Callable[[ReaderReport], bool]) -> None:
        """Forget the cards that were read once by readers that do not watch their zone, except those that are to be kept."""
        self._entries = {key: each for key, each in self._entries.items() if each.keeps or is_kept(each)}

    def forget_removed(self) -> None:
        """Forget the cards that no reader has any more: a round begins."""
        self._entries = {key: each for key, each in self._entries.items() if each.present}
        self._known = {card for _, card in self._entries}

    def _entries_of(self, card: str) -> list[ReaderReport]:
        return [entry for (_, name), entry in self._entries.items() if name == card]
