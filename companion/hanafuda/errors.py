"""Errors of requests: one class hierarchy, each error with a message for the user.

- `BadRequestError` (a `ValueError`): the request is invalid
  - `companion.hanafuda.cards.UnknownCardError`, `companion.hanafuda.cards.CardTwiceError`
  - `companion.hanafuda.rules.UnknownPresetError`, `UnknownRuleError`, `BadRuleValueError`, `WrongGameError`,
    `BadShareCodeError`, `NewerShareCodeError`
  - `companion.hanafuda.scoring.UnknownGameError`
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

__all__ = ["BadRequestError", "did_you_mean", "nearest", "quote"]


class BadRequestError(ValueError):
    """An invalid request; ``str(error)`` says what was received and what to do."""

    code: ClassVar[str] = "bad-request"
    """A stable slug, for programs and for translations of the message."""


def nearest(wanted: object, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three known names that are most similar to the given one."""
    return tuple(difflib.get_close_matches(str(wanted).strip().lower(), list(known), n=3, cutoff=0.6))


def did_you_mean(names: tuple[str, ...]) -> str:
    """Return the "did you mean" clause that ends an error message; empty if no name is similar."""
    return f"; did you mean {' or '.join(names)}?" if names else ""


def quote(value: object) -> str:
    """Return the repr of a value for an error message, shortened to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
