"""Which explanation holds: all ways to come to the table seen, weighed against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import dist, exp, log

from companion.hanafuda.families.fishing import FishingMove
from companion.hanafuda.families.fishing.captures import single_bits
from companion.referee.card_likelihoods import FIELD, FIRST_OF, DetectedCard, fit
from companion.referee.card_order import order_score
from companion.referee.expected_cards import Position, indices
from companion.referee.observation_history import Memory
from companion.referee.turn_hypotheses import Explanation, cards_of, legal

__all__ = ["POOR", "POOR_OF_TWO", "Verdict", "Weighed", "loss", "lying_apart", "weigh"]

_WEIGHED = 60
"""So many of the likeliest are looked at closely."""
_HOPELESS = 14.0
"""What is so much less likely than another (log) is not looked at."""

_APART = -2.0
"""That a card which captures is laid down apart from what it takes."""
_BESIDE_MM = 38.0
_UNSAID = -10.0
"""That a card which lay open in an earlier look was not played."""
_OTHER_HAND = -5.0
"""That a card came while only the other player's hand was over the table: sides were told rightly at 11 of 11 turns of a
recorded round, but both may reach in."""
_UPON = -3.0
"""That a card which captures nothing is laid upon another one."""
_UPON_MM = 22.0
_UPON_ANOTHER = -2.0
"""That a card took others than those upon which it was laid; it may touch a neighbour."""

_UNSEEN = -2.5
"""That a card which captured lies on the field still and is not seen: nothing lies on it yet."""
_MOVED_UNMET = -5.0
"""That a card which no look has shown yet was moved from its pile before one did: then it was another card that lay there."""
_HINTED = 25.0
"""How many times likelier than not a card came down which eyes were sure to have seen in motion, though once only or badly."""
_INTO_PILE = -2.5
"""That a card of the field came to lie in a pile and was not captured."""

POOR = -7.5
"""A look that fits worse than this is not explained: worse than two cards of the field missed."""
POOR_OF_TWO = -3.5
"""The same for two turns without a look between them, which can be made to fit much that is wrong."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """One thing that may have happened: an explanation, with all those that tell the same apart from the order of its cards."""

    best: Explanation
    moves: tuple[FishingMove, ...]
    """The moves to tell, with the calls that must have been made; empty while it is too early to tell any."""
    probability: float
    """The probability among all that may have happened."""
    order_confidence: float
    """The probability that the cards from hand and stock are told apart rightly."""
    visual_order_confidence: float
    """The same by what was seen alone: nobody wants the log of a game to be guessed from what players are wont to do."""
    order_matters: bool
    """Whether another order of the cards leaves another game: other points, or another decision."""
    prior: float
    """The log-probability of its best explanation by all but the look: what a later look starts from."""
    other_order: tuple[FishingMove, ...] = ()
    """The same with the cards in the likeliest other order, nothing where there is none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """All that may have happened, the likeliest first."""

    hypotheses: tuple[Weighed, ...]
    common: Weighed | None = None
    """What comes before the last turn, where all that may have happened begins with something that was not told yet: the
    likeliest."""

    @property
    def best(self) -> Weighed | None:
        """The likeliest."""
        return self.hypotheses[0] if self.hypotheses else None


def loss(each: Explanation) -> float:
    """Return what speaks against a fit, besides cards of piles that are not seen, for piles hide cards, and besides doubts
    about cards that were agreed on, or seen well before they were captured, which speak against every explanation alike."""
    fitted = each.fitted
    assert fitted is not None
    return fitted.score - fitted.hidden_in_piles - fitted.read_otherwise - each.read_before


