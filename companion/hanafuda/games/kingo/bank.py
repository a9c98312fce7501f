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

from companion.hanafuda.games.kingo import phrases
from companion.hanafuda.games.kingo import record as records
from companion.hanafuda.games.kingo.bank_rules import KingoBankRules
from companion.hanafuda.games.kingo.drawing import DrawingRound
from companion.hanafuda.games.kingo.hands import LIMIT, Role, deck_of
from companion.hanafuda.games.kingo.hidden import COPIES, Passing
from companion.hanafuda.games.kingo.moves import Choose, KingoMove, Redeal, Wager
from companion.hanafuda.games.kingo.payment import Settlement, settle
from companion.hanafuda.games.kingo.phrases import problem
from companion.hanafuda.games.kingo.state import BankTable, Seat, replaced, seen
from companion.hanafuda.round import Deal, Outcome, Problem
from companion.hanafuda.rules import Text, resolve
from companion.hanafuda.validation import whole_number

__all__ = ["KingoBankRound"]

OCTOBER = 10


class KingoBankRound(DrawingRound[KingoBankRules, BankTable]):
    """One round against the bank: three cards each, one is kept; wagers; bettors draw first, the dealer last.

    `shuffle` is the seed by which the discards are shuffled into the draw pile; None where that happened at a
    table, and the cards drawn tell the pile. `Outcome.points` add up to 0, or to what the house kept of the
    winnings, below zero (tera-zen, B14).
    """

    dealt = 3
    situation_keys: ClassVar = {"stones": records.MAX_STONES, "shuffle": records.MAX_SEED}
    deal_keys = frozenset({"hands", "stock"})

    def __init__(
        self,
        rules: KingoBankRules,
        deal: Deal,
        *,
        dealer: int,
        stones: Sequence[int] | None = None,
        shuffle: int | None = None,
    ) -> None:
        """Raise `BadRequestError` for a card that the table's deck does not have."""
        self.shuffle = shuffle
        super().__init__(rules, deal, dealer=dealer, stones=stones)
        self.bettors = tuple(player for player in self.order if player != dealer)
        """Those who play against the dealer, in the order in which they play."""

    @classmethod
    def shuffled(
        cls,
        rules: KingoBankRules,
        rng: Random,
        *,
        players: int,
        dealer: int = 1,
        stones: Sequence[int] | None = None,
        **situation: Any,
    ) -> Self:
        """Deal three cards to each player who has stones, from a shuffled deck."""
        cls._check_seats(players)
        cards = list(deck_of(rules.deck))
        rng.shuffle(cards)
        out = {seat for seat, held in enumerate(stones or ()) if held <= 0 and rules.debt == "out"}
        hands = tuple(
            () if seat in out else (cards.pop(), cards.pop(), cards.pop()) for seat in range(players)
        )
        deal = Deal(hands, stock=tuple(cards))
        shuffle = rng.getrandbits(32)
        return cls(rules, deal, dealer=dealer, stones=stones, shuffle=shuffle, **situation)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the round that a round record deals (`companion.hanafuda.games.kingo.record`), before its turns."""
        rules = resolve(record.get("rules"), "kingo-bank")
        assert isinstance(rules, KingoBankRules)
        deal = records.deal_of(record, rules.deck, cls.dealt)
        told = record.get("shuffle")
        return cls(
            rules,
            deal,
            dealer=whole_number(record.get("dealer", 1), "dealer", 1, len(deal.hands)),
            stones=records.stones_of(record),
            shuffle=None if told is None else whole_number(told, "shuffle", 0),
        )

    def situation(self) -> Mapping[str, int | tuple[int, ...]]:
        """Return the stones and the seed of the shuffle, where they are told."""
        told = {} if self.shuffle is None else {"shuffle": self.shuffle}
        return {**super().situation(), **told}

    def _start(self) -> BankTable:
        order = self.order
        return BankTable(
            seats=tuple(Seat(hand) for hand in self.deal.hands),
            stock=self.deal.stock,
            turn=order[0] if order else 0,
            chosen=tuple(
                player not in order or self._keeps_all(player) for player in range(1, self.players + 1)
            ),
            wagers=(0,) * self.players,
        )

    def _order(self) -> tuple[int, ...]:
        # From the dealer's right round to the dealer, who is last.
        return self.seats_from_right

    def role(self, player: int) -> Role:
        """Return what a player is."""
        return "dealer" if player == self.dealer else "bettor"

    def _keeps_all(self, player: int) -> bool:
        return player == self.dealer and not self.rules.dealer_discards

    def _first_cards(self, player: int) -> int:
        return self.dealt if self._keeps_all(player) else 1

    def _may_draw_at(self) -> int:
        # B11: any value of 15 or more stops.
        return LIMIT - 1

    def _passing(self, player: int) -> Passing:
        least = self.rules.dealer_tsun_min if player == self.dealer else "same"
        if least == "none":
            return Passing(cards=2)
        return Passing(cards=1, value=self.rules.tsun_min if least == "same" else least)

    # --- before the draws: the card that is kept, and the wagers

    def _choosing(self, state: BankTable) -> tuple[int, ...]:
        return tuple(player for player in self.order if not state.chosen[player - 1])

    def _wagering(self, state: BankTable) -> tuple[int, ...]:
        return tuple(player for player in self.bettors if not state.wagers[player - 1])

    def _check_move(self, state: BankTable, move: KingoMove) -> list[Problem]:
        match move:
            case Choose():
                return self._check_choose(state, move)
            case Redeal():
                return self._check_redeal(state, move)
            case Wager():
                return self._check_wager(state, move)
        if waits := self._choosing(state):
            return [self._too_early(move, waits, "to choose a card", "札を選ぶ")]
        if waits := self._wagering(state):
            return [self._too_early(move, waits, "to place a wager", "賭ける")]
        return super()._check_move(state, move)

    def _too_early(self, move: KingoMove, waits: Sequence[int], en: str, ja: str) -> Problem:
        said, who = phrases.does(move), phrases.named(waits)
        return problem(
            "too-early",
            f"{said.en}, but {who.en} {'has' if len(waits) == 1 else 'have'} yet {en}",
            f"{said.ja}が、まだ{who.ja}が{ja}番",
        )

    def _check_choose(self, state: BankTable, move: Choose) -> list[Problem]:
        said = phrases.does(move)
        if state.chosen[move.player - 1]:
            why, ja = (
                ("plays on all three", "三枚とも持つ")
                if self._keeps_all(move.player)
                else (
                    "has chosen already",
                    "もう選んでいる",
                )
            )
            return [problem("chosen-already", f"{said.en}, but {why}", f"{said.ja}が、{ja}")]
        dealt = state.seats[move.player - 1].cards
        if move.card in dealt:
            return self._open_cards(move) if move.card is None else []
        if None in dealt and move.card is not None:
            return self._unseen(state, move, move.card)
        held = phrases.named_cards(dealt)
        return [
            problem(
                "not-in-hand",
                f"{said.en}, but was dealt {held.en}",
                f"{said.ja}が、配られたのは{held.ja}",
            )
        ]

    def _check_redeal(self, state: BankTable, move: Redeal) -> list[Problem]:
        said = phrases.does(move)
        if not self._choosing(state) or (state.chosen[move.player - 1] and not self._keeps_all(move.player)):
            return [
                problem(
                    "redeal-too-late",
                    f"{said.en}, but that is done before the card is chosen",
                    f"{said.ja}が、選ぶ前に頼む",
                )
            ]
        if state.redealt:
            return [
                problem(
                    "no-redeal",
                    f"{said.en}, but three of the four cards of October are under the draw pile already",
                    f"{said.ja}が、紅葉（十）四枚のうち三枚はもう山札の下にある",
                )
            ]
        dealt = state.seats[move.player - 1].cards
        left = COPIES - sum(self._months[card] == OCTOBER for card in seen(state))
        if all(card is None or self._months[card] == OCTOBER for card in dealt) and dealt.count(None) <= left:
            return []
        held = phrases.named_cards(dealt)
        return [
            problem(
                "no-redeal",
                f"{said.en}, which takes three cards of October, but was dealt {held.en}",
                f"{said.ja}が、紅葉（十）三枚のときだけ。配られたのは{held.ja}",
            )
        ]

    def _most(self, player: int) -> int:
        """Return the most that a bettor may wager: the table's limit, and what he has."""
        limit = self.rules.wager_limit
        return limit if self.limited is None else min(limit, self.limited[player - 1])

    def _check_wager(self, state: BankTable, move: Wager) -> list[Problem]:
        problems = []
        if waits := self._choosing(state):
            problems.append(self._too_early(move, waits, "to choose a card", "札を選ぶ"))
        if move.player == self.dealer:
            said = phrases.does(move)
            return [
                *problems,
                problem("dealer-wagers", f"{said.en}, but deals", f"{said.ja}が、親は賭けない"),
            ]
        if placed := state.wagers[move.player - 1]:
            said, lies = phrases.does(move), phrases.stones(placed)
            problems.append(
                problem(
                    "wagered-already",
                    f"{said.en}, but has placed {lies.en} already",
                    f"{said.ja}が、もう{lies.ja}を賭けている",
                )
            )
        most = self._most(move.player)
        if not 1 <= move.stones <= most:
            said, limit = phrases.does(move), phrases.stones(most)
            problems.append(
                problem(
                    "wrong-wager",
                    f"{said.en}, but a wager is 1 to {limit.en} here",
                    f"{said.ja}が、賭けは1〜{limit.ja}",
                )
            )
        return problems

    def _after(self, state: BankTable, move: KingoMove) -> BankTable:
        if not 0 < move.player <= self.players:
            return state
        match move:
            case Choose():
                # Of a second choice nobody knows what it would have changed.
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
            # The dealer has won already (B3) and need not draw.
            return replace(after, turn=0)
        return after

    def _chosen(self, state: BankTable, move: Choose) -> BankTable:
        seats = replaced(state.seats, move.player, Seat((move.card if move.card in self._months else None,)))
        chosen = tuple(done or player == move.player for player, done in enumerate(state.chosen, start=1))
        after = replace(state, seats=seats, chosen=chosen, stock=state.stock + self._discards(state, move))
        return after if self._choosing(after) else replace(after, stock=self._reshuffled(after.stock))

    def _discards(self, state: BankTable, move: Choose) -> tuple[str | None, ...]:
        """Return the two cards that go back to the draw pile, as far as they are known."""
        dealt = state.seats[move.player - 1].cards
        if move.card is None:
            return (None,) * (len(dealt) - 1)
        kept = move.card if move.card in dealt else None
        place = dealt.index(kept) if kept in dealt else 0
        return dealt[:place] + dealt[place + 1 :]

    def _reshuffled(self, stock: tuple[str | None, ...]) -> tuple[str | None, ...]:
        """Return the draw pile with the discards shuffled into it, hidden where nobody told the order."""
        if self.shuffle is None:
            return (None,) * len(stock)
        cards = list(stock)
        Random(self.shuffle).shuffle(cards)
        return tuple(cards)

    def _redealt(self, state: BankTable, move: Redeal) -> BankTable:
        """Return the state after a new deal (B15): of one hand, whose old cards go under the pile, or of all."""
        if self.rules.october_redeal == "all":
            return replace(state, redealt=True)
        old = state.seats[move.player - 1].cards
        new, rest = state.stock[: len(old)], state.stock[len(old) :]
        return replace(
            state, seats=replaced(state.seats, move.player, Seat(new)), stock=rest + old, redealt=True
        )

    def _to_move(self, state: BankTable) -> int:
        waits = self._choosing(state) or self._wagering(state)
        return waits[0] if waits else super()._to_move(state)

    def _candidates(self, state: BankTable) -> Iterator[KingoMove]:
        if waits := self._choosing(state):
            for player in self.order:
                yield Redeal(player)
            for player in waits:
                dealt = dict.fromkeys(state.seats[player - 1].cards)
                yield from (Choose(player, card) for card in dealt)
                if None in dealt:
                    yield from (Choose(player, card) for card in self._not_seen(state))
        elif waits := self._wagering(state):
            for player in waits:
                yield from (Wager(player, stones) for stones in range(1, self._most(player) + 1))
        else:
            yield from super()._candidates(state)

    # --- the showdown

    def may_follow(self, turn: Mapping[str, Any]) -> bool:
        """Return whether a turn told after the end changes nothing: a hand shown, or the dealer's, whom all have paid.

        Where all bettors are bareta the dealer need not draw any more, but the text has him play last of all (B3).
        """
        state = self._states[-1]
        told = records.Turn.read(turn, self.rules.deck, self.players)
        if told.player != self.dealer or not told.draws or state.seats[self.dealer - 1].done:
            return super().may_follow(turn)
        return not self._void(state) and seen(state).isdisjoint(told.draws)

    def settlements(self) -> tuple[Settlement, ...]:
        """Return what each bettor wins or loses, in the order of play; none before the end."""
        state = self._states[-1]
        return () if self._void(state) or not self._all_shown(state) else self._settled(state)

    def _void(self, state: BankTable) -> bool:
        return state.redealt and self.rules.october_redeal == "all"

    def _settled(self, state: BankTable) -> tuple[Settlement, ...]:
        hands = {
            player: self._judged(player, state.seats[player - 1])
            for player in self.order
            if state.seats[player - 1].done == "pass"
        }
        placed = {player: state.wagers[player - 1] for player in self.bettors}
        return settle(self.rules, placed, hands, self.dealer, self.limited)

    def _outcome(self, state: BankTable) -> Outcome | None:
        if self._void(state):
            return Outcome.no_round(
                "redeal",
                self.players,
                self.dealer,
                Text(
                    "Three cards of October in one hand: the cards are dealt again to all.",
                    "一人に紅葉（十）三枚：全員に配り直す。",
                ),
            )
        if not self._all_shown(state):
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
            next_dealer=self._with_stones(self._next_dealer(settled), points),
            reason=Text(" ".join(each.why.en for each in settled), "".join(each.why.ja for each in settled)),
        )

    def _how(self, state: BankTable) -> str:
        if state.seats[self.dealer - 1].done == "bareta":
            return "dealer-bareta"
        return "showdown" if state.seats[self.dealer - 1].done else "all-bareta"

    def _next_dealer(self, settled: Sequence[Settlement]) -> int:
        if self.rules.rotate == "right":
            return self.dealer % self.players + 1
        won = [each for each in settled if each.hand is not None and each.result == "won"]
        if self.rules.rotate == "stays" or not won:
            return self.dealer
        # Of equal hands the first is the nearest to the dealer's right.
        return max(won, key=lambda each: each.hand.strength if each.hand else ()).player
