"""The options of a rules record: the values each can take, and what each value means to a player.

A record is a frozen dataclass; each field is made by `points`, `whole`, `choice`, `flag` or `calls`, which store the
option's source and checks in the field's metadata. `options_of` reads them; it derives the text code from the field's name.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

from ..errors import nearest, quote
from ..messages import Message, Param, any_of

__all__ = [
    "MAX_EFFECTS",
    "Option",
    "calls",
    "choice",
    "flag",
    "options_of",
    "points",
    "section_texts",
    "whole",
    "written",
]


Unit: TypeAlias = Literal["points", "shares", "stones", "rounds", "yaku", "percent", "times"]
"""The unit of a whole number; `rule-unit-…` in the catalogs."""


@dataclass(frozen=True, slots=True)
class Option:
    """A named point on which tables differ; subclasses define the possible values."""

    section: str
    code: str
    """The message code of the option's description; the code of a value appends the value."""
    source: str
    """Who plays each value, such as ``stop: Nintendo; free: FudaWiki``; this program if no source says it."""

    @property
    def text(self) -> Message:
        """The description of the option."""
        return Message(self.code)

    def problem(self, key: str, value: Any) -> Message | None:
        """Return what the option must be, what it is, and what it most likely means; None for a valid value."""
        if self.is_valid(value):
            return None
        near = self.nearest(value)
        values = {"key": key, "values": any_of(self.valid_values()), "value": quote(value)}
        hint = "" if near is None else Message("hint-did-you-mean", {"names": written(near)})
        return Message("problem-rule-value", {**values, "hint": hint})

    def is_valid(self, value: Any) -> bool:
        """Return whether the option can have a value."""
        raise NotImplementedError

    def valid_values(self) -> Sequence[Param]:
        """Return a description of the valid values, alternatives one by one."""
        raise NotImplementedError

    def nearest(self, value: Any) -> Any:
        """Return the valid value that an invalid one most likely means; None if none is similar."""
        raise NotImplementedError

    def meaning(self, value: Any) -> Message:
        """Return the meaning of a value as text for players."""
        raise NotImplementedError

    def choices(self) -> Iterator[tuple[str, Message]]:
        """Yield the valid values as a player writes them, each with its meaning."""
        raise NotImplementedError

    def form(self) -> dict[str, Any]:
        """Return how a page asks for a value, as JSON.

        ``type`` is ``flag``, ``choice``, ``number`` or ``calls``, and ``values`` are the values with a meaning of their
        own. A number has its limits ``low`` and ``high`` and its ``unit``, a list of calls its maximum length ``max``.
        """
        raise NotImplementedError

    def _values_json(self, values: Iterable[Any]) -> list[dict[str, Any]]:
        return [{"value": value, "meaning": self.meaning(value).to_dict()} for value in values]


@dataclass(frozen=True, slots=True)
class _WholeOption(Option):
    low: int = 0
    high: int = 1000
    labels: Mapping[str | int, Message] = field(default_factory=dict)
    """Values with a meaning of their own."""
    unit: Unit = "points"

    def is_valid(self, value: Any) -> bool:
        if isinstance(value, str):
            return value in self._word_values()
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def valid_values(self) -> Sequence[Param]:
        number = Message("option-number", {"low": str(self.low), "high": str(self.high)})
        return (number, *map(repr, self._word_values()))

    def nearest(self, value: Any) -> Any:
        if (number := _number(value)) is not None:
            return min(max(number, self.low), self.high)
        return next(iter(nearest(_normalized(value), self._word_values())), None)

    def _word_values(self) -> list[str]:
        """Return the values that are words."""
        return [word for word in self.labels if isinstance(word, str)]

    def meaning(self, value: Any) -> Message:
        return self.labels.get(value) or Message(f"rule-unit-{self.unit}", {"count": value})

    def choices(self) -> Iterator[tuple[str, Message]]:
        low = self.low
        for value, label in self.labels.items():
            yield str(value), label
            low += value == low
        yield f"{low}–{self.high}", Message(f"unit-{self.unit}")

    def form(self) -> dict[str, Any]:
        unit = Message(f"unit-{self.unit}").to_dict()
        values = self._values_json(self.labels)
        return {"type": "number", "low": self.low, "high": self.high, "unit": unit, "values": values}


@dataclass(frozen=True, slots=True)
class _ChoiceOption(Option):
    values: tuple[Any, ...]

    def is_valid(self, value: Any) -> bool:
        # A bool equals 0 or 1 in Python, so compare the types too.
        return any(type(value) is type(known) and value == known for known in self.values)

    def valid_values(self) -> Sequence[Param]:
        return [*map(written, self.values)]

    def nearest(self, value: Any) -> Any:
        if not isinstance(value, str | int | float):
            return None
        known = {written(each): each for each in self.values}
        word = _normalized(value)
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
        return _value_message(self.code, value)

    def choices(self) -> Iterator[tuple[str, Message]]:
        for value in self.values:
            yield written(value), self.meaning(value)

    def form(self) -> dict[str, Any]:
        kind = "flag" if isinstance(self.values[0], bool) else "choice"
        return {"type": kind, "values": self._values_json(self.values)}


