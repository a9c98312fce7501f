"""What the bits of a share code mean, game by game: permanent tables that are only ever added to.

A code must still read years later, whatever became of the order of options, of defaults and of presets. So
nothing of those is in it: an option is the number of its line here, a choice the place of its value in that
line, and an option that a code leaves out has the value that its line calls absent.

**Never change, move or remove a line.** A new option is a new line at the end of its game's table, with its
default as the absent value: then old codes mean what they meant. A new value of an old option, or a number
too large for its line, is a new line for the same option that holds the further values. A base is a record
that codes start from, so that a preset's code is short; bases are never changed either, whatever becomes of
the preset, only added at the end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["BeyondError", "Bits", "Choice", "Effects", "Line", "Number", "ShareTable"]


class BeyondError(ValueError):
    """Raised where bits stand for nothing that the tables hold: a newer version wrote them."""


class Bits:
    """The bits of a code, read from the front."""

    def __init__(self, bits: str) -> None:
        self._rest = bits

    def at_end(self) -> bool:
        """Whether nothing is left but the zeros that fill the last character."""
        return "1" not in self._rest

    def take(self, count: int) -> int:
        """Return the number in the next bits; `BeyondError` where there are fewer."""
        if count > len(self._rest):
            raise BeyondError("the code ends in the middle of a value")
        taken, self._rest = self._rest[:count], self._rest[count:]
        return int(taken or "0", 2)

    def take_gamma(self) -> int:
        """Return the next number of 1 or more, in Elias' gamma code: as many zeros as bits follow its first 1."""
        zeros = len(self._rest) - len(self._rest.lstrip("0"))
        self.take(zeros)
        return self.take(zeros + 1)


@dataclass(frozen=True, slots=True)
class Line(ABC):
    """How one option's value is written; `absent` is the value where a code says nothing of it."""

    key: str
    absent: Any

    @abstractmethod
    def write(self, value: Any) -> str | None:
        """Return the bits of a value, or None for one that this line does not hold."""

    @abstractmethod
    def read(self, bits: Bits) -> Any:
        """Take a value from the front of the bits."""


@dataclass(frozen=True, slots=True)
class Number(Line):
    """A whole number from 0 to 2 ** `bits` - 1."""

    bits: int

    def write(self, value: Any) -> str | None:
        """Return the bits of a number, or None for one that this line does not hold."""
        holds = type(value) is int and 0 <= value < 1 << self.bits
        return f"{value:0{self.bits}b}" if holds else None

    def read(self, bits: Bits) -> int:
        """Take a number from the front of the bits."""
        return bits.take(self.bits)


@dataclass(frozen=True, slots=True)
class Choice(Line):
    """One of the values named, by its place."""

    values: tuple[Any, ...]

    def write(self, value: Any) -> str | None:
        """Return the bits of a value, or None for one that this line does not hold."""
        for place, known in enumerate(self.values):
            if type(value) is type(known) and value == known:  # True is not 1
                return f"{place:0{self._width}b}" if self._width else ""
        return None

    def read(self, bits: Bits) -> Any:
        """Take a value from the front of the bits."""
        place = bits.take(self._width)
        if place >= len(self.values):
            raise BeyondError(f"{self.key} has a value that this version does not know")
        return self.values[place]

    @property
    def _width(self) -> int:
        return (len(self.values) - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Effects(Line):
    """A list of up to 15 effects from +1 to +99 and x1 to x99: their number, and for each its kind and size."""

    def write(self, value: Any) -> str | None:
        """Return the bits of a list of effects, or None for one that this line does not hold."""
        if len(value) > 15 or any(int(effect[1:]) > 99 for effect in value):
            return None
        return f"{len(value):04b}" + "".join(f"{effect[0] == 'x':b}{int(effect[1:]):07b}" for effect in value)

    def read(self, bits: Bits) -> tuple[str, ...]:
        """Take a list of effects from the front of the bits."""
        return tuple(f"{'x' if bits.take(1) else '+'}{bits.take(7)}" for _ in range(bits.take(4)))


@dataclass(frozen=True, slots=True)
class ShareTable:
    """The table of one game."""

    letter: str
    """The first character of the game's codes: the rulings' letter for the game."""
    lines: tuple[Line, ...]
    """The number of a line is its place."""
    bases: tuple[Mapping[str, Any], ...]
    """Records that a code can start from, as what differs from the absent values; the first differs in nothing."""
