"""Folders that contain one picture per card, and the naming schemes of these files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from companion.hanafuda.cards import BACK, HANAFUDA
from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.messages import Message
from vision.decks.deck_errors import EnrollmentError
from vision.pictures.crops import Image
from vision.pictures.picture_decoding import MAX_PIXELS, decode_file

_ENDINGS: Final = frozenset((".jpg", ".jpeg", ".png", ".webp", ".heic"))
_MONTH_INDEX: Final = re.compile(r"(\d\d?)-(\d)")
_RANK_COPY: Final = re.compile(r"(\d\d?)-?([a-d])")
_SUIT_RANK: Final = re.compile(r"([a-z]+)-0?(\d\d?)")
#: Maximum number of pictures in a folder; no box has as many cards.
_MAX_PICTURES: Final = 120
_IDS: Final = {pack: {card.id.lower(): card.id for card in cards} for pack, cards in PACKS.items()}


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

    Raises `EnrollmentError` if the folder cannot be read or does not contain between 1 and `_MAX_PICTURES`
    pictures, `PictureError` if one cannot be read.
    """
    try:
        paths = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in _ENDINGS]
    except OSError as error:
        raise EnrollmentError(
            Message("folder-not-read", {"folder": str(folder), "reason": error.strerror or ""})
        ) from error
    paths = [path for path in paths if path.stem.lower() != BACK]
    if not paths or len(paths) > _MAX_PICTURES:
        raise EnrollmentError(Message("enroll-folder-count", {"folder": str(folder), "count": len(paths)}))
    return {path.stem: decode_file(path, MAX_PIXELS).pixels for path in paths}
