"""Faults of the log reach all pages and programs at once."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.monitoring.background import Monitor
from companion.store import sqlite_database
from companion.store import store as store_module
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import PHONE, dealt, messages, open_table, played_round, submit
from tests.real_server import RealServer
from tests.small_disk import small_disk


def codes(client: FlaskClient) -> list[str]:
    return [each["code"] for each in client.get("/api/health").json["notices"]]


def test_health_answers_everybody(client: FlaskClient) -> None:
    health = client.get("/api/health", environ_base=PHONE).json
    assert (health["status"], health["notices"], health["may_dismiss"]) == ("ok", [], False)
    assert health["log"].keys() == {"fault", "age"}


def test_a_notice_stays_until_a_host_dismisses_it(app: APIFlask, client: FlaskClient, data: Path) -> None:
    """Repairs of the log are reported on every page, also after a restart."""
    context_of(app).notices.add("log-repaired")
    (notice,) = client.get("/api/health").json["notices"]
    assert notice["message"].startswith("The log had damaged indexes")
    context_of(app).store.close()
    again = make_app(data, ScannerDouble())
    try:
        after = again.test_client()
        assert codes(after) == ["log-repaired"]
        url = f"/api/health/notices/{notice['id']}"
        assert after.delete(url, environ_base=PHONE).status_code == 403
        assert codes(after) == ["log-repaired"]
        assert after.delete(url).status_code == 204
        assert codes(after) == []
    finally:
        context_of(again).store.close()


def test_a_damaged_page_stops_only_what_needs_it(app: APIFlask, client: FlaskClient, data: Path) -> None:
    """One damaged page meant 500 everywhere, health included."""
    assert client.put("/api/rules/House", json={"rules": "koikoi-hu"}).status_code == 200
    table = open_table(client)
    context_of(app).store.close()
    path = data / "log.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'house_rules'").fetchone()[0]
        size = db.execute("PRAGMA page_size").fetchone()[0]
    again = make_app(data, ScannerDouble())  # it was intact when it was checked
    try:
        after = again.test_client()
        with path.open("r+b") as file:
            file.seek((root - 1) * size)
            file.write(b"\xa5" * size)
        refused = after.get("/api/rules")
        assert (refused.status_code, refused.json["type"]) == (503, "/problems/log-not-read")
        assert "restore a backup" in refused.json["detail"]
        assert after.get("/api/health").status_code == 200
        assert after.get(f"/api/tables/{table}").status_code == 200
        assert submit(after, table, dealt(played_round())).status_code == 200
    finally:
        context_of(again).store.close()


@contextmanager
def locked(data: Path) -> Iterator[None]:
    with closing(sqlite3.connect(data / "log.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


def test_a_locked_log_is_reported_as_such(
    client: FlaskClient, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was reported as a full disk (507), and every page waited for 15 s."""
    monkeypatch.setattr(sqlite_database, "BUSY_S", 0.05)
    monkeypatch.setattr(store_module, "_FAULT_CHECK_S", -1.0)
    table = open_table(client)
    with locked(data):
        refused = submit(client, table, dealt(played_round()), key="k")
        assert (refused.status_code, refused.json["type"]) == (503, "/problems/log-busy")
        assert int(refused.headers["Retry-After"]) >= 1
        assert client.get(f"/api/tables/{table}").status_code == 200
        assert codes(client) == ["log-busy"]
    assert submit(client, table, dealt(played_round()), key="k").status_code == 200
    assert codes(client) == []


def test_every_open_page_is_notified_of_changes(app: APIFlask, client: FlaskClient, data: Path) -> None:
    """A page that follows a table fetches the notices again when they change."""
    table = open_table(client)
    stream = client.get(f"/api/tables/{table}/events", buffered=False)
    following = messages(stream)
    assert next(following)[0] == "snapshot"
    context = context_of(app)
    with Monitor(context.store, context.notices, context.hub):
        for path in data.glob("log.sqlite3*"):
            path.unlink()
        assert next(following)[0] == "notices"
    assert codes(client) == ["log-replaced"]
    stream.close()


# --- the real server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RealServer]:
    server = RealServer(tmp_path / "data")
    server.start()
    yield server
    server.stop()


def test_a_database_deleted_under_the_server_is_refused_and_the_backup_restored(server: RealServer) -> None:
    """The server answered 201, and after the next start the table was gone."""
    players = {"game": "koikoi", "players": ["Aiko", "Ben"]}
    status, opened = server.request("POST", "/api/tables", players)
    assert status == 201
    made = subprocess.run(
        [sys.executable, "-m", "companion.cli", "log", "backup", "--data", str(server.folder)],
        check=False,
        capture_output=True,
    )
    assert made.returncode == 0, made.stderr
    for path in server.folder.glob("log.sqlite3*"):
        path.unlink()
    assert server.request("POST", "/api/tables", players)[0] == 507
    assert server.request("GET", f"/api/tables/{opened['id']}")[0] == 200
    server.kill()
    server.start()
    assert server.request("GET", f"/api/tables/{opened['id']}")[0] == 200
    _, health = server.request("GET", "/api/health")
    assert [each["code"] for each in health["notices"]] == ["log-restored"]


