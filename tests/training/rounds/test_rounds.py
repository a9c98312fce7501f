"""The simulated tables are those of the rounds played: at every stable moment, with every player, in every game."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round, record_of
from companion.observations import DISCARD, FIELD, STOCK, captured_zone, hand_zone
from hanafuda_training.rounds import discarding, fishing, stock_drawing
from hanafuda_training.rounds.face_sheet import SHEET, faces, make_sheet
from hanafuda_training.rounds.film import SEED
from hanafuda_training.rounds.greedy_players import evening
from hanafuda_training.rounds.irregular_rounds import IRREGULAR_ROUNDS
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.round_frames import render, write
from hanafuda_training.rounds.stage import Manner, Stage
from vision.networks.class_ids import CLASS_OF
from vision.photograph.scanner import Scanner


def stage(seed: int = 1, **manner: object) -> Stage:
    return Stage(np.random.default_rng(seed), Manner(**manner))


def zones(cards) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for placed in cards:
        found.setdefault(placed.zone, set()).add(placed.card)
    return found


def kind(card: str | None) -> int | None:
    """Return the card, twins as the first of them."""
    return CLASS_OF.get(card, -1)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    game=st.sampled_from(("koikoi", "kekoro")),
    collect=st.sampled_from(("each", "both", "late")),
    pause=st.sampled_from((0.0, 1.0)),
    rearrange=st.sampled_from((0.0, 0.5)),
)
def test_every_stable_table_is_that_of_the_round(seed, game, collect, pause, rearrange):
    record = record_of(random_round(game, seed))
    table = stage(seed, collect=collect, pause=pause, rearrange=rearrange)
    moments = [moment for moment in fishing.round_moments(table, record) if moment.what == "settled"]
    played = GAMES[game].round.from_record({**record, "turns": []})
    for number, turn in enumerate(record["turns"], start=1):
        for move in played.read_turn(turn):
            played.push(move)
        placed = zones([moment for moment in moments if moment.turn == number][-1].cards)
        assert placed.get(FIELD, set()) == set(played.field)
        for player in (1, 2):
            assert placed.get(captured_zone(player), set()) == set(played.captured(player))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("collect", ["each", "both", "late"])
def test_every_card_exists_exactly_once(seed, collect):
    record = record_of(random_round("koikoi", seed))
    before: set[str] = set()
    for moment in fishing.round_moments(stage(seed, collect=collect, rearrange=0.5), record):
        there = Counter(placed.card for placed in moment.cards)
        assert set(there.values()) <= {1}
        in_hand = set(moment.hand.holding) if moment.hand else set()
        # A card from before is still there, or below the hand that takes it.
        assert moment.hand is not None or before - set(there) <= {"back"}
        before = set(there) if moment.hand is None else before
        assert not in_hand & set(there)


def test_the_dealer_takes_four_cards_of_one_month_if_the_rules_say_so():
    rules = resolve({"field_four": "dealer_takes"}, "koikoi")
    pine = [card.id for card in HANAFUDA if card.month == 1]
    others = [card.id for card in HANAFUDA if card.month != 1]
    Random(4).shuffle(others)
    record = {
        "game": "koikoi", "rules": {"field_four": "dealer_takes"}, "players": 2, "dealer": 2,
        "deal": {"hands": {"1": others[:8], "2": others[8:16]}, "field": [*pine, *others[16:20]], "stock": others[20:]},
        "turns": [],
    }  # fmt: skip
    assert GAMES["koikoi"].round.from_record(record).rules == rules
    last = list(fishing.round_moments(stage(), record))[-1]
    assert zones(last.cards)[captured_zone(2)] == set(pine)


@pytest.mark.parametrize("seed", range(4))
def test_the_last_discard_of_kakkuri_is_on_top(seed):
    rules = resolve({"deck": "hanafuda"}, "kakkuri")
    record = record_of(random_round("kakkuri", seed, rules))
    moments = [each for each in discarding.round_moments(stage(seed), record) if each.settled]
    played = [cards for turn in record["turns"] for cards in turn.get("discards", [])]
    tables = [each.cards for each in moments if each.what == "settled"]
    assert len(tables) == len(played)
    for cards, discarded in zip(tables, played, strict=True):
        pile = [placed.card for placed in cards if placed.zone == DISCARD]
        assert set(pile[-len(discarded) :]) == set(discarded)


@pytest.mark.parametrize("players", [2, 4, 7])
def test_the_hands_of_kingo_are_face_up_at_the_showdown(players):
    record = record_of(random_round("kingo", 5, players=players))
    *_, last = stock_drawing.round_moments(stage(), record)
    placed = zones(last.cards)
    for player in range(1, players + 1):
        drawn = [
            card for turn in record["turns"] if turn["player"] == player for card in turn.get("draws", [])
        ]
        assert placed[hand_zone(player)] == {*record["deal"]["hands"][str(player)], *drawn}


def test_hands_come_from_the_sides_of_their_players():
    table = stage()
    table.players = 4
    starts = {seat: next(table.reach(seat, (0.0, 0.0), "reach")) for seat in (1,)}
    assert starts[1].hand.start[1] > 200
    for seat, across, down in ((2, 1, 0), (3, 0, -1), (4, -1, 0)):
        *_, moment = table.reach(seat, (0.0, 0.0), "reach")
        x, y = moment.hand.start
        assert (round(x / 470), round(y / 300)) == (across, down)


def test_frames_have_their_ground_truth(tmp_path):
    record = record_of(random_round("koikoi", 3))
    taken = list(islice(render(record, 3, manner=Manner()), 40))
    assert write(tmp_path, taken, record) == 40
    truth = json.loads((tmp_path / "truth.json").read_text())
    assert sorted(path.name for path in tmp_path.glob("*.jpg")) == [each["image"] for each in truth]
    assert set(truth[0]) == {"image", "width", "height", "table", "cards", "turn", "settled"}
    assert json.loads((tmp_path / "record.json").read_text()) == record
    assert [frame.time for frame in taken] == sorted(frame.time for frame in taken)
    for each in truth:
        if each["settled"]:
            corners = np.array([card["quad"] for card in each["cards"]]).reshape(-1, 2)
            assert ((corners >= 0) & (corners < (each["width"], each["height"]))).all()
            assert all(card["visible"] > 0.9 for card in each["cards"] if card["zone"] in {FIELD, STOCK})


def test_a_hand_hides_the_cards_below_it():
    record = record_of(random_round("koikoi", 3))
    moments = list(islice(fishing.round_moments(stage(), record), 8))
    reach = next(moment for moment in moments if moment.what == "reach")
    renderer = Renderer(3, mess=0.0)
    _, before = renderer.draw(moments[moments.index(reach) - 1], 0.5)
    _, under = renderer.draw(reach, 1.0)
    assert min(card["visible"] for card in before) > 0.9
    assert min(card["visible"] for card in under) < 0.5


def test_a_seed_determines_the_picture_and_an_unchanged_table_differs_only_by_noise():
    record = record_of(random_round("koikoi", 3))
    *_, moment = islice(fishing.round_moments(stage(), record), 6)
    one, other = Renderer(8, mess=0.6), Renderer(8, mess=0.6)
    first, _ = one.draw(moment, 0.0)
    assert (first == other.draw(moment, 0.0)[0]).all()
    again, _ = one.draw(moment, 0.9)
    assert (first != again).any()
    assert np.abs(first.astype(int) - again).mean() < 3 * one.noise
    assert (first != Renderer(9, mess=0.6).draw(moment, 0.0)[0]).mean() > 0.5


@pytest.mark.parametrize("mess", [0.0, 0.5])
def test_our_own_faces_are_recognized_in_the_frames(mess):
    record = record_of(random_round("koikoi", 2))
    *_, moment = islice(fishing.round_moments(stage(2, rest=1.5), record), 6)
    assert moment.what == "dealt"
    bgr, truth = Renderer(2, mess=mess).draw(moment, 0.5)
    read = Counter(kind(card.card) for card in Scanner().scan(bgr).cards)
    assert read == Counter(kind(card["card"]) for card in truth)


def test_the_sheet_of_faces_is_rendered_from_the_svgs():
    pytest.importorskip("resvg_py")
    difference = np.abs(cv2.imread(str(SHEET)).astype(int) - make_sheet()).mean(axis=2)
    # Seven by seven faces, compared with a tolerance for WebP, so that a redrawn face must be rendered again.
    faces_apart = difference.reshape(7, difference.shape[0] // 7, 7, -1).mean(axis=(1, 3))
    assert faces_apart.max() < 8
    assert set(faces()) == {*(card.id for card in HANAFUDA), "back"}


@pytest.mark.parametrize("game", ["koikoi", "kekoro"])
def test_sessions_continue_and_their_rounds_follow_the_rules(game):
    rounds = list(islice(evening(game, SEED), 14))
    assert all(played.moves and played.outcome() is not None for played in rounds)
    assert len({played.to_text() for played in rounds}) == 14


@pytest.mark.parametrize("name", sorted(IRREGULAR_ROUNDS))
def test_unusual_scripts_end_with_a_stable_table_and_each_card_once(name):
    record = record_of(next(evening("koikoi", SEED)))
    moments = list(IRREGULAR_ROUNDS[name](stage(), record))
    assert moments[-1].settled
    for moment in moments:
        assert set(Counter(placed.card for placed in moment.cards).values()) <= {1}
