"""Hypotheses about what happened: the legal plays and draws that a change on the table suggests, and the card
positions that each leads to.

Only cards supported by the observation are tried: cards that appeared and, if a field card is missing or lies in a
captured pile, the hidden cards of its flower (the card that captured it may be covered).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import log
from typing import NamedTuple

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.fishing import PLAY_ON, Call, Captures, Draw, FishingMove, Play
from companion.hanafuda.fishing.captures import flower_of, ids_of, single_bits
from companion.referee.card_likelihoods import (
    ELSEWHERE,
    FIELD,
    FIRST_OF,
    IN_TRANSIT,
    LOOKALIKES,
    STOCK,
    DetectedCard,
    Fit,
    Spot,
)
from companion.referee.expected_cards import AnyRound, Position, indices_of_bits
from companion.table.events import NewEvent

_MIN_CONFIDENT = log(0.8)
_MIN_PLAUSIBLE = log(0.02)
_MIN_LIKELY = log(0.3)
_MIN_EXPLAINED = log(0.6)
"""Minimum log-probability of a committed card for its detection to count as explained."""
_MAX_NAMES = 4
"""Number of names tried per detection."""
_MAX_DETECTED, _MAX_UNDETECTED = 6, 6
_MAX_IN_TWO_TURNS = 5
"""Maximum number of cards that appear in two turns: two in each, and one false positive."""
_STILL_ON_FIELD = -0.7
"""Log-probability that a captured card was still on the field when the observation was made."""
_IN_HAND = -3.5
"""Log-probability that the captured cards are in a player's hand on the way to the pile."""
_SECOND_TURN = -4.0
"""Log-probability that a whole turn passed without an observation."""


@dataclass(slots=True)
class Explanation:
    """A hypothesis of how the committed table became the observed one."""

    position: Position
    """Position it starts from: the committed table, an earlier one (move taken back), or one with the other dealer."""
    moves: tuple[FishingMove, ...]
    placed: dict[int, Spot]
    pending_captures: tuple[tuple[int, int], ...]
    """Captures whose cards are not in the pile yet: the capturing card and the captured cards, as sets (48 bits)."""
    prior: float
    """Log-probability before the observation."""
    whole_turns: int = 1
    """Number of turns covered by the hypothesis, including the current one."""
    in_hand: bool = False
    """Whether these captures are in a player's hand on the way to the pile, not on the field."""
    ordered: int = 0
    """Number of its cards whose order is already part of ``prior``."""
    completed_cards: int = 0
    """Number of its cards that can be reported before the turn ends: those of an earlier turn."""
    events: tuple[NewEvent, ...] = ()
    """Events that first correct the committed table."""
    fitted: Fit | None = None
    placement_score: float = 0.0
    """Log-likelihood of its card positions and of earlier observations."""
    earlier_reading_score: float = 0.0
    """Part of the fit's score due to cards that are recognized differently now and were detected clearly before."""
    order: float = 0.0
    """Log-likelihood that the first of the two cards is the one from the hand."""
    order_prior: float = 0.0
    """Part of ``order`` that comes from prior knowledge of how people play instead of observations."""

    @property
    def score(self) -> float:
        """Log-probability after the observation, up to a constant."""
        assert self.fitted is not None
        return self.fitted.score + self.prior + self.placement_score + self.order


@dataclass(slots=True)
class Clues:
    """Cards that an observation suggests."""

    detected: dict[int, float] = field(default_factory=dict)
    """Hidden cards that may have appeared, with their log-probabilities."""
    confident: dict[int, DetectedCard] = field(default_factory=dict)
    """Those of them that were detected with high confidence."""
    zones: dict[int, list[int]] = field(default_factory=dict)
    """Zones in which they were detected with confidence, one per detection; keyed by card (of look-alikes the first)."""
    undetected: list[int] = field(default_factory=list)
    """Hidden cards that may have captured missing field cards, or that an earlier observation showed."""
    inferred: set[int] = field(default_factory=set)
    """Those of them that were never detected: they may be covered in a pile, but not on the field."""
    removed: set[int] = field(default_factory=set)
    """Field cards that are no longer on the field."""

    @property
    def cards(self) -> list[int]:
        """All cards to try."""
        return [*self.detected, *(card for card in self.undetected if card not in self.detected)]


