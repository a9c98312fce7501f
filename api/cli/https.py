"""``companion https``: how phones trust the certificates of this household, and the end of that trust."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.cli.terminal import json_option, print_result, server_data_option
from companion.net.addresses import PORT, qr_lines, urls

if TYPE_CHECKING:
    from companion.net.certificates import Authority

_INSTALL_PAGE = "install-certificate"


@click.command("https")
@server_data_option
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(1, 65535),
    metavar="P",
    help="The plain port of `companion serve`, from which phones download the certificate.",
)
@click.option(
    "--remove",
    is_flag=True,
    help="Delete the certificate authority; the next start of `companion serve` creates a new one.",
)
@json_option
def https(*, data: Path | None, port: int, remove: bool, as_json: bool) -> None:
    """Show how phones install the root certificate of this household, so that HTTPS needs no warning.

    Over HTTPS a phone's browser lets pages use the camera, keep the screen on, and be installed. `companion serve` serves
    HTTPS on port 8443 beside plain HTTP, and creates and renews its own certificate.
    """
    from companion.net.addresses import own_addresses  # noqa: PLC0415
    from companion.net.certificates import Authority  # noqa: PLC0415  # cryptography takes a moment
    from companion.settings import Settings  # noqa: PLC0415
    from companion.store import default_folder  # noqa: PLC0415
    from companion.store.folder_lock import running_server  # noqa: PLC0415

    folder = data or default_folder()
    authority = Authority(folder)
    if remove:
        _remove(authority, running=running_server(folder) is not None, as_json=as_json)
        return
    created = authority.ensure({*own_addresses(), *Settings.load(folder).hosts})
    page = f"{urls(port=port)[0]}{_INSTALL_PAGE}"
    document = {
        "created": created,
        "install": page,
        "root": f"{urls(port=port)[0]}ca.crt",
        "fingerprint": authority.fingerprint,
        "expires": authority.root.not_valid_after_utc.date().isoformat(),
        "folder": str(authority.folder),
    }
    text = [
        *qr_lines(page),
        f"\nScan this with each phone, or open {click.style(page, bold=True)}, and follow the steps there.",
        f"Before you trust the certificate, compare its SHA-256 fingerprint:\n  {authority.fingerprint}",
        f"The keys are in {authority.folder}; they are private to you and stay on this machine.",
    ]
    print_result(document, text, as_json=as_json)


def _remove(authority: Authority, *, running: bool, as_json: bool) -> None:
    from companion.net.certificates import BadAuthorityError  # noqa: PLC0415  # as above

    if not authority.exists:
        raise click.ClickException(f"there is no certificate authority in {authority.folder}")
    try:
        fingerprint = authority.fingerprint
    except BadAuthorityError:  # damaged: what is wrong with it no longer matters
        fingerprint = None
    authority.remove()
    text = "Removed. Delete it on the phones too"
    text += f"; its SHA-256 fingerprint was\n  {fingerprint}" if fingerprint else "."
    print_result({"removed": fingerprint}, text, as_json=as_json)
    if running and not as_json:
        click.echo("The old certificate is used until `companion serve` is restarted.", err=True)
