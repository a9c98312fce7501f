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
from companion.readers.scan_board import NOWHERE, Board, Claim

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

    look: Observation
    disputes: tuple[Dispute, ...] = ()


@dataclass(slots=True)
class Keys:
    """The keys of scanned cards (below zero: a camera's are above), and which of the camera's keys were found to be which card."""

    _of: dict[str, int] = field(default_factory=dict)
    paired: dict[int, str] = field(default_factory=dict)
    agreed: dict[str, float] = field(default_factory=dict)
    """By card, when it was first agreed on in this round and no reader had told of it, s."""
    seen: dict[tuple[str, str], list[TrackedCard]] = field(default_factory=dict)
    """What the camera alone told of at its last look, by card (of look-alikes the first) and zone."""

    def of(self, card: str) -> int:
        """Return a scanned card's key."""
        return self._of.setdefault(card, -len(self._of) - 1)


_Side = tuple[str, str, Claim | None]
"""Who says that a card lies in which zone; the camera has no claim."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where one card goes in the merged look."""

    card: str
    claim: Claim
    sighting: TrackedCard | None
    """The camera's sighting that shows it."""


def sees_nothing(look: Observation, lying: int) -> bool:
    """Return whether a camera is covered: it shows no card where ``lying`` of them lie open."""
    shown = sum(each.visible > _SHOWN for each in look.cards)
    return lying > 0 and (shown == 0 or (lying >= _BLIND and shown <= 1))


