"""``companion serve``: the server for phones in the house's network, with a camera at a table if there is one."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from companion.cli.terminal import json_option, print_json, rules_option
from companion.hanafuda.rules import Rules
from companion.net.addresses import HTTPS_PORT, PORT, qr_lines, urls

if TYPE_CHECKING:
    from apiflask import APIFlask

    from api.context import Context
    from api.serving.https_routes import Renewal
    from api.serving.server import Server
    from companion.net.child_process import Child

__all__ = ["serve"]

_DEMO = "demo:"
_DEMO_PLAYERS = ("Aoi", "Ren")
_PRIVATE: Final = 0o077
"""Mask for new files: what is kept shows the home and who may write, so only the user may read it."""
_ANYWHERE = ("0.0.0.0", "::")
_HANG_S = 30.0
"""A worker process that reports nothing for so long, s, hangs and is started again; it reports once a second."""
_LOOK_S = 0.5
"""How often it is looked whether somebody has set up the first device."""


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
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    is_eager=True,  # the rules may be a name that was saved there
    metavar="DIR",
    help="The folder of the log.",
)
@click.option(
    "--camera",
    metavar="SRC",
    help="Watch a table with this camera (0 is the first; an address, video file or folder of frames as in"
    " `companion watch`).",
)
@click.option(
    "--game",
    metavar="G",
    help="The camera's table: the game (the first of `companion games` if neither this nor --rules says).",
)
@rules_option
@click.option(
    "--players", metavar="A,B", help="The camera's table: the players' names, in the order of their seats."
)
@click.option(
    "--deck", metavar="NAME", help="The camera's table: a known deck; without it the program decides."
)
@click.option("--demo", is_flag=True, help="Play by itself, without cards and camera.")
@click.option(
    "--phones",
    default=100,
    show_default=True,
    type=click.IntRange(1, 2000),
    metavar="N",
    help="How many pages can follow tables at once.",
)
@click.option(
    "--https/--no-https",
    default=None,
    help="Serve HTTPS beside plain HTTP; on by itself once `companion https` was run.",
)
@click.option(
    "--https-port",
    default=HTTPS_PORT,
    show_default=True,
    type=click.IntRange(1, 65535),
    metavar="P",
    help="The port of HTTPS.",
)
@click.option(
    "--devices/--no-devices",
    default=True,
    show_default=True,
    help="Talk to the readers, buttons and displays that are set up; not where another machine does (`companion devices"
    " run`).",
)
@click.option(
    "--mqtt",
    "broker",
    metavar="HOST[:PORT]",
    help="Tell an MQTT broker how the tables stand, as `companion mqtt` does; a password: COMPANION_MQTT_PASSWORD.",
)
@json_option
def serve(
    *,
    host: str,
    port: int,
    data: Path | None,
    camera: str | None,
    game: str | None,
    rules: Rules | None,
    players: str | None,
    deck: str | None,
    demo: bool,
    phones: int,
    https: bool | None,
    https_port: int,
    devices: bool,
    broker: str | None,
    as_json: bool,
) -> None:
    """Serve the pages for phones and the API, until Ctrl-C.

    Prints a QR code that makes the first phone that scans it a host, and the address for watching. With --camera or
    --demo a table is open, and a second process watches it: should it end, it is started again, and what is entered by
    hand counts all the same.
    """
    if camera is not None and demo:
        raise click.UsageError("--demo plays without a camera: leave one of --camera and --demo out")
    source = _DEMO if demo else camera
    if source is None and (game or rules or players or deck):
        raise click.UsageError(
            "--game, --rules, --players and --deck are for the camera's table: give --camera too"
        )
    if broker:
        _check_broker(broker)
    # Imported now: Flask, OpenCV and the scanner take a second, which `companion --help` need not wait for.
    from companion.hanafuda.registry import default_game  # noqa: PLC0415
    from companion.table.event_parsing import read_rules  # noqa: PLC0415

    record = read_rules({"game": game or (rules.game if rules else default_game().slug), "rules": rules})
    names = _names(players, record) if players or not demo else _DEMO_PLAYERS
    from api.app import create_app  # noqa: PLC0415
    from api.context import context  # noqa: PLC0415
    from api.monitoring.log_monitor import Monitor  # noqa: PLC0415
    from api.monitoring.nightly_backup import NightlyBackup  # noqa: PLC0415
    from api.tables.demo_host import DemoHost  # noqa: PLC0415
    from companion.logs import configure_logging  # noqa: PLC0415
    from companion.store import default_folder, demo_folder  # noqa: PLC0415
    from companion.store.sqlite.folder_lock import folder_lock, network_file_system  # noqa: PLC0415

    os.umask(_PRIVATE)
    folder = data or (demo_folder() if demo else default_folder())
    click.get_current_context().with_resource(folder_lock(folder, _own_url(host, port)))
    if kind := network_file_system(folder):
        click.echo(
            f"companion serve: {folder} is on a network file system ({kind}), where two computers can damage the database: keep"
            " the data on a disk of this computer with --data",
            err=True,
        )
    app = create_app(folder, most_streams=phones)
    configure_logging(folder)
    with app.app_context():
        held = context()
    try:
        server = _listening(app, held, host, port, phones)
        renewal = _secured(server, app, held, host, https_port, wanted=https)
        secure = urls(host, https_port, scheme="https") if renewal else []
        table, child = None, None
        if source is None:
            _warm_up(held)
        else:
            table = _table(held, record, names, deck, demo=demo)
            child = _watching(held, host, port, table, source, deck, as_host=demo)
        _tell(host, port, secure, held, table, len(names), as_json=as_json)
        with (
            Monitor(held.store, held.notices, held.hub),
            NightlyBackup(folder, held.notices),
            renewal or nullcontext(),
            DemoHost(held.tables, held.referees, table) if demo and table else nullcontext(),
            _talking_to_devices(held, host, port) if devices else nullcontext(),
            _publishing(held, host, port, broker) if broker else nullcontext(),
        ):
            _until_stopped(server, held, child)
    finally:
        held.pictures.close()
        held.readers.close()
        held.store.close()
    click.echo("Stopped.", err=True)


def _names(players: str | None, rules: Rules) -> tuple[str, ...]:
    """Return the players' names, empty ones where nobody said; `BadRequestError` for more or fewer than can play."""
    from companion.hanafuda.registry import GAMES  # noqa: PLC0415

    seats = GAMES[rules.game].round.seats(rules)
    if players is None:
        return ("",) * seats[0]
    names = tuple(name.strip() for name in players.split(","))
    if len(names) not in seats:
        known = f"{seats[0]} to {seats[-1]}" if len(seats) > 1 else f"{seats[0]}"
        raise click.UsageError(f"--players names {len(names)}, and {known} play {rules.game} by {rules.name}")
    return names


