"""Card probabilities for decks that are not known yet, from the recognizer and all known decks of the same
pack.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import DECKS as PACKS
from vision.decks.deck_naming import DeckClassifier
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN
from vision.networks.recognizer import Recognizer
from vision.pictures.crops import Image

Floats = NDArray[np.float64]

#: The recognizer is less confident of unseen styles than of those in its training data: temperature of its
#: logits.
_UNSEEN_STYLE_TEMPERATURE: Final = 1.6
#: Logits per unit of cosine between cards of different decks.
_COSINE_WEIGHT: Final = 10.0
#: Total probability that is distributed over all cards regardless of the evidence.
_FLOOR: Final = 0.02


def card_probabilities(
    recognizer: Recognizer, crops: Image, pack: str, classifiers: Collection[DeckClassifier]
) -> Floats:
    """Return the probability of each card of ``pack`` (n x cards, in the pack's order) for n upright crops
    (n x 96 x 64 x 4).

    For hanafuda, the recognizer's logits count; for all packs, the similarity to the cards of the known decks
    of that pack (``classifiers``).
    """
    ids = [card.id for card in PACKS[pack]]
    logits, _, embeddings = recognizer.infer(crops)
    total = np.zeros((len(crops), len(ids)))
    if pack == "hanafuda":
        total += logits[:, [CLASS_OF[card] for card in ids]] / _UNSEEN_STYLE_TEMPERATURE
        # Reduce the weight of its logits as far as it considers the card unknown.
        known_log = logits[:, :BACK].max(axis=1) - np.logaddexp(
            logits[:, :BACK].max(axis=1), logits[:, UNKNOWN]
        )
        total *= np.maximum(np.exp(known_log), 0.3)[:, None]
    similarity = np.full((len(crops), len(ids)), -1.0)
    column_of = {card: number for number, card in enumerate(ids)}
    for classifier in classifiers:
        cosines = classifier.cosines(embeddings)[:, :-1, 0]
        for class_id, cards in enumerate(classifier.profile.classes):
            columns = [column_of[card] for card in cards]
            similarity[:, columns] = np.maximum(similarity[:, columns], cosines[:, class_id, None])
    known_cards = (similarity > -1).any(axis=0)
    if known_cards.any():
        similarity[:, ~known_cards] = similarity[:, known_cards].mean(axis=1, keepdims=True)
        total += _COSINE_WEIGHT * similarity
    total -= total.max(axis=1, keepdims=True)
    probability = np.exp(total)
    probability /= probability.sum(axis=1, keepdims=True)
    return np.asarray((1 - _FLOOR) * probability + _FLOOR / len(ids), np.float64)


def upright_evidence(
    recognizer: Recognizer, crops: Image, pack: str, classifiers: Collection[DeckClassifier]
) -> Floats:
    """Return the evidence that each crop (n x 96 x 64 x 4) is upright: positive if upright, negative if
    upside down, 0 if unclear.
    """
    logits, upright, embeddings = recognizer.infer(crops)
    if pack == "hanafuda":
        is_face = logits[:, :BACK].max(axis=1) > logits[:, BACK : UNKNOWN + 1].max(axis=1)
        return np.asarray(np.where(is_face, np.tanh(upright), 0.0), np.float64)
    evidence = np.zeros(len(crops))
    for classifier in classifiers:
        cosines = classifier.cosines(embeddings)[:, :-1].max(axis=1)
        clear = np.abs(cosines[:, 0] - cosines[:, 1]) > np.abs(evidence)
        evidence = np.where(clear, cosines[:, 0] - cosines[:, 1], evidence)
    return evidence