def merge(
    look: Observation | None,
    board: Board,
    keys: Keys,
    *,
    agreed: Mapping[str, str],
    frame: str,
    time: float,
    prefer: Mapping[str, str],
) -> Merged:
    """Return what camera and scanners show together at ``time``, s.

    ``look``: the camera's, in the time of the board; None where there is no camera or it sees nothing: then what no reader has told of
    lies where it was ``agreed`` to lie (zone by card), remembered rather than seen. ``prefer``: the place to take by card, where there is
    a dispute about it. ``frame``: what the look is called where no camera took it.
    """
    seen = [] if look is None else list(look.cards)
    taken = look.time if look is not None else float("-inf")
    placed, left = _paired(board, seen, keys, time)
    disputes = []
    shown: list[_Placed] = []
    dropped: set[int] = set()
    for each, claims in placed:
        sides: list[_Side] = [(claim.device, claim.place, claim) for claim in claims]
        plain = None if each.sighting is not None else _plainly(each, left, board, time)
        if plain is not None and plain.zone not in (ELSEWHERE, STOCK):
            sides = _against(plain, sides, taken)
        places = list(dict.fromkeys(place for _, place, _ in sides))
        place = places[0] if places else None
        if len(places) > 1:
            captured = _is_captured(sides)
            usual = places[0] if captured else agreed.get(each.card)
            wanted = prefer.get(each.card, usual)
            place = wanted if wanted in places else places[0]
            told = sorted(sides, key=lambda side: side[1] != place)
            disputes.append(Dispute(each.card, tuple((who, where) for who, where, _ in told), captured))
        claim = next((claim for _, where, claim in sides if where == place and claim is not None), None)
        if claim is None:
            continue  # as the camera sees it
        if plain is not None:
            dropped.add(plain.key)
        shown.append(replace(each, claim=claim))
    by_key = {each.sighting.key: keys.of(each.card) for each in shown if each.sighting is not None}
    cards = [_sighting(each, keys, by_key) for each in shown]
    # The camera has not looked since a reader told that these have gone.
    dropped |= {sighting.key for sighting in left if _went(sighting, board, taken)}
    alone = [
        replace(sighting, on=tuple(by_key.get(key, key) for key in sighting.on))
        for sighting in seen
        if sighting.key not in by_key and sighting.key not in dropped
    ]
    cards += alone
    if look is None:
        cards += _remembered(board, keys, agreed, time)
        return Merged(
            Observation(frame, time, tuple(cards), transient_detections=board.take_glimpses()),
            tuple(disputes),
        )
    keys.seen = {}
    for sighting in alone:
        if sighting.card is not None:
            keys.seen.setdefault((first_of(sighting.card), sighting.zone), []).append(sighting)
    doubtful = {each.card for each in shown if each.sighting and not _named(each, cards, keys)}
    came = [glimpse for glimpse in board.take_glimpses() if glimpse.card not in doubtful]
    transient_detections = sorted((*look.transient_detections, *came), key=lambda glimpse: glimpse.time)
    untouched = tuple((by_key.get(key, key), when) for key, when in look.untouched)
    return Merged(
        replace(
            look,
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
        where == FIELD and claim is not None for _, where, claim in others
    )


def _named(each: _Placed, cards: Iterable[TrackedCard], keys: Keys) -> bool:
    """Return whether a scanned card is what its sighting was taken for."""
    return any(sighting.key == keys.of(each.card) and sighting.card == each.card for sighting in cards)


def _paired(
    board: Board, seen: Sequence[TrackedCard], keys: Keys, now: float
) -> tuple[list[tuple[_Placed, tuple[Claim, ...]]], list[TrackedCard]]:
    """Return the scanned cards with the sightings that show them at a claimed place, and the sightings that are left."""
    claims = {card: found for card in board.cards if (found := board.claims(card, now))}
    pairs = []
    for card, found in claims.items():
        for number, claim in enumerate(found):
            for sighting in [each for each in seen if each.zone == claim.place]:
                share = _share(sighting, card)
                known = keys.paired.get(sighting.key) == card
                if share >= _PAIRED or (known and share > 0):
                    pairs.append((known, share, -number, card, claim, sighting))
    pairs.sort(key=lambda pair: pair[:4], reverse=True)
    matched: dict[str, tuple[Claim, TrackedCard]] = {}
    used: set[int] = set()
    for _, _, _, card, claim, sighting in pairs:
        if card not in matched and sighting.key not in used:
            matched[card] = claim, sighting
            used.add(sighting.key)
    for card, found in claims.items():
        if card in matched:
            continue
        other = _unnamed(found[0], seen, used) or _named_otherwise(card, found[0], seen, used, board)
        if other is not None:
            matched[card] = found[0], other
            used.add(other.key)
    keys.paired |= {sighting.key: card for card, (_, sighting) in matched.items()}
    placed = [
        (_Placed(card, *matched[card]) if card in matched else _Placed(card, found[0], None), found)
        for card, found in claims.items()
    ]
    return placed, [sighting for sighting in seen if sighting.key not in used]


def _unnamed(claim: Claim, seen: Sequence[TrackedCard], used: set[int]) -> TrackedCard | None:
    """Return the one sighting without a name that lies at a claimed place, None where there are none or several."""
    found = [
        sighting
        for sighting in seen
        if sighting.zone == claim.place
        and sighting.key not in used
        and max((share for _, share in sighting.likely), default=0.0) < _UNNAMED
        and sighting.card is None
    ]
    return found[0] if len(found) == 1 else None


def _named_otherwise(
    card: str, claim: Claim, seen: Sequence[TrackedCard], used: set[int], board: Board
) -> TrackedCard | None:
    """Return the sighting of the card that came to the field when a tag did, but is another card by the camera.

    A tag may be paired wrongly, and the camera may err: it is one card all the same, and the players are to say which.
    """
    if claim.place != FIELD or any(_share(each, card) >= _PAIRED for each in seen):
        return None
    told = {first_of(each) for each in board.cards}
    found = [
        sighting
        for sighting in seen
        if sighting.zone == FIELD
        and sighting.key not in used
        and sighting.card is not None
        and sighting.card != BACK
        and first_of(sighting.card) not in told
        and abs(sighting.since - claim.since) < _TOGETHER_S
    ]
    return found[0] if len(found) == 1 else None


def _share(sighting: TrackedCard, card: str) -> float:
    """Return how likely a sighting is a card, 0-1."""
    first = first_of(card)
    likely = sighting.likely or (((sighting.card, 0.95),) if sighting.card else ())
    return sum(share for name, share in likely if name != BACK and first_of(name) == first)


def _plainly(each: _Placed, left: Iterable[TrackedCard], board: Board, now: float) -> TrackedCard | None:
    """Return the sighting that plainly shows a card at another place than is claimed.

    Where the card has a look-alike that no reader has told of, it may be that one; but an antenna that hears far is not trusted so
    far.
    """
    other = twin_of(each.card)
    if other is not None and each.claim.rssi is None and not board.claims(other, now):
        return None
    found = (
        sighting
        for sighting in left
        if sighting.visible >= _PLAINLY and _share(sighting, each.card) >= _PLAIN
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


def _went(sighting: TrackedCard, board: Board, taken: float) -> bool:
    names = [name for name, share in sighting.likely if share >= _PLAIN]
    if sighting.card is not None and not names:
        names = [sighting.card]
    for name in names:
        for card in {name, twin_of(name)} - {None}:
            assert card is not None
            gone = board.gone(card)
            if gone is not None and gone > taken - _LAG_S and sighting.zone in board.been(card):
                return True
    return False


def _sighting(each: _Placed, keys: Keys, by_key: Mapping[int, int]) -> TrackedCard:
    claim, sure = each.claim, _SCANNED if each.claim.keeps else _CAME_BY
    key = keys.of(each.card)
    if each.sighting is None:
        return TrackedCard(
            key, each.card, ((each.card, sure),), claim.place, NOWHERE, since=claim.since, source="scanner"
        )
    likely = _joint(each.sighting, each.card, sure)
    return replace(
        each.sighting,
        key=key,
        card=likely[0][0] if likely[0][1] >= _UNNAMED else None,
        likely=likely,
        since=claim.since,
        on=tuple(by_key.get(below, below) for below in each.sighting.on),
    )


def _joint(sighting: TrackedCard, card: str, sure: float) -> tuple[tuple[str, float], ...]:
    """Return what camera and reader say together of one card, by Bayes' rule."""
    first = first_of(card)
    named = sum(share for _, share in sighting.likely)
    own = max(_share(sighting, card), (1 - named) / _CARDS, _FLOOR)
    shares = {card: own * sure}
    for name, share in sighting.likely:
        if first_of(name) != first:
            shares[name] = shares.get(name, 0.0) + share * (1 - sure)
    rest = max(0.0, 1 - named) * (1 - sure) / _CARDS
    total = sum(shares.values()) + rest
    return tuple(sorted(((name, share / total) for name, share in shares.items()), key=lambda each: -each[1]))


def _remembered(board: Board, keys: Keys, agreed: Mapping[str, str], now: float) -> list[TrackedCard]:
    """Return the cards that no reader has told of, where they were agreed to lie."""
    told: dict[str, list[str]] = {}
    seen = {known: list(sightings) for known, sightings in keys.seen.items()}
    for card in board.cards:
        told.setdefault(first_of(card), []).append(card)
    found = []
    for card, zone in agreed.items():
        if card in board.cards:
            continue
        # Look-alikes: the one agreed on may be the one that a reader knows by its own name, told of before it was agreed on.
        others = [each for each in told.get(first_of(card), ()) if each not in agreed]
        agreed_at = keys.agreed.setdefault(card, now)
        if any(zone in board.been(each) and board.first_told(each) <= agreed_at for each in others):
            continue
        before = seen.get((first_of(card), zone))
        last = before.pop() if before else None
        key, at = (keys.of(card), NOWHERE) if last is None else (last.key, last.at)
        likely = ((card, _SCANNED),)
        found.append(
            TrackedCard(key, card, likely, zone, at, visible=_REMEMBERED, since=0.0, source="scanner")
        )
    return found
