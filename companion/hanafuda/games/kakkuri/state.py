"""How a round of Kakkuri stands, and how each move changes it; whether a move is allowed is `checks`.

An illegal move that happened all the same is followed as far as it can be: who played had the turn, and what
lies on the pile lies there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from companion.hanafuda.games.kakkuri.cards import HAND, RANKS, Pack
from companion.hanafuda.games.kakkuri.moves import (
    Discard,
    Fold,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Swap,
    ThreePairs,
)
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.games.kakkuri.sets import set_rank
from companion.hanafuda.round import Deal

__all__ = [
    "EIGHT",
    "EmptyTurn",
    "End",
    "Ground",
    "State",
    "after",
    "lacking",
    "playable",
    "spent_box",
    "start",
]

EIGHT = 8
"""So many players leave no box: one of them drops out, and his cards are the box."""

End = Literal["", "win", "guri", "lucky-hand", "last-one-in", "void", "redeal"]


class Ground(NamedTuple):
    """What stays the same through a round."""

    rules: KakkuriRules
    pack: Pack
    players: int
    leader: int
    """Who does what a dealer does: the dealer, or the player to his right when he dropped out (A4)."""


class EmptyTurn(NamedTuple):
    """A turn without a discard by a hidden hand that had to discard if it could: what it cannot have held."""

    player: int
    top: int
    lacked: int


class State(NamedTuple):
    """A round at one moment. Players' values are in order of the players; `out` and the like have bit n for player n."""

    swaps: tuple[int, ...]
    """Who has yet to say whether he exchanges hands."""
    hands: tuple[int, ...]
    """The known cards of each hand, as a set."""
    hidden: tuple[int, ...]
    """The number of cards nobody told in each hand."""
    excess: tuple[int, ...]
    """The number of known cards too many in each hand: it has shown others, so it was reported wrongly."""
    box: tuple[int, ...]
    """The places of the cards in the box from the top, -1 for one that is not told."""
    boxed: int
    """The cards known to be in the box."""
    box_hidden: int
    """The number of cards in it that may be any unseen one."""
    out: int
    """Who has dropped out."""
    last: int
    """Who discarded last; before the first discard, who leads."""
    turn: int
    due: bool
    """Whether the box is to be opened before the turn goes on."""
    pile: int = 0
    top: int = -1
    """The place of the card on top of the pile, -1 before the box is opened."""
    lead: int = 0
    """The number that what follows goes by; 0 after a wild card that lets anything follow."""
    begun: bool = False
    """Whether anything was turned up or discarded in this turn."""
    spent: int = 0
    """The cards discarded in this turn."""
    quiet: int = 0
    """Who has had an empty turn since the last discard or opening."""
    dry: bool = False
    """Whether the box was filled again and nobody has discarded since."""
    paid: tuple[int, ...] = ()
    """What each has paid into the pot."""
    pairs: int = 0
    """Who has declared three pairs."""
    shown: tuple[int, ...] = ()
    """The cards each has discarded, as a set."""
    empty_turns: tuple[EmptyTurn, ...] = ()
    end: End = ""
    winner: int = 0

    def size(self, player: int) -> int:
        """Return the number of cards in a hand."""
        seat = player - 1
        return max(0, self.hands[seat].bit_count() + self.hidden[seat] - self.excess[seat])

    def players_in(self) -> Iterator[int]:
        """Yield the players who have not dropped out."""
        return (player for player in range(1, len(self.hands) + 1) if not self.out >> player & 1)

    def next_in(self, player: int) -> int:
        """Return the next player to the right who has not dropped out."""
        others = list(self.players_in())
        return next((other for other in others if other > player), others[0])

    def unseen(self, pack: Pack) -> int:
        """Return the cards of which nobody told where they are."""
        seen = self.pile | self.boxed
        for hand in self.hands:
            seen |= hand
        return pack.all & ~seen

    def barred(self, player: int) -> int:
        """Return the cards that a player's empty turns say he cannot hold."""
        lacked = 0
        for empty in self.empty_turns:
            if empty.player == player:
                lacked |= empty.lacked
        return lacked

    def possible(self, player: int, pack: Pack) -> int:
        """Return the cards that the hidden ones of a hand may be."""
        return self.unseen(pack) & ~self.barred(player) if self.hidden[player - 1] else 0


