"""Connections that keep the server waiting: half-open ones, clients that do not read, floods, and evictions.

A small WSGI application runs behind the real server. Clients connect from 127.0.1.N, so that each address is
another phone.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.serving import limits
from api.serving import server as server_module
from api.serving.connection import CONNECTION, ClientLostError
from api.serving.server import Server
from api.serving.turns import MAX_UNPAIRED, THREADS, RequestTurns
from tests.api.serving.raw_clients import TIMEOUT_S, Clients, is_closed, running, until

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no other loopback addresses")

BIG = 8 * 2**20
"""Size of a response that does not fit into the system's buffers, bytes."""
HALF_HEADER = b"GET / HTTP/1.1\r\nHost: x\r\nX-"


class App:
    """Responds to `/big`, `/stream` (until the server ends), `/slow` (when it ends), and with a word to everything
    else."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.streams = 0
        self.slow = 0

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == "/stream":
            environ[CONNECTION].keep_open(Flood(self))
            start("200 OK", [("Content-Type", "text/event-stream")])
            return iter([b"first"])
        if path == "/slow":
            self.slow += 1
            self.ended.wait(TIMEOUT_S)
        body = b"x" * BIG if path == "/big" else b"fine"
        start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
        return [body]


class Flood:
    """A stream that always has more to send, until the server ends."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.closed = False
        app.streams += 1

    def take(self) -> bytes:
        if self.app.ended.is_set():
            raise EOFError
        return b"x" * 2**16

    def resync(self) -> bytes:
        raise NotImplementedError

    def on_change(self, notify: Callable[[], None]) -> None:
        notify()

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.app.streams -= 1


