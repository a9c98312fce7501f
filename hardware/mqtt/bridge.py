"""Connects tables with an MQTT broker: publishes states and events, and forwards presses to the server."""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from companion.hanafuda.errors import BadRequestError, quote
from companion.hanafuda.messages import Message
from companion.messages import render, render_all
from companion.net.client import AwayError, Client, RefusedError
from hardware.mqtt.broker import Broker, BrokerAddress
from hardware.mqtt.discovery import discovery_of, unique_id
from hardware.mqtt.payloads import read_command, topic_name_of
from hardware.mqtt.table_feed import TableFeed
from hardware.worker.outbox import ButtonPress, DeliveryOutcome, Outbox, ScanReading

#: Interval of the search for new tables, s.
_TABLE_SEARCH_S: Final = 3.0
#: Maximum number of followed tables; each takes one stream. The most recently changed ones are followed.
_MAX_TABLES: Final = 8
#: Seats by their names in topics, more than any game has: the server knows how many play. None: the middle of the table.
_SEATS: Final = {"table": None} | {str(seat): seat for seat in range(1, 13)}


class Bridge:
    """Publishes a server's tables to a broker. `run` returns when its event is set, with all threads ended."""

    def __init__(
        self,
        client: Client,
        address: BrokerAddress,
        *,
        say: Callable[[str], None],
        prefix: str = "hanafuda",
        discovery: str = "homeassistant",
        language: str = "en",
    ) -> None:
        """``say``: called with a line about each new error, and when it is over. Raises `BadRequestError` for a bad topic prefix."""
        for topic in (prefix, discovery):
            if not topic or set(topic) & set("+#\0") or topic[0] in "/$" or topic[-1] == "/":
                raise BadRequestError(f"{topic!r} is not a valid topic prefix")
        self._client = client
        self._say, self._faults = say, dict[str, str | None]()
        self._prefix, self._discovery, self._language = prefix, discovery, language
        self._run_id, self._numbers = secrets.token_hex(4), itertools.count(1)
        self._feeds: dict[str, TableFeed] = {}
        self._news = threading.Event()
        self._sending_fault: Message | None = None
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
        outbox = Outbox(self._client, self._table, self._on_delivered, self._on_sending_fault)
        self._send = outbox.put
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
            outbox.close()
            self._broker.close()

    # --- tables

    def _find_tables(self) -> None:
        """Follow the newest table of each topic name."""
        try:
            tables = self._client.call("GET", "/api/tables")["tables"]
        except (AwayError, RefusedError) as error:
            self._report_fault("server", render(error.message))
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
        """Queue a command; called in the broker's thread, which must not wait for the server."""
        topic_name, _, seat, _ = topic.removeprefix(f"{self._prefix}/").split("/")
        try:
            command = read_command(payload)
            press = ButtonPress(
                "MQTT",
                topic_name,
                time.monotonic(),
                command.key or f"mqtt-{self._run_id}-{next(self._numbers)}",
                _seat(seat),
                command.button,
                command.how,
                command.button,
            )
        except BadRequestError as error:
            self._answer(topic_name, seat, _refusal("no-command", error.message))
        else:
            self._send(press)

    def _table(self, topic_name: str | None) -> str | None:
        """Return the table id for a topic name, which may also be a table id itself."""
        feed = self._feeds.get(topic_name or "")
        return topic_name if feed is None else feed.table

    def _on_sending_fault(self, fault: Message | None) -> None:
        self._sending_fault = fault

    def _on_delivered(self, press: ButtonPress | ScanReading, outcome: DeliveryOutcome) -> None:
        assert isinstance(press, ButtonPress)
        assert press.table is not None
        if outcome.result == "done":
            did = Message.from_dict(outcome.answer["did"])
            result = {"ok": True, "did": {**did.to_dict(), **render_all(did)}, "seq": outcome.answer["seq"]}
        elif outcome.result == "refused" and outcome.says is not None:
            code = outcome.answer.get("code") or str(outcome.answer.get("type")).rpartition("/")[2]
            result = _refusal(str(code), outcome.says)
        else:
            unknown = Message("client-not-answered-yet", {"url": self._client.url})
            result = _refusal("away", outcome.says or self._sending_fault or unknown)
        request = {"button": press.button, "how": press.how, "key": press.key}
        self._answer(press.table, str(press.seat or "table"), {**request, **result})

    def _answer(self, topic_name: str, seat: str, answer: Mapping[str, Any]) -> None:
        self._broker.publish(f"{self._prefix}/{topic_name}/press/{seat}/result", answer)

    # --- errors

    def _report_fault(self, what: str, fault: str | None) -> None:
        """Report an error of the broker or the server once, and once when it is over; callable from any thread."""
        if fault != self._faults.get(what):
            self._faults[what] = fault
            self._say(fault or f"the {what} answers again")


def _seat(name: str) -> int | None:
    """Return the seat that a topic names; None for the middle of the table."""
    if name not in _SEATS:
        raise BadRequestError(
            f"there is no seat {quote(name)}: give a number, or table for the middle of the table"
        )
    return _SEATS[name]


def _refusal(code: str, message: Message) -> dict[str, Any]:
    return {"ok": False, "code": code, "says": render_all(message)}
