"""Secrets are replaced wherever a text may stand, and control characters of data do not reach a terminal."""

from __future__ import annotations

import json
import sys

import click
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.redaction import redacted, without_controls


@pytest.mark.parametrize(
    "text",
    [
        "rtsp://admin:S3CRET@10.0.0.7:554/1",
        "rtsp://admin:a/S3CRET@S3CRET?x#y@10.0.0.7:554/1",
        "no pictures arrive from http://me:S3CRET@cam/video (timed out)",
        "postgresq:/u:S3CRET@host",  # as a path has it
        "mqtts://u:S3CRET@[fe80::1]:8883",
        "aki:S3CRET@broker:1883",
        "host=db user=aki password=S3CRET dbname=x",
        "host=db password='a S3CRET' dbname=x",
        "http://cam/snap.cgi?user=admin&pwd=S3CRET",
        "http://cam/live?token=S3CRET&channel=1",
        "GET /join?code=S3CRET&to=/t/1",
        "open http://192.0.2.7:8420/join#code=S3CRET on a phone",
        "COMPANION_MQTT_PASSWORD=S3CRET companion mqtt",
        "companion watch 0 --token S3CRET --table x",
        "companion watch 0 --token=S3CRET",
        "Authorization: Bearer S3CRET",
        "Authorization: Basic S3CRET=",
        "lang=en; pairing=S3CRET; other=1",
        '{"password": "a\\\\\\"S3CRET", "pin": "***", "pin": "S3CRET", "token": "S3CRET", "Authorization": "Basic S3CRET"}',
        "{'password': 'S3CRET'}",
        'password = """\na"S3CRET"\n"""',
        "password = '''S3CRET'''",
        'password = ["a", "S3CRET"]',
        'db_pw = {one = "S3CRET"}',
        json.dumps({"message": json.dumps({"pin": "S3CRET", "more": json.dumps({"token": "S3CRET"})})}),
        'store = "postgresql://u:S3CRET@h/x"\npassword = "S3CRET"',
    ],
)
def test_a_secret_is_replaced(text: str) -> None:
    assert "S3CRET" not in redacted(text)
    assert redacted(redacted(text)) == redacted(text)
    if text.startswith('{"'):
        json.loads(redacted(text))  # a document stays one


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://USER@HOST/NAME",
        "http://192.0.2.7:8420/t/abc?seat=1",
        "the token is wrong; 3 tokens are left",
        "12:30 aki@example.org",
        "koikoi-standard: Usual rules: 7 points or more double",
        "C:/pictures/a@b.jpg",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert redacted(text) == text


CONTROLS = "\x1b]0;title\x07 \x9b31m \u202egnp.exe \u2066x \u2028 \x7f\0\r"


def test_control_characters_are_written_as_escapes() -> None:
    escaped = without_controls(CONTROLS)
    assert escaped.isascii()
    assert json.loads(f'"{escaped}"') == CONTROLS  # a document stays the same document
    assert without_controls("a\tb\r\nc\n") == "a\tb\r\nc\n"


@click.command()
@click.option("--fails", is_flag=True)
@click.option("--styled", is_flag=True)
def data_printer(fails: bool, styled: bool) -> None:
    if fails:
        raise click.ClickException(f"{CONTROLS} rtsp://a:S3CRET@cam")
    if styled:
        click.echo(click.style(CONTROLS, fg="red", bold=True))
        return
    click.echo(CONTROLS)
    click.echo(f"{CONTROLS} rtsp://a:S3CRET@cam", err=True)
    print(CONTROLS)
    print("token=S3CRET", file=sys.stderr)


@pytest.mark.parametrize("option", [[], ["--fails"]])
def test_no_command_prints_control_characters_or_a_secret_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, option: list[str]
) -> None:
    monkeypatch.setitem(main.commands, "data-printer", data_printer)
    ran = CliRunner().invoke(main, ["data-printer", *option], color=True)
    assert ran.exit_code == (2 if option else 0)
    assert ran.output.replace("\n", "").isprintable()
    assert "\\u202e" in ran.output
    assert "S3CRET" not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "warned"),
    [
        (["log", "--store", "postgresql://aki:secret@h/x", "backup"], {}, True),
        (["log", "--store", "postgresql://aki@h/x?password=secret", "backup"], {}, True),
        (["log", "copy", "postgresql://aki:secret@h/x", "postgresql://aki:secret@h/x"], {}, True),
        (["watch", "rtsp://aki:secret@h/x", "--fps", "0"], {}, True),
        (["mqtt", "--broker", "aki:secret@broker:0"], {}, True),
        (["devices", "--token", "secret", "--server", "x"], {}, True),
        (["log", "--store", "postgresql://aki@h/x", "backup"], {}, False),
        (["log", "backup"], {"COMPANION_STORE": "postgresql://aki:secret@h/x"}, False),
        (["mqtt"], {"COMPANION_MQTT_BROKER": "aki:secret@broker:0"}, False),
    ],
)
def test_a_password_that_others_can_read_in_the_command_line_is_warned_of(
    arguments: list[str], environment: dict[str, str], warned: bool
) -> None:
    ran = CliRunner().invoke(main, arguments, env=environment)
    assert ("every user of this machine can read" in ran.stderr) is warned
    assert "secret" not in ran.output


def test_colors_of_commands_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(main.commands, "data-printer", data_printer)
    ran = CliRunner().invoke(main, ["data-printer", "--styled"], color=True)
    assert ran.stdout.startswith("\x1b[31m\x1b[1m")
    assert ran.stdout.endswith("\x1b[0m\n")
    assert ran.stdout.count("\x1b") == 3
