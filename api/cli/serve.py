"""``companion serve``: the server for phones on the home network, optionally with a camera that watches a table."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from companion.cli.language import error_text, say
from companion.cli.terminal import json_option, print_result, rules_option, store_option, store_place
from companion.hanafuda.messages import Message, Param
from companion.hanafuda.rules import Rules
from companion.names import THIS_MACHINE, tidy_name
from companion.net.addresses import HTTPS_PORT, PORT, lan_address, qr_lines, urls

if TYPE_CHECKING:
    from apiflask import APIFlask

    from api.context import Context
    from api.serving.server import Server
    from companion.net.child_process import Child
    from companion.store.pairings import Role

_DEMO = "demo:"
_PHONE: Final = "phone:"
_DEMO_NAME: Final = "Demo"
_DEMO_PLAYERS = ("Aoi", "Ren")
_DEMO_RULES: Final = {"rounds": 2}
"""The film is one game of two rounds."""
_UMASK: Final = 0o077
"""The umask: stored data contains pictures of the home and the pairings, so only the user may read it."""
_ALL_INTERFACES = ("0.0.0.0", "::")
_SWITCH_S: Final = 0.0005
"""How long a computing thread may keep the interpreter while others wait, s. A referee may compute for seconds, and every read or write
of the other threads would wait for Python's default of 5 ms."""
_FINISH_S: Final = 20.0
"""How long a server that ends finishes running requests, s; reading a photograph takes a few seconds."""
_POLL_S = 0.5
"""How often to check whether a first device was set up, or the log can be used, s."""


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
    is_eager=True,  # --rules may name rules that are stored in this folder
    metavar="DIR",
    help="The data folder.",
)
@store_option
@click.option(
    "--camera",
    metavar="SRC",
    envvar="COMPANION_CAMERA",
    help="Watch a table with this camera: a number (0 is the first camera), URL, video file, or folder of frames, as in"
    " `companion watch`; also COMPANION_CAMERA, which hides a password from other users of this machine.",
)
@click.option(
    "--game",
    metavar="G",
    help="The game at the camera's table. [default: the game of --rules, or the first of `companion games`]",
)
@rules_option
@click.option("--players", metavar="A,B", help="The players at the camera's table, in seat order.")
@click.option("--deck", metavar="NAME", help="The deck at the camera's table. [default: detected]")
@click.option("--demo", is_flag=True, help="Play a demo game without cards and camera.")
@click.option(
    "--phones",
    default=500,
    show_default=True,
    type=click.IntRange(1, 20_000),
    metavar="N",
    help="The maximum number of pages that can follow tables at the same time.",
)
@click.option(
    "--https/--no-https",
    default=None,
    help="Serve HTTPS in addition to HTTP, which a phone as the camera needs. [default: on, unless a proxy does it]",
)
@click.option(
    "--https-port",
    type=click.IntRange(1, 65535),
    metavar="P",
    help=f"The port for HTTPS. [default: {HTTPS_PORT}, or a free one if that is in use]",
)
@click.option(
    "--devices/--no-devices",
    default=True,
    show_default=True,
    help="Run the configured readers, buttons and displays; turn it off if another machine runs them (`companion devices run`).",
)
@click.option(
    "--scan-worker/--no-scan-worker",
    default=True,
    show_default=True,
    help="Read photographs here, too, if the store is a database; turn it off if other machines do (`companion scan-worker`).",
)
@click.option(
    "--mqtt",
    "broker",
    envvar="COMPANION_MQTT_BROKER",
    metavar="HOST[:PORT]",
    help="Publish the state of the tables to an MQTT broker, as `companion mqtt` does; the password is in"
    " COMPANION_MQTT_PASSWORD.",
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
    https_port: int | None,
    devices: bool,
    scan_worker: bool,
    broker: str | None,
    as_json: bool,
) -> None:
    """Serve the pages for phones and the API, until Ctrl-C.

    Prints a QR code that makes the first phone that scans it a host, and the address for watching. With --camera or
    --demo, opens a table and starts a second process that watches it; the process is restarted if it ends, and moves can
    still be entered by hand.
    """
    gc.disable()  # until the server runs: collections would find nothing, and take a twentieth of the start
    click.get_current_context().call_on_close(gc.enable)
    source = _source(camera, demo=demo, table_options=any((game, rules, players, deck)))
    if broker:
        _check_broker(broker)
    # Imported here: the games and the store take half a second to load, too long for `companion --help`.
    from companion.hanafuda.registry import default_game  # noqa: PLC0415
    from companion.table.parsing import read_rules  # noqa: PLC0415

    rule_set = read_rules(
        {
            "game": game or (rules.game if rules else default_game().slug),
            "rules": rules or (_DEMO_RULES if demo else None),
        }
    )
    names = _names(players, rule_set) if players or not demo else _DEMO_PLAYERS
    from companion.store import default_folder, demo_folder  # noqa: PLC0415
    from companion.store.folder_lock import folder_lock  # noqa: PLC0415

    os.umask(_UMASK)
    folder = data or (demo_folder() if demo else default_folder())
    store = store_place(folder)
    if isinstance(store, str):
        if demo:
            raise click.UsageError(
                "`--demo` plays in a data folder of its own, so that its games are not mixed with real ones: leave out `--store` and `COMPANION_STORE`"
            )
        os.environ["COMPANION_STORE"] = store  # for the camera's process and the scanner's
    click.get_current_context().with_resource(folder_lock(folder, _own_url(host, port)))
    _check_folder(folder)
    app, ctx = _create(folder, phones, store if isinstance(store, str) else None)
    from api.cli.listening import listen, listen_tls  # noqa: PLC0415
    from api.page_shell import SECURE_PORT  # noqa: PLC0415

    with closing(ctx), ExitStack() as running:
        server = listen(app, ctx, host, port, phones)
        secured = not ctx.settings.proxies if https is None else https
        renewal = listen_tls(server, app, ctx, host, https_port) if secured else None
        table = None
        if source is not None:
            open_table = partial(_open_demo if demo else _open_table, ctx, rule_set, names, deck)
            table = _opened_now(open_table)
        secure = urls(host, app.config[SECURE_PORT], scheme="https") if renewal else []
        _print_addresses(ctx, urls(host, port), secure, table, len(names), as_json=as_json)
        _start_services(running, ctx, host, port, devices=devices, scan_worker=scan_worker, broker=broker)
        running.enter_context(renewal or nullcontext())
        running.enter_context(_announcement(ctx, host, port, as_json=as_json))
        running.enter_context(_phone_cameras(ctx, host, port))
        if source is None:
            _warm_up(ctx)
        else:
            running.enter_context(
                _child_process(
                    lambda: _start_camera(ctx, host, port, table or open_table(), source, deck, as_host=demo)
                )
            )
        _tune_interpreter()
        _run_until_stopped(server, ctx)
    click.echo(say(Message("cli-serve-stopped")), err=True)


