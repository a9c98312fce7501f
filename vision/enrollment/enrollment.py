"""Enrollment of a deck: pictures of its cards, a proposed name for each, corrections by the user, and the
resulting profile.

`propose_folder` or `propose_photos` make a `DeckProposal`; `DeckProposal.fix` corrects a name; `enroll_deck`
makes the profile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import BACK, HANAFUDA, twin
from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.errors import hint
from companion.hanafuda.messages import Message
from vision.decks.card_prototypes import whole_picture
from vision.decks.deck_errors import EnrollmentError
from vision.decks.deck_profile import DeckProfile, make_profile
from vision.networks.recognizer import Recognizer
from vision.pictures.crops import Image
from vision.pictures.picture_decoding import MAX_PIXELS, decode_file

#: Confidence below which a name is marked as doubtful.
DOUBTFUL: Final = 0.95
#: Minimum number of pictures of a deck.
_MIN_PICTURES: Final = 8
_ENDINGS: Final = frozenset((".jpg", ".jpeg", ".png", ".webp", ".heic"))
_MONTH_INDEX: Final = re.compile(r"(\d\d?)-(\d)")
_RANK_COPY: Final = re.compile(r"(\d\d?)-?([a-d])")
_SUIT_RANK: Final = re.compile(r"([a-z]+)-0?(\d\d?)")
#: Maximum number of pictures in a folder; no box has as many cards.
_MAX_FOLDER_PICTURES: Final = 120
_IDS: Final = {pack: {card.id.lower(): card.id for card in cards} for pack, cards in PACKS.items()}


@dataclass(frozen=True, eq=False)
class ProposedCard:
    """One card of a deck being enrolled.

    ``number``: its number on the sheet, from 1. ``where``: where it was found. ``pictures``: m x 96 x 64 x 3
    uint8 BGR, upright. ``card``: the proposed card id, None for a card without an id. ``confidence``: its
    confidence (0-1). ``others``: other probable ids, most probable first. ``doubtful``: whether the user
    should check it.
    """

    number: int
    where: str
    pictures: Image
    card: str | None
    confidence: float
    others: tuple[str, ...] = ()
    doubtful: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the card as JSON data."""
        return {
            "number": self.number,
            "where": self.where,
            "card": self.card,
            "sure": round(self.confidence, 3),
            "doubtful": self.doubtful,
            "others": list(self.others),
        }


@dataclass(frozen=True, eq=False)
class DeckProposal:
    """The cards of a deck with a proposed name for each. ``layout`` describes their arrangement, or is
    empty; ``notes`` are sentences for the user.
    """

    pack: str
    places: tuple[ProposedCard, ...]
    layout: str = ""
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids of the pack's cards without a picture, except copies of cards that have one."""
        named = {place.card for place in self.places if place.card}
        ranks = {card.rpartition("-")[0] for card in named}
        return tuple(
            card.id
            for card in PACKS[self.pack]
            if card.id not in named
            and twin(card.id) not in named
            and not (self.pack == "kabufuda" and card.id.rpartition("-")[0] in ranks)
            and card.id != "onifuda"  # not every box has one
        )

    @property
    def doubtful(self) -> tuple[ProposedCard, ...]:
        """The cards that the user should check."""
        return tuple(place for place in self.places if place.doubtful)

    def fix(self, number: int, card: str | None) -> DeckProposal:
        """Return the proposal with card ``number`` renamed to ``card`` (None: a card without an id) by the
        user.

        If another picture had that name, it gets the previous name of this one and is doubtful. Raises
        `EnrollmentError` for an invalid number or card.
        """
        place = next((place for place in self.places if place.number == number), None)
        if place is None:
            raise EnrollmentError(
                Message("enroll-no-such-number", {"number": str(number), "count": len(self.places)})
            )
        ids = [other.id for other in PACKS[self.pack]]
        if card is not None and card not in ids:
            raise EnrollmentError(
                Message(
                    "enroll-no-such-card", {"pack": self.pack, "card": repr(card), "hint": hint(card, ids)}
                )
            )
        changed = []
        for other in self.places:
            if other.number == number:
                changed.append(replace(other, card=card, confidence=1.0, doubtful=False))
            elif card is not None and other.card == card:
                changed.append(replace(other, card=place.card, confidence=0.0, doubtful=True))
            else:
                changed.append(other)
        return replace(self, places=tuple(changed))

    def to_json(self) -> dict[str, Any]:
        """Return the proposal as JSON data, without its pictures."""
        return {
            "pack": self.pack,
            "layout": self.layout,
            "places": [place.to_json() for place in self.places],
            "missing": list(self.missing),
            "notes": list(self.notes),
        }


