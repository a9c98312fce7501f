"""``companion serve``: the server for phones in the house's network."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from companion.addresses import PORT, qr_lines, urls
from companion.terminal import json_option, print_json

__all__ = ["serve"]

_THREADS = 24  # pictures wait in theirs for their turn; the others answer everybody else meanwhile
_MOST_BYTES = 256 * 2**20  # more is not even received; less is refused by the application, which says why


@click.command()
@click.option("--host", default="0.0.0.0", show_default=True, metavar="H", help="The address to listen on.")
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(1, 65535),
    metavar="P",
    help="The port to listen on.",
)
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="The folder of the log.")
@click.option("--demo", is_flag=True, help="Say how to try it without cards and camera.")
@json_option
def serve(host: str, port: int, data: Path | None, demo: bool, as_json: bool) -> None:
    """Serve the pages for phones and the API, until Ctrl-C.

    Prints the address for phones in the same network, and a QR code of it.
    """
    # Imported now: Flask, OpenCV and the scanner take a second, which `companion --help` need not wait for.
    from api import create_app  # noqa: PLC0415
    from api.context import context  # noqa: PLC0415
    from companion.log import default_folder  # noqa: PLC0415
    from vision.sessions import MissingModelError  # noqa: PLC0415

    app = create_app(data or default_folder())
    with app.app_context():
        log, eyes = context().log, context().eyes
    try:
        server = _listening(app, host, port)
        try:
            eyes.warm_up()
        except MissingModelError as error:
            click.echo(f"companion serve: no picture can be read: {error}", err=True)
        addresses = urls(host, port)
        if as_json:
            print_json({"serving": addresses, "data": str(log.folder)})
        else:
            _greet(addresses, log.folder, demo)
        signal.signal(signal.SIGTERM, _stop)
        server.run()  # until Ctrl-C or SIGTERM; what is under way is finished
        server.close()
    finally:
        log.close()
    click.echo("Stopped.", err=True)


def _listening(app: Any, host: str, port: int) -> Any:
    """Return a server that has the port already, or say why it cannot have it."""
    import waitress  # type: ignore[import-untyped]  # noqa: PLC0415

    try:
        return waitress.create_server(
            app, host=host, port=port, threads=_THREADS, max_request_body_size=_MOST_BYTES
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise click.ClickException(
            f"cannot listen on {host} port {port}: {reason}. If another program (perhaps another companion serve)"
            " has the port, stop it or take another with --port"
        ) from error


def _greet(addresses: list[str], folder: Path, demo: bool) -> None:
    click.echo("\n".join(qr_lines(addresses[0])))
    click.echo(
        f"\nOpen {click.style(addresses[0], bold=True)} on a phone in the same network, or scan the code."
    )
    for url in addresses[1:]:
        click.echo(f"On this machine: {url}")
    if demo:
        click.echo("No cards at hand? The first page has sample pictures: one click scans one.")
    click.echo(f"Scans are kept in {folder}. Ctrl-C stops.")
    sys.stdout.flush()


def _stop(signum: int, frame: object) -> NoReturn:
    raise SystemExit(0)
