"""Camera and scanners together: one look from what both tell of the same table.

What agrees grows surer: a card that the camera could not name, but the tray beneath it can, is named. What only one of them can
know is taken from that one: a pile covers its cards from above, a tag may be out of reach. What contradicts is a dispute: the look
then follows one side, and whoever shows it asks, if the dispute lasts.

Which side a dispute is settled for without asking: the camera, where it looked after a card had merely come by somewhere, and
where a far-reaching antenna (one that tells how strongly a tag answered) claims what lies plainly elsewhere; the scanner, where the
camera has not looked since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.hanafuda.cards import BACK, first_of, twin_of
from companion.observations import ELSEWHERE, FIELD, STOCK, Observation, TrackedCard
from companion.readers.scan_board import NOWHERE, Board, CardAssignment

__all__ = ["CAMERA", "Dispute", "Keys", "Merged", "merge", "sees_nothing"]

CAMERA = "camera"
"""What the camera is called where a dispute names who said what."""

_SCANNED = 0.995
"""That a card which a reader claims is that card: tags fall off and are paired wrongly."""
_CAME_BY = 0.99
_FLOOR = 0.002
"""That a camera which is sure of one card looks at another."""
_CARDS = 48
_PAIRED = 0.05
_PLAIN, _PLAINLY = 0.9, 0.5
"""The camera sees a card plainly: it is so sure of it, and so much of it is visible."""
_UNNAMED = 0.8
_LAG_S = 0.25
"""A look may be of a picture taken so long before it is told of, s."""
_TOGETHER_S = 2.0
"""A camera tells of a card that came when its hand has left; its tag is read as soon as it lies there."""
_REMEMBERED = 0.2
"""What is only remembered counts less than what is seen, and is no part of a deal."""
_PILE = "captured-"
_SHOWN = 0.1
_BLIND = 6
"""A camera that shows none of so many cards is covered."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """A card that lies at two places at once, by whom one asks."""

    card: str
    sides: tuple[tuple[str, str], ...]
    """Who says so (a device's name, or `CAMERA`) and the zone; the look follows the first."""
    captured: bool = False
    """Whether it has come from the field to a pile, and the field's reader has not missed it yet: that is how the game goes."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A look, and what it leaves open."""

    observation: Observation
    disputes: tuple[Dispute, ...] = ()


@dataclass(slots=True)
class Keys:
    """The keys of scanned cards (below zero: a camera's are above), and which of the camera's keys were found to be which card."""

    _of: dict[str, int] = field(default_factory=dict)
    paired: dict[int, str] = field(default_factory=dict)
    committed: dict[str, float] = field(default_factory=dict)
    """By card, when it was first agreed on in this round and no reader had told of it, s."""
    seen: dict[tuple[str, str], list[TrackedCard]] = field(default_factory=dict)
    """What the camera alone told of at its last look, by card (of look-alikes the first) and zone."""

    def of(self, card: str) -> int:
        """Return a scanned card's key."""
        return self._of.setdefault(card, -len(self._of) - 1)


_Side = tuple[str, str, CardAssignment | None]
"""Who says that a card lies in which zone; the camera has no claim."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where one card goes in the merged look."""

    card: str
    assignment: CardAssignment
    tracked: TrackedCard | None
    """The camera's sighting that shows it."""


def sees_nothing(observation: Observation, lying: int) -> bool:
    """Return whether a camera is covered: it shows no card where ``lying`` of them lie open."""
    shown = sum(each.visible > _SHOWN for each in observation.cards)
    return lying > 0 and (shown == 0 or (lying >= _BLIND and shown <= 1))


def merge(
    observation: Observation | None,
    board: Board,
    keys: Keys,
    *,
    committed: Mapping[str, str],
    frame: str,
    time: float,
    prefer: Mapping[str, str],
) -> Merged:
    """Return what camera and scanners show together at ``time``, s.

    ``observation``: the camera's, in the time of the board; None where there is no camera or it sees nothing: then what no reader has told of
    lies where it was ``committed`` to lie (zone by card), remembered rather than seen. ``prefer``: the place to take by card, where there is
    a dispute about it. ``frame``: what the look is called where no camera took it.
    """
    seen = [] if observation is None else list(observation.cards)
    taken = observation.time if observation is not None else float("-inf")
    placed, left = _paired(board, seen, keys, time)
    disputes = []
    shown: list[_Placed] = []
    dropped: set[int] = set()
    for each, assignments in placed:
        sides: list[_Side] = [(assignment.device, assignment.place, assignment) for assignment in assignments]
        plain = None if each.tracked is not None else _plainly(each, left, board, time)
        if plain is not None and plain.zone not in (ELSEWHERE, STOCK):
            sides = _against(plain, sides, taken)
        places = list(dict.fromkeys(place for _, place, _ in sides))
        place = places[0] if places else None
        if len(places) > 1:
            captured = _is_captured(sides)
            usual = places[0] if captured else committed.get(each.card)
            wanted = prefer.get(each.card, usual)
            place = wanted if wanted in places else places[0]
            reported = sorted(sides, key=lambda side: side[1] != place)
            disputes.append(Dispute(each.card, tuple((who, where) for who, where, _ in reported), captured))
        assignment = next(
            (assignment for _, where, assignment in sides if where == place and assignment is not None), None
        )
        if assignment is None:
            continue  # as the camera sees it
        if plain is not None:
            dropped.add(plain.key)
        shown.append(replace(each, assignment=assignment))
    by_key = {each.tracked.key: keys.of(each.card) for each in shown if each.tracked is not None}
    cards = [_tracked_card(each, keys, by_key) for each in shown]
    # The camera has not looked since a reader told that these have gone.
    dropped |= {tracked.key for tracked in left if _went(tracked, board, taken)}
    alone = [
        replace(tracked, on=tuple(by_key.get(key, key) for key in tracked.on))
        for tracked in seen
        if tracked.key not in by_key and tracked.key not in dropped
    ]
    cards += alone
    if observation is None:
        cards += _remembered(board, keys, committed, time)
        return Merged(
            Observation(frame, time, tuple(cards), transient_detections=board.take_transient_detections()),
            tuple(disputes),
        )
    keys.seen = {}
    for tracked in alone:
        if tracked.card is not None:
            keys.seen.setdefault((first_of(tracked.card), tracked.zone), []).append(tracked)
    doubtful = {each.card for each in shown if each.tracked and not _named(each, cards, keys)}
    came = [transient for transient in board.take_transient_detections() if transient.card not in doubtful]
    transient_detections = sorted(
        (*observation.transient_detections, *came), key=lambda transient: transient.time
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
    """Return whether readers tell of a card that has come to a pile, and still lies on the field."""
    (_, newest, _), *others = sides
    return newest.startswith(_PILE) and all(
        where == FIELD and assignment is not None for _, where, assignment in others
    )


def _named(each: _Placed, cards: Iterable[TrackedCard], keys: Keys) -> bool:
    """Return whether a scanned card is what its sighting was taken for."""
    return any(tracked.key == keys.of(each.card) and tracked.card == each.card for tracked in cards)


def _paired(
    board: Board, seen: Sequence[TrackedCard], keys: Keys, now: float
) -> tuple[list[tuple[_Placed, tuple[CardAssignment, ...]]], list[TrackedCard]]:
    """Return the scanned cards with the sightings that show them at a claimed place, and the sightings that are left."""
    assignments = {card: found for card in board.cards if (found := board.assignments(card, now))}
    pairs = []
    for card, found in assignments.items():
        for number, assignment in enumerate(found):
            for tracked in [each for each in seen if each.zone == assignment.place]:
                probability = _probability(tracked, card)
                known = keys.paired.get(tracked.key) == card
                if probability >= _PAIRED or (known and probability > 0):
                    pairs.append((known, probability, -number, card, assignment, tracked))
    pairs.sort(key=lambda pair: pair[:4], reverse=True)
    matched: dict[str, tuple[CardAssignment, TrackedCard]] = {}
    used: set[int] = set()
    for _, _, _, card, assignment, tracked in pairs:
        if card not in matched and tracked.key not in used:
            matched[card] = assignment, tracked
            used.add(tracked.key)
    for card, found in assignments.items():
        if card in matched:
            continue
        other = _unnamed(found[0], seen, used) or _named_otherwise(card, found[0], seen, used, board)
        if other is not None:
            matched[card] = found[0], other
            used.add(other.key)
    keys.paired |= {tracked.key: card for card, (_, tracked) in matched.items()}
    placed = [
        (_Placed(card, *matched[card]) if card in matched else _Placed(card, found[0], None), found)
        for card, found in assignments.items()
    ]
    return placed, [tracked for tracked in seen if tracked.key not in used]


def _unnamed(assignment: CardAssignment, seen: Sequence[TrackedCard], used: set[int]) -> TrackedCard | None:
    """Return the one sighting without a name that lies at a claimed place, None where there are none or several."""
    found = [
        tracked
        for tracked in seen
        if tracked.zone == assignment.place
        and tracked.key not in used
        and max((probability for _, probability in tracked.likely), default=0.0) < _UNNAMED
        and tracked.card is None
    ]
    return found[0] if len(found) == 1 else None


def _named_otherwise(
    card: str, assignment: CardAssignment, seen: Sequence[TrackedCard], used: set[int], board: Board
) -> TrackedCard | None:
    """Return the sighting of the card that came to the field when a tag did, but is another card by the camera.

    A tag may be paired wrongly, and the camera may err: it is one card all the same, and the players are to say which.
    """
    if assignment.place != FIELD or any(_probability(each, card) >= _PAIRED for each in seen):
        return None
    reported = {first_of(each) for each in board.cards}
    found = [
        tracked
        for tracked in seen
        if tracked.zone == FIELD
        and tracked.key not in used
        and tracked.card is not None
        and tracked.card != BACK
        and first_of(tracked.card) not in reported
        and abs(tracked.since - assignment.since) < _TOGETHER_S
    ]
    return found[0] if len(found) == 1 else None


def _probability(tracked: TrackedCard, card: str) -> float:
    """Return how likely a sighting is a card, 0-1."""
    first = first_of(card)
    likely = tracked.likely or (((tracked.card, 0.95),) if tracked.card else ())
    return sum(probability for name, probability in likely if name != BACK and first_of(name) == first)


def _plainly(each: _Placed, left: Iterable[TrackedCard], board: Board, now: float) -> TrackedCard | None:
    """Return the sighting that plainly shows a card at another place than is claimed.

    Where the card has a look-alike that no reader has told of, it may be that one; but an antenna that hears far is not trusted so
    far.
    """
    other = twin_of(each.card)
    if other is not None and each.assignment.rssi is None and not board.assignments(other, now):
        return None
    found = (
        tracked
        for tracked in left
        if tracked.visible >= _PLAINLY and _probability(tracked, each.card) >= _PLAIN
    )
    return next(found, None)


def _against(plain: TrackedCard, sides: Sequence[_Side], taken: float) -> list[_Side]:
    """Return who is left to say where a card lies, once the camera has its say."""
    camera = (CAMERA, plain.zone, None)
    left = [
        side
        for side in sides
        if side[2] is None or side[2].since > taken - _LAG_S or (side[2].keeps and side[2].rssi is None)
        or (not side[2].keeps and side[2].since > plain.since)
    ]  # fmt: skip
    if any(side[2] is not None and side[2].since > taken - _LAG_S for side in left):
        return left  # it has not looked since
    return [*left, camera]


def _went(tracked: TrackedCard, board: Board, taken: float) -> bool:
    names = [name for name, probability in tracked.likely if probability >= _PLAIN]
    if tracked.card is not None and not names:
        names = [tracked.card]
    for name in names:
        for card in {name, twin_of(name)} - {None}:
            assert card is not None
            removed = board.removed(card)
            if removed is not None and removed > taken - _LAG_S and tracked.zone in board.been(card):
                return True
    return False


def _tracked_card(each: _Placed, keys: Keys, by_key: Mapping[int, int]) -> TrackedCard:
    assignment, confident = each.assignment, _SCANNED if each.assignment.keeps else _CAME_BY
    key = keys.of(each.card)
    if each.tracked is None:
        return TrackedCard(
            key,
            each.card,
            ((each.card, confident),),
            assignment.place,
            NOWHERE,
            since=assignment.since,
            source="scanner",
        )
    likely = _joint(each.tracked, each.card, confident)
    return replace(
        each.tracked,
        key=key,
        card=likely[0][0] if likely[0][1] >= _UNNAMED else None,
        likely=likely,
        since=assignment.since,
        on=tuple(by_key.get(below, below) for below in each.tracked.on),
    )


def _joint(tracked: TrackedCard, card: str, confident: float) -> tuple[tuple[str, float], ...]:
    """Return what camera and reader say together of one card, by Bayes' rule."""
    first = first_of(card)
    named = sum(probability for _, probability in tracked.likely)
    own = max(_probability(tracked, card), (1 - named) / _CARDS, _FLOOR)
    shares = {card: own * confident}
    for name, probability in tracked.likely:
        if first_of(name) != first:
            shares[name] = shares.get(name, 0.0) + probability * (1 - confident)
    rest = max(0.0, 1 - named) * (1 - confident) / _CARDS
    total = sum(shares.values()) + rest
    return tuple(
        sorted(
            ((name, probability / total) for name, probability in shares.items()), key=lambda each: -each[1]
        )
    )


def _remembered(board: Board, keys: Keys, committed: Mapping[str, str], now: float) -> list[TrackedCard]:
    """Return the cards that no reader has told of, where they were agreed to lie."""
    reported: dict[str, list[str]] = {}
    seen = {known: list(tracked_cards) for known, tracked_cards in keys.seen.items()}
    for card in board.cards:
        reported.setdefault(first_of(card), []).append(card)
    found = []
    for card, zone in committed.items():
        if card in board.cards:
            continue
        # Look-alikes: the one agreed on may be the one that a reader knows by its own name, told of before it was agreed on.
        others = [each for each in reported.get(first_of(card), ()) if each not in committed]
        committed_at = keys.committed.setdefault(card, now)
        if any(zone in board.been(each) and board.first_told(each) <= committed_at for each in others):
            continue
        before = seen.get((first_of(card), zone))
        last = before.pop() if before else None
        key, at = (keys.of(card), NOWHERE) if last is None else (last.key, last.at)
        likely = ((card, _SCANNED),)
        found.append(
            TrackedCard(key, card, likely, zone, at, visible=_REMEMBERED, since=0.0, source="scanner")
        )
    return found
