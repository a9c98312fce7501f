"""Prometheus metrics: off by default; when enabled, they have the real state of the services."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from api.app import create_app
from companion.settings import SETTINGS_FILE, SettingsError
from tests.api.api_helpers import ScannerDouble, context_of
from tests.api.table_helpers import dealt, open_table, played_round, submit


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


def test_without_the_setting_there_are_no_metrics(tmp_path: Path) -> None:
    app = create_app(tmp_path / "plain", ScannerDouble())
    assert app.test_client().get("/metrics").status_code == 404
    context_of(app).store.close()


def test_the_missing_library_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(SettingsError, match=r"hanafuda-companion\[metrics\]"):
        create_app(data, ScannerDouble())
