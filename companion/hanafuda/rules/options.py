"""What an option of a rules record is: which values it can take, and what each means to a player.

A record is a frozen dataclass; each field is made by `points`, `whole`, `choice`, `flag` or `calls`, which
keep the option's sentence, source and check in the field's metadata (`options_of` reads them back).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal, TypeAlias

from companion.hanafuda.errors import nearest, shown
from companion.hanafuda.messages import Message, Text

__all__ = [
    "MOST_EFFECTS",
    "Option",
    "Text",
    "calls",
    "choice",
    "flag",
    "options_of",
    "points",
    "whole",
    "written",
]


Unit: TypeAlias = Literal["points", "shares", "stones", "rounds", "yaku", "percent", "times"]
"""What a whole number counts; `rule-unit-…` in the catalogs."""


@dataclass(frozen=True, slots=True)
class Option:
    """One named point on which tables differ; the subclasses say which values it can take."""

    section: str
    code: str
    """The code of the sentence that says what the option is about; a value's code adds the value."""
    source: str
    """Who plays the values, by name, as ``stop: Nintendo; free: FudaWiki``; this program where nobody else says it."""

    @property
    def text(self) -> Message:
        """The sentence that says what the option is about."""
        return Message(self.code)

    def _label(self, value: Any) -> Message:
        """Return the label of a value that has one of its own."""
        return Message(f"{self.code}-{written(value).replace('_', '-')}")

    def problem(self, value: Any) -> str | None:
        """Return what the option must be and what it is instead, or None for a possible value."""
        raise NotImplementedError

    def nearest(self, value: Any) -> Any:
        """Return the possible value that an impossible one most likely stands for; None where none comes near."""
        raise NotImplementedError

    def meaning(self, value: Any) -> Message:
        """Return what a value means to a player."""
        raise NotImplementedError

    def choices(self) -> Iterator[tuple[str, Message]]:
        """Yield the values there are, as a player writes them, each with what it means."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class _Whole(Option):
    low: int = 0
    high: int = 1000
    labels: Mapping[str | int, Message] = field(default_factory=dict)
    """Values with a meaning of their own."""
    unit: Unit = "points"

    def problem(self, value: Any) -> str | None:
        if isinstance(value, str) and value in self._said():
            return None
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
            return None
        words = "".join(f" or {word!r}" for word in self._said())
        return f"must be a whole number from {self.low} to {self.high}{words}, not {shown(value)}"

    def nearest(self, value: Any) -> Any:
        if (number := _number(value)) is not None:
            return min(max(number, self.low), self.high)
        return next(iter(nearest(_plain(value), self._said())), None)

    def _said(self) -> list[str]:
        """Return the values that are words."""
        return [word for word in self.labels if isinstance(word, str)]

    def meaning(self, value: Any) -> Message:
        return self.labels.get(value) or Message(f"rule-unit-{self.unit}", {"count": value})

    def choices(self) -> Iterator[tuple[str, Message]]:
        low = self.low
        for value, label in self.labels.items():
            yield str(value), label
            low += value == low
        yield f"{low}–{self.high}", Message(f"rule-range-{self.unit}")


@dataclass(frozen=True, slots=True)
class _Choice(Option):
    values: tuple[Any, ...]

    def problem(self, value: Any) -> str | None:
        # A bool equals 0 or 1 in Python, and would pass for the number.
        if any(type(value) is type(known) and value == known for known in self.values):
            return None
        return f"must be one of {', '.join(map(written, self.values))}, not {shown(value)}"

    def nearest(self, value: Any) -> Any:
        if not isinstance(value, str | int | float):
            return None
        known = {written(each): each for each in self.values}
        word = _plain(value)
        word = _YES_NO.get(word, word) if True in self.values else word
        if word in known:
            return known[word]
        numbers = [each for each in self.values if type(each) is int]
        number = _number(value)
        if numbers and number is not None:
            return min(numbers, key=lambda each: abs(each - number))
        return next((known[each] for each in nearest(word, known)), None)

    def meaning(self, value: Any) -> Message:
        if isinstance(value, bool):
            return Message("rule-yes" if value else "rule-no")
        return self._label(value)

    def choices(self) -> Iterator[tuple[str, Message]]:
        for value in self.values:
            yield written(value), self.meaning(value)


MOST_EFFECTS = 10
"""The most effects a list may hold: no hand is larger than ten cards; the last effect repeats."""

_EFFECT = re.compile(r"([x+])([1-9][0-9]?)")
_LIKE_AN_EFFECT = re.compile(r"([x×*+]?)([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class _Calls(Option):
    def problem(self, value: Any) -> str | None:
        if not isinstance(value, tuple | list):
            return (
                'must be a list of effects by number of calls, like ["x2"] or ["+1", "x2"], [] for none,'
                f" not {shown(value)}"
            )
        if len(value) > MOST_EFFECTS:
            return f"must be a list of at most {MOST_EFFECTS} effects, the last one repeats; not {len(value)}"
        wrong = [
            f"effect {place} is {shown(effect)}"
            for place, effect in enumerate(value, start=1)
            if not (isinstance(effect, str) and _EFFECT.fullmatch(effect))
        ]
        return (
            f"must be a list of effects from x1 to x99 or +1 to +99, but {', '.join(wrong)}"
            if wrong
            else None
        )

    def nearest(self, value: Any) -> Any:
        effects = value if isinstance(value, tuple | list) else [value]
        meant = [_nearest_effect(effect) for effect in effects[:MOST_EFFECTS]]
        return None if None in meant else meant

    def meaning(self, value: Any) -> Message:
        if not value:
            return Message("rule-nothing")
        effects = [
            Message(
                "rule-effect-times" if effect[0] == "x" else "rule-effect-plus", {"number": int(effect[1:])}
            )
            for effect in value
        ]
        if len(effects) == 1:
            return Message("rule-calls-always", {"effect": effects[0]})
        each = (
            Message("rule-calls-one", {"count": count, "effect": effect})
            for count, effect in enumerate(effects, start=1)
        )
        return Message("rule-calls-each", {"effects": tuple(each)})

    def choices(self) -> Iterator[tuple[str, Message]]:
        for value in ((), ("x2",), ("+1", "x2")):
            yield written(value), self.meaning(value)


def _nearest_effect(effect: Any) -> str | None:
    """Return the effect that something like one stands for: 2, "2", "X2" or "*2" for "x2"."""
    like = _LIKE_AN_EFFECT.fullmatch(_plain(effect)) if isinstance(effect, str | int) else None
    if like is None:
        return None
    return f"{'+' if like[1] == '+' else 'x'}{min(max(int(like[2]), 1), 99)}"


_YES_NO = {"yes": "true", "on": "true", "1": "true", "no": "false", "off": "false", "0": "false"}


def _plain(value: Any) -> str:
    """Return a value as text, without what people write differently: capitals, spaces, hyphens."""
    return str(value).strip().lower().replace("-", "_").replace(" ", "_")


def _number(value: Any) -> int | None:
    """Return the whole number nearest to a number, or to a text that is one; None for all else."""
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,9}", value.strip()):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return round(value)


def written(value: Any) -> str:
    """Return a value as a player writes it."""
    if isinstance(value, tuple | list):
        return json.dumps(list(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def points(default: int, section: str, code: str, source: str) -> Any:
    """Make a field that holds points; 0 switches the thing off."""
    labels: dict[str | int, Message] = {0: Message("rule-not-played")}
    return field(default=default, metadata={"option": _Whole(section, code, source, labels=labels)})


def whole(
    default: int,
    section: str,
    code: str,
    source: str,
    labeled: Sequence[str | int],
    unit: Unit = "points",
    high: int = 1000,
    low: int = 0,
) -> Any:
    """Make a field that holds a whole number from `low` to `high`, or one of the words in `labeled`.

    The values in `labeled` have labels of their own in the catalogs.
    """
    labels = {value: Message(f"{code}-{written(value).replace('_', '-')}") for value in labeled}
    return field(default=default, metadata={"option": _Whole(section, code, source, low, high, labels, unit)})


def choice(default: Any, section: str, code: str, source: str, values: Sequence[Any]) -> Any:
    """Make a field that holds one of the values."""
    return field(default=default, metadata={"option": _Choice(section, code, source, tuple(values))})


def flag(default: bool, section: str, code: str, source: str) -> Any:
    """Make a field that holds true or false."""
    return choice(default, section, code, source, (True, False))


def calls(default: tuple[str, ...], section: str, code: str, source: str) -> Any:
    """Make a field that holds what koi-koi calls do, by their number."""
    return field(default=default, metadata={"option": _Calls(section, code, source)})


@cache
def options_of(record: type) -> Mapping[str, Option]:
    """Return the options of a record class by key, in the order of its fields."""
    return {each.name: each.metadata["option"] for each in fields(record) if "option" in each.metadata}
