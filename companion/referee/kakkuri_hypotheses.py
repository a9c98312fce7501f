"""Who discarded what came onto the pile, and who passed before: the legal moves of Kakkuri that explain it, with their weights.

A pass cannot be seen. That a player passed without a discard says that he held nothing to discard, which is the less likely the
more cards he has: with `hidden` cards out of those that may be his, and some of these fit, the chance that none does is
hypergeometric. So a card is weighed for everyone who may have discarded it, together with the hands that reached for the pile.
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
from companion.referee.seat_inference import Facing, Leans
from companion.table.events import NewEvent

__all__ = ["Around", "DiscardHypothesis", "explain", "first_of_all", "reached"]

_BEAM = 16
_NAMES = 3
"""So many names of a card are tried,"""
_LEFT = 0.3
"""and all others where this much of what it may be has no name."""
_STOPS = 0.1
"""That a player who could go on discarding does not."""
_TOGETHER = log(0.7)
_APART = log(0.01)
"""That cards which came together, or one by one, are a pair or triplet."""
_AT_ONCE_S = 0.8
_AT_BOX_MM = 65.0
_BOX_SEEN, _BOX_BY_CHANCE = 0.5, 0.1
"""That an arm is seen at the box where a card is turned up from it, and where none is (of drawn rounds at 2 frames a second 2 of 12 and
7 of 109; a camera sees more)."""
_BOX_TOUCHED, _BOX_OTHERWISE = 0.75, 0.05
"""That the box's picture changes where a card is turned up from it, and where none is (10 of 12, 0 of 109)."""
_LATE_S = 0.5
"""An arm may be noticed so long after its card."""
_DECLARES = log(0.05)
"""That a player has three pairs and nobody heard it."""
_FALSE = log(0.00005)
"""A find on top of the pile where no card came."""
_MISSED, _MISSED_UNSEEN = log(0.002), log(0.02)
"""That a card was laid against the rules, or one before it missed; and where no arms are seen, which would tell of that."""
_AFTER, _NOT_AFTER = 0.15, 0.01
"""That a certain card comes next where all that is known is the one before: one that may follow it, and one that may not."""
_A_PASS_S, _A_CARD_S = 0.6, 0.8
_HASTE = 1.5
"""How much less likely it is (log) that players passed for each second that they had too little for it."""
_A_THOUGHT_S, _A_SLOW_PASS_S = 4.0, 1.5
_LEISURE, _MOST_LEISURE = 0.25, 2.0
"""The same for each second that so few had too much; people think at times, so no more than that."""
_KINDS = 24
"""Of so many cards it is one then, roughly, as the cards that may be laid by the rules are weighed by how many may be."""
_FALSE_BELOW = log(0.1)
"""A find at the edge of the pile, under its top card."""
_OLD = 0.004
"""That a card of the pile turned up again on top under another key."""


@dataclass(slots=True)
class DiscardHypothesis:
    """Moves that explain what came onto the pile."""

    round: KakkuriRound
    """The round after them."""
    weight: float
    """Log-probability, up to a constant."""
    events: tuple[NewEvent, ...] = ()
    """What is to be told before the moves: a deal, who dealt."""
    moves: tuple[KakkuriMove, ...] = ()
    cards: dict[int, str] = field(default_factory=dict)
    """What the arrivals are, by key."""
    ends: tuple[tuple[int, int], ...] = ()
    """For each arrival how many arrivals and how many moves there are by the end of the discard that it belongs to."""
    lost: bool = False
    """Whether a card was missed, or laid against the rules: whatever comes after it cannot be explained."""
    time: float | None = None
    """When the last card came, s."""

    def until(self, new_cards: int) -> DiscardHypothesis:
        """Return the way as far as it explains the first arrivals."""
        count, moves = self.ends[new_cards - 1]
        return DiscardHypothesis(
            self.round, self.weight, self.events, self.moves[:moves], self.cards, self.ends[:count]
        )

    @property
    def mark(self) -> tuple[object, ...]:
        """What tells the way from others."""
        return (*((event.kind, str(event.data)) for event in self.events), *self.moves, len(self.ends))


