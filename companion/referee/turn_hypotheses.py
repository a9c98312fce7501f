"""What may have happened: the legal plays and draws that a change on the table suggests, and how each leaves the cards.

Only cards that the look gives a reason for are tried: those that came to light, and, where a card of the field is gone or
lies in a pile, the hidden ones of its flower (the card that took it may be covered).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import log
from typing import NamedTuple

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.families.fishing import PLAY_ON, Call, Captures, Draw, FishingMove, Play
from companion.hanafuda.families.fishing.captures import flower_of, ids_of, single_bits
from companion.referee.card_likelihoods import (
    ELSEWHERE,
    FIELD,
    FIRST_OF,
    LIMBO,
    STOCK,
    TWINS,
    DetectedCard,
    Fit,
    Spot,
)
from companion.referee.expected_cards import AnyRound, Position
from companion.table.events import NewEvent

__all__ = ["Clues", "Explanation", "Lie", "cards_of", "clues_of", "legal", "one_turn", "two_turns"]

_SURE = log(0.8)
_HINT = log(0.02)
_LIKELY = log(0.3)
_MOST_SEEN, _MOST_UNSEEN = 6, 6
_LYING_YET = -0.7
"""That a capture was not taken up when the look was taken."""
_IN_HAND = -3.5
"""That what was captured is in the air."""
_SECOND_TURN = -4.0
"""That a whole turn went by without a look."""


@dataclass(slots=True)
class Explanation:
    """A way to come from the agreed table to the one seen."""

    position: Position
    """Where it starts: the agreed table, or one before it (takeback), or with another dealer."""
    moves: tuple[FishingMove, ...]
    placed: dict[int, Spot]
    waits: tuple[tuple[int, int], ...]
    """The captures that were not taken up yet: the card and what it took, as sets."""
    prior: float
    """Its log-probability before the look is seen."""
    whole_turns: int = 1
    """How many turns went by without a look, that now shown among them."""
    in_hand: bool = False
    """Whether these captures are on their way to the pile, not on the field."""
    ordered: int = 0
    """How many of its cards came in an order that was weighed already, in ``prior``."""
    settled: int = 0
    """How many of its cards can be told where the turn is not at its end: those of a turn before."""
    events: tuple[NewEvent, ...] = ()
    """What puts the agreed table right first."""
    fitted: Fit | None = None
    places: float = 0.0
    """What speaks against it in where its cards lie, and in earlier looks (log-likelihood)."""
    read_before: float = 0.0
    """The part of the fit that is cards which are read otherwise now and were seen well before."""
    order: float = 0.0
    """What speaks for this one of the two cards being the one from the hand (log-likelihood)."""
    habit: float = 0.0
    """The part of that which was not seen, but is what players are wont to do."""

    @property
    def score(self) -> float:
        """The log-probability after the look."""
        assert self.fitted is not None
        return self.fitted.score + self.prior + self.places + self.order


@dataclass(slots=True)
class Clues:
    """What a look gives reason to try."""

    seen: dict[int, float] = field(default_factory=dict)
    """Hidden cards that may have come to light, with the log-probability."""
    confident: dict[int, DetectedCard] = field(default_factory=dict)
    """Those of them that surely have."""
    zones: dict[int, list[int]] = field(default_factory=dict)
    """Where they surely lie, by card (of look-alikes the first): a zone a find."""
    unseen: list[int] = field(default_factory=list)
    """Hidden cards that may have taken what is gone, or lay open in a look before."""
    inferred: set[int] = field(default_factory=set)
    """Those of them that no look has shown: they can be under others in a pile, not on the field."""
    removed: set[int] = field(default_factory=set)
    """Cards of the field that do not lie there."""

    @property
    def cards(self) -> list[int]:
        """The cards to try."""
        return [*self.seen, *(card for card in self.unseen if card not in self.seen)]


class Lie(NamedTuple):
    """Field and piles as sets of cards."""

    field: int
    piles: tuple[int, int]

    def played(self, bit: int, takes: int, player: int) -> Lie:
        """Return how they lie once a card has taken others, or none."""
        if not takes:
            return Lie(self.field | bit, self.piles)
        first, second = self.piles
        piles = (first | bit | takes, second) if player == 1 else (first, second | bit | takes)
        return Lie(self.field & ~takes, piles)


def clues_of(
    detections: Sequence[DetectedCard], base: Fit, position: Position, seen_before: Iterable[int] = ()
) -> Clues:
    """Return what to try, from how a look fits the agreed table.

    Cards that lay open in a look before, since the table was agreed on, are tried too: they may be covered now.
    """
    clues = Clues()
    explained = {
        found.key
        for index, found in base.matched.items()
        if found.says(FIRST_OF[index]) > log(0.6) and position.spots[index].zone == found.zone
    }
    counts: dict[int, int] = {}
    # What is only remembered came to light when it was seen, and may have been taken away since. The surest are first: of
    # look-alikes the one that surely came is not to be taken for the second because a strip looks a little like the first.
    shown = sorted((found for found in detections if found.visible > 0 and not found.odd), key=_doubt)
    for found in shown:
        if found.key in explained:
            continue
        for first, logp in sorted(found.names.items(), key=lambda name: -name[1])[:4]:
            members = [index for index in TWINS[first] if position.hidden >> index & 1]
            if logp < _HINT or not members:
                continue
            nth = counts[first] = counts.get(first, 0) + 1
            index = members[min(nth, len(members)) - 1]
            clues.seen[index] = max(logp, clues.seen.get(index, logp))
            if logp > _SURE and found.zone not in (STOCK, ELSEWHERE) and not _committed_on(found, base):
                clues.confident[index] = found
    clues.seen = dict(sorted(clues.seen.items(), key=lambda card: -card[1])[:_MOST_SEEN])
    confident = {FIRST_OF[index] for index in clues.confident}
    for found in shown:
        top = found.top
        misread = found.known is not None and FIRST_OF[found.known] != top and _committed_on(found, base)
        if top in confident and found.says(top) > _SURE and found.zone >= FIELD and not misread:
            clues.zones.setdefault(top, []).append(found.zone)
    # A look-alike has come to light only where more of them are seen, or hidden in piles, than lay open.
    for index in tuple(clues.confident):
        first = FIRST_OF[index]
        there = len(clues.zones.get(first, ())) + sum(
            _in_a_pile(twin, base, position) for twin in TWINS[first]
        )
        if there <= sum(twin in position.spots for twin in TWINS[first]):
            del clues.confident[index]
    for index in position_field(position):
        found_there = base.matched.get(index)
        if found_there is None or found_there.zone != FIELD:
            clues.removed.add(index)
    before = [card for card in seen_before if position.hidden >> card & 1 and card not in clues.seen]
    inferred = [card for card in _unseen(clues, position) if card not in before]
    clues.unseen, clues.inferred = [*before, *inferred], set(inferred)
    return clues


def _doubt(found: DetectedCard) -> float:
    return 0.0 if found.top is None else -found.says(found.top) - 100.0


def _in_a_pile(index: int, base: Fit, position: Position) -> bool:
    """Return whether a card should lie in a pile and is not seen there: other cards hide it."""
    spot, found = position.spots.get(index), base.matched.get(index)
    hidden = found is None or found.zone != spot.zone or not found.visible if spot else False
    return spot is not None and spot.zone > FIELD and hidden


def _committed_on(found: DetectedCard, base: Fit) -> bool:
    """Return whether a find is a card that was agreed on, however it is read now."""
    return found.known is not None and base.matched.get(found.known) is found


def _unseen(clues: Clues, position: Position) -> list[int]:
    """Return hidden cards that may have taken what is gone, of look-alikes one."""
    found: dict[int, int] = {}
    # A card in a pile may have taken one that was laid down in the same turn and is covered.
    captured = [index for index, where in clues.confident.items() if where.zone > FIELD]
    alone = [index for index in captured if not flower_of(1 << index) & position.field]
    for index in (*sorted(clues.removed), *alone):
        for bit in single_bits(flower_of(1 << index) & position.hidden):
            card = bit.bit_length() - 1
            if card not in clues.seen:
                found.setdefault(FIRST_OF[card], card)
    return list(found.values())[:_MOST_UNSEEN]


def position_field(position: Position) -> list[int]:
    """Return the cards of the field as places in the deck order."""
    return [bit.bit_length() - 1 for bit in single_bits(position.field)]


class _Step(NamedTuple):
    """A card played, what it takes, and how the cards lie then."""

    move: Play | Draw
    bit: int
    takes: int
    lie: Lie
    prior: float


def _steps(
    lie: Lie, cards: Sequence[int], captures: Captures, player: int, *, from_hand: bool, hidden: int
) -> Iterator[_Step]:
    kind = Play if from_hand else Draw
    for card in cards:
        bit = 1 << card
        hypotheses = captures.options(bit, lie.field, from_hand=from_hand)
        prior = -log(max(1, hidden)) - log(len(hypotheses))
        for takes in hypotheses:
            move = kind(player, HANAFUDA[card].id, ids_of(takes))
            yield _Step(move, bit, takes, lie.played(bit, takes, player), prior)


def one_turn(position: Position, clues: Clues) -> Iterator[Explanation]:
    """Yield the turns that may have been begun or made since, each at every stage at which a look may find it."""
    start = Lie(position.field, (position.piles[0], position.piles[1]))
    player, draws_only = _next(position)
    if not player or len(clues.confident) > 3:  # two cards a turn, and one that is none
        return
    for steps in _turn(start, position, clues, player, draws_only=draws_only, used=0):
        yield from _stages(position, steps, clues)


def two_turns(position: Position, clues: Clues) -> Iterator[Explanation]:
    """Yield turns after which the next player has begun or made another one."""
    start = Lie(position.field, (position.piles[0], position.piles[1]))
    player, draws_only = _next(position)
    if not player or not 2 <= len(clues.confident) <= 5:
        return
    likely = [card for card, logp in clues.seen.items() if logp > _LIKELY]
    before = [card for card in clues.unseen if card not in clues.inferred]
    clues = replace(clues, seen={card: clues.seen[card] for card in likely}, unseen=before)
    for first in _turn(start, position, clues, player, draws_only=draws_only, used=0):
        if isinstance(first[-1].move, Play):
            continue
        used = sum(step.bit for step in first)
        for second in _turn(first[-1].lie, position, clues, 3 - player, draws_only=False, used=used):
            for found in _stages(position, (*first, *second), clues, lying=second):
                found.prior += _SECOND_TURN
                found.settled, found.whole_turns = len(first), 2
                yield found


def _next(position: Position) -> tuple[int, bool]:
    """Return whose card comes next, 0 for nobody's, and whether it is one of the stock."""
    if position.phase == "over":
        return 0, False
    if position.phase == "play":
        return position.player, False
    if position.phase == "draw":
        return position.player, True
    last = position.round.moves[-1] if position.round.moves else None
    if not any(isinstance(call, Call) and call.said == PLAY_ON for call in position.round.legal_moves()):
        return 0, False
    return (position.player, True) if isinstance(last, Play) else (3 - position.player, False)


