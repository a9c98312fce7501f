"""``companion log``: lists scans and evenings, exports and imports them, and backs up and restores the log."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click
import platformdirs

from companion.cli.language import cli_language, error_text, say, yaku_text
from companion.cli.pile_text import pad, pile_lines
from companion.cli.score import score_lines
from companion.cli.terminal import existing_store, json_option, print_result, store_option, store_place
from companion.hanafuda.messages import Message, Param, player_message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round_results import result_form
from companion.messages import with_texts
from companion.redaction import without_controls
from companion.store import NoSuchNightError, NoSuchScanError, place_name
from companion.store.event_lines import event_lines, merge_lines
from companion.store.export import points_csv, records_jsonl, to_csv, to_json
from companion.store.pictures import PictureFiles
from companion.store.scan_records import Scan
from companion.store.store import Store, open_store

if TYPE_CHECKING:
    from companion.people.nights import GameResult, Night, RoundResult
    from companion.store.backup import Manifest

_NO_LIMIT: Final = -1

_LOW_PRIORITY: Final = 19
"""Niceness of the nightly backup, which runs at the lowest priority."""

_KEPT_WIDTH: Final = 5
_TOTAL_WIDTH: Final = 10
"""Columns of the list of scans, in characters of a terminal."""

_kept_option = click.option("--kept", is_flag=True, help="Only kept scans, no drafts.")
_folder_option = click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="The data folder."
)


def _log_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options ``--data`` and ``--json``."""
    return _folder_option(json_option(command))


@click.group(invoke_without_command=True)
@_log_options
@store_option
@_kept_option
@click.pass_context
def log(ctx: click.Context, data: Path | None, kept: bool, as_json: bool) -> None:
    """List scans and evenings, export and import them, and back them up; without a command, list the scans."""
    if ctx.invoked_subcommand is not None:
        ctx.default_map = {ctx.invoked_subcommand: {"data": data, "kept": kept, "as_json": as_json}}
        return
    with existing_store(data) as opened:
        empty = True
        for scan in opened.scans.all(kept=kept or None, newest_first=True) if opened else ():
            empty = False
            print_result(scan.summary(), _line(scan), as_json=as_json)
    if empty and not as_json:
        folder = {"folder": place_name(store_place(data))}
        click.echo(say(Message("cli-log-no-kept", folder) if kept else Message("cli-log-empty", folder)))


@log.command()
@click.argument("scan_id", metavar="ID")
@_log_options
@store_option
def show(scan_id: str, data: Path | None, as_json: bool) -> None:
    """Show a scan: its cards, corrections, score, and the path of its picture."""
    with existing_store(data) as opened:
        if opened is None:
            raise NoSuchScanError(scan_id)
        scan = opened.scans.get(scan_id)
        picture = _picture_file(opened, scan)
    document = {**with_texts(scan.to_json(), cli_language()), "picture": str(picture)}
    print_result(document, _scan_text(scan, picture), as_json=as_json)


def _picture_file(store: Store, scan: Scan) -> Path:
    """Return the file of a scan's picture; one that is in a database is copied to the user's cache."""
    files = store.pictures
    if not isinstance(files, PictureFiles):
        data = files.read(scan.sha256, scan.media_type)
        files = PictureFiles(platformdirs.user_cache_path("hanafuda-companion", appauthor=False) / "pictures")
        if data is not None:
            files.put(data, scan.media_type)
    return files.path(scan.sha256, scan.media_type)


@log.command()
@click.argument("night_id", metavar="[NIGHT]", required=False)
@_log_options
@store_option
def nights(night_id: str | None, data: Path | None, as_json: bool) -> None:
    """List the evenings of the log with the points of all games, newest first; or show the rounds of one."""
    with existing_store(data) as opened:
        if opened is None and night_id is not None:
            raise NoSuchNightError(night_id)
        listed: Sequence[Night] = ()
        if opened is not None:
            listed = [opened.nights.night(night_id)] if night_id else opened.nights.nights(limit=_NO_LIMIT)
        for night in listed:
            print_result(asdict(night), _night_lines(night), as_json=as_json)
    if not listed and not as_json:
        click.echo(say(Message("cli-log-no-nights", {"folder": place_name(store_place(data))})))


@log.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@_folder_option
def database(file: Path, data: Path | None) -> None:
    """Write a copy of the log to a new SQLite FILE for Datasette or a spreadsheet: without pictures and paired phones."""
    from companion.store.backup import publish_database  # noqa: PLC0415

    folder = _only_folder(data)
    with existing_store(folder) as opened:
        if opened is not None:
            opened.nights.refresh()
        publish_database(folder, file)
    click.echo(f"Wrote {file}. It has no pictures and no keys of paired phones.")


