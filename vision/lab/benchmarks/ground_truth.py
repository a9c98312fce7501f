"""Pictures whose cards are known: folders with a ``truth.json``.

A ``truth.json`` holds a list with an object a picture, or one such object alone:

- ``image``: the picture's file name in the folder; may be absent where the folder holds one picture
- ``cards``: a list of objects, in the order they were laid where that is known:

  - ``card``: an id, ``"back"``, ``"07-?"`` (some card of July), or null for a card of no deck that is known here
  - ``quad``: four corners (px) clockwise from the card's own top left, or null where only ``centre`` is told
  - ``centre``: a point (px) on the card
  - ``visible``: the visible share (0-1); absent or null where nobody told it

- ``settled``: false for a frame in which something moves

Anything else is passed over.
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
from vision.networks.crops import Quads

__all__ = ["BadTruthError", "TrueCard", "TruePicture", "TruthFolder", "read_folders", "same"]

_NAME: Final = "truth.json"
_PICTURES: Final = frozenset((".jpg", ".jpeg", ".png", ".webp", ".heic"))
_KABU: Final = "kabu-"
_SOME_OF_MONTH: Final = re.compile(r"(0[1-9]|1[0-2])-\?")


class BadTruthError(ValueError):
    """A folder cannot be measured on; the message says what was seen and what to do."""


@dataclass(frozen=True, eq=False, slots=True)
class TrueCard:
    """A card that lies in a picture: ``quad`` 4 x 2 px or, where that is None, ``centre`` (x, y) on it."""

    card: str | None
    quad: Quads | None
    centre: tuple[float, float] | None
    visible: float | None

    @property
    def is_one_card(self) -> bool:
        """Whether the truth knows which card it is, rather than its month only."""
        return self.card is None or not _SOME_OF_MONTH.fullmatch(self.card)


@dataclass(frozen=True, eq=False, slots=True)
class TruePicture:
    """A picture file and its cards, in the file's order."""

    path: Path
    cards: tuple[TrueCard, ...]


@dataclass(frozen=True, eq=False, slots=True)
class TruthFolder:
    """A folder of pictures. ``moving`` counts those left out because something moves in them."""

    path: Path
    pictures: tuple[TruePicture, ...]
    moving: int

    def limited(self, most: int) -> TruthFolder:
        """Return the folder with at most ``most`` of its pictures, evenly spread."""
        count = len(self.pictures)
        chosen = sorted({k * count // min(most, count) for k in range(min(most, count))})
        return TruthFolder(self.path, tuple(self.pictures[k] for k in chosen), self.moving)


def same(told: str | None, true: str | None) -> bool:
    """Return whether two names mean the same card: twins do, the copies of a kabufuda number, and any card of July is ``07-?``."""
    if told is None or true is None:
        return False
    if told == true:
        return True
    if BACK in (told, true):
        return False
    if _SOME_OF_MONTH.fullmatch(true):
        found = card(told)
        return found.kind is not None and found.month == int(true[:2])
    if told.startswith(_KABU) and true.startswith(_KABU):
        return card(told).month == card(true).month
    return twin(told) == true


def read_folders(path: Path) -> list[TruthFolder]:
    """Return the folders with a truth at and below ``path``, in the order of their names.

    Raises `BadTruthError` where there is none, or one of them cannot be used.
    """
    if not path.is_dir():
        raise BadTruthError(
            f"{path} is {'a file' if path.exists() else 'not there'}: --data takes a folder of pictures with a {_NAME}"
        )
    found = sorted(path.rglob(_NAME))
    if not found:
        raise BadTruthError(
            f"there is no {_NAME} in {path} nor below it: it tells which cards lie in its pictures"
        )
    return [_folder(each) for each in found]


def _folder(file: Path) -> TruthFolder:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadTruthError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadTruthError(f"{file} is not JSON: {error}") from error
    entries = [document] if isinstance(document, dict) else document
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadTruthError(f"{file} must hold a list with an object a picture, or one such object")
    settled = [entry for entry in entries if entry.get("settled") is not False]
    pictures = tuple(_picture(file, number, entry) for number, entry in enumerate(settled, start=1))
    if not pictures:
        raise BadTruthError(f"{file} tells of no picture in which nothing moves")
    return TruthFolder(file.parent, pictures, len(entries) - len(settled))


def _picture(file: Path, number: int, entry: dict[str, Any]) -> TruePicture:
    name = entry.get("image")
    if name is None:
        beside = [path for path in file.parent.iterdir() if path.suffix.lower() in _PICTURES]
        if len(beside) != 1:
            raise BadTruthError(
                f"{file}: picture {number} has no image, and {len(beside)} pictures lie beside it: name the file"
            )
        name = beside[0].name
    if not isinstance(name, str) or not (file.parent / name).is_file():
        raise BadTruthError(f"{file}: picture {number} is {name!r}, and there is no such file beside it")
    cards = entry.get("cards")
    if not isinstance(cards, list):
        raise BadTruthError(f"{file}: {name} has no list of cards")
    return TruePicture(file.parent / name, tuple(_cards(f"{file}: {name}", cards)))


def _cards(where: str, cards: Sequence[Any]) -> Iterator[TrueCard]:
    for number, entry in enumerate(cards, start=1):
        if not isinstance(entry, dict) or "card" not in entry:
            raise BadTruthError(
                f"{where}: card {number} must be an object with a card, null where it is of no deck"
            )
        name, visible = entry["card"], entry.get("visible")
        quad, centre = _points(entry.get("quad"), (4, 2)), _points(entry.get("centre"), (2,))
        if not _is_name(name):
            raise BadTruthError(f"{where}: card {number} is {name!r}, which is no card's id")
        if quad is None and centre is None:
            raise BadTruthError(
                f"{where}: card {number} ({name}) has neither a quad of four corners nor a centre"
            )
        if visible is not None and not (isinstance(visible, int | float) and 0 <= visible <= 1):
            raise BadTruthError(
                f"{where}: card {number} ({name}) is {visible!r} visible; a share is from 0 to 1"
            )
        middle = None if centre is None else (float(centre[0]), float(centre[1]))
        yield TrueCard(name, quad, middle, None if visible is None else float(visible))


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
    """Return an array of this shape, or None where the value is no such thing."""
    try:
        points = np.array(value, np.float32)
    except (TypeError, ValueError):
        return None
    return points if points.shape == shape and bool(np.isfinite(points).all()) else None
