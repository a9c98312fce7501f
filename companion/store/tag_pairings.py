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
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from companion.hanafuda.cards import DECKS, Card, card
from companion.hanafuda.errors import BadRequestError, ConflictError, quote
from companion.hanafuda.messages import Message, Param, card_message
from companion.messages import error_text
from companion.store.documents import DocumentStore
from companion.store.errors import LogReadError, LogWriteError

LONGEST_TAG: Final = 512
"""Maximum length of a tag's number or a code's text, characters; codes on cards are far shorter."""
MAX_TAGS: Final = 2000
"""Maximum number of tags of one deck."""

_DECK_NAME: Final = re.compile(r"[\w-]{1,80}")
_HEX: Final = re.compile(r"[0-9A-Fa-f]+")
_BYTES: Final = re.compile(r"[0-9A-Fa-f]{2}([ :-][0-9A-Fa-f]{2}){3,}")
_PACK_OF: Final = {each.id: pack for pack, cards in DECKS.items() for each in cards}
_BY_STICKER: Final = {f"{pack}:{each.id}".casefold(): each for pack, cards in DECKS.items() for each in cards}


class TagTakenError(ConflictError):
    """Raised if a tag is already paired with another card; its member `card` is that card's id."""

    def __init__(self, tag: str, card_id: str) -> None:
        values: dict[str, Param] = {"tag": quote(tag), "card": card_message(card_id), "id": card_id}
        super().__init__("tag-taken", Message("problem-tag-taken", values), card=card_id)


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


class _DeckTags(NamedTuple):
    """A deck's pairings as they were last read."""

    version: str | None = None
    """The version of the document; None if there is none, or if it must be read again."""
    tags: Mapping[str, str] = {}
    problem: Message | None = None


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
            return self._known(deck).tags

    def problem(self, deck: str) -> Message | None:
        """Describe the problem with a deck's document; None if there is none."""
        with self._lock:
            return self._known(deck).problem

    def find(self, text: str, deck: str | None = None) -> str | None:
        """Return the id of the card of a tag or code; None if it is not paired.

        A sticker's own text takes precedence, then the pairings of ``deck``, then those of all decks, which must agree.
        """
        if sticker_card := stuck_on(text):
            return sticker_card.id
        try:
            tag = tag_of(text)
        except BadRequestError:
            return None
        with self._lock:
            if deck is not None and (card_id := self._known(deck).tags.get(tag)):
                return card_id
            names = filter(_DECK_NAME.fullmatch, self._documents.names("tags"))
            found = {self._known(name).tags.get(tag) for name in names} - {None}
        return found.pop() if len(found) == 1 else None

    def pair(self, deck: str, text: str, card_id: str | None, *, move: bool = False) -> None:
        """Pair a tag with a card, or with none to remove its pairing.

        Raises `companion.hanafuda.cards.UnknownCardError` for an unknown card, `TagTakenError` if the tag is paired with another card
        and ``move`` is false, `BadRequestError` for an invalid tag, and `LogReadError` or `LogWriteError`.
        """
        tag = _pairable(text)
        new = {} if card_id is None else {tag: card(card_id).id}

        def paired(tags: Mapping[str, str]) -> Mapping[str, str]:
            before = tags.get(tag)
            if before == card_id:
                return tags
            if before is not None and new and not move:
                raise TagTakenError(tag, before)
            return {each: its for each, its in tags.items() if each != tag} | new

        self._change(deck, paired)

    def put(self, deck: str, tags: Mapping[str, str]) -> None:
        """Replace all pairings of a deck; raises the same errors as `pair`."""
        pairings: dict[str, str] = {}
        for text, card_id in tags.items():
            tag = _pairable(text)
            if pairings.setdefault(tag, card(card_id).id) != card_id:
                raise TagTakenError(tag, pairings[tag])
        self._change(deck, lambda _: pairings)

    def _change(self, deck: str, changed: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
        """Store what ``changed`` returns for the pairings of a deck, again if another process has changed them meanwhile."""
        with self._lock:
            while (tags := changed((known := self._read(deck)).tags)) != known.tags:
                if len(tags) > MAX_TAGS:
                    values = {"max": str(MAX_TAGS), "count": str(len(tags))}
                    raise BadRequestError(Message("tag-too-many", values))
                self._documents.replace("tags", deck, _text(tags), known.version)

    # --- the caller holds the lock

    def _known(self, deck: str) -> _DeckTags:
        """Return the pairings of a deck, or those last read if its document cannot be read or set aside."""
        try:
            return self._read(deck)
        except (LogReadError, LogWriteError) as error:
            return self._decks.get(deck, _DeckTags())._replace(problem=error.message)

    def _read(self, deck: str) -> _DeckTags:
        """Return the pairings of a deck; a damaged document is set aside, and the pairings that could be read are kept.

        Raises `LogReadError`, and `LogWriteError` if a damaged document cannot be set aside.
        """
        if not _DECK_NAME.fullmatch(deck):
            raise BadRequestError(Message("tag-deck-name", {"name": quote(deck)}))
        known = self._decks.get(deck, _DeckTags())
        version = self._documents.version("tags", deck)
        if version is None:
            known = _DeckTags(problem=known.problem)  # of the document that was set aside
        elif version != known.version:
            known = self._load(deck, version)
        self._decks[deck] = known
        return known

    def _load(self, deck: str, version: str) -> _DeckTags:
        tags, error = _parse(self._documents.read("tags", deck) or b"")
        if not error:
            return _DeckTags(version, tags)
        self._decks[deck] = _DeckTags(None, tags)
        location = self._documents.location("tags", deck)
        copy = self._documents.set_aside("tags", deck)
        values: dict[str, Param] = {"path": location, "reason": error, "file": copy, "count": len(tags)}
        if tags:
            self._documents.write("tags", deck, _text(tags))
        version_now = self._documents.version("tags", deck)
        return _DeckTags(version_now, tags, Message("tags-were-damaged", values))


def _text(tags: Mapping[str, str]) -> bytes:
    return (json.dumps({"tags": tags}, ensure_ascii=False, indent=1) + "\n").encode()


def _pairable(text: str) -> str:
    """Return a tag in its stored form; raises `BadRequestError` for a sticker, which needs no pairing."""
    tag = tag_of(text)
    if sticker_card := stuck_on(tag):
        values: dict[str, Param] = {"tag": tag, "card": card_message(sticker_card.id), "id": sticker_card.id}
        raise BadRequestError(Message("tag-is-sticker", values))
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
