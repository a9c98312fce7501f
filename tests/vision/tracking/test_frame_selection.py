"""What the gate lets through: settled tables, each once, and never one with a hand that works in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.vision.tabletop import SIDES, Table, frames, path, watched
from vision.cli.source_argument import open_source
from vision.tracking.frame_recording import FrameRecording
from vision.tracking.frame_selection import RESTING_S, STAYS_S, STILL_S, FrameSelector
from vision.tracking.hand_detection import HandPosition, hand_pauses

GAME = Path("/work/shared/scenes/game-a")

TABLE = Table()
MOVED = Table((*TABLE.cards[:-1], (0.7, 0.2, 4)))
ARM = replace(TABLE, arm=("top", 0.45, 0.5))


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (640, 480)])
@pytest.mark.parametrize(
    ("what", "table"),
    [
        ("a good camera", replace(TABLE, noise=1)),
        ("a bad camera in the dark", replace(TABLE, noise=16, light=0.5)),
        ("a flickering lamp", replace(TABLE, banding=0.04)),
    ],
)
def test_a_still_table_is_let_through_once_and_soon(what, table, size):
    (settled,) = watched(FrameSelector(), frames([(0.9, table)], size=size))
    assert STILL_S <= settled.frame.time <= STILL_S + 0.1
    assert settled.changed.all()
    assert not settled.covered.any()
    assert not settled.notes


def test_a_table_that_stays_still_is_looked_at_three_times():
    first, *more = watched(FrameSelector(), frames([(5, TABLE)]))
    assert [settled.frame.time for settled in more] == pytest.approx([1.0, 2.0], abs=0.05)
    assert first.changed.any()
    assert not any(settled.changed.any() for settled in more)


def test_a_table_is_settling_from_its_second_still_frame_on_unless_an_arm_rests_there():
    selector, about_to_report = FrameSelector(), []
    for frame in frames([(0.5, TABLE), (0.5, ARM), (0.5, MOVED)]):
        selector.feed(frame)
        about_to_report.append(selector.about_to_report)
    soon = [False, True, True, False, False]  # it begins, twice the same, told of
    assert about_to_report == [*soon, *[False] * 5, *soon]


def test_light_that_pumps_settles():
    """A camera's automatic exposure swings to and fro by some hundredths, over the whole picture at once."""
    light = [(0.1, replace(TABLE, light=1 + 0.05 * np.sin(number))) for number in range(30)]
    assert len(watched(FrameSelector(), frames(light))) == 3


def test_a_card_that_moved_is_where_the_table_differs():
    first, second = watched(FrameSelector(), frames([(0.9, TABLE), (0.9, MOVED)]))
    assert first.changed.all()
    rows, columns = np.nonzero(second.changed)
    places = {(column > 160, row > 75) for row, column in zip(rows, columns, strict=True)}
    # where it lay (0.6, 0.55) and where it lies (0.7, 0.2), nothing else
    assert places == {(True, True), (True, False)}
    assert columns.min() >= 0.6 * 320 - 2
    assert not second.notes


def test_two_like_frames_of_a_slow_recording_are_settled_and_one_is_not():
    shown = frames([(0.9, TABLE), (0.5, ARM), (0.9, MOVED), (0.5, TABLE)], fps=2)
    assert [settled.frame.name for settled in watched(FrameSelector(), shown)] == ["0001", "0004"]


def test_what_creeps_never_settles():
    """A card pushed so slowly that no frame differs from the one before by much."""
    creeping = [(0.1, Table((*TABLE.cards[:-1], (0.6 - number * 0.002, 0.55, 4)))) for number in range(40)]
    first, second = watched(
        FrameSelector(), frames([(0.9, TABLE), *creeping, (1, Table((*TABLE.cards[:-1], (0.52, 0.55, 4))))])
    )
    assert (first.frame.time, second.frame.time) == pytest.approx((0.4, 5.3), abs=0.15)


