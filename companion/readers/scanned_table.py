"""A table with card readers: their board, the camera's newest observation if there is a camera, and the referee that sees both.

All times are s on the server's clock. A camera's observations have a time of their own, which is shifted to the
readers' time; if the camera was there first, the readers' times are shifted to its time (`ScannedTable.follow`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Final

from companion.hanafuda.fishing import FishingRound
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import Rules
from companion.observations import (
    DISCARD,
    FIELD,
    STOCK,
    HandEvent,
    Observation,
    TransientDetection,
    hand_zone,
)
from companion.readers.camera_fusion import Keys, Merged, ZoneConflict, is_camera_covered, merge
from companion.readers.handheld_scanner import HandScans
from companion.readers.reader_messages import question, unfinished
from companion.readers.scan_board import ANY, NOWHERE, ReaderReport, ScanBoard
from companion.table.events import Event, NewEvent
from companion.watch.interface import CommittedTable, Referee
from companion.watch.referee_events import waiting

QUIET_S: Final = 0.3
"""The readers are settled if they have reported nothing new for this long, s."""
_REPEAT_S: Final = (QUIET_S, 1.0, 2.0, 2.6, 3.1, 4.0, 6.0)
"""The referee sees an unchanged table again at these times after the last change, s: for referees that wait, and for
what must last to count."""
_DEALING_S: Final = 1.5
"""While cards are dealt one by one, the pause between two of them is up to this long, s; a complete field has eight."""
_MAX_CAMERA_DELAY_S: Final = 1.5
"""While a camera watches, how long to wait for its next observation, s: cards outside of all readers may have moved too."""
_MAX_HAND_DELAY_S: Final = 3.9
"""How long to wait for it while the camera sees a hand over the table, s."""
_DISPUTE_S: Final = 3.0
"""A dispute that lasts this long, s, is asked about; a reader may need as long to report a missing card as removed."""
_STUCK_S: Final = 5.5
"""Scans that no turn explains are reported as unfinished after this time, s."""
_FIELD_CARDS = 8
"""Cards on the field after the deal."""
_SCAN_PREFIX: Final = "scan-"
"""Prefix of the frame names of observations without a picture."""
_OUTCOME_EVENTS: Final = frozenset({"dealt", "began", "moved", "set", "undone", "corrected"})
"""Event types that say what happened."""


@dataclass(slots=True)
class _AskedDispute:
    """A dispute that the players were asked about, and the data of the question."""

    dispute: ZoneConflict
    data: Mapping[str, Any]


@dataclass(slots=True)
class ScannedTable:
    """The readers and the camera of one table. The caller locks the table and appends the returned events before the next call."""

    rules: Rules
    referee: Referee
    board: ScanBoard = field(default_factory=ScanBoard)
    hand: HandScans = field(default_factory=HandScans)
    by_camera: bool = False
    """Whether the last observation included the camera's."""
    newest: Observation | None = None
    """The last observation shown to the referee, for a rescan."""
    _keys: Keys = field(default_factory=Keys)
    _camera: Observation | None = None
    _arrived_at: float = float("-inf")
    """When the camera's newest observation arrived, s."""
    _base: float = 0.0
    """Clock time at which the observations' time began, s; all internal times are relative to it."""
    _shift: float = 0.0
    """Offset added to the camera's times, s."""
    _times_observed: int = 0
    """How often the board was shown to the referee since it last changed."""
    _frames: int = 0
    _hand_events: list[HandEvent] = field(default_factory=list)
    _transient_detections: tuple[TransientDetection, ...] = ()
    """Cards that arrived since the referee was last shown an observation."""
    _changed: bool = False
    """Whether anything has changed since the referee was last shown an observation."""
    _repeat_at: float | None = None
    """When to show the table again because of a dispute, s."""
    _disputed_since: dict[str, float] = field(default_factory=dict)
    """By disputed card, when the dispute began, s."""
    _asked: _AskedDispute | None = None
    _preferred: dict[str, str] = field(default_factory=dict)
    """By disputed card, the zone that the players chose."""
    _deal_seq: int = 0
    """Number of the event that dealt the current round."""
    _ended_at: float | None = None
    """When the end of the round was detected, s."""
    _deck: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self._deck = deck_of(self.rules)

    # --- input

    def process(self, scans: Sequence[ReaderReport], table: CommittedTable) -> None:
        """Process scans of the readers, with times on the clock."""
        self._follow_round(table)
        for received in scans:
            # A reader can read the tags in the draw pile, but its cards must stay hidden.
            if received.card not in self._deck or received.place == STOCK:
                continue
            scan = replace(received, time=received.time - self._base)
            place = self._place(scan)
            if place is not None:
                self._process(replace(scan, place=place), table.game.players)
            elif scan.present and self.hand.process(scan.card, scan.time):
                self._times_observed = 0

    def _process(self, scan: ReaderReport, players: int) -> None:
        self._forget_gathered(scan)
        if self.board.process(scan):
            self._times_observed = 0
            # With a field, trays identify the player already, and a scan in a tray may come from tidying it.
            if scan.present and scan.seat is not None and not self._has_field:
                around = (scan.seat - 1) / players
                self._hand_events.append(HandEvent(scan.time, NOWHERE, scan.seat, around))

    def camera(self, observation: Observation, now: float, table: CommittedTable) -> list[NewEvent]:
        """Process an observation of the camera that arrived at ``now``, s, and return the events that it and the scans lead to."""
        self._store_camera(observation, now - self._base)
        return self._observe(
            now - self._base, table, self._camera, changed=observation.changed or self._times_observed == 0
        )

    def follow(self, observation: Observation, now: float) -> None:
        """Start from an observation of the camera that the referee has already seen; its time base is kept."""
        self._base = now - observation.time
        self._store_camera(observation, observation.time)

    def _store_camera(self, observation: Observation, now: float) -> None:
        if self._camera is None or observation.time + self._shift < self._camera.time - 1.0:
            self._shift = now - observation.time  # the first observation, or the camera was restarted
        self._shift = min(self._shift, now - observation.time)
        self._camera, self._arrived_at = _shifted(observation, self._shift), now

    @property
    def _has_field(self) -> bool:
        """Whether the game has a field on which readers scan cards."""
        camera = GAMES[self.rules.game].camera
        return camera is not None and camera.scanned == "field"

    def _place(self, scan: ReaderReport) -> str | None:
        """Return the zone of a scan; None if its meaning follows from the order of scans (`HandScans`)."""
        if scan.place != ANY:
            return scan.place
        camera = GAMES[self.rules.game].camera
        match camera and camera.scanned:
            case "discard":
                return DISCARD
            case "field":
                # With trays or a camera, a handheld scanner scans cards of the field.
                return FIELD if self.board.places or self._camera is not None else None
            case _:
                return None if scan.seat is None else hand_zone(scan.seat)

    def _forget_gathered(self, scan: ReaderReport) -> None:
        """Forget earlier scans of readers that do not watch their zone if this scan shows that the cards were gathered up."""
        if scan.keeps or not scan.present:
            return
        before = self.board.assignments(scan.card, scan.time)
        captured_before = scan.place == FIELD and bool(before) and before[0].place.startswith("captured")
        if captured_before or self._ended_at is not None:
            self.board.forget_came_by(scan.time if captured_before else self._ended_at or 0.0)

    def _follow_round(self, table: CommittedTable) -> None:
        """Adapt the board to a new round or to the end of a round."""
        dealt = next((event.seq for event in reversed(table.events) if event.kind == "dealt"), 0)
        if dealt != self._deal_seq:
            self._deal_seq = dealt
            self.board.begin(committed_zones(table), self._ended_at or 0.0)
            self._keys.committed.clear()
            self._ended_at = None
        over = table.round is not None and table.round.outcome() is not None
        if over and self._ended_at is None:
            self._ended_at = self.board.changed
        elif not over:
            self._ended_at = None

    # --- events

    def due(self) -> float | None:
        """Return when `tick` has to be called next, on the clock, s; None if nothing is pending."""
        since = max(self.board.changed, self.hand.since or float("-inf"))
        repeat = None
        if self._times_observed < len(_REPEAT_S) and since > float("-inf"):
            repeat = since + _REPEAT_S[self._times_observed]
        times = [each + self._base for each in (repeat, self._repeat_at) if each is not None]
        return min(times, default=None)

    def once_more(self, now: float) -> None:
        """Repeat at ``now``, s, the last observation, which was shown to the referee of a game that is over."""
        self.hand.once_more()
        self._repeat_at = now - self._base

    def tick(
        self, now: float, table: CommittedTable, *, watching: bool, moving: bool = False
    ) -> list[NewEvent]:
        """Return the events that the readers' scans up to ``now``, s, lead to.

        ``watching``: a camera watches the table, however old its last observation is. ``moving``: it sees a hand over
        the table now.
        """
        due = self.due()
        if due is None or now < due:
            return []
        return self._tick(now - self._base, table, watching=watching, moving=moving)

    def _tick(self, now: float, table: CommittedTable, *, watching: bool, moving: bool) -> list[NewEvent]:
        if self._repeat_at is None or now < self._repeat_at:
            self._times_observed += 1
        self._repeat_at = None
        self._follow_round(table)
        if events := self.hand.see(now, table):
            self._times_observed = 0
            return _without_pictures(events)
        if self.board.changed == float("-inf"):
            return []
        camera = _unless_covered(self._camera if watching else None, table)
        if self._must_wait(now, table, camera, moving=moving):
            return []
        events = self._observe(now, table, camera, changed=self._times_observed == 1)
        if not events and camera is None and now - self.board.changed >= _STUCK_S:
            events = self._unexplained(now, table)
        return events

    def _must_wait(
        self, now: float, table: CommittedTable, camera: Observation | None, *, moving: bool
    ) -> bool:
        """Return whether the camera's next observation, or the rest of a deal, is due soon."""
        quiet = now - self.board.changed
        if camera is None:
            return quiet < _DEALING_S and self._dealing(now, table)
        max_delay = _MAX_HAND_DELAY_S if moving else _MAX_CAMERA_DELAY_S
        return self._arrived_at <= self.board.changed and quiet < max_delay

    def _dealing(self, now: float, table: CommittedTable) -> bool:
        """Return whether cards are being dealt and the field is not complete."""
        played = table.round
        if not self._has_field:
            return False
        if played is not None and played.outcome() is None:
            return False
        zones = [
            assignments[0].place
            for card in self.board.cards
            if (assignments := self.board.assignments(card, now))
        ]
        return zones.count(FIELD) != _FIELD_CARDS

    def _observe(
        self, now: float, table: CommittedTable, camera: Observation | None, *, changed: bool
    ) -> list[NewEvent]:
        """Show the referee the merged observation and return its events, or the question about a dispute."""
        self._follow_round(table)
        camera = _unless_covered(camera, table)
        merged = self._merged(now, table, camera, self._preferred)
        self._update_disputes(merged, now, table)
        self._transient_detections += merged.observation.transient_detections
        self._hand_events += merged.observation.hand_events
        if self._has_young_dispute(merged, now):
            self._changed = self._changed or changed
            # A card on its way is reported in two zones for a moment; that resolves itself.
            self._repeat_at = now + _REPEAT_S[0]
            return []
        hand_events = sorted(self._hand_events, key=lambda hand_event: hand_event.time)
        observation = replace(
            merged.observation,
            hand_events=tuple(hand_events),
            transient_detections=self._transient_detections,
            changed=changed or self._changed,
        )
        self._hand_events, self._transient_detections, self._changed = [], (), False
        self.newest, self.by_camera = observation, camera is not None
        events = self.referee.see(observation, table)
        events = [event for event in events if not self._would_close_question(event, table)]
        if not any(event.kind in _OUTCOME_EVENTS for event in events):
            events += self._ask_about_dispute(merged, now, table, camera)
        return events if camera is not None else _without_pictures(events)

    def _merged(
        self, now: float, table: CommittedTable, camera: Observation | None, prefer: Mapping[str, str]
    ) -> Merged:
        """Return the merged observation of camera and readers."""
        self._frames += 1
        return merge(
            camera,
            self.board,
            self._keys,
            committed=committed_zones(table),
            frame=f"{_SCAN_PREFIX}{self._frames:06d}",
            time=now,
            prefer=prefer,
        )

    # --- disputes

    def _update_disputes(self, merged: Merged, now: float, table: CommittedTable) -> None:
        """Update since when cards are disputed, and read the players' answer."""
        cards = {dispute.card for dispute in merged.disputes}
        self._disputed_since = {card: self._disputed_since.get(card, now) for card in cards}
        self._preferred = {card: zone for card, zone in self._preferred.items() if card in cards}
        if self._asked is None or self._question(table) is not None:
            return
        asked, self._asked = self._asked, None
        if asked.dispute.card in cards:
            side = _answer_to(asked.data, table) or 0
            self._preferred[asked.dispute.card] = asked.dispute.sides[side][1]

    def _has_young_dispute(self, merged: Merged, now: float) -> bool:
        """Return whether a dispute is too new to be asked about: the card may just be on its way."""
        return any(
            now - self._disputed_since[dispute.card] < _DISPUTE_S
            and dispute.card not in self._preferred
            and not dispute.captured
            for dispute in merged.disputes
        )

    def _question(self, table: CommittedTable) -> Event | None:
        """Return the open question about a dispute."""
        if self._asked is None:
            return None
        data = self._asked.data
        return next((event for event in table.open_questions if event.data == data), None)

    def _would_close_question(self, event: NewEvent, table: CommittedTable) -> bool:
        """Return whether a referee's event would close the question about a dispute that goes on."""
        asked = self._question(table)
        return (
            event.kind == "settled"
            and asked is not None
            and event.data["of"] == asked.seq
            and self._asked is not None
            and self._asked.dispute.card in self._disputed_since
        )

    def _ask_about_dispute(
        self, merged: Merged, now: float, table: CommittedTable, camera: Observation | None
    ) -> list[NewEvent]:
        """Ask about a dispute that has lasted long enough; close the question about one that is over."""
        if self._asked is not None:
            asked = self._question(table)
            over = asked is not None and self._asked.dispute.card not in self._disputed_since
            return [NewEvent("settled", {"of": asked.seq})] if over and asked else []
        lasting = [
            dispute
            for dispute in merged.disputes
            if now - self._disputed_since[dispute.card] >= _DISPUTE_S and dispute.card not in self._preferred
        ]
        if not lasting or waiting(table):
            return []
        dispute = lasting[0]
        hypotheses = []
        for _, zone in dispute.sides[:2]:
            observation = self._merged(
                now, table, camera, {**self._preferred, dispute.card: zone}
            ).observation
            hypotheses.append(self._outcome_if(observation, table, dispute.card, zone))
        asked_event = question(dispute, hypotheses, None if camera is None else camera.frame)
        self._asked = _AskedDispute(dispute, asked_event.data)
        return [asked_event]

    def _outcome_if(
        self, observation: Observation, table: CommittedTable, card: str, zone: str
    ) -> list[NewEvent]:
        """Return the events that follow if an observation is right: a turn, or else a reset of the table to it."""
        trial = deepcopy(self.referee)
        for number in range(1, 4):
            events = trial.see(replace(observation, time=observation.time + number), table)
            if outcome := [event for event in events if event.kind in _OUTCOME_EVENTS]:
                return outcome
        if committed_zones(table).get(card) == zone or not isinstance(table.round, FishingRound):
            return []
        return [event for event in trial.rescan(observation, table) if event.kind in _OUTCOME_EVENTS]

    def _unexplained(self, now: float, table: CommittedTable) -> list[NewEvent]:
        """Report once that no turn explains the scans: a card was put down outside of all readers."""
        played = table.round
        if not isinstance(played, FishingRound) or played.outcome() is not None:
            return []
        if waiting(table) or table.open_problems:
            return []
        committed = committed_zones(table)
        moved = {
            card: assignments[0].place
            for card in self.board.cards
            if (assignments := self.board.assignments(card, now))
            and committed.get(card) != assignments[0].place
        }
        return [unfinished(moved)] if moved else []


