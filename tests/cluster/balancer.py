"""The festival's proxy: it asks each server process at `/api/ready` once a second whether it should get requests."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from typing import Any, Final

from api.monitoring.periodic import Periodic
from companion.loadtest.clients import source_address

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
        self._turn = random.randrange(len(ports))

    def step(self) -> None:
        """Ask all processes."""
        self._ready = [port for port in self._ports if self._is_ready(port)]

    def ports(self) -> Iterator[int]:
        """Return the ports to try in this order for one request; those that are ready, or all if none is."""
        ports = self._ready or self._ports
        self._turn += 1
        for number in range(len(ports)):
            yield ports[(self._turn + number) % len(ports)]

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

    def post(self, path: str, body: bytes) -> dict[str, Any] | None:
        """Send a request to the first process that accepts a connection; return its answer, or None if it failed."""
        return self._ask("POST", path, body)

    def get(self, path: str) -> dict[str, Any] | None:
        """Ask the first process that accepts a connection; return its answer, or None if it failed."""
        return self._ask("GET", path, b"")

    def _ask(self, method: str, path: str, body: bytes) -> dict[str, Any] | None:
        try:
            status, document = self._answer(method, path, body)
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

    def _answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        for port in self._balancer.ports():
            connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
            try:
                connection.connect()
            except OSError:
                continue
            try:
                connection.request(method, path, body, dict(self._headers))
                response = connection.getresponse()
                return response.status, json.loads(response.read())
            finally:
                connection.close()
        raise ConnectionRefusedError
