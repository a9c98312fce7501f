"""A round of Kingo: each against all, for a pot.

>>> from random import Random
>>> from companion.hanafuda.rules import resolve
>>> played = KingoRound.shuffled(resolve("kingo"), Random(4), players=3)
>>> while played.outcome() is None:
...     played.push(played.legal_moves()[-1])
>>> sum(played.outcome().points)
0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Self

from ...errors import BadRequestError
from ...messages import Message, player_message
from ...round import Deal, Outcome, Problem
from ...rules import resolve
from ...validation import whole_number
from .drawing import DrawingRound
from .hands import LIMIT, Hand
from .hidden import Passing
from .phrases import hand_message, player_names, stone_count
from .record import MAX_STONES
from .rules import KingoRules
from .state import KingoState, Seat

__all__ = ["KingoRound"]


@dataclass(frozen=True, slots=True)
class _Pot:
    """The pot at the showdown, and what each player paid into it."""

    times: int
    paid: tuple[int, ...]
    short: tuple[int, ...]
    """The players who could not pay in full."""


class KingoRound(DrawingRound[KingoRules, KingoState]):
    """One round for the pot: one card each, the dealer draws first, and the hand nearest to 15 wins.

    `wager` is the stake of each player in this round; the default is the rules' wager. `Outcome.points` add up to 0.
    """

    dealt = 1
    situation_keys: ClassVar = {"wager": MAX_STONES, "stones": MAX_STONES}

    def __init__(
        self,
        rules: KingoRules,
        deal: Deal,
        *,
        dealer: int,
        wager: int | None = None,
        stones: Sequence[int] | None = None,
    ) -> None:
        """Raise `BadRequestError` for a card that is not in the table's deck."""
        self.wager = rules.wager if wager is None else wager
        super().__init__(rules, deal, dealer=dealer, stones=stones)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the round that a record deals (`companion.hanafuda.games.kingo.record`), before its turns."""
        rules = resolve(record.get("rules"), "kingo")
        if not isinstance(rules, KingoRules):
            raise BadRequestError(
                f"the rules {rules.name} are those of the banking form: a round for the pot"
            )
        stake = record.get("wager")
        return cls(
            rules,
            **cls._record_arguments(record, rules),
            wager=None if stake is None else whole_number(stake, "wager", 1),
        )

    def situation(self) -> Mapping[str, int | tuple[int, ...]]:
        """Return the stones, if known, and the wager, if it differs from the rules' wager."""
        wager = {} if self.wager == self.rules.wager else {"wager": self.wager}
        return {**wager, **super().situation()}

    def status(self) -> list[Problem]:
        """Return every problem of the deal."""
        if self.wager > 0:
            return super().status()
        bad = Message("kingo-wager-too-low", {"wager": self.wager})
        return [Problem("wrong-wager", bad), *super().status()]

    def _start(self) -> KingoState:
        return KingoState(
            tuple(Seat(hand) for hand in self.deal.hands), self.deal.stock, next(iter(self.order), 0)
        )

    def _order(self) -> tuple[int, ...]:
        # The dealer first, then to his right.
        dealer = tuple(player for player in self.seats_from_right if player == self.dealer)
        return (*dealer, *(player for player in self.seats_from_right if player != self.dealer))

    def _first_cards(self, player: int) -> int:
        return self.dealt

    def _max_draw_value(self) -> int:
        return LIMIT if self.rules.draw_at_fifteen == "allowed" else LIMIT - 1

    def _passing(self, player: int) -> Passing:
        return Passing(cards=self.dealt + self.rules.min_draws)

    # --- the showdown

    @property
    def nearest(self) -> tuple[int, ...]:
        """The players in order of precedence from the dealer's right; option `dealer_order` puts the dealer last or first."""
        return self.seats_from_right if self.rules.dealer_order == "dealer_last" else self.order

    def _outcome(self, state: KingoState) -> Outcome | None:
        if not self._all_revealed(state):
            return None
        hands = {
            player: self._hand(player, state.seats[player - 1])
            for player in self.nearest
            if state.seats[player - 1].done == "pass"
        }
        if not hands:
            return Outcome.no_round("void", self.players, self.dealer, Message("kingo-all-bareta"))
        best = max(hand.strength for hand in hands.values())
        winners = [player for player, hand in hands.items() if hand.strength == best]
        return self.settled(state, hands, winners)

    def settled(self, state: KingoState, hands: Mapping[int, Hand], winners: Sequence[int]) -> Outcome:
        """Return the outcome for the hands that are not bareta; `winners` are in order of precedence."""
        pot = self._pot(state, hands, winners)
        shares = self._shares(sum(pot.paid), winners)
        points = tuple(shares.get(player, 0) - paid for player, paid in enumerate(pot.paid, start=1))
        return Outcome(
            how="won" if len(winners) == 1 else "tied",
            winners=tuple(sorted(winners)),
            points=points,
            next_dealer=winners[0],
            reason=self._why(state, hands[winners[0]], winners, pot, shares),
        )

    def _pot(self, state: KingoState, hands: Mapping[int, Hand], winners: Sequence[int]) -> _Pot:
        """Return what each player pays (the winners too): bareta doubles it, a teyaku multiplies all."""
        counted = hands if self.rules.both_teyaku == "product" else {winners[0]: hands[winners[0]]}
        times = prod({hand.rank.slug: hand.rank.times for hand in counted.values()}.values())
        paid, short = [], []
        for player, seat in enumerate(state.seats, start=1):
            due = self.wager * times * (2 if seat.done == "bareta" else 1) if seat.cards else 0
            payment = due if self.limited is None else min(due, self.limited[player - 1])
            paid.append(payment)
            if payment < due:
                short.append(player)
        return _Pot(times, tuple(paid), tuple(short))

    def _shares(self, pot: int, winners: Sequence[int]) -> dict[int, int]:
        """Return what each winner gets; `winners` are in order of precedence."""
        share, remainder = divmod(pot, len(winners))
        if self.rules.remainder == "whole":
            return {player: share + (remainder if index == 0 else 0) for index, player in enumerate(winners)}
        return {player: share + (1 if index < remainder else 0) for index, player in enumerate(winners)}

    def _why(
        self, state: KingoState, hand: Hand, winners: Sequence[int], pot: _Pot, shares: Mapping[int, int]
    ) -> Message:
        best = hand_message(hand) if hand.months else Message("kingo-hand-best")
        params = {"hand": best, "pot": stone_count(sum(pot.paid))}
        if len(winners) == 1:
            text = Message("kingo-pot-taken", {**params, "player": player_message(winners[0])})
        else:
            parts = tuple(
                Message(
                    "kingo-pot-part",
                    {"player": player_message(player), "stones": stone_count(shares[player])},
                )
                for player in winners
            )
            text = Message("kingo-pot-shared", {**params, "players": player_names(winners), "parts": parts})
        clauses = [Message("kingo-pot-wager", {"stones": stone_count(self.wager)})]
        if pot.times > 1:
            clauses.append(Message("kingo-pot-times", {"times": pot.times}))
        if bareta := [player for player in self.seats_from_right if state.seats[player - 1].done == "bareta"]:
            clauses.append(Message("kingo-pot-bareta", {"players": player_names(bareta)}))
        if pot.short:
            clauses.append(Message("kingo-pot-short", {"players": player_names(pot.short)}))
        for clause in clauses:
            text = Message("line-sequence", {"first": text, "then": clause})
        return Message("kingo-pot", {"text": text})
