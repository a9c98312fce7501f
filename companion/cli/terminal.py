"""Shared parts of the commands: the options ``--json``, ``--data``, ``--deck`` and ``--rules``, and JSON Lines on standard output."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.cli.language import say
from companion.hanafuda.errors import hint, quote
from companion.hanafuda.messages import Message, Param
from companion.hanafuda.rules import PRESETS, Rules, UnknownPresetError, resolve
from companion.hanafuda.rules.share import is_like_a_code
from companion.hanafuda.strict_json import BadJSONError, loads

if TYPE_CHECKING:
    from companion.store import DocumentStore

__all__ = [
    "data_option",
    "deck_option",
    "json_option",
    "print_json",
    "read_rules",
    "rules_option",
    "server_data_option",
    "stored_documents",
]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one document per line.")

data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    is_eager=True,  # the rules may be a name that was saved there
    help="The data folder, with saved rules and enrolled decks.",
)

server_data_option = click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="The data folder of the server."
)

deck_option = click.option("--deck", metavar="NAME", help="A known deck. [default: detected]")


def stored_documents(data: Path | None) -> DocumentStore:
    """Return the documents of a data folder, such as enrolled decks; its database is not opened."""
    from companion.store import default_folder, open_documents  # noqa: PLC0415  # imported now: the database takes a moment

    return open_documents(data or default_folder())


def read_rules(ctx: click.Context, param: click.Parameter, value: str | None) -> Rules | None:
    """Parse the value of ``--rules`` (a click callback).

    It is a preset's name, a share code or a link with one, a JSON file, or the name of saved rules.
    """
    if value is None:
        return None
    if value in PRESETS:
        return resolve(value)
    try:
        text = Path(value).read_bytes()
    except OSError as error:
        if isinstance(error, FileNotFoundError) or is_like_a_code(value):
            return _rules_by_name(ctx, param, value)
        reason = error.strerror or str(error)
        raise click.BadParameter(
            say(Message("cli-rules-unreadable", {"file": quote(value), "reason": reason})), ctx, param
        ) from None
    try:
        record = loads(text)
    except BadJSONError as error:
        text_of_error = Message("cli-rules-not-json", {"file": value, "error": str(error)})
        raise click.BadParameter(say(text_of_error), ctx, param) from None
    if not isinstance(record, dict):
        raise click.BadParameter(say(Message("cli-rules-not-object", {"file": value})), ctx, param)
    return resolve(record)


def _rules_by_name(ctx: click.Context, param: click.Parameter, name: str) -> Rules:
    """Return the rules of a share code or of a saved name."""
    try:
        return resolve(name)
    except UnknownPresetError:
        pass
    # Imported here: the import is slow, and few commands use saved rules.
    from companion.store import default_folder, has_store, open_store  # noqa: PLC0415

    folder = ctx.params.get("data") or default_folder()
    names = []
    if has_store(folder):
        log = open_store(folder)
        try:
            if saved := log.house_rules.get(name):
                return saved.rules()
            names = [each.name for each in log.house_rules.all()]
        finally:
            log.close()
    unknown: dict[str, Param] = {"name": quote(name), "hint": hint(name, [*PRESETS, *names])}
    raise click.BadParameter(say(Message("cli-rules-unknown", unknown)), ctx, param)


rules_option = click.option(
    "--rules",
    callback=read_rules,
    metavar="R",
    help="A preset's name, a share code, a JSON file with the options that differ from a preset, or the name of"
    " rules that were saved.",
)
"""Passes the command ``rules: Rules | None``."""


def print_json(document: object) -> None:
    """Print a JSON document on one line and flush, so that a reading program gets it at once."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    sys.stdout.flush()
