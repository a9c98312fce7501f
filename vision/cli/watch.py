"""``companion watch``: watch a table with a camera and print the game as it happens."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from companion.cli.language import say
from companion.cli.terminal import (
    data_option,
    deck_option,
    json_option,
    print_json,
    rules_option,
    stored_documents,
)
from companion.hanafuda.errors import UnknownGameError
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES, pack_of
from companion.hanafuda.rules import Rules, resolve
from companion.names import tidy_name
from companion.net.child_process import stopping
from companion.net.client import AwayError, RefusedError
from companion.redaction import redacted
from companion.store import LogReadError
from companion.watch_session import WatchSession
from companion.watch_text import line_text
from vision.cli.source_argument import PHONE, open_phone, open_source
from vision.decks.deck_library import DeckLibrary
from vision.geometry.registration.table_registration import (
    Registration,
    UnreadableRegistrationError,
    read_registration,
    registration_location,
)
from vision.photograph.result_drawing import FrameDrawings
from vision.photograph.scanner import Scanner
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.frame_recording import FrameRecording
from vision.tracking.table_observer import TableObserver
from vision.tracking.table_view import TableView
from vision.worker.client import TableClient
from vision.worker.loop import CameraWorker
from vision.worker.uplink import Uplink

#: Time between attempts to reach a server that does not answer, s.
_RETRY_S = 2.0


@click.command()
@click.argument("src", metavar="SRC", envvar="COMPANION_CAMERA")
@click.option(
    "--game",
    metavar="G",
    help="The game being played. Default: the game of the rules, or the first of `companion games`.",
)
@rules_option
@click.option("--players", metavar="A,B", help="The players' names, in the order of their seats.")
@deck_option
@click.option(
    "--layout",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="L",
    help="A JSON file with the zones of field, draw pile and captures; default: the usual zones.",
)
@click.option(
    "--fps",
    type=click.FloatRange(0.1, 60),
    metavar="N",
    help="Frames per second. Default: 2 for a folder, 10 for cameras and videos.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Save the frames around every change in this folder; `watch DIR` replays them.",
)
@click.option(
    "--draw",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also write each stable frame to this folder, with its cards outlined and named.",
)
@click.option(
    "--table",
    metavar="URL",
    help="Report to a table of `companion serve` (the address of its page) instead of printing.",
)
@click.option(
    "--token", metavar="T", envvar="COMPANION_TOKEN", help="A camera's token for --table, from pairing."
)
@data_option
@json_option
@click.pass_context
def watch(
    ctx: click.Context,
    *,
    src: str,
    game: str | None,
    rules: Rules | None,
    players: str | None,
    deck: str | None,
    layout: Path | None,
    fps: float | None,
    record: Path | None,
    draw: Path | None,
    table: str | None,
    token: str | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Watch a table with a camera and print the game as it happens, one event per line.

    SRC is a camera's number (0 is the first), an address (rtsp://..., http://...), a video file, or a folder of
    frames; COMPANION_CAMERA in its place hides a password from other users of this machine. Stop with Ctrl-C. A question that the pictures leave open is printed, and resolved with the most
    likely answer when the game continues. The exit code is 1 if an illegal move was detected, and 2 if a recording shows no deal.
    """
    if table is not None:
        if any((game, rules, players, layout, draw)):
            raise click.UsageError(
                "--table cannot be combined with --game, --rules, --players, --layout or --draw: the table has its own settings, and nothing is drawn",
                ctx,
            )
        _run_worker(src, fps, record, table, token, data, deck)
        return
    resolved = resolve(rules, _parse_game(game))
    if players is not None:
        names = display_names = [tidy_name(name) for name in players.split(",")]
    else:
        seats = range(1, GAMES[resolved.game].round.seats(resolved)[0] + 1)
        names = [f"Player {seat}" for seat in seats]
        display_names = [say(Message("receipt-player", {"number": seat})) for seat in seats]
    session = WatchSession(resolved, names, deck)
    with ExitStack() as stack:
        source = stack.enter_context(open_source(src, fps))
        drawings = None if draw is None else FrameDrawings(draw)
        observer = _make_observer(resolved, len(names), deck, layout, data)
        recording = stack.enter_context(FrameRecording(record)) if record else None
        loop = CameraLoop(source, observer, TableView(observer.scanner, _load_registration(data)), recording)
        stop = stack.enter_context(stopping())
        fault: str | None = None
        printed = Counter[str]()  # lines by event
        tables = list[int]()  # the visible cards of each stable table
        while not (stop.is_set() or loop.ended):
            result = loop.next()
            if result:
                stable, observation = result
                tables.append(sum(card.visible > 0 for card in observation.cards))
                printed += _print(session.observe(observation), display_names, as_json=as_json)
                if drawings:
                    drawings.write(stable.frame, observation, observer.zones())
            elif loop.frame is None and source.state == "absent":
                raise click.ClickException(source.fault or f"{redacted(src)} delivers no frames")
            if source.fault != fault:
                fault = source.fault
                click.echo(f"companion watch: {fault or say(Message('cli-watch-frames-again'))}", err=True)
    printed += _print(session.finish(), display_names, as_json=as_json)
    if not printed["deal"]:
        seen = Message(
            "cli-watch-no-deal",
            {"source": redacted(src), "tables": len(tables), "cards": max(tables, default=0)},
        )
        click.echo(f"companion watch: {say(seen)}", err=True)
        # A recording without a deal is the wrong input; a camera may be stopped before a round begins.
        ctx.exit(2 if loop.ended else 0)
    ctx.exit(1 if session.problems else 0)