def _source(camera: str | None, *, demo: bool, table_options: bool) -> str | None:
    """Return the picture source, None for a server without a camera. Raises `click.UsageError` for contradictory options."""
    if camera is not None and demo:
        raise click.UsageError("--demo plays without a camera: give either --camera or --demo, not both")
    source = _DEMO if demo else camera
    if source is None and table_options:
        raise click.UsageError(
            "--game, --rules, --players and --deck apply to the camera's table: give --camera too"
        )
    return source


def _check_folder(folder: Path) -> None:
    """Print a warning if the folder is on a network file system."""
    from companion.store.folder_lock import network_file_system  # noqa: PLC0415

    if kind := network_file_system(folder):
        text = f"{folder} is on a network file system ({kind}), where two computers can damage the database: choose a folder on a local disk with --data"
        click.echo(f"companion serve: {text}", err=True)


def _start_services(
    running: ExitStack,
    ctx: Context,
    host: str,
    port: int,
    *,
    devices: bool,
    scan_worker: bool,
    broker: str | None,
) -> None:
    """Start what runs beside the web server until ``running`` ends: monitor, backup, photographs, devices, and MQTT."""
    from api.monitoring import background  # noqa: PLC0415
    from api.pictures.queued_scans import JobWorker  # noqa: PLC0415

    alone = ctx.store.signals.alone
    running.enter_context(background.Monitor(ctx.store, ctx.notices, ctx.hub))
    running.enter_context(
        background.NightlyBackup(ctx.folder, ctx.notices) if alone else background.Pruning(ctx.store)
    )
    if scan_worker and ctx.store.scan_queue is not None:
        running.enter_context(JobWorker(ctx.store.scan_queue, ctx.pictures))
    if devices:
        running.enter_context(_child_process(lambda: _start_devices(ctx, host, port)))
    if broker:
        arguments = ("mqtt", "--server", _own_url(host, port))
        environment = {"COMPANION_MQTT_BROKER": broker}
        running.enter_context(_child_process(lambda: _start(ctx, "device", "MQTT", arguments, environment)))
    running.enter_context(background.ProcessReports(ctx.peers, ctx.cameras, ctx.driver, ctx.scanned, ctx.hub))


