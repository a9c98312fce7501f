"""Random rounds of Kekoro, forward and backward, by all rules, with known and hidden cards."""

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.hanafuda.games.kekoro import KekoroRound
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.round import Deal, IllegalMoveError
from companion.hanafuda.simulation import round_of_text
from companion.messages import render
from tests.companion.hanafuda.kekoro.plain_scorer import plain_score

IDS = [card.id for card in HANAFUDA]
MONTH = {card.id: card.month for card in HANAFUDA}

rules = st.builds(
    KekoroRules,
    values=st.sampled_from(["printed", "kusaba"]),
    yaku_source=st.sampled_from(["fudawiki", "1921"]),
    yaku_points=st.sampled_from([30, 20]),
    lead_to_win=st.sampled_from([0, 1, 2, 3]),
    declare=st.sampled_from(["automatic", "optional"]),
    judge=st.sampled_from(["turn", "any_time"]),
    field_four=st.sampled_from(["redeal", "play_on"]),
    dealer_after_tie=st.sampled_from(["stays", "passes"]),
)


def hidden(deal: Deal, rng: Random, share: float) -> Deal:
    """Hide some of the cards of hands and stock."""

    def some(cards: tuple[str | None, ...]) -> tuple[str | None, ...]:
        return tuple(None if rng.random() < share else card for card in cards)

    return Deal(tuple(some(hand) for hand in deal.hands), deal.field, some(deal.stock))


def ways(card: str, field: list[str]) -> list[tuple[str, ...]]:
    """Return what a card may capture according to the rule text."""
    matches = [each for each in field if MONTH[each] == MONTH[card]]
    return [(each,) for each in matches] if len(matches) == 2 else [tuple(matches)]


def candidates(field: tuple[str, ...]) -> Iterator[FishingMove]:
    """Yield every possible move, except for captures across months with more than one card."""
    for card in IDS:
        near = [each for each in field if MONTH[each] == MONTH[card]]
        takes = [some for count in range(4) for some in combinations(near, count)]
        takes += [(*near[:1], each) for each in field if each not in near][:1]
        takes += [(each,) for each in IDS if each not in field][:1]
        for player in (1, 2):
            for some in takes:
                yield Play(player, card, some)
                yield Draw(player, card, some)
    for player in (1, 2):
        yield Call(player, "win")
        yield Call(player, "stop")
        yield Call(player, "koikoi")


