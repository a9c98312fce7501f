"""``companion invite``: let a phone or machine in, from the terminal of the machine that runs the server."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

from companion.cli.language import say
from companion.cli.terminal import json_option, print_result, server_data_option, store_option, store_place
from companion.hanafuda.messages import Message
from companion.names import MAX_NAME, ReservedNameError, phone_name, tidy_name
from companion.net.addresses import qr_lines, urls

if TYPE_CHECKING:
    from companion.store.pairings import Role
    from companion.store.store import Store

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_MAX_SEAT: Final = 12
_MAX_USES: Final = 50
_MACHINES: Final = {
    "camera": "companion watch 0 --table {url}t/TABLE",
    "device": "companion devices run --server {url}",
}
"""The roles of machines, and the command that uses a token of each."""


def _short(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return a name or id that can be stored and printed (a click callback)."""
    if value is None:
        return None
    tidy = tidy_name(value)
    if not 0 < len(tidy) <= MAX_NAME:
        raise click.BadParameter(f"1 to {MAX_NAME} printable characters are allowed", ctx, param)
    try:
        return phone_name(tidy)
    except ReservedNameError as error:
        raise click.BadParameter(say(error.message), ctx, param) from error


@click.command()
@click.option(
    "--role",
    type=click.Choice(("host", "scorer", "viewer", *_MACHINES)),
    help="The role: host (everything), scorer (keep score), viewer (watch, if reading is restricted), camera or device (a machine;"
    " prints a token). [default: host, or scorer with --seat]",
)
@click.option(
    "--seat", type=click.IntRange(1, _MAX_SEAT), metavar="N", help="The seat that the phone plays at."
)
@click.option("--table", metavar="ID", callback=_short, help="The table of the seat. [default: any table]")
@click.option(
    "--name", metavar="NAME", callback=_short, help="The name of the phone or machine in the lists."
)
@click.option(
    "--uses",
    default=1,
    show_default=True,
    type=click.IntRange(1, _MAX_USES),
    metavar="N",
    help="The number of phones that can join with the invitation.",
)
@click.option(
    "--server",
    metavar="URL",
    help="The address at which phones reach the server. [default: that of the running server]",
)
@server_data_option
@store_option
@json_option
def invite(
    *,
    role: Role | None,
    seat: int | None,
    table: str | None,
    name: str | None,
    uses: int,
    server: str | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Invite a phone: print a link, its QR code, and a PIN, all valid for ten minutes.

    The running server accepts the invitation at once; it need not be stopped. For a camera or device print a token instead.
    """
    # Imported here: the database takes a moment to load, too long for `companion --help`.
    from companion.store import default_folder, is_url  # noqa: PLC0415
    from companion.store.store import open_store  # noqa: PLC0415

    role = role or ("host" if seat is None else "scorer")
    if role in _MACHINES and (seat is not None or table is not None or uses != 1):
        raise click.UsageError(
            f"--seat, --table and --uses apply to phones, but a {say(Message(f'role-{role}'))} is a machine: leave them out"
        )
    folder = data or default_folder()
    place = store_place(data)
    running = _running_at(folder)
    url = server.rstrip("/") + "/" if server else running or urls()[0]
    with closing(open_store(place)) as log:
        if role in _MACHINES:
            _print_token(log, role, name, url, as_json=as_json)
            return
        _print_invitation(log, role, name, seat, table, uses, url, as_json=as_json)
    # The servers of a common database may run on other machines.
    if not (server or running or is_url(place) or as_json):
        text = f"No server is running with the data folder {folder}: start `companion serve`, or give the address with --server."
        click.echo(text, err=True)


def join_link(url: str, code: str) -> str:
    """Return the link for joining with an invitation code; ``url`` ends with a slash.

    The code is in the fragment, which browsers do not send to servers, so it appears in no log.
    """
    return f"{url}join#code={code}"


def _print_invitation(
    log: Store,
    role: Role,
    name: str | None,
    seat: int | None,
    table: str | None,
    uses: int,
    url: str,
    *,
    as_json: bool,
) -> None:
    invitation = log.pairings.invite(role, name=name, seat=seat, table=table, uses=uses)
    assert invitation.pin is not None
    link = join_link(url, invitation.code)
    document: dict[str, Any] = {
        "link": link,
        "pin": invitation.pin,
        "role": role,
        "seat": seat,
        "table": table,
    }
    document |= {"name": name, "uses": uses, "expires": invitation.expires}
    what = Message(f"role-{role}")
    if seat is not None:
        taken = Message("cli-invite-seat", {"seat": seat})
        what = taken if role == "scorer" else Message("cli-invite-seat-as", {"seat": taken, "role": what})
    pin = f"{invitation.pin[:3]} {invitation.pin[3:]}"
    text = [
        *qr_lines(link),
        "\n" + say(Message("cli-invite-scan", {"role": what, "uses": uses})),
        f"  {click.style(link, bold=True)}",
        say(Message("cli-invite-pin", {"url": f"{url}join", "pin": pin})),
    ]
    print_result(document, text, as_json=as_json)


def _print_token(log: Store, role: Role, name: str | None, url: str, *, as_json: bool) -> None:
    pairing = log.pairings.add(role, name=name)
    token, command = log.pairings.token(pairing), _MACHINES[role].format(url=url)
    document = {"token": token, "role": role, "name": pairing.name, "id": pairing.id, "command": command}
    machine = {"role": Message(f"role-{role}")}
    text = [
        f"{say(Message('cli-invite-token', machine))}\n  {click.style(token, bold=True)}",
        f"{say(Message('cli-invite-use', machine))}\n  COMPANION_TOKEN={token} {command}",
        say(Message("cli-invite-remove")),
    ]
    print_result(document, text, as_json=as_json)


def _running_at(folder: Path) -> str | None:
    """Return the URL at which phones reach the server that uses a data folder, or None if none is running."""
    from companion.store.folder_lock import running_server  # noqa: PLC0415

    server = running_server(folder)
    if server is None:
        return None
    url = urlsplit(server.address)
    if url.hostname not in _LOOPBACK or url.port is None:
        return server.address
    return urls(port=url.port)[0].replace("http:", f"{url.scheme}:", 1)
