"""Rendering messages with the catalogs, which are read when the first message of a language is rendered.

Messages are parsed one by one as they are needed: a whole catalog takes about a second to parse.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message, Param
from companion.messages.particles import particle, plural

if TYPE_CHECKING:
    from fluent.runtime import FluentBundle

_FOLDER = Path(__file__).parent

DEFAULT_LANGUAGE = "en"
"""The language where nothing else is known, and of a message that another catalog lacks."""

LANGUAGES: tuple[str, ...] = (
    DEFAULT_LANGUAGE,
    *sorted(path.stem for path in _FOLDER.glob("??.ftl") if path.stem != DEFAULT_LANGUAGE),
)
"""The languages there is a catalog of, by their codes; English first."""

ADMINISTRATION = _FOLDER / "administration.ftl"
"""The texts of commands for administrators, in English only; pages do not have them."""

_MAX_NUMBER = 10**15
"""Larger numbers are rendered without separators: the number formatter raises an error for very large ones."""

_ENTRY = re.compile(r"^(?P<code>-?[a-zA-Z][\w-]*) *=.*(?:\n(?:[ \t]+\S.*|\}.*|[ \t]*(?=\n)))*", re.MULTILINE)
"""A message of a catalog: its first line, and the lines that continue it, which are indented or close a selection."""
_REFERENCE = re.compile(r"\{\s*(-?[a-z][\w-]*)\s*[}.(]")
"""A reference of a message to another one."""


class Catalog:
    """The messages of one language; safe to use from several threads."""

    def __init__(self, language: str, source: str) -> None:
        self.language = language
        self._entries = {found["code"]: found[0] for found in _ENTRY.finditer(source)}
        self._parsed: set[str] = set()
        self._lock = threading.Lock()
        self._bundle: FluentBundle | None = None

    def __contains__(self, code: object) -> bool:
        return code in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def entry(self, code: str) -> str:
        """Return the source of one message."""
        return self._entries[code]

    def format(self, code: str, values: dict[str, Any]) -> tuple[str, list[Exception]]:
        """Return the text of a message, and what went wrong, such as a variable that is missing."""
        bundle = self._bundle_with(code)
        pattern = bundle.get_message(code).value
        if pattern is None:
            raise ValueError(f"the message {code} of {self.language}.ftl has no text")
        text, errors = bundle.format_pattern(pattern, values)
        return str(text), errors

    def _bundle_with(self, code: str) -> FluentBundle:
        """Return the bundle after parsing a message and the ones it refers to."""
        bundle = self._bundle
        if bundle is not None and code in self._parsed:
            return bundle
        functions: Any = {"JOSA": particle, "PLURAL": plural}
        from fluent.runtime import FluentBundle, FluentResource  # noqa: PLC0415 - 0.2 s, only where text is needed

        with self._lock:
            if self._bundle is None:
                self._bundle = FluentBundle([self.language], functions=functions, use_isolating=False)
            needed, parsed = [code], set[str]()
            while needed:
                name = needed.pop()
                if name in self._parsed or name in parsed or name not in self._entries:
                    continue
                self._bundle.add_resource(FluentResource(self._entries[name]))
                parsed.add(name)
                needed += _REFERENCE.findall(self._entries[name])
            self._parsed |= parsed  # only now: other threads look here without the lock
            return self._bundle


@cache
def catalog_source(language: str) -> str:
    """Return the catalog of a language: its file, and those of the games of other distributions.

    A game without a file for the language has its English texts.
    """
    from companion.hanafuda.registry import GAMES  # noqa: PLC0415  # the registry loads every game

    folders = [_FOLDER, *(game.catalogs for game in GAMES.values() if game.catalogs is not None)]
    files = [(folder / f"{language}.ftl", folder / f"{DEFAULT_LANGUAGE}.ftl") for folder in folders]
    return "\n".join((own if own.exists() else english).read_text(encoding="utf-8") for own, english in files)


@cache
def catalog(language: str) -> Catalog:
    """Return the catalog of one of `LANGUAGES`; the English one includes `ADMINISTRATION`."""
    source = catalog_source(language)
    if language == DEFAULT_LANGUAGE:
        source = f"{source}\n{ADMINISTRATION.read_text(encoding='utf-8')}"
    return Catalog(language, source)


def language_name(language: str) -> str:
    """Return what a language calls itself."""
    return render(Message("language-name"), language)


def best_language(wanted: Sequence[str | None]) -> str:
    """Return the first of some language tags (``ko``, ``ja-JP``) that there is a catalog of, else English."""
    for tag in wanted:
        language = re.split(r"[-_.@]", tag or "")[0].lower()
        if language in LANGUAGES:
            return language
    return DEFAULT_LANGUAGE


def render(message: Message, language: str = DEFAULT_LANGUAGE, names: Sequence[str] = ()) -> str:
    """Return the text of a message in a language.

    `names` are the players' names in the order of their numbers; an empty one leaves the number. A message that
    the catalog lacks is rendered in English, one that no catalog has as its code and parameters.
    """
    return _render(message.with_names(names) if names else message, language)


def error_text(error: Exception, language: str = DEFAULT_LANGUAGE) -> str:
    """Return the text of an error: of its message in a language, if it is a `MessageError`."""
    return render(error.message, language) if isinstance(error, MessageError) else str(error)


def render_all(message: Message) -> dict[str, str]:
    """Return the text of a message by language, where the reader's language is not known yet."""
    return {language: render(message, language) for language in LANGUAGES}


def with_texts(document: Any, language: str) -> Any:
    """Return a JSON document with the text in a language added to every message in it.

    The text of a message is its ``message``. That of a ``reason`` is beside it, as in the contract's answers: the ``message``
    of a problem, which has a ``code``, and the ``why`` of a score.
    """
    if isinstance(document, list):
        return [with_texts(each, language) for each in document]
    if not isinstance(document, Mapping):
        return document
    if "code" in document and document.keys() <= {"code", "params"}:
        return {**document, "message": render(Message.from_dict(document), language)}
    texts: dict[str, Any] = {}
    for name, value in document.items():
        if name == "reason":
            texts["message" if "code" in document else "why"] = render(Message.from_dict(value), language)
            texts[name] = value
        else:
            texts[name] = with_texts(value, language)
    return texts


@lru_cache(maxsize=8192)
def _render(message: Message, language: str) -> str:
    if message.code == "text":
        texts = message.params
        return str(_value(texts.get(language) or texts.get("other") or texts["en"], language))
    for each in dict.fromkeys((language, DEFAULT_LANGUAGE)):
        if each in LANGUAGES and message.code in catalog(each):
            values = {name: _value(value, each) for name, value in message.params.items()}
            return catalog(each).format(message.code, values)[0]
    return str(message)


def _value(value: Param, language: str) -> str | int | float:
    if isinstance(value, Message):
        return _render(value, language)
    if not isinstance(value, tuple):
        return value if isinstance(value, str) or abs(value) <= _MAX_NUMBER else str(value)
    return _joined([str(_value(each, language)) for each in value], language)


def _joined(items: Sequence[str], language: str) -> str:
    """Join the items of a list as the language does it: with commas, and a word before the last."""
    if len(items) < 2:
        return "".join(items)
    if len(items) == 2:
        return _render(Message("list-two", {"first": items[0], "second": items[1]}), language)
    start = items[0]
    for item in items[1:-1]:
        start = _render(Message("list-middle", {"start": start, "next": item}), language)
    return _render(Message("list-last", {"start": start, "last": items[-1]}), language)