def _listening(app: APIFlask, held: Context, host: str, port: int, phones: int) -> Server:
    """Return a server that has the port already, or say why it cannot have it."""
    from api.serving.recognition import recognizer  # noqa: PLC0415
    from api.serving.setup import make_server  # noqa: PLC0415

    try:
        return make_server(
            app,
            host,
            port,
            most_streams=phones,
            behind_proxy=held.settings.proxies > 0,
            recognize=recognizer(held.pairings),
        )
    except (OSError, ValueError) as error:
        raise _port_error(host, port, error, "--port") from error


def _port_error(host: str, port: int, error: Exception, option: str) -> click.ClickException:
    reason = getattr(error, "strerror", None) or error
    return click.ClickException(
        f"cannot listen on {host} port {port}: {reason}. If another program (perhaps another companion serve)"
        f" has the port, stop it or take another with {option}"
    )


def _secured(
    server: Server, app: APIFlask, held: Context, host: str, port: int, *, wanted: bool | None
) -> Renewal | None:
    """Serve HTTPS too if there is a certificate authority, and return what renews the certificate."""
    from api.serving.https_routes import HTTPS_PORT as PORT_KEY  # noqa: PLC0415
    from api.serving.https_routes import Renewal  # noqa: PLC0415
    from companion.net.addresses import own_addresses  # noqa: PLC0415
    from companion.net.certificates import Authority  # noqa: PLC0415

    authority = Authority(held.store.folder)
    if wanted is False or (wanted is None and not authority.exists):
        return None
    if not authority.exists:
        raise click.UsageError("--https needs certificates: run `companion https` first")
    hosts = held.settings.hosts
    authority.certify({*own_addresses(), *hosts})
    try:
        app.config[PORT_KEY] = server.listen_tls(host, port, authority.context())
    except (OSError, ValueError) as error:
        raise _port_error(host, port, error, "--https-port") from error
    return Renewal(authority, server, hosts)


def _table(held: Context, rules: Rules, names: Sequence[str], deck: str | None, *, demo: bool) -> str:
    """Return the table to watch: that of a game that was broken off today, or a new one; the demo plays from the start."""
    tables = held.tables
    found = None if demo else tables.unfinished(rules=rules, players=names, deck=deck)
    if found is not None:
        return found
    name = "Demo" if demo else None
    told = tables.open(
        name=name, rules=rules, players=names, deck=deck, actor="this machine", source="program"
    )
    return told.table


def _warm_up(held: Context) -> None:
    """Load the scanner before the first picture is sent, beside all else; with a camera it is loaded only if one is sent."""
    from api.pictures.service import ScannerFailedError  # noqa: PLC0415
    from vision.networks.onnx_sessions import MissingModelError  # noqa: PLC0415

    def load() -> None:
        try:
            held.pictures.warm_up()
        except MissingModelError as error:
            click.echo(f"companion serve: no picture can be read: {error}", err=True)
        except ScannerFailedError:
            pass  # the server was stopped meanwhile, or the first picture will tell

    threading.Thread(target=load, name="warm-up", daemon=True).start()


