"""The ground truth of composed scenes."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from hanafuda_training.render.card_layouts import CardPlacement
from hanafuda_training.render.deck_art import Deck
from hanafuda_training.render.scene_factors import TRAINING_FACTORS
from hanafuda_training.render.scenes import SceneAssets, compose_scene, family_weights
from hanafuda_training.render.tabletops import random_textures
from tests.vision.picture_builders import face, row, table_with
from vision.networks.class_ids import BACK, CLASS_OF


def own_deck() -> Deck:
    cards = ("pine-crane", "susuki-moon", "maple-deer", "willow-lightning", "clover-ribbon")
    return Deck("own", "own", tuple(face(card) for card in cards), tuple(cards), hanafuda=True)


@pytest.mark.parametrize("seed", range(6))
def test_ids_are_within_their_quads_and_the_top_card_is_whole(seed: int):
    rng = np.random.default_rng(seed)
    deck = own_deck()
    # Lens distortion and curled cards bend the edges; test_scene_factors tests them.
    straight = replace(TRAINING_FACTORS, lens=0.0, curl=0.0)
    scene = compose_scene(
        rng, SceneAssets([deck], family_weights([deck]), random_textures(rng, 2)), factors=straight
    )
    assert scene.image.shape == (*scene.ids.shape, 3)
    for number, quad in enumerate(scene.quads, 1):
        inside = np.zeros_like(scene.ids)
        cv2.fillConvexPoly(inside, quad.astype(np.int32), 1)
        inside = cv2.dilate(inside, np.ones((5, 5), np.uint8))
        assert not ((scene.ids == number) & (inside == 0)).any()


def test_a_seed_determines_the_scene():
    deck = own_deck()
    scenes = []
    for _ in range(2):
        rng = np.random.default_rng(7)
        scenes.append(
            compose_scene(rng, SceneAssets([deck], family_weights([deck]), random_textures(rng, 2)))
        )
    assert (scenes[0].image == scenes[1].image).all()
    assert (scenes[0].quads == scenes[1].quads).all()


def test_later_cards_are_on_top_and_class_ids_are_those_of_the_cards():
    cards = row(["pine-crane", "plum-warbler", "cherry-curtain"], step=15)
    scene = table_with([*cards, ("back", CardPlacement(120, 0, 0.4))], seed=3)
    assert scene.class_ids.tolist() == [CLASS_OF[card] for card, _ in cards] + [BACK]
    areas = np.bincount(scene.ids.ravel(), minlength=5)[1:]
    assert areas[2] > 1.8 * areas[1]
    assert areas[2] > 1.8 * areas[0]


def test_cards_outside_the_picture_are_omitted():
    scene = table_with(
        [("pine-crane", CardPlacement(0, 0, 0.0)), ("plum-warbler", CardPlacement(9000, 0, 0.0))], seed=1
    )
    assert scene.class_ids.tolist() == [CLASS_OF["pine-crane"]]
