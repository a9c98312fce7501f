"""A character display's cells: what they should show and what they do show; only differences are written, not too often."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hardware.displays.kana import Font
from hardware.driver import Command, DeviceEvent, Draw, Driver

__all__ = ["Run", "Screen", "TextDisplay"]

#: At most ten writes a second (devices.md): the displays' own controllers are slow.
_BETWEEN_S: Final = 0.1
#: Putting the cursor elsewhere costs about as many bytes as writing so many cells that have not changed.
_GAP: Final = 3


@dataclass(frozen=True, slots=True)
class Run:
    """Cells of one row that change together; row and column from 0."""

    row: int
    column: int
    text: str


class Screen:
    """The cells of one display."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._wanted = [" " * columns] * rows
        self._shown: list[str | None] = [None] * rows
        self._next = 0.0

    def want(self, rows: Iterable[str]) -> None:
        """Take what is to be shown; what is beyond the display is cut, what is missing is blank."""
        told = [row[: self.columns].ljust(self.columns) for row in rows][: self.rows]
        self._wanted = told + [" " * self.columns] * (self.rows - len(told))

    def cleared(self, now: float) -> None:
        """Take note that the display was cleared just now: it is redrawn whole."""
        self._shown = [" " * self.columns] * self.rows
        self._next = now + _BETWEEN_S

    def due(self, now: float) -> list[Run]:
        """Return what has changed, or nothing while it is too soon; the display is taken to show it then."""
        if now < self._next or self._wanted == self._shown:
            return []
        self._next = now + _BETWEEN_S
        runs = [
            run
            for row, (shown, wanted) in enumerate(zip(self._shown, self._wanted, strict=True))
            for run in _runs(row, shown, wanted)
        ]
        self._shown = list(self._wanted)
        return runs


def _runs(row: int, shown: str | None, wanted: str) -> Iterable[Run]:
    start = end = -1
    for at, char in enumerate(wanted):
        if shown is not None and shown[at] == char:
            continue
        if start >= 0 and at - end > _GAP:
            yield Run(row, start, wanted[start:end])
            start = -1
        start, end = at if start < 0 else start, at + 1
    if start >= 0:
        yield Run(row, start, wanted[start:end])


class TextDisplay(Driver, ABC):
    """A driver that shows rows of text. Its `hello` must clear the display and call `Screen.cleared`."""

    def __init__(self, columns: int, rows: int, font: Font = "ascii") -> None:
        super().__init__()
        self.font: Font = font
        self.screen = Screen(columns, rows)

    @abstractmethod
    def write(self, run: Run) -> bytes:
        """Return the bytes that show a run in its place."""

    def send(self, command: Command, now: float) -> bytes:
        """Show new rows, at once if it is not too soon."""
        if isinstance(command, Draw):
            self.screen.want(command.rows)
            return self._due(now)
        return b""

    def tick(self, now: float) -> list[DeviceEvent]:
        """Show what it was too soon for."""
        self._owed += self._due(now)
        return []

    def _due(self, now: float) -> bytes:
        return b"".join(self.write(run) for run in self.screen.due(now))
