"""Merge what the camera and the card readers detect on one table into one observation.

- Agreement raises the probability: a card that the camera could not name, but the tray below it can, is named.
- What only one of them can detect is taken from that one: cards in a pile cover each other, and a tag may be out of
  range.
- A contradiction is a `ZoneConflict`: the observation follows one side, and the caller asks the players if the dispute
  lasts.

A contradiction is decided without asking in favor of the camera if the other side is an older scan by a reader that
does not watch its zone, or if a far-reaching antenna (one that reports signal strength) claims a card that is plainly
visible elsewhere. It is decided in favor of the reader if the camera has delivered no observation since the scan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from companion.hanafuda.cards import BACK, first_of, twin_of
from companion.observations import ELSEWHERE, FIELD, STOCK, Observation, TrackedCard, TransientDetection
from companion.readers.scan_board import NOWHERE, CardAssignment, ScanBoard

CAMERA = "camera"
"""The source name of the camera in `ZoneConflict.sides`."""

_P_WATCHED = 0.995
"""Probability that a card reported by a reader is that card: tags fall off and are paired with the wrong card."""
_P_UNWATCHED = 0.99
"""The same for a reader that does not watch its zone."""
_MIN_P = 0.002
"""Minimum probability of any card in the camera's picture: the camera may be confident and wrong."""
_CARDS = 48
"""Cards in a pack: the probability that the camera assigns to no card is spread over them."""
_MIN_PAIRING_P = 0.05
"""Minimum probability, by the camera, for pairing a scanned card with a tracked card in its zone."""
_MIN_PLAIN_P, _MIN_PLAIN_VISIBLE = 0.9, 0.5
"""Minimum probability, and minimum visible fraction, for a card that is plainly visible to the camera."""
_MIN_NAME_P = 0.8
"""Minimum probability for naming a card."""
_LAG_S = 0.25
"""Maximum delay between taking a picture and delivering its observation, s."""
_MAX_PAIRING_DELAY_S = 2.0
"""Maximum time between the scan of a tag and the camera's observation of the same card, s: the camera reports a card
when the hand has left, a reader as soon as the card is on the table."""
_REMEMBERED_VISIBLE = 0.2
"""Visible fraction of remembered cards: they count less than detected ones and are not part of a deal."""
_PILE = "captured-"
_MIN_VISIBLE = 0.1
"""Minimum visible fraction of a card that the camera detects rather than remembers."""
_MIN_CARDS_FOR_BLIND = 6
"""With this many cards face up, a camera that detects at most one of them counts as covered."""


@dataclass(frozen=True, slots=True)
class ZoneConflict:
    """A card that is reported in several zones."""

    card: str
    sides: tuple[tuple[str, str], ...]
    """Sources (the name of a device, or `CAMERA`) and the zones they report; the observation follows the first."""
    captured: bool = False
    """Whether the card was captured and the reader of the field has not reported its removal yet, which is normal."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged observation and its unresolved contradictions."""

    observation: Observation
    disputes: tuple[ZoneConflict, ...] = ()


@dataclass(slots=True)
class Keys:
    """Track keys of scanned cards, which are negative (the camera's are positive), and the memory of earlier merges."""

    _key_by_card: dict[str, int] = field(default_factory=dict)
    paired: dict[int, str] = field(default_factory=dict)
    """The scanned card paired with a track of the camera, by the camera's key."""
    committed: dict[str, float] = field(default_factory=dict)
    """By card that no reader has reported, when it was first part of the committed state in this round, s."""
    seen: dict[tuple[str, str], list[TrackedCard]] = field(default_factory=dict)
    """Tracked cards of the camera's last observation that no scan was paired with, by card (the first of look-alikes) and zone."""

    def remember(self, camera_only: Iterable[TrackedCard]) -> None:
        """Remember the tracked cards that no scan was paired with."""
        self.seen = {}
        for tracked in camera_only:
            if tracked.card is not None:
                self.seen.setdefault((first_of(tracked.card), tracked.zone), []).append(tracked)

    def of(self, card: str) -> int:
        """Return the key of a scanned card."""
        return self._key_by_card.setdefault(card, -len(self._key_by_card) - 1)


