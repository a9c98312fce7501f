"""What a request leaves in the log."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from flask.testing import FlaskClient


def logged(records: list[Any]) -> list[tuple[str, str, int]]:
    requests = [record for record in records if record.name == "api.requests"]
    return [(record.method, record.path, record.status) for record in requests]


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/tables", []),
        ("GET", "/api/tables/nothing?code=S3CRET", [("GET", "/api/tables/nothing", 404)]),
        ("POST", "/api/pair", [("POST", "/api/pair", 403)]),
    ],
)
def test_writes_and_failures_are_logged_without_their_secrets(
    client: FlaskClient,
    caplog: pytest.LogCaptureFixture,
    method: str,
    path: str,
    expected: list[tuple[str, str, int]],
) -> None:
    body = {"code": "S3CRET"} if method == "POST" else None
    with caplog.at_level(logging.INFO):
        client.open(path, method=method, json=body)
    assert logged(caplog.records) == expected
    assert "S3CRET" not in repr([vars(record) for record in caplog.records])
