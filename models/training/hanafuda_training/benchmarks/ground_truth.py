"""Reads annotated pictures: folders with a ``truth.json``.

A ``truth.json`` holds a list with one object per picture, or a single such object:

- ``image``: file name of the picture in the folder; optional if the folder holds one picture
- ``cards``: a list of objects, in the order in which the cards were placed, if known:

  - ``card``: card id, ``"back"``, ``"07-?"`` (any card of July), or null for a card of an unknown deck
  - ``quad``: four corners (px) clockwise from the card's own top left, or null if only ``centre`` is given
  - ``centre``: a point (px) on the card
  - ``visible``: visible fraction (0-1); absent or null if not annotated

- ``settled``: false for a frame in which something moves

Other fields are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from companion.hanafuda.cards import BACK, UnknownCardError, card, twin
from vision.pictures.crops import Quads

__all__ = ["BadTruthError", "TrueCard", "TruePicture", "TruthFolder", "read_folders", "same"]

_FILE_NAME: Final = "truth.json"
_PICTURES: Final = frozenset((".jpg", ".jpeg", ".png", ".webp", ".heic"))
_KABUFUDA_PREFIX: Final = "kabu-"
_SOME_OF_MONTH: Final = re.compile(r"(0[1-9]|1[0-2])-\?")


class BadTruthError(ValueError):
    """A folder cannot be used as a benchmark; the message says what is wrong and what to do."""


@dataclass(frozen=True, eq=False, slots=True)
class TrueCard:
    """A card in a picture: ``quad`` 4 x 2 px or, if that is None, ``center``, a point (x, y) on the card."""

    card: str | None
    quad: Quads | None
    center: tuple[float, float] | None
    visible: float | None

    @property
    def is_one_card(self) -> bool:
        """Whether the annotation identifies the card, not only its month."""
        return self.card is None or not _SOME_OF_MONTH.fullmatch(self.card)


@dataclass(frozen=True, eq=False, slots=True)
class TruePicture:
    """A picture file and its cards, in the order of the truth file."""

    path: Path
    cards: tuple[TrueCard, ...]


@dataclass(frozen=True, eq=False, slots=True)
class TruthFolder:
    """A folder of pictures; ``moving`` is the number of pictures left out because something moves in them."""

    path: Path
    pictures: tuple[TruePicture, ...]
    moving: int

    def limited(self, most: int) -> TruthFolder:
        """Return the folder with at most ``most`` of its pictures, evenly distributed."""
        count = len(self.pictures)
        chosen = sorted({index * count // min(most, count) for index in range(min(most, count))})
        return TruthFolder(self.path, tuple(self.pictures[index] for index in chosen), self.moving)


def same(name: str | None, true: str | None) -> bool:
    """Return whether two names mean the same card. Twins do, all copies of a kabufuda number do, and every
    card of July matches ``07-?``.
    """
    if name is None or true is None:
        return False
    if name == true:
        return True
    if BACK in (name, true):
        return False
    if _SOME_OF_MONTH.fullmatch(true):
        named_card = card(name)
        return named_card.kind is not None and named_card.month == int(true[:2])
    if name.startswith(_KABUFUDA_PREFIX) and true.startswith(_KABUFUDA_PREFIX):
        return card(name).month == card(true).month
    return twin(name) == true


def read_folders(path: Path) -> list[TruthFolder]:
    """Return the annotated folders at and below ``path``, sorted by name.

    Raises `BadTruthError` if there is none or one of them cannot be used.
    """
    if not path.is_dir():
        raise BadTruthError(
            f"{path} {'is a file' if path.exists() else 'does not exist'}: --data must be a folder of pictures with a {_FILE_NAME}"
        )
    files = sorted(path.rglob(_FILE_NAME))
    if not files:
        raise BadTruthError(
            f"there is no {_FILE_NAME} in {path} or below it; it must list the cards of the pictures"
        )
    return [_folder(file) for file in files]


def _folder(file: Path) -> TruthFolder:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadTruthError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadTruthError(f"{file} is not JSON: {error}") from error
    entries = [document] if isinstance(document, dict) else document
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadTruthError(f"{file} must contain a list with one object per picture, or one such object")
    still_entries = [entry for entry in entries if entry.get("settled") is not False]
    pictures = tuple(_picture(file, number, entry) for number, entry in enumerate(still_entries, start=1))
    if not pictures:
        raise BadTruthError(f"{file} lists no picture without motion")
    return TruthFolder(file.parent, pictures, len(entries) - len(still_entries))


def _picture(file: Path, number: int, entry: dict[str, Any]) -> TruePicture:
    name = entry.get("image")
    if name is None:
        candidates = [path for path in file.parent.iterdir() if path.suffix.lower() in _PICTURES]
        if len(candidates) != 1:
            raise BadTruthError(
                f"{file}: picture {number} has no image, and the folder contains {len(candidates)} pictures: add the file name"
            )
        name = candidates[0].name
    if not isinstance(name, str) or not (file.parent / name).is_file():
        raise BadTruthError(f"{file}: picture {number} is {name!r}, but there is no such file in the folder")
    cards = entry.get("cards")
    if not isinstance(cards, list):
        raise BadTruthError(f"{file}: {name} has no list of cards")
    return TruePicture(file.parent / name, tuple(_cards(f"{file}: {name}", cards)))


def _cards(where: str, cards: Sequence[Any]) -> Iterator[TrueCard]:
    for number, entry in enumerate(cards, start=1):
        if not isinstance(entry, dict) or "card" not in entry:
            raise BadTruthError(
                f"{where}: card {number} must be an object with a card id, or null for a card of an unknown deck"
            )
        name, visible = entry["card"], entry.get("visible")
        quad, center = _points(entry.get("quad"), (4, 2)), _points(entry.get("centre"), (2,))
        if not _is_name(name):
            raise BadTruthError(f"{where}: card {number} is {name!r}, which is not a card id")
        if quad is None and center is None:
            raise BadTruthError(
                f"{where}: card {number} ({name}) has neither a quad (four corners) nor a centre (a point)"
            )
        if visible is not None and not (isinstance(visible, int | float) and 0 <= visible <= 1):
            raise BadTruthError(
                f"{where}: card {number} ({name}) has the visible fraction {visible!r}; it must be between 0 and 1"
            )
        center_point = None if center is None else (float(center[0]), float(center[1]))
        yield TrueCard(name, quad, center_point, None if visible is None else float(visible))


def _is_name(name: object) -> bool:
    if name is None or name == BACK:
        return True
    if not isinstance(name, str):
        return False
    try:
        return bool(_SOME_OF_MONTH.fullmatch(name) or card(name))
    except UnknownCardError:
        return False


def _points(value: Any, shape: tuple[int, ...]) -> Quads | None:
    """Return the value as a float array of this shape; None if it is not one or not finite."""
    try:
        points = np.array(value, np.float32)
    except (TypeError, ValueError):
        return None
    return points if points.shape == shape and bool(np.isfinite(points).all()) else None
