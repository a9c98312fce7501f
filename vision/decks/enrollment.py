"""Learning a deck: pictures of its cards, a name proposed for each, the person's word on any, and a profile of it all.

`propose_folder` or `propose_photos` make a `DeckProposal`; `DeckProposal.fix` puts a name right; `enroll_deck` makes the profile.
Nothing here reads or writes files but the folder of `propose_folder`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.cards import twin
from companion.hanafuda.errors import did_you_mean, nearest
from vision.decks.card_prototypes import whole_picture
from vision.decks.deck_errors import EnrollmentError
from vision.decks.deck_files import FolderError, card_of, pack_of, pictures_in
from vision.decks.deck_profile import DeckProfile, make_profile
from vision.networks.crops import Image
from vision.networks.recognizer import Recognizer

__all__ = [
    "DOUBTFUL",
    "DeckProposal",
    "EnrollmentError",
    "ProposedCard",
    "enroll_deck",
    "propose_folder",
    "propose_pictures",
]

#: A name less sure than this is marked for the person to look at.
DOUBTFUL: Final = 0.95
#: The fewest pictures that are worth being called a deck.
_FEWEST: Final = 8


@dataclass(frozen=True, eq=False)
class ProposedCard:
    """One card of the deck being learnt: its ``number`` on the sheet (from 1), ``where`` it was found, its ``pictures``
    (m x 96 x 64 x 3 uint8 BGR, upright), and the name proposed: ``card`` (None: no card that has an id), how ``sure``
    (0-1), ``others`` (likely ids, the likeliest first), and whether a person should look (``doubtful``).
    """

    number: int
    where: str
    pictures: Image
    card: str | None
    sure: float
    others: tuple[str, ...] = ()
    doubtful: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return what JSON answers tell of a place."""
        return {
            "number": self.number,
            "where": self.where,
            "card": self.card,
            "sure": round(self.sure, 3),
            "doubtful": self.doubtful,
            "others": list(self.others),
        }


@dataclass(frozen=True, eq=False)
class DeckProposal:
    """The cards of a deck with a name proposed for each. ``layout`` says how they lie, empty where that tells nothing;
    ``notes`` are sentences for the person.
    """

    pack: str
    places: tuple[ProposedCard, ...]
    layout: str = ""
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Cards of the pack that no place is named, but for copies of cards that are there."""
        there = {place.card for place in self.places if place.card}
        ranks = {card.rpartition("-")[0] for card in there}
        return tuple(
            card.id
            for card in PACKS[self.pack]
            if card.id not in there
            and twin(card.id) not in there
            and not (self.pack == "kabufuda" and card.id.rpartition("-")[0] in ranks)
            and card.id != "onifuda"  # not every box has one
        )

    @property
    def doubtful(self) -> tuple[ProposedCard, ...]:
        """The places a person should look at."""
        return tuple(place for place in self.places if place.doubtful)

    def fix(self, number: int, card: str | None) -> DeckProposal:
        """Return the proposal with place ``number`` named ``card`` (None: no card that has an id), on the person's word.

        Where another place had that name, it takes the one given up, and is doubtful. `EnrollmentError` for a number or a
        card that is none.
        """
        place = next((place for place in self.places if place.number == number), None)
        if place is None:
            raise EnrollmentError(
                f"there is no card number {number}: they are numbered 1 to {len(self.places)}"
            )
        ids = [each.id for each in PACKS[self.pack]]
        if card is not None and card not in ids:
            raise EnrollmentError(
                f"there is no {self.pack} card {card!r}{did_you_mean(nearest(card, ids)) or f'; companion decks {self.pack} lists them'}"
            )
        changed = []
        for each in self.places:
            if each.number == number:
                changed.append(replace(each, card=card, sure=1.0, doubtful=False))
            elif card is not None and each.card == card:
                changed.append(replace(each, card=place.card, sure=0.0, doubtful=True))
            else:
                changed.append(each)
        return replace(self, places=tuple(changed))

    def to_json(self) -> dict[str, Any]:
        """Return what JSON answers tell of a proposal, without its pictures."""
        return {
            "pack": self.pack,
            "layout": self.layout,
            "places": [place.to_json() for place in self.places],
            "missing": list(self.missing),
            "notes": list(self.notes),
        }


def propose_folder(folder: Path, pack: str | None = None) -> DeckProposal:
    """Propose the names that the picture files of ``folder`` have; otherwise as `propose_pictures`."""
    try:
        return propose_pictures(pictures_in(folder), pack)
    except FolderError as error:
        raise EnrollmentError(str(error)) from error


def propose_pictures(pictures: Mapping[str, Image], pack: str | None = None) -> DeckProposal:
    """Propose the names that pictures of one card each (H x W x 3 uint8 BGR) are called by, in their order.

    A card is named by its id, or as in decks people share: ``MM-I`` (month, index), ``clubs-01``, ``01-a``, ``oni``.
    ``pack``: told by the names if None. Raises `EnrollmentError` where they are no deck's.
    """
    try:
        pack = pack or pack_of(pictures)
    except FolderError as error:
        raise EnrollmentError(str(error)) from error
    places = tuple(
        ProposedCard(number, stem, whole_picture(picture)[None], card_of(stem, pack), 1.0)
        for number, (stem, picture) in enumerate(pictures.items(), start=1)
    )
    named = [place.card for place in places if place.card]
    twice = sorted({card for card in named if named.count(card) > 1})
    if twice:
        raise EnrollmentError(f"more than one picture is called {', '.join(twice)}: one a card is needed")
    if len(named) < _FEWEST:
        raise EnrollmentError(
            f"{len(named)} pictures are called by {pack} cards: name a picture a card by its id or MM-I, such as 01-0.png"
        )
    nameless = [place.where for place in places if place.card is None]
    notes = []
    if nameless:
        notes.append(
            f"No {pack} card is called {', '.join(nameless)}: learnt as cards that are told apart and not named."
        )
    return DeckProposal(pack, places, notes=tuple(notes))


def enroll_deck(
    proposal: DeckProposal, name: str, recognizer: Recognizer, source: str = "enrolled by its owner"
) -> DeckProfile:
    """Return the profile called ``name`` of a proposal as it stands; a whole deck takes about a second."""
    pictures = np.concatenate([place.pictures for place in proposal.places])
    cards = [place.card for place in proposal.places for _ in place.pictures]
    return make_profile(name, proposal.pack, pictures, cards, recognizer, source=source)
