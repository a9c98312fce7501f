"""Which tag or code stands for which card: pairings a deck, kept in a file each.

A tag is told by its number in hex (``E0040150A1B2C3D4``), a code by its text. Stickers of `companion labels` carry their card
themselves (``hanafuda:pine-crane``) and are paired with nothing. Two tags may stand for one card, one tag never for two.

>>> tag_of("04:a1:b2:c3")
'04A1B2C3'
>>> sticker_of("pine-crane")
'hanafuda:pine-crane'
>>> stuck_on("hanafuda:pine-crane").id
'pine-crane'
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from companion.files import put_aside, write_json
from companion.hanafuda.cards import DECKS, Card, card
from companion.hanafuda.errors import BadRequestError, shown

__all__ = [
    "LONGEST_TAG",
    "MOST_TAGS",
    "Paired",
    "TagTakenError",
    "Tags",
    "TagsWriteError",
    "sticker_of",
    "stuck_on",
    "tag_of",
]

LONGEST_TAG: Final = 512
"""Of a tag's number or a code's text, characters: more than anybody sticks on a card."""
MOST_TAGS: Final = 2000
"""Tags that one deck has at most."""

_SUFFIX: Final = ".json"
_LONGEST_DECK: Final = 80
_HEX: Final = re.compile(r"[0-9A-Fa-f]+")
_BYTES: Final = re.compile(r"[0-9A-Fa-f]{2}([ :-][0-9A-Fa-f]{2}){3,}")
_PACK_OF: Final = {each.id: pack for pack, cards in DECKS.items() for each in cards}
_BY_STICKER: Final = {f"{pack}:{each.id}".casefold(): each for pack, cards in DECKS.items() for each in cards}


class TagTakenError(BadRequestError):
    """Raised where a tag stands for another card already; `card` is that card's id."""

    code: ClassVar[str] = "tag-taken"

    def __init__(self, tag: str, card_id: str) -> None:
        self.card = card_id
        super().__init__(
            f"the tag {shown(tag)} stands for {card_id} already; take it off that card first, or move it"
        )


class TagsWriteError(Exception):
    """Raised where pairings could not be written; nothing was changed."""

    code: ClassVar[str] = "tags-not-written"


@dataclass(frozen=True, slots=True)
class Paired:
    """What a tag or a code stands for."""

    card: str
    deck: str | None
    """The deck in which it was paired; None for a sticker, which says its card itself."""


def tag_of(text: str) -> str:
    """Return a tag's number, or a code's text, as it is kept: hex in capitals without signs between the bytes.

    `BadRequestError` where there is nothing, or more than any reader tells.
    """
    tidy = text.strip()
    if not 0 < len(tidy) <= LONGEST_TAG or not tidy.isprintable():
        raise BadRequestError(
            f"{shown(text)} is no tag: scan one, or type in its number (hex) or the text of its code,"
            f" 1 to {LONGEST_TAG} characters"
        )
    if _BYTES.fullmatch(tidy):
        tidy = re.sub("[ :-]", "", tidy)
    return tidy.upper() if _HEX.fullmatch(tidy) else tidy


def sticker_of(card_id: str) -> str:
    """Return the text of a card's sticker: its pack and its id."""
    return f"{_PACK_OF[card(card_id).id]}:{card_id}"


def stuck_on(text: str) -> Card | None:
    """Return the card of which a code's text is the sticker, whatever its capitals; None for any other text."""
    return _BY_STICKER.get(text.strip().casefold())


