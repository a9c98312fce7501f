"""Hypotheses about a Kakkuri discard pile: the legal discards and passes that explain the new cards, with their
weights.

A pass is not visible. A pass without a discard implies that the player had nothing to discard, which is the less
likely the more cards the player has: with ``hidden`` cards out of those the hand may contain, some of which fit, the
probability that none does is hypergeometric. Each new card is therefore weighed for every player who may have
discarded it, together with the hands that reached for the pile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import comb, dist, exp, log

from companion.hanafuda.cards import first_of, twin_of
from companion.hanafuda.games.kakkuri import Discard, KakkuriMove, KakkuriRound, OpenBox, Pass, ThreePairs
from companion.hanafuda.games.kakkuri.cards import PACKS, follows
from companion.hanafuda.games.kakkuri.state import playable
from companion.observations import HandEvent
from companion.referee.discard_pile import NewCard
from companion.referee.seat_inference import ArmDirections, CardDirections
from companion.table.events import NewEvent

_BEAM_WIDTH = 16
_MAX_NAMES = 3
"""Number of names tried per card."""
_MIN_NAME = 0.003
"""Minimum probability of a name that is tried."""
_MIN_UNNAMED = 0.3
"""If more probability than this is left for unnamed cards, all other legal cards are tried too."""
_STOP_PROBABILITY = 0.1
"""Probability that a player who could discard again stops."""
_TOGETHER = log(0.7)
_APART = log(0.01)
"""Log-probability that cards which arrived together, or one by one, are a pair or triplet."""
_MAX_TOGETHER_S = 0.8
_AT_BOX_MM = 65.0
_ARM_AT_OPENED_BOX, _ARM_AT_BOX_BY_CHANCE = 0.5, 0.1
"""Probability that an arm is detected at the box when a card is turned up from it, and when none is (drawn rounds at
2 frames/s: 2 of 12 and 7 of 109; a camera detects more)."""
_BOX_TOUCHED, _BOX_TOUCHED_BY_CHANCE = 0.75, 0.05
"""Probability that the image of the box changes when a card is turned up from it, and when none is (10 of 12, 0 of
109)."""
_MAX_ARM_DELAY_S = 0.5
"""Maximum delay between a card and the detection of its arm, s."""
_UNREPORTED_DECLARATION = log(0.05)
"""Log-probability that a player has three pairs and the declaration was not reported."""
_FALSE_POSITIVE = log(0.00005)
"""Log-probability of a false positive on top of the pile."""
_MISSED, _MISSED_WITHOUT_ARMS = log(0.002), log(0.02)
"""Log-probability that a card was laid against the rules or that an earlier card was missed; the second value applies
when no arms are detected, which would otherwise reveal the missed card."""
_MAY_FOLLOW, _MAY_NOT_FOLLOW = 0.15, 0.01
"""Probability of a particular next card when only the card before it is known: one that may follow it by the rules,
and one that may not."""
_PASS_S, _CARD_S = 0.6, 0.8
_HASTE_COST = 1.5
"""Log-probability lost per second that the players had too little time for their passes."""
_THINKING_S, _SLOW_PASS_S = 4.0, 1.5
_LEISURE_COST, _MAX_LEISURE_COST = 0.25, 2.0
"""The same per second of too much time, and its maximum: people sometimes think."""
_POSSIBLE_CARDS = 24
"""Approximate number of cards that an unnamed card may be; legal cards are weighed by the number of alternatives."""
_FALSE_POSITIVE_BELOW = log(0.1)
"""Log-probability of a false positive at the edge of the pile, under its top card."""
_REAPPEARED = 0.004
"""Probability that a card of the pile appears on top again under another track key."""


@dataclass(slots=True)
class DiscardHypothesis:
    """Moves that explain the new cards on the pile."""

    round: KakkuriRound
    """The round after them."""
    weight: float
    """Log-probability, up to a constant."""
    events: tuple[NewEvent, ...] = ()
    """Events that precede the moves: a deal, the dealer."""
    moves: tuple[KakkuriMove, ...] = ()
    cards: dict[int, str] = field(default_factory=dict)
    """Card ids of the new cards, by track key."""
    ends: tuple[tuple[int, int], ...] = ()
    """For each new card, the number of new cards and of moves up to the end of the discard that it belongs to."""
    rest_unexplained: bool = False
    """Whether a card was missed or laid against the rules; later cards cannot be explained then."""
    time: float | None = None
    """Arrival of the last card, s."""

    def until(self, new_cards: int) -> DiscardHypothesis:
        """Return the part of the hypothesis that explains the first ``new_cards`` new cards."""
        count, moves = self.ends[new_cards - 1]
        return DiscardHypothesis(
            self.round, self.weight, self.events, self.moves[:moves], self.cards, self.ends[:count]
        )

    @property
    def identity(self) -> tuple[object, ...]:
        """Key that is equal for equal hypotheses."""
        return (*((event.kind, str(event.data)) for event in self.events), *self.moves, len(self.ends))


def first_of_all(
    hypotheses: Sequence[tuple[DiscardHypothesis, float]], new_cards: int
) -> list[tuple[DiscardHypothesis, float]]:
    """Return what hypotheses say about the first ``new_cards`` new cards, most likely first, with summed
    probabilities.
    """
    probabilities: dict[tuple[object, ...], float] = {}
    parts: dict[tuple[object, ...], DiscardHypothesis] = {}
    for hypothesis, probability in hypotheses:
        part = hypothesis.until(new_cards)
        probabilities[part.identity] = probabilities.get(part.identity, 0.0) + probability
        parts.setdefault(part.identity, part)
    return sorted(
        ((parts[identity], probability) for identity, probability in probabilities.items()),
        key=lambda entry: -entry[1],
    )


@dataclass(slots=True)
class TableEvidence:
    """Evidence from the table other than the cards: arms, card directions, and the box."""

    arm_directions: ArmDirections = field(default_factory=ArmDirections)
    card_directions: CardDirections = field(default_factory=CardDirections)
    box: tuple[float, float] | None = None
    """Position of the box, mm."""
    arms: bool = True
    """Whether arms were ever detected."""

    def player_weight(
        self, player: int, hand_events: Sequence[HandEvent], cards: Sequence[NewCard], players: int
    ) -> float:
        """Return the log-probability that these arms are a player's and that the cards point in the player's usual
        direction.
        """
        card_weight = self.card_directions.weight(player, [each.towards for each in cards], players)
        return self.arm_directions.weight(player, hand_events, players) + card_weight

    def mean_player_weight(self, hand_events: Sequence[HandEvent], card: NewCard, players: int) -> float:
        """Return the same, averaged over all players."""
        weights = (
            exp(self.player_weight(seat, hand_events, [card], players)) for seat in range(1, players + 1)
        )
        return log(sum(weights) / players)

    def pace(self, seconds: float, passes: int) -> float:
        """Return the log-probability of a number of passes in a given time (s); 0 if no arms are ever detected,
        because single photos have no timing.
        """
        if not self.arms:
            return 0.0
        haste = _HASTE_COST * max(0.0, passes * _PASS_S + _CARD_S - seconds) if passes else 0.0
        leisure = _LEISURE_COST * max(0.0, seconds - _THINKING_S - passes * _SLOW_PASS_S)
        return -haste - min(leisure, _MAX_LEISURE_COST)

    def at_box(self, hand_events: Sequence[HandEvent], opened: bool, touched: bool | None) -> float:
        """Return the log-probability of the arms at the box and of a change of its image, given whether the box was
        opened.
        """
        weight = 0.0
        if self.box is not None and hand_events:
            arm_at_box = any(dist(hand_event.at, self.box) < _AT_BOX_MM for hand_event in hand_events)
            probability = _ARM_AT_OPENED_BOX if opened else _ARM_AT_BOX_BY_CHANCE
            weight += log(probability if arm_at_box else 1 - probability)
        if touched is not None:
            probability = _BOX_TOUCHED if opened else _BOX_TOUCHED_BY_CHANCE
            weight += log(probability if touched else 1 - probability)
        return weight


def explain(
    starts: Sequence[DiscardHypothesis],
    new_cards: Sequence[NewCard],
    hand_events: Sequence[HandEvent],
    evidence: TableEvidence,
) -> list[tuple[DiscardHypothesis, float]]:
    """Return the hypotheses that explain all new cards, most likely first, with their probabilities (0–1)."""
    beams: list[list[DiscardHypothesis]] = [list(starts), *([] for _ in new_cards)]
    for number, beam in enumerate(beams[:-1]):
        beam.sort(key=lambda hypothesis: -hypothesis.weight)
        for hypothesis in beam[:_BEAM_WIDTH]:
            by_anyone = evidence.mean_player_weight(
                reached(new_cards, number, 1, hand_events), new_cards[number], hypothesis.round.players
            )
            if hypothesis.rest_unexplained:
                probability = (
                    _MAY_FOLLOW
                    if _follows(hypothesis.round, *new_cards[number - 1 : number + 1])
                    else _MAY_NOT_FOLLOW
                )
                beams[number + 1].append(
                    _skip_card(hypothesis, by_anyone + log(probability), rest_unexplained=True)
                )
                continue
            missed = by_anyone + (_MISSED if evidence.arms else _MISSED_WITHOUT_ARMS)
            beams[number + 1] += _no_new_card(hypothesis, new_cards[number], missed)
            for size in (1, 2, 3):
                group = new_cards[number : number + size]
                if len(group) == size:
                    nearby_hands = reached(new_cards, number, size, hand_events)
                    beams[number + size] += _discard_of(hypothesis, group, nearby_hands, evidence)
    best_by_identity: dict[tuple[object, ...], DiscardHypothesis] = {}
    for hypothesis in sorted(beams[-1], key=lambda hypothesis: -hypothesis.weight):
        best_by_identity.setdefault(hypothesis.identity, hypothesis)
    if not best_by_identity:
        return []
    highest = max(hypothesis.weight for hypothesis in best_by_identity.values())
    total = sum(exp(hypothesis.weight - highest) for hypothesis in best_by_identity.values())
    return [
        (hypothesis, exp(hypothesis.weight - highest) / total) for hypothesis in best_by_identity.values()
    ]


def reached(
    new_cards: Sequence[NewCard], number: int, size: int, hand_events: Sequence[HandEvent]
) -> list[HandEvent]:
    """Return the hands between the previous new card and the group of ``size`` new cards from index ``number`` on; at
    most three.
    """
    first = new_cards[number].time
    # A detection at the pile's edge may lie below a card that arrived before it was noticed.
    previous = max((each.time for each in new_cards[:number] if each.time < first), default=-1.0)
    last = new_cards[number + size - 1].time
    after = new_cards[number + size].time if number + size < len(new_cards) else last + _MAX_ARM_DELAY_S + 0.5
    latest = max(last, min(last + _MAX_ARM_DELAY_S, after - 0.5))
    return [hand_event for hand_event in hand_events if previous < hand_event.time <= latest][-3:]


def _no_new_card(
    hypothesis: DiscardHypothesis, new_card: NewCard, missed_weight: float
) -> Iterator[DiscardHypothesis]:
    """Yield the hypotheses that no card arrived (a false positive, or a card of the pile under another key) and that
    the card is unexplained.
    """
    pack = PACKS[hypothesis.round.rules.deck]
    pile = {*pack.cards(hypothesis.round.state.pile)}
    old_probability = sum(
        probability for name, probability in new_card.names.items() if {name, twin_of(name)} & pile
    )
    below = new_card.key is not None and new_card.visible < 0.5
    yield _skip_card(
        hypothesis,
        max(
            log(old_probability * (0.5 if below else new_card.pushed or _REAPPEARED))
            if old_probability
            else _FALSE_POSITIVE,
            _FALSE_POSITIVE_BELOW
            if below or (new_card.key is None and not new_card.unread)
            else _FALSE_POSITIVE,
        ),
    )
    if not below:
        yield _skip_card(
            hypothesis,
            missed_weight - (0.0 if new_card.unread else log(_POSSIBLE_CARDS)),
            rest_unexplained=True,
        )


def _follows(played: KakkuriRound, before: NewCard, after: NewCard) -> bool:
    """Return whether the most likely names of two new cards may follow each other by the rules."""
    pack = PACKS[played.rules.deck]
    ranks = [
        pack.ranks[pack.index[each.top]] if each.top and each.top in pack.index else 0
        for each in (before, after)
    ]
    return ranks[1] in follows(ranks[0])


def _skip_card(
    hypothesis: DiscardHypothesis, weight: float, *, rest_unexplained: bool = False
) -> DiscardHypothesis:
    """Return the hypothesis extended by a new card that it does not explain."""
    ends = (*hypothesis.ends, (len(hypothesis.ends) + 1, len(hypothesis.moves)))
    return DiscardHypothesis(
        hypothesis.round,
        hypothesis.weight + weight,
        hypothesis.events,
        hypothesis.moves,
        hypothesis.cards,
        ends,
        rest_unexplained,
        hypothesis.time,
    )


def _discard_of(
    hypothesis: DiscardHypothesis,
    group: Sequence[NewCard],
    nearby_hands: Sequence[HandEvent],
    evidence: TableEvidence,
) -> Iterator[DiscardHypothesis]:
    """Yield the hypotheses in which one player laid a group of cards after the players before passed."""
    played, moves = hypothesis.round.copy(), hypothesis.moves
    weight = hypothesis.weight + _together_weight(group)
    for _ in range(2 * played.players + 1):
        state = played.state
        if state.end:
            return
        seat_weight = evidence.player_weight(state.turn, nearby_hands, group, played.players)
        passes = len(moves) - len(hypothesis.moves)
        pace = evidence.pace(group[0].time - hypothesis.time, passes) if hypothesis.time else 0.0
        for cards, names_weight in _possible_cards(played, group):
            for discard_moves, move_weight in _moves_laying(played, cards):
                opened = isinstance(discard_moves[0], OpenBox)
                at_box = evidence.at_box(nearby_hands, opened, group[0].box_touched)
                yield DiscardHypothesis(
                    _after(played, discard_moves),
                    weight + names_weight + move_weight + seat_weight + pace + at_box,
                    hypothesis.events,
                    (*moves, *discard_moves),
                    hypothesis.cards | _by_key(group, cards),
                    hypothesis.ends
                    + ((len(hypothesis.ends) + len(group), len(moves) + len(discard_moves)),) * len(group),
                    time=group[-1].time,
                )
        if state.swaps or state.top < 0:
            return
        passing = Pass(state.turn)
        pass_probability = _pass_probability(played)
        if pass_probability <= 0 or played.check(passing):
            return
        played.push(passing)
        weight += log(pass_probability)
        moves = (*moves, passing)


def _together_weight(group: Sequence[NewCard]) -> float:
    """Return the log-probability that cards which came as these did were laid together."""
    if len(group) == 1:
        return 0.0
    spread = group[-1].time - group[0].time
    came_apart = group[0].observation != group[-1].observation or spread > _MAX_TOGETHER_S
    return _APART if came_apart else _TOGETHER


def _after(played: KakkuriRound, moves: Sequence[KakkuriMove]) -> KakkuriRound:
    """Return the round after moves and those that they imply."""
    after = played.copy()
    for move in (*after.inferred_moves(moves[0]), *moves):
        after.push(move)
    return after


def _by_key(group: Sequence[NewCard], cards: Sequence[str]) -> dict[int, str]:
    return {each.key: name for each, name in zip(group, cards, strict=True) if each.key is not None}


def _possible_cards(
    played: KakkuriRound, group: Sequence[NewCard]
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the cards that a group may be, with log-probabilities; of look-alikes one that is not on the pile."""
    pack = PACKS[played.rules.deck]
    pile = {*pack.cards(played.state.pile)} if played.state.box else set()
    for chosen in product(*(_likely_names(played, new_card) for new_card in group)):
        cards: list[str] = []
        for name, _ in chosen:
            lookalikes = [each for each in (name, twin_of(name)) if each is not None and each in pack.index]
            available = [each for each in lookalikes if each not in pile and each not in cards]
            cards += available[:1]
        if len(cards) == len(group):
            yield tuple(cards), sum(weight for _, weight in chosen)


