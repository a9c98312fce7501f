"""Health reports check the log on the disk, not a cache."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from companion.store import LogWriteError
from companion.store import store as store_module
from companion.store.store import Store
from tests.api.api_helpers import context_of, stored_files
from tests.api.table_helpers import PHONE, dealt, open_table, played_round, send, submit


@pytest.fixture(autouse=True)
def _every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_CHECK_S", -1.0)


def test_health_reports_the_newest_stored_event(client: FlaskClient) -> None:
    table = open_table(client)
    url = f"/api/tables/{table}/health"
    assert client.get(url).json["log"]["seq"] == 1
    reported = submit(client, table, dealt(played_round())).json
    health = client.get(url, environ_base=PHONE).json
    assert health["log"].keys() == {"seq", "saved", "age", "fault"}
    assert (health["log"]["seq"], health["log"]["saved"]) == (2, reported["events"][0]["time"])
    assert 0 <= health["log"]["age"] < 60
    assert health["log"]["fault"] is None
    assert (health["camera"], health["worker"]) == ("absent", None)
    send(client, f"/api/tables/{table}/camera", state='{"state": "watching"}')
    assert client.get(url).json["camera"] == "watching"


def test_no_such_table_has_none(client: FlaskClient) -> None:
    assert client.get("/api/tables/nowhere/health").status_code == 404


def test_trying_leaves_nothing_behind(app: APIFlask, data: Path) -> None:
    log = context_of(app).store
    listed = "SELECT name FROM sqlite_master ORDER BY name"
    tables, files = log.database.writer.execute(listed).fetchall(), {path.name for path in data.rglob("*")}
    for _ in range(3):
        assert log.fault() is None
    assert log.database.writer.execute(listed).fetchall() == tables
    assert {path.name for path in data.rglob("*")} == files
    assert stored_files(data) == []


def _full(data: Path, log: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)


def _full_database(data: Path, log: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = log.database.writer.execute("PRAGMA page_count").fetchone()[0]
    log.database.writer.execute(f"PRAGMA max_page_count = {pages}")


def _locked(data: Path, log: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    log.database.writer.execute("PRAGMA query_only = ON")


def _replaced(data: Path, log: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(data / "log.sqlite3", data / "copy")
    (data / "copy").replace(data / "log.sqlite3")


@pytest.mark.parametrize("fault", [_full, _full_database, _locked, _replaced])
def test_a_log_that_cannot_be_written_is_reported(
    app: APIFlask,
    client: FlaskClient,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[[Path, Store, pytest.MonkeyPatch], None],
) -> None:
    table, log = open_table(client), context_of(app).store
    assert log.fault() is None
    fault(data, log, monkeypatch)
    reported = client.get(f"/api/tables/{table}/health").json["log"]
    assert "could not be written" in reported["fault"]
    assert reported["seq"] == 1


def test_it_is_well_again_when_it_is(app: APIFlask, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = context_of(app).store
    with monkeypatch.context() as patched:
        _full(data, log, patched)
        assert isinstance(log.fault(), LogWriteError)
    assert log.fault() is None


def test_what_was_found_holds_for_a_while(app: APIFlask, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pages ask, the disk is not kept busy."""
    log, tries = context_of(app).store, list[None]()
    monkeypatch.setattr(store_module, "_CHECK_S", 3600.0)
    monkeypatch.setattr(log.database, "check", lambda: tries.append(None))
    for _ in range(5):
        log.fault()
    assert len(tries) == 1


def test_the_server_reports_every_camera_and_device_to_whoever_is_paired(
    app: APIFlask, client: FlaskClient
) -> None:
    """A club with ten tables had to open ten pages to find the one camera that had stopped."""
    table = open_table(client)
    send(client, f"/api/tables/{table}/camera", state='{"state": "watching", "frame_age_ms": 1500}')
    device = {"name": "box-1", "driver": "button-box", "port": "loop://", "on": False}
    assert client.put("/api/devices", json={"devices": [device], "revision": 0}).status_code == 200
    health = client.get("/api/health").json
    (camera,) = health["cameras"]
    assert (camera["table"], camera["state"], camera["worker"]) == (table, "watching", None)
    assert 1.5 <= camera["frame_age"] < 30
    assert health["devices"] == [{"name": "box-1", "state": "off", "last_seen": None, "fault": None}]


def test_the_server_reports_no_cameras_and_devices_to_a_phone_that_is_not_paired(client: FlaskClient) -> None:
    health = client.get("/api/health", environ_base=PHONE).json
    assert (health["status"], health["cameras"], health["devices"]) == ("ok", None, None)