class CardLayout(NamedTuple):
    """Field and captured piles as sets of cards (48 bits)."""

    field: int
    piles: tuple[int, int]

    def played(self, bit: int, takes: int, player: int) -> CardLayout:
        """Return the field and piles after a card was played that captures others or none."""
        if not takes:
            return CardLayout(self.field | bit, self.piles)
        first, second = self.piles
        piles = (first | bit | takes, second) if player == 1 else (first, second | bit | takes)
        return CardLayout(self.field & ~takes, piles)


def clues_of(
    detections: Sequence[DetectedCard], base: Fit, position: Position, detected_before: Iterable[int] = ()
) -> Clues:
    """Return the cards to try, given the fit of an observation to the committed table.

    Cards that an observation has shown since the table was committed (``detected_before``) are tried too: they may be
    covered now.
    """
    # Cards remembered under others are skipped: they may have been moved since they were detected. Most confident
    # first, so that a strip that vaguely resembles a look-alike does not take the place of the one detected clearly.
    visible = sorted(
        (detection for detection in detections if detection.visible > 0 and not detection.unexplained),
        key=_doubt_order,
    )
    clues = Clues()
    _add_detected(clues, visible, base, position)
    clues.zones = _zones_by_card(clues.confident, visible, base)
    clues.confident = {
        index: detection
        for index, detection in clues.confident.items()
        if _is_additional(FIRST_OF[index], clues.zones, base, position)
    }
    clues.removed = {
        index
        for index in indices_of_bits(position.field)
        if (matched := base.matched.get(index)) is None or matched.zone != FIELD
    }
    hidden = [card for card in detected_before if position.hidden >> card & 1 and card not in clues.detected]
    before = hidden[
        -_MAX_UNDETECTED:
    ]  # the newest ones: what was detected longer ago is not part of one or two turns
    inferred = [card for card in _possible_captors(clues, position) if card not in before]
    clues.undetected, clues.inferred = [*before, *inferred], set(inferred)
    return clues


def _add_detected(clues: Clues, visible: Sequence[DetectedCard], base: Fit, position: Position) -> None:
    """Add the hidden cards that detections may be, except those that the committed table explains."""
    explained = {
        detection.key
        for index, detection in base.matched.items()
        if detection.log_probability(FIRST_OF[index]) > _MIN_EXPLAINED
        and position.spots[index].zone == detection.zone
    }
    counts: Counter[int] = Counter()
    for detection in visible:
        if detection.key in explained:
            continue
        placed = detection.zone not in (STOCK, ELSEWHERE) and not _committed_on(detection, base)
        for first, logp in sorted(detection.names.items(), key=lambda name: -name[1])[:_MAX_NAMES]:
            members = [index for index in LOOKALIKES[first] if position.hidden >> index & 1]
            if logp < _MIN_PLAUSIBLE or not members:
                continue
            counts[first] += 1
            index = members[min(counts[first], len(members)) - 1]
            clues.detected[index] = max(logp, clues.detected.get(index, logp))
            if logp > _MIN_CONFIDENT and placed:
                clues.confident[index] = detection
    clues.detected = dict(sorted(clues.detected.items(), key=lambda card: -card[1])[:_MAX_DETECTED])


def _zones_by_card(cards: Iterable[int], visible: Sequence[DetectedCard], base: Fit) -> dict[int, list[int]]:
    """Return the field and pile zones in which cards are detected with confidence (of look-alikes the first)."""
    firsts = {FIRST_OF[index] for index in cards}
    zones: dict[int, list[int]] = {}
    for detection in visible:
        top = detection.top
        if top is None or top not in firsts or detection.zone < FIELD:
            continue
        if detection.log_probability(top) <= _MIN_CONFIDENT:
            continue
        committed = detection.committed_card
        misread = committed is not None and FIRST_OF[committed] != top and _committed_on(detection, base)
        if not misread:
            zones.setdefault(top, []).append(detection.zone)
    return zones


def _is_additional(first: int, zones: Mapping[int, list[int]], base: Fit, position: Position) -> bool:
    """Return whether more look-alikes are visible, or hidden in piles, than were on the table: one of them is new."""
    hidden = sum(_hidden_in_pile(twin, base, position) for twin in LOOKALIKES[first])
    on_table = sum(twin in position.spots for twin in LOOKALIKES[first])
    return len(zones.get(first, ())) + hidden > on_table


