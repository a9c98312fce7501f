"""One server per data folder, and the commands that work beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from log_helpers import BRIGHTS, add

from companion.messages import error_text
from companion.store.folder_lock import FolderInUseError, folder_lock, network_file_system
from companion.store.store import open_store

_HOLD = (
    "import sys, time; from pathlib import Path; from companion.store.folder_lock import folder_lock\n"
    "with folder_lock(Path(sys.argv[1]), 'http://127.0.0.1:8420/'):\n"
    "    print('locked', flush=True); time.sleep(60)"
)


def _holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(folder)], stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


def test_a_second_server_is_refused_with_the_name_of_the_running_one(folder: Path) -> None:
    """Two servers on a folder started without an error and overwrote each other's pairings."""
    holder = _holder(folder)
    try:
        with pytest.raises(FolderInUseError) as refused, folder_lock(folder, "elsewhere"):
            pass
    finally:
        holder.kill()
        holder.communicate()
    output = error_text(refused.value)
    assert str(holder.pid) in output
    assert "http://127.0.0.1:8420/" in output
    assert "--data" in output


def test_a_killed_server_leaves_the_folder_free(folder: Path) -> None:
    holder = _holder(folder)
    holder.kill()
    holder.communicate()
    with folder_lock(folder, "here"):
        pass
    assert not (folder / "server.json").exists()


def test_the_serve_command_ends_with_one_line_when_the_folder_is_in_use(folder: Path) -> None:
    with folder_lock(folder, "http://192.168.1.5:8420/"):
        ended = subprocess.run(
            [sys.executable, "-m", "companion.cli", "serve", "--port", "1", "--data", str(folder)],
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert f"process {os.getpid()}" in ended.stderr


def test_short_commands_work_beside_a_running_server(folder: Path) -> None:
    log = open_store(folder)
    with folder_lock(folder, "here"):
        scan = add(log, *BRIGHTS)
        for arguments in (
            ["log", "--json", "--data", str(folder)],
            ["log", "export", "--data", str(folder)],
            ["log", "show", scan.id, "--data", str(folder)],
            ["rules", "save", "House", "koikoi-hu", "--data", str(folder)],
        ):
            ended = subprocess.run(
                [sys.executable, "-m", "companion.cli", *arguments],
                capture_output=True,
                encoding="utf-8",
                check=False,
                timeout=60,
            )
            assert ended.returncode == 0, ended.stderr
        assert log.house_rules.get("house") is not None
    log.close()


def test_a_network_file_system_is_recognized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's shared memory does not reach other computers, so two of them would damage the database."""
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nnas:/home {tmp_path / 'nas'} nfs4 rw 0 0\n")
    monkeypatch.setattr("companion.store.folder_lock._MOUNTS", mounts)
    assert network_file_system(tmp_path / "nas" / "data") == "nfs4"
    assert network_file_system(tmp_path / "data") is None