def first_of_all(
    hypotheses: Sequence[tuple[DiscardHypothesis, float]], new_cards: int
) -> list[tuple[DiscardHypothesis, float]]:
    """Return what ways have in common about the first arrivals, the likeliest first, with their shares."""
    shares: dict[tuple[object, ...], float] = {}
    found: dict[tuple[object, ...], DiscardHypothesis] = {}
    for hypothesis, probability in hypotheses:
        part = hypothesis.until(new_cards)
        shares[part.mark] = shares.get(part.mark, 0.0) + probability
        found.setdefault(part.mark, part)
    return sorted(
        ((found[mark], probability) for mark, probability in shares.items()), key=lambda one: -one[1]
    )


@dataclass(slots=True)
class Around:
    """What is known of the table besides the cards."""

    leans: Leans = field(default_factory=Leans)
    facing: Facing = field(default_factory=Facing)
    box: tuple[float, float] | None = None
    """Where the box lies, mm."""
    arms: bool = True
    """Whether arms were ever seen."""

    def of(
        self, player: int, hand_events: Sequence[HandEvent], cards: Sequence[NewCard], players: int
    ) -> float:
        """Return how likely these arms were a player's and these cards lie as he lays them, as a log-probability."""
        facing = self.facing.weight(player, [each.towards for each in cards], players)
        return self.leans.weight(player, hand_events, players) + facing

    def somebody(self, hand_events: Sequence[HandEvent], card: NewCard, players: int) -> float:
        """Return the same of whoever it was."""
        each = (exp(self.of(seat, hand_events, [card], players)) for seat in range(1, players + 1))
        return log(sum(each) / players)

    def pace(self, seconds: float, passes: int) -> float:
        """Return how likely players passed so often in such a time, as a log-probability; pictures now and then do not tell."""
        if not self.arms:
            return 0.0
        haste = _HASTE * max(0.0, passes * _A_PASS_S + _A_CARD_S - seconds) if passes else 0.0
        leisure = _LEISURE * max(0.0, seconds - _A_THOUGHT_S - passes * _A_SLOW_PASS_S)
        return -haste - min(leisure, _MOST_LEISURE)

    def at_box(self, hand_events: Sequence[HandEvent], opened: bool, touched: bool | None) -> float:
        """Return how likely the arms reached to the box, and that looks otherwise, as it was seen, as a log-probability."""
        weight = 0.0
        if self.box is not None and hand_events:
            seen = any(dist(hand_event.at, self.box) < _AT_BOX_MM for hand_event in hand_events)
            chance = _BOX_SEEN if opened else _BOX_BY_CHANCE
            weight += log(chance if seen else 1 - chance)
        if touched is not None:
            chance = _BOX_TOUCHED if opened else _BOX_OTHERWISE
            weight += log(chance if touched else 1 - chance)
        return weight


def explain(
    starts: Sequence[DiscardHypothesis],
    new_cards: Sequence[NewCard],
    hand_events: Sequence[HandEvent],
    table: Around,
) -> list[tuple[DiscardHypothesis, float]]:
    """Return the ways to explain all arrivals, the likeliest first, with their shares (0-1)."""
    beams: list[list[DiscardHypothesis]] = [list(starts), *([] for _ in new_cards)]
    for number, beam in enumerate(beams[:-1]):
        beam.sort(key=lambda hypothesis: -hypothesis.weight)
        for hypothesis in beam[:_BEAM]:
            somebody = table.somebody(
                reached(new_cards, number, 1, hand_events), new_cards[number], hypothesis.round.players
            )
            if hypothesis.lost:
                chance = (
                    _AFTER if _follows(hypothesis.round, *new_cards[number - 1 : number + 1]) else _NOT_AFTER
                )
                beams[number + 1].append(_past(hypothesis, somebody + log(chance), lost=True))
                continue
            missed = somebody + (_MISSED if table.arms else _MISSED_UNSEEN)
            beams[number + 1] += _none(hypothesis, new_cards[number], missed)
            for size in (1, 2, 3):
                group = new_cards[number : number + size]
                if len(group) == size:
                    near = reached(new_cards, number, size, hand_events)
                    beams[number + size] += _some(hypothesis, group, near, table)
    found: dict[tuple[object, ...], DiscardHypothesis] = {}
    for hypothesis in sorted(beams[-1], key=lambda hypothesis: -hypothesis.weight):
        found.setdefault(hypothesis.mark, hypothesis)
    if not found:
        return []
    highest = max(hypothesis.weight for hypothesis in found.values())
    total = sum(exp(hypothesis.weight - highest) for hypothesis in found.values())
    return [(hypothesis, exp(hypothesis.weight - highest) / total) for hypothesis in found.values()]


