"""A rules record: one table's house rules for one game, frozen, hashable, every option valid.

Each game has a subclass whose fields are made by `companion.hanafuda.rules.options`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.hanafuda.rules.options import Option, options_of, written

__all__ = ["BadRuleValueError", "BadValue", "Rules"]


@dataclass(frozen=True, slots=True)
class BadValue:
    """A value that an option cannot take, and the possible one that it most likely stands for, if any."""

    key: str
    problem: str
    nearest: Any

    def __str__(self) -> str:
        hint = "" if self.nearest is None else f" (did you mean {written(self.nearest)}?)"
        return f"{self.key} {self.problem}{hint}"


class BadRuleValueError(BadRequestError):
    """Raised where a rules record holds values that no table can play by; names them all.

    `values` are those that are impossible by themselves; where there are none, the values contradict each other.
    """

    code: ClassVar[str] = "bad-rule-value"

    def __init__(self, values: Sequence[BadValue], contradictions: Sequence[str] = ()) -> None:
        self.values = tuple(values)
        super().__init__("; ".join([*map(str, values), *contradictions]))


@dataclass(frozen=True)
class Rules:
    """What the records of all games share.

    `name` is what `companion.hanafuda.rules.resolve` calls the record and `preset` what it was made from; they take no
    part in comparison, nor in `hash`.
    """

    game: ClassVar[str]
    """The slug of the game, as requests and round records name it."""
    title: ClassVar[Message]
    """What people call the game."""
    sections: ClassVar[Mapping[str, Message]]
    """The parts of a record in the order a player reads them."""
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]]
    """The named records of the game: a sentence, and what differs from the defaults. The first is the defaults."""

    hash_name: ClassVar[str | None] = None
    """What `hash` counts as the game; None is its slug. Permanent: hashes are stored."""

    name: str = field(default="house rules", compare=False, kw_only=True)
    preset: str = field(default="", compare=False, kw_only=True)

    def __post_init__(self) -> None:
        """Turn lists into tuples and refuse what no table can play by."""
        if not self.preset:
            object.__setattr__(self, "preset", self.standard())
        bad = []
        for key, option in self.options().items():
            value = getattr(self, key)
            if problem := option.problem(value):
                bad.append(BadValue(key, problem, option.nearest(value)))
            elif isinstance(value, list):
                object.__setattr__(self, key, tuple(value))
        if bad:
            raise BadRuleValueError(bad)
        if contradictions := self.contradictions():
            raise BadRuleValueError((), contradictions)

    @classmethod
    def options(cls) -> Mapping[str, Option]:
        """Return the game's options by key, in the order a player reads them."""
        return options_of(cls)  # type: ignore[arg-type]  # mypy takes a class of unhashable things for one

    @classmethod
    def standard(cls) -> str:
        """Return the name of the preset that is the defaults."""
        return next(iter(cls.presets))

    @property
    def sentence(self) -> Message | None:
        """What a player reads about the preset of this name; None for a record that is not a preset."""
        return self.presets[self.name][0] if self.name in self.presets else None

    def contradictions(self) -> list[str]:
        """Return what is wrong with values that are each possible, but not together."""
        return []

    def to_dict(self) -> dict[str, Any]:
        """Return every option's value, as JSON has it."""
        values = {key: getattr(self, key) for key in self.options()}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    def changes(self, other: Rules) -> dict[str, Any]:
        """Return the values, as JSON has them, in which this record differs from another."""
        theirs = other.to_dict()
        return {key: value for key, value in self.to_dict().items() if value != theirs[key]}

    def describe(self) -> list[dict[str, Any]]:
        """Return every option with its value, its sentences and its source, as JSON has it."""
        defaults = type(self)().to_dict()
        values = self.to_dict()
        return [
            {
                "key": key,
                "section": option.section,
                "value": values[key],
                "default": defaults[key],
                "sentence": option.text.to_dict(),
                "meaning": option.meaning(values[key]).to_dict(),
                "source": option.source,
            }
            for key, option in self.options().items()
        ]

    @cached_property
    def hash(self) -> str:
        """Twelve hexadecimal digits that stand for the resolved values.

        Only what differs from the defaults goes in, so a record keeps its hash when a later version learns a
        new option.
        """
        text = json.dumps(self.changes(type(self)()), sort_keys=True, separators=(",", ":"))
        game = self.game if self.hash_name is None else self.hash_name
        return hashlib.sha256(f"{game}{text}".encode()).hexdigest()[:12]
