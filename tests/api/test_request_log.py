"""What a request leaves in the log."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs


def logged(entries: list[Any]) -> list[tuple[str, str, int]]:
    return [(each["method"], each["path"], each["status"]) for each in entries if each["event"] == "request"]


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/tables", []),
        ("GET", "/api/tables/nothing?code=S3CRET", [("GET", "/api/tables/nothing", 404)]),
        ("POST", "/api/pair", [("POST", "/api/pair", 403)]),
    ],
)
def test_writes_and_failures_are_logged_without_their_secrets(
    client: FlaskClient, method: str, path: str, expected: list[tuple[str, str, int]]
) -> None:
    body = {"code": "S3CRET"} if method == "POST" else None
    with capture_logs() as entries:
        client.open(path, method=method, json=body)
    assert logged(entries) == expected
    assert "S3CRET" not in repr(entries)