def propose_folder(folder: Path, pack: str | None = None) -> DeckProposal:
    """Propose names by the file names of the pictures in ``folder``; see `propose_pictures`."""
    return propose_pictures(pictures_in(folder), pack)


def propose_pictures(pictures: Mapping[str, Image], pack: str | None = None) -> DeckProposal:
    """Propose names for pictures of one card each (H x W x 3 uint8 BGR) by their file names, in the given order.

    Accepted names are card ids and common schemes: ``MM-I`` (month, index), ``clubs-01``, ``01-a``, ``oni``.
    ``pack``: None to infer it from the names. Raises `EnrollmentError` if the names do not form a deck.
    """
    pack = pack or pack_of(pictures)
    places = tuple(
        ProposedCard(number, stem, whole_picture(picture)[None], card_of(stem, pack), 1.0)
        for number, (stem, picture) in enumerate(pictures.items(), start=1)
    )
    named = [place.card for place in places if place.card]
    twice = sorted({card for card in named if named.count(card) > 1})
    if twice:
        raise EnrollmentError(Message("enroll-same-names", {"names": ", ".join(twice)}))
    if len(named) < _MIN_PICTURES:
        raise EnrollmentError(Message("enroll-few-names", {"count": len(named), "pack": pack}))
    nameless = [place.where for place in places if place.card is None]
    notes = []
    if nameless:
        notes.append(
            f"These file names are not {pack} cards: {', '.join(nameless)}. The cards are recognized but have no name."
        )
    return DeckProposal(pack, places, notes=tuple(notes))


def enroll_deck(
    proposal: DeckProposal, name: str, recognizer: Recognizer, source: str = "enrolled by its owner"
) -> DeckProfile:
    """Return the profile of a proposal under the given ``name``; takes about a second for a whole deck."""
    pictures = np.concatenate([place.pictures for place in proposal.places])
    cards = [place.card for place in proposal.places for _ in place.pictures]
    return make_profile(name, proposal.pack, pictures, cards, recognizer, source=source)


def card_of(stem: str, pack: str) -> str | None:
    """Return the id of the card of ``pack`` that a file name (without extension) stands for, or None."""
    name = stem.lower().replace("_", "-").replace(" ", "-")
    ids = _IDS[pack]
    if name in ids:
        return ids[name]
    if pack == "hanafuda" and (match := _MONTH_INDEX.fullmatch(name)):
        month, index = int(match[1]), int(match[2])
        return HANAFUDA[4 * month - 4 + index].id if 1 <= month <= 12 and index < 4 else None
    if pack == "kabufuda" and (match := _RANK_COPY.fullmatch(name)):
        return ids.get(f"kabu-{int(match[1])}-{match[2]}")
    if pack == "mekurifuda" and name == "oni":
        return "onifuda"
    if match := _SUIT_RANK.fullmatch(name):
        return ids.get(f"{match[1]}-{int(match[2])}")
    return None


def pack_of(stems: Iterable[str]) -> str:
    """Return the pack that most file names belong to. Raises `EnrollmentError` if no name is a card's."""
    stems = list(stems)
    named = {pack: sum(card_of(stem, pack) is not None for stem in stems) for pack in PACKS}
    best = max(named, key=lambda pack: named[pack])
    if not named[best]:
        raise EnrollmentError(Message("enroll-no-names"))
    return best


def pictures_in(folder: Path) -> dict[str, Image]:
    """Return the pictures of a folder by file name without extension, in alphabetical order, without the
    ``back``.

    Raises `EnrollmentError` if the folder cannot be read or does not contain between 1 and `_MAX_FOLDER_PICTURES`
    pictures, `PictureError` if one cannot be read.
    """
    try:
        paths = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in _ENDINGS]
    except OSError as error:
        raise EnrollmentError(
            Message("folder-not-read", {"folder": str(folder), "reason": error.strerror or ""})
        ) from error
    paths = [path for path in paths if path.stem.lower() != BACK]
    if not paths or len(paths) > _MAX_FOLDER_PICTURES:
        raise EnrollmentError(Message("enroll-folder-count", {"folder": str(folder), "count": len(paths)}))
    return {path.stem: decode_file(path, MAX_PIXELS).pixels for path in paths}
