"""``companion doctor``: checks this installation, says in plain words what is wrong and what to do, and packs a debug archive."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from api.cli.doctor_checks import CheckResult, Level, all_checks
from companion.cli.language import cli_language, say
from companion.cli.terminal import json_option, print_json, server_data_option, store_option, store_place
from companion.hanafuda.messages import Message
from companion.net.addresses import PORT

__all__ = ["doctor"]

_MARKS: Final[dict[Level, tuple[str, str]]] = {
    "ok": ("✓", "green"),
    "warning": ("!", "yellow"),
    "problem": ("✗", "red"),
}
"""The mark of each level, and its color in a terminal."""


@click.command()
@server_data_option
@store_option
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(1, 65535),
    metavar="P",
    help="The port on which `companion serve` is to listen.",
)
@click.option(
    "--archive",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    metavar="FILE",
    help="Also write these results, the settings and the logs to a ZIP file for a bug report. It has no pictures, tokens or"
    " keys.",
)
@json_option
@click.pass_context
def doctor(ctx: click.Context, *, data: Path | None, port: int, archive: Path | None, as_json: bool) -> None:
    """Check this installation: what is wrong, and what to do.

    Checks the card recognition, the data folder, the log, the settings, the network, HTTPS, cameras and serial ports. Nothing
    is changed, and a running server is not disturbed. Ends with exit code 1 if there is a problem.
    """
    from companion.settings import SettingsError  # noqa: PLC0415  # pydantic takes a moment to load
    from companion.store import default_folder  # noqa: PLC0415  # the database takes a moment to load

    folder = data or default_folder()
    try:
        store = store_place(data)
    except SettingsError:  # one of the checks reports it
        store = folder
    results = list(all_checks(folder, store, port))
    for each in results:
        if as_json:
            print_json(_document(each))
        else:
            mark, color = _MARKS[each.level]
            click.echo(f"{click.style(mark, fg=color, bold=True)} {say(each.message)}")
    if archive is not None:
        from api.cli.debug_archive import write_archive  # noqa: PLC0415

        write_archive(archive, folder, map(_document, results))
        click.echo(f"The debug archive is {archive}.", err=as_json)
    if not as_json:
        click.echo(say(_summary(results)))
    ctx.exit(any(each.level == "problem" for each in results))


def _document(result: CheckResult) -> dict[str, object]:
    return {
        "level": result.level,
        **result.message.to_dict(),
        "message": say(result.message),
        "language": cli_language(),
    }


def _summary(results: Iterable[CheckResult]) -> Message:
    levels = [each.level for each in results]
    if problems := levels.count("problem"):
        return Message("doctor-problems", {"count": problems})
    if warnings := levels.count("warning"):
        return Message("doctor-warnings", {"count": warnings})
    return Message("doctor-fine")
