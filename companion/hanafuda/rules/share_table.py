"""The bit encoding of share codes, game by game: permanent tables to which lines may only be added.

A code must stay readable for years, even if the order of options, the defaults or the presets change. So a code does
not depend on them: an option is the number of its line here, a choice is the index of its value in that line, and an
option that a code omits has the value that its line calls absent.

**Never change, move or remove a line.** A new option is a new line at the end of its game's table, with its default as
the absent value, so that old codes keep their meaning. A new value of an existing option, or a number too large for its
line, needs a new line for the same option with the additional values. A base is a record that codes start from, so that
a preset's code is short; bases are never changed either, even if the preset changes, only added at the end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Bits", "Choice", "Effects", "Number", "OptionEncoding", "ShareTable", "UndefinedBitsError"]


class UndefinedBitsError(ValueError):
    """Raised for bits that the tables do not define: a newer version wrote them."""


class Bits:
    """A reader of the bits of a code, from the front."""

    def __init__(self, bits: str) -> None:
        self._rest = bits

    def at_end(self) -> bool:
        """Return whether only the zeros that fill the last character are left."""
        return "1" not in self._rest

    def take(self, count: int) -> int:
        """Return the next `count` bits as a number; raise `UndefinedBitsError` if there are fewer."""
        if count > len(self._rest):
            raise UndefinedBitsError("the code ends in the middle of a value")
        taken, self._rest = self._rest[:count], self._rest[count:]
        return int(taken or "0", 2)

    def take_gamma(self) -> int:
        """Return the next number of 1 or more in Elias gamma code: as many zeros as bits follow the first 1."""
        zeros = len(self._rest) - len(self._rest.lstrip("0"))
        self.take(zeros)
        return self.take(zeros + 1)


@dataclass(frozen=True, slots=True)
class OptionEncoding(ABC):
    """The encoding of one option's value; `absent` is the value if a code omits the option."""

    key: str
    absent: Any

    @abstractmethod
    def write(self, value: Any) -> str | None:
        """Return the bits of a value, or None if this line cannot encode it."""

    @abstractmethod
    def read(self, bits: Bits) -> Any:
        """Read a value from the front of the bits."""


@dataclass(frozen=True, slots=True)
class Number(OptionEncoding):
    """A whole number from 0 to 2 ** `bits` - 1."""

    bits: int

    def write(self, value: Any) -> str | None:
        """Return the bits of a number, or None if this line cannot encode it."""
        fits = type(value) is int and 0 <= value < 1 << self.bits
        return f"{value:0{self.bits}b}" if fits else None

    def read(self, bits: Bits) -> int:
        """Read a number from the front of the bits."""
        return bits.take(self.bits)


@dataclass(frozen=True, slots=True)
class Choice(OptionEncoding):
    """One of the given values, encoded by its index."""

    values: tuple[Any, ...]

    def write(self, value: Any) -> str | None:
        """Return the bits of a value, or None if this line cannot encode it."""
        for index, known in enumerate(self.values):
            if type(value) is type(known) and value == known:  # True is not 1
                return f"{index:0{self._width}b}" if self._width else ""
        return None

    def read(self, bits: Bits) -> Any:
        """Read a value from the front of the bits."""
        index = bits.take(self._width)
        if index >= len(self.values):
            raise UndefinedBitsError(f"{self.key} has a value that this version does not know")
        return self.values[index]

    @property
    def _width(self) -> int:
        return (len(self.values) - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Effects(OptionEncoding):
    """A list of up to 15 effects from +1 to +99 and x1 to x99: its length, and each effect's type and size."""

    def write(self, value: Any) -> str | None:
        """Return the bits of a list of effects, or None if this line cannot encode it."""
        if len(value) > 15 or any(int(effect[1:]) > 99 for effect in value):
            return None
        return f"{len(value):04b}" + "".join(f"{effect[0] == 'x':b}{int(effect[1:]):07b}" for effect in value)

    def read(self, bits: Bits) -> tuple[str, ...]:
        """Read a list of effects from the front of the bits."""
        return tuple(f"{'x' if bits.take(1) else '+'}{bits.take(7)}" for _ in range(bits.take(4)))


@dataclass(frozen=True, slots=True)
class ShareTable:
    """The table of one game."""

    letter: str
    """The first character of the game's codes, the same letter as in the rulings."""
    lines: tuple[OptionEncoding, ...]
    """The number of a line is its index."""
    bases: tuple[Mapping[str, Any], ...]
    """Records that a code can start from, as differences from the absent values; the first has none."""
