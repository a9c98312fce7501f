"""A rules record: one table's house rules for one game, immutable and hashable, every option valid.

Each game has a subclass whose fields are made by `companion.hanafuda.rules.options`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from ..errors import BadRequestError
from ..messages import Message, joined
from .options import Option, options_of

__all__ = ["BadRuleValueError", "BadValue", "Contradiction", "Rules"]


@dataclass(frozen=True, slots=True)
class BadValue:
    """An invalid value of an option, and the valid one that it most likely means, if any."""

    key: str
    message: Message
    nearest: Any


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Values of several options that exclude each other, with the reason for people."""

    keys: tuple[str, ...]
    message: Message


class BadRuleValueError(BadRequestError):
    """Raised for a rules record with invalid values; the message names all of them.

    `values` are the values that are invalid on their own; if there are none, `contradictions` says which ones exclude
    each other.
    """

    code = "bad-rule-value"

    def __init__(self, values: Sequence[BadValue], contradictions: Sequence[Contradiction] = ()) -> None:
        self.values = tuple(values)
        self.contradictions = tuple(contradictions)
        super().__init__(joined([each.message for each in values or contradictions]))


@dataclass(frozen=True)
class Rules:
    """The base class of all games' rules records.

    `name` is the name of the record in `companion.hanafuda.rules.resolve`, and `preset` the preset it was made from;
    they are ignored in comparisons and in `hash`.
    """

    game: ClassVar[str]
    """The slug of the game in requests and round records."""
    title: ClassVar[Message]
    """The name of the game for players."""
    sections: ClassVar[Mapping[str, Message]]
    """The sections of the options in display order."""
    presets: ClassVar[Mapping[str, tuple[Message, Mapping[str, Any]]]]
    """The presets of the game: a description, and the differences from the defaults. The first has none."""

    endless: ClassVar[Mapping[str, Any]] = {}
    """The values with which, all together, a game would never end."""
    text_prefix: ClassVar[str | None] = None
    """What precedes an option's name in the code of its text; None for ``rule-`` and the slug."""
    hash_name: ClassVar[str | None] = None
    """The name of the game that goes into `hash`; None for its slug. Permanent, because hashes are stored."""

    name: str = field(default="house rules", compare=False, kw_only=True)
    preset: str = field(default="", compare=False, kw_only=True)

    def __post_init__(self) -> None:
        """Convert lists to tuples, and raise `BadRuleValueError` for invalid values."""
        if not self.preset:
            object.__setattr__(self, "preset", self.standard())
        bad = []
        for key, option in self.options().items():
            value = getattr(self, key)
            if problem := option.problem(key, value):
                bad.append(BadValue(key, problem, option.nearest(value)))
            elif isinstance(value, list):
                object.__setattr__(self, key, tuple(value))
        if bad:
            raise BadRuleValueError(bad)
        if contradictions := self.contradictions():
            raise BadRuleValueError((), contradictions)

    @classmethod
    def options(cls) -> Mapping[str, Option]:
        """Return the game's options by key, in display order."""
        return options_of(cls)  # type: ignore[arg-type]  # mypy considers the class unhashable

    @classmethod
    def standard(cls) -> str:
        """Return the name of the preset with the defaults."""
        return next(iter(cls.presets))

    @property
    def sentence(self) -> Message | None:
        """The description of the preset; None for a record that is not a preset."""
        return self.presets[self.name][0] if self.name in self.presets else None

    def contradictions(self) -> list[Contradiction]:
        """Return the contradictions between values that are valid on their own: a game must have an end."""
        if not self.endless or any(getattr(self, key) != value for key, value in self.endless.items()):
            return []
        texts = tuple(self.options()[key].text for key in self.endless)
        return [Contradiction(tuple(self.endless), Message("rules-endless", {"options": texts}))]

    def to_dict(self) -> dict[str, Any]:
        """Return every option's value, as JSON."""
        values = {key: getattr(self, key) for key in self.options()}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    def request(self) -> dict[str, Any]:
        """Return the record as a request's ``rules``: its preset, and the options that differ from it."""
        preset = type(self)(**self.presets[self.preset][1])
        return {"preset": self.preset, **self.changes(preset)}

    def changes(self, other: Rules) -> dict[str, Any]:
        """Return the values that differ from another record, as JSON."""
        theirs = other.to_dict()
        return {key: value for key, value in self.to_dict().items() if value != theirs[key]}

    def describe(self) -> list[dict[str, Any]]:
        """Return every option with its value, texts and source, as JSON."""
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
        """Twelve hexadecimal digits that identify the values.

        Only differences from the defaults are hashed, so a record keeps its hash when a later version adds an option.
        """
        text = json.dumps(self.changes(type(self)()), sort_keys=True, separators=(",", ":"))
        game = self.game if self.hash_name is None else self.hash_name
        return hashlib.sha256(f"{game}{text}".encode()).hexdigest()[:12]
