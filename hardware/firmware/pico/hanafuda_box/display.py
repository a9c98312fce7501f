"""A SerLCD or OpenLCD: text as it is, ``7C 2D`` clears, ``FE 80+address`` puts the cursor, a pipe is written twice."""

from .wired import Port

BAUD = 9600
#: What waits for the display at most, bytes: half a second of its line.
_WAITING = 512
#: After power it shows its own name for so long and may miss what it is told, ms.
_WAKES_MS = 1000
_PIECE = 32


class SerLcd:
    """The display. It says nothing: nobody knows whether it is there."""

    def __init__(self, port: Port, columns: int, rows: int) -> None:
        port.open(BAUD)
        self._port = port
        self.columns, self.rows = columns, rows
        # Rows 3 and 4 continue rows 1 and 2 in the controller's memory.
        self._starts = (0x00, 0x40, columns, 0x40 + columns)
        self._waiting = b""
        self.clear()

    def clear(self) -> bool:
        """Blank it; False while too much waits."""
        return self._queue(b"\x7c\x2d")

    def put(self, row: int, column: int, cells: bytes | bytearray) -> bool:
        """Write cells at a place that there is, up to the row's end; False while too much waits."""
        text = bytearray((0xFE, 0x80 + self._starts[row] + column))
        for byte in cells[: self.columns - column]:
            if byte == 0x7C:
                text.append(byte)
            text.append(0x3F if byte == 0xFE else byte)  # that would be a command
        return self._queue(bytes(text))

    def step(self, now: int) -> None:
        """Write a little of what waits."""
        if self._waiting and now >= _WAKES_MS:
            self._waiting = self._waiting[self._port.write(self._waiting[:_PIECE]) :]

    def _queue(self, data: bytes) -> bool:
        if len(self._waiting) + len(data) > _WAITING:
            return False
        self._waiting += data
        return True