class _Side(NamedTuple):
    """Where a source reports a card."""

    source: str
    zone: str
    assignment: CardAssignment | None
    """The reader's assignment; None for the camera."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A scanned card, its reader's assignment, and the camera's track of it."""

    card: str
    assignment: CardAssignment
    tracked: TrackedCard | None
    """The tracked card of the camera that was paired with it, if any."""


def is_camera_covered(observation: Observation, face_up: int) -> bool:
    """Return whether a camera is covered; ``face_up`` is the number of cards known to be face up on the table."""
    visible = sum(each.visible > _MIN_VISIBLE for each in observation.cards)
    return face_up > 0 and (visible == 0 or (face_up >= _MIN_CARDS_FOR_BLIND and visible <= 1))


def merge(
    observation: Observation | None,
    board: ScanBoard,
    keys: Keys,
    *,
    committed: Mapping[str, str],
    frame: str,
    time: float,
    prefer: Mapping[str, str],
) -> Merged:
    """Merge the camera's observation with the readers' board at ``time``, s.

    ``observation`` is the camera's, in the time of the board, or None if there is no camera or the camera is covered.
    Without it, cards that no reader has reported keep their ``committed`` zone (by card) and are marked as remembered.
    ``prefer`` gives, by card, the zone to use in a dispute. ``frame`` names the observation if it has no picture.
    """
    base = Observation(frame, time, ()) if observation is None else observation
    observed_at = float("-inf") if observation is None else observation.time
    placed, unpaired = _pair_with_camera(board, base.cards, keys, time)
    scanned, disputes, overruled = _scanned_cards(
        placed, unpaired, board, committed=committed, prefer=prefer, observed_at=observed_at, time=time
    )
    # Removed according to a reader, later than the camera's observation.
    removed = {tracked.key for tracked in unpaired if _removed_since(tracked, board, observed_at)}
    by_key = {each.tracked.key: keys.of(each.card) for each in scanned if each.tracked is not None}
    cards = [_tracked_card(each, keys, by_key) for each in scanned]
    camera_only = [
        replace(tracked, on=_renamed(tracked.on, by_key))
        for tracked in base.cards
        if tracked.key not in {*by_key, *overruled, *removed}
    ]
    if observation is None:
        cards += _remembered(board, keys, committed, time)
    else:
        keys.remember(camera_only)
    merged = replace(
        base,
        time=time,
        cards=(*cards, *camera_only),
        transient_detections=_transient_detections(base, board, scanned, cards),
        untouched=tuple((by_key.get(key, key), when) for key, when in base.untouched),
    )
    return Merged(merged, disputes)


def _transient_detections(
    observation: Observation, board: ScanBoard, scanned: Sequence[_Placed], cards: Sequence[TrackedCard]
) -> tuple[TransientDetection, ...]:
    """Return the new cards by camera and readers, without scanned cards to which the camera gives another name."""
    misnamed = {
        each.card
        for each, tracked in zip(scanned, cards, strict=False)
        if each.tracked is not None and tracked.card != each.card
    }
    new_cards = [each for each in board.take_transient_detections() if each.card not in misnamed]
    return tuple(sorted((*observation.transient_detections, *new_cards), key=lambda each: each.time))