def weigh(explanations: Iterable[Explanation], detections: Sequence[DetectedCard], memory: Memory) -> Verdict:
    """Fit explanations to a look, drop those that the rules forbid, and rank what is left."""
    found = []
    shown = {found.key for found in detections if found.visible > 0}
    # What the look shows still, it says itself, as what it may be.
    came = Counter(FIRST_OF[card] for card, seen in memory.appeared.items() if seen.key not in shown)
    for each in explanations:
        if each.fitted is None:  # else it was weighed at this look already, among fewer
            each.fitted = fit(detections, each.placed)
            each.places = _APART * len(lying_apart(each, memory)) + _UPON * _laid_upon(each, memory)
            # Of look-alikes one may have come that lies beside or upon the other: they are counted.
            new = Counter(FIRST_OF[card] for card in each.placed if card not in each.position.spots)
            each.places += _UNSAID * (came - new).total()
            each.places += sum(log(1 + _HINTED * memory.weak_detections.get(card, 0.0) ** 2) for card in new)
            each.places += _UPON_ANOTHER * _laid_upon_another(each, memory)
            each.read_before = _read_before(each, memory)
            each.places += _UNSEEN * _waiting_unseen(each)
            each.places += _MOVED_UNMET * _moved_unmet(each, memory)
            each.places += _INTO_PILE * _came_into_piles(each, memory)
            each.places += _OTHER_HAND * _by_another_hand(each, memory)
        found.append(each)
    found.sort(key=lambda each: -each.score)
    groups: dict[object, list[tuple[Explanation, tuple[FishingMove, ...]]]] = {}
    started: dict[object, list[tuple[Explanation, tuple[FishingMove, ...]]]] = {}
    least = float("-inf")
    for each in found[:_WEIGHED]:
        if each.score < least:
            break
        assert each.fitted is not None
        if (moves := legal(each.position.round, each.moves)) is None:
            continue
        least = max(least, each.score - _HOPELESS)
        order = order_score(cards_of(each.moves)[each.ordered :], each.position, memory, each.fitted)
        each.order, each.habit = order.score, order.score - order.visual
        reported = moves if _complete(each, moves) else _first(moves, each.settled)
        groups.setdefault(_outcome_of(each, reported), []).append((each, reported))
        if each.settled or each.events:
            before = _first(moves, each.settled)
            started.setdefault(_outcome_of(each, before), []).append((each, before))
    hypotheses = tuple(_ranked(groups))
    common = next(iter(_ranked(started)), None)
    if common is not None:
        begins = sum(
            hypothesis.probability
            for hypothesis in hypotheses
            if hypothesis.best.settled or hypothesis.best.events
        )
        common = replace(common, probability=common.probability * begins)
    return Verdict(hypotheses, common)


def lying_apart(each: Explanation, memory: Memory) -> list[int]:
    """Return the cards that are said to have captured and do not lie by what they took."""
    assert each.fitted is not None
    apart = []
    for bit, takes in () if each.in_hand else each.waits:
        card = bit.bit_length() - 1
        found = each.fitted.matched.get(card)
        taken = [other.bit_length() - 1 for other in single_bits(takes)]
        places = [
            other.at if (other := each.fitted.matched.get(index)) else memory.places.get(index)
            for index in taken
        ]
        if found and all(at is not None and dist(found.at, at) > _BESIDE_MM for at in places):
            apart.append(card)
    return apart


def _laid_upon_another(each: Explanation, memory: Memory) -> int:
    """Return how many cards that are said to capture were seen upon other cards of the field, and on none of those they took."""
    assert each.fitted is not None
    count = 0
    for move in cards_of(each.moves):
        (card,) = indices([move.card])
        below = memory.lay_upon(each.fitted.matched.get(card))
        count += bool(move.takes) and bool(below) and below.isdisjoint(indices(move.takes))
    return count


def _read_before(each: Explanation, memory: Memory) -> float:
    """Return the part of the score that is cards of the piles which an earlier look showed well, and this one as others."""
    assert each.fitted is not None
    return sum(
        found.floor * found.weight
        for index, found in each.fitted.matched.items()
        if found.zone > FIELD
        and found.known != index
        and found.says(FIRST_OF[index]) <= found.floor
        and (index in memory.appeared or index in memory.met)
    )


def _waiting_unseen(each: Explanation) -> int:
    """Return how many cards that are said to have captured and to lie on the field yet are not seen."""
    assert each.fitted is not None
    waits = () if each.in_hand else each.waits
    return sum(bit.bit_length() - 1 in each.fitted.missed for bit, _ in waits)


def _moved_unmet(each: Explanation, memory: Memory) -> int:
    """Return how many cards that no look had shown in their piles are seen elsewhere."""
    assert each.fitted is not None
    return sum(
        found.zone >= FIELD and found.visible > 0 and found.zone != spot.zone and spot.zone > FIELD
        for index, found in each.fitted.matched.items()
        if (spot := each.position.spots.get(index))
        and index not in memory.met
        and index not in memory.appeared
    )


def _came_into_piles(each: Explanation, memory: Memory) -> int:
    """Return how many cards that are said to lie on the field still came to lie in a pile since the table was agreed on."""
    assert each.fitted is not None
    return sum(
        found.zone > FIELD and found.visible > 0 and found.since > memory.time
        for index, found in each.fitted.matched.items()
        if each.placed[index].zone == FIELD and not each.placed[index].covered
    )