def _turn(
    start: Lie, position: Position, clues: Clues, player: int, *, draws_only: bool, used: int
) -> Iterator[tuple[_Step, ...]]:
    captures: Captures = position.round.captures
    cards = [card for card in clues.cards if not used >> card & 1]
    hidden = position.hidden.bit_count() - used.bit_count()
    if draws_only:
        for step in _steps(start, cards, captures, player, from_hand=False, hidden=hidden):
            yield (step,)
        return
    for play in _steps(start, cards, captures, player, from_hand=True, hidden=hidden):
        yield (play,)
        others = [card for card in cards if 1 << card != play.bit]
        for draw in _steps(play.lie, others, captures, player, from_hand=False, hidden=hidden - 1):
            yield play, draw


def _stages(
    position: Position, steps: tuple[_Step, ...], clues: Clues, lying: tuple[_Step, ...] | None = None
) -> Iterator[Explanation]:
    """Yield how the cards lie when all is taken up, and when some captures (of `lying`) are not yet."""
    prior = sum(step.prior for step in steps)
    moves = tuple(step.move for step in steps)
    capturing = [step for step in (lying or steps) if step.takes]
    taken_up = _changes(position, steps[-1].lie)
    if any(index in clues.inferred and spot.zone == FIELD for index, spot in taken_up.items()):
        return
    for count in range(len(capturing) + 1):
        for left in combinations(capturing, count):
            changes = taken_up
            for step in left:
                covered = {bit.bit_length() - 1: Spot(FIELD, covered=True) for bit in single_bits(step.takes)}
                changes = {**changes, **covered, step.bit.bit_length() - 1: Spot(FIELD)}
            if _agrees(position, changes, clues):
                waits = tuple((step.bit, step.takes) for step in left)
                placed = {**position.spots, **changes}
                yield Explanation(position, moves, placed, waits, prior + count * _LYING_YET)
    if capturing:
        held = {
            bit.bit_length() - 1: Spot(LIMBO)
            for step in capturing
            for bit in single_bits(step.takes | step.bit)
        }
        changes = {**taken_up, **held}
        if _agrees(position, changes, clues):
            waits = tuple((step.bit, step.takes) for step in capturing)
            placed = {**position.spots, **changes}
            yield Explanation(position, moves, placed, waits, prior + _IN_HAND, in_hand=True)


