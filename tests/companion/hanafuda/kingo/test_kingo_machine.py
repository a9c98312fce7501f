"""Invariants of every round of Kingo in both forms: cards, stones, undo, hidden hands."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from companion.hanafuda.games.kingo import Bareta, Choose, Draw, KingoBankRound, Pass, Show
from companion.hanafuda.round import Deal
from companion.hanafuda.simulation import round_of_text
from tests.companion.hanafuda.kingo.kingo_strategies import FORMS, cards_of, rules_of, thinkable

seats = st.integers(2, 7)
seeds = st.integers(0, 2**16)


class Rounds(RuleBasedStateMachine):
    """A round with every card known, and the same round with some hands hidden."""

    form: str

    @initialize(data=st.data(), players=seats, seed=seeds)
    def deal(self, data: Any, players: int, seed: int) -> None:
        rules = data.draw(rules_of(self.form))
        rng = Random(seed)
        stones = data.draw(st.none() | st.lists(st.integers(1, 6), min_size=players, max_size=players))
        if stones and rules.debt == "out" and players > 2:
            stones[data.draw(st.integers(1, players)) - 1] = 0
        seated = [player for player in range(1, players + 1) if not stones or stones[player - 1]]
        dealer = data.draw(st.sampled_from(seated))
        self.reported = FORMS[self.form][1].shuffled(
            rules, rng, players=players, dealer=dealer, stones=stones
        )
        assert self.reported.status() == []
        blind = rules.hands == "hidden"
        self.unseen = data.draw(st.sets(st.sampled_from(seated))) if blind else set()
        hands = tuple(
            (None,) * len(hand) if player in self.unseen else hand
            for player, hand in enumerate(self.reported.deal.hands, start=1)
        )
        self.watched = type(self.reported)(
            rules, Deal(hands, stock=(None,) * len(self.reported.deal.stock)), dealer=dealer, stones=stones
        )
        assert self.watched.status() == []

    def state(self, played: Any) -> Any:
        return played._states[-1]

    @precondition(lambda self: self.reported.outcome() is None)
    @rule(number=st.integers(1, 60), seed=seeds)
    def moves(self, number: int, seed: int) -> None:
        rng = Random(seed)
        for _ in range(number):
            if self.reported.outcome() is None:
                self.move(rng)

    def move(self, rng: Random) -> None:
        legal = self.reported.legal_moves()
        passes = [move for move in legal if isinstance(move, Pass)]
        move = rng.choice(passes or legal) if rng.random() < 0.4 else rng.choice(legal)
        before, stood = self.state(self.reported), self.reported.copy()
        self.reported.push(move)
        assert self.reported.pop() == move
        assert self.state(self.reported) == before
        assert self.reported == stood
        self.reported.push(move)
        self.watch(move, rng)
        if self.reported.outcome() is not None:
            self.showdown(rng)

    def watch(self, move: Any, rng: Random) -> None:
        """Make a legal move in the hidden round, without the hidden cards: it must be legal there too."""
        if move.player in self.unseen and isinstance(move, Draw | Choose):
            seen = isinstance(move, Choose) and rng.random() < 0.5
            move = type(move)(move.player, move.card if seen else None)
        if move.player in self.unseen and isinstance(move, Bareta) and rng.random() < 0.5:
            self.show(move.player, rng)
        assert self.watched.check(move) == []
        self.watched.push(move)

    def show(self, player: int, rng: Random) -> None:
        known = self.state(self.watched).seats[player - 1].known
        hidden = [card for card in self.state(self.reported).seats[player - 1].cards if card not in known]
        rng.shuffle(hidden)
        for card in hidden:
            if self.watched.outcome() is None:
                self.watched.push(Show(player, card))
                pending = self.watched.pending_decision()
                assert pending is None or pending.code in {"turn-unfinished", "show-missing"}

    def showdown(self, rng: Random) -> None:
        for player in rng.sample(sorted(self.unseen), len(self.unseen)):
            if self.state(self.watched).seats[player - 1].done == "pass":
                self.show(player, rng)
        assert self.watched.outcome() == self.reported.outcome()
        assert self.reported.pending_decision() is None
        self.reads_back(self.reported)
        self.reads_back(self.watched)
        self.pays(self.reported)

    def reads_back(self, played: Any) -> None:
        assert round_of_text(played.to_text()) == played
        record = {
            "game": self.form,
            "rules": played.rules.to_dict() | {"preset": self.form},
            "players": played.players,
            "dealer": played.dealer,
            **played.situation(),
            "deal": {
                "hands": {str(player): list(hand) for player, hand in enumerate(played.deal.hands, start=1)},
                "stock": list(played.deal.stock),
            },
        }
        again = type(played).from_record(record)
        states = [again._states[-1]]
        for turn in played.turns():
            for move in again.read_turn(turn):
                assert again.check(move) == []
                again.push(move)
                states.append(again._states[-1])
            assert again.pending_decision() is None
        assert again == played
        assert states == played._states

    def pays(self, played: Any) -> None:
        outcome = played.outcome()
        house = (
            sum(each.tera_zen for each in played.settlements()) if isinstance(played, KingoBankRound) else 0
        )
        assert sum(outcome.points) == -house <= 0
        assert outcome.next_dealer in range(1, played.players + 1)
        if played.limited:
            left = [before + points for before, points in zip(played.stones, outcome.points, strict=True)]
            assert min(left) >= 0
            assert left[outcome.next_dealer - 1] > 0 or max(left) == 0

    @precondition(lambda self: hasattr(self, "reported"))
    @invariant()
    def cards_lie_each_in_one_place(self) -> None:
        state = self.state(self.reported)
        cards = [card for seat in state.seats for card in seat.known] + list(state.stock)
        assert sorted(cards) == sorted(cards_of(self.reported.rules))
        state = self.state(self.watched)
        assert sum(len(seat.cards) for seat in state.seats) + len(state.stock) == 40
        known = [card for seat in state.seats for card in seat.known]
        assert len(known) == len(set(known))

    @precondition(lambda self: hasattr(self, "reported"))
    @rule(data=st.data())
    def legal_moves_are_those_without_problems(self, data: Any) -> None:
        card = data.draw(st.sampled_from(cards_of(self.reported.rules)))
        for played in (self.reported, self.watched):
            legal = played.legal_moves()
            assert all(played.check(move) == [] for move in legal[:3] + legal[-3:])
            for move in thinkable(played, card):
                assert (move in legal) == (played.check(move) == []), str(move)

    @precondition(lambda self: hasattr(self, "reported"))
    @rule()
    def whose_move_it_is(self) -> None:
        for played in (self.reported, self.watched):
            movers = {move.player for move in played.legal_moves()}
            assert (played.to_move in movers) == (played.outcome() is None)
            assert bool(movers) == (played.outcome() is None)


@pytest.mark.parametrize("form", FORMS)
def test_rounds(form: str) -> None:
    machine = type("Rounds", (Rounds,), {"form": form})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=60, stateful_step_count=10, deadline=None)
    )


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data(), players=seats, seed=seeds)
@settings(max_examples=12, deadline=None)
def test_hidden_hands_never_lead_to_a_dead_end(form: str, data: Any, players: int, seed: int) -> None:
    """After any legal moves with hidden cards there is a legal move, to the end of the round."""
    rules = data.draw(rules_of(form).filter(lambda rules: rules.hands == "hidden"))
    cards = FORMS[form][1].dealt
    hands = ((None,) * cards,) * players
    played = FORMS[form][1](rules, Deal(hands, stock=(None,) * (40 - cards * players)), dealer=1)
    rng = Random(seed)
    while played.outcome() is None:
        kinds: dict[Any, list[Any]] = {}
        for move in played.legal_moves():
            kinds.setdefault((type(move), getattr(move, "card", "") is None), []).append(move)
        assert kinds, played.to_text()
        played.push(rng.choice(kinds[rng.choice(sorted(kinds, key=str))]))


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data(), players=seats, seed=seeds)
@settings(max_examples=30, deadline=None)
def test_the_round_continues_after_any_reported_moves(form: str, data: Any, players: int, seed: int) -> None:
    """Any unchecked moves are accepted and can be undone exactly."""
    rules = data.draw(rules_of(form))
    rng = Random(seed)
    played = FORMS[form][1].shuffled(rules, rng, players=players)
    cards = cards_of(rules)
    for _ in range(12):
        stood = played.copy()
        legal = played.legal_moves()
        moves = [*thinkable(played, rng.choice(cards)), *20 * legal]
        played.push(rng.choice([move for move in moves if 1 <= move.player <= players]), unchecked=True)
        played.check(Pass(1))
        played.pending_decision()
        played.outcome()
        assert len(played.turns()) >= 1
        later = played.copy()
        played.pop()
        assert played == stood
        assert (played._states, played.moves) == (stood._states, stood.moves)
        played = later
