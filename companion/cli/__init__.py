"""The command line, ``companion``: a command a module, each imported when it is called.

A command lives in ``companion/cli/<name>.py`` as a click command called by its own name; `COMMANDS`
lists them. Exit codes: 0 done; 1 done, and something is illegal or does not agree; 2 bad input or usage, with
one line on standard error. A command raises `companion.hanafuda.errors.BadRequestError` or `click.ClickException` with
a sentence that can stand on that line, and ends with ``ctx.exit(1)`` for the second case.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from companion.hanafuda.errors import BadRequestError

__all__ = ["COMMANDS", "main"]

# As vision/__init__.py does, but before any command imports NumPy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

COMMANDS = (
    "scan",
    "score",
    "watch",
    "replay",
    "games",
    "rules",
    "decks",
    "enroll",
    "mat",
    "labels",
    "calibrate",
    "log",
    "print",
    "serve",
    "invite",
    "https",
    "devices",
    "mqtt",
    "bench",
)
"""The commands in the order of the help. None is imported before it is called, so that `companion score` need not wait
for OpenCV, Flask or a database."""


class LateGroup(click.Group):
    """A group whose commands are modules, and whose errors are one line on standard error."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in their order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(f"companion.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run the command line and end the process with the contract's exit code."""
        extra["standalone_mode"] = False
        for stream in (sys.stdout, sys.stderr):
            # What is piped is UTF-8 everywhere, also where the system's own encoding is another.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        try:
            code = super().main(args, *rest, **extra)
        except click.ClickException as error:
            code = _complain(error.format_message(), getattr(error, "ctx", None))
        except BadRequestError as error:
            code = _complain(str(error), None)
        except (click.Abort, KeyboardInterrupt):
            code = 130
        sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str, ctx: click.Context | None) -> int:
    sentence = " ".join(message.split())
    command = ctx.command_path if ctx else "companion"
    help_hint = f" (see `{command} --help`)" if ctx else ""
    click.echo(f"{command}: {sentence}{help_hint}", err=True)
    return 2


@click.group(
    cls=LateGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="hanafuda-companion")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Read hanafuda cards from a photograph, score the pile and say why."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
