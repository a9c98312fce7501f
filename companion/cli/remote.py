"""Shared parts of the commands that call a running `companion serve`: its address, the token, and error messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import click

from companion.cli.language import error_text
from companion.net.addresses import PORT
from companion.net.client import AwayError, Client

_DEFAULT_URL: Final = f"http://127.0.0.1:{PORT}"
_TOKEN: Final = f"{__name__}.token"

_Command = TypeVar("_Command", bound=Callable[..., Any])


def server_options(command: _Command) -> _Command:
    """Decorate a command with the options ``--server`` and ``--token``, which pass it ``client: Client``."""
    server = click.option(
        "--server",
        "client",
        metavar="URL",
        default=_DEFAULT_URL,
        show_default=True,
        callback=_client,
        help="The address of `companion serve`.",
    )
    token = click.option(
        "--token",
        metavar="T",
        envvar="COMPANION_TOKEN",
        expose_value=False,
        is_eager=True,  # the client needs it
        callback=_store_token,
        help="A paired device's token. It is not needed on the server's own computer.",
    )
    return server(token(command))


@contextmanager
def plain_errors() -> Iterator[None]:
    """Say what to do if the server cannot be reached."""
    try:
        yield
    except AwayError as error:
        raise click.ClickException(
            f"{error_text(error)}. Start it with `companion serve`, or name another with --server"
        ) from error


def _store_token(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    ctx.meta[_TOKEN] = value


def _client(ctx: click.Context, param: click.Parameter, value: str) -> Client:
    return ctx.with_resource(Client(value, ctx.meta.get(_TOKEN)))