def _doubt_order(detection: DetectedCard) -> float:
    return 0.0 if detection.top is None else -detection.log_probability(detection.top) - 100.0


def _hidden_in_pile(index: int, base: Fit, position: Position) -> bool:
    """Return whether a card belongs to a pile and is not detected there: other cards hide it."""
    spot = position.spots.get(index)
    if spot is None or spot.zone <= FIELD:
        return False
    detection = base.matched.get(index)
    return detection is None or detection.zone != spot.zone or not detection.visible


def _committed_on(detection: DetectedCard, base: Fit) -> bool:
    """Return whether a detection is a committed card, whatever it is recognized as now."""
    return detection.committed_card is not None and base.matched.get(detection.committed_card) is detection


def _possible_captors(clues: Clues, position: Position) -> list[int]:
    """Return hidden cards that may have captured the missing ones; of look-alikes one."""
    by_first: dict[int, int] = {}
    # A card in a pile may have captured one that was laid down in the same turn and is covered.
    in_piles = [index for index, where in clues.confident.items() if where.zone > FIELD]
    without_partner = [index for index in in_piles if not flower_of(1 << index) & position.field]
    for index in (*sorted(clues.removed), *without_partner):
        for bit in single_bits(flower_of(1 << index) & position.hidden):
            card = bit.bit_length() - 1
            if card not in clues.detected:
                by_first.setdefault(FIRST_OF[card], card)
    return list(by_first.values())[:_MAX_UNDETECTED]


class _Step(NamedTuple):
    """A card played, the cards it captures, and the resulting field and piles."""

    move: Play | Draw
    bit: int
    takes: int
    layout: CardLayout
    prior: float


def _steps(
    layout: CardLayout, cards: Sequence[int], captures: Captures, player: int, *, from_hand: bool, hidden: int
) -> Iterator[_Step]:
    move_type = Play if from_hand else Draw
    for card in cards:
        bit = 1 << card
        hypotheses = captures.options(bit, layout.field, from_hand=from_hand)
        prior = -log(max(1, hidden)) - log(len(hypotheses))
        for takes in hypotheses:
            move = move_type(player, HANAFUDA[card].id, ids_of(takes))
            yield _Step(move, bit, takes, layout.played(bit, takes, player), prior)


def one_turn(position: Position, clues: Clues) -> Iterator[Explanation]:
    """Yield the turns that may have been started or made since, each at every stage in which an observation may show
    it.
    """
    start = CardLayout(position.field, (position.piles[0], position.piles[1]))
    player, draws_only = position.next_card()
    if not player or len(clues.confident) > 3:  # at most two cards per turn, and one false positive
        return
    for steps in _turn(start, position, clues, player, draws_only=draws_only, used=0):
        yield from _stages(position, steps, clues)


def two_turns(position: Position, clues: Clues) -> Iterator[Explanation]:
    """Yield turns that are followed by a started or complete turn of the other player."""
    start = CardLayout(position.field, (position.piles[0], position.piles[1]))
    player, draws_only = position.next_card()
    if not player or not 2 <= len(clues.confident) <= _MAX_IN_TWO_TURNS:
        return
    likely = [card for card, logp in clues.detected.items() if logp > _MIN_LIKELY]
    detected_earlier = [card for card in clues.undetected if card not in clues.inferred]
    if len({*clues.confident, *detected_earlier}) > _MAX_IN_TWO_TURNS:
        return
    clues = replace(
        clues, detected={card: clues.detected[card] for card in likely}, undetected=detected_earlier
    )
    for first in _turn(start, position, clues, player, draws_only=draws_only, used=0):
        if isinstance(first[-1].move, Play):
            continue
        used = sum(step.bit for step in first)
        for second in _turn(first[-1].layout, position, clues, 3 - player, draws_only=False, used=used):
            for explanation in _stages(position, (*first, *second), clues, in_progress=second):
                explanation.prior += _SECOND_TURN
                explanation.completed_cards, explanation.whole_turns = len(first), 2
                yield explanation


