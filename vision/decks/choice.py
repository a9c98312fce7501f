"""Which known deck lies there: the program tells by itself, from all cards of a picture together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.cards import DECKS as PACKS
from vision.decks.library import Library
from vision.decks.naming import AllVotes, Believed, DeckNamer, believe_generic
from vision.kinds import HANAFUDA_KINDS, UNKNOWN
from vision.recogniser import Named, Recogniser

__all__ = ["GENERIC", "Decks", "UnknownDeckError"]

#: The reading that knows no deck, only the traditional patterns; also the pack's name.
GENERIC: Final = "hanafuda"
#: A card that shows less than this says nothing of the deck.
_TELLING: Final = 0.4
#: By how much the cards must be nearer to a deck (cosine, above the least of its own cards) than to those of any other
#: pack.
_MARGIN: Final = 0.03
#: What the recogniser must think of cards that are no hanafuda: that they may be strangers.
_STRANGE: Final = 0.3


class UnknownDeckError(ValueError):
    """A deck was asked for that is not known, or cannot be used, here."""

    def __init__(self, deck: str, known: str = GENERIC, why: str = "") -> None:
        sentence = f"the deck {deck!r} cannot be used: {why}" if why else f"there is no deck {deck!r} here"
        super().__init__(f"{sentence}; known decks: {known}")


class Decks:
    """The known decks of a library, as one recogniser sees them."""

    def __init__(self, library: Library, recogniser: Recogniser, votes: AllVotes | None = None) -> None:
        self._library, self._recogniser, self._votes = library, recogniser, votes or AllVotes()

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

    def _namers(self) -> dict[str, DeckNamer]:
        return self._library.namers(self._recogniser, self._votes)

    def of_pack(self, pack: str) -> list[DeckNamer]:
        """Return what names cards by the known decks of a pack."""
        namers = self._namers()
        return [namer for namer in namers.values() if namer.profile.pack == pack]

    def believe(
        self, named: Named, shares: NDArray[np.float32], deck: str | None = None
    ) -> tuple[str, Believed]:
        """Return the deck that n cards are read as, and what is believed of them.

        ``deck``: a known deck, a pack (the likeliest deck of it), or None for whichever lies there.
        """
        self.check(deck)
        namers = self._namers()
        if deck in namers:
            return deck, namers[deck].name(named)
        if deck in PACKS:
            namers = {name: namer for name, namer in namers.items() if namer.profile.pack == deck}
        name = choose(namers, named, shares, must=deck is not None and deck != GENERIC)
        return (
            (GENERIC, believe_generic(named, HANAFUDA_KINDS))
            if name is None
            else (name, namers[name].name(named))
        )


def choose(
    namers: Mapping[str, DeckNamer], named: Named, shares: NDArray[np.float32], *, must: bool = False
) -> str | None:
    """Return the deck that n cards are of, None for the generic reading; where one ``must`` be chosen, the nearest."""
    telling = shares >= _TELLING
    if not namers or not telling.any():
        return next(iter(namers), None) if must else None
    embeddings = named.embeddings[telling]
    # The median forgives strays, backs and finds that are no card.
    near = {
        name: float(np.median(namer.cosines(embeddings)[:, :-1].max(axis=(1, 2)))) - namer.votes.cosine_least
        for name, namer in namers.items()
    }
    best = max(near, key=lambda name: near[name])
    pack = namers[best].profile.pack
    others = [value for name, value in near.items() if namers[name].profile.pack != pack]
    strange = pack == GENERIC or float(np.median(named.posterior[telling, UNKNOWN])) >= _STRANGE
    clear = near[best] >= max([0.0, *(value + _MARGIN for value in others)])
    return best if must or (clear and strange) else None
