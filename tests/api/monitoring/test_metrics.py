"""Prometheus metrics: off by default; when enabled, they have the real state of the services."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from companion.settings import SETTINGS_FILE, SettingsError
from tests.api.api_helpers import ScannerDouble, context_of, make_app, upload
from tests.api.table_helpers import dealt, open_table, played_round, submit
from tests.message_text import raises_text


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / SETTINGS_FILE).write_text("metrics = true\n")
    return folder


def scraped(client: FlaskClient) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return the samples by name and label values."""
    text = client.get("/metrics").get_data(as_text=True)
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_metrics_say_how_log_tables_and_cameras_are(client: FlaskClient) -> None:
    table = open_table(client)
    submit(client, table, dealt(played_round()))
    context_of(client.application).cameras.report(table, {"state": "watching", "frame_age_ms": 500}, None)  # type: ignore[arg-type]
    samples = scraped(client)
    assert samples["companion_log_writable", ()] == 1
    assert samples["companion_tables", ()] == 1
    assert 0 <= samples["companion_log_commit_age_seconds", ()] < 60
    assert 0.5 <= samples["companion_camera_frame_age_seconds", (table,)] < 60
    assert samples["companion_requests_total", ("POST", "2xx")] == 2
    assert samples["companion_process", (socket.gethostname(), str(os.getpid()))] == 1
    assert samples["companion_ready", ()] == 1
    assert ("companion_table_events", (table,)) not in samples  # nobody follows it here


def test_the_queue_of_photographs_has_a_length(data: Path, scanner: ScannerDouble, postgres_url: str) -> None:
    app = make_app(data, scanner, store_url=postgres_url)
    client = app.test_client()
    client.environ_base["HTTP_PREFER"] = "wait=0"
    assert [upload(client).status_code for _ in range(2)] == [202, 202]
    samples = scraped(client)
    assert samples["companion_scan_queue_waiting", ()] == 2
    assert samples["companion_scan_workers", ()] == 0
    assert client.get("/api/health").json["photographs"] == {"waiting": 2, "workers": 0}
    context_of(app).store.close()


def test_tables_that_somebody_follows_have_metrics_of_their_own(client: FlaskClient) -> None:
    table, other = open_table(client), open_table(client)
    submit(client, table, dealt(played_round()))
    hub = context_of(client.application).hub  # type: ignore[arg-type]
    hub.follow(table)
    hub.follow(table)
    samples = scraped(client)
    assert samples["companion_table_followers", (table,)] == 2
    assert samples["companion_table_events", (table,)] == 2
    assert 0 <= samples["companion_table_age_seconds", (table,)] < 60
    assert not any(other in labels for _, labels in samples)


def test_connections_to_a_database_server_are_counted(data: Path, postgres_url: str) -> None:
    app = make_app(data, ScannerDouble(), store_url=postgres_url)
    samples = scraped(app.test_client())
    context_of(app).store.close()
    assert samples["companion_database_connections", ("open",)] >= 1
    assert samples["companion_database_connections", ("waiting",)] == 0


def test_without_the_setting_there_are_no_metrics(tmp_path: Path) -> None:
    app = make_app(tmp_path / "plain", ScannerDouble())
    assert app.test_client().get("/metrics").status_code == 404
    context_of(app).store.close()


def test_the_missing_library_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with raises_text(SettingsError, match=r"hanafuda-companion\[metrics\]"):
        make_app(data, ScannerDouble())