def _by_another_hand(each: Explanation, memory: Memory) -> int:
    """Return how many cards are said to be of a player whose hand was not seen when they came, but the other's was."""
    assert each.fitted is not None
    count = 0
    for move in cards_of(each.moves):
        (card,) = indices([move.card])
        came = memory.came(card, each.fitted.matched.get(card))
        count += came is not None and bool(came.hands) and move.player not in came.hands
    return count


def _laid_upon(each: Explanation, memory: Memory) -> int:
    """Return how many cards that are said to capture nothing lie where another card of the field lies, or lay.

    What was captured in a turn before made room, where a look showed that turn: a card laid there lies on nothing.
    """
    assert each.fitted is not None
    lying = {index: found.at for index, found in each.fitted.matched.items() if found.zone == FIELD}
    others = {index for index, spot in each.position.spots.items() if spot.zone == FIELD}
    count = 0
    taken: list[tuple[int, int]] = []
    for move in cards_of(each.moves):
        (card,) = indices([move.card])
        own = lying.get(card)
        if not move.takes and own is not None:
            removed = {index for player, index in taken if player != move.player and each.whole_turns == 1}
            places = (lying.get(index) or memory.places.get(index) for index in others - removed)
            count += any(at is not None and dist(own, at) < _UPON_MM for at in places)
        taken += ((move.player, index) for index in indices(move.takes))
    return count


def _first(moves: tuple[FishingMove, ...], cards: int) -> tuple[FishingMove, ...]:
    """Return the moves up to a number of cards, with the calls between them."""
    count = 0
    for place, move in enumerate(moves):
        if count == cards:
            return moves[:place]
        count += hasattr(move, "card")
    return moves if count == cards else ()


def _complete(each: Explanation, moves: tuple[FishingMove, ...]) -> bool:
    """Return whether the last turn has nothing left to do but, maybe, to decide."""
    if each.waits:
        return False
    played = each.position.round.copy()
    for move in moves:
        played.push(move, as_told=True)
    pending = played.owes()
    return pending is None or pending.code != "draw-missing"


def _outcome_of(each: Explanation, reported: tuple[FishingMove, ...]) -> object:
    """Return what explanations that tell the same have in common: how the cards lie by the rules, whoever had them."""
    first = tuple((event.kind, str(event.data)) for event in each.events)
    if not reported:
        return first
    played = each.position.round.copy()
    for move in reported:
        played.push(move, as_told=True)
    # Look-alikes are the same card to everybody: which of two lies where changes nothing.
    lying = tuple(
        tuple(sorted(FIRST_OF[index] for index in indices(cards)))
        for cards in (played.field, played.captured(1), played.captured(2))
    )
    return first, lying, len(reported)


def _ranked(
    groups: dict[object, list[tuple[Explanation, tuple[FishingMove, ...]]]],
) -> list[Weighed]:
    best_score = max((each.score for group in groups.values() for each, _ in group), default=0.0)
    masses = {key: sum(exp(each.score - best_score) for each, _ in group) for key, group in groups.items()}
    total = sum(masses.values())
    hypotheses = []
    for key, group in sorted(groups.items(), key=lambda item: -masses[item[0]]):
        best, moves = max(group, key=lambda each: each[0].score)
        alike = [(each, _alike(reported) == _alike(moves)) for each, reported in group]
        same = sum(exp(each.score - best_score) for each, is_same in alike if is_same)
        visual = [(exp(each.score - each.habit - best_score), is_same) for each, is_same in alike]
        others = [each for each in group if _alike(each[1]) != _alike(moves)]
        likely = [
            each
            for each in group
            if each[0].score > best.score - log(20)
            and each[0].position.round.dealer == best.position.round.dealer
        ]
        hypotheses.append(
            Weighed(
                best,
                moves,
                masses[key] / total,
                same / masses[key],
                sum(p for p, is_same in visual if is_same) / sum(p for p, _ in visual),
                len({_stand(e.position, m) for e, m in likely}) > 1,
                best.prior + best.order,
                max(others, key=lambda each: each[0].score)[1] if others else (),
            )
        )
    return hypotheses


def _alike(moves: tuple[FishingMove, ...]) -> object:
    """Return moves with look-alikes under one name."""
    return [
        (move.player, type(move), *(FIRST_OF[index] for index in indices((move.card, *move.takes))))
        for move in cards_of(moves)
    ]


def _stand(position: Position, moves: tuple[FishingMove, ...]) -> object:
    """Return how the game stands after moves, apart from which card was in which hand."""
    played = position.round.copy()
    for move in moves:
        played.push(move, as_told=True)
    pending = played.owes()
    return (
        played.to_move,
        pending.code if pending else None,
        played.yaku(1),
        played.yaku(2),
        played.outcome() is None,
    )