@log.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "csv"]),
    default="json",
    show_default=True,
    help="The form.",
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option(
    "--tables",
    is_flag=True,
    help="Export the rounds of live tables instead: round records, one per line, or points as CSV.",
)
@click.option(
    "--events",
    is_flag=True,
    help="Export the events of all tables instead, one per line, for `companion log import`.",
)
@_folder_option
@store_option
@_kept_option
@click.pass_context
def export(ctx: click.Context, form: str, tables: bool, events: bool, data: Path | None, kept: bool) -> None:
    """Write all scans to standard output, oldest first: one JSON list, or CSV with one line per scan."""
    if (tables or events) and kept:
        raise click.UsageError("--kept applies to scans only; all tables are kept")
    if events and (tables or form != "json"):
        raise click.UsageError("--events has a format of its own: leave out --tables and --format")
    left_out: list[str] = []

    def failed(table_id: str, error: Exception) -> None:
        left_out.append(table_id)
        click.echo(
            f"table {table_id} cannot be exported ({type(error).__name__}: {error_text(error)}); the other tables are exported",
            err=True,
        )

    with existing_store(data) as opened:
        parts: Iterable[str]
        if events:
            parts = event_lines(opened) if opened else ()
        elif tables:
            write_tables = {"json": records_jsonl, "csv": points_csv}[form]
            parts = write_tables(opened.tables, failed) if opened else ()
        else:
            scans = opened.scans.all(kept=kept or None) if opened else iter(())
            parts = to_csv(scans) if form == "csv" else to_json(scans, cli_language())
        for part in parts:
            sys.stdout.buffer.write(
                without_controls(part).encode()
            )  # as bytes: CSV's line ends are the same everywhere
    if left_out:
        ctx.exit(1)


@log.command("import")
@click.argument("file", type=click.File("rb"), metavar="FILE")
@_log_options
@store_option
@click.pass_context
def import_events(ctx: click.Context, file: BinaryIO, data: Path | None, as_json: bool) -> None:
    """Add the tables of a file from `companion log export --events`; what the log already has stays as it is."""
    with closing(open_store(store_place(data))) as store:
        merged = merge_lines(store, file)
    counts = [len(each) for each in (merged.new, merged.extended, merged.same)]
    text = "Imported {} tables; {} were continued, {} were here already.".format(*counts)
    print_result(asdict(merged), text, as_json=as_json)
    if merged.conflict:
        click.echo(f"Left out, because they differ here: {', '.join(merged.conflict)}", err=True)
        ctx.exit(1)


@log.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@json_option
@click.pass_context
def copy(ctx: click.Context, source: str, target: str, as_json: bool) -> None:
    """Copy the whole log to another place; FROM and TO are data folders or the addresses of databases, postgresql://….

    What TO has already stays as it is. Repeat the command if it was interrupted.
    """
    from companion.cli.log_copy import copy_log  # noqa: PLC0415

    if not copy_log(source, target, as_json=as_json):
        ctx.exit(1)


@log.command()
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    metavar="FILE.zip|DIR",
    help="A new .zip file or folder for the backup. [default: a folder in `backups` of the data folder]",
)
@click.option(
    "--nightly", is_flag=True, hidden=True, help="Make the nightly backup, as `companion serve` does."
)
@_log_options
def backup(target: Path | None, nightly: bool, data: Path | None, as_json: bool) -> None:
    """Back up the log with its pictures, decks, layouts, devices and settings; a running server is not interrupted."""
    from companion.store.backup import backup_nightly, create_backup  # noqa: PLC0415
    from companion.store.data_folder import BACKUPS  # noqa: PLC0415

    folder = _only_folder(data)
    if nightly:
        if hasattr(os, "nice"):
            os.nice(_LOW_PRIORITY)
        created = backup_nightly(folder)
        text = Message("cli-log-nightly", {"file": str(created)}) if created else Message("cli-log-unchanged")
        click.echo(say(text))
        return
    target = target or folder / BACKUPS / f"manual-{datetime.now().astimezone():%Y-%m-%dT%H%M%S}"
    manifest = create_backup(folder, target)
    document = {"backup": str(target), "pictures": len(manifest.pictures), **manifest.counts}
    lines = (
        f"Backed up {say(_contents(manifest))} to {target}.",
        f"To restore: companion log restore {target}",
    )
    print_result(document, lines, as_json=as_json)


