"""The commands that open a store accept the URL of a PostgreSQL database: as an option, in the environment, or in the settings."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.cli.doctor import check_database
from api.cli.invite import invite
from companion.cli import main
from companion.cli.log import log
from companion.store.store import open_store
from companion.table import NewEvent

OPENED = NewEvent(
    "opened", {"name": None, "game": "koikoi", "rules": None, "players": ["Aoi", "Ren"], "deck": None}
)


@pytest.mark.parametrize("way", ["option", "before the command", "environment", "settings"])
def test_the_log_of_a_database_is_exported(
    way: str, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(postgres_url)) as store:
        table = store.tables.create(OPENED, actor="test", source="hand")
    data = ["--data", str(tmp_path)]
    match way:
        case "option":
            arguments = ["export", "--events", "--store", postgres_url, *data]
        case "before the command":
            arguments = ["--store", postgres_url, "export", "--events"]
        case "environment":
            monkeypatch.setenv("COMPANION_STORE", postgres_url)
            arguments = ["export", "--events"]
        case _:
            (tmp_path / "settings.toml").write_text(f"store = {json.dumps(postgres_url)}\n", encoding="utf-8")
            arguments = ["export", "--events", *data]
    ran = CliRunner().invoke(log, arguments)
    assert ran.exit_code == 0, ran.output
    assert table in ran.output


def test_an_invitation_for_the_servers_of_a_database(postgres_url: str, tmp_path: Path) -> None:
    ran = CliRunner().invoke(invite, ["--store", postgres_url, "--data", str(tmp_path), "--json"])
    assert ran.exit_code == 0, ran.output
    with closing(open_store(postgres_url)) as store:
        assert store.pairings.redeem(pin=json.loads(ran.stdout)["pin"], name="a phone").role == "host"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["/var/lib/data", "mysql://server/x", ""])
@pytest.mark.parametrize("command", ["log", "rules list", "invite"])
def test_what_is_no_address_of_a_database(command: str, url: str) -> None:
    ran = CliRunner().invoke(main, [*command.split(), "--store", url])
    assert ran.exit_code == 2
    assert f'--store = "{url}" is not allowed' in ran.stderr


@pytest.mark.parametrize("command", ["backup", "restore", "database"])
def test_commands_for_a_folder_only_say_so(command: str, tmp_path: Path) -> None:
    arguments = ["--store", "postgresql://somebody:secret@host/league", command]
    ran = CliRunner().invoke(log, [*arguments, *([] if command == "backup" else [str(tmp_path / "x")])])
    assert ran.exit_code == 2
    assert "postgresql://host/league" in ran.output
    assert "secret" not in ran.output


def test_the_doctor_checks_the_database(postgres_url: str) -> None:
    assert check_database(postgres_url).level == "ok"
    assert check_database("postgresql://nobody@127.0.0.1:1/league").level == "problem"


def test_a_server_starts_without_the_libraries_that_read_pictures() -> None:
    """The process that reads pictures loads them."""
    code = (
        "import sys, api.app, api.cli.serve, api.serving.server, companion.store.postgres_database\n"
        "heavy = {'cv2', 'onnxruntime'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
