"""The state of a round of Kakkuri, and how each move changes it. Whether a move is legal is decided in `checks`.

An illegal move that was made anyway is followed as far as possible: the player who made it had the turn, and the
cards that are on the pile stay there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Literal, NamedTuple

from ...round import Deal
from .cards import HAND, RANKS, Pack
from .moves import (
    Discard,
    DropOut,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Swap,
    ThreePairs,
)
from .rules import KakkuriRules
from .sets import jokers, set_rank

__all__ = [
    "EIGHT",
    "EmptyTurn",
    "End",
    "KakkuriContext",
    "KakkuriState",
    "after",
    "box_is_spent",
    "excluded_by_pass",
    "playable",
    "start",
]

EIGHT = 8
"""With eight players no cards are left for the box: one player drops out, and that hand becomes the box."""

End = Literal["", "win", "guri", "lucky-hand", "last-one-in", "void", "redeal"]


class KakkuriContext(NamedTuple):
    """The part of a round that no move changes."""

    rules: KakkuriRules
    pack: Pack
    players: int
    leader: int
    """The player with the dealer's duties: the dealer, or the player to the right of one who dropped out."""

    @property
    def jokers(self) -> int:
        """The cards that count as any number in a set."""
        return jokers(self.rules, self.pack)


class EmptyTurn(NamedTuple):
    """A turn without a discard by a hidden hand that had to discard if it could: it held none of `excluded`."""

    player: int
    top: int
    excluded: int


@dataclass(slots=True)
class KakkuriState:
    """A round at one moment. Tuples have one entry per player; sets of players have bit n for player n.

    A round keeps one state per move and never changes it: a move changes a copy.
    """

    swaps: tuple[int, ...]
    """The players who have yet to decide whether to exchange hands."""
    hands: tuple[int, ...]
    """The known cards of each hand, as a set."""
    hidden: tuple[int, ...]
    """The number of hidden cards in each hand."""
    excess: tuple[int, ...]
    """The number of known cards too many in each hand: other cards were discarded, so the deal was reported wrongly."""
    box: tuple[int, ...]
    """The places in the deck of the cards in the box from the top, -1 for a hidden one."""
    boxed: int
    """The cards known to be in the box, as a set."""
    box_hidden: int
    """The number of cards in the box that may be any unseen one."""
    out: int
    """The players who have dropped out."""
    last: int
    """The player who discarded last; before the first discard, the one who leads."""
    turn: int
    due: bool
    """Whether the box is to be opened before the turn goes on."""
    pile: int = 0
    top: int = -1
    """The place in the deck of the card on top of the pile, -1 before the box is opened."""
    lead: int = 0
    """The number that has to be followed; 0 after a wild card that lets anything follow."""
    begun: bool = False
    """Whether anything was turned up or discarded in this turn."""
    spent: int = 0
    """The number of cards discarded in this turn."""
    quiet: int = 0
    """The players who have had an empty turn since the last discard or opening."""
    dry: bool = False
    """Whether the box was refilled and nobody has discarded since."""
    paid: tuple[int, ...] = ()
    """What each player has paid into the pot."""
    pairs: int = 0
    """The players who have declared three pairs."""
    discarded: tuple[int, ...] = ()
    """The cards each player has discarded, as a set."""
    empty_turns: tuple[EmptyTurn, ...] = ()
    end: End = ""
    winner: int = 0

    def copy(self) -> KakkuriState:
        """Return a copy that may be changed."""
        return KakkuriState(*_VALUES(self))

    def size(self, player: int) -> int:
        """Return the number of cards in a hand."""
        seat = player - 1
        return max(0, self.hands[seat].bit_count() + self.hidden[seat] - self.excess[seat])

    def is_in(self, player: int) -> bool:
        """Return whether a player has not dropped out."""
        return not self.out >> player & 1

    def players_in(self) -> Iterator[int]:
        """Yield the players who have not dropped out."""
        return (player for player in range(1, len(self.hands) + 1) if not self.out >> player & 1)

    def next_in(self, player: int) -> int:
        """Return the next player to the right who has not dropped out."""
        players = len(self.hands)
        for step in range(players):
            following = (player + step) % players + 1
            if not self.out >> following & 1:
                return following
        return player

    def all_among(self, players: int) -> bool:
        """Return whether everybody who has not dropped out is in a set of players."""
        return not ((2 << len(self.hands)) - 2) & ~self.out & ~players

    def unseen(self, pack: Pack) -> int:
        """Return the cards whose position is unknown."""
        known = self.pile | self.boxed
        for hand in self.hands:
            known |= hand
        return pack.all & ~known

    def barred(self, player: int) -> int:
        """Return the cards that a player's empty turns exclude from the hand."""
        excluded = 0
        for empty in self.empty_turns:
            if empty.player == player:
                excluded |= empty.excluded
        return excluded

    def possible(self, player: int, pack: Pack) -> int:
        """Return the cards that the hidden cards of a hand may be."""
        return self.unseen(pack) & ~self.barred(player) if self.hidden[player - 1] else 0