def reached(
    new_cards: Sequence[NewCard], number: int, size: int, hand_events: Sequence[HandEvent]
) -> list[HandEvent]:
    """Return the hands that came between the arrival before and these."""
    first = new_cards[number].time
    # A find at the pile's edge may lie below a card that came before it was noticed.
    before = max((each.time for each in new_cards[:number] if each.time < first), default=-1.0)
    last = new_cards[number + size - 1].time
    after = new_cards[number + size].time if number + size < len(new_cards) else last + _LATE_S + 0.5
    until = max(last, min(last + _LATE_S, after - 0.5))
    return [hand_event for hand_event in hand_events if before < hand_event.time <= until][-3:]


def _none(hypothesis: DiscardHypothesis, new_card: NewCard, missed: float) -> Iterator[DiscardHypothesis]:
    """Yield that nothing came: the eyes erred, or a card of the pile shows anew; and that nobody can tell."""
    pack = PACKS[hypothesis.round.rules.deck]
    pile = {*pack.cards(hypothesis.round.state.pile)}
    old = sum(probability for name, probability in new_card.names.items() if {name, twin_of(name)} & pile)
    below = new_card.key is not None and new_card.visible < 0.5
    yield _past(
        hypothesis,
        max(
            log(old * (0.5 if below else new_card.pushed or _OLD)) if old else _FALSE,
            _FALSE_BELOW if below or (new_card.key is None and not new_card.unread) else _FALSE,
        ),
    )
    if not below:
        yield _past(hypothesis, missed - (0.0 if new_card.unread else log(_KINDS)), lost=True)


def _follows(played: KakkuriRound, before: NewCard, after: NewCard) -> bool:
    """Return whether the likeliest names of two arrivals may follow each other."""
    pack = PACKS[played.rules.deck]
    ranks = [
        pack.ranks[pack.index[each.top]] if each.top and each.top in pack.index else 0
        for each in (before, after)
    ]
    return ranks[1] in follows(ranks[0])


def _past(hypothesis: DiscardHypothesis, weight: float, *, lost: bool = False) -> DiscardHypothesis:
    """Return a way past an arrival that it does not explain."""
    ends = (*hypothesis.ends, (len(hypothesis.ends) + 1, len(hypothesis.moves)))
    return DiscardHypothesis(
        hypothesis.round,
        hypothesis.weight + weight,
        hypothesis.events,
        hypothesis.moves,
        hypothesis.cards,
        ends,
        lost,
        hypothesis.time,
    )


def _some(
    hypothesis: DiscardHypothesis, group: Sequence[NewCard], near: Sequence[HandEvent], table: Around
) -> Iterator[DiscardHypothesis]:
    """Yield the ways in which somebody laid a group of cards, after those before him passed."""
    played, weight, moves = hypothesis.round.copy(), hypothesis.weight, hypothesis.moves
    spread = group[-1].time - group[0].time
    if len(group) > 1:
        apart = group[0].observation != group[-1].observation or spread > _AT_ONCE_S
        weight += _APART if apart else _TOGETHER
    for _ in range(2 * played.players + 1):
        state = played.state
        if state.end:
            return
        from_side = table.of(state.turn, near, group, played.players)
        pace = (
            table.pace(group[0].time - hypothesis.time, len(moves) - len(hypothesis.moves))
            if hypothesis.time
            else 0.0
        )
        for cards, named in _named(played, group):
            for laid, likely in _laid(played, cards):
                after, opened = played.copy(), isinstance(laid[0], OpenBox)
                for move in (*after.untold(laid[0]), *laid):
                    after.push(move)
                keys = {
                    each.key: name for each, name in zip(group, cards, strict=True) if each.key is not None
                }
                yield DiscardHypothesis(
                    after,
                    weight
                    + named
                    + likely
                    + from_side
                    + pace
                    + table.at_box(near, opened, group[0].box_touched),
                    hypothesis.events,
                    (*moves, *laid),
                    {**hypothesis.cards, **keys},
                    hypothesis.ends
                    + ((len(hypothesis.ends) + len(group), len(moves) + len(laid)),) * len(group),
                    time=group[-1].time,
                )
        if state.swaps or state.top < 0:
            return
        passing = Pass(state.turn)
        chance = _passes(played)
        if chance <= 0 or played.check(passing):
            return
        played.push(passing)
        weight += log(chance)
        moves = (*moves, passing)