@log.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="BACKUP")
@_log_options
def restore(source: Path, data: Path | None, as_json: bool) -> None:
    """Restore a backup (a folder or .zip file) after checking all of it; the current data is renamed, not deleted."""
    from companion.store.backup import restore as restore_backup  # noqa: PLC0415
    from companion.store.folder_lock import folder_lock  # noqa: PLC0415

    folder = _only_folder(data)
    with folder_lock(folder, "companion log restore"):
        manifest, set_aside = restore_backup(source, folder)
    document = {"restored": str(folder), "set_aside": set_aside and str(set_aside), **manifest.counts}
    params: dict[str, Param] = {"contents": _contents(manifest), "time": manifest.time, "folder": str(folder)}
    text = [say(Message("cli-log-restored", params))]
    if set_aside is not None:
        text.append(f"The previous data is in {set_aside}; delete it when nothing is missing.")
    print_result(document, text, as_json=as_json)


def _contents(manifest: Manifest) -> Message:
    return Message("cli-log-contents", {**manifest.counts, "pictures": len(manifest.pictures)})


def _card_or_unnamed(card_id: str | None) -> str:
    return card_id or say(Message("cli-log-without-name"))


def _only_folder(data: Path | None) -> Path:
    """Return the data folder of a command that works with its SQLite database only; refuse a store at a URL."""
    place = store_place(data)
    if isinstance(place, str):
        raise click.UsageError(
            f"this command is for the log in a data folder, not for {place_name(place)}: use PostgreSQL's own tools there, such as `pg_dump`, or leave out `--store` and `COMPANION_STORE`"
        )
    return place


def _local(time: str) -> str:
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _kept_text(kept: bool) -> str:
    return say(Message("cli-log-kept") if kept else Message("cli-log-draft"))


def _line(scan: Scan) -> Iterator[str]:
    """Yield a one-line summary of a scan."""
    summary: dict[str, Any] = scan.summary()
    total = (
        say(Message("cli-log-no-score"))
        if summary["total"] is None
        else say(Message("points", {"count": summary["total"]}))
    )
    cards = say(Message("cards", {"count": summary["cards"]}))
    unnamed = say(Message("cli-log-unnamed", {"count": summary["unnamed"]})) if summary["unnamed"] else ""
    rules = f"  {summary['rules']['name']}" if summary["rules"] else ""
    note = f"  {summary['note']}" if summary["note"] else ""
    kept = pad(_kept_text(summary["kept"]), _KEPT_WIDTH)
    yield f"{summary['id']}  {_local(summary['time'])}  {kept}  {pad(total, _TOTAL_WIDTH)}  {cards}{unnamed}{rules}{note}"


def _scan_text(scan: Scan, picture: Path) -> Iterator[str]:
    """Yield the lines that describe a scan."""
    yield click.style(f"{scan.id}  {_local(scan.time)}", bold=True) + f"  {_kept_text(scan.kept)}"
    if scan.note:
        yield f"  {scan.note}"
    yield "  " + say(Message("cli-log-stored", {"image": scan.image, "file": str(picture)}))
    yield from pile_lines(scan.cards)
    for event in scan.story():
        now = _card_or_unnamed(event["card"])
        if event["kind"] == "added":
            change = Message("cli-log-added", {"card": now})
        else:
            before = _card_or_unnamed(event["from"])
            change = Message("cli-log-changed", {"index": event["index"], "before": before, "after": now})
        yield f"  {_local(event['time'])}  {say(change)}  ({event['actor']})"
    if scan.score is not None:
        yield ""
        yield from score_lines(dict(scan.score.answer))


def _night_lines(night: Night) -> Iterator[str]:
    """Yield a headline, one line for each game, and the rounds of each game if they were loaded."""
    began = datetime.fromisoformat(night.began).astimezone()
    name = f"  {night.name}" if night.name else ""
    yield click.style(f"{night.id}  {began:%Y-%m-%d %H:%M}{name}", bold=True)
    for game in night.games:
        yield f"  {_game_line(game)}"
        for each in game.rounds:
            yield f"    {_round_line(each, game)}"


def _game_line(game: GameResult) -> str:
    rounds = say(Message("rule-unit-rounds", {"count": game.played}))
    points = ", ".join(
        f"{_player_name(name, seat)} {points}"
        for seat, (name, points) in enumerate(zip(game.players, game.points, strict=True), start=1)
    )
    return f"{say(Message(f'game-{game.game}'))}, {rounds}: {points}"


def _round_line(each: RoundResult, game: GameResult) -> str:
    round_name = say(Message("night-round", {"n": each.round}))
    why = say(Message.from_dict(each.why))
    yaku = [_yaku_name(slug, game.game) for seat in each.seats if seat.won for slug, _ in seat.yaku]
    return f"{round_name}: {why}" + (f" ({', '.join(yaku)})" if yaku else "")


def _player_name(name: str, seat: int) -> str:
    return name or say(player_message(seat))


def _yaku_name(slug: str, game: str) -> str:
    """Return the name of a yaku; its slug if the game is no longer installed."""
    names = result_form(GAMES[game]).yaku_names if game in GAMES else {}
    return yaku_text(slug, names.get(slug, {"en": slug, "ja": slug}))
