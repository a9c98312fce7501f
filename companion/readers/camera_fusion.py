"""Merge what the camera and the card readers detect on one table into one observation.

- Agreement raises the probability: a card that the camera could not name, but the tray below it can, is named.
- What only one of them can detect is taken from that one: cards in a pile cover each other, and a tag may be out of
  range.
- A contradiction is a `Dispute`: the observation follows one side, and the caller asks the players if the dispute
  lasts.

A contradiction is decided without asking in favor of the camera if the other side is an older scan by a reader that
does not watch its zone, or if a far-reaching antenna (one that reports signal strength) claims a card that is plainly
visible elsewhere. It is decided in favor of the reader if the camera has delivered no observation since the scan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.hanafuda.cards import BACK, first_of, twin_of
from companion.observations import ELSEWHERE, FIELD, STOCK, Observation, TrackedCard
from companion.readers.scan_board import NOWHERE, CardAssignment, ScanBoard

__all__ = ["CAMERA", "Dispute", "Keys", "Merged", "is_camera_covered", "merge"]

CAMERA = "camera"
"""The source name of the camera in `Dispute.sides`."""

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
class Dispute:
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
    disputes: tuple[Dispute, ...] = ()


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

    def of(self, card: str) -> int:
        """Return the key of a scanned card."""
        return self._key_by_card.setdefault(card, -len(self._key_by_card) - 1)


_Side = tuple[str, str, CardAssignment | None]
"""Source, zone, and the reader's assignment; None for the camera."""


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
    tracked_cards = [] if observation is None else list(observation.cards)
    observed_at = observation.time if observation is not None else float("-inf")
    placed, unpaired = _pair_with_camera(board, tracked_cards, keys, time)
    disputes = []
    merged: list[_Placed] = []
    dropped: set[int] = set()
    for each, assignments in placed:
        sides: list[_Side] = [(assignment.device, assignment.place, assignment) for assignment in assignments]
        elsewhere = None if each.tracked is not None else _plain_elsewhere(each, unpaired, board, time)
        if elsewhere is not None and elsewhere.zone not in (ELSEWHERE, STOCK):
            sides = _with_camera(elsewhere, sides, observed_at)
        zones = list(dict.fromkeys(zone for _, zone, _ in sides))
        zone = zones[0] if zones else None
        if len(zones) > 1:
            captured = _is_captured(sides)
            default = zones[0] if captured else committed.get(each.card)
            wanted = prefer.get(each.card, default)
            zone = wanted if wanted in zones else zones[0]
            ordered = sorted(sides, key=lambda side: side[1] != zone)
            disputes.append(
                Dispute(each.card, tuple((source, side_zone) for source, side_zone, _ in ordered), captured)
            )
        assignment = next(
            (
                assignment
                for _, side_zone, assignment in sides
                if side_zone == zone and assignment is not None
            ),
            None,
        )
        if assignment is None:
            continue  # the camera's own tracked card is used
        if elsewhere is not None:
            dropped.add(elsewhere.key)
        merged.append(replace(each, assignment=assignment))
    by_key = {each.tracked.key: keys.of(each.card) for each in merged if each.tracked is not None}
    cards = [_tracked_card(each, keys, by_key) for each in merged]
    # Removed according to a reader, later than the camera's observation.
    dropped |= {tracked.key for tracked in unpaired if _removed_since(tracked, board, observed_at)}
    camera_only = [
        replace(tracked, on=tuple(by_key.get(key, key) for key in tracked.on))
        for tracked in tracked_cards
        if tracked.key not in by_key and tracked.key not in dropped
    ]
    cards += camera_only
    if observation is None:
        cards += _remembered(board, keys, committed, time)
        return Merged(
            Observation(frame, time, tuple(cards), transient_detections=board.take_transient_detections()),
            tuple(disputes),
        )
    keys.seen = {}
    for tracked in camera_only:
        if tracked.card is not None:
            keys.seen.setdefault((first_of(tracked.card), tracked.zone), []).append(tracked)
    misnamed = {each.card for each in merged if each.tracked and not _is_named(each, cards, keys)}
    arrivals = [
        transient for transient in board.take_transient_detections() if transient.card not in misnamed
    ]
    transient_detections = sorted(
        (*observation.transient_detections, *arrivals), key=lambda transient: transient.time
    )
    untouched = tuple((by_key.get(key, key), when) for key, when in observation.untouched)
    return Merged(
        replace(
            observation,
            time=time,
            cards=tuple(cards),
            transient_detections=tuple(transient_detections),
            untouched=untouched,
        ),
        tuple(disputes),
    )