def _named(played: KakkuriRound, group: Sequence[NewCard]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the cards that a group may be, of look-alikes one that is not on the pile, with log-probabilities."""
    pack = PACKS[played.rules.deck]
    pile = {*pack.cards(played.state.pile)} if played.state.box else set()
    options = []
    for new_card in group:
        best = sorted(new_card.names.items(), key=lambda name: -name[1])[:_NAMES]
        names = {name: probability for name, probability in best if probability > 0.003}
        left = 1 - sum(new_card.names.values())
        if left > _LEFT and (new_card.unread or new_card.visible > 0.5):
            # It may be any card that the eyes do not think of.
            legal = {first_of(name) for name in pack.cards(_may_come(played))}
            names = dict.fromkeys(sorted(legal), left / _KINDS) | names
        options.append([(name, log(probability)) for name, probability in names.items()])
    for chosen in product(*options):
        cards: list[str] = []
        for name, _ in chosen:
            free = [
                each
                for each in (name, twin_of(name))
                if each is not None and each in pack.index and each not in pile and each not in cards
            ]
            if not free:
                break
            cards.append(free[0])
        else:
            yield tuple(cards), sum(weight for _, weight in chosen)


def _may_come(played: KakkuriRound) -> int:
    """Return the cards that may come onto the pile next from the player whose turn it is."""
    state = played.state
    cards = state.unseen(PACKS[played.rules.deck]) if state.due else 0
    return cards | (0 if state.top < 0 else playable(played.context, state, state.turn))


def _laid(played: KakkuriRound, cards: tuple[str, ...]) -> Iterator[tuple[tuple[KakkuriMove, ...], float]]:
    """Yield the legal moves by which the player whose turn it is laid these cards, with log-probabilities."""
    state, rules = played.state, played.rules
    player = state.turn
    pack = PACKS[rules.deck]
    if state.due and len(cards) == 1:
        opening = OpenBox(player, cards[0])
        trial = played.copy()
        for move in trial.untold(opening):
            trial.push(move)
        if not trial.check(opening):
            yield (opening,), -log(max(1, state.unseen(pack).bit_count()))
    if state.top < 0:
        return
    for rank in (None, *(follows(state.lead) if rules.wild == "chosen_rank" or len(cards) > 1 else ())):
        discard = Discard(player, cards, rank)
        problems = played.check(discard)
        chance = _discards(played, cards)
        if not problems and chance > 0:
            yield (discard,), log(chance)
        elif len(cards) == 2 and {each.code for each in problems} == {"pairs-undeclared"}:
            declared = played.copy()
            if not declared.check(ThreePairs(player)):
                declared.push(ThreePairs(player))
                if not declared.check(discard) and chance > 0:
                    yield (ThreePairs(player), discard), log(chance) + _DECLARES


def _fits(played: KakkuriRound) -> tuple[float, float]:
    """Return the chance that the player whose turn it is can discard nothing, and how many of his cards fit on average."""
    state = played.state
    player, pack = state.turn, PACKS[played.rules.deck]
    fitting = playable(played.context, state, player)
    known = (state.hands[player - 1] & fitting).bit_count()
    hidden = state.hidden[player - 1]
    pool = state.possible(player, pack)
    size, fit = pool.bit_count(), (pool & fitting).bit_count()
    if known:
        return 0.0, known + hidden * fit / max(1, size)
    if not hidden or size < hidden:
        return 1.0, 0.0
    return comb(size - fit, hidden) / comb(size, hidden), hidden * fit / size


def _passes(played: KakkuriRound) -> float:
    """Return the chance that the player whose turn it is passes now."""
    state = played.state
    nothing, _ = _fits(played)
    if not state.spent and played.rules.must_play == "first":
        return nothing
    return nothing + (1 - nothing) * _STOPS


def _discards(played: KakkuriRound, cards: tuple[str, ...]) -> float:
    """Return the chance that the player whose turn it is discards these cards now."""
    state = played.state
    player, pack = state.turn, PACKS[played.rules.deck]
    _, fitting = _fits(played)
    hidden, size = state.hidden[player - 1], state.possible(player, pack).bit_count()
    chance = 1.0
    for bit in (1 << pack.place(each) for each in cards):
        if not state.hands[player - 1] & bit:
            chance *= hidden / size if size and hidden else 0.0
    goes_on = 1 - _STOPS if state.spent else 1.0
    return chance * goes_on / max(1.0, fitting)
