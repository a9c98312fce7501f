"""A round of Kingo's banking form: every bettor against the dealer.

>>> from random import Random
>>> from companion.hanafuda.rules import resolve
>>> played = KingoBankRound.shuffled(resolve("kingo-bank"), Random(4), players=3)
>>> while played.outcome() is None:
...     played.push(played.legal_moves()[0])
>>> sum(played.outcome().points)
0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar, Self

from ...messages import Message
from ...round import Deal, Outcome, Problem
from ...rules import resolve
from ...validation import whole_number
from .drawing import DrawingRound
from .hands import LIMIT, Role
from .hidden import COPIES, Passing
from .moves import Choose, KingoMove, Redeal, Wager
from .payment import Settlement, settle
from .phrases import action_problem, card_names, player_names, sentences, stone_count
from .record import MAX_SEED, MAX_STONES, Turn
from .rules import KingoBankRules
from .state import BankState, Seat, replaced, seen

__all__ = ["KingoBankRound"]

OCTOBER = 10


class KingoBankRound(DrawingRound[KingoBankRules, BankState]):
    """One round against the bank: three cards each, of which one is kept; wagers; the dealer draws last.

    `shuffle` is the seed for shuffling the discards into the draw pile. It is None for a real table, where the cards
    drawn reveal the order of the pile. `Outcome.points` add up to 0, or to minus the house's part of the winnings
    (the option `tera_zen`).
    """

    dealt = 3
    situation_keys: ClassVar = {"stones": MAX_STONES, "shuffle": MAX_SEED}

    def __init__(
        self,
        rules: KingoBankRules,
        deal: Deal,
        *,
        dealer: int,
        stones: Sequence[int] | None = None,
        shuffle: int | None = None,
    ) -> None:
        """Raise `BadRequestError` for a card that is not in the table's deck."""
        self.shuffle = shuffle
        super().__init__(rules, deal, dealer=dealer, stones=stones)
        self.bettors = tuple(player for player in self.order if player != dealer)
        """The players against the dealer, in playing order."""

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the round that a record deals (`companion.hanafuda.games.kingo.record`), before its turns."""
        rules = resolve(record.get("rules"), "kingo-bank")
        assert isinstance(rules, KingoBankRules)
        seed = record.get("shuffle")
        return cls(
            rules,
            **cls._record_arguments(record, rules),
            shuffle=None if seed is None else whole_number(seed, "shuffle", 0),
        )

    def situation(self) -> Mapping[str, int | tuple[int, ...]]:
        """Return the stones and the seed of the shuffle, if known."""
        seed = {} if self.shuffle is None else {"shuffle": self.shuffle}
        return {**super().situation(), **seed}

    def _start(self) -> BankState:
        order = self.order
        return BankState(
            seats=tuple(Seat(hand) for hand in self.deal.hands),
            stock=self.deal.stock,
            turn=order[0] if order else 0,
            chosen=tuple(
                player not in order or self._keeps_all(player) for player in range(1, self.players + 1)
            ),
            wagers=(0,) * self.players,
        )

    def _order(self) -> tuple[int, ...]:
        # From the dealer's right around to the dealer, who plays last.
        return self.seats_from_right

    def role(self, player: int) -> Role:
        """Return a player's role."""
        return "dealer" if player == self.dealer else "bettor"

    def _keeps_all(self, player: int) -> bool:
        return player == self.dealer and not self.rules.dealer_discards

    def _first_cards(self, player: int) -> int:
        return self.dealt if self._keeps_all(player) else 1

    def _max_draw_value(self) -> int:
        # A hand of 15 or more may not draw.
        return LIMIT - 1

    def _passing(self, player: int) -> Passing:
        min_value = self.rules.dealer_tsun_min if player == self.dealer else "same"
        if min_value == "none":
            return Passing(cards=2)
        return Passing(cards=1, value=self.rules.tsun_min if min_value == "same" else min_value)

    # --- before the draws: choosing a card and placing the wagers

    def _choosing(self, state: BankState) -> tuple[int, ...]:
        return tuple(player for player in self.order if not state.chosen[player - 1])

    def _wagering(self, state: BankState) -> tuple[int, ...]:
        return tuple(player for player in self.bettors if not state.wagers[player - 1])

    def _check_move(self, state: BankState, move: KingoMove) -> list[Problem]:
        match move:
            case Choose():
                return self._check_choose(state, move)
            case Redeal():
                return self._check_redeal(state, move)
            case Wager():
                return self._check_wager(state, move)
        if pending := self._choosing(state):
            return [self._too_early(move, pending, "kingo-choice-pending")]
        if pending := self._wagering(state):
            return [self._too_early(move, pending, "kingo-wager-pending")]
        return super()._check_move(state, move)

    def _too_early(self, move: KingoMove, pending: Sequence[int], code: str) -> Problem:
        return action_problem("too-early", move, code, players=player_names(pending))

    def _check_choose(self, state: BankState, move: Choose) -> list[Problem]:
        if state.chosen[move.player - 1]:
            code = "kingo-keeps-all" if self._keeps_all(move.player) else "kingo-chosen-already"
            return [action_problem("chosen-already", move, code)]
        dealt = state.seats[move.player - 1].cards
        if move.card in dealt:
            return self._card_required(move) if move.card is None else []
        if None in dealt and move.card is not None:
            return self._card_problems(state, move, move.card)
        return [action_problem("not-in-hand", move, "kingo-not-dealt", cards=card_names(dealt))]

    def _check_redeal(self, state: BankState, move: Redeal) -> list[Problem]:
        if not self._choosing(state) or (state.chosen[move.player - 1] and not self._keeps_all(move.player)):
            return [action_problem("redeal-too-late", move, "kingo-redeal-late")]
        if state.redealt:
            return [action_problem("no-redeal", move, "kingo-redeal-twice")]
        dealt = state.seats[move.player - 1].cards
        left = COPIES - sum(self._months[card] == OCTOBER for card in seen(state))
        if all(card is None or self._months[card] == OCTOBER for card in dealt) and dealt.count(None) <= left:
            return []
        return [action_problem("no-redeal", move, "kingo-redeal-unfounded", cards=card_names(dealt))]

    def _max_wager(self, player: int) -> int:
        """Return the highest wager a bettor may place: the table's limit or the stones the bettor has."""
        limit = self.rules.wager_limit
        return limit if self.limited is None else min(limit, self.limited[player - 1])

    def _check_wager(self, state: BankState, move: Wager) -> list[Problem]:
        problems = []
        if pending := self._choosing(state):
            problems.append(self._too_early(move, pending, "kingo-choice-pending"))
        if move.player == self.dealer:
            return [*problems, action_problem("dealer-wagers", move, "kingo-dealer-wagers")]
        if placed := state.wagers[move.player - 1]:
            problems.append(
                action_problem("wagered-already", move, "kingo-wagered-already", stones=stone_count(placed))
            )
        max_stones = self._max_wager(move.player)
        if not 1 <= move.stones <= max_stones:
            problems.append(
                action_problem("wrong-wager", move, "kingo-wager-out-of-range", max=stone_count(max_stones))
            )
        return problems

    def _after(self, state: BankState, move: KingoMove) -> BankState:
        if not 0 < move.player <= self.players:
            return state
        match move:
            case Choose():
                # The effect of a second choice is unknown, so it changes nothing.
                return state if state.chosen[move.player - 1] else self._chosen(state, move)
            case Redeal():
                return self._redealt(state, move)
            case Wager():
                wagers = tuple(
                    move.stones if player == move.player else placed
                    for player, placed in enumerate(state.wagers, start=1)
                )
                return replace(state, wagers=wagers)
        after = super()._after(state, move)
        if after.turn and all(after.seats[player - 1].done == "bareta" for player in self.bettors):
            # The dealer has won already and need not draw.
            return replace(after, turn=0)
        return after

    def _chosen(self, state: BankState, move: Choose) -> BankState:
        seats = replaced(state.seats, move.player, Seat((move.card if move.card in self._months else None,)))
        chosen = tuple(done or player == move.player for player, done in enumerate(state.chosen, start=1))
        after = replace(state, seats=seats, chosen=chosen, stock=state.stock + self._discards(state, move))
        return after if self._choosing(after) else replace(after, stock=self._reshuffled(after.stock))

    def _discards(self, state: BankState, move: Choose) -> tuple[str | None, ...]:
        """Return the two cards that go back to the draw pile, None for unknown ones."""
        dealt = state.seats[move.player - 1].cards
        if move.card is None:
            return (None,) * (len(dealt) - 1)
        kept = move.card if move.card in dealt else None
        index = dealt.index(kept) if kept in dealt else 0
        return dealt[:index] + dealt[index + 1 :]

    def _reshuffled(self, stock: tuple[str | None, ...]) -> tuple[str | None, ...]:
        """Return the draw pile with the discards shuffled into it, all hidden if the order is unknown."""
        if self.shuffle is None:
            return (None,) * len(stock)
        cards = list(stock)
        Random(self.shuffle).shuffle(cards)
        return tuple(cards)

    def _redealt(self, state: BankState, move: Redeal) -> BankState:
        """Return the state after a new deal: of one hand, whose cards go under the draw pile, or of all hands."""
        if self.rules.october_redeal == "all":
            return replace(state, redealt=True)
        old = state.seats[move.player - 1].cards
        new, rest = state.stock[: len(old)], state.stock[len(old) :]
        return replace(
            state, seats=replaced(state.seats, move.player, Seat(new)), stock=rest + old, redealt=True
        )

    def _to_move(self, state: BankState) -> int:
        pending = self._choosing(state) or self._wagering(state)
        return pending[0] if pending else super()._to_move(state)

    def _candidates(self, state: BankState) -> Iterator[KingoMove]:
        if pending := self._choosing(state):
            for player in self.order:
                yield Redeal(player)
            for player in pending:
                dealt = dict.fromkeys(state.seats[player - 1].cards)
                yield from (Choose(player, card) for card in dealt)
                if None in dealt:
                    yield from (Choose(player, card) for card in self._unseen_cards(state))
        elif pending := self._wagering(state):
            for player in pending:
                yield from (Wager(player, stones) for stones in range(1, self._max_wager(player) + 1))
        else:
            yield from super()._candidates(state)

    # --- the showdown

    def may_follow(self, turn: Mapping[str, Any]) -> bool:
        """Return whether a turn recorded after the end changes nothing: a shown hand, or the dealer's last draws.

        If all bettors are bareta, the dealer need not draw any more, but the rules text lets the dealer play last.
        """
        state = self._states[-1]
        entry = Turn.read(turn, self.rules.deck, self.players)
        if entry.player != self.dealer or not entry.draws or state.seats[self.dealer - 1].done:
            return super().may_follow(turn)
        return not self._void(state) and seen(state).isdisjoint(entry.draws)

    def settlements(self) -> tuple[Settlement, ...]:
        """Return what each bettor wins or loses, in playing order; empty before the end."""
        state = self._states[-1]
        return () if self._void(state) or not self._all_revealed(state) else self._settled(state)

    def _void(self, state: BankState) -> bool:
        return state.redealt and self.rules.october_redeal == "all"

    def _settled(self, state: BankState) -> tuple[Settlement, ...]:
        hands = {
            player: self._hand(player, state.seats[player - 1])
            for player in self.order
            if state.seats[player - 1].done == "pass"
        }
        placed = {player: state.wagers[player - 1] for player in self.bettors}
        return settle(self.rules, placed, hands, self.dealer, self.limited)

    def _outcome(self, state: BankState) -> Outcome | None:
        if self._void(state):
            return Outcome.no_round("redeal", self.players, self.dealer, Message("kingo-october-redeal"))
        if not self._all_revealed(state):
            return None
        settled = self._settled(state)
        points = [0] * self.players
        for each in settled:
            points[each.player - 1] += each.gets
            points[self.dealer - 1] += each.dealer_gets
        return Outcome(
            how=self._how(state),
            winners=tuple(player for player in range(1, self.players + 1) if points[player - 1] > 0),
            points=tuple(points),
            next_dealer=self.dealer_after(self._best_bettor(settled), points),
            reason=sentences(each.why for each in settled) if settled else Message("kingo-no-wagers"),
        )

    def _how(self, state: BankState) -> str:
        if state.seats[self.dealer - 1].done == "bareta":
            return "dealer-bareta"
        return "showdown" if state.seats[self.dealer - 1].done else "all-bareta"

    def _best_bettor(self, settled: Sequence[Settlement]) -> int:
        """Return the bettor who won with the strongest hand, 0 for none."""
        won = [each for each in settled if each.hand is not None and each.result == "won"]
        # Of equal hands the first is the one nearest to the dealer's right.
        return max(won, key=lambda each: each.hand.strength if each.hand else ()).player if won else 0

    def dealer_after(self, best_bettor: int, points: Sequence[int]) -> int:
        """Return the next dealer; `best_bettor` is 0 if no bettor won."""
        if self.rules.rotate == "right":
            player = self.dealer % self.players + 1
        else:
            player = self.dealer if self.rules.rotate == "stays" else best_bettor or self.dealer
        return self._with_stones(player, points)