def _watching(
    held: Context, host: str, port: int, table: str, source: str, deck: str | None, *, as_host: bool
) -> Child:
    """Start the camera worker as a child that is a client of this server."""
    from companion.net.child_process import Child, Watchdog  # noqa: PLC0415

    # The demo's players also say koi-koi and stop, which a camera may not.
    pairing = held.pairings.for_own("host" if as_host else "camera", "demo" if as_host else "camera")
    command = [sys.executable, "-m", "companion.cli", "watch", source, "--data", str(held.store.folder)]
    command += ["--table", f"{_own_url(host, port)}t/{table}", *(("--deck", deck) if deck else ())]
    # By the environment, because everybody on this machine can read a process's command line.
    environment = {"COMPANION_TOKEN": held.pairings.token(pairing)}
    watchdog = Watchdog(lambda: held.cameras.told(held.tables.newest(table))["age"], _HANG_S)
    child = Child(command, environment, watchdog=watchdog)
    held.cameras.supervise(table, lambda: asdict(child.state))
    return child


@contextmanager
def _talking_to_devices(held: Context, host: str, port: int) -> Iterator[None]:
    """Start the device process as a child as soon as there is a device that is on, and end it."""
    from companion.net.child_process import Child, Watchdog  # noqa: PLC0415

    closed, children = threading.Event(), list[Child]()

    def start() -> None:
        while not held.devices.wanted:
            if closed.wait(_LOOK_S):
                return
        pairing = held.pairings.for_own("device", "devices")
        command = [sys.executable, "-m", "companion.cli", "devices", "run", "--server", _own_url(host, port)]
        environment = {"COMPANION_TOKEN": held.pairings.token(pairing)}
        children.append(Child(command, environment, watchdog=Watchdog(lambda: held.devices.seen_s, _HANG_S)))

    starting = threading.Thread(target=start, name="devices", daemon=True)
    starting.start()
    try:
        yield
    finally:
        closed.set()
        starting.join()
        for child in children:
            child.stop()


def _check_broker(broker: str) -> None:
    """Say before anything is served what would keep the broker from being told."""
    from hardware.mqtt.broker import Address, check_installed  # noqa: PLC0415

    check_installed()
    Address.read(broker)


@contextmanager
def _publishing(held: Context, host: str, port: int, broker: str) -> Iterator[None]:
    """Run the process that tells an MQTT broker how the tables stand."""
    from companion.net.child_process import Child  # noqa: PLC0415

    pairing = held.pairings.for_own("device", "MQTT")
    command = [sys.executable, "-m", "companion.cli", "mqtt", "--server", _own_url(host, port)]
    # The broker's address may hold a password: other people see what stands in a command.
    told = {"COMPANION_TOKEN": held.pairings.token(pairing), "COMPANION_MQTT_BROKER": broker}
    child = Child(command, told)
    try:
        yield
    finally:
        child.stop()


def _own_url(host: str, port: int) -> str:
    """Return where this machine itself reaches the server."""
    return urls("127.0.0.1" if host in _ANYWHERE else host, port)[0]


def _until_stopped(server: Any, held: Context, child: Child | None) -> None:
    """Serve until Ctrl-C or SIGTERM; what is under way is finished, and streams are ended."""

    def stop(signum: int, frame: object) -> NoReturn:
        held.hub.close()  # their threads would be waited for
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        server.run()
        server.close()
    finally:
        if child is not None:
            child.stop()


def _tell(
    host: str,
    port: int,
    secure: list[str],
    held: Context,
    table: str | None,
    seats: int,
    *,
    as_json: bool,
) -> None:
    addresses = urls(host, port)
    link = _host_link(held, addresses[0])
    if as_json:
        told = {"serving": [*addresses, *secure], "data": str(held.store.folder), "host": link}
        print_json(told if table is None else {**told, "table": table})
        return
    if link is not None:
        click.echo("\n".join(qr_lines(link)))
        click.echo("\nScan this to host. It works once, within 24 hours.")
        click.echo(f"  {click.style(link, bold=True)}")
        click.echo("Another host or player later: any host's page, or `companion invite` here.")
    click.echo(f"To watch, open {click.style(addresses[0], bold=True)} on a phone in the same network.")
    for url in addresses[1:]:
        click.echo(f"On this machine: {url}")
    if secure:
        click.echo(
            f"HTTPS, on phones that have the certificate: {secure[0]}   to install it: {addresses[0]}install-certificate"
        )
    if table is not None:
        at = f"{addresses[0]}t/{table}"
        click.echo(f"The table: {at}   for a wall screen: {at}/display   camera and health: {at}/host")
        for seat in range(1, seats + 1):
            click.echo(f"Seat {seat}: {at}/seat/{seat}")
    click.echo(f"Scans and tables are kept in {held.store.folder}. Ctrl-C stops.")
    sys.stdout.flush()


def _host_link(held: Context, url: str) -> str | None:
    """Return the link that makes the first phone that opens it a host; None where the log cannot be written."""
    from api.cli.invite import join_link  # noqa: PLC0415
    from companion.store import LogReadError, LogWriteError  # noqa: PLC0415

    try:
        return join_link(url, held.store.pairings.invite_at_start().code)
    except (LogReadError, LogWriteError) as error:
        click.echo(f"companion serve: no host can be invited: {error}", err=True)
        return None