class Rounds(RuleBasedStateMachine):
    """A round with known cards, the same with some hidden, and a simple model of both."""

    @initialize(
        rules=rules,
        seed=st.integers(0, 10_000),
        dealer=st.sampled_from([1, 2]),
        share=st.sampled_from([0.3, 1.0]),
    )
    def deal(self, rules: KekoroRules, seed: int, dealer: int, share: float) -> None:
        rng = Random(seed)
        self.open = KekoroRound.shuffled(rules, rng, players=2, dealer=dealer)
        assert self.open.status() == []
        self.hidden = KekoroRound(rules, hidden(self.open.deal, rng, share), dealer=dealer)
        assert self.hidden.status() == []
        self.trail = [(self.open.copy(), self.hidden.copy())]

    @precondition(lambda self: self.open.outcome() is None)
    @rule(pick=st.integers(0, 10**6))
    def move(self, pick: int) -> None:
        moves = self.open.legal_moves()
        # A call ends the round, so it is only made now and then.
        cards = [move for move in moves if not isinstance(move, Call)]
        move = cards[pick % len(cards)] if cards and pick % 5 else moves[pick % len(moves)]
        for played in (self.open, self.hidden):
            assert played.check(move) == []
            assert move in played.legal_moves()
            played.push(move)
        self.trail.append((self.open.copy(), self.hidden.copy()))

    @precondition(lambda self: len(self.trail) > 1)
    @rule(count=st.integers(1, 3))
    def pop(self, count: int) -> None:
        for _ in range(min(count, len(self.trail) - 1)):
            made = self.trail.pop()[0].moves[-1]
            for played, before in zip((self.open, self.hidden), self.trail[-1], strict=True):
                assert played.pop() == made
                assert played == before
                assert played.to_text() == before.to_text()

    @rule()
    def every_candidate_is_legal_or_refused(self) -> None:
        for played in (self.open, self.hidden):
            legal = set(played.legal_moves())
            for move in candidates(played.field):
                if played.outcome():
                    assert played.check(move) != []
                else:
                    assert (played.check(move) == []) == (move in legal), move

    @rule(pick=st.integers(0, 10**6))
    def what_is_illegal_is_refused_and_can_be_reported_all_the_same(self, pick: int) -> None:
        wrong = [move for move in candidates(self.open.field) if self.open.check(move)]
        move, before = wrong[pick % len(wrong)], self.open.copy()
        problems = self.open.check(move)
        assert all(render(problem.text) and render(problem.text, "ja") for problem in problems)
        with pytest.raises(IllegalMoveError) as raised:
            self.open.push(move)
        assert raised.value.problems == tuple(problems)
        assert self.open == before
        self.open.push(move, unchecked=True)
        assert len(self.placed()) == len(set(self.placed()))
        self.open.pop()
        assert self.open == before

    @rule()
    def reads_back(self) -> None:
        for played in (self.open, self.hidden):
            assert round_of_text(played.to_text()) == played
        record = {
            "game": "kekoro",
            "rules": {"preset": "kekoro", **self.open.rules.to_dict()},
            "dealer": self.open.dealer,
            "deal": {
                "hands": {"1": list(self.open.deal.hands[0]), "2": list(self.open.deal.hands[1])},
                "field": list(self.open.deal.field),
                "stock": list(self.open.deal.stock),
            },
        }
        again = KekoroRound.from_record(record)
        for turn in self.open.turns():
            for move in again.read_turn(turn):
                again.push(move)
        assert again == self.open

    @rule()
    def any_prefix_gives_the_same_state(self) -> None:
        played, _ = self.trail[0]
        again = KekoroRound(played.rules, played.deal, dealer=played.dealer)
        for before, _ in self.trail[1:]:
            again.push(before.moves[-1])
            assert again == before

    @invariant()
    def every_card_lies_somewhere_once(self) -> None:
        drawn = sum(isinstance(move, Draw) for move in self.open.moves)
        in_hands = [card for player in (1, 2) for card in self.open.hand(player)]
        assert sorted([*self.placed(), *in_hands, *self.open.deal.stock[drawn:]]) == sorted(IDS)  # type: ignore[type-var]

    def placed(self) -> list[str]:
        """Return the open cards."""
        return [*self.open.field, *self.open.captured(1), *self.open.captured(2)]

    @invariant()
    def hands_and_turns_are_as_the_text_has_them(self) -> None:
        moves = self.open.moves
        played = [
            [move.card for move in moves if isinstance(move, Play) and move.player == seat] for seat in (1, 2)
        ]
        for player in (1, 2):
            assert set(self.open.hand(player)) == set(self.open.deal.hands[player - 1]) - set(
                played[player - 1]
            )
            assert len(self.hidden.hand(player)) == 8 - len(played[player - 1])
        if self.open.outcome() or (
            self.open.pending_decision() and self.open.pending_decision().code == "decision-missing"
        ):  # type: ignore[union-attr]
            return
        turns = sum(isinstance(move, Play) for move in moves)
        owes_draw = turns > sum(isinstance(move, Draw) for move in moves)
        other = 3 - self.open.dealer
        assert self.open.to_move == (self.open.dealer, other)[(turns - owes_draw) % 2]
        field = list(self.open.field)
        cards = [self.open.deal.stock[turns - 1]] if owes_draw else self.open.hand(self.open.to_move)
        kind = Draw if owes_draw else Play
        expected = {kind(self.open.to_move, card, way) for card in cards if card for way in ways(card, field)}
        assert {move for move in self.open.legal_moves() if not isinstance(move, Call)} == expected

    @invariant()
    def the_score_is_the_plain_one(self) -> None:
        table = self.open.rules
        counts = []
        for player in (1, 2):
            pile = set(self.open.captured(player))
            values, yaku, total = plain_score(pile, table.values, table.yaku_source, table.yaku_points)
            found = self.open.score(player)
            assert (found.values, {each.slug for each in found.yaku}, found.total) == (values, yaku, total)
            assert dict(self.open.yaku(player)) == dict.fromkeys(yaku, table.yaku_points)
            counts.append(len(yaku))
        self.the_round_ends_when_it_should(counts)

    def the_round_ends_when_it_should(self, counts: list[int]) -> None:
        table, outcome, moves = self.open.rules, self.open.outcome(), self.open.moves
        leads = table.lead_to_win > 0 and abs(counts[0] - counts[1]) >= table.lead_to_win
        leader = (1 if counts[0] > counts[1] else 2) if leads else 0
        calls = {move for move in self.open.legal_moves() if isinstance(move, Call)}
        empty = not any(self.open.hand(player) for player in (1, 2)) and isinstance(moves[-1], Draw)
        if outcome:
            totals = tuple(self.open.score(player).total for player in (1, 2))
            assert outcome.points == totals
            assert (outcome.counts, outcome.pot) == (True, 0)
            assert render(outcome.why) != render(outcome.why, "ja")
            assert outcome.ends_game == (outcome.how == "yaku-victory")
            if outcome.ends_game:
                assert outcome.winners == (leader,) == (outcome.next_dealer,)
                if table.declare == "optional":
                    assert moves[-1] == Call(leader, "win")
                elif table.judge == "turn":
                    assert isinstance(moves[-1], Draw)
            else:
                assert not any(self.open.hand(player) for player in (1, 2))
                better = {1: totals[0], 2: totals[1]}
                assert outcome.winners == tuple(seat for seat in better if better[seat] > better[3 - seat])
        elif table.declare == "automatic":
            assert not empty
            assert calls == set()
            if leader and moves:
                # Only a hand card may have given a lead that is not decided yet.
                assert table.judge == "turn"
                assert isinstance(moves[-1], Play)
        elif empty:
            assert calls == {Call(leader, "win"), Call(leader, "stop")}
        else:
            assert calls <= {Call(leader, "win")}
            if table.judge == "any_time":
                assert bool(calls) == bool(leader)
            else:
                assert bool(calls) == (
                    leader != 0 and isinstance(moves[-1], Draw) and moves[-1].player == leader
                )


TestRounds = Rounds.TestCase
TestRounds.settings = settings(max_examples=15, stateful_step_count=40, deadline=None)