def deck_of(rules: Rules) -> frozenset[str]:
    """Return the cards of a game's pack; scans of any other card are ignored."""
    return GAMES[rules.game].cards(rules)


def committed_zones(table: CommittedTable) -> dict[str, str]:
    """Return the zone of each face-up card in the committed state, by card."""
    played = table.round
    camera = None if played is None else GAMES[played.rules.game].camera
    return {} if camera is None else camera.zones(played)


def _answer_to(question_data: Mapping[str, Any], table: CommittedTable) -> int | None:
    """Return the number of the choice that answers the newest question with these data; None if there is none."""
    asked = next((each for each in reversed(table.events) if each.data == question_data), None)
    answers = (
        each for each in table.events if asked and each.kind == "answered" and each.data["of"] == asked.seq
    )
    answer = next(answers, None)
    return None if answer is None else answer.data["choice"]


def _unless_covered(camera: Observation | None, table: CommittedTable) -> Observation | None:
    """Return the camera's observation; None if there is none or the camera is covered."""
    covered = camera is not None and is_camera_covered(camera, len(committed_zones(table)))
    return None if covered else camera


def _shifted(observation: Observation, by: float) -> Observation:
    return replace(
        observation,
        time=observation.time + by,
        cards=tuple(replace(card, since=card.since + by) for card in observation.cards),
        hand_events=tuple(
            replace(hand_event, time=hand_event.time + by) for hand_event in observation.hand_events
        ),
        transient_detections=tuple(
            replace(transient, time=transient.time + by) for transient in observation.transient_detections
        ),
        untouched=tuple((key, time + by) for key, time in observation.untouched),
    )


def _without_pictures(events: Sequence[NewEvent]) -> list[NewEvent]:
    """Return events without the names of frames that have no picture."""
    return [replace(event, evidence=None, data=_unpictured(event.data)) for event in events]


def _unpictured(data: Mapping[str, Any]) -> dict[str, Any]:
    cleaned = dict(data)
    if _has_no_picture(cleaned.get("picture")):
        cleaned["picture"] = None
    if isinstance(pictures := cleaned.get("pictures"), Mapping):
        cleaned["pictures"] = {
            side: None if _has_no_picture(name) else name for side, name in pictures.items()
        }
    return cleaned


def _has_no_picture(name: object) -> bool:
    return isinstance(name, str) and (not name or name.startswith(_SCAN_PREFIX))
