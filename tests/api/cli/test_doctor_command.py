"""``companion doctor``: every fault is detected and says what to do, and the archive has no secrets."""

from __future__ import annotations

import json
import os
import socket
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.cli.doctor import (
    CheckResult,
    check_device_files,
    check_folder,
    check_models,
    check_network,
    check_settings,
    doctor,
    write_archive,
)
from companion.hanafuda.errors import BadRequestError
from companion.store.notices import Notices
from companion.store.sqlite_database import DATABASE
from companion.store.store import open_store
from tests.message_text import raises_text

as_user = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read and write everything"
)


def codes(results: object) -> list[tuple[str, str]]:
    return [(each.level, each.message.code) for each in results if isinstance(each, CheckResult)]  # type: ignore[attr-defined]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_new_installation_has_no_problems(tmp_path: Path) -> None:
    ran = CliRunner().invoke(doctor, ["--json", "--data", str(tmp_path / "new"), "--port", str(free_port())])
    results = [json.loads(line) for line in ran.stdout.splitlines()]
    # A test machine may have no network; everything else must be fine.
    assert {each["code"] for each in results if each["level"] != "ok"} <= {"doctor-no-network"}
    assert {"doctor-models", "doctor-folder-new", "doctor-settings-default", "doctor-port-free"} <= {
        each["code"] for each in results
    }
    assert not (tmp_path / "new").exists()


def test_the_summary_and_the_exit_code_name_the_problems(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("read = 'nobody'\n")
    ran = CliRunner().invoke(doctor, ["--data", str(tmp_path), "--port", str(free_port())])
    assert ran.exit_code == 1
    assert "read" in ran.stdout
    assert "must be solved" in ran.stdout.splitlines()[-1]


def test_missing_weights(tmp_path: Path) -> None:
    assert codes([check_models(tmp_path)]) == [("problem", "doctor-models-missing")]


def test_damaged_weights(tmp_path: Path) -> None:
    (tmp_path / "detector-int8.onnx").write_bytes(b"not a network")
    assert codes([check_models(tmp_path)]) == [("problem", "doctor-models-damaged")]


def test_an_intact_log_and_a_notice(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    Notices(tmp_path).add("log-repaired")
    assert codes(check_folder(tmp_path)) == [
        ("ok", "doctor-folder"),
        ("ok", "doctor-log"),
        ("warning", "log-repaired"),
    ]


def test_a_damaged_log(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    database = tmp_path / DATABASE
    content = bytearray(database.read_bytes())
    content[4096 : 3 * 4096] = b"\xa5" * 8192  # two pages of tables
    database.write_bytes(content)
    assert ("problem", "doctor-log-damaged") in codes(check_folder(tmp_path))


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert codes(check_folder(tmp_path / "file")) == [("problem", "doctor-folder-not-writable")]


@as_user
def test_a_folder_of_another_user(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert codes(check_folder(tmp_path)) == [("problem", "doctor-folder-not-writable")]


@pytest.mark.parametrize("text", ["read = 1", "unknown = true", "= ["])
def test_bad_settings(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.toml").write_text(text)
    result = check_settings(tmp_path)
    assert result.level == "problem"


def test_a_port_that_another_program_uses(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = int(server.getsockname()[1])
        assert ("problem", "doctor-port-used") in codes(check_network(tmp_path, port))
    assert ("ok", "doctor-port-free") in codes(check_network(tmp_path, port))


def test_device_files(tmp_path: Path) -> None:
    assert codes(check_device_files([], "camera", "video")) == [("ok", "doctor-camera-none")]
    port = tmp_path / "ttyUSB0"
    port.touch()
    assert codes(check_device_files([port], "serial", "dialout")) == [("ok", "doctor-serial-found")]


@as_user
def test_a_device_file_that_this_user_may_not_open(tmp_path: Path) -> None:
    camera = tmp_path / "video0"
    camera.touch(mode=0o000)
    assert codes(check_device_files([camera], "camera", "video")) == [("problem", "doctor-camera-denied")]


def test_the_archive_has_logs_and_settings_but_no_secrets(tmp_path: Path) -> None:
    data = tmp_path / "data"
    store = open_store(data)
    code = store.pairings.invite_at_start().code
    store.close()
    (data / "settings.toml").write_text("metrics = true\n")
    (data / "logs").mkdir()
    (data / "logs" / "server.log").write_text('{"message": "started"}\n')
    (data / "tls").mkdir()
    (data / "tls" / "ca.key").write_text("PRIVATE KEY")
    write_archive(tmp_path / "debug.zip", data, [{"level": "ok", "code": "doctor-log"}])
    with zipfile.ZipFile(tmp_path / "debug.zip") as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert set(contents) == {"checks.json", "system.json", "settings.toml", "logs/server.log"}
    assert json.loads(contents["checks.json"]) == [{"level": "ok", "code": "doctor-log"}]
    assert not any(code.encode() in each or b"PRIVATE" in each for each in contents.values())


def test_an_archive_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    with raises_text(BadRequestError, match="cannot be written"):
        write_archive(tmp_path / "missing" / "debug.zip", tmp_path, [])
