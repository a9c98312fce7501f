"""Errors for people: one class hierarchy, each error with a message of the catalogs.

- `MessageError`: the base class of all of them
- `BadRequestError` (a `ValueError`): the request is invalid
  - `UnknownGameError`
  - `NotFoundError`, `ConflictError`
  - `companion.hanafuda.cards.UnknownCardError`, `companion.hanafuda.cards.CardTwiceError`
  - `companion.hanafuda.rules.UnknownPresetError`, `UnknownRuleError`, `BadRuleValueError`, `WrongGameError`,
    `BadShareCodeError`, `NewerShareCodeError`
"""

from __future__ import annotations

import copyreg
import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from .messages import Message, any_of

__all__ = [
    "BadRequestError",
    "ConflictError",
    "MessageError",
    "NotFoundError",
    "UnknownGameError",
    "did_you_mean",
    "hint",
    "nearest",
    "quote",
]


class MessageError(Exception):
    """An error for people: `message` is rendered in the reader's language, ``str(error)`` is its code with parameters.

    A sentence instead of a message stays English. It is for those who write programs and files, for example about the
    shape of a JSON document, and for the terminal.
    """

    code: str
    """A stable slug of the kind of error, for programs."""
    members: Mapping[str, Any] = MappingProxyType({})
    """What else programs get to know of it, by name, as JSON."""

    def __init__(self, message: Message | str) -> None:
        super().__init__(message)
        if isinstance(message, str):
            message = Message("problem-bad-request", {"detail": message})
        self.message = message

    def __str__(self) -> str:
        detail = self.message.params.get("detail")
        return str(detail if self.message.code == "problem-bad-request" else self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        # Subclasses have other parameters than `args`.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class BadRequestError(MessageError, ValueError):
    """An invalid request; the message says what was received and what to do."""

    code = "bad-request"


class NotFoundError(BadRequestError):
    """There is nothing with the requested id, number or name."""

    def __init__(self, code: str, message: Message, **members: Any) -> None:
        super().__init__(message)
        self.code, self.members = code, members


class ConflictError(BadRequestError):
    """A request that does not fit what there is: something changed meanwhile, or has the name or the place already."""

    def __init__(self, code: str, message: Message, **members: Any) -> None:
        super().__init__(message)
        self.code, self.members = code, members


class UnknownGameError(BadRequestError):
    """Raised for a game that is not one of the known ones, or whose cards cannot be scored."""

    code = "unknown-game"

    def __init__(self, wanted: object, known: Iterable[str], text: str = "problem-unknown-game") -> None:
        super().__init__(Message(text, {"game": quote(wanted), "hint": hint(wanted, known)}))


def nearest(wanted: object, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three known names that are most similar to the given one."""
    return tuple(difflib.get_close_matches(str(wanted).strip().lower(), list(known), n=3, cutoff=0.6))


def did_you_mean(names: tuple[str, ...]) -> str:
    """Return the "did you mean" clause that ends an error message; empty if no name is similar."""
    return f"; did you mean {' or '.join(names)}?" if names else ""


def hint(wanted: object, known: Iterable[str], count: int = 3) -> Message:
    """Return the clause that ends the message about an unknown name: similar known names, else all of them."""
    names = list(known)
    if similar := nearest(wanted, names)[:count]:
        return Message("hint-did-you-mean", {"names": any_of(similar)})
    return Message("hint-there-are", {"names": ", ".join(names)}) if names else Message("hint-none")


def quote(value: object) -> str:
    """Return the repr of a value for an error message, shortened to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
