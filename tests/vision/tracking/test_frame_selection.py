"""Frame selection: each stable state of the table is selected once, and none with a moving hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.vision.tabletop import SIDES, Selector, Table, drawn, frames, path, watched
from vision.cli.source_argument import open_source
from vision.sources.frames import Frame
from vision.tracking.frame_recording import FrameRecording
from vision.tracking.frame_selection import COVERED_S, RESTING_S, STAYS_S, STILL_S, FrameSelector
from vision.tracking.hand_detection import HandPosition, hand_pauses
from vision.tracking.motion import FLOOR, difference_mask, is_light

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
def test_a_stable_table_is_selected_once_and_soon(what, table, size):
    (settled,) = watched(Selector(), frames([(0.9, table)], size=size))
    assert STILL_S <= settled.frame.time <= STILL_S + 0.1
    assert settled.changed.all()
    assert not settled.covered.any()
    assert not settled.notes


def test_an_unchanged_table_is_selected_twice():
    first, second = watched(Selector(), frames([(5, TABLE)]))
    assert second.frame.time == pytest.approx(1.0, abs=0.05)
    assert first.changed.any()
    assert not second.changed.any()


def test_a_table_is_settling_from_its_second_still_frame_unless_an_arm_rests_on_it():
    selector, about_to_report = Selector(), []
    for frame in frames([(0.5, TABLE), (0.5, ARM), (0.5, MOVED)]):
        selector.feed(frame)
        about_to_report.append(selector.about_to_report)
    soon = [False, True, True, False, False]  # first frame, two equal frames, selected
    assert about_to_report == [*soon, *[False] * 5, *soon]


def test_a_table_in_fluctuating_light_becomes_stable():
    """The automatic exposure of a camera fluctuates by a few percent over the whole picture."""
    light = [(0.1, replace(TABLE, light=1 + 0.05 * np.sin(number))) for number in range(30)]
    assert len(watched(Selector(), frames(light))) == 2


def test_the_changed_area_contains_both_places_of_a_moved_card():
    first, second = watched(Selector(), frames([(0.9, TABLE), (0.9, MOVED)]))
    assert first.changed.all()
    rows, columns = np.nonzero(second.changed)
    places = {(column > 160, row > 75) for row, column in zip(rows, columns, strict=True)}
    # its old place (0.6, 0.55) and its new place (0.7, 0.2), nothing else
    assert places == {(True, True), (True, False)}
    assert columns.min() >= 0.6 * 320 - 2
    assert not second.notes


def test_two_equal_frames_of_a_slow_recording_are_stable_and_a_single_one_is_not():
    recording = frames([(0.9, TABLE), (0.5, ARM), (0.9, MOVED), (0.5, TABLE)], fps=2)
    assert [settled.frame.name for settled in watched(Selector(), recording)] == ["0001", "0004"]


def test_slow_movement_is_never_stable():
    """A card is pushed so slowly that consecutive frames hardly differ."""
    creeping = [(0.1, Table((*TABLE.cards[:-1], (0.6 - number * 0.002, 0.55, 4)))) for number in range(40)]
    first, second = watched(
        Selector(), frames([(0.9, TABLE), *creeping, (1, Table((*TABLE.cards[:-1], (0.52, 0.55, 4))))])
    )
    assert (first.frame.time, second.frame.time) == pytest.approx((0.4, 5.3), abs=0.15)


@pytest.mark.parametrize("side", SIDES)
def test_a_hand_is_reported_with_its_side_and_fingertips(side):
    middle = (0.45, 0.5)
    comes = [(0.45, 0.5 - 0.3), (0.45, 0.5 - 0.15)] if side == "top" else []
    first, second = watched(
        Selector(),
        frames(
            [(1, TABLE), *path(TABLE, side, comes), (0.3, replace(TABLE, arm=(side, *middle))), (0.9, MOVED)]
        ),
    )
    assert not first.hands
    hand = second.hands[-1]
    assert hand.side == side
    assert hand.tip == pytest.approx((middle[0] * 1280, middle[1] * 720), abs=45)  # the width of a card
    assert 1.0 <= hand.time <= 1.6
    assert not second.covered.any()


def test_a_pausing_hand_is_reported_at_the_place_of_the_pause():
    comes, on = [(0.5, 0.1), (0.5, 0.2), (0.5, 0.3)], [(0.3, 0.5)] * 3
    then = [(0.45, 0.45), (0.6, 0.4), *[(0.7, 0.45)] * 3, (0.7, 0.2)]
    _, second = watched(
        Selector(), frames([(0.9, TABLE), *path(TABLE, "top", [*comes, *on, *then]), (0.9, MOVED)])
    )
    assert [(round(hand.tip[0] / 1280, 1), round(hand.duration, 1)) for hand in second.hands] == [
        (0.3, 0.2),
        (0.7, 0.2),
    ]


def test_a_table_below_an_unmoving_hand_is_not_stable():
    _, second = watched(Selector(), frames([(0.9, TABLE), (RESTING_S - 0.3, ARM), (0.9, MOVED)]))
    assert second.frame.time > RESTING_S
    assert not second.covered.any()


def test_a_resting_arm_is_reported_as_covering_and_frames_are_still_selected():
    leans = replace(ARM, arm=("left", 0.25, 0.6))
    plays = replace(MOVED, arm=leans.arm)
    recording = frames([(0.9, TABLE), (RESTING_S + 0.5, leans), (1, plays), (0.9, MOVED)])
    _, resting, moved, gone = watched(Selector(), recording)
    assert resting.covered.mean() > 0.01
    assert not (resting.changed & ~resting.covered).any()
    # The arm is the same one, so the movement beside it is reported at once.
    assert moved.frame.time == pytest.approx(1 + RESTING_S + 0.5 + STILL_S, abs=0.2)
    assert moved.covered.any()
    assert (moved.changed & ~moved.covered).any()
    # The area covered by the arm has not changed.
    assert not gone.changed.any()
    assert not gone.covered.any()


def test_an_object_that_remains_at_the_border_becomes_part_of_the_table():
    recording = frames([(0.9, TABLE), (STAYS_S + 1, ARM)], fps=4, size=(640, 360))
    notes = [
        (settled.notes, bool(settled.covered.any()))
        for settled in watched(Selector(), recording)
        if (settled.changed | settled.covered).any()
    ]
    assert notes == [((), False), ((), True), (("table-covered",), True), (("thing-on-table",), True)]


def test_a_resting_arm_may_fidget():
    """Incident: nothing was delivered while a player leaned on the table, because an arm is never quite still."""
    moves = [(0.4, replace(TABLE, arm=("left", 0.25 + 0.005 * (number % 3), 0.6))) for number in range(12)]
    played = [(0.4, replace(MOVED, arm=table.arm)) for _, table in moves[:4]]
    selected = watched(Selector(), frames([(0.9, TABLE), *moves, *played]))
    assert [bool(settled.covered.any()) for settled in selected] == [False, True, True]
    assert [bool((settled.changed & ~settled.covered).any()) for settled in selected] == [True, False, True]


def test_an_arm_that_leaves_after_a_long_rest_leaves_the_table_as_before():
    rest = frames([(0.9, TABLE), (COVERED_S + 4, ARM), (0.9, TABLE), (0.9, MOVED)], fps=5)
    selected = watched(Selector(), rest)
    assert [settled.notes for settled in selected] == [(), (), ("table-covered",), (), ()]
    *_, reported, gone, moved = selected
    assert reported.covered.any()
    assert not (gone.changed | gone.covered).any()
    assert moved.changed.any()


def test_a_table_that_is_never_still_is_reported_beside_what_moves():
    waves = [(0.1, replace(TABLE, arm=("top", 0.2 + 0.03 * (number % 20), 0.7))) for number in range(120)]
    selected = watched(Selector(), frames([(0.9, TABLE), *waves, (0.9, MOVED)]))
    assert [settled.notes for settled in selected] == [(), ("table-covered",), ()]
    assert (
        selected[1].covered[124, 68:246].all()
    )  # where the fingertips were: 0.2 to 0.77 of the width, 0.7 of the height
    assert selected[1].covered.mean() < 0.5
    assert not (selected[1].changed & ~selected[1].covered).any()
    assert selected[1].frame.time == pytest.approx(0.8 + COVERED_S, abs=0.3)
    assert selected[2].changed.any()


def test_what_is_kept_out_does_not_become_part_of_the_table():
    """Fingers at the border are too small for an arm; only who reads the cards knows that they are none."""
    fingers = replace(TABLE, arm=("top", 0.45, 0.06))
    selector, selected = Selector(), []
    for frame in frames([(0.9, TABLE), (COVERED_S + 1, fingers), (0.9, TABLE)], fps=5):
        if (settled := selector.feed(frame)) is not None:
            selected.append(settled)
            if len(selected) == 2:
                selector.keep_out(settled.changed)
            if settled.frame.time > COVERED_S + 1.9:
                selector.keep_out(None)
    assert [bool(settled.changed.any()) for settled in selected] == [True, True, False, False, False]
    assert [settled.notes for settled in selected] == [(), (), (), ("table-covered",), ()]


def test_an_object_at_the_border_does_not_silence_the_table_while_others_play():
    """Incident: whoever reached over the table restarted the time for which a phone at the border had to rest."""
    phone = ("left", 0.25, 0.6)
    turns = []
    for number in range(3):
        played = Table((*TABLE.cards[:-1], (0.7, 0.2 + 0.1 * number, 4)), arm=phone)
        turns += [(0.6, replace(played, other_arm=("top", 0.8, 0.4))), (0.9, played)]
    selected = watched(Selector(), frames([(0.9, TABLE), (1, replace(TABLE, arm=phone)), *turns]))
    _, *later = selected
    assert [settled.frame.time > 0.9 + RESTING_S for settled in later] == [True] * len(later)
    assert later[-1].frame.time == pytest.approx(0.9 + 1 + 3 * 1.5 - 0.9 + STILL_S, abs=0.2)
    assert all(settled.covered.any() for settled in later)
    assert {hand.side for settled in later[1:] for hand in settled.hands} == {"top"}


def test_a_lamp_beside_the_table_is_light_and_no_arm():
    _, second = watched(Selector(), frames([(0.9, TABLE), (0.9, replace(TABLE, lamp=1.6))]))
    assert second.frame.time == pytest.approx(0.9 + STILL_S, abs=0.1)
    assert not second.covered.any()
    assert second.notes == ("light-changed",)


def test_after_a_camera_movement_frames_are_aligned_with_the_table_before():
    followed = []

    def follow(motion: np.ndarray) -> Frame:
        followed.append(motion)
        return Frame("aligned", 1.3, bgr=drawn(TABLE, 50))

    selected = watched(FrameSelector(follow), frames([(0.9, TABLE), (0.4, replace(TABLE, shift=(14, -9)))]))
    (motion,) = followed
    assert motion == pytest.approx(np.array(((1, 0, -14), (0, 1, 9), (0, 0, 1))), abs=1)
    assert selected[-1].frame.name == "aligned"
    assert (selected[-1].notes, selected[-1].aligned) == (("camera-moved",), True)
    assert not selected[-1].changed.any()


def test_cards_laid_at_the_border_at_the_same_time_are_no_arm():
    captured = Table((*TABLE.cards, *((0.4 + 0.036 * number, 0.895, 5 + number) for number in range(4))))
    _, second = watched(Selector(), frames([(0.9, TABLE), (0.9, captured)]))
    assert second.changed[-1].any()
    assert second.frame.time == pytest.approx(0.9 + STILL_S, abs=0.1)
    assert not second.covered.any()


def test_removing_an_arm_present_from_the_start_reports_no_hand():
    _, second = watched(Selector(), frames([(1, ARM), (1, TABLE)]))
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
def test_changed_light_and_a_moved_camera_are_reported_and_cards_are_not(what, after, note):
    selected = watched(Selector(), frames([(0.9, TABLE), (1, after)]))
    assert [note for settled in selected for note in settled.notes] == ([note] if note else [])
    if note:
        assert selected[-1].changed.all() == (note == "light-changed")


def test_black_frames_are_no_table():
    """A phone that lies on its lens, or sends black pictures during a call, has not seen the cards go."""
    black = replace(TABLE, light=0.05)
    seen = [
        (0.9, TABLE),
        (4, black),
        (0.9, TABLE),
        (COVERED_S + 1, black),
        (0.5, TABLE),
        (4, black),
        (0.9, MOVED),
    ]
    first, repeated, covered, back, _, moved = watched(Selector(), frames(seen))
    assert not first.notes
    assert not repeated.changed.any()
    assert covered.notes == ("table-covered",)
    assert covered.covered.all()
    assert not (back.changed | back.covered).any()
    assert not back.notes
    assert 0 < moved.changed.mean() < 0.1
    assert not moved.notes


def test_another_frame_size_resets_the_selection():
    selector = Selector()
    watched(selector, frames([(1, TABLE)]))
    (settled,) = watched(selector, frames([(1, TABLE)], size=(640, 480)))
    assert settled.changed.shape == (240, 320)
    assert settled.changed.all()


def test_a_stable_table_at_the_end_of_a_recording_is_selected():
    recording = list(frames([(0.9, TABLE), (0.2, MOVED)]))
    assert [settled.frame.name for settled in watched(Selector(), recording)] == ["0003", "0010"]
    assert [settled.frame.name for settled in watched(Selector(), recording[:-1])] == ["0003"]


def test_hands_from_two_sides_are_separate():
    def hand(time: float, x: float, side: str) -> HandPosition:
        return HandPosition(time, (x, 100.0), side, 100.0 + x, 40.0, (0.0, 100.0))

    both = [
        hand(0, 10, "top"),
        hand(0.1, 500, "bottom"),
        hand(0.2, 12, "top"),
        hand(0.3, 900, "bottom"),
        hand(5, 90, "top"),
    ]
    visits = [(each.time, each.side, each.duration) for each in hand_pauses(both)]
    # The lower hand never paused and is reported at its farthest point. The upper hand came twice.
    assert visits == [(0, "top", 0.2), (0.3, "bottom", 0.0), (5, "top", 0.0)]


def test_a_recording_gives_the_states_of_the_table(tmp_path):
    scenes = [
        (1, TABLE),
        *path(TABLE, "top", [(0.5, 0.2), (0.5, 0.3), *[(0.6, 0.5)] * 5, (0.6, 0.3)]),
        (1.5, MOVED),
    ]
    selector, selected = Selector(), []
    recording = FrameRecording(tmp_path / "night")
    for frame in frames(scenes):
        settled = selector.feed(frame)
        recording.add(frame, selector, settled)
        selected += [settled] if settled else []
    recording.close()
    again = watched(Selector(), open_source(str(tmp_path / "night")))
    assert [settled.frame.time for settled in again] == pytest.approx(
        [settled.frame.time for settled in selected]
    )
    assert [(hand.side, hand.tip) for settled in again for hand in settled.hands] == [
        (hand.side, pytest.approx(hand.tip, abs=8)) for settled in selected for hand in settled.hands
    ]
    # Of an unchanged table only the selected frames are kept.
    assert len(list((tmp_path / "night").glob("*.jpg"))) <= 12


@pytest.mark.skipif(not GAME.exists(), reason="the recorded round of the shared folder is missing")
def test_a_recorded_round_has_its_stable_states_and_the_players_of_its_hands():
    truth = {entry["image"]: entry for entry in json.loads((GAME / "truth.json").read_text())}
    players = [turn["player"] for turn in json.loads((GAME / "record.json").read_text())["turns"]]
    selected = watched(Selector(), open_source(str(GAME)))
    assert not [settled.frame.name for settled in selected if "reach" in settled.frame.name]
    assert {truth[settled.frame.name]["turn"] for settled in selected} == set(range(len(players) + 1))
    sides = [hand.side for settled in selected for hand in settled.hands]
    assert sides == [{1: "bottom", 2: "top"}[player] for player in players]
    assert not any(settled.notes or settled.covered.any() for settled in selected)


@pytest.mark.parametrize(("ramp", "light"), [(50, True), (0, False)], ids=["lamp", "arm"])
def test_light_has_no_edge_along_a_part_of_its_outline(ramp: int, light: bool) -> None:
    """Incident: a lamp's light ended at shadows; it counted as an arm that played for 14 s, while five turns went by."""
    across = np.clip((60 - np.abs(np.arange(160) - 80)) / max(ramp, 1), 0, 1)
    brighter = np.zeros((90, 160), np.float32)
    brighter[20:70] = 0.5 * across
    before = np.full((90, 160), 100, np.float32)
    now = ((before + FLOOR) * np.exp(brighter) - FLOOR).astype(np.float32)
    assert is_light(before, now, difference_mask(before, now)) is light
