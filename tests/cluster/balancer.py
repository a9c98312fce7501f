"""The festival's proxy: it asks each server process at `/api/ready` once a second, and sends the requests of a table to one process."""

from __future__ import annotations

import json
import threading
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from typing import Any, Final

from api.monitoring.periodic import Periodic
from tests.load.clients import source_address

_CHECK_S: Final = 1.0
"""The proxy's ``health_interval``, s."""
_ANSWER_S: Final = 2.0
"""The proxy's ``health_timeout``, s."""
_TIMEOUT_S: Final = 10.0
"""Timeout of a request, s."""
_LATER: Final = frozenset((502, 503, 504, 507))
"""Statuses after which a client repeats its request."""
_NETWORK: Final = 9
"""Of the loopback addresses from which balancers ask; a server tells them apart by their addresses."""


class Balancer(Periodic):
    """The ports of the processes that are ready, as last heard; used with ``with``."""

    def __init__(self, ports: Sequence[int], number: int) -> None:
        """``number`` tells several balancers apart."""
        super().__init__("balancer", _CHECK_S)
        self._ports = ports
        self._source = source_address(_NETWORK, number)
        self._ready = list(ports)

    def step(self) -> None:
        """Ask all processes."""
        self._ready = [port for port in self._ports if self._is_ready(port)]

    def ports(self, table: str) -> list[int]:
        """Return the ports to try in this order for a request about a table; those that are ready, or all if none is.

        If a process ends, only its tables move to other ones.
        """
        return sorted(self._ready or self._ports, key=lambda port: zlib.crc32(f"{table} {port}".encode()))

    def _is_ready(self, port: int) -> bool:
        connection = HTTPConnection("127.0.0.1", port, timeout=_ANSWER_S, source_address=self._source)
        try:
            connection.request("GET", "/api/ready")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()


class Client:
    """Sends requests to the processes that are ready, and counts those that fail. Thread-safe."""

    def __init__(self, balancer: Balancer, headers: Mapping[str, str]) -> None:
        self._balancer = balancer
        self._headers = headers
        self._lock = threading.Lock()
        self.failed: Counter[str] = Counter()
        """Requests that the client has to repeat, by what happened."""
        self.refused: list[tuple[int, Any]] = []
        """Answers that nobody expects."""

    def post(self, table: str, path: str, body: bytes) -> dict[str, Any] | None:
        """Send a request about a table, ``path`` after its address, and return the answer, or None if it failed."""
        return self._ask("POST", table, path, body)

    def get(self, table: str) -> dict[str, Any] | None:
        """Return a table, or None if the request failed."""
        return self._ask("GET", table, "", b"")

    def _ask(self, method: str, table: str, path: str, body: bytes) -> dict[str, Any] | None:
        try:
            status, document = self._answer(method, table, path, body)
        except (OSError, HTTPException, ValueError) as error:
            failure = type(error).__name__
        else:
            if status == 200:
                return dict(document)
            failure = f"status {status}"
            if status not in _LATER:
                with self._lock:
                    self.refused.append((status, document))
        with self._lock:
            self.failed[failure] += 1
        return None

    def _answer(self, method: str, table: str, path: str, body: bytes) -> tuple[int, Any]:
        for port in self._balancer.ports(table):
            connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
            try:
                connection.connect()
            except OSError:
                continue
            try:
                connection.request(method, f"/api/tables/{table}{path}", body, dict(self._headers))
                response = connection.getresponse()
                return response.status, json.loads(response.read())
            finally:
                connection.close()
        raise ConnectionRefusedError
