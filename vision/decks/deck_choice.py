"""Deck detection: which known deck is on the table, decided from all cards of a picture together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.messages import Message
from vision.decks.deck_errors import UnknownDeckError
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_naming import (
    DeckClassifier,
    VoteWeightSet,
    read_vote_weights,
)
from vision.decks.deck_profile import DeckProfile
from vision.networks.class_ids import BACK, HANAFUDA_CLASSES, UNKNOWN
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS
from vision.networks.recognizer import Recognitions, Recognizer

#: The generic reading, which knows only the traditional patterns and no particular deck; also the name of the
#: pack.
GENERIC: Final = "hanafuda"
#: Minimum visible fraction of cards that count as evidence for a deck.
_MIN_VISIBLE: Final = 0.4
#: Probability of the traditional hanafuda from which the recognizer alone explains a card.
_EXPLAINED: Final = 0.5
#: Fraction of a deck's cards that the recognizer names without knowing the deck, from which its pattern is
#: familiar.
_TRUSTED: Final = 0.95
#: Probability of unknown from which a detection may be a false positive. In 18 variants of the photographed
#: heap, six strips of background got names in spite of .24 and more; of the 78 correctly named strips none
#: had .2.
_MIN_UNKNOWN: Final = 0.2
#: Minimum cosine between hanafuda and a known deck for using that deck. Prints in the embedding's training
#: data reached .87-.97 in rendered pictures, other prints of the same patterns .66-.79; the generic reading
#: names these better (of 202 cards of two unseen prints 187 instead of 177 correctly).
_SAME_PRINT: Final = 0.82
#: The same for the decks of other packs, which the recognizer cannot name instead. Western cards and dominoes reached .54-.64 in nine
#: photographs, other prints of a known pattern .75-.94 and known prints .82-.99 in 55 composed pictures of mekurifuda and kabufuda.
_SAME_PATTERN: Final = 0.7


class KnownDecks:
    """The decks of a library, prepared for one recognizer."""

    def __init__(
        self,
        library: DeckLibrary,
        recognizer: Recognizer,
        votes: VoteWeightSet | None = None,
        matcher: Matcher | None = None,
    ) -> None:
        self._library, self._recognizer = library, recognizer
        self._votes, self._matcher = votes or read_vote_weights(MODELS), matcher
        self._prepared: dict[str, tuple[DeckProfile, DeckClassifier]] = {}

    def check(self, deck: str | None) -> None:
        """Raise `UnknownDeckError` if ``deck`` is neither None nor a known deck or pack."""
        if deck is None or deck in PACKS:
            return
        known_deck = self._library.deck(deck)
        if deck not in self._classifiers():
            usable = ", ".join((*PACKS, *self._classifiers()))
            raise UnknownDeckError(deck, usable, known_deck.problem or Message("deck-other-weights"))

    def _classifiers(self) -> dict[str, DeckClassifier]:
        """Return the classifiers of all decks that can be used with the recognizer, by name.

        Profiles made with other weights are embedded again from their pictures once, and stored again.
        """
        usable = {}
        for name, deck in self._library.known.items():
            if deck.profile is None:
                continue
            prepared = self._prepared.get(name)
            if prepared is None or prepared[0] is not deck.profile:
                profile = deck.profile.renewed(self._recognizer)
                if profile.weights != self._recognizer.fingerprint:
                    continue
                if profile is not deck.profile:
                    self._library.renew(deck, profile)
                weights = self._votes.enrolled if len(profile.pictures) else self._votes.shipped
                prepared = deck.profile, DeckClassifier(profile, weights, self._matcher)
            usable[name] = prepared[1]
            self._prepared[name] = prepared
        return usable

    def classifiers_of_pack(self, pack: str) -> dict[str, DeckClassifier]:
        """Return the classifiers of the known decks of a pack, by name."""
        return {
            name: classifier
            for name, classifier in self._classifiers().items()
            if classifier.profile.pack == pack
        }

    def classify(
        self, named: Recognitions, visible: NDArray[np.float32], deck: str | None = None
    ) -> tuple[str, Recognitions]:
        """Return the name of the deck of n cards, and the cards with their names in it.

        ``deck``: a known deck, a pack (its most probable deck is used), or None to detect it.
        """
        name = self.choose(named, visible, deck)
        return name, self.named(named, name)

    def choose(self, named: Recognitions, visible: NDArray[np.float32], deck: str | None = None) -> str:
        """Return the name of the deck of n cards; ``deck``: see `classify`."""
        self.check(deck)
        classifiers = self._classifiers()
        if deck in classifiers:
            return deck
        if deck is not None and deck in PACKS:
            classifiers = self.classifiers_of_pack(deck)
        return choose_deck(classifiers, named, visible, must=deck is not None and deck != GENERIC) or GENERIC

    def named(self, recognized: Recognitions, name: str, *, compare: bool = True) -> Recognitions:
        """Return n recognized cards with their names in the deck ``name``, which `choose` returned.

        Uncertain cards are compared with the deck's pictures unless ``compare`` is False, which saves time.
        """
        classifier = None if name == GENERIC else self._classifiers().get(name)
        if classifier is None:  # the generic reading, or a deck that was removed just now
            return replace(recognized, posterior=recognized.own, classes=HANAFUDA_CLASSES)
        return classifier.classify(recognized, compare=compare)

    def possible_false_positives(self, name: str, named: Recognitions) -> NDArray[np.bool_]:
        """Return which of n cards, classified with the deck ``name``, may be false positives according to
        the recognizer alone.

        The embeddings of a shipped deck have no class for the background: a dark table between black cards
        looks like the hill of a susuki card. Always False if the recognizer does not know the deck's pattern
        (mekurifuda, unusual styles) or no deck is used.
        """
        classifier = self._classifiers().get(name)
        if classifier is None or classifier.profile.trust < _TRUSTED or len(classifier.profile.pictures):
            return np.zeros(len(named.own), np.bool_)
        return np.asarray(named.own[:, UNKNOWN] >= _MIN_UNKNOWN, np.bool_)

    def provisional(self, named: Recognitions, visible: NDArray[np.float32], deck: str | None = None) -> str:
        """Return the name of the deck by which uncertain cards are placed before the deck is chosen; ``deck``:
        see `classify`.

        For the traditional patterns the recognizer alone is no worse than a deck; it does not know other
        patterns. Where it explains most cards, no deck is chosen, because that takes longer than everything
        else.
        """
        evidence = named.own[visible >= _MIN_VISIBLE, :BACK]
        if deck is None and 2 * (evidence.sum(axis=1) >= _EXPLAINED).sum() > len(evidence):
            return GENERIC
        name = self.choose(named, visible, deck)
        classifier = self._classifiers().get(name)
        return GENERIC if classifier is None or classifier.profile.pack == GENERIC else name


def choose_deck(
    classifiers: Mapping[str, DeckClassifier],
    named: Recognitions,
    visible: NDArray[np.float32],
    *,
    must: bool = False,
) -> str | None:
    """Return the deck of n cards, or None for the generic reading; if ``must``, always the nearest deck.

    A card supports a deck by how much nearer it is to the deck than an unknown card would be. The deck with
    the most support is chosen, unless more cards belong to another deck, or to the traditional patterns, and
    not to it, or the cards resemble even this deck too little: it is unknown. Cards that nothing explains (false positives, stray cards)
    do not count, nor do backs.
    """
    is_evidence = (visible >= _MIN_VISIBLE) & (named.own[:, BACK] < _EXPLAINED)
    if not classifiers or not is_evidence.any():
        return next(iter(classifiers), None) if must else None
    embeddings, posterior = named.embeddings[is_evidence], named.own[is_evidence]
    support = {
        name: classifier.cosines(embeddings)[:, :-1].max(axis=(1, 2)) - classifier.votes.cosine_least
        for name, classifier in classifiers.items()
    }
    best = max(support, key=lambda name: float(np.maximum(support[name], 0).sum()))
    if must:
        return best
    similarity = float(np.median(support[best])) + classifiers[best].votes.cosine_least
    if similarity < (_SAME_PRINT if classifiers[best].profile.pack == GENERIC else _SAME_PATTERN):
        return None
    own = support[best] > 0
    others = posterior[:, :BACK].sum(axis=1) >= _EXPLAINED
    for other_support in support.values():
        others |= other_support > 0
    return best if own.sum() > (others & ~own).sum() else None
