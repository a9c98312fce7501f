"""``companion invite``: its output and refusals; tests/api/cli/test_serve_command.py has tests with a running server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.store.store import open_store


def run(data: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["invite", "--data", str(data), *options])


def test_it_makes_a_host_without_a_running_server(tmp_path: Path) -> None:
    """The host's phone was lost in the middle of a party, and nobody could become host without a screen."""
    ended = run(tmp_path, "--json")
    reported = json.loads(ended.stdout)
    assert (reported["role"], reported["seat"], reported["uses"]) == ("host", None, 1)
    log = open_store(tmp_path)
    assert log.pairings.redeem(code=reported["link"].partition("#code=")[2], name=None).role == "host"
    log.close()


def test_people_read_a_link_a_qr_code_and_a_pin(tmp_path: Path) -> None:
    """People without a QR reader type the PIN, and read at which address."""
    ended = run(tmp_path, "--seat", "2", "--server", "http://box.local:8420")
    assert ended.exit_code == 0
    assert "█" in ended.stdout
    assert "Scan this to join as seat 2. It works for 1 phone, within ten minutes." in ended.stdout
    assert "http://box.local:8420/join#code=" in ended.stdout
    assert "http://box.local:8420/join and type the PIN" in ended.stdout


def test_the_name_of_the_program_itself_is_refused(tmp_path: Path) -> None:
    refused = run(tmp_path, "--name", "this machine")
    assert refused.exit_code == 2
    assert "choose another name" in refused.output


@pytest.mark.parametrize(
    ("role", "command"), [("camera", "companion watch"), ("device", "companion devices run")]
)
def test_a_machine_gets_a_token_and_the_command_that_uses_it(tmp_path: Path, role: str, command: str) -> None:
    """The host's page displayed a PIN for the program on the other machine, but no program accepts a PIN."""
    reported = json.loads(run(tmp_path, "--role", role, "--name", "the attic", "--json").stdout)
    assert reported["command"].startswith(command)
    log = open_store(tmp_path)
    (pairing,) = log.pairings.pairings()
    assert (pairing.id, pairing.role, pairing.name) == (
        log.pairings.id_of(reported["token"]),
        role,
        "the attic",
    )
    log.close()
    assert "COMPANION_TOKEN=" in run(tmp_path, "--role", role).stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--role", "camera", "--seat", "1"), "--seat"),
        (("--role", "device", "--uses", "2"), "--uses"),
        (("--role", "camera", "--table", "abc123"), "--table"),
        (("--role", "king"), "king"),
        (("--seat", "0"), "0"),
        (("--uses", "51"), "51"),
        (("--name", "x" * 41), "40"),
        (("--name", " "), "40"),
        (("--table", "\udcff"), "40"),
    ],
)
def test_what_it_refuses(tmp_path: Path, options: tuple[str, ...], says: str) -> None:
    """A name that no page can display, or a seat for a machine, would be stored and confuse every list."""
    ended = run(tmp_path, *options)
    assert ended.exit_code == 2
    assert says in ended.stderr
    assert ended.stderr.count("\n") == 1
