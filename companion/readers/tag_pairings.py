"""Pairings of tags and codes with cards, stored in one document per deck.

A tag is identified by its number in hexadecimal (``E0040150A1B2C3D4``), a code by its text. Stickers printed by
`companion labels` contain their card (``hanafuda:pine-crane``) and need no pairing. Several tags may be paired with one
card, but a tag with only one card of a deck.

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
from typing import Any, Final

from companion.hanafuda.cards import DECKS, Card, card
from companion.hanafuda.errors import BadRequestError, ConflictError, quote
from companion.hanafuda.messages import Message, Param, card_message
from companion.messages import error_text
from companion.store import DocumentStore, LogReadError, LogWriteError

LONGEST_TAG: Final = 512
"""Maximum length of a tag's number or a code's text, characters; codes on cards are far shorter."""
MAX_TAGS: Final = 2000
"""Maximum number of tags of one deck."""

_MAX_DECK_NAME: Final = 80
_HEX: Final = re.compile(r"[0-9A-Fa-f]+")
_BYTES: Final = re.compile(r"[0-9A-Fa-f]{2}([ :-][0-9A-Fa-f]{2}){3,}")
_PACK_OF: Final = {each.id: pack for pack, cards in DECKS.items() for each in cards}
_BY_STICKER: Final = {f"{pack}:{each.id}".casefold(): each for pack, cards in DECKS.items() for each in cards}


class TagTakenError(ConflictError):
    """Raised if a tag is already paired with another card; its member `card` is that card's id."""

    def __init__(self, tag: str, card_id: str) -> None:
        values: dict[str, Param] = {"tag": quote(tag), "card": card_message(card_id), "id": card_id}
        super().__init__("tag-taken", Message("problem-tag-taken", values), card=card_id)


class TagsWriteError(LogWriteError):
    """Raised if pairings could not be written; nothing was changed."""

    code = "tags-not-written"


@dataclass(frozen=True, slots=True)
class Paired:
    """The card of a tag or code."""

    card: str
    deck: str | None
    """The deck in which it was paired; None for a sticker, which contains its card."""


def tag_of(text: str) -> str:
    """Return a tag's number or a code's text in its stored form: hexadecimal in upper case without separators.

    Raises `BadRequestError` for an empty, unprintable, or overlong text.
    """
    tidy = text.strip()
    if not 0 < len(tidy) <= LONGEST_TAG or not tidy.isprintable():
        raise BadRequestError(Message("tag-bad", {"tag": quote(text), "max": LONGEST_TAG}))
    if _BYTES.fullmatch(tidy):
        tidy = re.sub("[ :-]", "", tidy)
    return tidy.upper() if _HEX.fullmatch(tidy) else tidy


def sticker_of(card_id: str) -> str:
    """Return the text of a card's sticker: its pack and its id."""
    return f"{_PACK_OF[card(card_id).id]}:{card_id}"


def stuck_on(text: str) -> Card | None:
    """Return the card of a sticker's text, in upper or lower case; None for any other text."""
    return _BY_STICKER.get(text.strip().casefold())