MAX_EFFECTS = 10
"""The maximum length of a list of effects: no hand has more than ten cards, and the last effect repeats."""

_EFFECT = re.compile(r"([x+])([1-9][0-9]?)")
_LOOSE_EFFECT = re.compile(r"([x×*+]?)([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class _CallsOption(Option):
    def is_valid(self, value: Any) -> bool:
        return (
            isinstance(value, tuple | list)
            and len(value) <= MAX_EFFECTS
            and all(isinstance(effect, str) and _EFFECT.fullmatch(effect) for effect in value)
        )

    def valid_values(self) -> Sequence[Param]:
        return (Message("option-calls", {"max": MAX_EFFECTS}),)

    def nearest(self, value: Any) -> Any:
        effects = value if isinstance(value, tuple | list) else [value]
        nearest = [_nearest_effect(effect) for effect in effects[:MAX_EFFECTS]]
        return None if None in nearest else nearest

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

    def form(self) -> dict[str, Any]:
        return {"type": "calls", "max": MAX_EFFECTS, "values": []}


def _nearest_effect(effect: Any) -> str | None:
    """Return the effect that a similar value means: 2, "2", "X2" or "*2" mean "x2"."""
    match = _LOOSE_EFFECT.fullmatch(_normalized(effect)) if isinstance(effect, str | int) else None
    if match is None:
        return None
    return f"{'+' if match[1] == '+' else 'x'}{min(max(int(match[2]), 1), 99)}"


_YES_NO = {"yes": "true", "on": "true", "1": "true", "no": "false", "off": "false", "0": "false"}


def _normalized(value: Any) -> str:
    """Return a value as text with capitals, spaces and hyphens normalized."""
    return str(value).strip().lower().replace("-", "_").replace(" ", "_")


def _number(value: Any) -> int | None:
    """Return a number, or a text that is one, rounded to a whole number; None for anything else."""
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


_SHARED_TEXTS = {
    **{"redeal": "redeal", "play_on": "play-on", "stays": "stays", "passes": "passes", "nothing": "nothing"},
    **{
        "stack": "stack",
        "stack_extra": "stack-extra",
        "best_extra": "best-extra",
        "off": "not-played",
        "on": "yes",
    },
}
"""Values that mean the same in every option that has them, each with the end of its text's code."""


def _value_message(code: str, value: Any) -> Message:
    if isinstance(value, int):
        return Message("text", {"en": str(value)})
    shared = _SHARED_TEXTS.get(value)
    return Message(f"rule-{shared}" if shared else f"{code}-{value.replace('_', '-')}")


def section_texts(*sections: str) -> dict[str, Message]:
    """Return the texts of the sections of a game's options, by section."""
    return {section: Message(f"rule-section-{section}") for section in sections}


def _option(default: Any, make: Callable[[str, Any], Option]) -> Any:
    """Make a field; ``make`` returns its option from the code of its text and its type."""
    return field(default=default, metadata={"option": make})


def points(default: int, section: str, source: str) -> Any:
    """Make a field for points; 0 disables what they are for."""
    labels: dict[str | int, Message] = {0: Message("rule-not-played")}
    return _option(default, lambda code, _: _WholeOption(section, code, source, labels=labels))


def whole(
    default: int,
    section: str,
    source: str,
    labeled: Mapping[str | int, str],
    unit: Unit = "points",
    high: int = 1000,
    low: int = 0,
) -> Any:
    """Make a field for a whole number from `low` to `high`, or one of the words in `labeled`.

    The values in `labeled` have texts of their own; the codes of these are given without ``rule-``.
    """
    labels = {value: Message(f"rule-{text}") for value, text in labeled.items()}
    return _option(default, lambda code, _: _WholeOption(section, code, source, low, high, labels, unit))


def choice(default: Any, section: str, source: str) -> Any:
    """Make a field for one of the values of its `Literal` type."""
    return _option(default, lambda code, hint: _ChoiceOption(section, code, source, get_args(hint)))


def flag(default: bool, section: str, source: str) -> Any:
    """Make a field for true or false."""
    return _option(default, lambda code, _: _ChoiceOption(section, code, source, (True, False)))


def calls(default: tuple[str, ...], section: str, source: str) -> Any:
    """Make a field for the effects of koi-koi calls, by their number."""
    return _option(default, lambda code, _: _CallsOption(section, code, source))


@cache
def options_of(record: type[Any]) -> Mapping[str, Option]:
    """Return the options of a record class by key, in the order of its fields."""
    prefix, hints = record.text_prefix or f"rule-{record.game}", get_type_hints(record)
    return {
        each.name: each.metadata["option"](f"{prefix}-{each.name.replace('_', '-')}", hints[each.name])
        for each in fields(record)
        if "option" in each.metadata
    }
