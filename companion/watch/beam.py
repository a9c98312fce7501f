"""A beam of hypotheses about everything that has happened at a table since the deal.

Each observation extends each hypothesis by the moves that it suggests, and weighs the results. Nothing is final: a hypothesis that an
observation makes unlikely stays in the beam, and may win when later ones agree with it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import comb, exp, inf, log
from typing import Any, Final, NamedTuple

from companion.hanafuda.cards import first_of
from companion.hanafuda.table_model import TableClues, TableModel, TableStep
from companion.observations import Observation, Source
from companion.watch.evidence import SightMemory, TableSight, deck_of
from companion.watch.parameters import PARAMETERS, Parameters
from companion.watch.seats import Seats, by_sides

WIDTH: Final = 120
"""Number of hypotheses kept."""
_EXTENDED: Final = 20
"""Number of hypotheses extended by each further move."""
_OPTIMISM: Final = 0.7
"""Where the order of turns is known, hypotheses are extended that are likely if further moves explain this part of what they leave
unexplained. With all of it, hypotheses that explain nothing keep out those that do."""
MOST_STEPS: Final = 6
"""Largest number of moves between two observations: three turns of two cards."""
_HOPELESS: Final = 12.0
"""Hypotheses that are less likely than the best one by more than this (log) are dropped."""
_HOPEFUL: Final = 7.0
"""Hypotheses that are less likely than the best one by more than this (log) are not extended. Those that contradict what people have
entered become less likely by this."""
_IRREGULAR: Final = 5
"""Number of hypotheses of which it is also tried that the last turn was taken back, or that the rules were broken."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn in the history of a hypothesis."""

    before: PlayedTurn | None
    moves: tuple[Any, ...]
    key: Hashable
    depth: int
    """Its number, from 1."""
    state: Any
    """The state in which it began; None if it cannot be taken back."""


@dataclass(slots=True)
class Hypothesis:
    """What may have happened."""

    state: Any
    """The state of the table as its `TableModel` describes it; None between rounds."""
    log_p: float
    turn: PlayedTurn | None = None
    """The last turn."""
    moves: tuple[Any, ...] = ()
    """The moves of the turn under way."""
    dealt: Any = None
    """The state after the deal."""
    began: Any = None
    """The state in which the turn under way began; None if there is none."""
    number: int = 1
    """The number of the round: that of the log's round when it was dealt, plus one."""

    @property
    def turns(self) -> list[PlayedTurn]:
        """All turns, first one first."""
        turns, turn = list[PlayedTurn](), self.turn
        while turn is not None:
            turns.append(turn)
            turn = turn.before
        return turns[::-1]


class BelievedTurn(NamedTuple):
    """A turn of the likeliest history."""

    turn: PlayedTurn
    p: float
    """Probability that it was made, whatever else happened, if the deal is right."""
    given: float
    """Probability that it was the next turn if everything before it is right."""


@dataclass(frozen=True, slots=True)
class Belief:
    """The likeliest history."""

    best: Hypothesis
    dealt: float
    """Probability that the deal is right, whoever dealt."""
    turns: Sequence[BelievedTurn]


class _Candidate(NamedTuple):
    """A hypothesis that may be made."""

    log_p: float
    """Its log-probability without the observation."""
    before: Hypothesis
    step: TableStep | None = None
    """What follows; None for the hypothesis ``before`` itself."""

    @property
    def state(self) -> Any:
        """The state of the table afterwards."""
        return (self.step or self.before).state


