"""Whole rounds, from the deal to the last card, with perfect detections and with errors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from referee_session import Session

from companion.hanafuda.fishing import Call
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from companion.table.events import NewEvent
from tests.companion.watch.fishing_sim import QUIET, Mess, first_of, play_turn, reported, turns_of

EVERY_STAGE = replace(QUIET, observations=(1, 1, 0), hand_events=1, seats=1)
"""Detections without errors after each card, with the seats of the hands."""

RULES = [
    ("koikoi", "koikoi-standard"),
    ("koikoi", "koikoi-guide"),
    ("koikoi", "koikoi-hu"),
    ("koikoi", {"hand_two_match": "all", "max_calls": 1}),
    ("koikoi", {"lightning_wild": "on"}),
    ("koikoi", {"judge": "card"}),
    ("koikoi", {"hand_size": 10}),
    ("koikoi", {"field_four": "dealer_takes", "field_three": "play_on"}),
    ("koikoi", {"last_card": "free", "call_min_points": 3}),
    ("kekoro", "kekoro"),
    ("kekoro", {"judge": "any_time"}),
    ("kekoro", {"declare": "optional"}),
]


@pytest.mark.parametrize(("game", "rules"), RULES, ids=lambda each: str(each).replace(" ", ""))
@pytest.mark.parametrize("seed", [2])
def test_perfect_detections_yield_every_move(game: str, rules: str | dict[str, object], seed: int) -> None:
    """Every other koi-koi is reported by phone; the others follow from the next card."""
    truth = random_round(game, seed, resolve(rules, game))
    session = Session(truth.rules, mess=EVERY_STAGE, dealer=None)
    session.deal(truth.deal.field)
    if game == "koikoi" and not turns_of(truth.moves):
        return
    for number, moves in enumerate(turns_of(truth.moves)):
        for observation in play_turn(session.top, moves):
            session.see(observation)
        output = [move for move in moves if isinstance(move, Call)]
        played = session.table.round
        assert played is not None
        for call in output[-1:]:
            if (number % 2 or call.name != "koikoi") and not played.check(call):
                session.submit(NewEvent("moved", {"player": call.player, "words": list(call.words())}))
    session.close()
    played = session.table.round
    assert played is not None
    assert reported(played.moves) == reported(truth.moves)
    assert session.problems == []
    assert played.outcome() == truth.outcome()


@pytest.mark.parametrize("seed", range(3))
def test_detection_errors_cause_no_silent_mistakes(seed: int) -> None:
    """2 % of the cards are misread, 3 % are uncertain, 3 % on the field and 10 % in the piles are not detected."""
    game, rules = RULES[(0, 1, 9)[seed % 3]]
    truth = random_round(game, seed, rules)
    session = Session(truth.rules, mess=Mess(), dealer=None, seed=seed)
    session.deal(truth.deal.field)
    session.observations(3)
    if session.table.round is None:
        assert session.table.open_questions
        return
    silent = 0
    for turns, moves in enumerate(turns_of(truth.moves), start=1):
        for observation in play_turn(session.top, moves):
            session.see(observation)
        played = session.table.round
        assert played is not None
        for call in moves:
            if isinstance(call, Call) and not played.check(call):
                session.submit(NewEvent("moved", {"player": call.player, "words": list(call.words())}))
        raised = session.table.open_questions or session.table.open_problems
        silent += not raised and piles(played) != piles_of(truth, turns)
    assert silent <= 1  # a turn may wait for the next observation


def piles(played: object) -> list[list[str]]:
    return [sorted(map(first_of, played.captured(player))) for player in (1, 2)]  # type: ignore[attr-defined]  # a round


def piles_of(truth: object, turns: int) -> list[list[str]]:
    played = truth.copy()  # type: ignore[attr-defined]  # a round
    while len(turns_of(played.moves)) > turns:
        played.pop()
    while played.moves and isinstance(played.moves[-1], Call):
        played.pop()
    return piles(played)


def test_the_same_observations_yield_the_same_events() -> None:
    """The referee is deterministic: a recorded table can be repeated."""
    truth = random_round("koikoi", 7, "koikoi-standard")

    def submit() -> list[tuple[str, object]]:
        session = Session(mess=EVERY_STAGE, dealer=None).deal(truth.deal.field)
        for moves in turns_of(truth.moves)[:4]:
            for observation in play_turn(session.top, moves):
                session.see(observation)
        return [(event.kind, event.data) for event in session.reported]

    assert submit() == submit()


def test_quiet_mess_is_quiet() -> None:
    """A property of the simulator: without mess every card is detected correctly."""
    session = Session(mess=QUIET).deal()
    observation = session.top.observation()
    assert sorted(c.likely[0][0] for c in observation.cards if c.zone == "field") == sorted(
        map(first_of, session.table.round.field)  # type: ignore[union-attr]  # dealt
    )
