"""Connects tables with an MQTT broker: publishes states and events, and forwards presses to the server."""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import quote

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.messages import render_all
from companion.net.client import AwayError, Client, RefusedError
from hardware.mqtt.broker import Address, Broker
from hardware.mqtt.discovery import discovery_of, unique_id
from hardware.mqtt.payloads import Command, read_command, topic_name_of
from hardware.mqtt.table_feed import TableFeed

__all__ = ["Bridge"]

#: Interval of the search for new tables, s.
_TABLE_SEARCH_S: Final = 3.0
#: Maximum number of followed tables; each takes one stream. The most recently changed ones are followed.
_MAX_TABLES: Final = 8
#: Maximum number of waiting commands; further ones are refused.
_MAX_COMMANDS: Final = 32
#: Time after which a command expires, s.
_LATEST_S: Final = 5.0
_RETRY_S: Final = 0.3


@dataclass(frozen=True, slots=True)
class _PendingCommand:
    """A received command that is not yet answered."""

    topic_name: str
    seat: str
    payload: bytes
    at: float
    """When it arrived, s of `time.monotonic`."""
    key: str


class Bridge:
    """Publishes a server's tables to a broker. `run` returns when its event is set, with all threads ended."""

    def __init__(
        self,
        client: Client,
        address: Address,
        *,
        say: Callable[[Message], None],
        prefix: str = "hanafuda",
        discovery: str = "homeassistant",
        language: str = "en",
    ) -> None:
        """``say``: called with each new error, and when it is over. Raises `BadRequestError` for a bad topic prefix."""
        for topic in (prefix, discovery):
            if not topic or set(topic) & set("+#\0") or topic[0] in "/$" or topic[-1] == "/":
                raise BadRequestError(Message("mqtt-bad-prefix", {"topic": repr(topic)}))
        self._client = client
        self._say, self._faults = say, dict[str, Message | None]()
        self._prefix, self._discovery, self._language = prefix, discovery, language
        self._run_id = secrets.token_hex(4)
        self._count = 0
        self._feeds: dict[str, TableFeed] = {}
        self._news = threading.Event()
        self._commands: queue.Queue[_PendingCommand | None] = queue.Queue(_MAX_COMMANDS)
        self._broker = Broker(
            address,
            f"{prefix}/status",
            [f"{prefix}/+/press/+/set"],
            self._on_command,
            lambda fault: self._report_fault("broker", fault),
            born=f"{discovery}/status",
        )

    def run(self, stop: threading.Event) -> None:
        """Run until ``stop`` is set."""
        presser = threading.Thread(target=self._run_presses, name="mqtt-presses", daemon=True)
        presser.start()
        self._broker.open()
        try:
            while not stop.is_set():
                self._news.clear()
                self._find_tables()
                deadline = time.monotonic() + _TABLE_SEARCH_S
                while not (stop.wait(0.1) or self._news.is_set() or time.monotonic() > deadline):
                    pass
        finally:
            for feed in self._feeds.values():
                feed.close()
            self._commands.put(None)
            presser.join()
            self._broker.close()

    # --- tables

    def _find_tables(self) -> None:
        """Follow the newest table of each topic name."""
        try:
            tables = self._client.call("GET", "/api/tables")["tables"]
        except (AwayError, RefusedError) as error:
            self._report_fault("server", error.message)
            self._broker.publish_retained(f"{self._prefix}/status", "offline")
            return
        self._report_fault("server", None)
        self._broker.publish_retained(f"{self._prefix}/status", "online")
        newest: dict[str, Mapping[str, Any]] = {}
        for each in tables:
            topic_name = topic_name_of(each["name"])
            if topic_name in newest:
                newest[topic_name] = max(newest[topic_name], each, key=lambda answer: str(answer["time"]))
            elif len(newest) < _MAX_TABLES:
                newest[topic_name] = each
        for topic_name in set(self._feeds) - set(newest):
            self._feeds.pop(topic_name).close()
        for topic_name, table in newest.items():
            if topic_name not in self._feeds or self._feeds[topic_name].table != table["id"]:
                self._follow(topic_name, table["id"])

    def _follow(self, topic_name: str, table: str) -> None:
        if topic_name in self._feeds:
            self._feeds.pop(topic_name).close()
        self._feeds[topic_name] = TableFeed(
            self._client,
            table,
            on_state=lambda state: self._on_state(topic_name, state),
            on_event=lambda event: self._broker.publish(f"{self._prefix}/{topic_name}/event", event),
            on_next_table=self._news.set,
        )

    def _on_state(self, topic_name: str, state: Mapping[str, Any]) -> None:
        discovery_message = discovery_of(state, topic_name, self._prefix, self._language)
        self._broker.publish_retained(
            f"{self._discovery}/device/{unique_id(self._prefix, topic_name)}/config", discovery_message
        )
        self._broker.publish_retained(f"{self._prefix}/{topic_name}/state", state)

    # --- presses

    def _on_command(self, topic: str, payload: bytes) -> None:
        """Queue a command; the broker's thread must not wait for the server."""
        topic_name, _, seat, _ = topic.removeprefix(f"{self._prefix}/").split("/")
        self._count += 1
        pending = _PendingCommand(
            topic_name, seat, payload, time.monotonic(), f"mqtt-{self._run_id}-{self._count}"
        )
        try:
            self._commands.put_nowait(pending)
        except queue.Full:
            self._answer(pending, None, _refusal("too-many", Message("mqtt-too-many")))

    def _run_presses(self) -> None:
        while (pending := self._commands.get()) is not None:
            command = None
            try:
                command = read_command(pending.payload)
                table = self._table(pending.topic_name)
                seat = _seat(pending.seat)
                answer = self._press(pending, command, table, seat)
            except BadRequestError as error:
                answer = _refusal("no-command", Message("mqtt-no-command", {"error": error.message}))
            self._answer(pending, command, answer)

    def _table(self, topic_name: str) -> str:
        """Return the table id for a topic name, which may also be a table id itself."""
        with suppress(KeyError):
            return self._feeds[topic_name].table
        return topic_name

    def _press(
        self, pending: _PendingCommand, command: Command, table: str, seat: int | None
    ) -> dict[str, Any]:
        """Send a press to the server, retrying while the server is unreachable and the command has not expired."""
        key = command.key or pending.key
        while True:
            age = time.monotonic() - pending.at
            body = {"button": command.button, "how": command.how, "seat": seat, "key": key}
            try:
                answer = self._client.call(
                    "POST",
                    f"/api/tables/{quote(table, safe='')}/presses",
                    {**body, "ago_ms": round(1000 * age, 1), "device": "MQTT"},
                )
            except RefusedError as error:
                code = str(error.problem.get("code") or str(error.problem.get("type")).rpartition("/")[2])
                return _refusal(code, error.message)
            except AwayError as error:
                if age > _LATEST_S:
                    return _refusal("away", Message("mqtt-away", {"error": error.message}))
                time.sleep(_RETRY_S)
            else:
                did = Message.from_dict(answer["did"])
                return {"ok": True, "did": {**did.to_dict(), **render_all(did)}, "seq": answer["seq"]}

    def _answer(self, pending: _PendingCommand, command: Command | None, answer: Mapping[str, Any]) -> None:
        request = {"button": command.button, "how": command.how, "key": command.key} if command else {}
        self._broker.publish(
            f"{self._prefix}/{pending.topic_name}/press/{pending.seat}/result", {**request, **answer}
        )

    # --- errors

    def _report_fault(self, what: Literal["broker", "server"], fault: Message | None) -> None:
        """Report an error once, and once when it is over; callable from any thread."""
        if fault != self._faults.get(what):
            self._faults[what] = fault
            self._say(fault or Message(f"mqtt-{what}-again"))


def _seat(answer: str) -> int | None:
    """Return the seat that a topic names; None for the middle of the table."""
    if answer == "table":
        return None
    if answer.isascii() and answer.isdecimal() and 1 <= int(answer) <= 12:
        return int(answer)
    raise BadRequestError(f"there is no seat {answer!r}: give a number, or table for the middle of the table")


def _refusal(code: str, message: Message) -> dict[str, Any]:
    return {"ok": False, "code": code, "says": render_all(message)}