def _likely_names(played: KakkuriRound, new_card: NewCard) -> list[tuple[str, float]]:
    """Return what a new card may be (of look-alikes the first), with log-probabilities."""
    best = sorted(new_card.names.items(), key=lambda name: -name[1])[:_MAX_NAMES]
    names = {name: probability for name, probability in best if probability > _MIN_NAME}
    unnamed = 1 - sum(new_card.names.values())
    if unnamed > _MIN_UNNAMED and (new_card.unread or new_card.visible > 0.5):
        # It may be any card that the recognizer did not name.
        legal = {first_of(name) for name in PACKS[played.rules.deck].cards(_playable_next(played))}
        names = dict.fromkeys(sorted(legal), unnamed / _POSSIBLE_CARDS) | names
    return [(name, log(probability)) for name, probability in names.items()]


def _playable_next(played: KakkuriRound) -> int:
    """Return the cards that the player to move may lay on the pile next."""
    state = played.state
    cards = state.unseen(PACKS[played.rules.deck]) if state.due else 0
    return cards | (0 if state.top < 0 else playable(played.context, state, state.turn))


def _moves_laying(
    played: KakkuriRound, cards: tuple[str, ...]
) -> Iterator[tuple[tuple[KakkuriMove, ...], float]]:
    """Yield the legal moves by which the player to move laid these cards, with log-probabilities."""
    state, rules = played.state, played.rules
    if state.due and len(cards) == 1:
        opening = OpenBox(state.turn, cards[0])
        trial = played.copy()
        for move in trial.inferred_moves(opening):
            trial.push(move)
        if not trial.check(opening):
            yield (opening,), -log(max(1, state.unseen(PACKS[rules.deck]).bit_count()))
    if state.top < 0 or (probability := _discard_probability(played, cards)) <= 0:
        return
    ranks = follows(state.lead) if rules.wild == "chosen_rank" or len(cards) > 1 else ()
    for rank in (None, *ranks):
        discard = Discard(state.turn, cards, rank)
        declaration = _declaration_for(played, discard)
        if declaration is not None:
            weight = _UNREPORTED_DECLARATION if declaration else 0.0
            yield (*declaration, discard), log(probability) + weight


