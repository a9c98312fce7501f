"""Updates of a character display: only changed cells are written, at a limited rate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hardware.displays.kana import Font
from hardware.driver import Command, DeviceDriver, DeviceEvent, ShowRows

#: Minimum interval of writes, s: display controllers are slow.
_MIN_INTERVAL_S: Final = 0.1
#: Maximum number of unchanged cells between two changes that are rewritten: moving the cursor would take as many bytes.
_GAP: Final = 3


@dataclass(frozen=True, slots=True)
class CellRun:
    """Cells of one row that change together; row and column from 0."""

    row: int
    column: int
    text: str


class ScreenBuffer:
    """The cells of one display."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._target = [" " * columns] * rows
        self._current: list[str | None] = [None] * rows
        self._next = 0.0

    def set_rows(self, rows: Iterable[str]) -> None:
        """Set the rows to show; longer ones are cut off, missing ones are blank."""
        padded = [row[: self.columns].ljust(self.columns) for row in rows][: self.rows]
        self._target = padded + [" " * self.columns] * (self.rows - len(padded))

    def cleared(self, now: float) -> None:
        """Record that the display was just cleared."""
        self._current = [" " * self.columns] * self.rows
        self._next = now + _MIN_INTERVAL_S

    def take_changes(self, now: float) -> list[CellRun]:
        """Return the changed cells and count them as written; empty while it is too soon."""
        if now < self._next or self._target == self._current:
            return []
        self._next = now + _MIN_INTERVAL_S
        runs = [
            run
            for row, (current, target) in enumerate(zip(self._current, self._target, strict=True))
            for run in _runs(row, current, target)
        ]
        self._current = list(self._target)
        return runs


def _runs(row: int, current: str | None, target: str) -> Iterable[CellRun]:
    start = end = -1
    for at, char in enumerate(target):
        if current is not None and current[at] == char:
            continue
        if start >= 0 and at - end > _GAP:
            yield CellRun(row, start, target[start:end])
            start = -1
        start, end = at if start < 0 else start, at + 1
    if start >= 0:
        yield CellRun(row, start, target[start:end])


class TextDisplay(DeviceDriver, ABC):
    """A driver that shows rows of text. Its `restart` must clear the display and call `ScreenBuffer.cleared`."""

    def __init__(self, columns: int, rows: int, font: Font = "ascii") -> None:
        super().__init__()
        self.font: Font = font
        self.screen = ScreenBuffer(columns, rows)

    @abstractmethod
    def write(self, run: CellRun) -> bytes:
        """Return the bytes that show a run at its position."""

    def send(self, command: Command, now: float) -> bytes:
        """Show new rows as soon as the update rate allows."""
        if isinstance(command, ShowRows):
            self.screen.set_rows(command.rows)
            return self._changed_cells(now)
        return b""

    def tick(self, now: float) -> list[DeviceEvent]:
        """Write pending changes."""
        self._output += self._changed_cells(now)
        return []

    def _changed_cells(self, now: float) -> bytes:
        return b"".join(self.write(run) for run in self.screen.take_changes(now))
