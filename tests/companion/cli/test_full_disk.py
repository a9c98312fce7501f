"""Commands that write to a full disk end with one sentence, without a traceback, and leave nothing unfinished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from companion.store.store import open_store
from companion.table import NewEvent
from tests.small_disk import SmallDisk, small_disk

OPENED = NewEvent(
    "opened", {"name": "x" * 5000, "game": "koikoi", "rules": None, "players": ["A", "B"], "deck": None}
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(4) as disk:
        (disk.folder / "kept").mkdir()
        (disk.folder / "kept" / "old.pdf").write_bytes(b"an old file")
        yield disk


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a log, on another disk."""
    folder = tmp_path / "data"
    with closing(open_store(folder)) as log:
        log.tables.create(OPENED, actor="a test", source="program")
    return folder


def run(*arguments: str | Path, output: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command; ``output`` is a file for its standard output."""
    command = [sys.executable, "-m", "companion.cli", *map(str, arguments)]
    if output is None:
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    with output.open("wb") as file:
        return subprocess.run(command, stdout=file, stderr=subprocess.PIPE, encoding="utf-8", check=False)


def files(folder: Path) -> dict[str, int]:
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def check(disk: SmallDisk, result: subprocess.CompletedProcess[str], before: dict[str, int]) -> None:
    assert result.returncode == 2, result
    (line,) = result.stderr.splitlines()
    assert line.startswith("companion")
    assert "No space left on device" in line or "free some space" in line or "disk is full" in line
    assert files(disk.folder) == before


@pytest.mark.parametrize(
    "command",
    [
        ["https", "--data", "DISK/data"],
        ["mat", "--out", "DISK/mat.pdf"],
        ["mat", "--out", "DISK/kept/old.pdf"],
        ["labels", "--out", "DISK/labels.pdf"],
        ["log", "backup", "--data", "DATA", "--to", "DISK/backup.zip"],
        ["log", "backup", "--data", "DATA", "--to", "DISK/backup"],
        ["log", "database", "--data", "DATA", "DISK/copy.sqlite3"],
        ["rules", "save", "House", "koikoi-hu", "--data", "DISK/data"],
        ["scan", "--help", ">", "DISK/help"],
        ["games", "--json", ">", "DISK/games"],
        ["log", "export", "--events", "--data", "DATA", ">", "DISK/nights.jsonl"],
    ],
    ids=" ".join,
)
def test_a_command_that_writes_to_a_full_disk(disk: SmallDisk, data: Path, command: list[str]) -> None:
    """`companion https` ended in a traceback, and half a PDF stayed in place of the old one."""
    with closing(open_store(disk.folder / "data")):
        pass
    words = [each.replace("DISK", str(disk.folder)).replace("DATA", str(data)) for each in command]
    output = None
    if ">" in words:
        output = Path(words.pop())
        words.remove(">")
        output.touch()
    disk.fill()
    before = files(disk.folder)
    check(disk, run(*words, output=output), before)


def test_a_reader_that_ends_early_is_no_error(data: Path) -> None:
    """`companion log export --events | head -1` ended in a traceback."""
    command = f"{sys.executable} -m companion.cli log export --events --data {data} | head -c 1"
    result = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8", check=False)
    assert result.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot stop a process")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("name", ["backup.zip", "backup"])
def test_what_a_killed_backup_left_is_removed_by_the_next_one(
    tmp_path: Path, data: Path, name: str, how: signal.Signals
) -> None:
    """A folder "….zip.part" stayed until a backup had the same name again, which dated names never have."""
    target = tmp_path / "stick"
    target.mkdir()
    somebodys = target / "film.part"
    somebodys.mkdir()
    script = (
        "import os, sys, time; from companion.store import backup\n"
        "backup._collect = lambda *paths: (print(flush=True), time.sleep(60))\n"
        "from pathlib import Path; backup.create_backup(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", script, str(data), str(target / name)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        running = sorted(target.iterdir())
        assert run("log", "backup", "--data", data, "--to", target / "meanwhile").returncode == 0
        assert set(running) <= set(target.iterdir())  # that of a running backup stays
        process.send_signal(how)
    assert run("log", "backup", "--data", data, "--to", target / "next.zip").returncode == 0
    assert sorted(each.name for each in target.iterdir()) == ["film.part", "meanwhile", "next.zip"]