@contextmanager
def serving(*, most_streams: int = 2) -> Iterator[tuple[Server, App]]:
    app = App()
    with running(app, most_streams) as server:
        try:
            yield server, app
        finally:
            app.ended.set()


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test reaches with few connections: 12 for 2 phones, and 60 others."""
    monkeypatch.setattr(server_module, "_SPARE_CONNECTIONS", 60)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as (running, _):
        yield running


@pytest.fixture
def clients(server: Server) -> Iterator[Clients]:
    made = Clients(server)
    yield made
    for each in made.sockets:
        each.close()


def answer(client: socket.socket) -> tuple[int, dict[str, Any]]:
    """Return the status and problem document of a response."""
    response = http.client.HTTPResponse(client)
    response.begin()
    return response.status, json.loads(response.read())


def is_answered(client: socket.socket) -> bool:
    """Wait for the end of a response."""
    got = b""
    while not got.endswith(b"fine"):
        if not (more := client.recv(4096)):
            return False
        got += more
    return True


# --- half-open connections


@pytest.mark.parametrize("sent", [b"", HALF_HEADER], ids=["nothing", "half a header"])
def test_half_open_connections_do_not_lock_others_out(server: Server, clients: Clients, sent: bytes) -> None:
    """645 connections on which nothing was sent used to block everyone: the server stopped accepting."""
    for number in range(150):
        clients.connect(1 + number % 5, sent)
    assert clients.get(9) == 200
    assert clients.get(1) == 200  # including a phone behind the same router
    assert len(server.connections) <= server.connections.most


def test_one_address_cannot_take_all_connections(
    monkeypatch: pytest.MonkeyPatch, server: Server, clients: Clients
) -> None:
    """A single phone could open all connections that the server has."""
    monkeypatch.setattr(server.connections, "_per_address", 16)
    for _ in range(60):
        clients.connect(1)
    others = [clients.connect(2) for _ in range(3)]
    assert clients.get(3) == 200
    per_client = Counter(each.client_key for each in server.connections)
    assert per_client["127.0.1.1"] <= 16
    assert per_client["127.0.1.2"] == len(others)


def test_this_machine_has_no_limit_of_its_own(
    monkeypatch: pytest.MonkeyPatch, server: Server, clients: Clients
) -> None:
    """Cameras, devices and a reverse proxy on the machine share the loopback address."""
    monkeypatch.setattr(server.connections, "_per_address", 4)
    for _ in range(12):
        own = socket.create_connection(("127.0.0.1", clients.port))
        clients.sockets.append(own)
    until(lambda: len(server.connections) == 12)


def test_a_paired_phone_keeps_its_idle_connection_in_a_flood(server: Server, clients: Clients) -> None:
    paired = clients.connect(7, b"GET / HTTP/1.1\r\nHost: x\r\nX-Paired: 1\r\n\r\n")
    assert is_answered(paired)
    for number in range(200):
        clients.connect(10 + number % 40)
    paired.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert is_answered(paired)


def test_a_connection_is_no_paired_phones_after_the_phone_was_removed(
    server: Server, clients: Clients
) -> None:
    """Whoever kept the connection open counted as paired for as long."""
    client = clients.connect(7, b"GET / HTTP/1.1\r\nHost: x\r\nX-Paired: 1\r\n\r\n")
    assert is_answered(client)
    (connection,) = server.connections
    assert connection.paired
    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert is_answered(client)
    assert not connection.paired


@pytest.mark.parametrize(
    ("sent", "drip"),
    [
        (b"", b""),
        (HALF_HEADER, b""),
        (HALF_HEADER, b"a"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n", b""),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n", b"a"),
    ],
    ids=[
        "nothing",
        "half a header",
        "a header byte by byte",
        "no body",
        "a slow body",
    ],
)
def test_a_request_that_does_not_arrive_in_time_is_given_up(
    monkeypatch: pytest.MonkeyPatch, sent: bytes, drip: bytes
) -> None:
    """There was no header or body timeout: a byte a second kept a connection forever."""
    monkeypatch.setattr(limits, "HEADER_S", 0.5)
    monkeypatch.setattr(limits, "BODY_IDLE_S", 0.5)
    with serving() as (server, _):
        clients = Clients(server)
        slow = clients.connect(1, sent)
        slow.settimeout(0.1)
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                slow.sendall(drip)
                if slow.recv(10) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            pytest.fail("still open")
        slow.close()


def test_a_stream_is_not_taken_for_an_idle_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("HEADER_S", "KEEP_ALIVE_S", "SEND_IDLE_S"):
        monkeypatch.setattr(limits, limit, 0.1)
    with serving() as (server, app):
        stream = http.client.HTTPConnection("127.0.0.1", int(server.port), timeout=TIMEOUT_S)
        stream.request("GET", "/stream")
        response = stream.getresponse()
        ends = time.monotonic() + 2.5
        while time.monotonic() < ends:
            assert response.read(2**16)
        assert app.streams == 1
        stream.close()


# --- clients that do not read


def test_clients_that_do_not_read_hold_no_threads(server: Server, clients: Clients) -> None:
    """42 threads; each client that asked for a large answer and did not read it used to hold one for as long as it liked."""
    for number in range(60):
        clients.connect(1 + number % 20, b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n", buffer=4096)
    assert clients.get(99) == 200


def test_an_answer_that_nobody_reads_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEND_IDLE_S", 0.5)
    with serving() as (server, app):
        clients = Clients(server)
        for path in ("/big", "/stream"):
            clients.connect(1, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode(), buffer=4096)
        until(lambda: app.streams == 1)
        until(lambda: app.streams == 0 and len(server.connections) == 0)
        for each in clients.sockets:
            each.close()


def test_a_stream_can_be_ended_although_its_client_does_not_read() -> None:
    """A paired phone evicts a watching phone; that phone's thread must become free although the client reads nothing."""
    with serving() as (server, app):
        clients = Clients(server)
        asleep = clients.connect(1, b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", buffer=4096)
        until(lambda: app.streams == 1)
        (connection,) = server.connections
        connection.disconnect()
        until(lambda: app.streams == 0)
        assert is_closed(asleep)
        asleep.close()


def test_clients_that_vanish_leave_nothing_behind(server: Server, clients: Clients) -> None:
    for number in range(100):
        removed = clients.connect(1 + number % 20, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        removed.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"
        )  # a reset instead of a regular close
        removed.close()
    until(lambda: len(server.connections) == 0)
    assert clients.get(1) == 200


# --- requests that are too large


@pytest.mark.parametrize(
    ("request_bytes", "status", "slug"),
    [
        (b"GET / HTTP/1.1\r\nX-Long: " + b"x" * 40_000, 431, "request-header-fields-too-large"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400, "bad-request"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 411, "length-required"),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n",
            413,
            "too-many-bytes",
        ),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3000000\r\n\r\n",
            413,
            "too-many-bytes",
        ),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n"
            b"Content-Length: 200000000\r\n\r\n",
            413,
            "too-many-bytes",
        ),
    ],
)
def test_a_request_that_is_too_large_is_refused_before_its_body(
    clients: Clients, request_bytes: bytes, status: int, slug: str
) -> None:
    got, problem = answer(clients.connect(1, request_bytes))
    assert (got, problem["status"], problem["type"]) == (status, status, f"/problems/{slug}")