def _scanned_cards(
    placed: Iterable[tuple[_Placed, Sequence[CardAssignment]]],
    unpaired: Sequence[TrackedCard],
    board: ScanBoard,
    *,
    committed: Mapping[str, str],
    prefer: Mapping[str, str],
    observed_at: float,
    time: float,
) -> tuple[list[_Placed], tuple[ZoneConflict, ...], set[int]]:
    """Return the scanned cards where the observation follows a reader, all disputes, and the keys of tracked cards
    that the camera sees elsewhere instead.
    """
    scanned: list[_Placed] = []
    disputes: list[ZoneConflict] = []
    overruled: set[int] = set()
    for each, assignments in placed:
        elsewhere = None if each.tracked is not None else _plain_elsewhere(each, unpaired, board, time)
        sides = _sides(assignments, elsewhere, observed_at)
        zone, dispute = _zone_of(each.card, sides, committed, prefer)
        if dispute is not None:
            disputes.append(dispute)
        assignment = next((side.assignment for side in sides if side.zone == zone and side.assignment), None)
        if assignment is None:
            continue  # the camera's own tracked card is used
        if elsewhere is not None:
            overruled.add(elsewhere.key)
        scanned.append(replace(each, assignment=assignment))
    return scanned, tuple(disputes), overruled


def _zone_of(
    card: str, sides: Sequence[_Side], committed: Mapping[str, str], prefer: Mapping[str, str]
) -> tuple[str, ZoneConflict | None]:
    """Return the zone that the observation follows, and the dispute if the sides report several zones."""
    zones = list(dict.fromkeys(side.zone for side in sides))
    if len(zones) == 1:
        return zones[0], None
    captured = _is_captured(sides)
    wanted = prefer.get(card, zones[0] if captured else committed.get(card))
    zone = wanted if wanted in zones else zones[0]
    ordered = sorted(sides, key=lambda side: side.zone != zone)
    return zone, ZoneConflict(card, tuple((side.source, side.zone) for side in ordered), captured)


def _renamed(keys: Iterable[int], by_key: Mapping[int, int]) -> tuple[int, ...]:
    """Return track keys with those of scanned cards in place of the camera's."""
    return tuple(by_key.get(key, key) for key in keys)


def _is_captured(sides: Sequence[_Side]) -> bool:
    """Return whether readers report a card in a pile, and otherwise only still on the field."""
    newest, *others = sides
    return newest.zone.startswith(_PILE) and all(
        side.zone == FIELD and side.assignment is not None for side in others
    )


def _pair_with_camera(
    board: ScanBoard, tracked_cards: Sequence[TrackedCard], keys: Keys, now: float
) -> tuple[list[tuple[_Placed, tuple[CardAssignment, ...]]], list[TrackedCard]]:
    """Pair scanned cards with tracked cards in a zone that a reader assigns them to.

    Return the scanned cards, each with all of its assignments, and the tracked cards left over.
    """
    assignments = {
        card: card_assignments for card in board.cards if (card_assignments := board.assignments(card, now))
    }
    matched: dict[str, tuple[CardAssignment, TrackedCard]] = {}
    used: set[int] = set()
    for card, assignment, tracked in _likely_pairs(assignments, tracked_cards, keys):
        if card not in matched and tracked.key not in used:
            matched[card] = assignment, tracked
            used.add(tracked.key)
    for card, card_assignments in assignments.items():
        if card in matched:
            continue
        newest = card_assignments[0]
        other = _only_unnamed(newest, tracked_cards, used) or _named_otherwise(
            card, newest, tracked_cards, used, board
        )
        if other is not None:
            matched[card] = newest, other
            used.add(other.key)
    keys.paired |= {tracked.key: card for card, (_, tracked) in matched.items()}
    placed = [
        (_Placed(card, *matched.get(card, (card_assignments[0], None))), card_assignments)
        for card, card_assignments in assignments.items()
    ]
    return placed, [tracked for tracked in tracked_cards if tracked.key not in used]


