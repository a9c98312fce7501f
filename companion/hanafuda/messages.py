"""Messages: a code and parameters, rendered as text only when displayed.

For example ``Message("card-not-in-hand", {"card": card_message("pine-crane")})``. The texts are in one catalog per
language (``companion/messages``), which this library does not need: there, a message is displayed as code and parameters.

The code `text` is of a text that is not in the catalogs, such as one of a game of another distribution: its parameters
are the text by language, and `other` for languages that are missing; English is used without it.

>>> message = Message("yaku-needs", {"yaku": yaku_message("tane"), "count": 2})
>>> str(message)
'yaku-needs (yaku=yaku-tane, count=2)'
>>> Message.from_dict(message.to_dict()) == message
True
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any, TypeAlias

__all__ = [
    "Message",
    "Param",
    "any_of",
    "card_message",
    "joined",
    "player_message",
    "yaku_message",
]

Param: TypeAlias = "str | int | float | Message | tuple[Param, ...]"
"""A parameter's value. A tuple is a list, joined as the language does it."""


@dataclass(frozen=True, slots=True)
class Message:
    """The code of a text in the catalogs (kebab-case), and the text's parameters."""

    code: str
    params: Mapping[str, Param] = field(default_factory=dict)
    _hash: int = field(default=0, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        if not self._hash:
            # Equal parameters may be in any order. Building a set of them takes longer.
            object.__setattr__(self, "_hash", hash((self.code, sum(map(hash, self.params.values())))))
        return self._hash

    def __reduce__(self) -> tuple[type[Message], tuple[Any, ...]]:
        return Message, (self.code, self.params)  # without the hash, which differs in another process

    def __str__(self) -> str:
        if not self.params:
            return self.code
        return f"{self.code} ({', '.join(f'{name}={_param_text(value)}' for name, value in self.params.items())})"

    def to_dict(self) -> dict[str, Any]:
        """Return the message as JSON: ``code``, and ``params`` if there are any."""
        if not self.params:
            return {"code": self.code}
        return {"code": self.code, "params": {name: _to_json(value) for name, value in self.params.items()}}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Message:
        """Return the message written by `to_dict`; texts by language (``en``, ``ja``) become a `text` message."""
        if "code" not in document and "en" in document:
            return Message("text", {language: _from_json(text) for language, text in document.items()})
        params = document.get("params") or {}
        return Message(document["code"], {name: _from_json(value) for name, value in params.items()})

    def with_names(self, names: Sequence[str]) -> Message:
        """Return the message with players' names instead of numbers; an empty name keeps the number."""
        if self.code == "player":
            number = self.params.get("number")
            if isinstance(number, int) and 0 < number <= len(names) and names[number - 1]:
                return Message("player-name", {"name": names[number - 1]})
            return self
        if not self.params:
            return self
        return Message(self.code, {name: _with_names(value, names) for name, value in self.params.items()})


@lru_cache(maxsize=1024)
def card_message(card_id: str) -> Message:
    """Return the name of a card; those of numbered cards (``kabu-2-a``, ``clubs-7``, ``CK``) have parameters."""
    if card_id in {"kabu-1-a", "kabu-4-a"}:  # printed in red and in silver
        return Message(f"card-{card_id}")
    if match := re.fullmatch(r"kabu-(\d+)-[a-d]", card_id):
        return Message("card-kabu", {"number": int(match[1])})
    if match := re.fullmatch(r"(clubs|swords|cups|coins)-(\d+)", card_id):
        suit = Message(f"suit-mekurifuda-{match[1]}")
        return Message("card-mekurifuda", {"rank": int(match[2]), "suit": suit})
    if match := re.fullmatch(r"([CSHD])([1-9JQK])", card_id):
        suit = Message(f"suit-western-{_WESTERN_SUITS[match[1]]}")
        rank = int(match[2]) if match[2].isdigit() else match[2]
        return Message("card-western", {"rank": rank, "suit": suit})
    return Message(f"card-{re.sub(r'(?<=-chaff)-[12]$', '', card_id)}")  # twins have one name


_WESTERN_SUITS = {"C": "clubs", "S": "spades", "H": "hearts", "D": "diamonds"}


@lru_cache(maxsize=1024)
def player_message(number: int) -> Message:
    """Return the name of a player: the number (from 1), replaced by the name if it is known."""
    return Message("player", {"number": number})


@lru_cache(maxsize=1024)
def yaku_message(slug: str) -> Message:
    """Return the name of a yaku."""
    return Message(f"yaku-{slug}")


def any_of(items: Sequence[Param]) -> Param:
    """Return a parameter with alternatives: "a, b or c" in English. There is at least one."""
    first, *rest = items
    return reduce(lambda start, each: Message("list-or", {"first": start, "second": each}), rest, first)


def joined(messages: Sequence[Message]) -> Message:
    """Return several sentences as one message. There is at least one."""
    first, *rest = messages
    return reduce(
        lambda start, each: Message("list-sentences", {"first": start, "second": each}), rest, first
    )


def _param_text(value: Param) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_param_text, value))}]"
    return str(value)


def _to_json(value: Param) -> Any:
    if isinstance(value, int | str | float):
        return value
    return value.to_dict() if isinstance(value, Message) else [_to_json(each) for each in value]


def _from_json(value: Any) -> Param:
    if isinstance(value, Mapping):
        return Message.from_dict(value)
    if isinstance(value, list | tuple):
        return tuple(_from_json(each) for each in value)
    if isinstance(value, str | int | float):
        return value
    raise ValueError(f"a message's parameter must be text, a number, a message or a list, not {value!r}")


def _with_names(value: Param, names: Sequence[str]) -> Param:
    if isinstance(value, Message):
        return value.with_names(names)
    return tuple(_with_names(each, names) for each in value) if isinstance(value, tuple) else value
