"""The shipped profiles work with the shipped networks and contain no pictures."""

import pytest

from hanafuda_training.training.make_deck_profiles import PROFILES
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_profile import tidy_name
from vision.networks.onnx_sessions import MODELS
from vision.networks.recognizer import Recognizer

SHIPPED = DeckLibrary().known


def test_decks_are_shipped():
    assert {"nintendo", "hwatu", "echigobana", "komatsu", "kabufuda-standard"} <= set(SHIPPED)


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_a_shipped_deck_matches_the_shipped_recognizer(name: str):
    deck = SHIPPED[name]
    assert deck.problem is None
    assert deck.profile is not None
    assert deck.profile.weights == Recognizer(MODELS).fingerprint
    assert not len(deck.profile.pictures)
    assert deck.profile.source


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_the_names_of_shipped_profiles_are_valid(name: str):
    assert tidy_name(name) == name
