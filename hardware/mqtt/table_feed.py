"""Follows a table's stream and reports its state and each event once, also after a lost connection."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from companion.messages import error_text
from companion.net.client import AwayError, Client, RefusedError
from hardware.mqtt.payloads import last_yaku, table_state
from hardware.worker.event_stream import EventStream

#: Longest interruption after which missed events are still reported, s.
_MAX_GAP_S: Final = 10.0


class TableFeed:
    """Follows one table in a thread of its own.

    In that thread, ``on_state`` is called with each new result of `table_state`, ``on_event`` with each new event, and
    ``on_next_table`` when the evening continues at another table.
    """

    def __init__(
        self,
        client: Client,
        table: str,
        *,
        on_state: Callable[[Mapping[str, Any]], None],
        on_event: Callable[[Mapping[str, Any]], None],
        on_next_table: Callable[[], None],
    ) -> None:
        self.table = table
        self._client = client
        self._on_state, self._on_event, self._on_next_table = on_state, on_event, on_next_table
        self._seq = 0
        self._view: Mapping[str, Any] | None = None
        self._formed_yaku: list[Mapping[str, Any]] = []
        """The fields ``seat`` and ``formed`` (new yaku) of each line of the history."""
        self._camera_state = "absent"
        self._broken_since: float | None = None
        """When the stream was lost, s of the monotonic clock; None while it is connected."""
        self._stream = EventStream(client, table, self._take, broken=self._broken)

    def close(self) -> None:
        """Stop following."""
        self._stream.close()

    # --- the stream's own thread

    def _broken(self) -> None:
        if self._broken_since is None:
            self._broken_since = time.monotonic()

    def _take(self, event: str, data: Mapping[str, Any]) -> None:
        match event:
            case "next":
                self._on_next_table()
            case "camera":
                self._camera_state = str(data["state"])
                self._publish_state()
            case "snapshot" | "resync" | "change":
                if self._view is None or self._broken_since is not None:
                    self._ask_camera()
                self._change(data, is_change=event == "change" and bool(self._seq))
                self._broken_since = None

    def _ask_camera(self) -> None:
        """Request the camera's state; the stream reports only changes."""
        try:
            answer = self._client.call("GET", f"/api/tables/{quote(self.table, safe='')}/camera")
        except (AwayError, RefusedError) as error:
            raise ValueError(error_text(error)) from error  # the stream is restarted
        self._camera_state = str(answer["state"])

    def _change(self, data: Mapping[str, Any], *, is_change: bool) -> None:
        """Process a state; a change has the history only from a certain line on, and the events that caused it."""
        seq, state, kept_lines = data["seq"], data["state"], data.get("from")
        if kept_lines is not None and data["after"] != self._seq:
            raise ValueError("events are missing in between: start again")
        previous_yaku = self._formed_yaku[: kept_lines["history"]] if kept_lines else []
        self._formed_yaku = [
            *previous_yaku,
            *({key: line[key] for key in ("seat", "formed")} for line in state["history"]),
        ]
        previous_seq, self._seq, self._view = self._seq, seq, state
        self._publish_state()
        since = self._broken_since
        if is_change and (since is None or time.monotonic() - since < _MAX_GAP_S):
            for each in data["events"]:
                if each["seq"] > previous_seq:
                    self._on_event({"table": self.table, **each})

    def _publish_state(self) -> None:
        if self._view is not None:
            self._on_state(
                table_state(self._view, self._seq, last_yaku(self._formed_yaku), self._camera_state)
            )
