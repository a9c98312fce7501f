"""Server processes that end under load: killed, or restarted one after the other as in an update."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final

from tests.real_server import RealServer

__all__ = ["Kills", "Outages", "Restarts"]

_DOWN_S: Final = 3.0
"""How long a killed process stays down, s."""


class Outages(threading.Thread, ABC):
    """Ends one process after the other at an interval, and starts it again."""

    def __init__(self, servers: Sequence[RealServer], every_s: float, report: Callable[[str], None]) -> None:
        super().__init__(daemon=True)
        self._servers = servers
        self._every_s = every_s
        self._report = report
        self._ended = threading.Event()
        self.began: list[float] = []
        """When each outage began, s of the monotonic clock."""
        self.ready_s: list[float] = []
        """How long each started process took until it was ready, s."""
        self.failure: BaseException | None = None

    def run(self) -> None:
        """End processes until `end`."""
        try:
            while not self._ended.wait(self._every_s):
                server = self._servers[len(self.began) % len(self._servers)]
                self.began.append(time.monotonic())
                ending = self._end(server)
                started = time.monotonic()
                server.start()
                server.wait_until_ready()
                self.ready_s.append(time.monotonic() - started)
                self._report(f"{ending}; ready again after {self.ready_s[-1]:.1f} s")
        except BaseException as error:
            self.failure = error

    def end(self) -> None:
        """Let the last process start, and raise what failed."""
        self._ended.set()
        self.join()
        if self.failure is not None:
            raise self.failure

    @abstractmethod
    def _end(self, server: RealServer) -> str:
        """End a process and return what happened."""


class Kills(Outages):
    """Processes are killed."""

    def _end(self, server: RealServer) -> str:
        server.kill()
        time.sleep(_DOWN_S)
        return f"kill {len(self.began)}"


class Restarts(Outages):
    """Processes get SIGTERM and end by themselves."""

    def __init__(self, servers: Sequence[RealServer], every_s: float, report: Callable[[str], None]) -> None:
        super().__init__(servers, every_s, report)
        self.drain_s: list[float] = []
        """How long each process took from the signal until it had ended, s."""

    def _end(self, server: RealServer) -> str:
        status = server.stop()
        self.drain_s.append(time.monotonic() - self.began[-1])
        assert status == 0, f"a process ended with status {status}"
        return f"restart {len(self.began)}: ended after {self.drain_s[-1]:.1f} s"
