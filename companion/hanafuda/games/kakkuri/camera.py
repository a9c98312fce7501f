"""The table of Kakkuri as a camera sees it: the discard pile, and who may have laid which card on it.

A pass is not visible, so that a step is a card with the passes that must have come before it. A pass without a discard implies that the
player had nothing to discard, which is the less likely the more cards the hand may contain that fit.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from math import comb, inf, log
from typing import Any, Final, NamedTuple

from ...card_messages import card_list
from ...cards import first_of
from ...description import Camera
from ...messages import Message, player_message
from ...round import Deal, Problem
from ...table_model import Placement, Question, TableClues, TableProblem, TableStep
from ...zones import DISCARD
from .cards import HAND, PACKS, follows, places
from .checks import check, hands_exist, in_box
from .moves import Discard, KakkuriMove, OpenBox, Pass, Swap, ThreePairs
from .round import KakkuriRound
from .rules import KakkuriRules
from .state import EIGHT, KakkuriContext, KakkuriState, after, box_is_spent, playable

__all__ = ["CAMERA", "KakkuriTable", "PileState"]

_STOPS: Final = 0.1
"""Probability that a player who could discard again stops."""
_TOGETHER: Final = 0.7
"""Probability that a player with three cards of a number discards them at once."""
_DECLARED: Final = 0.05
"""Probability that a player has three pairs, and that nobody has entered it."""
_HOPELESS: Final = -9.0
"""Ways to lay a card that are less likely (log) are not tried; if there is no other, the cards that may have been missed before it are."""


class PileState(NamedTuple):
    """A round, as far as the cards on the pile tell it."""

    round: KakkuriState
    dealer: int
    dropped: int = 0
    """The player of eight who has dropped out; 0 if unknown."""
    top: int = 0
    """The cards laid last, as a set."""

    def __hash__(self) -> int:
        """Return a hash of what differs most often."""
        state = self.round
        return hash(
            (state.discarded, state.turn, state.quiet, state.lead, state.top, self.dealer, self.dropped)
        )


class _Path(NamedTuple):
    """A player who may lay the next card."""

    moves: tuple[KakkuriMove, ...]
    """The moves before it: the hands that were kept, and the passes."""
    state: KakkuriState
    log_p: float
    none_fits: float
    """Probability that the player can discard nothing."""
    fitting: float
    """Expected number of cards that the player can discard."""
    hand: int
    """The cards that the player may discard, alone or in a set."""
    pool: int
    """The number of cards that the player's hidden cards may be."""
    box: int
    """The cards that the player may turn up."""


