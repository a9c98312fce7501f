"""Shared parts of phones and attackers: addresses, and a child process with a pipe to the command."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Final, Self

__all__ = ["NOT_LOCAL", "ClientProcess", "Target", "answered", "reset", "source_address"]

NOT_LOCAL: Final = "Via: 1.1 bench\r\n"
"""A header that keeps the server from treating a client on this machine as local."""
_START_S: Final = 120.0
_END_S: Final = 30.0
_HOSTS: Final = 250
"""Addresses in each of the networks 127.0.N.0/24."""


@dataclass(frozen=True, slots=True)
class Target:
    """The server and the table to follow."""

    port: int
    table: str
    root: str | None = None
    """File with the root certificate; None for plain HTTP."""

    @property
    def stream_path(self) -> str:
        """URL path of the table's event stream."""
        return f"/api/tables/{self.table}/events"


def source_address(network: int, number: int) -> tuple[str, int] | None:
    """Return a loopback address other than 127.0.0.1, so that each client counts as another phone; None where the
    system has no other.
    """
    if sys.platform == "darwin":  # only 127.0.0.1 is set up there
        return None
    return f"127.0.{network + number // _HOSTS}.{1 + number % _HOSTS}", 0


class ClientProcess:
    """A child process that runs ``target(pipe, *args)``, an asyncio coroutine function, until it is asked to end."""

    def __init__(self, target: Callable[..., Any], *args: Any) -> None:
        context = get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        self._process = context.Process(target=_run, args=(target, child_pipe, *args), daemon=True)
        self._process.start()
        child_pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        with suppress(OSError):
            self._pipe.send("end")
        self._process.join(_END_S)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()
        self._pipe.close()

    def receive(self, timeout: float = _START_S) -> Any:
        """Return the next message; raises `TimeoutError` if none comes in time (s), `EOFError` if the process has
        ended.
        """
        if not self._pipe.poll(timeout):
            raise TimeoutError("a process of the benchmark does not respond")
        return self._pipe.recv()

    def ask(self, question: str = "report") -> Any:
        """Send a question and return the answer."""
        self._pipe.send(question)
        return self.receive()


def _run(target: Callable[..., Any], pipe: Connection, *args: Any) -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415  # only on POSIX

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with suppress(KeyboardInterrupt):
        asyncio.run(target(pipe, *args))


async def answered(pipe: Connection, report: Callable[[], Any]) -> None:
    """Answer each question with a report until asked to end."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            if await loop.run_in_executor(None, pipe.recv) == "end":
                return
        except (EOFError, OSError):
            return
        pipe.send(report())


def reset(client: socket.socket) -> None:
    """Drop a connection without closing it properly, as a phone that loses the network does.

    Only a privileged process on Linux can drop it silently; others send a reset.
    """
    repair: int | None = getattr(socket, "TCP_REPAIR", 19 if sys.platform == "linux" else None)
    try:
        if repair is None:
            raise OSError
        client.setsockopt(socket.IPPROTO_TCP, repair, 1)
    except OSError:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()