def _likely_pairs(
    assignments: Mapping[str, Sequence[CardAssignment]], tracked_cards: Sequence[TrackedCard], keys: Keys
) -> list[tuple[str, CardAssignment, TrackedCard]]:
    """Return the scanned cards with tracked cards that they may be, best first: known pairs, then by probability."""
    pairs = []
    for card, card_assignments in assignments.items():
        for number, assignment in enumerate(card_assignments):
            for tracked in tracked_cards:
                if tracked.zone != assignment.place:
                    continue
                probability = _probability(tracked, card)
                known = keys.paired.get(tracked.key) == card
                if probability >= _MIN_PAIRING_P or (known and probability > 0):
                    pairs.append(((known, probability, -number, card), assignment, tracked))
    pairs.sort(key=lambda pair: pair[0], reverse=True)
    return [(rank[-1], assignment, tracked) for rank, assignment, tracked in pairs]


def _only_unnamed(
    assignment: CardAssignment, tracked_cards: Sequence[TrackedCard], used: set[int]
) -> TrackedCard | None:
    """Return the only unnamed tracked card in the assigned zone; None if there are none or several."""
    candidates = [
        tracked
        for tracked in tracked_cards
        if tracked.zone == assignment.place
        and tracked.key not in used
        and max((probability for _, probability in tracked.likely), default=0.0) < _MIN_NAME_P
        and tracked.card is None
    ]
    return candidates[0] if len(candidates) == 1 else None


def _named_otherwise(
    card: str,
    assignment: CardAssignment,
    tracked_cards: Sequence[TrackedCard],
    used: set[int],
    board: ScanBoard,
) -> TrackedCard | None:
    """Return the tracked card that arrived on the field together with a tag but is another card for the camera.

    The tag may be paired with the wrong card, or the camera may be wrong. Either way it is one card, and the players
    decide which.
    """
    if assignment.place != FIELD or any(_probability(each, card) >= _MIN_PAIRING_P for each in tracked_cards):
        return None
    scanned = {first_of(each) for each in board.cards}
    candidates = [
        tracked
        for tracked in tracked_cards
        if tracked.zone == FIELD
        and tracked.key not in used
        and tracked.card is not None
        and tracked.card != BACK
        and first_of(tracked.card) not in scanned
        and abs(tracked.since - assignment.since) < _MAX_PAIRING_DELAY_S
    ]
    return candidates[0] if len(candidates) == 1 else None


def _probability(tracked: TrackedCard, card: str) -> float:
    """Return the probability, by the camera, that a tracked card is a card."""
    first = first_of(card)
    likely = tracked.likely or (((tracked.card, 0.95),) if tracked.card else ())
    return sum(probability for name, probability in likely if name != BACK and first_of(name) == first)


def _plain_elsewhere(
    placed: _Placed, unpaired: Iterable[TrackedCard], board: ScanBoard, now: float
) -> TrackedCard | None:
    """Return the tracked card that is plainly this card in another zone than its reader's; None if there is none.

    It may be the look-alike of the card if no reader has reported that one, unless the reader is a far-reaching
    antenna, which is less reliable.
    """
    twin = twin_of(placed.card)
    if twin is not None and placed.assignment.rssi is None and not board.assignments(twin, now):
        return None
    candidates = (
        tracked
        for tracked in unpaired
        if tracked.visible >= _MIN_PLAIN_VISIBLE and _probability(tracked, placed.card) >= _MIN_PLAIN_P
    )
    return next(candidates, None)


def _sides(
    assignments: Iterable[CardAssignment], elsewhere: TrackedCard | None, observed_at: float
) -> list[_Side]:
    """Return where a card is reported: by the readers, and by the camera if it is plainly visible in another zone."""
    if elsewhere is None or elsewhere.zone in (ELSEWHERE, STOCK):
        return [_Side(assignment.device, assignment.place, assignment) for assignment in assignments]
    remaining = [each for each in assignments if _stands_against(elsewhere, each, observed_at)]
    sides = [_Side(assignment.device, assignment.place, assignment) for assignment in remaining]
    if not any(each.since > observed_at - _LAG_S for each in remaining):
        sides.append(_Side(CAMERA, elsewhere.zone, None))  # its observation is newer than the scans
    return sides


