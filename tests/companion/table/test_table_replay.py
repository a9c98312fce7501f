"""After any reports, undos, corrections and late reports the table is the fold of its events, and no card is lost."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from fold_helpers import moved, opened, reported, shuffled_deal, state
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.round import IllegalMoveError
from companion.table import NewEvent, Table

seeds = st.integers(0, 2**32 - 1)


class TableMachine(RuleBasedStateMachine):
    """A table that receives arbitrary events; the games are its subclasses."""

    game = "koikoi"

    def __init__(self) -> None:
        super().__init__()
        self.table: Table
        self.stood: list[tuple[int, dict[str, Any]]] = []

    @initialize(seed=seeds, hidden=st.booleans())
    def open(self, seed: int, hidden: bool) -> None:
        self.table = opened(self.game)
        self.hidden = hidden and self.game in {"koikoi", "kekoro"}
        reported(self.table, shuffled_deal(self.table, seed, hidden=self.hidden))

    @property
    def live_moves(self) -> list[int]:
        return [
            applied.item.seq
            for live in self.table.rounds
            for applied in live.steps
            if applied.move is not None and applied.item is not None
        ]

    def try_to(self, *events: NewEvent) -> None:
        """Report events that may be rejected: then nothing has changed."""
        before, seq = self.table.view(), self.table.seq
        try:
            reported(self.table, *events)
        except (BadRequestError, IllegalMoveError):
            assert self.table.seq == seq
            assert self.table.view() == before

    @rule(seed=seeds, count=st.integers(1, 6))
    def play(self, seed: int, count: int) -> None:
        rng = Random(seed)
        for _ in range(count):
            legal = self.table.round.legal_moves() if self.table.round else []
            if legal:
                move = rng.choice(legal)
                reported(self.table, moved(move.player, " ".join(move.words())))

    @precondition(
        lambda self: self.table.live is None or self.table.live.outcome or self.table.live.abandoned
    )
    @rule(seed=seeds, dealer_known=st.booleans())
    def deal(self, seed: int, dealer_known: bool) -> None:
        if self.table.game.outcome() is None:
            reported(
                self.table, shuffled_deal(self.table, seed, hidden=self.hidden, dealer_known=dealer_known)
            )

    @precondition(lambda self: self.table.undo_target() is not None)
    @rule()
    def undo_and_redo(self) -> None:
        before = state(self.table)
        target = self.table.undo_target()
        assert target is not None
        undone = reported(self.table, NewEvent("undone", {"of": target.seq}))[-1]
        redo = self.table.redo_target()
        assert redo is not None
        assert redo.seq == undone.seq
        reported(self.table, NewEvent("undone", {"of": undone.seq}))
        assert state(self.table) == before

    @precondition(lambda self: self.table.undo_target() is not None)
    @rule()
    def undo(self) -> None:
        target = self.table.undo_target()
        assert target is not None
        reported(self.table, NewEvent("undone", {"of": target.seq}))
        assert not self.table.holds(target.seq)

    @rule(data=st.data())
    def undo_anything(self, data: st.DataObject) -> None:
        self.try_to(NewEvent("undone", {"of": data.draw(st.integers(1, self.table.seq))}))

    @precondition(lambda self: self.live_moves)
    @rule(data=st.data())
    def correct_and_put_back(self, data: st.DataObject) -> None:
        seq = data.draw(st.sampled_from(self.live_moves))
        others = self.table.alternatives(seq)
        if not others:
            return
        other = data.draw(st.sampled_from(others[:3]))
        live = next(live for live in self.table.rounds if live.applied(seq))
        item = next(item for item in live.items if item.seq == seq)
        before = state(self.table)
        reported(self.table, NewEvent(other["event"]["kind"], other["event"]["data"]))
        again = {**item.data, "unchecked": True}
        reported(self.table, NewEvent("corrected", {"of": seq, "kind": "moved", "data": again}))
        if not item.corrected and "unchecked" not in item.data:
            assert _plain(state(self.table)) == _plain(before)

    @precondition(lambda self: self.live_moves)
    @rule(data=st.data(), strike=st.booleans())
    def correct(self, data: st.DataObject, strike: bool) -> None:
        seq = data.draw(st.sampled_from(self.live_moves))
        if strike:
            self.try_to(NewEvent("corrected", {"of": seq, "kind": None}))
            return
        others = self.table.alternatives(seq)
        if others:
            event = data.draw(st.sampled_from(others[:5]))["event"]
            reported(self.table, NewEvent(event["kind"], event["data"]))

    @precondition(lambda self: self.live_moves)
    @rule(data=st.data())
    def insert(self, data: st.DataObject) -> None:
        seq, other = (data.draw(st.sampled_from(self.live_moves)) for _ in range(2))
        applied = next(found for live in self.table.rounds if (found := live.applied(other)))
        late = {**applied.item.data, "unchecked": data.draw(st.booleans())}
        self.try_to(NewEvent("inserted", {"before": seq, "kind": "moved", "data": late}))

    @precondition(lambda self: self.game in {"koikoi", "kekoro"} and self.table.round is not None)
    @rule()
    def take_it_as_it_lies(self) -> None:
        live = self.table.live
        assert live is not None
        played: Any = live.round
        piles = [list(played.captured(player)) for player in (1, 2)]
        to_move = played.to_move or 1
        before, over = played.state, live.outcome is not None
        broken = any(step.problems for step in live.steps if step.kind != "deal")
        reported(
            self.table, NewEvent("set", {"field": list(played.field), "captured": piles, "to_move": to_move})
        )
        if not over and not broken:
            assert live.round.state == before

    @rule(new=st.booleans(), points=st.integers(1, 20), winner=st.integers(0, 2))
    def score(self, new: bool, points: int, winner: int) -> None:
        rest = -points if self.game == "kingo-bank" else points - 1
        others: list[dict[str, Any]] = [{"points": 0} for _ in range(self.table.game.players - 2)]
        seats = [{"points": points}, {"points": rest}, *others]
        winners = [winner] if winner else []
        self.try_to(NewEvent("scored", {"new_round": new, "winners": winners, "seats": seats}))

    @rule()
    def abandon(self) -> None:
        self.try_to(NewEvent("abandoned", {}))

    @invariant()
    def no_card_is_lost(self) -> None:
        for live in self.table.rounds:
            if not any(step.problems for step in live.steps if step.kind != "deal"):
                CARDS[self.game](live.round)

    @invariant()
    def points_cancel_out(self) -> None:
        if self.game in {"kakkuri", "kingo", "kingo-bank"}:
            assert sum(self.table.game.points) + self.table.game.pot == 0

    @invariant()
    def remember(self) -> None:
        self.stood.append((self.table.seq, self.table.view()))

    def teardown(self) -> None:
        # Every earlier state equals the state computed from the events up to then, read one by one or all at
        # once.
        step_by_step = Table(self.table.events[0])
        for seq, view in self.stood:
            step_by_step.extend(self.table.events[step_by_step.seq : seq])
            assert step_by_step.view() == view
        for seq, view in self.stood[-2:]:
            assert Table.of(self.table.events[:seq]).view() == view


def _plain(view: dict[str, Any]) -> dict[str, Any]:
    """Return a state without the reporter of moves: a correction that changes nothing has another reporter."""
    who = {"actor", "source", "confidence", "corrected"}
    history = [{key: line[key] for key in line if key not in who} for line in view["history"]]
    return {**view, "history": history}


def _fishing_cards(played: Any) -> None:
    table = played.state
    open_cards = [table.field, *table.piles]
    assert sum(cards.bit_count() for cards in open_cards) == table.face_up.bit_count(), "no card lies twice"
    assert table.face_up.bit_count() + sum(table.hand_sizes) + len(played.deal.stock) - table.drawn == 48


def _kakkuri_cards(played: Any) -> None:
    state = played.state
    hands = sum(state.size(player) for player in range(1, played.players + 1))
    assert hands + state.pile.bit_count() + len(state.box) == 48


def _kingo_cards(played: Any) -> None:
    assert sum(len(seat.cards) for seat in played.state.seats) + len(played.state.stock) == 40


CARDS: dict[str, Callable[[Any], None]] = {
    "koikoi": _fishing_cards,
    "kekoro": _fishing_cards,
    "kakkuri": _kakkuri_cards,
    "kingo": _kingo_cards,
    "kingo-bank": _kingo_cards,
}


@pytest.mark.parametrize("game", CARDS)
def test_a_table_equals_the_fold_of_its_events(game: str) -> None:
    from hypothesis.stateful import run_state_machine_as_test  # noqa: PLC0415

    machine = type("Machine", (TableMachine,), {"game": game})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=8,
            stateful_step_count=14,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