def test_a_form_with_pictures_may_be_larger(clients: Clients) -> None:
    head = (
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        b"Content-Length: 3000000\r\n\r\n"
    )
    client = clients.connect(1, head)
    client.sendall(b"x" * 3_000_000)
    assert client.recv(4096).startswith(b"HTTP/1.1 200")


def test_many_uploads_at_once_are_refused(
    monkeypatch: pytest.MonkeyPatch, server: Server, clients: Clients
) -> None:
    """256 MB were received from everybody who sent them, on a disk that may be the machine's memory."""
    monkeypatch.setattr(limits, "_UNPAIRED_ADDRESS_BYTES", 200_000)
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 150000\r\n\r\n"
    first = clients.connect(1, head + b"x" * 140_000)
    until(lambda: sum(server.gateway.budget.unpaired.values()) == 140_000)
    status, problem = answer(clients.connect(1, head + b"x" * 140_000))
    assert (status, problem["type"]) == (503, "/problems/busy")
    other = clients.connect(2, head + b"x" * 150_000)
    assert other.recv(4096).startswith(b"HTTP/1.1 200")
    until(lambda: sum(server.gateway.budget.unpaired.values()) == 140_000)  # the refused body is released
    first.sendall(b"x" * 10_000)
    assert first.recv(4096).startswith(b"HTTP/1.1 200")
    first.close()
    until(lambda: not server.gateway.budget.unpaired)


def test_a_few_requests_at_once_are_answered_and_many_end_the_connection(clients: Clients) -> None:
    one = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    client = clients.connect(1, one * 3)
    got = b""
    while got.count(b"fine") < 3:
        got += client.recv(4096)
    assert is_closed(clients.connect(1, one * 200))
    assert clients.get(1) == 200


# --- fair queue and budgets


class Queue:
    """Requests that wait for turns; each that gets one runs until it is ended."""

    def __init__(self) -> None:
        self.turns = RequestTurns()
        self.started: list[tuple[str, int]] = []
        """The clients and numbers of the requests in the order in which they started."""
        self.running: dict[int, asyncio.Event] = {}
        self.tasks: list[asyncio.Task[None]] = []

    def ask(self, client: str, number: int, *, priority: bool = False) -> None:
        self.tasks.append(asyncio.create_task(self._run(client, number, priority)))

    async def _run(self, client: str, number: int, priority: bool) -> None:
        async with self.turns.turn(client, new_turn(), priority=priority):
            self.started.append((client, number))
            self.running[number] = asyncio.Event()
            await self.running[number].wait()

    async def end(self, number: int) -> None:
        self.running.pop(number).set()
        await settle()

    async def end_all(self) -> None:
        while self.running:
            await self.end(next(iter(self.running)))


def new_turn() -> asyncio.Future[None]:
    return asyncio.get_running_loop().create_future()


async def settle() -> None:
    """Let all tasks run until they wait."""
    for _ in range(10):
        await asyncio.sleep(0)


@given(st.lists(st.sampled_from("abc"), max_size=40))
def test_clients_take_turns_and_nothing_is_lost(clients: list[str]) -> None:
    async def play() -> list[tuple[str, int]]:
        queue = Queue()
        for number in range(MAX_UNPAIRED):  # the threads are busy
            queue.ask("busy", -1 - number)
        await settle()
        for number, client in enumerate(clients):
            queue.ask(client, number)
        await settle()
        assert len(queue.started) == MAX_UNPAIRED
        await queue.end_all()
        return queue.started[MAX_UNPAIRED:]

    started = asyncio.run(play())
    assert sorted(number for _, number in started) == list(range(len(clients)))
    for client in "abc":
        places = [place for place, (name, _) in enumerate(started) if name == client]
        numbers = [started[place][1] for place in places]
        assert numbers == sorted(numbers)
        for before, after in pairwise(places):  # while a client waits, no other client gets two turns
            assert all(
                count == 1 for count in Counter(name for name, _ in started[before + 1 : after]).values()
            )