def start(ground: Ground, deal: Deal, dealer: int, dropped: int | None) -> State:
    """Return the state after the deal."""
    rules, pack = ground.rules, ground.pack
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
    around = [(ground.leader + step) % ground.players + 1 for step in range(ground.players - 1)]
    state = State(
        swaps=tuple(player for player in around if not out >> player & 1) if rules.swap else (),
        hands=tuple(hands),
        hidden=tuple(hidden),
        excess=(0,) * ground.players,
        box=box,
        boxed=boxed,
        box_hidden=box_hidden,
        out=out,
        last=ground.leader,
        turn=ground.leader,
        due=True,
        paid=(0,) * ground.players,
        shown=(0,) * ground.players,
    )
    if dropped == dealer and rules.dropout_dealer == "redeal":
        return state._replace(swaps=(), end="redeal")
    return _lucky(ground, state)


def _lucky(ground: Ground, state: State) -> State:
    """End the round where the swaps are over and a hand is known to be the lucky one."""
    lucky = ground.pack.lucky
    if not state.swaps and state.top < 0:
        for player in state.players_in():
            if state.hands[player - 1] & lucky == lucky:
                return state._replace(end="lucky-hand", winner=player)
    return state


def after(ground: Ground, state: State, move: KakkuriMove) -> State:
    """Return the state after a move."""
    if state.end or not 1 <= move.player <= ground.players:
        return state
    match move:
        case Swap():
            return _swap(ground, state, move)
        case LuckyHand():
            return state._replace(swaps=(), end="lucky-hand", winner=move.player)
        case ThreePairs():
            return state._replace(swaps=(), pairs=state.pairs | 1 << move.player)
    state = state._replace(swaps=())
    if move.player != state.turn:
        state = state._replace(turn=move.player, due=False, begun=False, spent=0)
    return _played(ground, state, move)


def _played(ground: Ground, state: State, move: KakkuriMove) -> State:
    """Return the state after a move of the player whose turn it is."""
    match move:
        case OpenBox():
            return _open(ground, state, move)
        case Discard():
            return _discard(ground, state, move)
        case Fold():
            return _fold(ground, state, move.player)
        case _:
            return _pass(ground, state, move.player)


def _swap(ground: Ground, state: State, move: Swap) -> State:
    left = tuple(player for player in state.swaps if player != move.player)
    if move.accept:
        one, other = move.player - 1, ground.leader - 1
        state = state._replace(
            hands=_exchanged(state.hands, one, other),
            hidden=_exchanged(state.hidden, one, other),
            excess=_exchanged(state.excess, one, other),
        )
    return _lucky(ground, state._replace(swaps=left))


def _open(ground: Ground, state: State, move: OpenBox) -> State:
    place = ground.pack.index.get(move.card)
    if place is None:
        return state._replace(due=False, begun=True)
    bit = 1 << place
    if not state.box:
        below = state.pile & ~(1 << state.top) if state.pile else 0
        state = state._replace(
            box=(-1,) * below.bit_count(), boxed=below, box_hidden=0, pile=state.pile ^ below, dry=True
        )
    known = bool(state.boxed & bit)
    return state._replace(
        box=state.box[1:],
        boxed=state.boxed & ~bit,
        box_hidden=max(0, state.box_hidden - (not known)),
        pile=state.pile | bit,
        top=place,
        lead=ground.pack.ranks[place],
        due=False,
        begun=True,
        quiet=0,
    )


def _discard(ground: Ground, state: State, move: Discard) -> State:
    pack, player = ground.pack, move.player
    cards = 0
    for card in move.cards:
        cards |= 1 << pack.index[card] if card in pack.index else 0
    if not cards:
        return state
    seat = player - 1
    hand = state.hands[seat]
    hidden = state.hidden[seat] - (cards & ~hand).bit_count()
    state = state._replace(
        hands=_changed(state.hands, seat, hand & ~cards),
        hidden=_changed(state.hidden, seat, max(0, hidden)),
        excess=_changed(state.excess, seat, state.excess[seat] + max(0, -hidden)),
        shown=_changed(state.shown, seat, state.shown[seat] | cards),
        pile=state.pile | cards,
        top=cards.bit_length() - 1,
        lead=_lead(ground, cards, move.as_rank),
        last=player,
        due=False,
        begun=True,
        spent=state.spent + cards.bit_count(),
        quiet=0,
        dry=False,
    )
    if state.size(player):
        return state
    return state._replace(end="guri" if state.spent == HAND else "win", winner=player)


