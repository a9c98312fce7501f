"""The configured devices, kept as a stored document, and the last report of the process that talks to them."""

from __future__ import annotations

import itertools
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from pydantic import ValidationError

from api.devices.device_schemas import DeviceConfig, DeviceReport, DevicesIn, PortDoc
from companion.hanafuda.errors import BadRequestError
from companion.readers.tag_pairings import tag_of
from companion.store import DocumentStore, LogReadError, LogWriteError

__all__ = ["SILENT_S", "Devices", "DevicesChangedError", "NoSuchDeviceError", "Scanned", "SeenScan"]

SILENT_S: Final = 5.0
"""A device process that told nothing for so long, s, is called not running."""

_DOCUMENT: Final = "devices.json"
_MOST_COMMANDS: Final = 64
_COMMAND_S: Final = 10.0
"""A trial that nobody fetched in so long, s, is forgotten: who pressed the button has gone."""
_MOST_SCANS: Final = 64
_CLAIM_S: Final = 3.0
"""Who pairs tags says so several times in so long, s."""


class DevicesChangedError(Exception):
    """Raised where somebody else changed the devices meanwhile; `revision` is the one now."""

    code: ClassVar[str] = "devices-changed"

    def __init__(self, revision: int) -> None:
        self.revision = revision
        super().__init__(
            "The devices were changed meanwhile, on another page or by another person: look at them again, then change them."
        )


class NoSuchDeviceError(Exception):
    """Raised for a device that is not there."""

    code: ClassVar[str] = "no-such-device"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no device called {name} here; /devices lists them.")


