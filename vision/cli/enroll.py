"""``companion enroll``: enroll a deck, so that the scanner can name its cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from companion.cli.terminal import data_option, json_option, print_result, stored_documents
from companion.hanafuda.cards import DECKS as PACKS
from vision.decks.deck_errors import EnrollmentError
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_profile import tidy_name
from vision.enrollment.enrollment import DeckProposal, enroll_deck, propose_folder
from vision.enrollment.enrollment_photographs import propose_photos
from vision.enrollment.enrollment_sheet import draw_sheet
from vision.photograph.scanner import Scanner
from vision.pictures.drawing import write_picture
from vision.pictures.picture_decoding import MAX_PIXELS, decode_file


@click.command()
@click.argument("name")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SOURCE...")
@click.option(
    "--pack",
    type=click.Choice(list(PACKS)),
    help="Pack of the deck. Default: hanafuda for photographs; for a folder, inferred from the file names.",
)
@click.option(
    "--fix",
    "fixes",
    multiple=True,
    metavar="N=CARD",
    help="Correct a name: card number N of the sheet is CARD. Can be repeated.",
)
@click.option(
    "--sheet",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also draw all cards with their names in this file (.jpg, .png).",
)
@data_option
@json_option
@click.pass_context
def enroll(
    ctx: click.Context,
    *,
    name: str,
    sources: tuple[Path, ...],
    pack: str | None,
    fixes: tuple[str, ...],
    sheet: Path | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Enroll the deck NAME from a folder with one picture per card, or from 1 to 4 photographs of the deck.

    A picture's file name is the card's id, or its month and position (pine-crane.png, 01-0.png). For photographs, lay
    out the whole deck in 4 rows of 12, face up, not touching, month by month. Check the sheet; to correct a wrong
    name, repeat the command with --fix. An enrolled deck of the same name is replaced.
    """
    if sheet is not None and sheet.suffix.lower() not in (".jpg", ".jpeg", ".png"):
        raise click.BadParameter(f"{sheet} must end in .jpg or .png", ctx, param_hint="--sheet")
    library = DeckLibrary(stored_documents(data))
    tidy = tidy_name(name)
    library.check_free(tidy)
    scanner = Scanner(library=library)
    proposal = _make_proposal(scanner, sources, pack)
    for number, card in _parse_fixes(fixes):
        proposal = proposal.fix(number, card)
    profile = enroll_deck(proposal, tidy, scanner.recognizer)
    file = library.add(profile)
    if sheet is not None:
        write_picture(sheet, draw_sheet(proposal, tidy))
    document = {"deck": tidy, "file": file, "cards": len(profile.cards), **proposal.to_json()}
    print_result(document, _result_lines(tidy, file, proposal), as_json=as_json)


def _make_proposal(scanner: Scanner, sources: Sequence[Path], pack: str | None) -> DeckProposal:
    if any(source.is_dir() for source in sources):
        if len(sources) > 1:
            raise EnrollmentError("give one folder, or 1 to 4 photographs")
        return propose_folder(sources[0], pack)
    photos = [decode_file(source, MAX_PIXELS).pixels for source in sources]
    return propose_photos(scanner, photos, pack or "hanafuda")


def _parse_fixes(fixes: Sequence[str]) -> Iterator[tuple[int, str | None]]:
    """Read ``7=plum-ribbon``, or ``7=none`` for a card that has no id."""
    for fix in fixes:
        number, sign, card = (part.strip() for part in fix.partition("="))
        if not sign or not number.isdecimal() or not card:
            raise click.BadParameter(f"{fix!r} must have the form 7=plum-ribbon", param_hint="--fix")
        yield int(number), None if card == "none" else card


def _result_lines(name: str, file: str, proposal: DeckProposal) -> Iterator[str]:
    named = [place for place in proposal.places if place.card]
    yield click.style(f"{name}: {len(named)} {proposal.pack} cards enrolled", bold=True) + f"  ({file})"
    if proposal.layout:
        yield f"  {proposal.layout}"
    yield from (f"  {note}" for note in proposal.notes)
    if proposal.missing:
        yield f"  Missing: {', '.join(proposal.missing)}"
    for place in proposal.doubtful:
        others = f" (or {', '.join(place.others[:3])})" if place.others else ""
        yield f"  Check card {place.number} ({place.where}): {place.card or 'none'}{others}"
    if proposal.doubtful:
        yield "  To correct names, repeat the command with --fix NUMBER=CARD."
    yield f"  Try it: companion scan PICTURE --deck {name}"
