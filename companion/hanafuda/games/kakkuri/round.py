"""One round of Kakkuri, from the deal to the payment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple, Self

from ...errors import BadRequestError
from ...messages import Message, card_message, player_message
from ...round import Deal, Outcome, Problem, Round
from ...rules import resolve
from .cards import HAND, PACKS, follows
from .checks import check, stands_for
from .legal import legal_moves
from .moves import (
    Discard,
    DropOut,
    KakkuriMove,
    LuckyHand,
    OpenBox,
    Pass,
    Swap,
    read_words,
)
from .payment import settle
from .record import MAX_POT, Turn, read_deal, read_number, turn_dicts
from .rules import KakkuriRules
from .sets import set_rank
from .state import EIGHT, KakkuriContext, KakkuriState, after, start

__all__ = ["KakkuriRound", "PlayerState"]


class PlayerState(NamedTuple):
    """A player's current state in the round."""

    cards: int
    """The number of cards in the hand."""
    paid: int
    """The shares paid into the pot in this round."""
    dropped_out: bool


class KakkuriRound(Round[KakkuriMove, KakkuriRules, KakkuriState]):
    """One round of Kakkuri; `pot` is what an earlier void round left.

    The deal's `stock` is the box. With eight players the hand with the 3 of clubs drops out, and the box is its six
    cards in order. Raises `BadRequestError` for cards outside the rules' deck and for a dealer who is not a player.
    """

    situation_keys: ClassVar = {"pot": MAX_POT}
    deal_keys = frozenset({"hands", "stock", "dropped"})
    turn_starts = frozenset({"swap", "keep"})
    turn_ends = frozenset({"pass", "fold", "swap", "keep", "lucky-hand"})

    def __init__(self, rules: KakkuriRules, deal: Deal, *, dealer: int, pot: int = 0) -> None:
        read_number({"dealer": dealer}, "dealer", 1, 1, len(deal.hands))
        self.pot = pot
        pack = PACKS[rules.deck]
        holders = [
            player for player, hand in enumerate(deal.hands, start=1) if pack.cards(pack.dropout)[0] in hand
        ]
        self.dropped = holders[0] if holders and len(deal.hands) == EIGHT else None
        leader = dealer % len(deal.hands) + 1 if self.dropped == dealer else dealer
        self.context = KakkuriContext(rules, pack, len(deal.hands), leader)
        super().__init__(rules, deal, dealer=dealer)

    @property
    def leader(self) -> int:
        """The player with the dealer's duties: the dealer, or the next player if the dealer dropped out."""
        return self.context.leader

    # --- the methods that Round requires

    def _start(self) -> KakkuriState:
        return start(self.context, self.deal, self.dealer, self.dropped)

    def _check(self, state: KakkuriState, move: KakkuriMove) -> list[Problem]:
        return check(self.context, state, move)

    def _after(self, state: KakkuriState, move: KakkuriMove) -> KakkuriState:
        return after(self.context, state, move)

    def _legal(self, state: KakkuriState) -> list[KakkuriMove]:
        return legal_moves(self.context, state)

    def _outcome(self, state: KakkuriState) -> Outcome | None:
        return settle(self.context, state, self.pot, self.dealer) if state.end else None

    def _is_over(self, state: KakkuriState) -> bool:
        return state.end != ""

    def _to_move(self, state: KakkuriState) -> int:
        return state.swaps[0] if state.swaps else state.turn

    def status(self) -> list[Problem]:
        """Return every problem of the deal.

        Codes: wrong-players, wrong-hand, wrong-box, no-dropout, card-twice.
        """
        return list(self._deal_problems())

    def _deal_problems(self) -> Iterator[Problem]:
        pack, players = self.context.pack, self.players
        min_players = self.rules.fewest_players
        if not min_players <= players <= EIGHT:
            yield Problem(
                "wrong-players",
                Message("kakkuri-wrong-players", {"players": players, "min": min_players, "max": EIGHT}),
            )
        for player, hand in enumerate(self.deal.hands, start=1):
            if len(hand) != HAND:
                yield Problem(
                    "wrong-hand",
                    Message(
                        "wrong-hand",
                        {"player": player_message(player), "count": len(hand), "right": HAND},
                    ),
                )
        box = HAND if players == EIGHT else max(0, len(pack.ids) - HAND * players)
        if len(self.deal.stock) != box:
            yield Problem(
                "wrong-box", Message("kakkuri-wrong-box", {"count": len(self.deal.stock), "right": box})
            )
        yield from self._dropout_problems()
        dealt = 0
        for cards in (*self.deal.hands, () if self.dropped else self.deal.stock):
            yield from self._duplicates(dealt, cards)
            dealt |= pack.bits(cards)
        if self.dropped:
            yield from self._duplicates(0, self.deal.stock)

    def _dropout_problems(self) -> Iterator[Problem]:
        pack = self.context.pack
        if self.players != EIGHT:
            return
        if not self.dropped:
            yield Problem("no-dropout", Message("kakkuri-no-dropout", {"card": pack.names(pack.dropout)}))
            return
        hand = self.deal.hands[self.dropped - 1]
        others = pack.bits(card for seat in self.deal.hands for card in seat if seat is not hand)
        wrong = pack.bits(self.deal.stock) & (others if None in hand else ~pack.bits(hand))
        if wrong:
            yield Problem(
                "wrong-box",
                Message(
                    "kakkuri-box-not-dropped",
                    {"cards": pack.names(wrong), "player": player_message(self.dropped)},
                ),
            )

    def _duplicates(self, dealt: int, cards: Sequence[str | None]) -> Iterator[Problem]:
        for card in cards:
            if card is None:
                continue
            bit = 1 << self.context.pack.place(card)
            if dealt & bit:
                yield Problem("card-twice", Message("dealt-twice", {"card": card_message(card)}))
            dealt |= bit

    def _board(self) -> Iterator[tuple[str, str | Sequence[str | None]]]:
        state, pack = self.state, self.context.pack
        yield "box", f"{len(state.box)} cards"
        yield (
            "pile",
            f"{state.pile.bit_count()} cards" + (f", {pack.ids[state.top]} on top" if state.pile else ""),
        )
        for player in range(1, self.players + 1):
            if not state.is_in(player):
                yield f"player {player}", "dropped out"
                continue
            known = pack.cards(state.hands[player - 1])
            yield f"player {player}", (*known, *(None,) * (state.size(player) - len(known)))

    def pending_decision(self) -> Problem | None:
        """Return a problem if the current turn has begun and not ended; None between turns."""
        state = self._states[-1]
        if not state.begun or state.end:
            return None
        return Problem(
            "turn-unfinished", Message("kakkuri-turn-unfinished", {"player": player_message(state.turn)})
        )

    def may_be_over(self) -> bool:
        """Return whether a hidden hand may have been the lucky one, which wins before the box is opened."""
        state = self._states[-1]
        return not state.end and state.top < 0 and any(state.hidden)

    def score(self, player: int) -> PlayerState:
        """Return a player's standing: cards in the hand, shares paid to the pot, whether the player is out."""
        state, place = self._states[-1], self._place(player)
        return PlayerState(state.size(player), state.paid[place], bool(state.out >> player & 1))

    @classmethod
    def seats(cls, rules: KakkuriRules) -> Sequence[int]:
        """Return the allowed numbers of players."""
        return range(rules.fewest_players, EIGHT + 1)

    @classmethod
    def shuffled(
        cls,
        rules: KakkuriRules,
        rng: Random,
        *,
        players: int = 7,
        dealer: int = 1,
        **situation: int,
    ) -> Self:
        """Deal a round from a shuffled deck; deal again if the rules ask for a redeal.

        Raises `BadRequestError` for a number of players that the rules do not allow.
        """
        pack = PACKS[rules.deck]
        if not rules.fewest_players <= players <= EIGHT:
            raise BadRequestError(
                f"Kakkuri is for {rules.fewest_players} to {EIGHT} players by these rules, not {players}:"
                " the option players may be 5_to_8 or 2_to_8"
            )
        while True:
            ids = rng.sample(pack.ids, len(pack.ids))
            hands = tuple(tuple(ids[HAND * seat : HAND * (seat + 1)]) for seat in range(players))
            stock = tuple(ids[HAND * players :])
            if players == EIGHT:
                dropped_hand = next(hand for hand in hands if pack.cards(pack.dropout)[0] in hand)
                stock = tuple(rng.sample(dropped_hand, HAND))
            dealt = cls(rules, Deal(hands, (), stock), dealer=dealer, **situation)
            if dealt._states[0].end != "redeal":
                return dealt

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the round of a record; the format is described in `companion.hanafuda.games.kakkuri.record`."""
        rules = resolve(record.get("rules"), "kakkuri")
        assert isinstance(rules, KakkuriRules)
        hands = record["deal"].get("hands") if isinstance(record.get("deal"), Mapping) else None
        dealt = len(hands) if isinstance(hands, Mapping) and hands else 7
        players = read_number(record, "players", dealt, 2, EIGHT)
        return cls(
            rules,
            read_deal(record, rules, players),
            dealer=read_number(record, "dealer", 1, 1, players),
            pot=read_number(record, "pot", 0, 0, MAX_POT),
        )

    def read_turn(self, turn: Mapping[str, Any]) -> Iterator[KakkuriMove]:
        """Yield the moves of a record's turn, with the swaps declined and the passes that the record implies."""
        entry = Turn(turn, self.players)
        player = entry.player
        over = self.outcome() is not None
        pending = self._states[-1].swaps
        if entry.swap is not None:
            pending = pending[: pending.index(player)] if player in pending else ()
        for other in pending:
            yield Swap(other, False)
        if entry.swap is not None:
            yield Swap(player, entry.swap)
            return
        if isinstance(entry.declares, LuckyHand) and self._undeclared() == player:
            return
        if entry.box is not None:
            yield OpenBox(player, entry.box)
        if entry.declares is not None:
            yield entry.declares
        if entry.declaration_only:
            return
        for cards in entry.discards:
            yield Discard(player, cards, self._number(entry, cards))
        if entry.fold:
            yield DropOut(player)
        elif not entry.unfinished and (over or self.outcome() is None):
            yield Pass(player)

    def inferred_moves(self, move: KakkuriMove) -> list[KakkuriMove]:
        """Return the moves implied by a move: swaps declined before it, and the end of the turn before."""
        state = self._states[-1]
        if isinstance(move, OpenBox):
            return [Swap(player, False) for player in state.swaps]
        if isinstance(move, Swap):
            pending = state.swaps if move.player in state.swaps else ()
            return [Swap(player, False) for player in pending[: pending.index(move.player) if pending else 0]]
        follows = state.spent and move.player == state.next_in(state.turn) != state.turn
        return [Pass(state.turn)] if follows and isinstance(move, Discard) else []

    def _undeclared(self) -> int | None:
        """Return the player who won with a lucky hand that nobody declared; None if there is none."""
        state = self._states[-1]
        won = state.end == "lucky-hand" and LuckyHand(state.winner) not in self._moves
        return state.winner if won else None

    def _number(self, entry: Turn, cards: Sequence[str]) -> int | None:
        """Return a recorded discard's `as_rank`; None if the cards imply it, filled in if only one is possible."""
        context, lead = self.context, self._states[-1].lead
        rank = next((entry.wild_ranks[card] for card in cards if card in entry.wild_ranks), None)
        bits = context.pack.bits(card for card in cards if card in context.pack.index)
        if not bits:
            return rank
        if stands_for(context, bits):
            return follows(lead)[0] if rank is None and len(follows(lead)) == 1 else rank
        return None if rank == set_rank(context.rules, context.pack, bits) else rank

    def turns(self) -> list[dict[str, Any]]:
        """Return the moves so far as turns of a record."""
        return list(turn_dicts(self._moves, self._states[-1].end != ""))

    @classmethod
    def read_move(cls, player: int, words: Sequence[str]) -> KakkuriMove:
        """Return the move written by `Move.words`."""
        return read_words(player, words)

    def situation(self) -> dict[str, int]:
        """Return the pot at the start of the round."""
        return {"pot": self.pot}