def _declaration_for(played: KakkuriRound, discard: Discard) -> tuple[KakkuriMove, ...] | None:
    """Return the declaration without which a discard is illegal, if any; None if it is illegal in any case."""
    problems = played.check(discard)
    if not problems:
        return ()
    declaration = ThreePairs(discard.player)
    undeclared_pair = len(discard.cards) == 2 and {each.code for each in problems} == {"pairs-undeclared"}
    if not undeclared_pair or played.check(declaration):
        return None
    declared = played.copy()
    declared.push(declaration)
    return None if declared.check(discard) else (declaration,)


def _fitting_cards(played: KakkuriRound) -> tuple[float, float]:
    """Return the probability that the player to move can discard nothing, and the expected number of cards that fit."""
    state = played.state
    player, pack = state.turn, PACKS[played.rules.deck]
    fitting = playable(played.context, state, player)
    known_fitting = (state.hands[player - 1] & fitting).bit_count()
    hidden = state.hidden[player - 1]
    pool = state.possible(player, pack)
    size, fit = pool.bit_count(), (pool & fitting).bit_count()
    if known_fitting:
        return 0.0, known_fitting + hidden * fit / max(1, size)
    if not hidden or size < hidden:
        return 1.0, 0.0
    return comb(size - fit, hidden) / comb(size, hidden), hidden * fit / size


def _pass_probability(played: KakkuriRound) -> float:
    """Return the probability that the player to move passes now."""
    state = played.state
    no_fit_probability, _ = _fitting_cards(played)
    if not state.spent and played.rules.must_play == "first":
        return no_fit_probability
    return no_fit_probability + (1 - no_fit_probability) * _STOP_PROBABILITY


def _discard_probability(played: KakkuriRound, cards: tuple[str, ...]) -> float:
    """Return the probability that the player to move discards these cards now."""
    state = played.state
    player, pack = state.turn, PACKS[played.rules.deck]
    _, fitting = _fitting_cards(played)
    hidden, size = state.hidden[player - 1], state.possible(player, pack).bit_count()
    probability = 1.0
    for bit in (1 << pack.place(each) for each in cards):
        if not state.hands[player - 1] & bit:
            probability *= hidden / size if size and hidden else 0.0
    goes_on = 1 - _STOP_PROBABILITY if state.spent else 1.0
    return probability * goes_on / max(1.0, fitting)