@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_a_server_on_a_disk_that_cannot_be_written_starts_and_recovers(tmp_path: Path, fault: str) -> None:
    """A full disk was called damage, and a read-only one ended the server, in both cases only with a line in the system's log."""
    with small_disk(8) as disk:
        data = disk.folder / "data"
        app = make_app(data, ScannerDouble())
        url = f"/api/tables/{open_table(app.test_client())}"
        context_of(app).close()
        break_disk: Callable[[], None] = disk.fill
        mend: Callable[[], None] = disk.free
        if fault == "read-only":
            break_disk, mend = partial(disk.allow_writing, False), partial(disk.allow_writing, True)
        break_disk()
        server = RealServer(data, errors=tmp_path / "errors")
        server.start()
        try:
            _, health = server.request("GET", "/api/health")
            assert health["log"]["fault"] == fault
            assert [each["code"] for each in health["notices"]] == [f"log-{fault}"]
            assert server.request("GET", "/")[0] == 200
            assert server.request("GET", url)[0] == 200
            status, refused = server.request(
                "POST", "/api/tables", {"game": "koikoi", "players": ["Aki", "Ren"]}
            )
            assert (status, refused["reason"]) == (507, fault), refused
            for _ in range(50):
                server.request("POST", "/api/tables", {"game": "koikoi", "players": ["Aki", "Ren"]})
            mend()
            deadline = time.monotonic() + 60
            while server.request("GET", "/api/health")[1]["notices"]:
                assert time.monotonic() < deadline
                time.sleep(0.1)
            assert (
                server.request("POST", "/api/tables", {"game": "koikoi", "players": ["Aki", "Ren"]})[0] == 201
            )
            assert server.request("GET", url)[0] == 200
        finally:
            assert server.stop() == 0
        errors = (tmp_path / "errors").read_text(encoding="utf-8")
        assert "Traceback" not in errors
        assert len(errors.splitlines()) < 20
        assert not list(data.glob("*damaged*"))


def test_a_camera_gets_its_table_once_there_is_space(tmp_path: Path) -> None:
    """The first start of `companion serve --camera` on a full disk ended, because no table could be opened."""
    with small_disk(8) as disk:
        disk.fill()
        server = RealServer(
            disk.folder / "data", errors=tmp_path / "errors", options=["--camera", str(tmp_path / "frames")]
        )
        server.start()
        try:
            assert server.request("GET", "/api/tables")[1]["tables"] == []
            disk.free()
            deadline = time.monotonic() + 60
            while not (answer := server.request("GET", "/api/tables")[1]).get("tables"):
                assert "tables" in answer, answer
                assert time.monotonic() < deadline
                time.sleep(0.1)
        finally:
            assert server.stop() == 0
        errors = (tmp_path / "errors").read_text(encoding="utf-8")
        assert "the camera has to wait for its table" in errors
        assert "Traceback" not in errors


def test_the_demo_has_a_data_folder_of_its_own(tmp_path: Path) -> None:
    """`make run` added demo games to those of real evenings."""
    script = "from companion.store import default_folder, demo_folder; print(default_folder()); print(demo_folder())"
    output = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
    )
    real, demo = map(Path, output.stdout.split("\n")[:2])
    assert demo != real
    assert not demo.is_relative_to(real)


def test_a_full_disk_is_reported_within_a_second(tmp_path: Path) -> None:
    """A real server on a real small disk reports the fault, and recovers when there is space again."""
    mount = tmp_path / "small"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(mount)]
    if sys.platform != "linux" or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a file system")
    server = RealServer(mount / "data")
    server._errors = tmp_path / "stderr"
    try:
        server.start()
        status, opened = server.request("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})
        assert status == 201
        filler = mount / "photographs"
        with filler.open("wb", buffering=0) as file:
            file.truncate(0)
            shutil.copyfileobj(_Zeros(shutil.disk_usage(mount).free), file)
        assert _fault_within(server, "full")
        seated = {"events": [{"kind": "seated", "data": {"seat": 1, "name": "A" * 30}}], "key": "k"}
        status, refused = server.request("POST", f"/api/tables/{opened['id']}/events", seated)
        if status != 200:  # there may be room left in pages that the database has already
            assert (status, refused["reason"]) == (507, "full")
        assert server.request("GET", f"/api/tables/{opened['id']}")[0] == 200
        filler.unlink()
        assert _fault_within(server, None)
        assert server.request("POST", f"/api/tables/{opened['id']}/events", seated)[0] == 200
        server.stop()
    finally:
        if server._process is not None and server._process.poll() is None:
            server.kill()
        subprocess.run(["umount", str(mount)], check=True)


class _Zeros:
    """Write a file of this many zeros."""

    def __init__(self, size: int) -> None:
        self._left = size

    def read(self, size: int = -1) -> bytes:
        taken = min(size if size >= 0 else self._left, self._left)
        self._left -= taken
        return bytes(taken)


def _fault_within(server: RealServer, fault: str | None) -> bool:
    """Return whether health reports the fault in time; the limit is generous because the machine may be busy."""
    end = time.monotonic() + 15
    while time.monotonic() < end:
        if server.request("GET", "/api/health")[1]["log"]["fault"] == fault:
            return True
        time.sleep(0.1)
    return False
