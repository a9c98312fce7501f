"""A table with scanners: their board, the camera's newest look if there is one, and the referee to whom both are shown.

All times are s on one clock, the server's; looks come in the camera's own time and are put on the scanners' (or, where the camera was
there first, theirs on its).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Final

from companion.hanafuda.families.fishing import FishingRound
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
from companion.readers.camera_fusion import Dispute, Keys, Merged, merge, sees_nothing
from companion.readers.handheld_scanner import HandScans
from companion.readers.reader_messages import question, unfinished
from companion.readers.scan_board import ANY, NOWHERE, Board, Scan
from companion.referee.interface import CommittedTable, Referee
from companion.referee.referee_events import waiting
from companion.table.events import Event, NewEvent

__all__ = ["ScannedTable", "committed_zones", "deck_of"]

QUIET_S: Final = 0.3
"""The readers have settled when they told nothing new for so long, s."""
_AGAIN_S: Final = (QUIET_S, 1.0, 2.0, 2.6, 3.1, 4.0, 6.0)
"""What lies still is looked at again so long after it changed, s: for a referee that waits, and for what must last to count."""
_DEALING_S: Final = 1.5
"""Between rounds cards are laid one by one, up to so far apart, s; eight lie there at once."""
_CAMERA_LATE_S: Final = 1.5
"""While a camera watches, its next look is waited for by so long, s: what no reader reads may have changed too."""
_HAND_S: Final = 3.9
"""And by so long while it sees a hand over the table, s."""
_LASTS_S: Final = 3.0
"""A dispute that lasts for so long, s, is asked about: a reader that misses a card may need as long to say that it has gone."""
_STUCK_S: Final = 5.5
_DEALT = 8
_SCAN: Final = "scan-"
_TELLS: Final = frozenset({"dealt", "began", "moved", "set", "undone", "corrected"})


@dataclass(slots=True)
class _Asked:
    """A dispute that the players were asked about."""

    dispute: Dispute
    data: Mapping[str, Any]


@dataclass(slots=True)
class ScannedTable:
    """One table's eyes. Whoever calls holds the table, and appends what is returned before the next call."""

    rules: Rules
    referee: Referee
    board: Board = field(default_factory=Board)
    hand: HandScans = field(default_factory=HandScans)
    by_camera: bool = False
    """Whether the look shown last was the camera's too."""
    newest: Observation | None = None
    """The look shown last, for a re-scan."""
    _keys: Keys = field(default_factory=Keys)
    _camera: Observation | None = None
    _arrived: float = float("-inf")
    """When the camera's newest look came, s."""
    _base: float = 0.0
    """What the clock showed when the looks' time began, s. Within, all times are s since then."""
    _shift: float = 0.0
    """What puts the camera's times on that, s."""
    _shown: int = 0
    """How often the board was shown since it changed last."""
    _frames: int = 0
    _hand_events: list[HandEvent] = field(default_factory=list)
    _transient_detections: tuple[TransientDetection, ...] = ()
    """What came down since the referee was shown a look."""
    _changed: bool = False
    """Whether something changed since the referee was shown an observation."""
    _again: float | None = None
    """When to look again because of a dispute, on the clock, s."""
    _disputed: dict[str, float] = field(default_factory=dict)
    """By card, since when it is disputed, s."""
    _asked: _Asked | None = None
    _prefer: dict[str, str] = field(default_factory=dict)
    """By disputed card, the place that the players told."""
    _dealt: int = 0
    """The number of the event that dealt the round at hand."""
    _ended: float | None = None
    """When the round was seen to be over, s."""
    _deck: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self._deck = deck_of(self.rules)

    # --- what comes in

    def hear(self, scans: Sequence[Scan], table: CommittedTable) -> None:
        """Take in what readers told, times on the clock."""
        self._mind_round(table)
        for reported in scans:
            # Tags of the stock are read through its backs, and hidden cards stay hidden.
            if reported.card not in self._deck or reported.place == STOCK:
                continue
            scan = replace(reported, time=reported.time - self._base)
            place = self._place(scan)
            if place is not None:
                self._hear(replace(scan, place=place), table.game.players)
            elif scan.present and self.hand.hear(scan.card, scan.time):
                self._shown = 0

    def _hear(self, scan: Scan, players: int) -> None:
        self._mind_deal(scan)
        if self.board.hear(scan):
            self._shown = 0
            # In the fishing games the place tells whose it is; a tray that is tidied tells nothing of who plays.
            if scan.present and scan.seat is not None and not self._has_field:
                around = (scan.seat - 1) / players
                self._hand_events.append(HandEvent(scan.time, NOWHERE, scan.seat, around))

    def camera(self, observation: Observation, now: float, table: CommittedTable) -> list[NewEvent]:
        """Take in a camera's look that came at ``now``, s, and return what it tells together with the readers."""
        self._remember(observation, now - self._base)
        return self._see(
            now - self._base, table, self._camera, changed=observation.changed or self._shown == 0
        )

    def follow(self, observation: Observation, now: float) -> None:
        """Begin with a camera's look that the referee has seen already: its times go on."""
        self._base = now - observation.time
        self._remember(observation, observation.time)

    def _remember(self, observation: Observation, now: float) -> None:
        if self._camera is None or observation.time + self._shift < self._camera.time - 1.0:
            self._shift = now - observation.time  # the first, or the camera began anew
        self._shift = min(self._shift, now - observation.time)
        self._camera, self._arrived = _shifted(observation, self._shift), now

    @property
    def _has_field(self) -> bool:
        """Whether cards lie on a field between two players."""
        camera = GAMES[self.rules.game].camera
        return camera is not None and camera.scanned == "field"

    def _place(self, scan: Scan) -> str | None:
        """Return the zone that a scan tells of; None for one whose order tells."""
        if scan.place != ANY:
            return scan.place
        camera = GAMES[self.rules.game].camera
        match camera and camera.scanned:
            case "discard":
                return DISCARD
            case "field":
                # Beside trays, or under a camera, a card that is held up is one of the field.
                return FIELD if self.board.places or self._camera is not None else None
            case _:
                return None if scan.seat is None else hand_zone(scan.seat)

    def _mind_deal(self, scan: Scan) -> None:
        """Forget what came by before, where a scan shows that the cards were gathered up."""
        if scan.keeps or not scan.present:
            return
        before = self.board.assignments(scan.card, scan.time)
        again = scan.place == FIELD and bool(before) and before[0].place.startswith("captured")
        if again or self._ended is not None:
            self.board.forget_came_by(scan.time if again else self._ended or 0.0)

    def _mind_round(self, table: CommittedTable) -> None:
        dealt = next((event.seq for event in reversed(table.events) if event.kind == "dealt"), 0)
        if dealt != self._dealt:
            self._dealt = dealt
            self.board.begin(committed_zones(table), self._ended or 0.0)
            self._keys.committed.clear()
            self._ended = None
        over = table.round is not None and table.round.outcome() is not None
        if over and self._ended is None:
            self._ended = self.board.changed
        elif not over:
            self._ended = None

    # --- what is told

    def due(self) -> float | None:
        """Return when `tick` is to be called next, on the clock, s; None where nothing waits."""
        since = max(self.board.changed, self.hand.since or float("-inf"))
        still = None
        if self._shown < len(_AGAIN_S) and since > float("-inf"):
            still = since + _AGAIN_S[self._shown]
        times = [each + self._base for each in (still, self._again) if each is not None]
        return min(times, default=None)

    def once_more(self, now: float) -> None:
        """Show at ``now``, s, what was shown last: it was shown to a game that is over."""
        self.hand.once_more()
        self._again = now - self._base

    def tick(
        self, now: float, table: CommittedTable, *, watching: bool, moving: bool = False
    ) -> list[NewEvent]:
        """Return what the readers tell by ``now``, s.

        ``watching``: a camera looks at the table, however long ago it told; ``moving``: it sees a hand over the table now.
        """
        due = self.due()
        if due is None or now < due:
            return []
        return self._tick(now - self._base, table, watching=watching, moving=moving)

    def _tick(self, now: float, table: CommittedTable, *, watching: bool, moving: bool) -> list[NewEvent]:
        if self._again is None or now < self._again:
            self._shown += 1
        self._again = None
        self._mind_round(table)
        if said := self.hand.see(now, table):
            self._shown = 0
            return _without_pictures(said)
        if self.board.changed == float("-inf"):
            return []
        camera = self._camera if watching else None
        if camera is not None and sees_nothing(camera, len(committed_zones(table))):
            camera = None
        quiet = now - self.board.changed
        late = _HAND_S if moving else _CAMERA_LATE_S
        if camera is not None and self._arrived <= self.board.changed and quiet < late:
            return []
        if camera is None and self._dealing(now, table) and quiet < _DEALING_S:
            return []
        said = self._see(now, table, camera, changed=self._shown == 1)
        if not said and camera is None and quiet >= _STUCK_S:
            said = self._stuck(now, table)
        return said

    def _dealing(self, now: float, table: CommittedTable) -> bool:
        """Return whether cards may be being dealt, and are not all there."""
        played = table.round
        if not self._has_field:
            return False
        if played is not None and played.outcome() is None:
            return False
        lying = [
            assignments[0].place
            for card in self.board.cards
            if (assignments := self.board.assignments(card, now))
        ]
        return lying.count(FIELD) != _DEALT

    def _see(
        self, now: float, table: CommittedTable, camera: Observation | None, *, changed: bool
    ) -> list[NewEvent]:
        self._mind_round(table)
        if camera is not None and sees_nothing(camera, len(committed_zones(table))):
            camera = None
        merged = self._merged(now, table, camera, self._prefer)
        self._mind_disputes(merged, now, table)
        self._transient_detections += merged.observation.transient_detections
        self._hand_events += merged.observation.hand_events
        if self._unsettled(merged, now):
            self._changed = self._changed or changed
            # Hands move cards from one place to another: what is told twice for a moment settles by itself.
            self._again = now + _AGAIN_S[0]
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
        said = self.referee.see(observation, table)
        said = [event for event in said if not self._holds_open(event, table)]
        if not any(event.kind in _TELLS for event in said):
            said += self._dispute(merged, now, table, camera)
        return said if camera is not None else _without_pictures(said)

    def _merged(
        self, now: float, table: CommittedTable, camera: Observation | None, prefer: Mapping[str, str]
    ) -> Merged:
        self._frames += 1
        return merge(
            camera,
            self.board,
            self._keys,
            committed=committed_zones(table),
            frame=f"{_SCAN}{self._frames:06d}",
            time=now,
            prefer=prefer,
        )

    # --- disputes

    def _mind_disputes(self, merged: Merged, now: float, table: CommittedTable) -> None:
        """Keep in mind since when cards are disputed, and what the players answered."""
        cards = {dispute.card for dispute in merged.disputes}
        self._disputed = {card: self._disputed.get(card, now) for card in cards}
        self._prefer = {card: place for card, place in self._prefer.items() if card in cards}
        if self._asked is None or self._question(table) is not None:
            return
        asked, self._asked = self._asked, None
        event = next((each for each in reversed(table.events) if each.data == asked.data), None)
        answer = next(
            (
                each
                for each in table.events
                if event and each.kind == "answered" and each.data["of"] == event.seq
            ),
            None,
        )
        chosen = None if answer is None else answer.data["choice"]
        place = asked.dispute.sides[0 if chosen is None else chosen][1]
        if asked.dispute.card in cards:
            self._prefer[asked.dispute.card] = place

    def _unsettled(self, merged: Merged, now: float) -> bool:
        """Return whether a dispute is so young that it may be no more than a card on its way, and nobody knows where to."""
        return any(
            now - self._disputed[dispute.card] < _LASTS_S
            and dispute.card not in self._prefer
            and not dispute.captured
            for dispute in merged.disputes
        )

    def _question(self, table: CommittedTable) -> Event | None:
        """Return the open question about a dispute."""
        if self._asked is None:
            return None
        data = self._asked.data
        return next((event for event in table.open_questions if event.data == data), None)

    def _holds_open(self, event: NewEvent, table: CommittedTable) -> bool:
        """Return whether a referee's word would settle a question whose dispute goes on."""
        asked = self._question(table)
        return (
            event.kind == "settled"
            and asked is not None
            and event.data["of"] == asked.seq
            and self._asked is not None
            and self._asked.dispute.card in self._disputed
        )

    def _dispute(
        self, merged: Merged, now: float, table: CommittedTable, camera: Observation | None
    ) -> list[NewEvent]:
        """Ask about a dispute that has lasted; take back the question about one that has not."""
        if self._asked is not None:
            asked = self._question(table)
            over = asked is not None and self._asked.dispute.card not in self._disputed
            return [NewEvent("settled", {"of": asked.seq})] if over and asked else []
        lasting = [
            dispute
            for dispute in merged.disputes
            if now - self._disputed[dispute.card] >= _LASTS_S and dispute.card not in self._prefer
        ]
        if not lasting or waiting(table):
            return []
        dispute = lasting[0]
        hypotheses = []
        for _, place in dispute.sides[:2]:
            observation = self._merged(now, table, camera, {**self._prefer, dispute.card: place}).observation
            hypotheses.append(self._explained(observation, table, dispute.card, place))
        asking = question(dispute, hypotheses, None if camera is None else camera.frame)
        self._asked = _Asked(dispute, asking.data)
        return [asking]

    def _explained(
        self, observation: Observation, table: CommittedTable, card: str, place: str
    ) -> list[NewEvent]:
        """Return what follows if a look is true: a turn, or that the table is so."""
        trial = deepcopy(self.referee)
        for number in range(1, 4):
            said = trial.see(replace(observation, time=observation.time + number), table)
            if reported := [event for event in said if event.kind in _TELLS]:
                return reported
        if committed_zones(table).get(card) == place or not isinstance(table.round, FishingRound):
            return []
        return [event for event in trial.rescan(observation, table) if event.kind in _TELLS]

    def _stuck(self, now: float, table: CommittedTable) -> list[NewEvent]:
        """Tell once what the readers have told of that no turn explains: a card was laid where nothing reads it."""
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
    """Return the cards of a game's pack: what else is scanned belongs to no game here."""
    return GAMES[rules.game].cards(rules)


def committed_zones(table: CommittedTable) -> dict[str, str]:
    """Return where each open card was agreed to lie, zone by card."""
    played = table.round
    camera = None if played is None else GAMES[played.rules.game].camera
    return {} if camera is None else camera.zones(played)


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


def _without_pictures(said: Sequence[NewEvent]) -> list[NewEvent]:
    """Return events without the names of pictures that nobody took."""
    return [replace(event, evidence=None, data=_unpictured(event.data)) for event in said]


def _unpictured(data: Mapping[str, Any]) -> dict[str, Any]:
    reported = dict(data)
    if _is_scan(reported.get("picture")):
        reported["picture"] = None
    if isinstance(pictures := reported.get("pictures"), Mapping):
        reported["pictures"] = {side: None if _is_scan(name) else name for side, name in pictures.items()}
    return reported


def _is_scan(name: object) -> bool:
    return isinstance(name, str) and (not name or name.startswith(_SCAN))