class Tags:
    """The pairings of a folder, a JSON file a deck; safe to use from several threads.

    A file that somebody damaged is put aside, never written over, and `problem` tells of it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}

    def of(self, deck: str) -> Mapping[str, str]:
        """Return the pairings of a deck, tag to card, in the order in which they were made."""
        with self._lock:
            return self._read(deck).tags

    def problem(self, deck: str) -> str | None:
        """Say what was wrong with a deck's file, None where nothing was."""
        with self._lock:
            return self._read(deck).problem

    def find(self, text: str, deck: str | None = None) -> Paired | None:
        """Return what a tag or code stands for, None where nobody knows.

        A sticker's own word comes first, then the pairings of ``deck``, then those of all others, which must agree.
        """
        if found := stuck_on(text):
            return Paired(found.id, None)
        try:
            tag = tag_of(text)
        except BadRequestError:
            return None
        with self._lock:
            if deck is not None and (mine := self._read(deck).tags.get(tag)):
                return Paired(mine, deck)
            known = {name: reported for name in self._decks() if (reported := self._read(name).tags.get(tag))}
        if len(set(known.values())) != 1:
            return None
        return next(Paired(reported, name) for name, reported in known.items())

    def pair(self, deck: str, text: str, card_id: str | None, *, move: bool = False) -> str:
        """Let a tag stand for a card of its deck, or for none; return the tag as it is kept.

        Raises `companion.hanafuda.cards.UnknownCardError`, `TagTakenError` where it stands for another card and is not to ``move``, `BadRequestError`
        for what is no tag, and `TagsWriteError`.
        """
        tag = _pairable(text)
        if card_id is not None:
            card(card_id)
        with self._lock:
            tags = dict(self._read(deck).tags)
            before = tags.get(tag)
            if before == card_id:
                return tag
            if before is not None:
                if card_id is not None and not move:
                    raise TagTakenError(tag, before)
                del tags[tag]
            if card_id is not None:
                tags[tag] = card_id
            self._write(deck, tags)
        return tag

    def put(self, deck: str, tags: Mapping[str, str]) -> Mapping[str, str]:
        """Put other pairings in the place of all that a deck has, and return them; raises as `pair` does."""
        tidy: dict[str, str] = {}
        for text, card_id in tags.items():
            card(card_id)
            tag = _pairable(text)
            if tidy.setdefault(tag, card_id) != card_id:
                raise TagTakenError(tag, tidy[tag])
        with self._lock:
            if tidy != self._read(deck).tags:
                self._write(deck, tidy)
        return tidy

    # --- within the lock

    def _decks(self) -> list[str]:
        names = (path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}"))
        return sorted(filter(_is_name, names))

    def _path(self, deck: str) -> Path:
        if not _is_name(deck):
            raise BadRequestError(f"{shown(deck)} cannot be a deck's name: it has letters, digits, - and _")
        return self._folder / f"{deck}{_SUFFIX}"

    def _read(self, deck: str) -> _Held:
        path = self._path(deck)
        held = self._held.get(deck)
        try:
            stamp = _stamp(path)
            if held is None or held.stamp != stamp:
                held = self._taken_in(path, stamp, held)
        except OSError as error:
            problem = f"{path} cannot be read ({error.strerror}): make it readable"
            held = _Held(None, held.tags if held else {}, problem, writable=False)
        self._held[deck] = held
        return held

    def _taken_in(self, path: Path, stamp: _Stamp | None, before: _Held | None) -> _Held:
        if stamp is None:  # nobody paired yet, or what was there has been put aside
            return _Held(None, {}, before.problem if before else None)
        tags, wrong = _parse(path.read_bytes())
        if not wrong:
            return _Held(stamp, tags)
        try:
            aside = put_aside(path)
        except OSError:
            problem = f"{path} is damaged ({wrong}), and cannot be put aside: move it elsewhere"
            return _Held(stamp, tags, problem, writable=False)
        kept = f"the {len(tags)} pairings that could be read hold" if tags else "pair its cards anew"
        problem = f"{path} was damaged ({wrong}); it is kept as {aside.name}, and {kept}"
        if tags:
            write_json(path, {"tags": tags})
        return _Held(_stamp(path), tags, problem)

    def _write(self, deck: str, tags: dict[str, str]) -> None:
        if len(tags) > MOST_TAGS:
            raise BadRequestError(f"a deck has at most {MOST_TAGS} tags, and these are {len(tags)}")
        path, held = self._path(deck), self._held[deck]
        if not held.writable:
            raise TagsWriteError(held.problem)
        try:
            write_json(path, {"tags": tags})
            self._held[deck] = _Held(_stamp(path), tags)
        except OSError as error:
            raise TagsWriteError(
                f"the pairings could not be written to {path} ({error.strerror}): nothing was changed"
            ) from error


_Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Held:
    """A deck's file as it was read last."""

    stamp: _Stamp | None
    """When it was written, and its length; None: there is none."""
    tags: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None
    writable: bool = True


def _is_name(deck: str) -> bool:
    return 0 < len(deck) <= _LONGEST_DECK and all(sign.isalnum() or sign in "-_" for sign in deck)


def _pairable(text: str) -> str:
    tag = tag_of(text)
    if found := stuck_on(tag):
        raise BadRequestError(
            f"{tag} is a sticker that says itself that it is {found.id}: it needs no pairing"
        )
    return tag


def _stamp(path: Path) -> _Stamp | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _parse(text: bytes) -> tuple[dict[str, str], str]:
    """Return the pairings of a file that hold, and what is wrong with the rest; nothing: it is well."""
    try:
        reported: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}, "no JSON"
    listed = reported.get("tags") if isinstance(reported, dict) else None
    if not isinstance(listed, dict):
        return {}, "no pairings in it"
    tags: dict[str, str] = {}
    wrong = ""
    for text_, card_id in listed.items():
        try:
            tags[_pairable(text_)] = card(card_id).id
        except BadRequestError as error:
            wrong = wrong or str(error)
    return tags, wrong