class Tags:
    """The stored pairings, one JSON document per deck. Thread-safe.

    A damaged document is set aside and never overwritten; `problem` describes what happened.
    """

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents
        self._lock = threading.Lock()
        self._decks: dict[str, _DeckTags] = {}

    def of(self, deck: str) -> Mapping[str, str]:
        """Return the pairings of a deck, tag to card, in the order in which they were made."""
        with self._lock:
            return self._read(deck).tags

    def problem(self, deck: str) -> Message | None:
        """Describe the problem with a deck's document; None if there is none."""
        with self._lock:
            return self._read(deck).problem

    def find(self, text: str, deck: str | None = None) -> Paired | None:
        """Return the card of a tag or code; None if it is not paired.

        A sticker's own text takes precedence, then the pairings of ``deck``, then those of all decks, which must agree.
        """
        if sticker_card := stuck_on(text):
            return Paired(sticker_card.id, None)
        try:
            tag = tag_of(text)
        except BadRequestError:
            return None
        with self._lock:
            if deck is not None and (card_id := self._read(deck).tags.get(tag)):
                return Paired(card_id, deck)
            by_deck = {name: paired for name in self._names() if (paired := self._read(name).tags.get(tag))}
        if len(set(by_deck.values())) != 1:
            return None
        return next(Paired(paired, name) for name, paired in by_deck.items())

    def pair(self, deck: str, text: str, card_id: str | None, *, move: bool = False) -> str:
        """Pair a tag with a card, or with none to remove its pairing; return the tag in its stored form.

        Raises `companion.hanafuda.cards.UnknownCardError` for an unknown card, `TagTakenError` if the tag is paired
        with another card and ``move`` is false, `BadRequestError` for an invalid tag, and `TagsWriteError`.
        """
        tag = _pairable(text)
        if card_id is not None:
            card(card_id)
        with self._lock:
            while True:
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
                if self._write(deck, tags):
                    return tag

    def put(self, deck: str, tags: Mapping[str, str]) -> Mapping[str, str]:
        """Replace all pairings of a deck and return them; raises the same errors as `pair`."""
        pairings: dict[str, str] = {}
        for text, card_id in tags.items():
            card(card_id)
            tag = _pairable(text)
            if pairings.setdefault(tag, card_id) != card_id:
                raise TagTakenError(tag, pairings[tag])
        with self._lock:
            while pairings != self._read(deck).tags:
                self._write(deck, pairings)
        return pairings

    # --- the caller holds the lock

    def _names(self) -> list[str]:
        return list(filter(_is_name, self._documents.names("tags")))

    def _read(self, deck: str) -> _DeckTags:
        if not _is_name(deck):
            raise BadRequestError(Message("tag-deck-name", {"name": quote(deck)}))
        known = self._decks.get(deck)
        try:
            version = self._documents.version("tags", deck)
            if known is None or known.version != version:
                known = self._load(deck, version, known)
        except LogReadError as error:
            known = _DeckTags(None, known.tags if known else {}, error.message, writable=False)
        self._decks[deck] = known
        return known

    def _load(self, deck: str, version: str | None, previous: _DeckTags | None) -> _DeckTags:
        """Read a deck's document; set a damaged one aside and keep the pairings that could be read."""
        text = self._documents.read("tags", deck)
        if text is None:  # no pairings yet, or the damaged document was set aside
            return _DeckTags(None, {}, previous.problem if previous else None)
        tags, error = _parse(text)
        if not error:
            return _DeckTags(version, tags)
        location = self._documents.location("tags", deck)
        try:
            copy = self._documents.set_aside("tags", deck)
        except LogWriteError:
            problem = Message("file-not-renamed", {"path": location, "reason": error})
            return _DeckTags(version, tags, problem, writable=False)
        problem = Message(
            "tags-were-damaged", {"path": location, "reason": error, "file": copy, "count": len(tags)}
        )
        if tags:
            self._documents.write("tags", deck, _text(tags))
        return _DeckTags(self._documents.version("tags", deck), tags, problem)

    def _write(self, deck: str, tags: dict[str, str]) -> bool:
        """Store pairings that replace those last read; return False if another process has changed them since."""
        if len(tags) > MAX_TAGS:
            raise BadRequestError(Message("tag-too-many", {"max": str(MAX_TAGS), "count": str(len(tags))}))
        known = self._decks[deck]
        if not known.writable:
            raise TagsWriteError(known.problem or "")
        try:
            return self._documents.replace("tags", deck, _text(tags), known.version)
        except LogWriteError as error:
            raise TagsWriteError(Message("problem-not-saved", {"reason": error.message})) from error


@dataclass(frozen=True, slots=True)
class _DeckTags:
    """A deck's pairings as they were last read."""

    version: str | None
    """The version of the document; None if there is none."""
    tags: Mapping[str, str] = field(default_factory=dict)
    problem: Message | None = None
    writable: bool = True


def _text(tags: Mapping[str, str]) -> bytes:
    return (json.dumps({"tags": tags}, ensure_ascii=False, indent=1) + "\n").encode()


def _is_name(deck: str) -> bool:
    return 0 < len(deck) <= _MAX_DECK_NAME and all(
        character.isalnum() or character in "-_" for character in deck
    )


def _pairable(text: str) -> str:
    """Return a tag in its stored form; raises `BadRequestError` for a sticker, which needs no pairing."""
    tag = tag_of(text)
    if sticker_card := stuck_on(tag):
        raise BadRequestError(
            Message(
                "tag-is-sticker", {"tag": tag, "card": card_message(sticker_card.id), "id": sticker_card.id}
            )
        )
    return tag


def _parse(text: bytes) -> tuple[dict[str, str], str]:
    """Return the valid pairings of a document, and the error in the rest; empty if there is none."""
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}, "no JSON"
    pairings = content.get("tags") if isinstance(content, dict) else None
    if not isinstance(pairings, dict):
        return {}, "no pairings in it"
    tags: dict[str, str] = {}
    wrong = ""
    for text_, card_id in pairings.items():
        try:
            tags[_pairable(text_)] = card(card_id).id
        except BadRequestError as error:
            wrong = wrong or error_text(error)
    return tags, wrong
