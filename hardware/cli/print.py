"""``companion print``: prints the score receipt of an evening, or saves it as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.cli.language import error_text, say
from companion.cli.terminal import data_option, json_option, print_result, store_place
from companion.files import write_output
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message

if TYPE_CHECKING:
    from companion.paper.receipt import Receipt

_LATEST = "last"


@click.command("print")
@click.argument("night", metavar="NIGHT|TABLE", default=_LATEST)
@click.option(
    "--printer",
    "port",
    metavar="ADDRESS",
    help="socket://HOST:9100, a serial port's path, or usb:VENDOR:PRODUCT; default: the saved printer.",
)
@click.option(
    "--baud", type=int, metavar="N", help="Baud rate of a serial port; default: the saved one, or 9600."
)
@click.option("--paper", type=click.Choice(["58", "80"]), help="The roll's width, mm.")
@click.option("--lang", type=click.Choice(["en", "ja", "ko", "both"]), help="The receipt's language.")
@click.option(
    "--players",
    metavar="A,B",
    help="The players' names, if NIGHT is a file of round records.",
)
@click.option("--title", metavar="TEXT", help="Title of the receipt of a file.")
@click.option(
    "--preview",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.png",
    help="Save the picture instead of printing it.",
)
@click.option("--remember", is_flag=True, help="Save this printer, paper and language as defaults.")
@data_option
@json_option
def print(
    *,
    night: str,
    port: str | None,
    baud: int | None,
    paper: str | None,
    lang: str | None,
    players: str | None,
    title: str | None,
    preview: Path | None,
    remember: bool,
    data: Path | None,
    as_json: bool,
) -> None:
    """Print the score receipt: winners and their yaku, totals, and payments if the game has them.

    TABLE is the id of a live table (default: the last one at which a round has ended); NIGHT is a file of round records. The receipt
    is printed as a picture, so that every printer can print Japanese.
    """
    # Imported late: loading the drawing library would delay `companion --help`.
    from companion.net.addresses import urls  # noqa: PLC0415
    from companion.store import LogWriteError, open_documents  # noqa: PLC0415
    from hardware.device_faults import PortError  # noqa: PLC0415
    from hardware.printers.lettering import Lettering  # noqa: PLC0415
    from hardware.printers.print_job import print_picture  # noqa: PLC0415
    from hardware.printers.printer_settings import (  # noqa: PLC0415
        read_printer_settings,
        write_printer_settings,
    )
    from hardware.printers.receipt_picture import draw_receipt  # noqa: PLC0415

    place = store_place(data)
    documents = open_documents(place)
    given: dict[str, Any] = {"port": port, "baud": baud, "paper": paper and int(paper), "lang": lang}
    setting = replace(
        read_printer_settings(documents), **{key: value for key, value in given.items() if value}
    )
    receipt = _from_file(Path(night), players, title) if Path(night).is_file() else _from_table(night, place)
    lettering = Lettering()
    picture = draw_receipt(
        receipt, width=setting.width, lang=setting.lang, lettering=lettering, origin=urls()[0].rstrip("/")
    )
    done: dict[str, Any] = {"rounds": len(receipt.rounds), "dots": list(picture.size)}
    if preview is not None:
        try:
            encoded = io.BytesIO()
            picture.save(encoded, format="PNG")
            write_output(preview, encoded.getvalue())
        except OSError as error:
            raise click.ClickException(f"cannot write {preview}: {error.strerror}") from error
        done["preview"] = str(preview)
    elif setting.port is None:
        raise click.UsageError(
            "no printer is set: give --printer socket://HOST:9100, a serial port, or usb:VENDOR:PRODUCT"
        )
    else:
        try:
            printed = print_picture(picture, setting.port, baud=setting.baud)
        except PortError as error:
            raise click.ClickException(say(error.fault.message)) from error
        done |= {"printer": setting.port, "sure": printed.sure, "low": printed.low}
    if remember:
        try:
            write_printer_settings(documents, setting)
        except LogWriteError as error:
            raise click.ClickException(error_text(error)) from error
    if lettering.missing:
        done["missing"] = sorted(lettering.missing)
        text = f"no font on this machine has {' '.join(done['missing'])}; the receipt has Latin letters or 〓 instead. Install one with these characters (Debian: fonts-noto-cjk)."
        click.echo(f"companion print: {text}", err=True)
    print_result(done, "\n".join(_result_lines(done)), as_json=as_json)


def _result_lines(done: dict[str, Any]) -> Sequence[str]:
    from hardware.printers.receipt_picture import DOTS_PER_MM  # noqa: PLC0415

    if "preview" in done:
        width, height = done["dots"]
        preview = {
            "file": str(done["preview"]),
            "width": width,
            "height": height,
            "mm": height // DOTS_PER_MM,
        }
        return [say(Message("cli-print-preview", preview))]
    lines = [say(Message("slip-done" if done["sure"] else "slip-sent"))]
    return lines + ([say(Message("slip-low"))] if done["low"] else [])


def _from_table(table_id: str, place: Path | str) -> Receipt:
    from companion.paper.receipt import receipt_of_table  # noqa: PLC0415
    from companion.store import NoSuchTableError  # noqa: PLC0415
    from companion.store.store import has_store, open_store  # noqa: PLC0415
    from companion.table import Table  # noqa: PLC0415

    if not has_store(place):
        raise NoSuchTableError(table_id) if table_id != _LATEST else _no_tables_error(place)
    log = open_store(place)
    try:
        if table_id == _LATEST:
            games = [game for night in log.nights.nights() for game in night.games]
            if not games:
                raise _no_tables_error(place)
            played = [game for game in games if game.played] or games
            table_id = max(played, key=lambda game: game.ended).table
        return receipt_of_table(Table.of(log.tables.load(table_id)))
    finally:
        log.close()


def _no_tables_error(place: Path | str) -> BadRequestError:
    from companion.store import place_name  # noqa: PLC0415

    return BadRequestError(f"the log in {place_name(place)} has no tables yet: there is nothing to print")


def _from_file(path: Path, players: str | None, title: str | None) -> Receipt:
    from companion.hanafuda.replay import read_lines, replay  # noqa: PLC0415
    from companion.paper.receipt import receipt_of_rounds  # noqa: PLC0415

    rounds = []
    for line in read_lines(path.read_bytes()):
        if line.error:
            raise line.error
        rounds.append(replay(line.value).round)
    names = [name.strip() for name in players.split(",")] if players else []
    return receipt_of_rounds(rounds, names, title)
