"""The hardware interface of the firmware: implemented by `board.py` on the Pico, and by another class in the tests."""


class Port:
    """A serial port of the board, for a reader or a display. No method blocks."""

    def open(self, baud: int) -> None:
        """Open the port at ``baud``, 8N1."""
        raise NotImplementedError

    def read(self) -> bytes:
        """Return the bytes received since the last call, empty if there are none."""
        raise NotImplementedError

    def write(self, data: bytes) -> int:
        """Write as much of the beginning of ``data`` as fits now; return the number of bytes written."""
        raise NotImplementedError


class Wiring:
    """Keys, lights, two serial ports, and the connection to the host. Only `rest` and `service` may block, for milliseconds."""

    keys: int
    """Number of keys."""
    lights: int
    """Number of lights."""
    reader: Port
    display: Port
    name: str
    """The unique id of the board."""
    boot: int
    """A random number of this start, 0 to 65535."""

    def service(self) -> bool:
        """Return whether the box should stay off so that its files can be changed; called once, before anything else."""
        raise NotImplementedError

    def arm(self) -> None:
        """Start normal operation: from now on no input from the host can stop the program, and a watchdog restarts it if it hangs."""
        raise NotImplementedError

    def now(self) -> int:
        """Return the time since the start, ms; it never wraps around."""
        raise NotImplementedError

    def key(self, number: int) -> bool:
        """Return whether the contact of key ``number`` (from 0) is closed now."""
        raise NotImplementedError

    def light(self, number: int, on: bool) -> None:
        """Switch light ``number`` (from 0)."""
        raise NotImplementedError

    def own_light(self, on: bool) -> None:
        """Switch the board's own light."""
        raise NotImplementedError

    def read(self) -> bytes:
        """Return some of the bytes that the host has written, empty if there are none."""
        raise NotImplementedError

    def write(self, data: bytes) -> int:
        """Write as much of the beginning of ``data`` as the host takes now; return the number of bytes written."""
        raise NotImplementedError

    def rest(self) -> None:
        """Wait for a millisecond; called after every step of the box."""
        raise NotImplementedError

    def restart(self) -> None:
        """Restart the board after a fault."""
        raise NotImplementedError