class KakkuriTable:
    """The table of Kakkuri with a number of players."""

    zones = (DISCARD,)
    piled = (False,)
    dealt = 0
    turn_steps = 1
    shows_history = False

    def __init__(self, rules: KakkuriRules, players: int) -> None:
        self._rules, self._pack, self.seats = rules, PACKS[rules.deck], players
        self.deck = self._pack.ids
        index = self._pack.index
        self._seconds = sum(1 << index[card] for card in self.deck if first_of(card) != card)
        """The second of each two look-alikes, as a set; it follows the first in the deck order."""

    def deals(self, cards: int, dealer: int, unread: int = 0) -> tuple[PileState, ...]:
        """Return the states after a deal, which shows no card: with eight players one for each who may have dropped out."""
        if self.seats < EIGHT:
            return (self._start(dealer, 0),)
        return tuple(self._start(dealer, dropped) for dropped in range(1, EIGHT + 1))

    def dealt_state(self, played: KakkuriRound) -> PileState:
        """Return the state after the deal of a round."""
        return self._start(played.dealer, played.dropped or 0)

    def committed(self, played: KakkuriRound) -> PileState:
        """Return the state of a round."""
        laid = next((cards for move in reversed(played.moves) if (cards := _cards_of(move))), ())
        return PileState(played.state, played.dealer, played.dropped or 0, self._pack.bits(laid))

    def is_over(self, state: PileState) -> bool:
        """Return whether the round has ended."""
        return state.round.end != ""

    def placement(self, state: PileState) -> Placement:
        """Return the discard pile; all cards but the last ones lie under others."""
        pile = state.round.pile
        return Placement((pile,), covered=pile & ~state.top)

    def steps(self, state: PileState, clues: TableClues) -> Iterator[TableStep]:
        """Yield the cards that are possible, alone or as a set, for each player who may have laid them; if no player may, or if a
        card cannot be read, also the cards that may have come before; of pictures, between which any number may have come, none is named."""
        if self.is_over(state):
            return
        played = state.round
        hidden = self._pack.all & ~played.pile
        if not played.box:
            hidden |= played.pile & ~state.top
        if not (hidden & clues.possible or clues.unread):
            return
        possible = self._firsts(hidden & clues.possible, hidden)
        paths, unexplained = list(self._paths(state)), 0
        for cards in (
            *(1 << place for place in places(possible)),
            *self._sets(hidden & clues.possible, hidden & ~clues.twice),
        ):
            found = list(self._laid(state, paths, cards, clues))
            if cards & possible and not found:
                unexplained |= cards
            yield from found
            if clues.illegal and cards & possible and cards.bit_count() == 1:
                yield from self._inexplicable(state, paths, cards, clues)
        if (unexplained or clues.unread) and not clues.posed:
            for cards in self._bridges(state, hidden & ~clues.possible, unexplained, unread=clues.unread):
                yield from self._laid(state, paths, cards, clues)

    def key(self, moves: Sequence[Any]) -> Hashable:
        """Return the moves, look-alikes as the first of them, without the hands that were kept and the passes, which follow from the others."""
        return tuple(
            (move.player, *(first_of(word) if word in self._pack.index else word for word in move.words()))
            for move in moves
            if not isinstance(move, Swap | Pass)
        )

    def turns(
        self, moves: Sequence[KakkuriMove]
    ) -> tuple[list[tuple[KakkuriMove, ...]], tuple[KakkuriMove, ...]]:
        """Return the moves of a round by the cards laid, each with the moves before it, and the moves after the last card."""
        turns: list[tuple[KakkuriMove, ...]] = []
        begun: tuple[KakkuriMove, ...] = ()
        for move in moves:
            begun = (*begun, move)
            if _cards_of(move):
                turns.append(begun)
                begun = ()
        return turns, begun

    def closing(self, played: KakkuriRound) -> None:
        """Return None: a round goes on until cards end it."""

    def blame(self, move: KakkuriMove, broken: Problem, before: KakkuriRound) -> TableProblem:
        """Return the rule that a move breaks, and the cards laid."""
        return TableProblem(broken.code, broken.text, _cards_of(move))

    def deal(self, state: PileState) -> dict[str, Any]:
        """Return which of eight players has dropped out; nothing else is known of a deal."""
        return {"dropped": state.dropped} if state.dropped else {}

    def deal_question(self, state: PileState) -> tuple[Message, Message]:
        """Return the question who drops out, and the player of a state."""
        cards = card_list(self._pack.cards(self._pack.dropout))
        player = player_message(state.dropped)
        return Message("question-who-drops-out", {"cards": cards}), Message(
            "choice-drops-out", {"player": player}
        )

    def turn_question(self, turns: Sequence[Sequence[KakkuriMove]]) -> Question:
        """Return the question who laid which cards."""
        cards = dict.fromkeys(card for moves in turns for card in _cards_of(moves[-1]))
        answers = [[each.line() for each in moves if not isinstance(each, Swap)] for moves in turns]
        return Question(Message("question-which-discard", {"cards": card_list(cards)}), answers)

    def resume(self, top: str, played: KakkuriRound) -> tuple[Question, list[tuple[KakkuriMove, ...]]] | None:
        """Return the question who laid the card on top of the pile; if it is the one of the log, whose turn it is."""
        state = played.state
        alike = [card for card in self.deck if first_of(card) == first_of(top)]
        if state.top >= 0 and self.deck[state.top] in alike:
            turns, moves, player = list[int](), list[tuple[KakkuriMove, ...]](), state.turn
            for _ in state.players_in():
                moves.append(tuple(map(Pass, turns)))
                turns.append(player)
                player = state.next_in(player)
            return Question(Message("question-whose-turn"), [[player_message(each)] for each in turns]), moves
        off_pile = [card for card in alike if not state.pile >> self._pack.index[card] & 1]
        if not off_pile:
            return None
        discards = [Discard(player, (off_pile[0],)) for player in state.players_in()]
        text = Message("question-top-discard", {"cards": card_list(off_pile[:1])})
        return Question(text, [[each.line()] for each in discards]), [(each,) for each in discards]

    def awaited(self, state: PileState) -> None:
        """Return None: the turns tell what must come."""

    def history_question(self, states: Sequence[PileState]) -> Question:
        """Raise `NotImplementedError`: the players are asked turn by turn."""
        raise NotImplementedError

    def reset(self, zones: Sequence[Sequence[str]], played: KakkuriRound) -> None:
        """Return None: nobody can see whose turn it is."""

    def unread(self, state: PileState) -> int:
        """Return the number of face-up cards that have not been read."""
        return 0

    def dealt_by(self, state: PileState, dealer: int, read: int = 0) -> PileState:
        """Return the state after a deal by another dealer."""
        return self._start(dealer or state.dealer, state.dropped)

    def _start(self, dealer: int, dropped: int) -> PileState:
        hands: list[tuple[str | None, ...]] = [(None,) * HAND] * self.seats
        if dropped:
            hands[dropped - 1] = (*self._pack.cards(self._pack.dropout), *(None,) * (HAND - 1))
        box = HAND if self.seats == EIGHT else len(self.deck) - HAND * self.seats
        played = KakkuriRound(self._rules, Deal(tuple(hands), (), (None,) * box), dealer=dealer)
        return PileState(played.state, dealer, dropped)

    def _context(self, state: PileState) -> KakkuriContext:
        leader = state.dealer % self.seats + 1 if state.dropped == state.dealer else state.dealer
        return KakkuriContext(self._rules, self._pack, self.seats, leader)

    def _firsts(self, cards: int, hidden: int) -> int:
        """Return cards without the second of two hidden look-alikes, which may as well be the first."""
        return cards & ~(hidden << 1 & self._seconds)

    def _sets(self, cards: int, single: int) -> Iterator[int]:
        """Yield the pairs and triplets of one number among cards, without the second of two look-alikes of which a ``single`` one is
        possible."""
        cards = self._firsts(cards, single)
        if cards.bit_count() < 2:
            return
        for alike in self._pack.by_rank:
            if (alike & cards).bit_count() < 2:
                continue
            found = list(places(alike & cards))
            for count in range(2, min(3, len(found)) + 1):
                for chosen in combinations(found, count):
                    yield sum(1 << place for place in chosen)

    def _bridges(self, state: PileState, hidden: int, unexplained: int, *, unread: bool) -> Iterator[int]:
        """Yield the hidden cards that may have been laid without being recognized: any, or those that explain another card."""
        pack = self._pack
        for place in places(self._firsts(hidden, hidden)):
            lead = 0 if 1 << place & pack.wild else pack.ranks[place]
            if unread or unexplained & (pack.following[lead] | pack.wild):
                yield 1 << place

    def _laid(
        self, state: PileState, paths: Sequence[_Path], cards: int, clues: TableClues
    ) -> Iterator[TableStep]:
        """Yield the legal steps that lay a card or a set, with what arms, card directions and the stock say of them."""
        context, least = self._context(state), max(_HOPELESS, clues.least)
        for path in paths:
            if not cards & (path.hand | path.box):
                continue
            acted = path.log_p + clues.acted(path.state.turn, cards, state.top)
            if acted < least:
                continue
            for moves, log_p in self._moves_laying(context, path, cards):
                log_prior = acted + log_p + clues.drawn(cards, isinstance(moves[-1], OpenBox))
                if log_prior < least:
                    continue
                played = self._played(context, path.state, moves, cards)
                if played is not None:
                    state_after = PileState(played, state.dealer, state.dropped, cards)
                    yield TableStep((*path.moves, *moves), state_after, log_prior, ends_turn=True)

    def _inexplicable(
        self, state: PileState, paths: Sequence[_Path], cards: int, clues: TableClues
    ) -> Iterator[TableStep]:
        """Yield the discards of a card that are illegal: against the rules by a player who may have the turn, or, where people post pictures,
        after others that nobody saw by any player."""
        context, (card,), begun = self._context(state), self._pack.cards(cards), state.round
        unseen = begun.unseen(self._pack).bit_count()
        if not unseen or not clues.inexplicable:
            return
        prior = log(clues.inexplicable / unseen) + clues.drawn(cards, False)
        turns = {path.state.turn: path.log_p for path in reversed(paths)} if begun.top >= 0 else {}
        anybody = -log(self.seats) if clues.posed else -inf
        for player in begun.players_in():
            log_p = max(turns.get(player, -inf), anybody)
            before: tuple[KakkuriMove, ...] = ()
            if begun.spent and player == begun.next_in(begun.turn) != begun.turn:
                before = (Pass(begun.turn),)
            move, played = Discard(player, (card,)), begun
            for each in before:
                played = after(context, played, each)
            if log_p > -inf and check(context, played, move):
                played = after(context, played, move)
                log_p += prior + clues.acted(player, cards, state.top)
                state_after = PileState(played, state.dealer, state.dropped, cards)
                yield TableStep((*before, move), state_after, log_p, ends_turn=True)

    def _played(
        self, context: KakkuriContext, state: KakkuriState, moves: Sequence[KakkuriMove], cards: int
    ) -> KakkuriState | None:
        """Return the state after moves of `_moves_laying`; None if they are illegal. A single card can only contradict what is known of
        the hidden hands."""
        if cards.bit_count() == 1 and not (cards & self._pack.lucky or state.pairs >> state.turn & 1):
            (move,) = moves
            played = after(context, state, move)
            return played if hands_exist(context, played) else None
        for move in moves:
            if check(context, state, move):
                return None
            state = after(context, state, move)
        return state

    def _paths(self, state: PileState) -> Iterator[_Path]:
        """Yield the players who may lay the next card, after what must have come before."""
        context, played = self._context(state), state.round
        moves: tuple[KakkuriMove, ...] = tuple(Swap(player, False) for player in played.swaps)
        for move in moves:
            played = after(context, played, move)
        log_p = 0.0
        # Once everybody has passed, the box is due; then the player who opened it may pass, and all others again.
        for _ in range(2 * self.seats + 1):
            if played.end:
                return
            path = self._path(context, played, moves, log_p)
            yield path
            if played.due and self._rules.reopen == "forced":
                return
            p = 0.0 if played.top < 0 else self._p_pass(played, path.none_fits)
            if p <= 0 or (log_p := log_p + log(p)) < _HOPELESS:
                return
            passing = Pass(played.turn)
            played = after(context, played, passing)
            moves = (*moves, passing)

    def _moves_laying(
        self, context: KakkuriContext, path: _Path, cards: int
    ) -> Iterator[tuple[tuple[KakkuriMove, ...], float]]:
        """Yield the moves by which the player to move may lay cards, with log-probabilities; sets of cards may be illegal."""
        state, pack = path.state, self._pack
        player, single = state.turn, cards.bit_count() == 1
        if single and cards & path.box:
            yield (OpenBox(player, pack.cards(cards)[0]),), -log(path.box.bit_count())
        if cards & ~path.hand or (p := self._p_discard(path, cards)) <= 0:
            return
        ids = pack.cards(cards)
        chosen = self._rules.wild == "chosen_rank" and single and cards & pack.wild
        ranks: Sequence[int | None] = follows(state.lead) if chosen else (None,)
        if not single and not cards & ~context.jokers:
            ranks = follows(state.lead)
        for rank in ranks:
            discard = Discard(player, ids, rank)
            log_p = log(p) - log(len(ranks))
            if cards.bit_count() == 2 and not state.pairs >> player & 1:
                yield (ThreePairs(player), discard), log_p + log(_DECLARED)
            else:
                yield (discard,), log_p

    def _p_discard(self, path: _Path, cards: int) -> float:
        """Return the probability that the player to move discards these cards now."""
        state, player = path.state, path.state.turn
        left, pool = state.hidden[player - 1], path.pool
        p = _TOGETHER if cards.bit_count() > 1 else 1.0
        for _ in range((cards & ~state.hands[player - 1]).bit_count()):
            p *= left / pool if left > 0 and pool else 0.0
            left, pool = left - 1, pool - 1
        return p * ((1 - _STOPS) if state.spent else 1.0) / max(1.0, path.fitting)

    def _p_pass(self, state: KakkuriState, none_fits: float) -> float:
        """Return the probability that the player to move passes now."""
        if not state.spent and self._rules.must_play == "first":
            return none_fits
        return none_fits + (1 - none_fits) * _STOPS

    def _path(
        self, context: KakkuriContext, state: KakkuriState, moves: tuple[KakkuriMove, ...], log_p: float
    ) -> _Path:
        """Return what the player to move may do."""
        player, is_forced = state.turn, state.due and (state.top < 0 or self._rules.reopen == "forced")
        box = in_box(state, self._pack) if state.due and not box_is_spent(context, state) else 0
        fitting = playable(context, state, player)
        hand, pool = state.hands[player - 1], state.possible(player, self._pack)
        hidden, size, fit = state.hidden[player - 1], pool.bit_count(), (pool & fitting).bit_count()
        none_fits, known = 1.0, (hand & fitting).bit_count()
        if known:
            none_fits = 0.0
        elif hidden and size >= hidden:
            none_fits = comb(size - fit, hidden) / comb(size, hidden)
        else:
            fit = 0
        may_lay = 0 if is_forced else (hand | pool) & (fitting | context.jokers)
        return _Path(moves, state, log_p, none_fits, known + hidden * fit / max(1, size), may_lay, size, box)


def _cards_of(move: KakkuriMove) -> tuple[str, ...]:
    """Return the cards that a move lays on the pile."""
    match move:
        case OpenBox():
            return (move.card,)
        case Discard():
            return move.cards
        case _:
            return ()


def _zones(played: KakkuriRound) -> dict[str, str]:
    return dict.fromkeys(PACKS[played.rules.deck].cards(played.state.pile), DISCARD)


CAMERA = Camera(
    layout="around-discards",
    scanned="discard",
    zones=_zones,
    table=KakkuriTable,
)
"""What a camera needs for Kakkuri."""
