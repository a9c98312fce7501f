"""``companion mat``: write the printable mat as a PDF."""

from __future__ import annotations

from pathlib import Path

import click

from companion.cli.language import say
from companion.cli.terminal import json_option, print_json
from companion.files import write_output
from companion.hanafuda.errors import hint
from companion.hanafuda.messages import Message, Param
from vision.geometry.registration.mat_printing import mat_pdf
from vision.geometry.registration.printed_mat import MATS

_PAPERS = ("A2", "A3", "A4", "letter", "tabloid")


def _parse_paper(ctx: click.Context, param: click.Parameter, value: str) -> str:
    for paper in _PAPERS:
        if value.lower() == paper.lower():
            return paper
    unknown: dict[str, Param] = {"paper": repr(value), "hint": hint(value, _PAPERS)}
    raise click.BadParameter(say(Message("cli-mat-no-paper", unknown)), ctx, param)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("mat.pdf"),
    show_default=True,
    metavar="FILE",
    help="The PDF to write.",
)
@click.option(
    "--paper",
    default="A3",
    show_default=True,
    callback=_parse_paper,
    metavar="P",
    help=f"{', '.join(_PAPERS)}. A4 and letter give four corner cards for a table of any size, the others a mat to play on.",
)
@json_option
def mat(out: Path, paper: str, as_json: bool) -> None:
    """Make a printable mat with corner markers, by which the camera locates the table.

    A2, A3 and tabloid give a mat to play on. A4 and letter give four cards to cut out and tape to the corners of any table; their
    exact positions don't matter. Print at actual size (100 %) and check the printed ruler.
    """
    write_output(out, mat_pdf(paper))
    sheet = MATS[paper]
    if as_json:
        print_json(
            {
                "file": str(out),
                "paper": paper,
                "page_mm": list(sheet.size),
                "markers": {
                    str(number): [part.marker.left, part.marker.top, part.marker.width, part.marker.height]
                    for number, part in sheet.parts.items()
                },
                "corner_cards": sheet.is_cut,
            }
        )
        return
    width, height = (f"{side:g}" for side in sheet.size)
    page = {"file": str(out), "paper": paper, "width": width, "height": height}
    click.echo(say(Message("cli-mat-corners", page) if sheet.is_cut else Message("cli-mat-whole", page)))
    click.echo("Print it at actual size (100%), not fitted to the page, and check the printed ruler: 100 mm.")
    if sheet.is_cut:
        click.echo(
            "Cut the cards out and tape them flat to the table's corners, where the camera sees all four."
        )
    click.echo("Then photograph the table and run `companion calibrate PICTURE`.")