@pytest.mark.parametrize("side", SIDES)
def test_a_hand_is_told_of_with_its_side_and_its_fingertips(side):
    middle = (0.45, 0.5)
    comes = [(0.45, 0.5 - 0.3), (0.45, 0.5 - 0.15)] if side == "top" else []
    first, second = watched(
        FrameSelector(),
        frames(
            [(1, TABLE), *path(TABLE, side, comes), (0.3, replace(TABLE, arm=(side, *middle))), (0.9, MOVED)]
        ),
    )
    assert not first.hands
    hand = second.hands[-1]
    assert hand.side == side
    assert hand.tip == pytest.approx((middle[0] * 1280, middle[1] * 720), abs=45)  # a card's width
    assert 1.0 <= hand.time <= 1.6
    assert not second.covered.any()


def test_a_hand_that_pauses_is_told_of_where_it_paused():
    comes, on = [(0.5, 0.1), (0.5, 0.2), (0.5, 0.3)], [(0.3, 0.5)] * 3
    then = [(0.45, 0.45), (0.6, 0.4), *[(0.7, 0.45)] * 3, (0.7, 0.2)]
    _, second = watched(
        FrameSelector(), frames([(0.9, TABLE), *path(TABLE, "top", [*comes, *on, *then]), (0.9, MOVED)])
    )
    assert [(round(hand.tip[0] / 1280, 1), round(hand.duration, 1)) for hand in second.hands] == [
        (0.3, 0.2),
        (0.7, 0.2),
    ]


def test_a_hand_that_holds_still_over_the_table_is_no_settled_table():
    _, second = watched(FrameSelector(), frames([(0.9, TABLE), (RESTING_S - 0.3, ARM), (0.9, MOVED)]))
    assert second.frame.time > RESTING_S
    assert not second.covered.any()


def test_an_arm_that_rests_covers_and_does_not_hold_up_the_game():
    leans = replace(ARM, arm=("left", 0.25, 0.6))
    plays = replace(MOVED, arm=leans.arm)
    shown = frames([(0.9, TABLE), (RESTING_S + 0.5, leans), (1, plays), (0.9, MOVED)])
    _, resting, moved, gone = watched(FrameSelector(), shown)
    assert resting.covered.mean() > 0.01
    assert not (resting.changed & ~resting.covered).any()
    # The arm is the one that rested there before: what moved beside it is told of at once.
    assert moved.frame.time == pytest.approx(1 + RESTING_S + 0.5 + STILL_S, abs=0.2)
    assert moved.covered.any()
    assert (moved.changed & ~moved.covered).any()
    # What the arm covered has not changed.
    assert not gone.changed.any()
    assert not gone.covered.any()


def test_a_thing_that_stays_at_the_border_becomes_part_of_the_table():
    shown = frames([(0.9, TABLE), (STAYS_S + 1, ARM)], fps=4, size=(640, 360))
    notes = [
        (settled.notes, bool(settled.covered.any()))
        for settled in watched(FrameSelector(), shown)
        if (settled.changed | settled.covered).any()
    ]
    assert notes == [((), False), ((), True), (("thing-on-table",), False)]


def test_cards_laid_at_the_border_together_are_no_arm():
    captured = Table((*TABLE.cards, *((0.4 + 0.036 * number, 0.895, 5 + number) for number in range(4))))
    _, second = watched(FrameSelector(), frames([(0.9, TABLE), (0.9, captured)]))
    assert second.changed[-1].any()
    assert second.frame.time == pytest.approx(0.9 + STILL_S, abs=0.1)
    assert not second.covered.any()


def test_an_arm_that_was_there_from_the_beginning_is_none_when_it_goes():
    _, second = watched(FrameSelector(), frames([(1, ARM), (1, TABLE)]))
    assert second.frame.time == pytest.approx(1 + STILL_S, abs=0.1)
    assert not second.covered.any()
    assert not second.hands


