"""The camera worker: its messages to the server of its table, and its behavior while the server or the camera is unavailable."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest
from werkzeug.formparser import parse_form_data

from companion.hanafuda.errors import BadRequestError
from companion.net.client import AwayError, RefusedError
from companion.observations import HandEvent, Observation, TrackedCard
from tests.http_double import HttpDouble
from tests.message_text import raises_text
from vision.sources.frames import Frame, FrameSource, SourceState
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.table_view import TableView
from vision.worker.client import TableClient
from vision.worker.loop import CameraWorker
from vision.worker.uplink import Uplink


def until(true: Callable[[], object], patience: float = 30.0) -> None:
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "no message arrived in time"
        time.sleep(0.005)


class Server:
    """An API of a table that records requests and fails on demand: it answers with `status` if that is not 200, and waits if `slow` is set."""

    def __init__(self) -> None:
        self.observations: list[dict[str, Any]] = []
        self.reports: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.pictures: list[bytes] = []
        self.tokens: set[str | None] = set()
        self.layout: dict[str, Any] | None = None
        self.revision = 0
        self.goes_on_at = "abc"
        self.reported_at: list[str] = []
        self.status = 200
        self.retry_after: str | None = None
        self.refuses_events = 0
        self.slow = threading.Event()
        self.slow.set()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.endswith("/layout"):
                    self._answer({"layout": server.layout})
                else:
                    self._answer({"seq": 1, "state": {"table": {"game": "koikoi"}}})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.slow.wait(10)
                server.tokens.add(self.headers.get("Authorization"))
                server.reported_at.append(self.path.split("/")[3])
                if server.status != 200:
                    self._answer({"detail": "rejected"})
                elif self.path.endswith("/events"):
                    server.refuses_events -= 1
                    if server.refuses_events >= 0:
                        self._answer({"title": "illegal"}, 422)
                    else:
                        server.events += json.loads(body)["events"]
                        self._answer({"seq": 2})
                else:
                    self._take(body)

            def _take(self, body: bytes) -> None:
                environ = {
                    "REQUEST_METHOD": "POST",
                    "CONTENT_TYPE": self.headers["Content-Type"],
                    "CONTENT_LENGTH": str(len(body)),
                    "wsgi.input": io.BytesIO(body),
                }
                _, form, files = parse_form_data(environ)
                if "frame" in files:
                    server.pictures.append(files["frame"].read())
                    files["frame"].close()
                if self.path.endswith("/observations"):
                    server.observations.append(json.loads(form["observation"]))
                    self._answer({"seq": 1, "events": []})
                else:
                    server.reports.append(json.loads(form["state"]))
                    self._answer({"layout": server.revision, "table": server.goes_on_at})

            def _answer(self, answer: dict[str, Any], status: int | None = None) -> None:
                data = json.dumps(answer).encode()
                self.send_response(status or server.status)
                self.send_header("Content-Length", str(len(data)))
                if server.retry_after is not None:
                    self.send_header("Retry-After", server.retry_after)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._double = HttpDouble(Handler)
        self.url = f"{self._double.url}/t/abc"

    def close(self) -> None:
        self.slow.set()
        self._double.close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture
def uplink(server: Server) -> Iterator[Uplink]:
    made = Uplink(TableClient(server.url, "secret"), first_wait=0.02, err=io.StringIO())
    yield made
    made.close()


def observation(name: str, *hand_events: float, notes: tuple[str, ...] = ()) -> Observation:
    card = TrackedCard(1, "pine-crane", (("pine-crane", 0.9),), "field", (1.0, 2.0))
    quads = {"1": [[0, 0], [10, 0], [10, 20], [0, 20]]}
    hands = tuple(HandEvent(time, (0.0, 0.0), 1) for time in hand_events)
    return Observation(name, 0.0, (card,), hands, notes=notes, extra={"quads": quads, "size": [320, 180]})


# --- the client


@pytest.mark.parametrize(
    "url",
    [
        "http://box:8420/t/abc",
        "http://box:8420/t/abc/seat/1?x=1#y",
        "http://box:8420/api/tables/abc",
    ],
)
def test_addresses_of_tables_as_users_copy_them(url):
    assert TableClient(url).url == "http://box:8420/api/tables/abc"


def test_after_the_end_of_a_game_messages_go_to_the_next_table(server):
    client = TableClient(server.url)
    client.send_camera_state({"state": "watching"}, None)
    server.goes_on_at = "next"
    client.send_camera_state({"state": "watching"}, None)
    client.send_event({"kind": "moved", "data": {}})
    assert server.reported_at == ["abc", "abc", "next"]


@pytest.mark.parametrize(
    "url", ["box", "http://box:8420/", "ftp://box/t/abc", "http://box/api/tables", "/t/abc"]
)
def test_other_addresses_are_rejected(url):
    with raises_text(BadRequestError, match="not a table's address"):
        TableClient(url)


def test_observations_and_camera_states_arrive_unchanged(server):
    client = TableClient(server.url, "secret")
    sent = observation("f1", 0.5)
    client.send_observation(sent, b"\xff\xd8 picture \r\n--x")
    assert Observation.from_json(server.observations[0]).to_json() == sent.to_json()
    assert server.pictures == [b"\xff\xd8 picture \r\n--x"]
    server.revision = 7
    assert client.send_camera_state({"state": "watching"}, None) == 7
    assert server.reports == [{"state": "watching"}]
    assert server.tokens == {"Bearer secret"}
    assert client.layout() is None
    server.layout = {"zones": []}
    assert client.layout() == {"zones": []}


@pytest.mark.parametrize(
    ("status", "error"), [(503, AwayError), (429, AwayError), (403, RefusedError), (422, RefusedError)]
)
def test_a_rejected_request_is_distinguished_from_a_busy_server(server, status, error):
    server.status = status
    with pytest.raises(error, match="rejected"):
        TableClient(server.url).send_camera_state({}, None)


def test_an_unreachable_server_is_reported_as_away():
    with raises_text(AwayError, match="does not answer"):
        TableClient("http://127.0.0.1:9/t/abc").table()


# --- the uplink


def test_while_the_server_is_away_the_latest_observation_is_kept_with_the_hands_of_all(server, uplink):
    server.status = 503
    uplink.send_observation(observation("f1", 1.0, notes=("light-changed",)), b"1")
    time.sleep(0.05)
    uplink.send_observation(observation("f2", 2.0), b"2")
    uplink.send_observation(observation("f3", 3.0, notes=("camera-moved",)), b"3")
    time.sleep(0.1)
    assert not server.observations
    server.status = 200
    until(lambda: server.observations)
    (came,) = server.observations
    assert came["frame"] == "f3"
    assert [reach["time"] for reach in came["hand_events"]] == [1.0, 2.0, 3.0]
    assert came["notes"] == ["light-changed", "camera-moved"]
    assert server.pictures == [b"3"]


def test_the_last_state_of_the_camera_arrives_although_the_server_was_away(server, uplink):
    server.status = 503
    uplink.send_camera_state({"state": "ended"}, None)
    until(lambda: len(server.reported_at) > 1)
    server.status = 200
    until(lambda: server.reports)
    assert server.reports == [{"state": "ended"}]


def test_a_server_that_says_when_to_try_again_is_asked_then(server):
    """Another process takes over the table; a wait that doubles each time would take longer than that."""
    server.status, server.retry_after = 503, "0"
    uplink = Uplink(TableClient(server.url), first_wait=1000.0, err=io.StringIO())
    uplink.send_observation(observation("f1"), b"1")
    until(lambda: len(server.reported_at) > 3)
    server.status = 200
    until(lambda: server.observations)
    uplink.close()


@pytest.mark.parametrize(
    ("header", "seconds"), [("3", 3.0), (None, None), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None)]
)
def test_when_to_try_again_is_in_the_error(server, header, seconds):
    server.status, server.retry_after = 503, header
    with pytest.raises(AwayError) as raised:
        TableClient(server.url).table()
    assert raised.value.retry_after_s == seconds


def test_a_hanging_server_does_not_block_the_worker(server, uplink):
    server.slow.clear()
    uplink.send_observation(observation("f1"), b"1")
    began = time.monotonic()
    for number in range(50):
        uplink.send_camera_state({"state": "watching", "number": number}, None)
    assert time.monotonic() - began < 2  # waiting for any of them would take much longer
    server.slow.set()
    until(lambda: server.reports and server.reports[-1]["number"] == 49)
    assert len(server.reports) <= 2
    assert [each["frame"] for each in server.observations] == ["f1"]


def test_a_rejected_observation_is_dropped_and_the_next_is_sent(server, uplink):
    server.status = 422
    uplink.send_observation(observation("f1"), b"1")
    time.sleep(0.1)
    server.status = 200
    uplink.send_observation(observation("f2"), b"2")
    until(lambda: server.observations)
    assert [each["frame"] for each in server.observations] == ["f2"]


def test_a_fault_and_its_end_are_printed_once(server):
    err = io.StringIO()
    uplink = Uplink(TableClient(server.url), first_wait=0.01, err=err)
    server.status = 503
    uplink.send_observation(observation("f1"), b"1")
    time.sleep(0.15)
    server.status = 200
    until(lambda: server.observations)
    until(lambda: "again" in err.getvalue())
    uplink.close()
    assert [line.removeprefix("companion watch: ") for line in err.getvalue().splitlines()] == [
        "rejected",
        "the server responds again",
    ]


def test_a_new_layout_is_fetched_and_returned_once(server, uplink):
    server.revision, server.layout = 3, {"zones": [1]}
    uplink.send_camera_state({"state": "watching"}, None)
    until(lambda: server.reports)
    found: list[Any] = []
    until(lambda: (came := uplink.new_layout()) is not None and found.append(came) is None)
    assert found == [({"zones": [1]},)]
    uplink.send_camera_state({"state": "watching"}, None)
    until(lambda: len(server.reports) == 2)
    assert uplink.new_layout() is None


def test_spoken_announcements_are_sent_after_the_observation_they_refer_to(server, uplink):
    server.refuses_events = 2
    uplink.send_event({"kind": "moved", "data": {}})
    for number in range(4):
        uplink.send_camera_state({"state": "watching", "number": number}, None)
        until(lambda number=number: server.reports and server.reports[-1]["number"] == number)
    until(lambda: server.events)
    assert server.events == [{"kind": "moved", "data": {}}]


def test_closing_sends_pending_messages(server):
    uplink = Uplink(TableClient(server.url), err=io.StringIO())
    uplink.send_observation(observation("f1"), b"1")
    uplink.send_camera_state({"state": "ended"}, None)
    uplink.close()
    assert [each["frame"] for each in server.observations] == ["f1"]
    assert server.reports == [{"state": "ended"}]


# --- the worker


class Source(FrameSource):
    """A source with a script: the brightness of a frame, or a state without a frame."""

    def __init__(self, *script: int | SourceState) -> None:
        self._script = list(script)
        self._state: SourceState = "opening"
        self._number = 0

    @property
    def state(self) -> SourceState:
        return self._state

    @property
    def fault(self) -> str | None:
        return "no camera 0" if self._state in {"absent", "back-off"} else None

    def next(self, wait: float = 1.0) -> Frame | None:
        step = self._script.pop(0) if self._script else "ended"
        if isinstance(step, str):
            self._state = step
            return None
        self._state, self._number = "live", self._number + 1
        halves = np.full((180, 320, 3), step, np.uint8)
        halves[:, 160:] //= 2
        return Frame(f"f{self._number}", self._number / 2, bgr=halves)

    def close(self) -> None:
        self._state = "ended"


class Watcher:
    card_px = 20.0
    unknown = None

    def __init__(self) -> None:
        self.layouts: list[Any] = []

    def observe(self, settled) -> Observation:
        return observation(settled.frame.name)

    def observe_motion(self, frame) -> None:
        pass

    def objects(self, frame) -> None:
        pass

    def view_of_table(self, bgr, objects) -> tuple[bool, None]:
        return True, None

    def set_layout(self, layout: Any) -> None:
        if layout == "bad":
            raise BadRequestError("a layout is an object")
        self.layouts.append(layout)

    def zones(self) -> list[dict[str, Any]]:
        return [{"zone": "field", "polygon": [[0, 0], [0.5, 0], [0.5, 1]]}]


class Sent:
    """An uplink that records its messages."""

    def __init__(self) -> None:
        self.observations: list[tuple[Observation, bytes]] = []
        self.reports: list[tuple[dict[str, Any], bytes | None]] = []
        self.layouts: list[tuple[Any]] = []

    def send_observation(self, observation: Observation, jpeg: bytes) -> None:
        self.observations.append((observation, jpeg))

    def send_camera_state(self, state: dict[str, Any], jpeg: bytes | None) -> None:
        self.reports.append((state, jpeg))

    def new_layout(self) -> tuple[Any] | None:
        return self.layouts.pop(0) if self.layouts else None


def worked(source: Source, sent: Sent, watcher: Watcher | None = None) -> Sent:
    watcher = watcher or Watcher()
    clock = iter(range(10_000))
    worker = CameraWorker(
        source,
        CameraLoop(source, watcher, TableView(watcher)),  # type: ignore[arg-type]
        watcher,
        sent,  # type: ignore[arg-type]
        name="camera 0",
        clock=lambda: next(clock) / 100,
    )
    worker.run(threading.Event())
    return sent


def test_each_stable_table_is_sent_with_its_picture(server):
    sent = worked(Source(100, 100, 10, 200, 200), Sent())
    assert [(each.frame, picture[:2]) for each, picture in sent.observations] == [
        ("f2", b"\xff\xd8"),
        ("f5", b"\xff\xd8"),
    ]


def test_the_state_of_the_camera_is_sent_when_it_changes():
    sent = worked(Source("opening", "absent", "absent", 100, 100, 100, "back-off", 100), Sent())
    sent_states = [(state["state"], state.get("message")) for state, _ in sent.reports]
    assert sent_states == [
        ("starting", None),
        ("failed", "no camera 0"),
        ("hands", None),
        ("watching", None),
        ("failed", "no camera 0"),
        ("watching", None),
        ("ended", None),
    ]
    states = {state["state"]: state for state, _ in sent.reports}
    assert states["watching"]["source"] == "camera 0"
    assert states["watching"]["size"] == [320, 180]
    assert states["watching"]["quads"] == [
        {"card": "pine-crane", "key": 1, "quad": [[0, 0], [10, 0], [10, 20], [0, 20]]}
    ]
    assert states["watching"]["zones"] == [{"zone": "field", "polygon": [[0, 0], [160, 0], [160, 180]]}]
    assert states["watching"]["fps"] > 0
    assert states["watching"]["frame_age_ms"] >= 0


def test_only_a_new_picture_is_sent_with_the_state_of_the_camera():
    sent = worked(Source("absent", 100, "stale", "back-off"), Sent())
    assert [picture is not None for _, picture in sent.reports] == [False, True, False, False, False]


def test_valid_new_zones_are_applied_and_invalid_ones_are_ignored(capsys):
    sent, watcher = Sent(), Watcher()
    sent.layouts = [({"zones": []},), ("bad",), (None,)]
    worked(Source(100, 100, 100, 100), sent, watcher)
    assert watcher.layouts == [{"zones": []}, None]
    assert "unchanged: a layout is an object" in capsys.readouterr().err
