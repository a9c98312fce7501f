"""SerLCD or OpenLCD display: text is sent as it is, ``7C 2D`` clears, ``FE 80+address`` moves the cursor, a pipe is doubled."""

from .wired import Port

BAUD = 9600
#: Maximum number of bytes queued for the display: half a second at its baud rate.
_MAX_QUEUE = 512
#: Time after power-up in which it shows its own name and may miss commands, ms.
_STARTUP_MS = 1000
#: Maximum number of bytes that are written in one step.
_WRITE_SIZE = 32


class SerLcdDisplay:
    """The display. It sends nothing, so that its presence cannot be checked."""

    def __init__(self, port: Port, columns: int, rows: int) -> None:
        port.open(BAUD)
        self._port = port
        self.columns, self.rows = columns, rows
        # Rows 3 and 4 continue rows 1 and 2 in the controller's memory.
        self._row_addresses = (0x00, 0x40, columns, 0x40 + columns)
        self._pending = b""
        self.clear()

    def clear(self) -> bool:
        """Clear the display; return False if the queue is full."""
        return self._queue(b"\x7c\x2d")

    def put(self, row: int, column: int, cells: bytes | bytearray) -> bool:
        """Write cells at a valid position, up to the end of the row; return False if the queue is full."""
        text = bytearray((0xFE, 0x80 + self._row_addresses[row] + column))
        for byte in cells[: self.columns - column]:
            if byte == 0x7C:
                text.append(byte)
            text.append(0x3F if byte == 0xFE else byte)  # 0xFE would start a command
        return self._queue(bytes(text))

    def step(self, now: int) -> None:
        """Write a part of the queue."""
        if self._pending and now >= _STARTUP_MS:
            self._pending = self._pending[self._port.write(self._pending[:_WRITE_SIZE]) :]

    def _queue(self, data: bytes) -> bool:
        if len(self._pending) + len(data) > _MAX_QUEUE:
            return False
        self._pending += data
        return True