class Devices:
    """The devices of a data folder; safe to use from several threads."""

    def __init__(self, documents: DocumentStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._documents = documents
        self._clock = clock
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._commands: deque[tuple[float, dict[str, Any]]] = deque()
        self._told: dict[str, DeviceReport] = {}
        self._ports: tuple[PortDoc, ...] | None = None
        self._came: float | None = None
        self.boot = secrets.token_hex(4)
        """Drawn anew at each start: what the program knew of the tags that lie on readers is gone then."""
        self.problem: str | None = None
        """What was wrong with the file, for the person who looks."""
        self._revision, self._devices = self._read()

    # --- how they are set up

    @property
    def revision(self) -> int:
        """The number that each change raises."""
        return self._revision

    @property
    def all(self) -> tuple[DeviceConfig, ...]:
        """The devices in the order in which people put them."""
        return self._devices

    @property
    def wanted(self) -> bool:
        """Whether there is a device that is on, and so something for the device process to do."""
        return any(device.on for device in self._devices)

    def get(self, name: str) -> DeviceConfig:
        """Return a device by name; `NoSuchDeviceError`."""
        for device in self._devices:
            if device.name == name:
                return device
        raise NoSuchDeviceError(name)

    def put(self, devices: Sequence[DeviceConfig], *, expect: int) -> None:
        """Put other devices in the place of those there are.

        Raises `DevicesChangedError` where ``expect`` is not the revision now, `LogWriteError` where they cannot be kept.
        """
        with self._lock:
            if expect != self._revision:
                raise DevicesChangedError(self._revision)
            revision = self._revision + 1
            document = {"revision": revision, "devices": [each.model_dump() for each in devices]}
            text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
            self._documents.write(_DOCUMENT, text.encode())
            self._revision, self._devices, self.problem = revision, tuple(devices), None

    # --- how they are

    def report(self, devices: Sequence[DeviceReport], ports: Sequence[PortDoc]) -> list[dict[str, Any]]:
        """Take what the device process tells, and return the commands that wait: each is handed out once."""
        with self._lock:
            self._came = self._clock()
            self._told = {each.name: each for each in devices}
            self._ports = tuple(ports)
            self._forget_old()
            commands = [command for _, command in self._commands]
            self._commands.clear()
        return commands

    def queue(self, name: str, command: dict[str, Any]) -> int:
        """Let the device process have a command with its next report, and return its number."""
        self.get(name)
        with self._lock:
            self._forget_old()
            number = next(self._ids)
            self._commands.append((self._clock(), {"id": number, "device": name, "command": command}))
            while len(self._commands) > _MOST_COMMANDS:
                self._commands.popleft()
        return number

    @property
    def seen_s(self) -> float | None:
        """When the device process reported last, s ago; None: never."""
        return None if self._came is None else round(self._clock() - self._came, 1)

    @property
    def running(self) -> bool:
        """Whether the device process reported lately."""
        return self._came is not None and self._clock() - self._came <= SILENT_S

    @property
    def ports(self) -> tuple[PortDoc, ...] | None:
        """The ports that the device process sees; None while it does not run."""
        return self._ports if self.running else None

    def told(self, name: str) -> DeviceReport | None:
        """Return how a device is, its ages as of now; None where nobody has told."""
        with self._lock:
            report, came = self._told.get(name), self._came
        if report is None or came is None:
            return None
        status, since = report.status, self._clock() - came
        seen = status.last_seen_s
        older = {
            "for_s": round(status.for_s + since, 1),
            "last_seen_s": None if seen is None else round(seen + since, 1),
        }
        return report.model_copy(update={"status": status.model_copy(update=older)})

    # --- within the lock

    def _forget_old(self) -> None:
        while self._commands and self._commands[0][0] <= self._clock() - _COMMAND_S:
            self._commands.popleft()

    # --- the document

    def _read(self) -> tuple[int, tuple[DeviceConfig, ...]]:
        try:
            text = self._documents.read(_DOCUMENT)
        except LogReadError as error:
            self.problem = f"{error}."
            return 0, ()
        if text is None:
            return 0, ()
        try:
            kept = DevicesIn.model_validate_json(text)
        except ValidationError as error:
            wrong = error.errors()[0]
            where = ".".join(str(part) for part in wrong["loc"])
            self.problem = self._damaged(f"{where}: {wrong['msg']}" if where else wrong["msg"])
            return _revision_in(text), ()
        return kept.revision, tuple(kept.devices)

    def _damaged(self, wrong: str) -> str:
        try:
            aside = self._documents.set_aside(_DOCUMENT)
        except LogWriteError as error:
            return f"{error} ({wrong})."
        return f"{_DOCUMENT} was damaged ({wrong}); it is kept as {aside}. Add the devices again."


@dataclass(frozen=True, slots=True)
class SeenScan:
    """A tag or code that was scanned."""

    number: int
    device: str
    tag: str
    """As `companion.readers.tag_pairings` keeps it."""
    time: float
    """s, of the clock."""


class Scanned:
    """The last scans of all devices, known or not, for whoever pairs tags with cards; in memory only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._scans: deque[SeenScan] = deque(maxlen=_MOST_SCANS)
        self._claimed = float("-inf")
        self._claims = 0

    def claim(self) -> None:
        """Keep scans from the tables for a moment: somebody pairs tags, and his are no moves."""
        with self._lock:
            self._claims += not self.claimed
            self._claimed = self._clock()

    @property
    def claims(self) -> int:
        """How often somebody paired tags and has ended: what was kept from the tables then is to be told again."""
        with self._lock:
            return self._claims - self.claimed

    @property
    def claimed(self) -> bool:
        """Whether somebody pairs tags just now."""
        return self._clock() - self._claimed <= _CLAIM_S

    def saw(self, device: str, text: str, ago_s: float = 0.0) -> None:
        """Take note of a scan; what is no tag (`companion.readers.tag_pairings.tag_of`) is left out."""
        try:
            tag = tag_of(text)
        except BadRequestError:
            return
        with self._lock:
            self._scans.append(SeenScan(next(self._numbers), device, tag, self._clock() - ago_s))

    def after(self, number: int) -> list[tuple[SeenScan, float]]:
        """Return the scans after number ``number``, oldest first, and how long ago each was, s; 0: all that are held."""
        with self._lock:
            now = self._clock()
            return [(scan, round(now - scan.time, 1)) for scan in self._scans if scan.number > number]


def _revision_in(text: bytes) -> int:
    """Return the revision of a damaged file where it can be told, so that the next one is another."""
    try:
        told = json.loads(text)["revision"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
    return told if isinstance(told, int) and 0 <= told < 2**53 else 0