_VALUES = attrgetter(*(each.name for each in fields(KakkuriState)))


def start(context: KakkuriContext, deal: Deal, dealer: int, dropped: int | None) -> KakkuriState:
    """Return the state after the deal."""
    rules, pack = context.rules, context.pack
    hands = [pack.bits(hand) for hand in deal.hands]
    hidden = [hand.count(None) for hand in deal.hands]
    box = tuple(-1 if card is None else pack.place(card) for card in deal.stock)
    boxed = pack.bits(deal.stock)
    box_hidden = deal.stock.count(None)
    out = 0
    if dropped is not None:
        out = 1 << dropped
        boxed |= hands[dropped - 1]
        box_hidden = max(0, len(box) - boxed.bit_count())
        hands[dropped - 1] = hidden[dropped - 1] = 0
    around = [(context.leader + step) % context.players + 1 for step in range(context.players - 1)]
    nothing = (0,) * context.players
    state = KakkuriState(
        swaps=tuple(player for player in around if not out >> player & 1) if rules.swap else (),
        hands=tuple(hands),
        hidden=tuple(hidden),
        excess=nothing,
        box=box,
        boxed=boxed,
        box_hidden=box_hidden,
        out=out,
        last=context.leader,
        turn=context.leader,
        due=True,
        paid=nothing,
        discarded=nothing,
    )
    if dropped == dealer and rules.dropout_dealer == "redeal":
        state.swaps, state.end = (), "redeal"
    else:
        _end_by_lucky_hand(context, state)
    return state


def _end_by_lucky_hand(context: KakkuriContext, state: KakkuriState) -> None:
    """End the round if the swaps are over and a hand is known to be the lucky one."""
    lucky = context.pack.lucky
    if not state.swaps and state.top < 0:
        for player in state.players_in():
            if state.hands[player - 1] & lucky == lucky:
                state.end, state.winner = "lucky-hand", player
                return


def after(context: KakkuriContext, before: KakkuriState, move: KakkuriMove) -> KakkuriState:
    """Return the state after a move."""
    if before.end or not 1 <= move.player <= context.players:
        return before
    state = before.copy()
    if isinstance(move, Swap):
        _swap(context, state, move)
        return state
    state.swaps = ()
    if isinstance(move, LuckyHand):
        state.end, state.winner = "lucky-hand", move.player
    elif isinstance(move, ThreePairs):
        state.pairs |= 1 << move.player
    else:
        if move.player != state.turn:
            state.turn, state.due, state.begun, state.spent = move.player, False, False, 0
        if isinstance(move, OpenBox):
            _open(context, state, move)
        elif isinstance(move, Discard):
            _discard(context, state, move)
        elif isinstance(move, DropOut):
            _fold(context, state, move.player)
        else:
            _pass(context, state, move.player)
    return state


def _swap(context: KakkuriContext, state: KakkuriState, move: Swap) -> None:
    state.swaps = tuple(player for player in state.swaps if player != move.player)
    if move.accept:
        one, other = move.player - 1, context.leader - 1
        state.hands = _exchanged(state.hands, one, other)
        state.hidden = _exchanged(state.hidden, one, other)
        state.excess = _exchanged(state.excess, one, other)
    _end_by_lucky_hand(context, state)


def _open(context: KakkuriContext, state: KakkuriState, move: OpenBox) -> None:
    place = context.pack.index.get(move.card)
    state.due, state.begun = False, True
    if place is None:
        return
    bit = 1 << place
    if not state.box:
        # The discards below the top card become the box again.
        below = state.pile & ~(1 << state.top) if state.pile else 0
        state.box, state.boxed, state.box_hidden = (-1,) * below.bit_count(), below, 0
        state.pile ^= below
        state.dry = True
    if not state.boxed & bit:
        state.box_hidden = max(0, state.box_hidden - 1)
    state.box = state.box[1:]
    state.boxed &= ~bit
    state.pile |= bit
    state.top, state.lead, state.quiet = place, context.pack.ranks[place], 0