def _announcement(ctx: Context, host: str, port: int, *, as_json: bool) -> AbstractContextManager[object]:
    """Announce the server's name in the network, if there is one and the settings allow it; without JSON, print it once it leads here."""
    from companion.net.mdns import announcement  # noqa: PLC0415

    def announced(name: str) -> None:
        if not as_json:
            click.echo(say(Message("cli-serve-name", {"url": urls(name, port)[0]})))

    address = lan_address() if host in _ALL_INTERFACES and ctx.settings.mdns else None
    return nullcontext() if address is None else announcement(address, port, announced)


def _names(players: str | None, rules: Rules) -> tuple[str, ...]:
    """Return the players' names, empty strings by default. Raises `click.UsageError` for an invalid number of players."""
    from companion.hanafuda.registry import GAMES  # noqa: PLC0415

    seats = GAMES[rules.game].round.seats(rules)
    if players is None:
        return ("",) * seats[0]
    names = tuple(map(tidy_name, players.split(",")))
    if len(names) not in seats:
        needed: Param = seats[0]
        if len(seats) > 1:
            needed = Message("cli-serve-seats", {"min": seats[0], "max": seats[-1]})
        values: dict[str, Param] = {
            "count": len(names),
            "game": rules.game,
            "rules": rules.name,
            "seats": needed,
        }
        raise click.UsageError(say(Message("cli-serve-players", values)))
    return names


def _open_table(ctx: Context, rules: Rules, names: Sequence[str], deck: str | None) -> str:
    """Return the id of the table to watch: a recent unfinished game's table, or a new one."""
    tables = ctx.tables
    unfinished = tables.unfinished(rules=rules, players=names, deck=deck)
    if unfinished is not None:
        return unfinished
    opened = tables.open(
        name=None, rules=rules, players=names, deck=deck, actor=THIS_MACHINE, source="program"
    )
    return opened.table


def _open_demo(ctx: Context, rules: Rules, names: Sequence[str], deck: str | None) -> str:
    """Open a table for the film, which plays from its start, and return its id.

    It is the next game of the demo's evening if the log has one; pages that followed the last game follow this one.
    """
    deleted = ctx.store.nights.deleted()
    last = next(
        (
            each
            for each in ctx.store.tables.list()
            if each.opened.data["name"] == _DEMO_NAME and each.id not in deleted
        ),
        None,
    )
    opened = ctx.tables.open(
        name=_DEMO_NAME,
        rules=rules,
        players=names,
        deck=deck,
        actor=THIS_MACHINE,
        source="program",
        night=None if last is None else last.opened.data.get("night", last.id),
    )
    if last is not None:
        ctx.tables.follow_with(ctx.tables.newest(last.id), opened.table)
    return opened.table


def _create(folder: Path, phones: int, store_url: str | None) -> tuple[APIFlask, Context]:
    # Imported here: Flask and the routes take a moment to load, too long for an error in the options.
    from api.app import create_app  # noqa: PLC0415
    from api.context import Context  # noqa: PLC0415
    from companion.logs import configure_logging  # noqa: PLC0415

    ctx = Context(folder, max_streams=phones, store_url=store_url)
    app = create_app(ctx)
    configure_logging(folder)
    return app, ctx


def _tune_interpreter() -> None:
    """Configure the interpreter for a server with many threads."""
    sys.setswitchinterval(_SWITCH_S)
    gc.freeze()  # a full collection of what the start has loaded would stop all threads for 0.15 s
    gc.enable()


