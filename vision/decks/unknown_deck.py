"""Which card of a pack a picture may show, judged by everything known of any deck: for decks never seen before."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import DECKS as PACKS
from vision.decks.deck_naming import DeckClassifier
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN
from vision.networks.crops import Image
from vision.networks.recognizer import Recognizer

Floats = NDArray[np.float64]

#: The recogniser is less sure of a style it never saw than of those it learnt: its temperature is raised by this.
_STRANGE: Final = 1.6
#: Logits a unit of cosine, between cards of different decks.
_COSINE: Final = 10.0
#: What any card keeps of probability, whatever it looks like.
_FLOOR: Final = 0.02


def card_probabilities(
    recognizer: Recognizer, crops: Image, pack: str, classifiers: Collection[DeckClassifier]
) -> Floats:
    """Return the probability of each card of ``pack`` (n x cards, in the pack's order) for n upright crops.

    ``crops`` n x 96 x 64 x 4. What the recogniser knows of the traditional patterns counts for hanafuda; for any pack,
    how near the crops lie to the cards of the known decks of that pack (``namers``).
    """
    ids = [card.id for card in PACKS[pack]]
    logits, _, embeddings = recognizer.infer(crops)
    total = np.zeros((len(crops), len(ids)))
    if pack == "hanafuda":
        total += logits[:, [CLASS_OF[card] for card in ids]] / _STRANGE
        # As far as it takes the card for a stranger, its guesses among the kinds are worth less.
        known = logits[:, :BACK].max(axis=1) - np.logaddexp(logits[:, :BACK].max(axis=1), logits[:, UNKNOWN])
        total *= np.maximum(np.exp(known), 0.3)[:, None]
    near = np.full((len(crops), len(ids)), -1.0)
    place = {card: number for number, card in enumerate(ids)}
    for classifier in classifiers:
        best = classifier.cosines(embeddings)[:, :-1, 0]
        for class_id, cards in enumerate(classifier.profile.classes):
            columns = [place[card] for card in cards]
            near[:, columns] = np.maximum(near[:, columns], best[:, class_id, None])
    known_cards = (near > -1).any(axis=0)
    if known_cards.any():
        near[:, ~known_cards] = near[:, known_cards].mean(axis=1, keepdims=True)
        total += _COSINE * near
    total -= total.max(axis=1, keepdims=True)
    probability = np.exp(total)
    probability /= probability.sum(axis=1, keepdims=True)
    return np.asarray((1 - _FLOOR) * probability + _FLOOR / len(ids), np.float64)


def upright_evidence(
    recognizer: Recognizer, crops: Image, pack: str, classifiers: Collection[DeckClassifier]
) -> Floats:
    """Return how strongly each of n crops (n x 96 x 64 x 4) looks upright: above 0 yes, below 0 turned, 0 no telling."""
    logits, upright, embeddings = recognizer.infer(crops)
    if pack == "hanafuda":
        named = logits[:, :BACK].max(axis=1) > logits[:, BACK : UNKNOWN + 1].max(axis=1)
        return np.asarray(np.where(named, np.tanh(upright), 0.0), np.float64)
    votes = np.zeros(len(crops))
    for classifier in classifiers:
        best = classifier.cosines(embeddings)[:, :-1].max(axis=1)
        clear = np.abs(best[:, 0] - best[:, 1]) > np.abs(votes)
        votes = np.where(clear, best[:, 0] - best[:, 1], votes)
    return votes
