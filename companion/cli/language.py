"""The language of the command line: of ``--language``, else of the terminal (``LC_ALL``, ``LC_MESSAGES``, ``LANG``)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

import click

from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message, card_message, yaku_message

_chosen: ContextVar[str | None] = ContextVar("language", default=None)


def cli_language() -> str:
    """Return the language to print messages in."""
    from companion.messages import best_language  # noqa: PLC0415  # not needed for JSON and help

    return best_language(
        [_chosen.get(), *map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))]  # in the order of POSIX
    )


def say(message: Message) -> str:
    """Return the text of a message in the language of the command line."""
    from companion.messages import render  # noqa: PLC0415  # as above

    return render(message, cli_language())


def error_text(error: Exception) -> str:
    """Return the text of an error in the language of the command line; English if it has no message."""
    return say(error.message) if isinstance(error, MessageError) else str(error)


def card_text(card_id: str) -> str:
    """Return the name of a card in the language of the command line; in English with the Japanese name."""
    from companion.messages import render  # noqa: PLC0415  # as above

    name = card_message(card_id)
    return f"{say(name)} {render(name, 'ja')}" if cli_language() == "en" else say(name)


def yaku_text(slug: str, names: Mapping[str, str]) -> str:
    """Return the name of a yaku, with its Japanese name; `names` (``en``, ``ja``) are those of a game without a catalog."""
    local = say(yaku_message(slug))
    if local == yaku_message(slug).code:
        local = names.get("en", slug)
    return local if cli_language() == "ja" else f"{local} {names['ja']}"


def _choose(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    from companion.messages import LANGUAGES  # noqa: PLC0415  # as above

    if value is not None and value not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise click.BadParameter(f"{value!r} is not one of {known}", ctx, param)
    _chosen.set(value)


def language_option(command: Any) -> Any:
    """Add ``--language`` to the command that has all others."""
    return click.option(
        "--language",
        metavar="CODE",
        callback=_choose,
        expose_value=False,
        is_eager=True,
        help="Language of messages, such as en, ja or ko; without it, that of the terminal.",
    )(command)
