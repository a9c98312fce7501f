"""The server's log file: JSON lines, rotated, private, and without secrets."""

from __future__ import annotations

import io
import json
import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.logs import configure_logging, redact


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Restore the handlers of the root logger."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    for handler in handlers:
        root.removeHandler(handler)
    yield
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(level)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_library_and_program_messages_are_json_lines_with_their_fields(tmp_path: Path) -> None:
    path = configure_logging(tmp_path, io.StringIO())
    logging.getLogger("library").info("Serving on %s", "http://[::]:8420")
    fields = {"method": "POST", "path": "/api/scan", "status": 503}
    logging.getLogger("api").warning("request", extra=fields)
    first, second = lines(path)
    assert (first["message"], first["level"], first["logger"]) == (
        "Serving on http://[::]:8420",
        "info",
        "library",
    )
    assert (second["message"], second["status"], second["path"]) == ("request", 503, "/api/scan")
    assert first["timestamp"].endswith("Z")


def test_an_error_is_one_line_for_the_person_and_has_its_traceback_in_the_file(tmp_path: Path) -> None:
    err = io.StringIO()
    path = configure_logging(tmp_path, err)
    try:
        raise RuntimeError("the scanner broke")
    except RuntimeError:
        logging.getLogger("api").exception("scanning failed")
    assert err.getvalue() == "companion serve: scanning failed\n"
    assert lines(path)[0]["exception"][0]["exc_value"] == "the scanner broke"


@pytest.mark.parametrize(
    "event",
    [
        {"event": "paired", "token": "S3CRET"},
        {"event": "paired", "pin": "S3CRET"},
        {"event": "GET /join?code=S3CRET&to=/t/1"},
        {"event": "open http://192.0.2.7:8420/join#code=S3CRET on a phone"},
        {"event": "Authorization: Bearer S3CRET"},
        {"event": "headers", "value": "lang=en; pairing=S3CRET; other=1"},
    ],
)
def test_secrets_do_not_reach_the_log(event: dict[str, Any]) -> None:
    assert "S3CRET" not in json.dumps(dict(redact(None, "info", event)))


def test_a_secret_in_a_warning_does_not_reach_the_terminal(tmp_path: Path) -> None:
    err = io.StringIO()
    path = configure_logging(tmp_path, err)
    logging.getLogger("api").warning("refused %s", "Bearer S3CRET")
    assert "S3CRET" not in err.getvalue() + path.read_text()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_the_owner_may_read_the_log(tmp_path: Path) -> None:
    path = configure_logging(tmp_path, io.StringIO())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_log_is_rotated_and_does_not_grow_without_end(tmp_path: Path) -> None:
    path = configure_logging(tmp_path, io.StringIO())
    logger = logging.getLogger("api")
    for _ in range(200):
        logger.info("x" * 100_000)
    files = sorted(path.parent.iterdir())
    assert len(files) == 6
    assert sum(file.stat().st_size for file in files) < 14 * 2**20