def _warm_up(ctx: Context) -> None:
    """Load the scanner and bring the log of nights up to date in the background, so that the first answers are faster.

    With a camera, both happen on first use.
    """
    from api.pictures.service import ScannerFailedError  # noqa: PLC0415
    from companion.store import LogReadError  # noqa: PLC0415
    from vision.networks.onnx_sessions import MissingModelError  # noqa: PLC0415

    def load() -> None:
        try:
            ctx.pictures.warm_up()
        except MissingModelError as error:
            text = f"pictures cannot be scanned: {error_text(error)}"
            click.echo(f"companion serve: {text}", err=True)
        except ScannerFailedError:
            pass  # the server was stopped, or the first picture will report the error
        with suppress(LogReadError):  # the first page will report it
            ctx.store.nights.refresh()

    threading.Thread(target=load, name="warm-up", daemon=True).start()


def _start(
    ctx: Context,
    role: Role,
    name: str,
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    silent_s: Callable[[], float | None] | None = None,
) -> Child:
    """Start a command of this program as a child process that is a client of this server, with a role and a name for the lists.

    Its token, and addresses that may contain a password, go into the environment: every user of this machine can read a command
    line.
    """
    from companion.net.child_process import Child  # noqa: PLC0415

    token = ctx.store.pairings.token(ctx.pairings.for_own(role, name))
    command = [sys.executable, "-m", "companion.cli", *arguments]
    return Child(command, {"COMPANION_TOKEN": token, **(environment or {})}, silent_s=silent_s)


def _start_camera(
    ctx: Context, host: str, port: int, table: str, source: str, deck: str | None, *, as_host: bool
) -> Child:
    """Start the camera worker."""
    arguments = ["watch", "--data", str(ctx.folder), "--table", f"{_own_url(host, port)}t/{table}"]
    arguments += ["--deck", deck] if deck else []
    # The demo also calls koi-koi and stop, which the camera role may not.
    role: Role = "host" if as_host else "camera"
    name = "demo" if as_host else "camera"
    environment = {"COMPANION_CAMERA": source}
    child = _start(ctx, role, name, arguments, environment, silent_s=lambda: _camera_age(ctx, table))
    ctx.cameras.set_worker(table, lambda: asdict(child.state))
    return child


@contextmanager
def _phone_cameras(ctx: Context, host: str, port: int) -> Iterator[None]:
    """Watch each table to which a phone sends the first picture, until the phone has left."""
    from api.monitoring.background import LeftPhones  # noqa: PLC0415

    children: list[Child] = []

    def watch(table: str) -> Callable[[], None]:
        child = _start_camera(ctx, host, port, table, _PHONE, None, as_host=False)
        children.append(child)

        def dismiss() -> None:
            children.remove(child)
            child.stop()

        return dismiss

    ctx.phone_cameras.watch = watch
    try:
        with LeftPhones(ctx.phone_cameras):
            yield
    finally:
        ctx.phone_cameras.watch = lambda _: lambda: None
        for child in children:
            child.stop()


def _camera_age(ctx: Context, table: str) -> float | None:
    """Return how long ago the camera that this process started for a table reported, s; None: never. 0 if the log cannot be read."""
    from companion.store import LogReadError  # noqa: PLC0415

    try:
        age: float | None = ctx.cameras.status_of(ctx.tables.newest(table))["age"]
    except LogReadError:
        return 0.0  # the camera is not restarted for that
    return age


def _start_devices(ctx: Context, host: str, port: int) -> Child | None:
    """Start the device process as a child; None if no device is switched on."""
    if not ctx.devices.wanted:
        return None
    arguments = ("devices", "run", "--server", _own_url(host, port))
    return _start(ctx, "device", "devices", arguments, silent_s=lambda: ctx.devices.seen_s)


@contextmanager
def _child_process(start: Callable[[], Child | None]) -> Iterator[None]:
    """Run the child process that ``start`` starts; while it returns None or the log cannot be used, it is called again."""
    from companion.store import LogReadError, LogWriteError  # noqa: PLC0415

    closed = threading.Event()
    children: list[Child] = []

    def run() -> None:
        while not closed.is_set():
            with suppress(LogReadError, LogWriteError):  # reported on every page
                if (child := start()) is not None:
                    children.append(child)
                    return
            closed.wait(_POLL_S)

    starting = threading.Thread(target=run, name="start of a child", daemon=True)
    starting.start()
    try:
        yield
    finally:
        closed.set()
        starting.join()
        for child in children:
            child.stop()