@given(st.lists(st.sampled_from(["paired", "unpaired", "end"]), max_size=80))
def test_paired_clients_come_first_and_few_others_run_at_once(actions: list[str]) -> None:
    async def play() -> None:
        queue = Queue()
        for number, action in enumerate(actions):
            if action == "end":
                if queue.running:
                    await queue.end(next(iter(queue.running)))
            else:
                queue.ask(action, number, priority=action == "paired")
                await settle()
            asked = Counter(each for each in actions[: number + 1] if each != "end")
            started = Counter(client for client, _ in queue.started)
            running = Counter(client for client, each in queue.started if each in queue.running)
            assert running["unpaired"] <= MAX_UNPAIRED
            assert running.total() <= THREADS
            if started["paired"] < asked["paired"]:
                assert running.total() == THREADS
            elif started["unpaired"] < asked["unpaired"]:
                assert running["unpaired"] == MAX_UNPAIRED or running.total() == THREADS
        await queue.end_all()
        assert len(queue.started) == len(queue.tasks)

    asyncio.run(play())


def test_a_client_that_leaves_gives_its_turn_up() -> None:
    async def play() -> None:
        turns, left = RequestTurns(), new_turn()
        async with AsyncExitStack() as stack:
            for _ in range(MAX_UNPAIRED):
                await stack.enter_async_context(turns.turn("a", new_turn(), priority=False))
            waiting = turns.turn("b", left, priority=False)
            task = asyncio.create_task(waiting.__aenter__())
            await settle()
            left.set_exception(ClientLostError())
            with pytest.raises(ClientLostError):
                await task
        for _ in range(2):  # all turns are free
            async with AsyncExitStack() as stack:
                for _ in range(MAX_UNPAIRED):
                    await stack.enter_async_context(turns.turn("a", new_turn(), priority=False))

    asyncio.run(asyncio.wait_for(play(), TIMEOUT_S))


def test_unpaired_clients_that_are_answered_slowly_do_not_delay_a_paired_one() -> None:
    """50 strangers with slow requests kept the host's event waiting for 15 s."""
    with serving() as (server, app):
        clients = Clients(server)
        for number in range(50):
            clients.connect(1 + number, b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        until(lambda: app.slow == MAX_UNPAIRED)
        paired = clients.connect(99, b"GET / HTTP/1.1\r\nHost: x\r\nX-Paired: 1\r\n\r\n")
        assert is_answered(paired)
        assert app.slow == MAX_UNPAIRED
        app.ended.set()
        for each in clients.sockets[:-1]:
            assert is_answered(each)
        for each in clients.sockets:
            each.close()


def test_streams_of_unpaired_clients_leave_room_for_requests() -> None:
    with serving(most_streams=30) as (server, app):
        clients = Clients(server)
        for number in range(24):
            clients.connect(1 + number, b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", buffer=4096)
        until(lambda: app.streams == 24)
        assert clients.get(99) == 200
        for each in clients.sockets:
            each.close()


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 2**28), st.booleans())))
def test_a_budget_is_empty_when_all_has_been_released(bodies: list[tuple[str, int, bool]]) -> None:
    budget = limits.Budget()
    with ExitStack() as stack:
        for client, count, paired in bodies:
            share = stack.enter_context(budget.share(client, paired=paired))
            share.take(count)
            share.take_file()
        assert budget.paired + sum(budget.unpaired.values()) == sum(count for _, count, _ in bodies)
    assert (budget.paired, budget.unpaired, budget.files) == (0, {}, 0)


# --- the server's end


def test_running_requests_are_finished_before_the_server_ends() -> None:
    """A response larger than the buffers was cut off, because the loop that sends it had ended."""
    with serving() as (server, app):
        clients = Clients(server)
        idle = clients.connect(1, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert is_answered(idle)
        slow = clients.connect(2, b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        big = clients.connect(3, b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n", buffer=4096)
        half = clients.connect(4, HALF_HEADER)
        until(lambda: app.slow == 1 and [each.is_idle for each in server.connections].count(False) == 3)
        server.finish(TIMEOUT_S)
        assert is_closed(idle)
        with pytest.raises(ConnectionRefusedError):
            clients.connect(5)
        half.sendall(b"y: z\r\n\r\n")
        response = http.client.HTTPResponse(half)
        response.begin()
        assert (response.status, response.getheader("Connection")) == (200, "close")
        response = http.client.HTTPResponse(big)
        response.begin()
        assert len(response.read()) == BIG
        app.ended.set()
        assert is_answered(slow)
        for each in clients.sockets:
            each.close()
