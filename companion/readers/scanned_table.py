"""The card readers of a table as a source of observations, beside its camera or alone.

What the readers have reported is an observation of its own, in which all that they know has a high probability. The referee weighs it
like the camera's, and reports where both contradict each other. All times are s on the server's clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from companion.hanafuda.cards import first_of, twin_of
from companion.hanafuda.fishing import FishingRound
from companion.hanafuda.fishing.camera import stop
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import Rules
from companion.observations import (
    DISCARD,
    ELSEWHERE,
    FIELD,
    STOCK,
    HandEvent,
    Observation,
    TrackedCard,
    hand_zone,
)
from companion.readers.handheld_scanner import HandScans
from companion.readers.scan_board import ANY, ReaderReport, ScanBoard
from companion.table import Table
from companion.table.events import NewEvent
from companion.watch.referee import Referee

_NOWHERE: Final = (float("nan"), float("nan"))
"""Table coordinates of a card of which only the zone is known: NaN, so every comparison of distances is false."""
_QUIET_S: Final = 0.3
"""The referee sees what the readers know when they have been quiet for this time, s."""
_AGAIN_S: Final = 1.0
"""It sees it again after this time, s, for as long as it reports something or is in doubt: it tells the players only what lasts."""
_INVENTORY_S: Final = 0.5
"""A reader that watches its zone finds a new card within this time, s, even if it misses it once."""


@dataclass(slots=True)
class ScannedTable:
    """The readers of one table, and the newest observation of its camera. The caller locks the table."""

    board: ScanBoard = field(default_factory=ScanBoard)
    hand: HandScans = field(default_factory=HandScans)
    """The scans of a handheld scanner at a table without any other reader and without a camera."""
    due: float | None = None
    """When `tick` has to be called next, s; None if nothing is pending."""
    newest: tuple[Observation, Observation | None] | None = None
    """The last observation that the referee saw, and the one of the other source beside it."""
    _camera: Observation | None = None
    _hands: list[HandEvent] = field(default_factory=list)
    """Scans that tell who acted, since the last observation."""
    _keys: dict[tuple[str, int], int] = field(default_factory=dict)
    """Track keys by card, negative (the camera's are positive); several for a card that several readers report."""
    _round: tuple[int, bool] = (0, False)
    """The event that dealt the round, and whether the round is over."""
    _zones: Mapping[str, str] = field(default_factory=dict)
    """The zones of the face-up cards according to the log."""
    _reads_field: bool = False
    """Whether a reader reads the field."""

    # --- input

    def process(self, scans: Sequence[ReaderReport], table: Table) -> None:
        """Process scans of the readers."""
        self._follow(table)
        pack = GAMES[table.rules.game].cards(table.rules)
        for scan in scans:
            # A reader can read the tags in the draw pile, but its cards must stay hidden.
            if scan.card not in pack or scan.place == STOCK:
                continue
            place = self._place(scan, table.rules)
            if place is not None:
                self._process(replace(scan, place=place), table)
            elif scan.present and self.hand.process(scan.card, scan.time):
                self.due = scan.time + _QUIET_S

    def _process(self, scan: ReaderReport, table: Table) -> None:
        if not scan.keeps and scan.present:
            is_last_capture = self._round[1] and scan.place in _zones_of(scan.card, self._zones) - {FIELD}
            if is_last_capture:  # of the round that is over
                return
            if scan.place == FIELD and self._is_gathered(scan.card, table.round):
                self.board.keep(lambda each: each.place not in _zones_of(each.card, self._zones))
        self._reads_field |= scan.place == FIELD
        if self.board.process(scan):
            self.due = self.board.changed + _QUIET_S
            # With a field, trays identify the player already, and a scan in a tray may come from tidying it.
            if scan.present and scan.seat is not None and _scanned_zone(table.rules) != FIELD:
                around = (scan.seat - 1) / table.game.players
                self._hands.append(HandEvent(scan.time, _NOWHERE, scan.seat, around))

    def see(self, observation: Observation, table: Table, referee: Referee) -> list[NewEvent]:
        """Return the events that an observation of the camera leads to, beside what the readers know."""
        self._follow(table)
        self._camera, readers = observation, None
        if self.board.cards:
            if self._zones and not any(card.visible for card in observation.cards):  # it is covered
                self._camera = None
                return []
            self.board.keep(lambda each: not _is_elsewhere(each, observation))
            readers = self._observation(observation.time, observation, table.rules)
            if self.due is None:
                self.due = observation.time + _AGAIN_S
        return self._observed(observation, readers, table, referee)

    def tick(self, now: float, table: Table, referee: Referee, *, watching: bool) -> list[NewEvent]:
        """Return the events that lead from what the readers know of the table at ``now``, s, or from the scans of a handheld scanner.

        ``watching``: a camera watches the table, however old its last observation is.
        """
        self._follow(table)
        self.due = None
        if events := self.hand.see(now, table):
            self.due = now + _AGAIN_S
            return events
        camera = self._camera if watching else None
        events = []
        if self.board.changed != float("-inf"):
            events = self._observed(self._observation(now, camera, table.rules), camera, table, referee)
        if events or referee.in_doubt or self.hand.is_pending(now):
            self.due = now + _AGAIN_S
        return [replace(event, evidence=event.evidence or None) for event in events]

    def _observed(
        self, observation: Observation, beside: Observation | None, table: Table, referee: Referee
    ) -> list[NewEvent]:
        self.newest = observation, beside
        return referee.see(observation, table, beside)

    # --- output

    def _observation(self, now: float, camera: Observation | None, rules: Rules) -> Observation:
        """Return what the readers know at ``now``, s, beside what a camera saw."""
        # Readers that do not read the field know nothing of the cards that only a camera sees come there.
        unread = self._zones if camera is None or self._reads_field else GAMES[rules.game].cards(rules)
        cards = []
        for card in self.board.cards:
            for number, read in enumerate(self.board.places(card, now)):
                if camera is None or read.rssi is None or not _is_elsewhere(read, camera):
                    key = self._keys.setdefault((card, number), -len(self._keys) - 1)
                    cards.append(self._tracked(key, read))
        named = {each.card for each in cards}
        arrivals = (each for each in self.board.take_arrivals() if each.card in named)
        hands, self._hands = tuple(self._hands), []
        return Observation(
            "" if camera is None else camera.frame,
            now,
            tuple(cards),
            hands,
            tuple(self._tracked(0, each) for each in arrivals),
            silent=tuple(sorted(self._silent(unread))),
            source="scanner",
        )

    def _silent(self, table: Iterable[str]) -> Iterator[str]:
        """Yield the cards of a ``table`` that no reader has reported. If one of two look-alikes was reported in another zone, nobody knows
        whether it is the one that lay there unreported: the second is silent if both are on the table now."""
        tags: dict[str, list[str]] = {}
        for card in self.board.cards:
            tags.setdefault(first_of(card), []).append(card)
        for first, count in Counter(map(first_of, table)).items():
            twin, known = twin_of(first), tags.get(first, [])
            zones = {self._zones.get(name, "") for name in (first, twin or first)}
            if sum(self.board.was_at(card, zones) for card in known) < count:
                if not known:
                    yield first
                if twin is not None and len(known) < 2 and (known or count == 2):
                    yield twin

    def _tracked(self, key: int, read: ReaderReport) -> TrackedCard:
        """Return a card that readers report; unless they read the field, it may have lain there before."""
        likely, absent = ((read.card, 1.0),), read.since - _INVENTORY_S if self._reads_field else None
        return TrackedCard(key, read.card, likely, read.place, _NOWHERE, since=read.since, absent=absent)

    # --- the meaning of scans

    def _place(self, scan: ReaderReport, rules: Rules) -> str | None:
        """Return the zone of a scan; None if its meaning follows from the order of scans (`HandScans`)."""
        if scan.place != ANY:
            return scan.place
        match _scanned_zone(rules):
            case "discard":
                return DISCARD
            case "field":
                # With trays or a camera, a handheld scanner scans cards of the field.
                return FIELD if self.board.changed > float("-inf") or self._camera is not None else None
            case _:
                return None if scan.seat is None else hand_zone(scan.seat)

    def _is_gathered(self, card: str, played: object) -> bool:
        """Return whether a scan on the field shows that the round was stopped, and the cards gathered for a new deal."""
        if not isinstance(played, FishingRound) or stop(played) is None:
            return False
        return any(zone.startswith("captured") for zone in _zones_of(card, self._zones))

    def _follow(self, table: Table) -> None:
        """Forget the scans of cards that have been moved on since, according to the log."""
        played, camera = table.round, GAMES[table.rules.game].camera
        zones = {} if played is None or camera is None else camera.zones(played)
        dealt = next((event.seq for event in reversed(table.events) if event.kind == "dealt"), 0)
        is_over = played is not None and played.outcome() is not None
        if (dealt, is_over) == self._round and zones == self._zones:
            return
        moved = {first_of(card) for card, zone in zones.items() if self._zones.get(card) != zone}
        ends, begins = is_over and not self._round[1], dealt not in {0, self._round[0]}
        self.board.keep(
            lambda each: (
                not ends
                and (
                    each.place in _zones_of(each.card, zones) or not (begins or first_of(each.card) in moved)
                )
            )
        )
        if begins and not ends:
            self.board.forget_removed()
        self._round, self._zones = (dealt, is_over), zones


def _is_elsewhere(read: ReaderReport, camera: Observation) -> bool:
    """Return whether a camera has seen a card elsewhere since a reader read it, or at any time if the reader may hear cards elsewhere."""
    names = {read.card, twin_of(read.card)}
    return any(
        card.card in names
        and card.zone not in {read.place, ELSEWHERE, STOCK}
        and (read.rssi is not None or read.since <= card.since)
        for card in camera.cards
    )


def _scanned_zone(rules: Rules) -> str:
    """Return the zone of a card held to a reader that has no zone of its own."""
    camera = GAMES[rules.game].camera
    return "" if camera is None else camera.scanned


def _zones_of(card: str, zones: Mapping[str, str]) -> Set[str]:
    """Return the zone of a card, or of its look-alike if the log has only that one."""
    names = (card,) if card in zones else (twin_of(card) or card,)
    return {zones[name] for name in names if name in zones}
