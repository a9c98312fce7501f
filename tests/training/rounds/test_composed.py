"""Composed rounds: what happens besides the game leaves the cards of the round, and the splits share nothing."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.registry import GAMES
from companion.hanafuda.simulation import random_round, record_of
from companion.observations import FIELD, captured_zone
from hanafuda_training.rounds import composed, discarding, fishing, stock_drawing
from hanafuda_training.rounds.disturbances import ANYWHERE, COVERS, FISHING, Disturbances
from hanafuda_training.rounds.observing import picture_observations
from hanafuda_training.rounds.round_frames import write
from hanafuda_training.rounds.stage import Manner, Stage
from hanafuda_training.rounds.view_settings import View

SHARED_DECKS = Path(__file__).parents[4] / "shared" / "decks"


def stage(seed: int = 1, **manner: object) -> Stage:
    return Stage(np.random.default_rng(seed), Manner(**manner))


@pytest.mark.parametrize("name", sorted(FISHING))
@pytest.mark.parametrize("captured", [("groups", "heap"), ("pairs", "row")])
def test_a_disturbance_changes_no_turn(name, captured):
    record = record_of(random_round("koikoi", 3))
    disturbed = Disturbances(dict.fromkeys(range(1, len(record["turns"]), 2), name))
    moments = list(fishing.round_moments(stage(captured=captured), record, disturbed))
    played = GAMES["koikoi"].round.from_record({**record, "turns": []})
    for number, turn in enumerate(record["turns"], start=1):
        for move in played.read_turn(turn):
            played.push(move)
        settled = [moment.cards for moment in moments if moment.turn == number and moment.what == "settled"]
        for cards in settled[-1:]:  # none after a turn that the next player did not wait for
            assert {pose.card for pose in cards if pose.zone == FIELD} == set(played.field)
            for seat in (1, 2):
                mine = {pose.card for pose in cards if pose.zone == captured_zone(seat)}
                assert mine == set(played.captured(seat))
    for moment in moments:
        assert set(Counter(placed.card for placed in moment.cards).values()) <= {1}


@pytest.mark.parametrize("name", sorted(ANYWHERE))
def test_a_disturbance_of_another_game_leaves_its_cards(name):
    for game, script in (("kakkuri", discarding), ("kingo", stock_drawing)):
        record = record_of(random_round(game, 5, {"deck": "hanafuda"} if game == "kakkuri" else None))
        every = Disturbances(dict.fromkeys(range(len(record["turns"])), name))
        ends = [
            Counter(
                pose.card for pose in [*script.round_moments(stage(), record, disturb)][-1].cards if pose.zone
            )
            for disturb in (every, Disturbances({}))
        ]
        assert ends[0] == ends[1]


@pytest.mark.parametrize("cover", COVERS)
def test_an_unread_card_of_the_deal_can_be_read_before_it_is_captured(cover):
    record = record_of(random_round("koikoi", 3))
    moments = list(fishing.round_moments(stage(), record, Disturbances({}, cover)))

    def hidden(moment) -> bool:
        return any(pose.face_down or pose.card in {"glare", "note"} for pose in moment.cards)

    assert hidden(next(moment for moment in moments if moment.what == "dealt"))
    last = max(number for number, moment in enumerate(moments) if hidden(moment))
    assert any(moment.what == "uncovered" for moment in moments[last:])


@pytest.mark.parametrize("tilt", [0.0, 30.0, 55.0])
@pytest.mark.parametrize("azimuth", [0.0, -20.0])
def test_the_camera_shows_all_of_the_table(tilt, azimuth):
    size, half = (1280, 720), (250.0, 200.0)
    view = View.framing(half, size, tilt, azimuth)
    px = view.camera(size).project(np.array([(x, y, 0.0) for x in (-250, 250) for y in (-200, 200)]))
    assert ((px > 0) & (px < size)).all()
    closer = View(0.8 * view.across, tilt, azimuth, view.at).camera(size)
    assert not (
        (closer.project(np.array([(x, y, 0.0) for x in (-250, 250) for y in (-200, 200)])) > 0) & (px < size)
    ).all()


def test_the_splits_share_neither_seeds_nor_tabletops():
    fit, check = composed.SPLITS["fit"], composed.SPLITS["check"]
    assert not set(fit.tabletops) & set(check.tabletops)
    assert not set(fit.decks) & set(check.decks)
    assert composed.setting("fit", "koikoi", 3).record != composed.setting("check", "koikoi", 3).record
    assert composed.setting("fit", "kingo", 3) == composed.setting("fit", "kingo", 3)


@pytest.mark.parametrize("game", ["koikoi", "kekoro", "kakkuri", "kingo"])
def test_every_number_of_players_gives_a_round(game):
    drawn = [composed.setting("fit", game, number) for number in range(12)]
    assert {each.game for each in drawn} == {game}
    expected = {"kakkuri": {3, 4, 5, 6}, "kingo": {2, 3, 4}}.get(game, {2})
    assert {each.players for each in drawn} == expected


def test_illegal_rounds_have_a_script_that_finds_its_turns():
    scripts = {
        composed.setting("check", "koikoi", number, illegal=True).irregular["script"] for number in range(6)
    }
    assert {"wrong-flower", "draw-skipped"} <= scripts


@pytest.mark.skipif(not SHARED_DECKS.exists(), reason="needs the decks of ../shared")
def test_the_splits_share_no_family_of_decks():
    families = [
        {json.loads((SHARED_DECKS / deck / "SOURCE.json").read_text())["family"] for deck in split.decks}
        for split in composed.SPLITS.values()
    ]
    assert not set.intersection(*families)


def test_a_composed_round_is_observed(tmp_path):
    deck = tmp_path / "pfengdev-scan"
    deck.mkdir()
    for number in range(len(HANAFUDA)):
        face = np.full((54, 33, 3), 5 * number, np.uint8)
        cv2.imwrite(str(deck / f"{number // 4 + 1:02d}-{number % 4}.png"), face)
    drawn = composed.setting("check", "koikoi", 0)
    taken = [frame for frame in islice(composed.compose(drawn, tmp_path), 14) if "-dealt" in frame.name]
    assert write(tmp_path / "round", taken, drawn.record) == len(taken) > 0
    truth = json.loads((tmp_path / "round" / "truth.json").read_text())
    assert {pose["card"] for pose in truth[0]["cards"] if pose["zone"] == FIELD} == set(
        drawn.record["deal"]["field"]
    )
    about = {"game": drawn.game, "rules": drawn.rules, "players": drawn.players}
    [observation] = picture_observations(tmp_path / "round", about, truth)
    assert observation.frame == truth[-1]["image"]
