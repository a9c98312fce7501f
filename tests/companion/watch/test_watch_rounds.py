"""Whole rounds of fishing games, from the deal to the last card."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.hanafuda.cards import first_of
from companion.hanafuda.fishing import Call
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from companion.observations import Observation, TrackedCard
from companion.table.events import NewEvent
from companion.table.history import MIN_ORDER_CONFIDENCE
from companion.watch.referee import NoRefereeError, Referee
from tests.companion.watch.fishing_session import WatchedTable
from tests.companion.watch.fishing_sim import QUIET, Mess, play_turn, reported, turns_of
from tests.message_text import raises_text
from tests.recorded_observations import (
    RecordedRound,
    cards_of_turn,
    recorded_round,
    standing_turns,
    table_change,
    watched_lines,
)

EVERY_STAGE = replace(QUIET, observations=(1, 1, 0), hand_events=1, seats=1)
"""Detections without errors after each card."""
RULES: list[tuple[str, str | dict[str, object]]] = [
    ("koikoi", "koikoi-standard"),
    ("koikoi", "koikoi-guide"),
    ("koikoi", "koikoi-hu"),
    ("koikoi", {"hand_two_match": "all", "max_calls": 1}),
    ("koikoi", {"lightning_wild": "on"}),
    ("koikoi", {"hand_size": 10}),
    ("koikoi", {"field_four": "dealer_takes", "field_three": "play_on"}),
    ("koikoi", {"last_card": "free", "call_min_points": 3}),
    ("kekoro", "kekoro"),
    ("kekoro", {"judge": "any_time"}),
    ("kekoro", {"declare": "optional"}),
]


@pytest.mark.parametrize(("game", "rules"), RULES, ids=lambda each: str(each).replace(" ", ""))
def test_perfect_detections_yield_every_move(game: str, rules: str | dict[str, object]) -> None:
    """Every other koi-koi is reported by phone; the others follow from the next card."""
    truth = random_round(game, 2, resolve(rules, game))
    session = WatchedTable(truth.rules, mess=EVERY_STAGE, dealer=None)
    session.deal(truth.deal.field)
    for number, moves in enumerate(turns_of(truth.moves)):
        for observation in play_turn(session.top, moves):
            session.see(observation)
        current = session.table.round
        assert current is not None
        for call in [move for move in moves if isinstance(move, Call)][-1:]:
            if (number % 2 or call.name != "koikoi") and not current.check(call):
                session.submit(NewEvent("moved", {"player": call.player, "words": list(call.words())}))
    session.close()
    assert session.table.round is not None
    assert reported(session.table.round.moves) == reported(truth.moves)
    assert session.problems == []
    assert session.table.round.outcome() == truth.outcome()


@pytest.mark.parametrize(("game", "seed"), [("koikoi", 0), ("koikoi", 1), ("kekoro", 2)])
def test_detection_errors_cause_no_silent_mistakes(game: str, seed: int) -> None:
    """2 % of the cards are misread, 3 % are uncertain, 3 % on the field and 10 % in the piles are not detected."""
    truth = random_round(game, seed)
    session = WatchedTable(truth.rules, mess=Mess(), dealer=None, seed=seed)
    session.deal(truth.deal.field)
    session.rest(3)
    silent = 0
    done = random_round(game, seed)
    while done.moves:
        done.pop()
    for moves in turns_of(truth.moves):
        for observation in play_turn(session.top, moves):
            session.see(observation)
        for move in moves:
            done.push(move)
            if isinstance(move, Call) and session.table.round and not session.table.round.check(move):
                session.submit(NewEvent("moved", {"player": move.player, "words": list(move.words())}))
        raised = session.table.open_questions or session.table.open_problems
        silent += not raised and piles(session.table.round) != piles(done)
    assert silent <= 1  # a turn may wait for the next observation


def piles(current: Any) -> list[list[str]]:
    """Return the captured cards of both players."""
    return [[] if current is None else sorted(map(first_of, current.captured(player))) for player in (1, 2)]


def test_the_same_observations_yield_the_same_events() -> None:
    """A recorded table can be repeated."""
    truth = random_round("koikoi", 7, "koikoi-standard")

    def events() -> list[tuple[str, object]]:
        session = WatchedTable(mess=EVERY_STAGE, dealer=None).deal(truth.deal.field)
        for moves in turns_of(truth.moves)[:4]:
            for observation in play_turn(session.top, moves):
                session.see(observation)
        return [(event.kind, event.data) for event in session.reported]

    assert events() == events()


SCENES = Path(__file__).parents[4] / "shared" / "scenes"
needs_scenes = pytest.mark.skipif(not SCENES.is_dir(), reason=f"the played rounds are not here: {SCENES}")


@needs_scenes
def test_the_turns_of_four_played_rounds() -> None:
    right = turns = 0
    for each in json.loads((SCENES / "rounds" / "truth.json").read_text(encoding="utf-8")):
        lines = watched_lines(recorded_round(f"scene-{each['folder']}"))
        truth = [table_change(turn) for turn in each["record"]["turns"]]
        right += sum(
            found == of_truth
            for found, of_truth in zip(map(table_change, standing_turns(lines)), truth, strict=False)
        )
        turns += len(truth)
    assert turns == 37
    assert right >= 36


MM_A_PX = 0.7
"""Approximate scale of the frames of a played round: a card of 33 mm is about 47 px wide."""


def true_observations(frames: list[dict[str, Any]]) -> Iterator[Observation]:
    """Yield what a camera without errors observes in the frames of a played round."""
    keys: dict[str, int] = {}
    since: dict[tuple[str, str], float] = {}
    for number, frame in enumerate(frames):
        time, found = number * 0.5, []
        for card in frame["cards"]:
            if card["visible"] < 0.12:
                continue
            x, y = (MM_A_PX * sum(corner[axis] for corner in card["quad"]) / 4 for axis in (0, 1))
            name = first_of(card["card"]) if card["card"] != "back" else "back"
            key = keys.setdefault(card["card"], len(keys) + 1)
            came = since.setdefault((card["card"], card["zone"]), time)
            found.append(
                TrackedCard(
                    key, name, ((name, 0.98),), card["zone"], (x, y), visible=card["visible"], since=came
                )
            )
        yield Observation(frame["image"], time, tuple(found))


@pytest.mark.parametrize("first", [1, 2])
def test_two_turns_of_players_in_a_hurry_wait_for_the_next_one(first: int) -> None:
    """Nobody saw the table between two turns after the deal: either player may have begun, until the third turn."""
    second = 3 - first
    session = WatchedTable(dealer=None).deal()
    session.play(first, "chrysanthemum-chaff-1")
    session.play(first, "chrysanthemum-ribbon", "chrysanthemum-chaff-1")
    session.play(second, "pine-ribbon", "pine-chaff-1")
    session.play(second, "maple-chaff-1")
    session.rest(1)
    session.play(first, "peony-chaff-1", "peony-ribbon")
    session.play(first, "wisteria-cuckoo", "wisteria-chaff-1")
    session.rest(3)
    assert [event.data["player"] for event in session.reported if event.kind == "moved"] == [
        *(first, first, second, second, first, first)
    ]
    assert session.problems == []


@needs_scenes
@pytest.mark.parametrize("settled_only", [False, True])
def test_a_played_round_without_detection_errors(settled_only: bool) -> None:
    """Every turn is right; the order of its cards is right, or stated to be unknown."""
    record = json.loads((SCENES / "game-a" / "record.json").read_text())
    frames = [
        frame
        for frame in json.loads((SCENES / "game-a" / "truth.json").read_text())
        if frame["settled"] or (not settled_only and "-b-played-" in frame["image"])
    ]
    rules = resolve(record["rules"], "koikoi")
    lines = watched_lines(RecordedRound("", rules, 2, (), tuple(true_observations(frames))))
    turns = standing_turns(lines)
    assert list(map(table_change, turns)) == list(map(table_change, record["turns"]))
    for found, of_truth in zip(turns, record["turns"], strict=True):
        order = found["order_confidence"]
        is_known = order is not None and order >= MIN_ORDER_CONFIDENCE
        assert not is_known or cards_of_turn(found) == cards_of_turn(of_truth)
    assert lines[-1]["result"] == record["result"]
    assert not [line for line in lines if line["event"] in {"question", "problem"}]


def test_there_is_no_referee_for_every_game() -> None:
    poker: Any = SimpleNamespace(game="poker", title=Message("game-poker"))
    with raises_text(
        NoRefereeError, match=r"the camera cannot watch game-poker \(it can watch Koi-Koi, Kekoro, "
    ):
        Referee(poker, 2)
