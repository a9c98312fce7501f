"""The rate limit of the request log for strangers."""

from __future__ import annotations

import logging

import pytest
from flask.testing import FlaskClient

from api.monitoring import request_log
from companion.logs import LineLimit

STRANGER = {"REMOTE_ADDR": "192.0.2.7"}


def test_a_stranger_cannot_flush_the_log(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 refused streams a second filled 12 MB of logs in minutes, and every thread waited for the disk."""
    refusals = LineLimit(20, 0.0)
    monkeypatch.setattr(request_log, "_REFUSALS", refusals)
    caplog.set_level(logging.INFO, "api.requests")
    for _ in range(50):
        assert client.get("/api/tables/none", environ_base=STRANGER).status_code == 404
    assert len(caplog.records) == 20
    assert client.get("/api/tables/none").status_code == 404  # of the machine itself
    assert len(caplog.records) == 21
    refusals._tokens = 1.0
    client.get("/api/tables/none", environ_base=STRANGER)
    assert caplog.records[-1].__dict__["omitted"] == 30
