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
from tests.small_disk import small_disk


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
    logging.getLogger("api").info("a line")
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


def test_one_kind_of_error_does_not_fill_the_log(tmp_path: Path) -> None:
    """2,000 requests that ended in a traceback wrote 3.8 MB."""
    err = io.StringIO()
    path = configure_logging(tmp_path, err)
    logger = logging.getLogger("api")

    def fail(number: int) -> None:
        try:
            raise ValueError(f"the {number}th request")
        except ValueError:
            logger.exception("no answer to GET /%d", number)

    for number in range(500):
        fail(number)
    logger.error("something else")
    assert 1 <= err.getvalue().count("no answer") <= 10
    assert "companion serve: something else\n" in err.getvalue()
    assert len(lines(path)) == len(err.getvalue().splitlines())
    assert path.stat().st_size < 100_000


def test_omitted_lines_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = configure_logging(tmp_path, io.StringIO())
    now = 1000.0
    monkeypatch.setattr("companion.logs.time.monotonic", lambda: now)
    for second in range(600):
        now = 1000.0 + second
        logging.getLogger("api").warning("the camera is silent")
    written = lines(path)
    assert 10 <= len(written) < 20
    assert len(written) + sum(each.get("omitted", 0) for each in written) >= 540


def test_a_full_disk_is_one_line_and_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each record wrote a traceback of the logging module to the terminal."""
    with small_disk(1) as disk:
        err = io.StringIO()
        path = configure_logging(disk.folder, err)
        logger = logging.getLogger("api")
        logger.info("before")
        disk.fill()
        for _ in range(100):
            logger.info("x" * 10_000)
        disk.free()
        logger.info("after")
        for handler in list(logging.getLogger().handlers):
            handler.close()
        assert err.getvalue() == f"companion serve: {path} cannot be written: No space left on device\n"
        first, *_, last = path.read_text(encoding="utf-8").splitlines()
        assert (json.loads(first)["message"], json.loads(last)["message"]) == ("before", "after")
    assert capsys.readouterr() == ("", "")


def test_a_log_file_that_cannot_be_opened_does_not_stop_the_server(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file in place of the folder")
    err = io.StringIO()
    path = configure_logging(tmp_path, err)
    logging.getLogger("api").warning("first")
    assert "cannot be written" in err.getvalue()
    assert "companion serve: first\n" in err.getvalue()
    (tmp_path / "logs").unlink()
    logging.getLogger("api").warning("second")
    assert [each["message"] for each in lines(path)] == ["second"]
