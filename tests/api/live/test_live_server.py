"""Streams through the real web server: phones that leave, sleep and return, and a server that restarts."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask

from api.live import cameras, streams
from api.monitoring.background import ProcessReports
from api.serving import gateway
from api.serving.server import Server as WebServer
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import dealt, joined, moved, played_round, send

TIMEOUT_S = 20.0


class Server:
    """The application behind the web server."""

    def __init__(self, data: Path, most_streams: int = 20) -> None:
        self.app: APIFlask = make_app(data, ScannerDouble(), max_streams=most_streams)
        self._server = WebServer(self.app, "127.0.0.1", 0, most_streams=most_streams)
        self.port = int(self._server.port)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()

    def stop(self) -> None:
        context_of(self.app).hub.close()
        self._server.stop()
        self._thread.join(TIMEOUT_S)
        self._server.close()
        context_of(self.app).store.close()
        assert not self._thread.is_alive()

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def submit(self, table: str, *events: Any, **more: Any) -> tuple[int, Any]:
        return self.call("POST", f"/api/tables/{table}/events", {"events": events, **more})

    def open_table(self) -> str:
        _, reported = self.call("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})
        return str(reported["id"])


class Phone:
    """A client of a stream with its own socket."""

    def __init__(
        self, server: Server, table: str, last: int | None = None, buffer: int | None = None
    ) -> None:
        self.socket = socket.socket()
        if buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(TIMEOUT_S)
        self.socket.connect(("127.0.0.1", server.port))
        resumed = "" if last is None else f"Last-Event-ID: {last}\r\n"
        request = f"GET /api/tables/{table}/events HTTP/1.1\r\nHost: localhost\r\n{resumed}\r\n"
        self.socket.sendall(request.encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = dict(
            line.decode().strip().lower().split(": ", 1) for line in iter(self.file.readline, b"\r\n")
        )

    def __iter__(self) -> Iterator[tuple[str, str | None, Any]]:
        fields: dict[str, str] = {}
        for line in self.file:
            key, colon, reported = line.decode().rstrip("\n").partition(": ")
            if colon and key in {"event", "id", "data"}:
                fields[key] = reported
            elif fields and line == b"\n":
                yield fields["event"], fields.get("id"), json.loads(fields["data"])
                fields = {}

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def serving(data: Path, most_streams: int = 20) -> Iterator[Server]:
    server = Server(data, most_streams)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def server(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(gateway, "HEARTBEAT_S", 0.2)
    with serving(data) as running:
        yield running


def test_a_page_gets_a_snapshot_and_then_what_happens(server: Server) -> None:
    table = server.open_table()
    phone = Phone(server, table)
    assert (phone.status, phone.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    following = iter(phone)
    kind, seq, reported = next(following)
    assert (kind, seq) == ("snapshot", "1")
    assert reported["state"]["table"]["id"] == table
    played = played_round()
    snapshot = reported["state"]
    _, answer = server.submit(table, dealt(played))
    kind, seq, reported = next(following)
    assert (kind, seq, reported["after"], reported["seq"]) == ("change", "2", 1, answer["seq"])
    assert (reported["events"], joined(snapshot, reported)) == (answer["events"], answer["state"])
    phone.close()


def test_a_page_that_comes_back_gets_what_it_missed(server: Server) -> None:
    table = server.open_table()
    played = played_round()
    server.submit(table, dealt(played))
    server.submit(table, *moved(played)[:3])
    for last, expected in ((2, ("change", [3, 4, 5])), (5, ("change", []))):
        phone = Phone(server, table, last=last)
        kind, seq, reported = next(iter(phone))
        assert (kind, [event["seq"] for event in reported["events"]], seq) == (*expected, "5")
        phone.close()


@pytest.mark.parametrize("last", ["6", "0", "-1", "x", "99999999999999999999", "²", ""])
def test_an_unknown_last_event_id_gets_a_snapshot(server: Server, last: Any) -> None:
    table = server.open_table()
    phone = Phone(server, table, last=last)
    assert next(iter(phone))[0] == "snapshot"
    phone.close()


def test_pages_that_leave_leave_nothing_behind(server: Server) -> None:
    table = server.open_table()
    threads = threading.active_count()
    for _ in range(3):
        phones = [Phone(server, table) for _ in range(8)]
        for phone in phones:
            next(iter(phone))
        assert server.call("GET", "/api/tables")[1]["tables"][0]["following"] == 8
        for phone in phones:
            phone.close()
        until(lambda: len(context_of(server.app).hub) == 0)
    assert threading.active_count() < threads + 8  # a stream has no thread of its own


def test_a_dead_camera_is_reported_and_scoring_by_hand_continues(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cameras, "SILENT_S", 0.3)
    table = server.open_table()
    phone = Phone(server, table)
    following = iter(phone)
    next(following)
    ctx = context_of(server.app)
    sender = server.app.test_client()
    assert send(sender, f"/api/tables/{table}/camera", state='{"state": "watching"}').status_code == 200
    states = []
    with ProcessReports(ctx.peers, ctx.cameras, ctx.driver, ctx.scanned, ctx.hub):
        while "silent" not in states:
            kind, _, reported = next(following)
            assert kind == "camera"
            states.append(reported["state"])
    assert states == ["watching", "silent"]
    assert server.submit(table, dealt(played_round()))[0] == 200
    assert next(following)[0] == "change"
    phone.close()


def test_one_page_too_many_is_asked_to_wait(data: Path) -> None:
    with serving(data, most_streams=2) as server:
        table = server.open_table()
        phones = [Phone(server, table) for _ in range(3)]
        assert [phone.status for phone in phones] == [200, 200, 503]
        assert int(phones[2].headers["retry-after"]) > 0
        assert server.call("GET", f"/api/tables/{table}")[0] == 200
        for phone in phones:
            phone.close()


def test_a_page_that_does_not_read_holds_nobody_up(server: Server) -> None:
    table = server.open_table()
    asleep, awake = Phone(server, table, buffer=4096), Phone(server, table)
    following = iter(awake)
    next(following)
    hub = context_of(server.app).hub
    large = streams.message("camera", json.dumps({"filler": "x" * 200_000}))
    for _ in range(100):
        hub.publish(table, large)
        assert next(following)[0] == "camera"
    status, _ = server.submit(table, dealt(played_round()))
    assert (status, next(following)[:2]) == (200, ("change", "2"))
    # The sleeping client wakes up: after the messages already sent, it gets the current state.
    kinds = []
    for kind, _, reported in asleep:
        kinds.append(kind)
        if reported.get("seq") == 2:
            break
    assert kinds[-1] == "resync"
    assert len(kinds) < 100
    asleep.close()
    awake.close()


def test_of_two_reports_of_the_next_event_one_is_out_of_step(server: Server) -> None:
    table = server.open_table()
    played = played_round()
    barrier = threading.Barrier(4)
    answers: list[int] = []

    def write() -> None:
        barrier.wait()
        answers.append(server.submit(table, dealt(played), expect=1)[0])

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(TIMEOUT_S)
    assert sorted(answers) == [200, 409, 409, 409]
    assert server.call("GET", f"/api/tables/{table}")[1]["seq"] == 2


def test_a_request_sent_twice_at_once_counts_once(server: Server) -> None:
    table = server.open_table()
    played = played_round()
    answers: list[Any] = []
    writers = [
        threading.Thread(
            target=lambda: answers.append(server.submit(table, dealt(played), expect=1, key="k"))
        )
        for _ in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(TIMEOUT_S)
    assert [answer[0] for answer in answers] == [200] * 4
    assert all(answer[1] == answers[0][1] for answer in answers)


def test_tables_keep_their_own_streams(server: Server) -> None:
    tables = [server.open_table() for _ in range(3)]
    phones = [Phone(server, table) for table in tables]
    following = [iter(phone) for phone in phones]
    for each in following:
        next(each)
    for table in reversed(tables):
        server.submit(table, dealt(played_round()))
    for table, each in zip(tables, following, strict=True):
        kind, _, reported = next(each)
        assert (kind, reported["state"]["table"]["id"]) == ("change", table)
    for phone in phones:
        phone.close()


def test_a_server_restarted_in_the_middle_goes_on_where_it_was(data: Path) -> None:
    played = played_round()
    with serving(data) as before:
        table = before.open_table()
        phone = Phone(before, table)
        following = iter(phone)
        next(following)
        before.submit(table, dealt(played), key="k")
        assert next(following)[1] == "2"
    assert list(following) == []  # the stream has ended because the server stopped
    phone.close()
    with serving(data) as after:
        after.submit(table, dealt(played), key="k")  # the response was lost, so the request is repeated
        after.submit(table, moved(played)[0])
        phone = Phone(after, table, last=2)
        kind, seq, missed = next(iter(phone))
        assert (kind, seq, [event["seq"] for event in missed["events"]]) == ("change", "3", [3])
        assert after.call("GET", f"/api/tables/{table}")[1]["state"] == missed["state"]
        phone.close()
