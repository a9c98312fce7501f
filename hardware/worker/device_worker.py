"""The device process: reports to the server and applies its answers, and passes on the devices' events and the tables' views."""

from __future__ import annotations

import itertools
import secrets
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, TextIO

from companion.hanafuda.errors import BadRequestError, MessageError
from companion.hanafuda.messages import Message
from companion.messages import render
from companion.net.client import AwayError, Client, RefusedError
from companion.net.retries import Backoff
from hardware.transports.port_discovery import PortInfo, available_ports
from hardware.transports.transport import DeviceStatus, ReceivedEvent
from hardware.worker.event_stream import EventStream
from hardware.worker.managed_device import DeviceSettings, ManagedDevice
from hardware.worker.outbox import ButtonPress, DeliveryOutcome, Outbox, ScanReading

#: Longest and shortest interval of reports, s.
_REPORT_S: Final = 1.0
_MIN_INTERVAL_S: Final = 0.1
#: First and longest wait before a report is retried, s.
_FIRST_WAIT_S: Final = 0.25
_MAX_WAIT_S: Final = 2.0
#: Time without an answer after which displays report that the server is unreachable, s.
_AWAY_S: Final = 3.0
#: Interval of port listings, s: listing takes some ms.
_PORTS_S: Final = 3.0
#: Longest wait for a request in progress when `DeviceWorker.run` ends, s; its thread ends with the process.
_STOP_S: Final = 1.0
#: Interval at which `DeviceWorker.run` checks that its threads run, s.
_CHECK_S: Final = 0.5
#: Capacity for scans that no table accepted, for pairing tags, and for ids of executed commands.
_MAX_UNCLAIMED: Final = 64
_MAX_COMMAND_IDS: Final = 200


