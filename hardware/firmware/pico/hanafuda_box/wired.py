"""What is wired to a board, as the firmware sees it: `board.py` is it on the Pico; the tests have another."""


class Port:
    """A serial port of the board, for a reader or a display. Nothing here ever waits."""

    def open(self, baud: int) -> None:
        """Begin to listen, at so many baud, 8N1."""
        raise NotImplementedError

    def read(self) -> bytes:
        """Return what came since the last time; nothing, if nothing did."""
        raise NotImplementedError

    def write(self, data: bytes) -> int:
        """Write the beginning of it that fits now, and return how many bytes those are."""
        raise NotImplementedError


class Wiring:
    """Keys, lights, two serial ports, and the host. Nothing but `rest` ever waits."""

    keys: int
    """How many keys there are."""
    lights: int
    """How many lights there are."""
    reader: Port
    display: Port
    name: str
    """The board's own number."""
    boot: int
    """Drawn anew at each start: 0 to 65535."""

    def service(self) -> bool:
        """Tell, once and before anything else, whether the box shall stay off, so that its files can be changed."""
        raise NotImplementedError

    def arm(self) -> None:
        """Begin to run for good: from now on nothing that the host writes stops the program, and one that hangs is restarted."""
        raise NotImplementedError

    def now(self) -> int:
        """Return the time since the start, ms; it never begins anew."""
        raise NotImplementedError

    def key(self, number: int) -> bool:
        """Return whether a key's contact is closed at this moment; from 0."""
        raise NotImplementedError

    def light(self, number: int, on: bool) -> None:
        """Switch a light; from 0."""
        raise NotImplementedError

    def own_light(self, on: bool) -> None:
        """Switch the board's own light."""
        raise NotImplementedError

    def read(self) -> bytes:
        """Return something of what the host wrote; nothing, if there is nothing."""
        raise NotImplementedError

    def write(self, data: bytes) -> int:
        """Write the beginning of it that the host takes now, and return how many bytes those are."""
        raise NotImplementedError

    def rest(self) -> None:
        """Let a millisecond pass; called after every step of the box."""
        raise NotImplementedError

    def restart(self) -> None:
        """Start anew: there was a fault."""
        raise NotImplementedError
