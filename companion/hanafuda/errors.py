"""What goes wrong with a request: one family of errors, each with a sentence for the person at the table.

- `BadRequestError` (a `ValueError`): the request cannot be answered as it stands
  - `companion.hanafuda.cards.UnknownCardError`, `companion.hanafuda.cards.CardTwiceError`
  - `companion.hanafuda.rules.UnknownPresetError`, `UnknownRuleError`, `BadRuleValueError`, `WrongGameError`,
    `BadShareCodeError`, `NewerShareCodeError`
  - `companion.hanafuda.scoring.UnknownGameError`
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

__all__ = ["BadRequestError", "did_you_mean", "nearest", "shown"]


class BadRequestError(ValueError):
    """A request that cannot be answered; ``str(error)`` says what was seen and what to do."""

    code: ClassVar[str] = "bad-request"
    """A stable slug, for programs and for translations of the sentence."""


def nearest(wanted: object, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three of the known names that look most like what was written."""
    return tuple(difflib.get_close_matches(str(wanted).strip().lower(), list(known), n=3, cutoff=0.6))


def did_you_mean(names: tuple[str, ...]) -> str:
    """Return the question that ends an error's sentence; empty where nothing comes near."""
    return f"; did you mean {' or '.join(names)}?" if names else ""


def shown(value: object) -> str:
    """Return a value as an error's sentence quotes it: whole if it is short, else its beginning."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