def _parse_game(given: str | None) -> str | None:
    if given is None or given in GAMES:
        return given
    raise UnknownGameError(given, GAMES)


def _print(lines: Iterable[dict[str, Any]], names: Sequence[str], *, as_json: bool) -> Counter[str]:
    """Print lines; return how many there were of each event."""
    printed = Counter[str]()
    for line in lines:
        printed[line["event"]] += 1
        if as_json:
            print_json(line)
        else:
            click.echo(line_text(line, names))
    return printed


# --- opening source, scanner and recording


def _make_observer(
    rules: Rules, seats: int, deck: str | None, layout: Path | None, data: Path | None
) -> TableObserver:
    scanner = Scanner(library=DeckLibrary(stored_documents(data)), fast=True)
    return TableObserver(scanner, rules.game, seats, deck=deck or pack_of(rules), layout=_read(layout))


def _read(layout: Path | None) -> Any:
    if layout is None:
        return None
    try:
        return json.loads(layout.read_text("utf-8"))
    except (OSError, ValueError) as error:
        unreadable = Message("cli-watch-layout-unreadable", {"file": str(layout), "error": str(error)})
        raise click.BadParameter(say(unreadable), param_hint="--layout") from error


def _load_registration(data: Path | None) -> Registration | None:
    """Return the registration saved by ``companion calibrate``; None if there is none or it is unreadable, which is reported."""
    documents = stored_documents(data)
    try:
        return read_registration(documents)
    except (LogReadError, UnreadableRegistrationError) as error:
        location = registration_location(documents)
        text = f"{location} is not used: {say(error.message)}"
        click.echo(f"companion watch: {text}", err=True)
        return None


# --- worker for a table of a server


def _run_worker(
    src: str,
    fps: float | None,
    record: Path | None,
    url: str,
    token: str | None,
    data: Path | None,
    deck: str | None,
) -> None:
    """Send the camera's observations to a table of a server until stopped; survives failures of camera and server."""
    client = TableClient(url, token)
    with ExitStack() as stack:
        stack.callback(client.close)
        stop = stack.enter_context(stopping())
        source = stack.enter_context(
            open_phone(client.url, token, fps) if src == PHONE else open_source(src, fps)
        )
        table = _fetch_table(client, stop)
        if table is None:
            return
        rules = resolve(table["rules"]["code"], table["game"])
        observer = _make_observer(rules, len(table["players"]), deck or table["deck"], None, data)
        uplink = Uplink(client)
        stack.callback(uplink.close)
        recording = stack.enter_context(FrameRecording(record)) if record else None
        loop = CameraLoop(source, observer, TableView(observer.scanner, _load_registration(data)), recording)
        CameraWorker(source, loop, observer, uplink, name=redacted(src).rstrip(":")).run(stop)


def _fetch_table(client: TableClient, stop: threading.Event) -> dict[str, Any] | None:
    """Return the table's settings as soon as its server answers; None if ``stop`` is set before.

    Raises `click.ClickException` if the server refuses.
    """
    last_error = None
    while not stop.is_set():
        try:
            opened: dict[str, Any] = client.table()["state"]["table"]
            return opened
        except AwayError as error:
            if str(error) != last_error:
                last_error = str(error)
                text = say(Message("cli-watch-retrying", {"error": error.message}))
                click.echo(f"companion watch: {text}", err=True)
            stop.wait(_RETRY_S)
        except RefusedError as error:
            raise click.ClickException(
                say(Message("labeled", {"label": client.url, "text": error.message}))
            ) from error
    return None