@pytest.mark.parametrize(
    ("what", "after", "note"),
    [
        ("lamp off", replace(TABLE, light=0.6), "light-changed"),
        ("lamp on", replace(TABLE, light=1.5), "light-changed"),
        ("knocked", replace(TABLE, shift=(14, -9)), "camera-moved"),
        ("knocked a little", replace(TABLE, shift=(5, 0)), "camera-moved"),
        ("a cloud", replace(TABLE, light=0.93), None),
        ("a card", MOVED, None),
    ],
)
def test_light_and_a_knocked_camera_are_noted_and_cards_are_not(what, after, note):
    seen = watched(FrameSelector(), frames([(0.9, TABLE), (1, after)]))
    assert [note for settled in seen for note in settled.notes] == ([note] if note else [])
    if note:
        assert seen[-1].changed.all()


def test_a_camera_of_another_size_begins_anew():
    selector = FrameSelector()
    watched(selector, frames([(1, TABLE)]))
    (settled,) = watched(selector, frames([(1, TABLE)], size=(640, 480)))
    assert settled.changed.shape == (240, 320)
    assert settled.changed.all()


def test_the_end_of_the_recording_tells_of_a_table_that_was_still():
    shown = list(frames([(0.9, TABLE), (0.2, MOVED)]))
    assert [settled.frame.name for settled in watched(FrameSelector(), shown)] == ["0003", "0010"]
    assert [settled.frame.name for settled in watched(FrameSelector(), shown[:-1])] == ["0003"]


def test_visits_from_two_sides_are_told_apart():
    def hand(time: float, x: float, side: str) -> HandPosition:
        return HandPosition(time, (x, 100.0), side, 100.0 + x, 40.0)

    both = [
        hand(0, 10, "top"),
        hand(0.1, 500, "bottom"),
        hand(0.2, 12, "top"),
        hand(0.3, 900, "bottom"),
        hand(5, 90, "top"),
    ]
    told = [(each.time, each.side, each.duration) for each in hand_pauses(both)]
    # The one below paused nowhere: it is told of where it came farthest. The one above came twice.
    assert told == [(0, "top", 0.2), (0.3, "bottom", 0.0), (5, "top", 0.0)]


def test_a_recording_is_understood_as_the_table_was(tmp_path):
    scenes = [
        (1, TABLE),
        *path(TABLE, "top", [(0.5, 0.2), (0.5, 0.3), *[(0.6, 0.5)] * 5, (0.6, 0.3)]),
        (1.5, MOVED),
    ]
    selector, seen = FrameSelector(), []
    recording = FrameRecording(tmp_path / "night")
    for frame in frames(scenes):
        settled = selector.feed(frame)
        recording.add(frame, selector, settled)
        seen += [settled] if settled else []
    recording.close()
    again = watched(FrameSelector(), open_source(str(tmp_path / "night")))
    assert [settled.frame.time for settled in again] == pytest.approx(
        [settled.frame.time for settled in seen]
    )
    assert [(hand.side, hand.tip) for settled in again for hand in settled.hands] == [
        (hand.side, pytest.approx(hand.tip, abs=8)) for settled in seen for hand in settled.hands
    ]
    # Of a table at rest nothing is kept but the frames that were looked at.
    assert len(list((tmp_path / "night").glob("*.jpg"))) <= 12


@pytest.mark.skipif(not GAME.exists(), reason="the shared recorded round is not here")
def test_a_recorded_round_settles_where_it_should_and_tells_whose_hand_it_was():
    truth = {told["image"]: told for told in json.loads((GAME / "truth.json").read_text())}
    players = [turn["player"] for turn in json.loads((GAME / "record.json").read_text())["turns"]]
    seen = watched(FrameSelector(), open_source(str(GAME)))
    assert not [settled.frame.name for settled in seen if "reach" in settled.frame.name]
    assert {truth[settled.frame.name]["turn"] for settled in seen} == set(range(len(players) + 1))
    sides = [hand.side for settled in seen for hand in settled.hands]
    assert sides == [{1: "bottom", 2: "top"}[player] for player in players]
    assert not any(settled.notes or settled.covered.any() for settled in seen)