def _discard(context: KakkuriContext, state: KakkuriState, move: Discard) -> None:
    pack, player = context.pack, move.player
    index, cards = pack.index, 0
    for card in move.cards:
        if card in index:
            cards |= 1 << index[card]
    if not cards:
        return
    seat = player - 1
    hand = state.hands[seat]
    state.hands = _changed(state.hands, seat, hand & ~cards)
    if unknown := cards & ~hand:
        hidden = state.hidden[seat] - unknown.bit_count()
        state.hidden = _changed(state.hidden, seat, max(0, hidden))
        state.excess = _changed(state.excess, seat, state.excess[seat] + max(0, -hidden))
    state.discarded = _changed(state.discarded, seat, state.discarded[seat] | cards)
    state.pile |= cards
    state.top = cards.bit_length() - 1
    state.lead = _lead(context, cards, move.as_rank)
    state.last, state.due, state.begun = player, False, True
    state.spent += cards.bit_count()
    state.quiet, state.dry = 0, False
    if not state.size(player):
        state.end, state.winner = "guri" if state.spent == HAND else "win", player


def _lead(context: KakkuriContext, cards: int, as_rank: int | None) -> int:
    """Return the number to follow after a discard."""
    pack = context.pack
    if as_rank is not None and as_rank in RANKS:
        return as_rank
    if cards.bit_count() > 1:
        return set_rank(context.rules, pack, cards) or 0
    return 0 if cards & pack.wild else pack.ranks[cards.bit_length() - 1]


def _fold(context: KakkuriContext, state: KakkuriState, player: int) -> None:
    state.out |= 1 << player
    state.paid = _changed(state.paid, player - 1, state.paid[player - 1] + context.rules.fold_stake)
    others = list(state.players_in())
    if len(others) == 1:
        state.end, state.winner = "last-one-in", others[0]
        return
    if state.last == player:
        state.last = state.next_in(player)
    _advance(context, state, player)


def _pass(context: KakkuriContext, state: KakkuriState, player: int) -> None:
    rules = context.rules
    if state.spent:
        _advance(context, state, player)
        return
    seat = player - 1
    if excluded := excluded_by_pass(context, state, player):
        state.empty_turns = (*state.empty_turns, EmptyTurn(player, state.top, excluded))
    if rules.pass_penalty:
        state.paid = _changed(state.paid, seat, state.paid[seat] + rules.pass_penalty)
    state.quiet |= 1 << player
    if state.due and box_is_spent(context, state):
        state.end = "void"
    elif (
        rules.all_pass == "including_self"
        and player == state.last
        and not state.due
        and state.all_among(state.quiet)
    ):
        state.begun = False
        _require_box(context, state)
    else:
        _advance(context, state, player)


def excluded_by_pass(context: KakkuriContext, state: KakkuriState, player: int) -> int:
    """Return the cards that an empty turn of a hidden hand rules out; 0 if it says nothing."""
    if context.rules.must_play == "none" or not state.hidden[player - 1]:
        return 0
    return playable(context, state, player)


def playable(context: KakkuriContext, state: KakkuriState, player: int) -> int:
    """Return the cards that a player could discard from the hand, alone or in a pair.

    In a hand of pairs a joker is not one of them: the card it goes with decides.
    """
    pack = context.pack
    following = pack.following[state.lead]
    if not state.pairs >> player & 1:
        return following | pack.wild
    return following & ~pack.wild if context.rules.wild_in_sets == "joker" else following


def _advance(context: KakkuriContext, state: KakkuriState, player: int) -> None:
    """Give the turn to the next player; back at the player who discarded last, the box may be due."""
    state.turn = turn = state.next_in(player)
    state.due, state.begun, state.spent = False, False, 0
    if turn == state.last:
        # The player who discarded last may have passed on the card turned up after that.
        passed = state.quiet | (1 << turn if context.rules.all_pass == "excluding_self" else 0)
        if state.all_among(passed):
            _require_box(context, state)


def _require_box(context: KakkuriContext, state: KakkuriState) -> None:
    """Make the player open the box; if that is forced and impossible, the round is void."""
    state.due = True
    if context.rules.reopen == "forced" and box_is_spent(context, state):
        state.end = "void"


def box_is_spent(context: KakkuriContext, state: KakkuriState) -> bool:
    """Return whether the box is empty and not to be refilled.

    It is refilled from the discards, except when all of them have just been turned up and nobody could use
    one: then nobody ever will, and the round would not end.
    """
    return not state.box and (state.dry or context.rules.box_empty == "void")


def _exchanged(values: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    return _changed(_changed(values, one, values[other]), other, values[one])


def _changed(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