def _opened_now(open_table: Callable[[], str]) -> str | None:
    """Return the table for a camera; None if it cannot be opened yet."""
    from companion.store import LogReadError, LogWriteError  # noqa: PLC0415

    try:
        return open_table()
    except (LogReadError, LogWriteError) as error:
        text = f"the camera has to wait for its table: {error_text(error)}"
        click.echo(f"companion serve: {text}", err=True)
        return None


def _check_broker(broker: str) -> None:
    """Raise an error if MQTT support is not installed or the broker's address is invalid."""
    from hardware.mqtt.broker import BrokerAddress, check_installed  # noqa: PLC0415

    check_installed()
    BrokerAddress.read(broker)


def _own_url(host: str, port: int) -> str:
    """Return the URL at which this machine reaches the server."""
    return urls("127.0.0.1" if host in _ALL_INTERFACES else host, port)[0]


def _run_until_stopped(server: Server, ctx: Context) -> None:
    """Serve until Ctrl-C or SIGTERM: load balancers learn it first, then streams end, and running requests are finished.

    A second signal ends the server at once.
    """

    def drain() -> None:
        ctx.readiness.drain()
        ctx.hub.close()
        ctx.phone_cameras.close()
        server.finish(_FINISH_S)

    draining = threading.Thread(target=drain, name="drain", daemon=True)

    def stop(signum: int, frame: object) -> None:
        if draining.ident is None:
            draining.start()
        else:
            ctx.hub.close()  # otherwise the server would wait for the streams' threads
            raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    server.run()
    server.close()


def _print_addresses(
    ctx: Context, addresses: list[str], secure: list[str], table: str | None, seats: int, *, as_json: bool
) -> None:
    """Print how phones reach the server: its addresses, those of HTTPS, and a link for the first host."""
    link = _host_link(ctx, addresses[0])
    document = {"serving": [*addresses, *secure], "data": str(ctx.folder), "host": link}
    if table is not None:
        document["table"] = table
    lines = _address_lines(ctx, addresses, secure, link, table, seats)
    print_result(document, lines, as_json=as_json)


def _address_lines(
    ctx: Context, addresses: list[str], secure: list[str], link: str | None, table: str | None, seats: int
) -> Iterator[str]:
    from companion.store import place_name  # noqa: PLC0415

    if link is not None:
        yield from qr_lines(link)
        yield "\n" + say(Message("cli-serve-host"))
        yield f"  {click.style(link, bold=True)}"
        yield say(Message("cli-serve-others"))
    yield say(Message("cli-serve-watch", {"url": click.style(addresses[0], bold=True)}))
    for url in addresses[1:]:
        yield say(Message("cli-serve-here", {"url": url}))
    if secure:
        install = f"{addresses[0]}install-certificate"
        yield say(Message("cli-serve-https", {"url": secure[0], "install": install}))
    if table is not None:
        url = f"{addresses[0]}t/{table}"
        params = {"url": url, "display": f"{url}/display", "host": f"{url}/host"}
        yield say(Message("cli-serve-table", params))
        for seat in range(1, seats + 1):
            yield say(Message("cli-serve-seat", {"seat": seat, "url": f"{url}/seat/{seat}"}))
    yield say(Message("cli-serve-folder", {"folder": place_name(store_place(ctx.folder))}))


def _host_link(ctx: Context, url: str) -> str | None:
    """Return the link that makes the first phone that opens it a host; None if the log cannot be written."""
    from api.cli.invite import join_link  # noqa: PLC0415
    from companion.store import LogReadError, LogWriteError  # noqa: PLC0415

    try:
        return join_link(url, ctx.store.pairings.invite_at_start().code)
    except (LogReadError, LogWriteError) as error:
        text = f"the host's QR code cannot be created: {error_text(error)}"
        click.echo(f"companion serve: {text}", err=True)
        return None
