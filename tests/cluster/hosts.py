"""Simulated hosts: they enter events by hand, each again with the same key until a server has acknowledged it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from typing import Final

from tests.cluster.balancer import Balancer, Client
from tests.real_server import START_S

__all__ = ["HostCrowd"]

_RETRY_S: Final = 0.2
_PATIENCE_S: Final = 2 * START_S
"""How long an event is sent again, s: as long as two processes may take to start, one after the other."""


class HostCrowd:
    """One thread for each table, which renames a player every ``period_s`` s and answers the referee's questions.

    Each question gets its first choice: without answers, a referee that missed something would ask and search forever.
    """

    def __init__(self, balancer: Balancer, tables: Sequence[str], period_s: float) -> None:
        self.client = Client(balancer, {"Content-Type": "application/json"})
        self._answers = Client(balancer, {"Content-Type": "application/json"})
        """Its answers may be refused: the referee may withdraw a question at any time."""
        self._period_s = period_s
        self._ended = threading.Event()
        self.acknowledged: set[tuple[str, str]] = set()
        """Table and name of each event that a server has acknowledged."""
        self.longest_s = 0.0
        """The longest time from the first attempt to send an event until it was acknowledged, s."""
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._enter_all, args=(number, table), daemon=True)
            for number, table in enumerate(tables)
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop when each event is acknowledged, one was refused, or one was not answered for `_PATIENCE_S`."""
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _enter_all(self, number: int, table: str) -> None:
        self._ended.wait(self._period_s * number / len(self._threads))
        entry = 0
        while not self._ended.is_set():
            entry += 1
            began = time.monotonic()
            name = f"Player {entry}"
            body = {"events": [{"kind": "seated", "data": {"seat": 1, "name": name}}], "key": f"host {entry}"}
            while self.client.post(table, "/events", json.dumps(body).encode()) is None:
                if self.client.refused:
                    return
                if time.monotonic() > began + _PATIENCE_S:
                    self.client.refused.append(
                        (0, f"{name} at {table}: not acknowledged within {_PATIENCE_S} s")
                    )
                    return
                time.sleep(_RETRY_S)
            with self._lock:
                self.acknowledged.add((table, name))
                self.longest_s = max(self.longest_s, time.monotonic() - began)
            self._answer_questions(table)
            self._ended.wait(max(0.0, self._period_s - (time.monotonic() - began)))

    def _answer_questions(self, table: str) -> None:
        view = self.client.get(table)
        for question in view["state"]["questions"] if view is not None else ():
            answered = {"kind": "answered", "data": {"of": question["seq"], "choice": 0}}
            self._answers.post(table, "/events", json.dumps({"events": [answered]}).encode())