def _turn(
    start: CardLayout, position: Position, clues: Clues, player: int, *, draws_only: bool, used: int
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
        for draw in _steps(play.layout, others, captures, player, from_hand=False, hidden=hidden - 1):
            yield play, draw


def _stages(
    position: Position, steps: tuple[_Step, ...], clues: Clues, in_progress: tuple[_Step, ...] | None = None
) -> Iterator[Explanation]:
    """Yield the card positions with all captures in the pile, with some of them (of the steps ``in_progress``) still
    on the field, and with all of them in a hand.
    """
    prior = sum(step.prior for step in steps)
    moves = tuple(step.move for step in steps)
    capturing = [step for step in (in_progress or steps) if step.takes]
    in_piles = _changes(position, steps[-1].layout)
    if any(index in clues.inferred and spot.zone == FIELD for index, spot in in_piles.items()):
        return
    for count in range(len(capturing) + 1):
        for waiting in combinations(capturing, count):
            changes = in_piles | _on_field(waiting)
            if _agrees(position, changes, clues):
                yield Explanation(
                    position,
                    moves,
                    position.spots | changes,
                    _captures_of(waiting),
                    prior + count * _STILL_ON_FIELD,
                )
    changes = in_piles | _in_transit(capturing)
    if capturing and _agrees(position, changes, clues):
        yield Explanation(
            position,
            moves,
            position.spots | changes,
            _captures_of(capturing),
            prior + _IN_HAND,
            in_hand=True,
        )


def _on_field(capturing: Iterable[_Step]) -> dict[int, Spot]:
    """Return where the cards of captures are while they are still on the field: the captured ones may be covered."""
    spots: dict[int, Spot] = {}
    for step in capturing:
        spots |= dict.fromkeys(indices_of_bits(step.takes), Spot(FIELD, covered=True))
        spots[step.bit.bit_length() - 1] = Spot(FIELD)
    return spots


def _in_transit(capturing: Iterable[_Step]) -> dict[int, Spot]:
    """Return where the cards of captures are while a player has them in hand."""
    cards = (index for step in capturing for index in indices_of_bits(step.takes | step.bit))
    return dict.fromkeys(cards, Spot(IN_TRANSIT))


def _captures_of(capturing: Iterable[_Step]) -> tuple[tuple[int, int], ...]:
    return tuple((step.bit, step.takes) for step in capturing)


def _changes(position: Position, layout: CardLayout) -> dict[int, Spot]:
    """Return the new zones of the cards that are in another one than at the start."""
    changes: dict[int, Spot] = {}
    for zone, now, before in (
        (FIELD, layout.field, position.field),
        (1, layout.piles[0], position.piles[0]),
        (2, layout.piles[1], position.piles[1]),
    ):
        changes |= dict.fromkeys(indices_of_bits(now & ~before), Spot(zone))
    return changes


def _agrees(position: Position, changes: dict[int, Spot], clues: Clues) -> bool:
    """Return whether the cards that were detected with confidence are in the zones where they were detected; if there
    are three or more, one may be a false positive.
    """
    mismatches = 0
    for first, zones in clues.zones.items():
        spots = [changes.get(index) or position.spots.get(index) for index in LOOKALIKES[first]]
        free_zones = [spot.zone for spot in spots if spot]
        for zone in zones:
            if zone in free_zones:
                free_zones.remove(zone)
            elif IN_TRANSIT in free_zones:
                free_zones.remove(IN_TRANSIT)
            else:
                mismatches += 1
    return mismatches <= (len(clues.confident) >= 3)


def cards_of(moves: Sequence[FishingMove]) -> list[Play | Draw]:
    """Return the moves that play a card."""
    return [move for move in moves if isinstance(move, Play | Draw)]


def legal(start: AnyRound, moves: Sequence[FishingMove]) -> tuple[FishingMove, ...] | None:
    """Return legal moves, with the koi-koi calls that the moves imply inserted.

    None if the rules forbid them.
    """
    applied: list[FishingMove] = []
    round_so_far = start.copy()
    for move in moves:
        if isinstance(move, Call):
            round_so_far.push(move, unchecked=True)
            applied.append(move)
            continue
        pending = round_so_far.pending_decision()
        if pending is not None and pending.code == "decision-missing":
            call = next(
                (c for c in round_so_far.legal_moves() if isinstance(c, Call) and c.name == PLAY_ON), None
            )
            if call is None:
                return None
            round_so_far.push(call)
            applied.append(call)
        if round_so_far.check(move):
            return None
        round_so_far.push(move, unchecked=True)
        applied.append(move)
    return tuple(applied)