class DeviceWorker:
    """Runs all configured devices of one server.

    `run` returns when its event is set, with all threads ended but those that wait for an answer of the server.
    """

    def __init__(
        self,
        client: Client,
        *,
        list_ports: Callable[[], list[PortInfo]] = available_ports,
        err: TextIO = sys.stderr,
    ) -> None:
        self._client = client
        self._list_ports, self._err = list_ports, err
        self._run_id = secrets.token_hex(4)
        self._numbers = itertools.count(1)
        self._outboxes: dict[str | None, Outbox] = {}
        """One for the presses of each device, by name, because the server may delay the answer to a press; None: one for all scans."""
        self._devices: dict[str, ManagedDevice] = {}
        self._followers: dict[str, EventStream] = {}
        self._views: dict[str, Mapping[str, Any]] = {}
        self._next_tables: dict[str, str] = {}
        self._newest: str | None = None
        self._newest_known = threading.Event()
        """Set once the newest table is known."""
        self._revision: int | None = None
        self._boot: str | None = None
        self._done: deque[int] = deque(maxlen=_MAX_COMMAND_IDS)
        self._unclaimed: deque[tuple[str, float, Mapping[str, Any]]] = deque(maxlen=_MAX_UNCLAIMED)
        self._away_since: float | None = None
        self._faults: dict[str, str | None] = {}
        self._news = threading.Event()
        self._closed = threading.Event()

    def run(self, stop: threading.Event) -> None:
        """Run until ``stop`` is set."""
        self._outboxes[None] = self._outbox()
        reporter = threading.Thread(target=self._report_on, name="reporter", daemon=True)
        reporter.start()
        try:
            while not stop.wait(_CHECK_S):
                if (
                    not reporter.is_alive()
                    or any(each.transport.has_failed for each in tuple(self._devices.values()))
                    or not all(each.alive for each in tuple(self._outboxes.values()))
                ):
                    raise RuntimeError("a thread of the device process has ended: see the error above")
        finally:
            self._closed.set()
            self._news.set()
            reporter.join(_STOP_S)
            for managed in self._devices.values():
                managed.close()
            for follower in self._followers.values():
                follower.close()
            for outbox in self._outboxes.values():
                outbox.close()

    # --- the reporter's thread

    def _report_on(self) -> None:
        backoff, listed = Backoff(_FIRST_WAIT_S, _MAX_WAIT_S), float("-inf")
        found: list[PortInfo] = []
        while not self._closed.is_set():
            if time.monotonic() - listed > _PORTS_S:
                with suppress(OSError):  # a port was unplugged meanwhile
                    found, listed = self._list_ports(), time.monotonic()
            self._news.clear()
            scans = [self._unclaimed.popleft() for _ in range(len(self._unclaimed))]
            try:
                answer = self._client.call("POST", "/api/devices/report", self._report(found, scans))
            except (AwayError, RefusedError) as error:
                self._unclaimed.extendleft(reversed(scans))
                self._say("reporting", error)
                if self._away_since is None:
                    self._away_since = time.monotonic()
                self._closed.wait(backoff.next())
                continue
            if self._closed.is_set():
                return
            backoff.reset()
            self._say("reporting", None)
            self._take_answer(answer)
            self._closed.wait(_MIN_INTERVAL_S)
            self._news.wait(_REPORT_S - _MIN_INTERVAL_S)

    def _report(
        self, found: list[PortInfo], scans: list[tuple[str, float, Mapping[str, Any]]]
    ) -> dict[str, Any]:
        now = time.monotonic()
        return {
            "devices": [managed.report(now) for managed in self._devices.values()],
            "ports": [port.to_dict() for port in found],
            "scans": [
                {"device": device, "ago_ms": round(1000 * (now - at)), **scan} for device, at, scan in scans
            ],
        }

    def _take_answer(self, answer: Mapping[str, Any]) -> None:
        """Process the server's answer to a report."""
        self._away_since = None
        self._newest = answer["table"]
        self._newest_known.set()
        if answer["boot"] != self._boot:
            self._boot = answer["boot"]
            self._done.clear()  # a restarted server numbers commands from 1 again
            for managed in self._devices.values():
                managed.table = None
        if answer["revision"] != self._revision:
            self._configure([DeviceSettings.from_dict(each) for each in answer["devices"]])
            self._revision = answer["revision"]
        for outbox in tuple(self._outboxes.values()):
            outbox.retry_now()
        self._follow()
        self._report_present_tags()
        for each in answer["commands"]:
            if each["id"] not in self._done:
                self._done.append(each["id"])
                self._carry_out(each["device"], each["command"])

    def _configure(self, devices: list[DeviceSettings]) -> None:
        """Start, stop and update devices according to the configuration."""
        enabled = {each.name: each for each in devices if each.on}
        for name, managed in list(self._devices.items()):
            if name not in enabled or enabled[name].connection_key != managed.configured.connection_key:
                del self._devices[name]
                managed.close()
        for name, configured in enabled.items():
            if (known := self._devices.get(name)) is not None:
                if (known.configured.seat, known.configured.place) != (configured.seat, configured.place):
                    known.table = None
                known.configured = configured
            else:
                self._start(configured)
        self._news.set()

    def _start(self, configured: DeviceSettings) -> None:
        name = configured.name

        def in_use(path: str) -> bool:
            return any(
                other.transport.status.where == path
                for each, other in tuple(self._devices.items())
                if each != name
            )

        try:
            managed = ManagedDevice(
                configured, self._on_event, self._changed, in_use=in_use, is_away=self._is_away
            )
        except BadRequestError as error:
            # The file was edited by hand; the server would have rejected it.
            self._say(name, error)
            return
        # Set before the start: tags that it reports at once are sent to this table.
        managed.table = self._resolved(configured.table)
        self._devices[name] = managed
        managed.start()

    def _follow(self) -> None:
        """Follow exactly the tables that some device shows, and update the displays."""
        showing = [each for each in self._devices.values() if each.shows_table]
        displayed = {table for each in showing if (table := self._resolved(each.configured.table))}
        for table in self._followers.keys() - displayed:
            self._followers.pop(table).close()
            self._views.pop(table, None)
        for table in displayed - self._followers.keys():
            self._followers[table] = EventStream(self._client, table, partial(self._take_message, table))
        self._show_views()

    def _report_present_tags(self) -> None:
        """Report present tags to a table that does not know them: after a new table, server start or zone."""
        for managed in self._devices.values():
            settings = managed.configured
            table = self._resolved(settings.table)
            if table == managed.table:
                continue
            managed.table = table
            for tag in managed.present_tags() if settings.place not in {None, "any"} else ():
                key = self._key(settings.name)
                self._send(
                    replace(tag, table=settings.table, key=key, seat=settings.seat, place=settings.place)
                )

    def _carry_out(self, device: str, command: Mapping[str, Any]) -> None:
        managed = self._devices.get(device)
        if managed is None:
            return
        if command.get("kind") == "again":
            managed.reopen()
        else:
            managed.run_test(command)

    # --- the streams' threads

    def _take_message(self, table: str, event: str, data: Mapping[str, Any]) -> None:
        """Process a message of a table's stream."""
        if event in {"snapshot", "change", "resync"}:
            # A change shortens only lists that no display shows, so its state is complete for this purpose.
            self._views[table] = data["state"]
            self._show_views()
        elif event == "next":
            self._next_tables[table] = str(data["table"])
            self._news.set()  # the reporter follows the next table

    # --- the devices' threads

    def _on_event(self, received: ReceivedEvent) -> None:
        managed = self._devices.get(received.device)
        if managed is None:  # it is being removed
            return
        settings, data = managed.configured, received.event.data
        key = self._key(settings.name)
        if received.event.kind == "button":
            means = settings.buttons.get(data["button"], data["button"])
            if not means.startswith("raw-"):
                self._send(
                    ButtonPress(
                        settings.name,
                        settings.table,
                        received.time,
                        key,
                        settings.seat,
                        means,
                        data["how"],
                        data["button"],
                    )
                )
        elif received.event.kind in {"tag", "code"}:
            if received.event.kind == "tag":
                scan = {name: data[name] for name in ("uid", "present", "rssi") if data.get(name) is not None}
            else:
                scan = {"text": data["text"], "present": True}
            scanned = ScanReading(
                settings.name, settings.table, received.time, key, settings.seat, settings.place, scan
            )
            managed.record_scan(scanned)
            if settings.place is None:
                self._keep_unclaimed(scanned)
            else:
                self._send(scanned)

    def _send(self, item: ButtonPress | ScanReading) -> None:
        """Queue an item for sending, from any thread; presses are ordered per device, scans over all readers."""
        lane = item.device if isinstance(item, ButtonPress) else None
        if lane not in self._outboxes:  # only the device's own thread adds its lane
            self._outboxes[lane] = self._outbox()
        self._outboxes[lane].put(item)

    def _outbox(self) -> Outbox:
        return Outbox(self._client, self._table, self._answered, partial(self._say, "sending"))

    def _key(self, device: str) -> str:
        """Return a unique idempotency key."""
        return f"{self._run_id}-{next(self._numbers)}-{device}"

    def _changed(self, status: DeviceStatus) -> None:
        self._news.set()
        if status.fault is not None:
            self._say(status.device, status.fault.message)
        elif status.state == "ready":
            self._say(status.device, f"ready at {status.where}" + (f": {status.says}" if status.says else ""))

    # --- the outboxes' threads

    def _table(self, configured: str | None) -> str | None:
        if not self._newest_known.is_set():
            raise AwayError(Message("client-not-answered-yet", {"url": self._client.url}))
        return self._resolved(configured)

    def _answered(self, item: ButtonPress | ScanReading, outcome: DeliveryOutcome) -> None:
        if isinstance(item, ButtonPress):
            if (managed := self._devices.get(item.device)) is not None:
                managed.answer(item, outcome)
        elif outcome.result != "done":
            self._say(f"{item.device}'s scans", outcome.says)
            self._keep_unclaimed(item)

    def _keep_unclaimed(self, scanned: ScanReading) -> None:
        """Keep a scan that no table accepted for the next report; removed tags are skipped."""
        if scanned.scan["present"]:
            tag = {key: scanned.scan[key] for key in ("uid", "text") if key in scanned.scan}
            self._unclaimed.append((scanned.device, scanned.at, tag))
            self._news.set()

    # --- any thread

    def _resolved(self, configured: str | None) -> str | None:
        """Return the current table of a configured table id."""
        table: str | None = configured or self._newest
        while (follower := self._next_tables.get(table or "")) is not None:
            table = follower
        return table

    def _show_views(self) -> None:
        for managed in tuple(self._devices.values()):
            managed.show(self._views.get(self._resolved(managed.configured.table) or ""))

    def _is_away(self) -> bool:
        """Return whether the server has not answered for so long that displays report it."""
        since = self._away_since
        return since is not None and time.monotonic() - since > _AWAY_S

    def _say(self, what: str, news: Message | MessageError | str | None) -> None:
        """Print news of a device or an activity once; None: it works again."""
        if isinstance(news, MessageError):
            news = news.message
        text = render(news) if isinstance(news, Message) else news
        if text != self._faults.get(what) and not self._closed.is_set():
            self._faults[what] = text
            print(f"companion devices: {what}: {text or 'works again'}", file=self._err, flush=True)
