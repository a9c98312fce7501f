"""The card readers of a table as a source of observations, beside its camera or alone.

What the readers have reported stands in an observation as tracked cards with a high probability. Where they and the camera
contradict each other, both do, and the referee decides. All times are s on the server's clock. A camera's observations have a time
of their own, which is shifted to the readers' time; if the camera was there first, the readers' times are shifted to its time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from companion.hanafuda.card_messages import card_list
from companion.hanafuda.cards import first_of, twin_of
from companion.hanafuda.fishing import FishingRound
from companion.hanafuda.fishing.camera import stop
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import Rules
from companion.observations import (
    DISCARD,
    FIELD,
    STOCK,
    HandEvent,
    Observation,
    TrackedCard,
    hand_zone,
)
from companion.readers.beside_camera import P_READ, is_camera_covered, is_outdated, paired
from companion.readers.handheld_scanner import HandScans, unfinished
from companion.readers.scan_board import ANY, NOWHERE, ReadCard, ReaderReport, ScanBoard
from companion.table import Table
from companion.table.events import NewEvent
from companion.watch.message_parts import zone_message
from companion.watch.referee import Referee

_DELIVERED_S: Final = (0.3, 2.0, 3.1, 4.5, 6.0)
"""The table is shown to the referee at these times after the last change, s: when the readers are quiet, and again for a referee in
doubt, which tells the players only what lasts."""
_INVENTORY_S: Final = 0.5
"""A reader that watches its zone finds a new card within this time, s, even if it misses it once."""


@dataclass(slots=True)
class ScannedTable:
    """The readers of one table, and the newest observation of its camera. The caller locks the table."""

    board: ScanBoard = field(default_factory=ScanBoard)
    hand: HandScans = field(default_factory=HandScans)
    """The scans of a handheld scanner at a table without any other reader and without a camera."""
    newest: Observation | None = None
    """The last observation shown to the referee."""
    by_camera: bool = False
    """Whether the last observation included the camera's."""
    _camera: Observation | None = None
    _base: float = 0.0
    """Clock time at which the observations' time began, s; all internal times are relative to it."""
    _shift: float = 0.0
    """Offset added to the camera's times, s."""
    _delivered: int = len(_DELIVERED_S)
    """How often the board was shown to the referee since it last changed."""
    _hands: list[HandEvent] = field(default_factory=list)
    """Scans that tell who acted, since the last observation."""
    _keys: dict[tuple[str, int], int] = field(default_factory=dict)
    """Track keys by card, negative (the camera's are positive); several for a card that several readers report."""
    _round: tuple[int, bool] = (0, False)
    """The event that dealt the round, and whether the round is over."""
    _zones: Mapping[str, str] = field(default_factory=dict)
    """The zones of the face-up cards according to the log."""
    _unreported: Counter[str] = field(default_factory=Counter)
    """The number of cards that the log has on the table and no reader had reported by then or reports there, by the first of look-alikes."""
    _logged_at: float = float("-inf")
    """Time of the newest scan that the log accounts for, s."""
    _places: set[str] = field(default_factory=set)
    """The zones that readers read."""

    # --- input

    def process(self, scans: Sequence[ReaderReport], table: Table) -> None:
        """Process scans of the readers, with times on the clock."""
        self._follow(table)
        deck = deck_of(table.rules)
        for received in scans:
            # A reader can read the tags in the draw pile, but its cards must stay hidden.
            if received.card not in deck or received.place == STOCK:
                continue
            scan = replace(received, time=received.time - self._base)
            place = self._place(scan, table.rules)
            if place is not None:
                self._process(replace(scan, place=place), table)
            elif scan.present and self.hand.process(scan.card, scan.time):
                self._delivered = 0

    def _process(self, scan: ReaderReport, table: Table) -> None:
        if not scan.keeps and scan.present:
            is_last_capture = self._round[1] and scan.place in _zones_of(scan.card, self._zones) - {FIELD}
            if is_last_capture:  # of the round that is over
                return
            if scan.place == FIELD and self._is_gathered(scan.card, table.round):
                self.board.keep(lambda each: each.since > self._logged_at)
        self._places.add(scan.place)
        if self.board.process(scan):
            self._delivered = 0
            # With a field, trays identify the player already, and a scan in a tray may come from tidying it.
            if scan.present and scan.seat is not None and _scanned_zone(table.rules) != FIELD:
                around = (scan.seat - 1) / table.game.players
                self._hands.append(HandEvent(scan.time, NOWHERE, scan.seat, around))

    def camera(self, observation: Observation, now: float, table: Table) -> Observation:
        """Return an observation of the camera that arrived at ``now``, s, with what the readers know."""
        if self.board.changed == float("-inf"):
            self._base, self._camera, self.newest = now - observation.time, observation, observation
            return observation
        delay = now - self._base - observation.time
        restarted = self._camera is None or observation.time + self._shift < self._camera.time - 1.0
        self._shift = delay if restarted else min(self._shift, delay)
        self._camera = _shifted(observation, self._shift)
        return self._observation(now - self._base, table, self._camera)

    # --- output

    def due(self) -> float | None:
        """Return when `tick` has to be called next, on the clock, s; None if nothing is pending."""
        since = max(self.board.changed, self.hand.since or float("-inf"))
        if self._delivered >= len(_DELIVERED_S) or since == float("-inf"):
            return None
        return self._base + since + _DELIVERED_S[self._delivered]

    def tick(self, now: float, table: Table, referee: Referee, *, watching: bool) -> list[NewEvent]:
        """Return the events of the referee, if it is shown what is known of the table at ``now``, s, on the clock; or those of a handheld
        scanner.

        ``watching``: a camera watches the table, however old its last observation is.
        """
        now -= self._base
        self.by_camera = False
        if events := self.hand.see(now, table):
            self._delivered = 0
            return events
        if self.board.changed == float("-inf"):
            self._delivered += 1
            return []
        observation = self._observation(now, table, self._camera if watching else None)
        events = referee.see(observation, table)
        if not referee.in_doubt:
            # It need not see the same again, but once more if nothing explains the scans.
            self._delivered = max(self._delivered, len(_DELIVERED_S) - 1)
        if self.by_camera:
            return events
        if not events and self._delivered == len(_DELIVERED_S):
            events = self._unfinished(table)
        return [replace(event, evidence=None) for event in events]

    def _observation(self, now: float, table: Table, camera: Observation | None) -> Observation:
        """Return the observation of camera and readers."""
        self._follow(table)
        self._delivered += self._delivered < len(_DELIVERED_S)
        if camera is not None and is_camera_covered(camera, len(self._zones)):
            camera = None
        self.by_camera = camera is not None
        rows = {
            self._keys.setdefault((card, number), -len(self._keys) - 1): each
            for card in self.board.cards
            for number, each in enumerate(self.board.places(card, now))
        }
        hands, self._hands = self._hands, []
        if camera is None:
            cards, camera = [self._tracked(*each) for each in rows.items()], Observation("", now, ())
        else:
            seen = camera.time
            tracks = [each for each in camera.cards if not is_outdated(each, seen, self.board, self._zones)]
            tracks, rows = paired(rows, tracks)
            cards = [*tracks, *(self._tracked(*each) for each in rows.items())]
            # Each event counts once, however often the cards are shown.
            self._camera = replace(
                camera, hand_events=(), transient_detections=(), weak_detections=(), untouched=(), notes=()
            )
        named = {each.card for each in cards}
        arrivals = [
            replace(each, absent=self._absent(each.time))
            for each in self.board.take_arrivals()
            if each.card in named
        ]
        self.newest = replace(
            camera,
            time=now,
            cards=tuple(cards),
            hand_events=tuple(sorted((*camera.hand_events, *hands), key=lambda each: each.time)),
            transient_detections=tuple(
                sorted((*camera.transient_detections, *arrivals), key=lambda each: each.time)
            ),
            silent=() if self.by_camera else tuple(sorted(self._silent(now))),
        )
        return self.newest

    def _silent(self, now: float) -> Iterator[str]:
        """Yield the cards of the table that no reader has reported. If one of two look-alikes was reported in another zone, nobody knows
        whether it is the one that lay there unreported: the second is silent if both are on the table now."""
        reported = Counter(map(first_of, self.board.cards))
        confirmed = [
            first_of(card)
            for card in self.board.cards
            for each in self.board.places(card, now)[:1]
            if each.place in {self._zones.get(card), self._zones.get(twin_of(card) or card)}
        ]
        self._unreported &= Counter(map(first_of, self._zones)) - Counter(confirmed)
        for first in self._unreported:
            twin, known = twin_of(first), reported[first]
            if not known:
                yield first
            if twin is not None and known < 2 and (known or self._unreported[first] == 2):
                yield twin

    def _tracked(self, key: int, read: ReadCard) -> TrackedCard:
        card = read.report.card
        return TrackedCard(
            key, card, ((card, P_READ),), read.place, NOWHERE,
            since=read.since, absent=self._absent(read.since), source="scanner",
        )  # fmt: skip

    def _absent(self, since: float) -> float | None:
        """Return when a card that readers report since ``since``, s, was not on the table yet; None if it may have lain on the field."""
        return since - _INVENTORY_S if FIELD in self._places else None

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
                return FIELD if self._places or self._camera is not None else None
            case _:
                return None if scan.seat is None else hand_zone(scan.seat)

    def _is_gathered(self, card: str, played: object) -> bool:
        """Return whether a scan on the field shows that the round was stopped, and the cards gathered for a new deal."""
        if not isinstance(played, FishingRound) or stop(played) is None:
            return False
        return any(zone.startswith("captured") for zone in _zones_of(card, self._zones))

    def _follow(self, table: Table) -> None:
        """Forget the scans of cards that have been moved on since, according to the log."""
        played, zones = table.round, _committed_zones(table)
        dealt = next((event.seq for event in reversed(table.events) if event.kind == "dealt"), 0)
        round_ = dealt, played is not None and played.outcome() is not None
        if round_ == self._round and zones == self._zones:
            return
        changed = {first_of(card) for card, zone in zones.items() if self._zones.get(card) != zone}
        if round_[1] and not self._round[1]:
            self.board.keep(lambda each: False)
        elif dealt and dealt != self._round[0]:
            self.board.keep(lambda each: each.place in _zones_of(each.report.card, zones))
            self.board.forget_removed()
        else:
            self.board.keep(
                lambda each: (
                    first_of(each.report.card) not in changed
                    or each.place in _zones_of(each.report.card, zones)
                )
            )
        self._round, self._zones, self._logged_at = round_, zones, self.board.changed
        self._unreported = Counter(map(first_of, zones)) - Counter(map(first_of, self.board.cards))

    def _unfinished(self, table: Table) -> list[NewEvent]:
        """Return the notice that scans are no complete turn: a card was laid outside of all readers, or not scanned."""
        if self._round[1] or not isinstance(table.round, FishingRound):
            return []
        by_zone: dict[str, list[str]] = {}
        for card in self.board.cards:
            for each in self.board.places(card, float("inf"))[:1]:
                if each.place not in _zones_of(card, self._zones):
                    by_zone.setdefault(each.place, []).append(card)
        placements = tuple(
            Message("placement", {"cards": card_list(cards), "where": zone_message(zone)})
            for zone, cards in by_zone.items()
        )
        message = Message("notice-readers-unfinished", {"placements": placements})
        return unfinished(message, [card for cards in by_zone.values() for card in cards], table)


