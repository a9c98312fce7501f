"""``companion labels``: stickers for the cards of a deck, as a PDF."""

from __future__ import annotations

from pathlib import Path

import click

from companion.cli.language import say
from companion.cli.terminal import data_option, json_option, print_result, stored_documents
from companion.files import write_output
from companion.hanafuda.cards import DECKS
from companion.hanafuda.messages import Message, Param
from companion.paper.stickers import KINDS, labels_pdf, sheet_of


@click.command()
@click.argument("decks", nargs=-1, metavar="[DECK]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("labels.pdf"),
    show_default=True,
    metavar="FILE",
    help="The PDF to write.",
)
@click.option(
    "--kind",
    type=click.Choice(["qr", "datamatrix"], case_sensitive=False),
    default="qr",
    show_default=True,
    help="Type of code. DataMatrix has larger modules and is easier to read at small sizes, but not every scanner supports it.",
)
@click.option(
    "--paper",
    type=click.Choice(["A4", "letter"], case_sensitive=False),
    default="A4",
    show_default=True,
    help="Paper size to print on.",
)
@click.option(
    "--size",
    type=float,
    default=15.0,
    show_default=True,
    metavar="MM",
    help="Width of a sticker, 8 to 60 mm.",
)
@data_option
@json_option
def labels(
    decks: tuple[str, ...], out: Path, kind: str, paper: str, size: float, data: Path | None, as_json: bool
) -> None:
    """Make stickers for the cards of a deck, so that a code scanner recognizes them: a code with the card's name below.

    DECK is hanafuda (the default), mekurifuda, kabufuda, western, or an enrolled deck; several decks follow one another. Each
    code contains the card's id, so that no pairing is needed.
    """
    packs = [_pack_of(name, data) for name in decks or ("hanafuda",)]
    sheet = sheet_of(paper, size)
    pdf = labels_pdf(packs, kind=KINDS[KINDS.index(kind.lower())], paper=paper, size=size)
    write_output(out, pdf)
    stickers = sum(len(DECKS[pack]) for pack in packs)
    pages = sum(-(-len(DECKS[pack]) // (sheet.columns * sheet.rows)) for pack in packs)
    document = {
        "file": str(out),
        "packs": packs,
        "kind": kind,
        "paper": paper,
        "size_mm": [sheet.size, round(sheet.height, 2)],
        "labels": stickers,
        "pages": pages,
    }
    size_text: dict[str, Param] = {"width": f"{sheet.size:g}", "height": f"{sheet.height:.1f}"}
    parameters: dict[str, Param] = {
        "file": str(out),
        "stickers": stickers,
        "pages": pages,
        "paper": paper,
        **size_text,
    }
    advice = "Print at actual size (100%), cut along the marks, and stick each on the back of its card."
    print_result(document, (say(Message("cli-labels", parameters)), advice), as_json=as_json)


def _pack_of(name: str, data: Path | None) -> str:
    """Return the pack with the given name, or the pack of the recognized deck with that name."""
    if name in DECKS:
        return name
    from vision.decks.deck_library import DeckLibrary  # noqa: PLC0415  # OpenCV and ONNX Runtime take half a second to load

    return DeckLibrary(stored_documents(data)).profile(name).pack