def _stands_against(tracked: TrackedCard, assignment: CardAssignment, observed_at: float) -> bool:
    """Return whether a reader's assignment stands against the camera's tracked card in another zone."""
    if assignment.since > observed_at - _LAG_S:
        return True
    return assignment.rssi is None if assignment.keeps else assignment.since > tracked.since


def _removed_since(tracked: TrackedCard, board: ScanBoard, observed_at: float) -> bool:
    """Return whether a reader of its zone reported a tracked card as removed, later than the camera's observation."""
    names = [name for name, probability in tracked.likely if probability >= _MIN_PLAIN_P]
    if tracked.card is not None and not names:
        names = [tracked.card]
    for name in names:
        for card in {name, twin_of(name)} - {None}:
            assert card is not None
            removed = board.removed(card)
            if removed is not None and removed > observed_at - _LAG_S and tracked.zone in board.been(card):
                return True
    return False


def _tracked_card(placed: _Placed, keys: Keys, by_key: Mapping[int, int]) -> TrackedCard:
    """Return the tracked card of the merged observation."""
    assignment, reader_p = placed.assignment, _P_WATCHED if placed.assignment.keeps else _P_UNWATCHED
    key = keys.of(placed.card)
    if placed.tracked is None:
        return TrackedCard(
            key,
            placed.card,
            ((placed.card, reader_p),),
            assignment.place,
            NOWHERE,
            since=assignment.since,
            source="scanner",
        )
    likely = _fused_probabilities(placed.tracked, placed.card, reader_p)
    return replace(
        placed.tracked,
        key=key,
        card=likely[0][0] if likely[0][1] >= _MIN_NAME_P else None,
        likely=likely,
        since=assignment.since,
        on=_renamed(placed.tracked.on, by_key),
    )


def _fused_probabilities(tracked: TrackedCard, card: str, reader_p: float) -> tuple[tuple[str, float], ...]:
    """Combine the camera's and the reader's probabilities for one card by Bayes' rule; the likeliest card comes first."""
    first = first_of(card)
    named = sum(probability for _, probability in tracked.likely)
    own = max(_probability(tracked, card), (1 - named) / _CARDS, _MIN_P)
    weights = {card: own * reader_p}
    for name, probability in tracked.likely:
        if first_of(name) != first:
            weights[name] = weights.get(name, 0.0) + probability * (1 - reader_p)
    rest = max(0.0, 1 - named) * (1 - reader_p) / _CARDS
    total = sum(weights.values()) + rest
    return tuple(
        sorted(
            ((name, probability / total) for name, probability in weights.items()), key=lambda each: -each[1]
        )
    )


def _remembered(board: ScanBoard, keys: Keys, committed: Mapping[str, str], now: float) -> list[TrackedCard]:
    """Return the cards that no reader has reported, in their committed zones."""
    scanned: dict[str, list[str]] = {}
    last_seen = {known: list(tracked_cards) for known, tracked_cards in keys.seen.items()}
    for card in board.cards:
        scanned.setdefault(first_of(card), []).append(card)
    remembered = []
    for card, zone in committed.items():
        if card in board.cards:
            continue
        # The committed card may be a look-alike of one that a reader reported by its own name before the state was committed.
        twins = [each for each in scanned.get(first_of(card), ()) if each not in committed]
        committed_at = keys.committed.setdefault(card, now)
        if any(zone in board.been(each) and board.first_reported(each) <= committed_at for each in twins):
            continue
        earlier = last_seen.get((first_of(card), zone))
        last = earlier.pop() if earlier else None
        key, position = (keys.of(card), NOWHERE) if last is None else (last.key, last.at)
        likely = ((card, _P_WATCHED),)
        remembered.append(
            TrackedCard(
                key, card, likely, zone, position, visible=_REMEMBERED_VISIBLE, since=0.0, source="scanner"
            )
        )
    return remembered