def deck_of(rules: Rules) -> frozenset[str]:
    """Return the cards of a game's pack; scans of any other card are ignored."""
    return GAMES[rules.game].cards(rules)


def _committed_zones(table: Table) -> dict[str, str]:
    """Return the zone of each face-up card in the committed state, by card."""
    played = table.round
    camera = None if played is None else GAMES[played.rules.game].camera
    return {} if camera is None else camera.zones(played)


def _scanned_zone(rules: Rules) -> str:
    """Return the zone of a card held to a reader that has no zone of its own."""
    camera = GAMES[rules.game].camera
    return "" if camera is None else camera.scanned


def _zones_of(card: str, zones: Mapping[str, str]) -> Set[str]:
    """Return the zone of a card, or of its look-alike if the log has only that one."""
    names = (card,) if card in zones else (twin_of(card) or card,)
    return {zones[name] for name in names if name in zones}


def _shifted(observation: Observation, by: float) -> Observation:
    return replace(
        observation,
        time=observation.time + by,
        cards=tuple(
            replace(card, since=card.since + by, absent=None if card.absent is None else card.absent + by)
            for card in observation.cards
        ),
        hand_events=tuple(replace(each, time=each.time + by) for each in observation.hand_events),
        transient_detections=tuple(
            replace(each, time=each.time + by, absent=None if each.absent is None else each.absent + by)
            for each in observation.transient_detections
        ),
        untouched=tuple((key, time + by) for key, time in observation.untouched),
    )
