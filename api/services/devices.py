"""The configured devices, the last report of the process that talks to them, and the receipt that is being printed."""

from __future__ import annotations

import itertools
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from PIL import Image
from pydantic import ValidationError

from api.models.device_config import DeviceConfig, DeviceReport, DevicesIn, PortDoc
from companion.hanafuda.errors import BadRequestError, ConflictError, NotFoundError
from companion.hanafuda.messages import Message
from companion.messages import error_text
from companion.store import DocumentStore, LogReadError, LogWriteError
from companion.store.tag_pairings import tag_of
from hardware.device_faults import PortError
from hardware.printers.print_job import print_picture
from hardware.printers.printer_settings import PrinterSettings

SILENT_S: Final = 5.0
"""A device process that has not reported for this long, s, counts as not running."""

_NAME: Final = "devices"
"""Name of the document with the settings of the devices."""
_MAX_COMMANDS: Final = 64
_COMMAND_LIFETIME_S: Final = 10.0
"""A command that was not fetched within this time, s, is dropped; the person who requested it has left by then."""
_MAX_SCANS: Final = 64
_PAIRING_S: Final = 3.0
"""Tables get no scans for this long, s, after the pairing page asked for them; it asks several times within this time."""


class Devices:
    """The devices of a data folder; safe to use from several threads."""

    def __init__(self, documents: DocumentStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._documents = documents
        self._clock = clock
        self._lock = threading.Lock()
        self._configuring = threading.RLock()
        self._ids = itertools.count(1)
        self._commands: deque[tuple[float, dict[str, Any]]] = deque()
        self._reports: dict[str, DeviceReport] = {}
        self._ports: tuple[PortDoc, ...] | None = None
        self._reported_at: float | None = None
        self.boot = secrets.token_hex(4)
        """A random id of this run: after a restart, readers must report the tags on them again."""
        self.problem: str | None = None
        """What was wrong with the stored document, as text for the user."""
        self._version: str | None = None
        """The version of the document that was read; None if there was none."""
        self._unreadable: LogReadError | None = None
        self._revision = 0
        self._devices: tuple[DeviceConfig, ...] = ()
        self._refresh()

    # --- configuration

    @property
    def revision(self) -> int:
        """The revision number; every change increases it."""
        self._refresh()
        return self._revision

    @property
    def all(self) -> tuple[DeviceConfig, ...]:
        """The devices in their configured order."""
        self._refresh()
        return self._devices

    @property
    def wanted(self) -> bool:
        """Whether any device is switched on, so that the device process is needed."""
        return any(device.on for device in self.all)

    def get(self, name: str) -> DeviceConfig:
        """Return a device by name. Raises `NotFoundError`."""
        for device in self.all:
            if device.name == name:
                return device
        raise NotFoundError("no-such-device", Message("problem-no-such-device", {"device": name}))

    def put(self, devices: Sequence[DeviceConfig], *, expect: int) -> None:
        """Replace all devices and store them.

        Raises `ConflictError` if ``expect`` is not the current revision, `LogWriteError` if storing fails, and
        `LogReadError` if the stored devices cannot be read.
        """
        document = {"revision": expect + 1, "devices": [each.model_dump() for each in devices]}
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        with self._configuring:
            self._refresh()
            if self._unreadable is not None:
                raise self._unreadable
            if expect != self._revision or not self._documents.replace(
                "settings", _NAME, text.encode(), self._version
            ):
                message = Message("problem-devices-changed")
                raise ConflictError("devices-changed", message, revision=self.revision)
            self._refresh()

    # --- status

    def report(self, devices: Sequence[DeviceReport], ports: Sequence[PortDoc]) -> list[dict[str, Any]]:
        """Store a report of the device process and return the pending commands; each is returned only once."""
        with self._lock:
            self._reported_at = self._clock()
            self._reports = {each.name: each for each in devices}
            self._ports = tuple(ports)
            self._drop_expired()
            commands = [command for _, command in self._commands]
            self._commands.clear()
        return commands

    def queue(self, name: str, command: dict[str, Any]) -> int:
        """Queue a command for the device process's next report and return its number. Raises `NotFoundError`."""
        self.get(name)
        with self._lock:
            self._drop_expired()
            number = next(self._ids)
            self._commands.append((self._clock(), {"id": number, "device": name, "command": command}))
            while len(self._commands) > _MAX_COMMANDS:
                self._commands.popleft()
        return number

    @property
    def seen_s(self) -> float | None:
        """Time since the device process last reported, s; None: never."""
        return None if self._reported_at is None else round(self._clock() - self._reported_at, 1)

    @property
    def running(self) -> bool:
        """Whether the device process reported within the last `SILENT_S` seconds."""
        return self._reported_at is not None and self._clock() - self._reported_at <= SILENT_S

    @property
    def ports(self) -> tuple[PortDoc, ...] | None:
        """The ports that the device process sees; None while it is not running."""
        return self._ports if self.running else None

    def report_of(self, name: str) -> DeviceReport | None:
        """Return a device's last report with its ages brought up to date; None without a report."""
        with self._lock:
            report, reported_at = self._reports.get(name), self._reported_at
        if report is None or reported_at is None:
            return None
        status, elapsed = report.status, self._clock() - reported_at
        last_seen = status.last_seen_s
        ages = {
            "for_s": round(status.for_s + elapsed, 1),
            "last_seen_s": None if last_seen is None else round(last_seen + elapsed, 1),
        }
        return report.model_copy(update={"status": status.model_copy(update=ages)})

    # --- called with the lock held

    def _drop_expired(self) -> None:
        while self._commands and self._commands[0][0] <= self._clock() - _COMMAND_LIFETIME_S:
            self._commands.popleft()

    # --- stored document

    def _refresh(self) -> None:
        """Read the document if it was changed, by this process or another one."""
        with self._configuring:
            try:
                version = self._documents.version("settings", _NAME)
                if version == self._version and self._unreadable is None:
                    return
                text = self._documents.read("settings", _NAME)
            except LogReadError as error:
                self._unreadable, self.problem = error, f"{error_text(error)}."
                return
            self._version, self._unreadable = version, None
            if text is None:
                self._revision, self._devices, self.problem = 0, (), None
                return
            try:
                document = DevicesIn.model_validate_json(text)
            except ValidationError as error:
                first_error = error.errors()[0]
                where = ".".join(str(part) for part in first_error["loc"])
                reason = f"{where}: {first_error['msg']}" if where else first_error["msg"]
                self._revision, self._devices, self.problem = _revision_in(text), (), self._set_aside(reason)
            else:
                self._revision, self._devices, self.problem = document.revision, tuple(document.devices), None

    def _set_aside(self, reason: str) -> str:
        try:
            copy = self._documents.set_aside("settings", _NAME)
        except LogWriteError as error:
            return f"{error_text(error)} ({reason})."
        self._version = None
        return f"The list of devices was damaged ({reason}); it is kept as {copy}. Add the devices again."


@dataclass(frozen=True, slots=True)
class SeenScan:
    """A tag or code that was scanned."""

    number: int
    device: str
    tag: str
    """Normalized as in `companion.store.tag_pairings`."""
    time: float
    """s on the clock."""


class RecentScans:
    """The last scans of all devices, paired or not, for the page that pairs tags with cards; in memory only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._scans: deque[SeenScan] = deque(maxlen=_MAX_SCANS)
        self._pairing_requested = float("-inf")
        self._pairing_sessions = 0

    def reserve_for_pairing(self) -> None:
        """Keep scans from the tables for `_PAIRING_S` seconds, because tags are being paired and the scans are not moves."""
        with self._lock:
            self._pairing_sessions += not self.pairing
            self._pairing_requested = self._clock()

    @property
    def pairing_sessions(self) -> int:
        """Number of finished pairing sessions; after each, readers must report again what was kept from the tables."""
        with self._lock:
            return self._pairing_sessions - self.pairing

    @property
    def pairing(self) -> bool:
        """Whether tags are being paired right now."""
        return self._clock() - self._pairing_requested <= _PAIRING_S

    def saw(self, device: str, text: str, ago_s: float = 0.0) -> None:
        """Record a scan; ignore text that is not a valid tag (`companion.store.tag_pairings.tag_of`)."""
        try:
            tag = tag_of(text)
        except BadRequestError:
            return
        with self._lock:
            self._scans.append(SeenScan(next(self._numbers), device, tag, self._clock() - ago_s))

    def after(self, number: int) -> list[tuple[SeenScan, float]]:
        """Return the scans after number ``number`` (0: all), oldest first, each with its age in s."""
        with self._lock:
            now = self._clock()
            return [(scan, round(now - scan.time, 1)) for scan in self._scans if scan.number > number]


def _revision_in(text: bytes) -> int:
    """Return the revision in a damaged file if it is readable, otherwise 0, so that the next revision differs."""
    try:
        revision = json.loads(text)["revision"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
    return revision if isinstance(revision, int) and 0 <= revision < 2**53 else 0


class Printing:
    """The current or last print job. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job: dict[str, Any] | None = None

    @property
    def job(self) -> Mapping[str, Any] | None:
        """The state of the job as JSON, None before the first one."""
        with self._lock:
            return None if self._job is None else dict(self._job)

    def start(
        self, table_id: str, picture: Image.Image, missing: list[str], settings: PrinterSettings
    ) -> None:
        """Start printing a picture. Raises `ConflictError` while another one is being printed."""
        new: dict[str, Any] = {
            "table": table_id,
            "state": "printing",
            "share": 0.0,
            "sure": False,
            "low": False,
        }
        with self._lock:
            if self._job is not None and self._job["state"] == "printing":
                raise ConflictError("printing", Message("problem-printing"))
            self._job = {**new, "fault": None, "missing": missing}
        threading.Thread(target=self._print, args=(picture, settings), name="printer", daemon=True).start()

    def _print(self, picture: Image.Image, settings: PrinterSettings) -> None:
        state: dict[str, Any] = {"state": "failed"}
        try:
            printed = print_picture(
                picture,
                settings.port or "",
                baud=settings.baud,
                progress=lambda fraction: self._update(share=round(fraction, 2)),
            )
            state = {"state": "done", "sure": printed.sure, "low": printed.low}
        except PortError as error:
            state = {"state": "failed", "fault": error.fault.to_dict()}
        finally:
            self._update(**state)

    def _update(self, **changes: Any) -> None:
        with self._lock:
            assert self._job is not None
            self._job = {**self._job, **changes}