def _is_captured(sides: Sequence[_Side]) -> bool:
    """Return whether readers report a card in a pile, and otherwise only still on the field."""
    (_, newest, _), *others = sides
    return newest.startswith(_PILE) and all(
        zone == FIELD and assignment is not None for _, zone, assignment in others
    )


def _is_named(each: _Placed, cards: Iterable[TrackedCard], keys: Keys) -> bool:
    """Return whether a scanned card appears under its own name in the merged observation."""
    return any(tracked.key == keys.of(each.card) and tracked.card == each.card for tracked in cards)


def _pair_with_camera(
    board: ScanBoard, tracked_cards: Sequence[TrackedCard], keys: Keys, now: float
) -> tuple[list[tuple[_Placed, tuple[CardAssignment, ...]]], list[TrackedCard]]:
    """Pair scanned cards with tracked cards in a zone that a reader assigns them to.

    Return the scanned cards, each with all of its assignments, and the tracked cards left over.
    """
    assignments = {
        card: card_assignments for card in board.cards if (card_assignments := board.assignments(card, now))
    }
    pairs = []
    for card, card_assignments in assignments.items():
        for number, assignment in enumerate(card_assignments):
            for tracked in [each for each in tracked_cards if each.zone == assignment.place]:
                probability = _probability(tracked, card)
                known = keys.paired.get(tracked.key) == card
                if probability >= _MIN_PAIRING_P or (known and probability > 0):
                    pairs.append((known, probability, -number, card, assignment, tracked))
    pairs.sort(key=lambda pair: pair[:4], reverse=True)
    matched: dict[str, tuple[CardAssignment, TrackedCard]] = {}
    used: set[int] = set()
    for _, _, _, card, assignment, tracked in pairs:
        if card not in matched and tracked.key not in used:
            matched[card] = assignment, tracked
            used.add(tracked.key)
    for card, card_assignments in assignments.items():
        if card in matched:
            continue
        other = _only_unnamed(card_assignments[0], tracked_cards, used) or _named_otherwise(
            card, card_assignments[0], tracked_cards, used, board
        )
        if other is not None:
            matched[card] = card_assignments[0], other
            used.add(other.key)
    keys.paired |= {tracked.key: card for card, (_, tracked) in matched.items()}
    placed = [
        (
            _Placed(card, *matched[card]) if card in matched else _Placed(card, card_assignments[0], None),
            card_assignments,
        )
        for card, card_assignments in assignments.items()
    ]
    return placed, [tracked for tracked in tracked_cards if tracked.key not in used]


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


def _with_camera(tracked: TrackedCard, sides: Sequence[_Side], observed_at: float) -> list[_Side]:
    """Return the readers' sides that stand against the camera, and the camera's own if no newer scan contradicts it."""
    camera = (CAMERA, tracked.zone, None)
    remaining = [
        side
        for side in sides
        if side[2] is None or side[2].since > observed_at - _LAG_S or (side[2].keeps and side[2].rssi is None)
        or (not side[2].keeps and side[2].since > tracked.since)
    ]  # fmt: skip
    if any(side[2] is not None and side[2].since > observed_at - _LAG_S for side in remaining):
        return remaining  # the camera has delivered no observation since
    return [*remaining, camera]


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
        on=tuple(by_key.get(below, below) for below in placed.tracked.on),
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
