"""The addresses on which `companion serve` listens."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from api.page_shell import PLAIN_PORT, SECURE_PORT
from api.serving.https_routes import Renewal
from api.serving.recognition import recognizer
from api.serving.server import Server
from companion.cli.language import say
from companion.hanafuda.messages import Message
from companion.net.addresses import HTTPS_PORT, own_addresses
from companion.net.certificates import Authority

if TYPE_CHECKING:
    from apiflask import APIFlask

    from api.context import Context

_log = logging.getLogger(__name__)


def listen(app: APIFlask, ctx: Context, host: str, port: int, phones: int) -> Server:
    """Return a server that listens on the port. Raises `click.ClickException` if the port is unavailable."""
    try:
        server = Server(
            app,
            host,
            port,
            most_streams=phones,
            behind_proxy=ctx.settings.proxies > 0,
            recognize=recognizer(ctx.pairings),
        )
        app.config[PLAIN_PORT] = server.port
        return server
    except OSError as error:
        raise _port_error(host, port, error, "--port") from error


def listen_tls(server: Server, app: APIFlask, ctx: Context, host: str, port: int | None) -> Renewal | None:
    """Also serve HTTPS, and return the certificate's renewal task; None if there is no certificate and the disk is full.

    ``port`` None: the usual port, or a free one if another server uses it.
    """
    authority = Authority(ctx.folder)
    try:
        authority.ensure({*own_addresses(), *ctx.settings.hosts})
    except OSError as error:  # a full disk: the last certificate has to do until the renewal succeeds
        _log.warning("the server's certificate cannot be renewed: %s", error)
        if not authority.certified:
            return None
    tls = authority.context()
    try:
        app.config[SECURE_PORT] = server.listen_tls(host, HTTPS_PORT if port is None else port, tls)
    except OSError as error:
        if port is not None:
            raise _port_error(host, port, error, "--https-port") from error
        app.config[SECURE_PORT] = server.listen_tls(host, 0, tls)
    return Renewal(authority, server, ctx.settings.hosts)


def _port_error(host: str, port: int, error: Exception, option: str) -> click.ClickException:
    reason = getattr(error, "strerror", None) or str(error)
    values = {"host": host, "port": str(port), "reason": reason, "option": option}
    return click.ClickException(say(Message("cli-serve-port", values)))