def _lead(ground: Ground, cards: int, as_rank: int | None) -> int:
    """Return the number that goes on after a discard."""
    pack = ground.pack
    if as_rank is not None and as_rank in RANKS:
        return as_rank
    if cards.bit_count() > 1:
        return set_rank(ground.rules, pack, cards) or 0
    return 0 if cards & pack.wild else pack.ranks[cards.bit_length() - 1]


def _fold(ground: Ground, state: State, player: int) -> State:
    state = state._replace(
        out=state.out | 1 << player,
        paid=_changed(state.paid, player - 1, state.paid[player - 1] + ground.rules.fold_stake),
    )
    others = list(state.players_in())
    if len(others) == 1:
        return state._replace(end="last-one-in", winner=others[0])
    if state.last == player:
        state = state._replace(last=state.next_in(player))
    return _advance(ground, state, player)


def _pass(ground: Ground, state: State, player: int) -> State:
    rules = ground.rules
    if state.spent:
        return _advance(ground, state, player)
    seat = player - 1
    lacked = lacking(ground, state, player)
    quiet = state.quiet | 1 << player
    state = state._replace(
        paid=_changed(state.paid, seat, state.paid[seat] + rules.pass_penalty),
        quiet=quiet,
        empty_turns=(*state.empty_turns, EmptyTurn(player, state.top, lacked))
        if lacked
        else state.empty_turns,
    )
    if state.due and spent_box(ground, state):
        return state._replace(end="void")
    if (
        rules.all_pass == "including_self"
        and player == state.last
        and not state.due
        and all(quiet >> other & 1 for other in state.players_in())
    ):
        return _due(ground, state._replace(begun=False))
    return _advance(ground, state, player)


def lacking(ground: Ground, state: State, player: int) -> int:
    """Return the cards of which an empty turn of a hidden hand says that it holds none; 0 where it says nothing."""
    if ground.rules.must_play == "none" or not state.hidden[player - 1]:
        return 0
    return playable(ground, state, player)


def playable(ground: Ground, state: State, player: int) -> int:
    """Return the cards that, in a player's hand, he could discard, alone or in a pair as he plays.

    A joker is no such card in a hand of pairs: what it goes with decides.
    """
    pack = ground.pack
    following = pack.following[state.lead]
    if not state.pairs >> player & 1:
        return following | pack.wild
    return following & ~pack.wild if ground.rules.wild_in_sets == "joker" else following


def _advance(ground: Ground, state: State, player: int) -> State:
    """Give the turn to the next player; where it comes back to who discarded last, the box may be due (A15)."""
    turn = state.next_in(player)
    state = state._replace(turn=turn, due=False, begun=False, spent=0)
    # Who discarded last may have passed himself already: on the card that he turned up.
    passed = state.quiet | (1 << turn if ground.rules.all_pass == "excluding_self" else 0)
    if turn == state.last and all(passed >> other & 1 for other in state.players_in()):
        return _due(ground, state)
    return state


def _due(ground: Ground, state: State) -> State:
    """Let the player open the box; where he must and cannot, the round is void (A16)."""
    state = state._replace(due=True)
    if ground.rules.reopen == "forced" and spent_box(ground, state):
        return state._replace(end="void")
    return state


def spent_box(ground: Ground, state: State) -> bool:
    """Return whether the box is empty and not to be filled again.

    It is filled from the discards (A16), but not when all of them have just been turned up and nobody could
    use one: then nobody ever will, and the round would not end.
    """
    return not state.box and (state.dry or ground.rules.box_empty == "void")


def _exchanged(values: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    return _changed(_changed(values, one, values[other]), other, values[one])


def _changed(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
