"""Which deck is chosen for the cards of a picture."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.drawn_decks import a_deck, drawn, seen, uncovered
from vision.decks.deck_choice import choose_deck
from vision.decks.deck_naming import DeckClassifier, read_vote_weights
from vision.networks.onnx_sessions import MODELS

COUNT = 8


@pytest.mark.parametrize(("likeness", "expected"), [(0.95, "own"), (0.75, "own"), (0.6, None)])
def test_cards_that_resemble_no_deck_enough_are_of_an_unknown_one(likeness: float, expected: str | None):
    """Western cards are a little like mekurifuda, more than an unknown card is on average."""
    deck = a_deck(count=COUNT).without_pictures()
    cards = seen(uncovered(drawn(1, COUNT)))
    vectors = cards.embeddings
    others = np.random.default_rng(1).normal(size=vectors.shape).astype(np.float32)
    others -= (others * vectors).sum(axis=1, keepdims=True) * vectors
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    moved = likeness * vectors + np.sqrt(1 - likeness**2) * others
    classifiers = {"own": DeckClassifier(deck, read_vote_weights(MODELS).shipped)}
    cards = replace(cards, embeddings=moved.astype(np.float32))
    assert choose_deck(classifiers, cards, np.ones(COUNT, np.float32)) == expected
