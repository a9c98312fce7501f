"""A real server in this process, and a device process beside it, for the tests of devices."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from api.context import EXTENSION, Context
from api.serving.server import Server
from companion.net.client import Client
from hardware.worker.device_worker import DeviceWorker
from tests.api.api_helpers import make_app
from tests.hardware.wait_until import until

TIMEOUT_S = 20.0

FIELD = "cherry-curtain plum-ribbon chrysanthemum-chaff-1 iris-bridge peony-ribbon clover-boar susuki-moon maple-deer"


def moved(player: int, words: str) -> dict[str, Any]:
    return {"kind": "moved", "data": {"player": player, "words": words.split()}}


#: Aiko captures sake cup and moon: she has a yaku and is to decide.
DECIDING: tuple[dict[str, Any], ...] = (
    {"kind": "dealt", "data": {"deal": {"field": FIELD.split()}, "dealer": 1}},
    moved(1, "play chrysanthemum-sake chrysanthemum-chaff-1"),
    moved(1, "draw susuki-geese susuki-moon"),
)


class Served:
    """The application behind the web server; it can be stopped and started again on the same port, with the same log."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = 0
        self.posted: list[tuple[str, dict[str, Any]]] = []
        """The last part of the path and the body of every press and scan that came."""
        self.requests: list[str] = []
        """The path of every request."""
        self.answers_lost = 0
        """So many presses and scans are taken, and the answer is lost."""
        self._blocked: dict[str, threading.Event] = {}
        self.start()

    def hold(self, device: str) -> threading.Event:
        """Hold back what a device sends until the event is set."""
        return self._blocked.setdefault(device, threading.Event())

    def start(self) -> None:
        self.app = make_app(self.data)
        inner = self.app.wsgi_app

        def outer(environ: dict[str, Any], start: Any) -> Any:
            self.requests.append(environ["PATH_INFO"])
            what = environ["PATH_INFO"].rpartition("/")[2]
            if environ["REQUEST_METHOD"] != "POST" or what not in {"presses", "scans"}:
                return inner(environ, start)
            body = environ["wsgi.input"].read()
            environ["wsgi.input"] = io.BytesIO(body)
            self.posted.append((what, json.loads(body)))
            if (blocked := self._blocked.get(self.posted[-1][1]["device"])) is not None:
                blocked.wait(TIMEOUT_S)
            if self.answers_lost:
                self.answers_lost -= 1
                for _ in inner(environ, lambda *_: None):
                    pass
                start("503 Lost", [("Content-Type", "application/json")])
                return [b"{}"]
            return inner(environ, start)

        self.app.wsgi_app = outer  # type: ignore[method-assign]
        until(self._listens)
        self.port = int(self._server.port)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()

    def _listens(self) -> bool:
        """Take the port; after a stop some other test's connection may have it for a moment."""
        try:
            self._server = Server(self.app, "127.0.0.1", self.port, most_streams=10)
        except OSError:
            return False
        return True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def context(self) -> Context:
        context: Context = self.app.extensions[EXTENSION]
        return context

    def stop(self) -> None:
        self.context.hub.close()
        self._server.stop()
        self._thread.join(TIMEOUT_S)
        assert not self._thread.is_alive()
        self._server.close()
        self.context.driver.close()
        self.context.store.close()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            reported = json.loads(response.read())
            assert response.status < 300, reported
            return reported
        finally:
            connection.close()

    def open_table(self, *events: dict[str, Any]) -> str:
        table = str(self.call("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})["id"])
        self.submit(table, *events)
        return table

    def submit(self, table: str, *events: dict[str, Any]) -> None:
        if events:
            self.call("POST", f"/api/tables/{table}/events", {"events": events})

    def events(self, table: str) -> list[Any]:
        """What has happened at a table: the events as they are kept."""
        with self.context.tables.at(table) as found:
            return list(found.events)

    def calls(self, table: str) -> list[str]:
        """The calls made at a table."""
        return [
            event.data["words"][1]
            for event in self.events(table)
            if event.kind == "moved" and event.data["words"][0] == "call"
        ]

    def configure(self, *devices: dict[str, Any]) -> None:
        revision = self.call("GET", "/api/devices")["revision"]
        self.call("PUT", "/api/devices", {"revision": revision, "devices": list(devices)})

    def status(self, name: str) -> dict[str, Any]:
        """The status of a device as last reported by the device process."""
        (found,) = (each for each in self.call("GET", "/api/devices")["devices"] if each["name"] == name)
        return found["status"] or {"state": None}

    def state(self, name: str) -> str | None:
        """In which state it is."""
        state: str | None = self.status(name)["state"]
        return state


@contextmanager
def working(url: str) -> Iterator[io.StringIO]:
    """Run the device process in this one; what it complains of."""
    err = io.StringIO()
    stop = threading.Event()
    with Client(url) as client:
        thread = threading.Thread(target=DeviceWorker(client, err=err).run, args=(stop,))
        thread.start()
        try:
            yield err
        finally:
            stop.set()
            thread.join(TIMEOUT_S)
            assert not thread.is_alive()
