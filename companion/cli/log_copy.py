"""``companion log copy``: copies a store to another place and reports what was done."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final, Literal, get_args

import click

from companion.cli.language import say
from companion.cli.terminal import print_result
from companion.hanafuda.messages import Message
from companion.store import is_url, place_name
from companion.store.store import has_store, open_store
from companion.store.store_copy import CopiedKind, CopyResult, ReportProgress, copy_store

_TERMINAL_S: Final = 0.2
"""How often the line that tells how far a copy is changes on a terminal, s."""
_LINES_S: Final = 30.0
"""How often there is such a line elsewhere, for example in a log file, s."""
_CLEAR_LINE: Final = "\r\x1b[K"
"""Returns a terminal to the beginning of its line and empties it."""


def copy_log(source: str, target: str, *, as_json: bool) -> bool:
    """Copy everything from one data folder or database to another, compare both, and print the result.

    Returns whether everything is in the target now. Raises `click.UsageError`, `LogUnusableError`, `LogReadError`, and
    `LogWriteError`; what was copied before stays.
    """
    places = {"source": place_name(source), "target": place_name(target)}
    if not has_store(source):
        raise click.UsageError(
            f"there is no log in {source}: FROM is a data folder with a log, or the address of a database, postgresql://…"
        )
    if _identity(source) == _identity(target):
        raise click.UsageError(
            f"FROM and TO are the same place, {places['source']}: choose another data folder or database as TO"
        )
    with ExitStack() as stack:
        one, other = (stack.enter_context(closing(open_store(place))) for place in (source, target))
        with _progress("cli-log-copy-copying") as report:
            result = copy_store(one, other, report)
        with _progress("cli-log-copy-comparing") as report:
            compared = copy_store(one, other, report)
        other.nights.refresh()
    added_meanwhile = compared.copied.total()
    complete = not compared.conflicts and not added_meanwhile
    counts = {
        kind: {"copied": result.copied[kind], "same": result.same[kind]} for kind in get_args(CopiedKind)
    }
    conflicts = [{"kind": kind, "id": name} for kind, name in compared.conflicts]
    document = {**places, "counts": counts, "conflicts": conflicts, "complete": complete}
    text = [*_text(result), *([say(Message("cli-log-copy-complete", places))] if complete else [])]
    print_result(document, text, as_json=as_json)
    if as_json:
        return complete
    if compared.conflicts:
        names = ", ".join(f"{say(_kind(kind))} {name}" for kind, name in compared.conflicts)
        click.echo(say(Message("cli-log-copy-conflict", {**places, "names": names})), err=True)
    if added_meanwhile:
        click.echo(say(Message("cli-log-copy-changed", {**places, "count": added_meanwhile})), err=True)
    return complete


@contextmanager
def _progress(code: Literal["cli-log-copy-copying", "cli-log-copy-comparing"]) -> Iterator[ReportProgress]:
    """Yield a function that says on standard error from time to time how far a copy is; a terminal's line is empty at the end."""
    terminal = sys.stderr.isatty()
    interval = _TERMINAL_S if terminal else _LINES_S
    printed = time.monotonic()

    def report(kind: CopiedKind, done: int, count: int) -> None:
        nonlocal printed
        if time.monotonic() - printed < interval:
            return
        printed = time.monotonic()
        text = say(Message(code, {"kind": say(_kind(kind)), "done": done, "count": count}))
        click.echo(f"{_CLEAR_LINE}{text}" if terminal else text, err=True, nl=not terminal)

    try:
        yield report
    finally:
        if terminal:
            click.echo(_CLEAR_LINE, err=True, nl=False)


def _text(result: CopyResult) -> Iterator[str]:
    for kind in get_args(CopiedKind):
        copied, same = result.copied[kind], result.same[kind]
        if copied or same:
            yield f"{say(_kind(kind))}: {copied} copied, {same} already there"


def _kind(kind: CopiedKind) -> Message:
    return Message(f"cli-log-copy-{kind}")


def _identity(place: str) -> str:
    return place if is_url(place) else str(Path(place).resolve())
