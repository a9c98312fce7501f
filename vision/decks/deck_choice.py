"""Which known deck lies there: the program tells by itself, from all cards of a picture together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import DECKS as PACKS
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_naming import (
    CardClassifier,
    CardPosteriors,
    DeckClassifier,
    VoteWeightSet,
    generic_posteriors,
)
from vision.networks.class_ids import BACK, UNKNOWN
from vision.networks.matcher import Matcher
from vision.networks.recognizer import Recognitions, Recognizer

__all__ = ["GENERIC", "KnownDecks", "UnknownDeckError"]

#: The reading that knows no deck, only the traditional patterns; also the pack's name.
GENERIC: Final = "hanafuda"
#: A card that shows less than this says nothing of the deck.
_TELLING: Final = 0.4
#: A card that the recogniser takes for one of the traditional hanafuda at least this surely is explained by them.
_EXPLAINED: Final = 0.5
#: A deck of which the recogniser names so many of the cards without it is of a pattern that it knows.
_TRUSTED: Final = 0.95
#: From which probability of a stranger on a find may be no card. In 18 forms of the photographed heap six strips of ground had
#: names in spite of .24 and more; of the 78 strips that were named rightly none had .2.
_MAY_BE_NONE: Final = 0.2
#: How near (cosine) hanafuda must be to a known deck to be read as it. Prints that the embedding was trained on lay at
#: .87-.97 in rendered pictures, other prints of the same patterns at .66-.79: those the generic reading names better (of
#: 202 cards of two unseen prints 187 right against 177).
_SAME_PRINT: Final = 0.82


class UnknownDeckError(ValueError):
    """A deck was asked for that is not known, or cannot be used, here."""

    def __init__(self, deck: str, known: str = GENERIC, why: str = "") -> None:
        sentence = f"the deck {deck!r} cannot be used: {why}" if why else f"there is no deck {deck!r} here"
        super().__init__(f"{sentence}; known decks: {known}")


class KnownDecks:
    """The known decks of a library, as one recogniser sees them."""

    def __init__(
        self,
        library: DeckLibrary,
        recognizer: Recognizer,
        votes: VoteWeightSet | None = None,
        matcher: Matcher | None = None,
    ) -> None:
        self._library, self._recognizer = library, recognizer
        self._votes, self._matcher = votes or VoteWeightSet(), matcher

    def check(self, deck: str | None) -> None:
        """Raise `UnknownDeckError` for a deck that is not known; None leaves the choice to the program."""
        if deck is None or deck in PACKS:
            return
        each = self._library.known.get(deck)
        if each is None:
            raise UnknownDeckError(deck, self._library.said())
        if deck not in self._namers():
            why = each.problem or "it was made for other weights and keeps no pictures: ask for a newer file"
            raise UnknownDeckError(deck, self._library.said(), why)

    def _namers(self) -> dict[str, DeckClassifier]:
        return self._library.classifiers(self._recognizer, self._votes, self._matcher)

    def classifiers_of_pack(self, pack: str) -> list[DeckClassifier]:
        """Return what names cards by the known decks of a pack."""
        classifiers = self._namers()
        return [classifier for classifier in classifiers.values() if classifier.profile.pack == pack]

    def believe(
        self, named: Recognitions, visible: NDArray[np.float32], deck: str | None = None
    ) -> tuple[str, CardPosteriors]:
        """Return the deck that n cards are read as, and what is believed of them.

        ``deck``: a known deck, a pack (the likeliest deck of it), or None for whichever lies there.
        """
        name = self.choose(named, visible, deck)
        return name, self.reader(name)(named)

    def choose(self, named: Recognitions, visible: NDArray[np.float32], deck: str | None = None) -> str:
        """Return the deck that n cards are read as; ``deck`` as in `believe`."""
        self.check(deck)
        classifiers = self._namers()
        if deck in classifiers:
            return deck
        if deck in PACKS:
            classifiers = {
                name: classifier
                for name, classifier in classifiers.items()
                if classifier.profile.pack == deck
            }
        return choose_deck(classifiers, named, visible, must=deck is not None and deck != GENERIC) or GENERIC

    def reader(self, name: str) -> CardClassifier:
        """Return what reads cards as a deck that `choose_deck` told of."""
        if name == GENERIC:
            return generic_posteriors
        return self._namers()[name].name

    def possible_false_positives(self, name: str, named: Recognitions) -> NDArray[np.bool_]:
        """Return which of n cards, read as the deck ``name``, may be none, by what the recogniser says without the deck.

        A shipped deck's embeddings have no word for what is no card: dark ground between black cards is the hill of a susuki for
        them. None where the recogniser does not know the deck's pattern (mekurifuda, styles of their own), or reads without a deck.
        """
        classifier = self._namers().get(name)
        if classifier is None or classifier.profile.trust < _TRUSTED or len(classifier.profile.pictures):
            return np.zeros(len(named.posterior), np.bool_)
        return np.asarray(named.posterior[:, UNKNOWN] >= _MAY_BE_NONE, np.bool_)

    def provisional_classifier(
        self, named: Recognitions, visible: NDArray[np.float32], deck: str | None = None
    ) -> CardClassifier:
        """Return what doubts of a picture's n cards are settled by; ``deck`` as in `believe`.

        Of the traditional patterns the recogniser's own word settles them no worse than a deck's; of others it has none.
        Where it explains most cards, no other deck need be looked for: that takes longer than all the rest.
        """
        telling = named.posterior[visible >= _TELLING, :BACK]
        if deck is None and 2 * (telling.sum(axis=1) >= _EXPLAINED).sum() > len(telling):
            return self.reader(GENERIC)
        name = self.choose(named, visible, deck)
        classifier = self._namers().get(name)
        return self.reader(GENERIC if classifier is None or classifier.profile.pack == GENERIC else name)


def choose_deck(
    classifiers: Mapping[str, DeckClassifier],
    named: Recognitions,
    visible: NDArray[np.float32],
    *,
    must: bool = False,
) -> str | None:
    """Return the deck that n cards are of, None for the generic reading; where one ``must`` be chosen, the nearest.

    A card speaks for a deck by how much nearer it lies to it than a stranger would. The deck that most is said for is the
    one, unless more cards are of another deck, or of the traditional patterns, and not of it. What nothing explains
    (finds that are no card, strays) does not count, nor do backs.
    """
    telling = (visible >= _TELLING) & (named.posterior[:, BACK] < _EXPLAINED)
    if not classifiers or not telling.any():
        return next(iter(classifiers), None) if must else None
    embeddings, posterior = named.embeddings[telling], named.posterior[telling]
    above = {
        name: classifier.cosines(embeddings)[:, :-1].max(axis=(1, 2)) - classifier.votes.cosine_least
        for name, classifier in classifiers.items()
    }
    best = max(above, key=lambda name: float(np.maximum(above[name], 0).sum()))
    if must:
        return best
    near_it = float(np.median(above[best])) + classifiers[best].votes.cosine_least
    if classifiers[best].profile.pack == GENERIC and near_it < _SAME_PRINT:
        return None
    own = above[best] > 0
    others = posterior[:, :BACK].sum(axis=1) >= _EXPLAINED
    for near in above.values():
        others |= near > 0
    return best if own.sum() > (others & ~own).sum() else None