def _changes(position: Position, lie: Lie) -> dict[int, Spot]:
    changes: dict[int, Spot] = {}
    for zone, now, before in (
        (FIELD, lie.field, position.field),
        (1, lie.piles[0], position.piles[0]),
        (2, lie.piles[1], position.piles[1]),
    ):
        for bit in single_bits(now & ~before):
            changes[bit.bit_length() - 1] = Spot(zone)
    return changes


def _agrees(position: Position, changes: dict[int, Spot], clues: Clues) -> bool:
    """Return whether the cards that surely came to light lie where they were seen; of many one may be a false find."""
    wrong = 0
    for first, zones in clues.zones.items():
        spots = [changes.get(index) or position.spots.get(index) for index in TWINS[first]]
        free = [spot.zone for spot in spots if spot]
        for zone in zones:
            if zone in free:
                free.remove(zone)
            elif LIMBO in free:
                free.remove(LIMBO)
            else:
                wrong += 1
    return wrong <= (len(clues.confident) >= 3)


def cards_of(moves: Sequence[FishingMove]) -> list[Play | Draw]:
    """Return the moves that play a card."""
    return [move for move in moves if isinstance(move, Play | Draw)]


def legal(start: AnyRound, moves: Sequence[FishingMove]) -> tuple[FishingMove, ...] | None:
    """Return moves as the rules let them be made, with the koi-koi that whoever played on must have said.

    None where they forbid them.
    """
    applied: list[FishingMove] = []
    played = start.copy()
    for move in moves:
        if isinstance(move, Call):
            played.push(move, as_told=True)
            applied.append(move)
            continue
        pending = played.owes()
        if pending is not None and pending.code == "decision-missing":
            call = next((c for c in played.legal_moves() if isinstance(c, Call) and c.said == PLAY_ON), None)
            if call is None:
                return None
            played.push(call)
            applied.append(call)
        if played.check(move):
            return None
        played.push(move, as_told=True)
        applied.append(move)
    return tuple(applied)