class Beam:
    """The hypotheses about one table."""

    def __init__(self, model: TableModel[Any], parameters: Parameters = PARAMETERS) -> None:
        self.model = model
        self.parameters = parameters
        self.hypotheses = [Hypothesis(None, 0.0, number=0)]
        """Most likely first; the log-probability of the first is 0."""
        self._memories = defaultdict[Source, SightMemory](SightMemory)
        self._sights: dict[Source, TableSight] = {}
        """The last observation of each source."""
        self._deck = deck_of(tuple(model.deck))
        self.seats = Seats(model.seats, self._deck, parameters) if model.seats else None
        self._learned: PlayedTurn | None = None
        """The last turn from which something was learned about the players."""
        self._key_of_deal = lru_cache(self._find_key_of_deal)
        self.logged = 0
        """The number of the current round of the log."""
        self.ended = 0
        """The number of the last round that people have ended: whatever lies there means nothing until the next deal."""

    def see(
        self, observation: Observation, dealers: Mapping[int, float], beside: Observation | None = None
    ) -> None:
        """Take an observation into account. ``dealers``: the probability of each seat to deal the next round. ``beside``: what card readers
        report at the same time."""
        seats = self.seats
        readers = None if beside is None else self._sight_of(beside)
        table = self._sight_of(observation)
        if readers is not None and not readers.is_unchanged:
            table.join(readers)
        clues, unchanged = table.clues, table.is_unchanged
        if seats is not None:
            clues = clues._replace(acted=seats.acted, drawn=seats.drawn)
            unchanged &= not seats.changed
        else:
            clues = clues._replace(acted=by_sides(observation.hand_events, self.parameters))
        if unchanged and observation.source == "scanner" and not self.model.shows_history:
            return  # readers report what lies there, over and over
        log_turns = [self._log_turns(count, posed=clues.posed) for count in range(MOST_STEPS + 1)]
        log_mid_turn = log(self.parameters.mid_turn)
        pool: dict[Hashable, tuple[float, Hypothesis]] = {}
        steps: dict[Hashable, Sequence[TableStep]] = {}
        top = -inf
        if self.model.shows_history:
            self._replace_sight(table, observation.source)
        roots = (*self.hypotheses, *self._taken_back(), *self._deals(table, dealers))
        layer = [_Candidate(each.log_p, each) for each in roots]
        for count, log_turn in enumerate(log_turns):
            scores = [each.log_p + table.log_likelihood(each.state) for each in layer]
            for likelihood, key, each in islice(self._ranked(layer, scores), WIDTH if count else None):
                if likelihood + log_turn <= top - _HOPELESS:
                    break
                score = likelihood + log_turn + (log_mid_turn if each.moves else 0.0)
                top = max(top, score)
                if score > top - _HOPELESS and (key not in pool or score > pool[key][0]):
                    pool[key] = score, each
            if count == MOST_STEPS or (count == 0 and unchanged) or count > self._most_steps:
                break
            if seats is None:  # some captures take two moves, of which the first explains nothing
                scores = [
                    score + _OPTIMISM * table.unexplained(each.state)
                    for score, each in zip(scores, layer, strict=True)
                ]
            hopeful = [
                each
                for score, _, each in islice(self._ranked(layer, scores), _EXTENDED)
                if score > top - _HOPEFUL
            ]
            least = top - _HOPELESS - max(log_turns[count + 1 :])
            layer = list(self._extended(hopeful, table, clues, least, steps))
        best = sorted(pool.values(), key=lambda entry: -entry[0])[:WIDTH]
        self.hypotheses = [
            replace(each, log_p=score - top) for score, each in best if score > top - _HOPELESS
        ]
        self._learn(self.hypotheses[0])

    def _sight_of(self, observation: Observation) -> TableSight:
        """Return what an observation says about the table."""
        memory, last = self._memories[observation.source], None
        if self.seats is not None:
            self.seats.see(observation, self.model.zones[0])
            last = self.seats.last
        parameters = self.parameters
        if observation.source == "scanner":
            wrong = parameters.wrong_tag
            parameters = replace(parameters, misread=wrong, clutter=wrong)
        return TableSight(observation, self.model, parameters, memory, last)

    def _ranked(
        self, layer: Sequence[_Candidate], scores: Sequence[float]
    ) -> Iterator[tuple[float, Hashable, Hypothesis]]:
        """Yield the hypotheses of some candidates, highest score first, only the first one of each state and each last two turns; and
        what identifies those."""
        found = set[Hashable]()
        for place in sorted(range(len(layer)), key=scores.__getitem__, reverse=True):
            log_p, before, step = layer[place]
            each = before if step is None else self._after(before, step, log_p)
            turn = each.turn
            key = each.state, turn and turn.key, turn and turn.before and turn.before.key
            if key not in found:
                found.add(key)
                yield scores[place], key, each

    def _replace_sight(self, table: TableSight, source: Source) -> None:
        """Take out of the hypotheses what the observation before said and this one says again: the probabilities of a track are those of
        all its frames, and count once however many observations show it."""
        if (before := self._sights.get(source)) is not None:
            again = before.seen_again(table)
            for each in self.hypotheses:
                each.log_p -= before.log_likelihood_in(again, each.state)
        self._sights[source] = table

    def bind(self, logged: Hypothesis, dealers: Iterable[int]) -> None:
        """Take into account what people have entered: the round of the log. ``dealers``: the players who may have dealt, none if the
        log says who."""
        any_dealer = bool(dealers)
        kept = [each for each in self.hypotheses if self._extends(each, logged, any_dealer)]
        if not kept:
            kept = [logged]
            for memory in self._memories.values():
                memory.tracks.clear()  # what lies there must be explained again
            if any_dealer and logged.turn is None and not logged.moves:
                kept = [
                    Hypothesis(state, 0.0, dealt=state, number=logged.number)
                    for state in (self.model.dealt_by(logged.dealt, each) for each in dealers)
                ]
        rest = [each for each in self.hypotheses if each not in kept]
        top = kept[0].log_p
        for each in kept:
            each.log_p -= top
        for each in rest:
            each.log_p = min(each.log_p, 0.0) - _HOPEFUL
        self.hypotheses = [*kept, *rest]

    def is_dealt(self, each: Hypothesis, dealt: Any, number: int) -> bool:
        """Return whether a hypothesis has the round with a number and a deal, whoever dealt. Cards tell deals apart, whatever their
        numbers; deals that show none are all alike."""
        return self.same_deal(each.dealt, dealt) and bool(self.model.dealt or each.number == number)

    def same_deal(self, one: Any, other: Any) -> bool:
        """Return whether two states after a deal have the same cards."""
        return self._key_of_deal(one) == self._key_of_deal(other)

    def next_turns(
        self, logged: Sequence[Sequence[Any]], number: int
    ) -> list[tuple[Hypothesis, PlayedTurn, float]]:
        """Return the turns that may have followed those of the log in the round with a number, each with its likeliest hypothesis and its
        probability if the log is right, likeliest first."""
        keys = [self.model.key(moves) for moves in logged]

        def turns(each: Hypothesis) -> Sequence[PlayedTurn]:
            return each.turns if self.model.dealt or each.number == number else ()

        def next_key(each: Hypothesis) -> Hashable | None:
            return next((turn.key for turn in turns(each)[len(keys) :]), None)

        fitting = [
            each for each in self.hypotheses if [turn.key for turn in turns(each)[: len(keys)]] == keys
        ]
        return [(each, each.turns[len(keys)], p) for each, p in _groups(fitting, next_key)]

    def histories(self, logged: Sequence[Sequence[Any]], number: int) -> list[tuple[Hypothesis, float]]:
        """Return the histories that may have followed the turns of the log in the round with a number, each with its probability,
        likeliest first."""
        keys = [self.model.key(moves) for moves in logged]

        def history(each: Hypothesis) -> Hashable | None:
            own = [turn.key for turn in each.turns]
            follows = len(own) > len(keys) and own[: len(keys)] == keys
            return (each.dealt, *own) if follows and each.number == number and not each.moves else None

        return _groups(self.hypotheses, history)

    def probability_of(self, keys: Sequence[Hashable]) -> float:
        """Return the probability that the first turns of the round are those with these keys."""
        groups = _groups(
            self.hypotheses, lambda each: [turn.key for turn in each.turns[: len(keys)]] == keys or None
        )
        return sum(p for _, p in groups)

    def deals(self) -> list[tuple[Hypothesis, float]]:
        """Return the likeliest hypothesis of each deal with all its cards, and the probability of the deal, likeliest first."""

        def deal(each: Hypothesis) -> Hashable | None:
            is_known = each.dealt is not None and not self.model.unread(each.dealt)
            return self._key_of_deal(each.dealt) if is_known else None

        return _groups(self.hypotheses, deal)

    def _extends(self, each: Hypothesis, logged: Hypothesis, any_dealer: bool) -> bool:
        if each.state is None or not self.is_dealt(each, logged.dealt, logged.number):
            return False
        if not any_dealer and each.dealt != logged.dealt:
            return False
        own, turns, begun = each.turns, logged.turns, logged.moves
        if len(own) < len(turns) or any(one.key != other.key for one, other in zip(own, turns, strict=False)):
            return False
        moves = (own[len(turns)].moves if len(own) > len(turns) else each.moves)[: len(begun)]
        return len(moves) == len(begun) and (not begun or self.model.key(moves) == self.model.key(begun))

    def belief(self) -> Belief:
        """Return the likeliest history with its probabilities."""
        best = self.hypotheses[0]
        turns, keys = best.turns, [*_numbered(best)]
        same, made = [0.0] * len(turns), defaultdict[Hashable, float](float)
        dealt = total = 0.0
        for each in self.hypotheses:
            weight = exp(each.log_p)
            total += weight
            if each.dealt is None or best.dealt is None:
                dealt += weight * (each.dealt is best.dealt)
                continue
            if each.number != best.number:
                continue
            dealt += weight * self.same_deal(each.dealt, best.dealt)
            if each.dealt != best.dealt:
                continue
            others = [*_numbered(each)]
            for turn in others:
                made[turn] += weight
            for number, (own, other) in enumerate(zip(keys, others, strict=False)):
                if own != other:
                    break
                same[number] += weight
        return Belief(
            best,
            dealt / total,
            [
                BelievedTurn(turn, made[key] / dealt, weight / before)
                for turn, key, weight, before in zip(turns, keys, same, [dealt, *same], strict=False)
            ],
        )

    def _find_key_of_deal(self, state: Any) -> Hashable:
        """Return what identifies a deal, whoever dealt and whichever of two look-alikes it has."""
        deal = self.model.deal(state)
        return (
            self.model.unread(state),
            *(
                tuple(sorted(map(first_of, each))) if isinstance(each, list) else each
                for each in deal.values()
            ),
        )

    @property
    def _most_steps(self) -> int:
        """The greatest number of steps that are tried before the last one."""
        return self.seats.came if self.seats is not None else MOST_STEPS

    def _log_turns(self, steps: int, *, posed: bool) -> float:
        """Return the log-probability of a number of steps between two observations. ``posed``: as in `TableClues`."""
        if self.seats is not None:
            more = steps - self.seats.came
            unseen = self.parameters.unseen_posted if posed else self.parameters.unseen
            return more * log(unseen) if more > 0 else -more * log(self.parameters.relocated)
        return max(0, steps // self.model.turn_steps - 1) * log(self.parameters.another)

    def _learn(self, best: Hypothesis) -> None:
        """Learn from the likeliest last turn but one: by now it is hardly wrong."""
        last = best.turn
        if self.seats is None or last is None or last.before is None or last.before is self._learned:
            return
        self._learned = turn = last.before
        if turn.state is None or last.state is None:
            return
        before, cards = (self.model.placement(each.state).zones[0] for each in (turn, last))
        self.seats.learn(turn.moves[-1].player, cards & ~before)

    def _extended(
        self,
        hopeful: Sequence[Hypothesis],
        table: TableSight,
        clues: TableClues,
        least: float,
        steps: dict[Hashable, Sequence[TableStep]],
    ) -> Iterator[_Candidate]:
        """Yield the hypotheses with one more move that may become more likely than ``least`` (log). ``steps``: by state, those found so
        far."""
        for rank, each in enumerate(hopeful):
            if each.state is None or each.number <= self.ended:
                continue
            room = least - table.log_likelihood(each.state) - table.unexplained(each.state)
            if each.log_p < room:
                continue
            key = each.state, rank < _IRREGULAR
            if key not in steps:
                wanted = clues._replace(illegal=key[1], least=room - each.log_p)
                steps[key] = list(self.model.steps(each.state, wanted))
            for step in steps[key]:
                if (log_p := each.log_p + step.log_prior) > room:
                    yield _Candidate(log_p, each, step)

    def _after(self, each: Hypothesis, step: TableStep, log_p: float) -> Hypothesis:
        if step.history is not None:
            last = None
            *ended, moves = (*step.history, ()) if step.ends_turn else step.history
            for of_turn in ended:
                last = self._ended(last, of_turn, None)
            return Hypothesis(step.state, log_p, last, moves, each.dealt, number=each.number)
        if not step.moves:
            dealt = self.model.dealt_by(each.dealt, 0, step.read)
            return replace(each, state=step.state, log_p=log_p, dealt=dealt)
        moves, began = (*each.moves, *step.moves), each.began if each.moves else each.state
        if not step.ends_turn:
            return Hypothesis(step.state, log_p, each.turn, moves, each.dealt, began, each.number)
        last = self._ended(each.turn, moves, began)
        return Hypothesis(step.state, log_p, last, (), each.dealt, number=each.number)

    def _ended(self, before: PlayedTurn | None, moves: tuple[Any, ...], began: Any) -> PlayedTurn:
        return PlayedTurn(before, moves, self.model.key(moves), before.depth + 1 if before else 1, began)

    def _taken_back(self) -> Iterator[Hypothesis]:
        """Yield the likeliest hypotheses without their last turn, or its beginning: players may take a turn back."""
        cost = log(self.parameters.rare)
        for each in self.hypotheses[:_IRREGULAR]:
            if each.moves and each.began is not None:
                yield replace(each, state=each.began, log_p=each.log_p + cost, moves=(), began=None)
            elif each.turn is not None and each.turn.state is not None:
                last, log_p = each.turn.before, each.log_p + cost
                yield Hypothesis(each.turn.state, log_p, last, (), each.dealt, number=each.number)

    def _deals(self, table: TableSight, dealers: Mapping[int, float]) -> Iterable[Hypothesis]:
        """Yield the hypotheses that a round ended, and that the next one has been dealt."""
        if table.is_unchanged and not table.is_first:
            return
        if self.model.shows_history and table.lies_again:
            return  # before a deal the hands are gathered
        last = max(self.hypotheses, key=lambda each: each.log_p + self._log_ends(each))
        source = last.log_p + self._log_ends(last)
        if self.hypotheses[0].state is not None or all(each.state is not None for each in self.hypotheses):
            yield Hypothesis(None, source, last.turn, (), last.dealt, number=last.number)
        count = self.model.dealt
        prior = source + log(self.parameters.following) - log(comb(len(self.model.deck), count))
        log_unread = log(self.parameters.rare)
        is_logged = max(last.number, self.ended) < self.logged  # the log has this deal already
        for cards, unread in table.readings(count):
            for dealer, probability in dealers.items():
                states = self.model.deals(cards, dealer, unread)
                log_p = prior + log(probability / len(states)) + unread * log_unread
                for state in states:
                    yield Hypothesis(state, log_p, dealt=state, number=self.logged + (not is_logged))

    def _log_ends(self, each: Hypothesis) -> float:
        """Return the log-probability that the round of a hypothesis is not under way any more."""
        if each.state is None:
            return 0.0
        is_over = each.number <= self.ended or self.model.is_over(each.state)
        return log(self.parameters.following if is_over else self.parameters.given_up)


def _numbered(each: Hypothesis) -> Iterator[Hashable]:
    """Yield what identifies the turns of a hypothesis, and how many alike there were before."""
    before = Counter[Hashable]()
    for turn in each.turns:
        yield turn.key, before[turn.key]
        before[turn.key] += 1


def _groups(
    among: Iterable[Hypothesis], name: Callable[[Hypothesis], Hashable | None]
) -> list[tuple[Hypothesis, float]]:
    """Return for each name the likeliest hypothesis that has it, and the probability of the name among some hypotheses, likeliest first."""
    found: dict[Hashable, tuple[Hypothesis, float]] = {}
    total = 0.0
    for each in among:
        weight = exp(each.log_p)
        total += weight
        if (key := name(each)) is not None:
            first, sum_of_name = found.get(key, (each, 0.0))
            found[key] = first, sum_of_name + weight
    return sorted(((each, weight / total) for each, weight in found.values()), key=lambda entry: -entry[1])
