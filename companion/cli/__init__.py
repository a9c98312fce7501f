"""The command line, ``companion``.

Commands are entry points of the group ``companion.commands``; each package of the program brings its own
(``companion/cli``, ``vision/cli``, ``hardware/cli``, ``api/cli``), and so may other distributions.

Exit codes: 0 success; 1 completed, but something is illegal or inconsistent (a command ends with ``ctx.exit(1)``); 2 bad
input or usage, with one line on standard error (a command raises a `companion.hanafuda.errors.MessageError` or
`click.ClickException`).
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import click

from companion.cli.entry_points import EntryPointGroup
from companion.cli.language import error_text, language_option
from companion.hanafuda.errors import MessageError
from companion.redaction import redacted, without_controls

__all__ = ["main"]

# Before any command imports NumPy; vision/__init__.py says why.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_STYLES: Final = re.compile(r"(\x1b\[(?:[012]|3[0-7]|107)m|\r\x1b\[K)")
"""What the commands themselves write to terminals: bold, dim, colors, and a line that is written again."""
_SUMMARIES: Final = {
    "scan": "Name the cards in photographs and score them.",
    "score": "Score captured cards or a hand.",
    "watch": "Follow a game with a camera.",
    "replay": "Check the moves and points of round records.",
    "games": "List the games with their yaku.",
    "rules": "Show, share and save house rules.",
    "decks": "List, export, import and forget decks.",
    "enroll": "Enroll a deck from pictures of its cards.",
    "mat": "Make a printable mat with corner markers.",
    "labels": "Make stickers with codes for a deck's cards.",
    "calibrate": "Register where the table is in the picture.",
    "log": "List, export and back up what is stored.",
    "print": "Print the score receipt of an evening.",
    "serve": "Serve the pages for phones and the API.",
    "scan-worker": "Read photographs for several servers.",
    "invite": "Print a link and a QR code for a phone.",
    "https": "Trust this household's HTTPS on phones.",
    "doctor": "Check this installation.",
    "devices": "List and try card readers and displays.",
    "mqtt": "Publish the state of the tables to MQTT.",
    "bench": "Measure the program's speed.",
}
"""What each command does, in the order of the help: reading and scoring, then setup, then serving. Commands not listed here follow."""


class _MainGroup(EntryPointGroup):
    """The group of all commands; it reports errors on one line of standard error."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run the command line and end the process with the contract's exit code."""
        extra["standalone_mode"] = False
        _protect_output()
        arguments = " ".join(sys.argv[1:] if args is None else args)
        if redacted(arguments) != arguments:
            click.echo(
                "companion: the command line contains a password or token, and every user of this machine can read it: put the"
                " option into an environment variable (COMPANION_STORE, COMPANION_CAMERA, COMPANION_MQTT_BROKER, COMPANION_TOKEN),"
                " or the database's password into PGPASSWORD or ~/.pgpass",
                err=True,
            )
        try:
            code = super().main(args, *rest, **extra)
            sys.stdout.flush()
        except click.ClickException as error:
            code = _print_error(error.format_message(), getattr(error, "ctx", None))
        except MessageError as error:
            code = _print_error(error_text(error), None)
        except (click.Abort, KeyboardInterrupt):
            code = 130
        except BrokenPipeError:  # the reader of the output has what it wants
            code = 1
            _discard_output()
        except OSError as error:
            _discard_output()
            code = _print_error(_reason(error), None)
        sys.exit(code if isinstance(code, int) else 0)


class _Output:
    """A text stream without control characters of data except colors; with ``secrets`` set to False also without secrets."""

    def __init__(self, stream: Any, *, secrets: bool) -> None:
        self._stream, self._secrets = stream, secrets

    def write(self, text: str) -> int:
        """Write a text."""
        parts = enumerate(_STYLES.split(text))
        text = "".join(part if n % 2 else without_controls(part) for n, part in parts)
        return int(self._stream.write(text if self._secrets else redacted(text)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _protect_output() -> None:
    """Keep control characters of data off the terminal, and secrets off standard error, which services write to logs."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if isinstance(stream, _Output):
            continue
        # Piped output is UTF-8 on every system, whatever its own encoding.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        setattr(sys, name, _Output(stream, secrets=name == "stdout"))


def _discard_output() -> None:
    """Discard what waits for standard output: the interpreter would fail to write it at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reason(error: OSError) -> str:
    """Return an error of the disk or the network as a sentence with advice."""
    text = error.strerror or str(error)
    if error.filename is not None:
        text = f"{error.filename}: {text}"
    advice = {errno.ENOSPC: "free some space and try again", errno.EDQUOT: "free some space and try again"}
    return f"{text}: {advice[error.errno]}" if error.errno in advice else text


def _print_error(message: str, ctx: click.Context | None) -> int:
    sentence = " ".join(message.split())
    command = ctx.command_path if ctx else "companion"
    if ctx:
        sentence = f"{sentence} (see `{command} --help`)"
    click.echo(f"{command}: {sentence}", err=True)
    return 2


@click.group(
    cls=_MainGroup,
    entry_points="companion.commands",
    summaries=_SUMMARIES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="hanafuda-companion")
@language_option
@click.pass_context
def main(ctx: click.Context) -> None:
    """Recognize hanafuda cards in a photograph, score the pile and explain the points."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
