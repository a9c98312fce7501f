"""Invariants of Koi-Koi rounds with any rules, known or hidden hands, and random moves."""

from itertools import combinations
from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from koikoi_house import house_rules

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.hanafuda.games.koikoi.round import KoiKoiRound
from companion.hanafuda.round import Deal
from companion.hanafuda.simulation import round_of_text
from companion.messages import render

IDS = [card.id for card in HANAFUDA]
FLOWERS = [IDS[start : start + 4] for start in range(0, 48, 4)]


def hidden(deal: Deal, what: str, rng: Random) -> Deal:
    def hide(cards: tuple[str | None, ...], share: float) -> tuple[str | None, ...]:
        return tuple(None if rng.random() < share else card for card in cards)

    share = {"nothing": 0.0, "some": 0.5}.get(what, 1.0)
    first, second = deal.hands
    return Deal(
        (first if what == "hand 2" else hide(first, share), hide(second, share if what != "stock" else 0.0)),
        deal.field,
        deal.stock if what in {"hands", "hand 2"} else hide(deal.stock, share),
    )


def candidates(card: str, field: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return every set that a card might be claimed to capture: all of its flower, any one card, or a wrong pair."""
    flower = next(each for each in FLOWERS if card in each)
    same = [each for each in flower if each in field]
    ways = [tuple(some) for count in range(len(same) + 1) for some in combinations(same, count)]
    return [*ways, *((each,) for each in field if each not in same), *combinations(field[:3], 2)]


class KoiKoiRounds(RuleBasedStateMachine):
    @initialize(
        seed=st.integers(0, 2**32),
        what=st.sampled_from(["nothing", "nothing", "all", "all", "some", "hands", "hand 2", "stock"]),
        dealer=st.sampled_from([1, 2]),
        month=st.sampled_from([None, *range(1, 13)]),
    )
    def deal(self, seed: int, what: str, dealer: int, month: int | None) -> None:
        rng = Random(seed)
        self.rng = rng
        rules = house_rules(rng)
        situation = {} if month is None else {"month": month}
        dealt = KoiKoiRound.shuffled(rules, rng, dealer=dealer, **situation)
        assert dealt.status() == []
        self.what = what
        if what == "stock":
            deal = Deal(dealt.deal.hands, dealt.deal.field, (None,) * len(dealt.deal.stock))
        else:
            deal = hidden(dealt.deal, what, rng) if what != "nothing" else dealt.deal
        self.round = KoiKoiRound(rules, deal, dealer=dealer, month=month)
        self.before: list[KoiKoiRound] = []

    @rule(count=st.integers(1, 12), choice=st.integers(0, 10**6))
    def play(self, count: int, choice: int) -> None:
        for step in range(count):
            legal = self.round.legal_moves()
            if not legal:
                return
            self.before.append(self.round.copy())
            self.round.push(legal[(choice + 7 * step) % len(legal)])

    @precondition(lambda self: self.before)
    @rule(count=st.integers(1, 3))
    def pop(self, count: int) -> None:
        for _ in range(min(count, len(self.before))):
            last = self.round.moves[-1]
            assert self.round.pop() == last
            assert self.round == self.before.pop()

    @rule()
    def prefixes_give_the_same_round(self) -> None:
        again = KoiKoiRound(
            self.round.rules, self.round.deal, dealer=self.round.dealer, month=self.round.month
        )
        for stood, move in zip([*self.before, self.round], [*self.round.moves, None], strict=True):
            assert again == stood
            assert again.outcome() == stood.outcome()
            if move:
                again.push(move)

    @rule()
    def text_and_record_read_back(self) -> None:
        assert round_of_text(self.round.to_text()) == self.round
        record = {
            "game": "koikoi",
            "rules": self.round.rules.to_dict(),
            "dealer": self.round.dealer,
            "month": self.round.month,
            "deal": {
                "hands": {str(player): list(hand) for player, hand in enumerate(self.round.deal.hands, 1)},
                "field": list(self.round.deal.field),
                "stock": list(self.round.deal.stock),
            },
        }
        again = KoiKoiRound.from_record(record)
        for turn in self.round.turns():
            for move in again.read_turn(turn):
                again.push(move)
        assert again == self.round

    @rule(data=st.data())
    def legal_moves_and_check_agree(self, data: st.DataObject) -> None:
        legal = self.round.legal_moves()
        assert len(legal) == len(set(legal))
        field = self.round.field
        sample = {move.card for move in legal if isinstance(move, Play | Draw)}
        sample = {*self.rng.sample(sorted(sample), min(3, len(sample))), *self.rng.sample(IDS, 3)}
        tried: set[FishingMove] = {
            Call(player, output) for player in (1, 2) for output in ("koikoi", "stop", "win")
        }  # type: ignore[arg-type]
        tried |= {
            kind(player, card, takes)
            for card in sample
            for takes in candidates(card, field)
            for player in (1, 2)
            for kind in (Play, Draw)
        }
        found = {move for move in legal if isinstance(move, Call) or move.card in sample}
        assert {move for move in tried if not self.round.check(move)} == found

    @invariant()
    def every_card_is_somewhere_once(self) -> None:
        stood = self.round
        hands = [card for player in (1, 2) for card in stood.hand(player)]
        open_cards = [*stood.field, *stood.captured(1), *stood.captured(2)]
        left = stood.deal.stock[sum(isinstance(move, Draw) for move in stood.moves) :]
        cards = [*hands, *open_cards, *left]
        assert len(cards) == 48
        known = [card for card in cards if card is not None]
        assert len(set(known)) == len(known)
        if None not in cards:
            assert set(known) == set(IDS)

    @invariant()
    def the_round_goes_on_or_is_over(self) -> None:
        outcome, legal = self.round.outcome(), self.round.legal_moves()
        if outcome is None:
            assert {move.player for move in legal} <= {self.round.to_move}
            if self.what in {"nothing", "all", "stock"}:
                assert legal
            return
        assert legal == []
        assert self.round.to_move is None
        assert self.round.pending_decision() is None
        rules, points = self.round.rules, outcome.points
        if rules.zero_sum:
            assert sum(points) == 0
        if outcome.winners:
            assert points[outcome.winners[0] - 1] == max(points) > 0
            assert min(points) == (-max(points) if rules.zero_sum else 0)
        assert render(outcome.why)
        assert render(outcome.why, "ja")


KoiKoiRounds.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestKoiKoiRounds = KoiKoiRounds.TestCase
