"""Shared parts of the commands: the options ``--json``, ``--data``, ``--store``, ``--deck`` and ``--rules``, and JSON Lines on standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from companion.cli.language import say
from companion.hanafuda.errors import hint, quote
from companion.hanafuda.messages import Message, Param
from companion.hanafuda.rules import PRESETS, Rules, UnknownPresetError, resolve
from companion.hanafuda.rules.share import is_like_a_code
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.store import DocumentStore, default_folder, is_url, open_documents

if TYPE_CHECKING:
    from companion.store.store import Store

_Command = TypeVar("_Command", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one document per line.")

_STORE: Final = "companion.store"
"""The key of the database's URL in the context of a command and its subcommands."""


def _note_store(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Note the URL of the option ``--store`` for `store_place`."""
    if value is not None:
        from companion.settings import Settings  # noqa: PLC0415  # pydantic takes a moment to load

        ctx.meta[_STORE] = Settings.check({"store": value}, "--").store


store_option = click.option(
    "--store",
    metavar="URL",
    callback=_note_store,
    expose_value=False,
    is_eager=True,  # as --data
    help="The PostgreSQL database that several servers share, postgresql://USER@HOST/NAME, instead of the log in the data folder;"
    " also COMPANION_STORE, which hides a password from other users of this machine.",
)
"""For commands that open the store with `store_place`; passes them nothing."""


def store_place(data: Path | None) -> Path | str:
    """Return where a command finds the stored data: the URL of ``--store`` or of the settings, else the data folder.

    Raises `BadRequestError` for wrong settings, and for an address instead of a folder.
    """
    ctx = click.get_current_context(silent=True)
    if ctx is not None and (url := ctx.meta.get(_STORE)) is not None:
        return str(url)
    folder = data or default_folder()
    if not is_url(folder) and not (folder / "settings.toml").exists() and "COMPANION_STORE" not in os.environ:
        return folder
    from companion.settings import Settings  # noqa: PLC0415  # pydantic takes a moment to load

    return Settings.load(folder).store or folder


_data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    is_eager=True,  # the rules may be a name that was saved there
    help="The data folder, with saved rules and enrolled decks.",
)


def data_option(command: _Command) -> _Command:
    """Add the options ``--data`` and ``--store`` to a command that finds its stored data with `store_place`."""
    return _data_option(store_option(command))


server_data_option = click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="The data folder of the server."
)

deck_option = click.option("--deck", metavar="NAME", help="A known deck. [default: detected]")


def stored_documents(data: Path | None) -> DocumentStore:
    """Return the documents of a store, such as enrolled decks; the database of a data folder is not opened."""
    return open_documents(store_place(data))


@contextmanager
def existing_store(data: Path | None) -> Iterator[Store | None]:
    """Open what a command finds stored; yield None if there is nothing yet, because reading must not create it."""
    from companion.store.store import has_store, open_store  # noqa: PLC0415  # the database takes a moment to load

    place = store_place(data)
    with closing(open_store(place)) if has_store(place) else nullcontext() as store:
        yield store


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
        raise click.BadParameter(f"cannot read the rules file {quote(value)}: {reason}", ctx, param) from None
    try:
        record = loads(text)
    except BadJSONError as error:
        text_of_error = Message("cli-rules-not-json", {"file": value, "error": str(error)})
        raise click.BadParameter(say(text_of_error), ctx, param) from None
    if not isinstance(record, dict):
        raise click.BadParameter(
            f"the rules file {value} must contain one JSON object of options", ctx, param
        )
    return resolve(record)


def _rules_by_name(ctx: click.Context, param: click.Parameter, name: str) -> Rules:
    """Return the rules of a share code or of a saved name."""
    try:
        return resolve(name)
    except UnknownPresetError:
        pass
    names = []
    with existing_store(ctx.params.get("data")) as store:
        if store is not None:
            if saved := store.house_rules.get(name):
                return saved.rules()
            names = [each.name for each in store.house_rules.all()]
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


def print_result(document: object, text: str | Iterable[str], *, as_json: bool) -> None:
    """Print a JSON document on one line if ``as_json``, else its text or lines."""
    if as_json:
        print_json(document)
    else:
        click.echo(text if isinstance(text, str) else "\n".join(text))
