"""``companion enroll``: enroll a deck, so that the scanner can name its cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.cli.language import error_text
from companion.cli.terminal import data_option, json_option, print_json, stored_documents
from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.messages import Message

if TYPE_CHECKING:
    from vision.enrollment.enrollment import DeckProposal
    from vision.photograph.scanner import Scanner


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
    # Imported late: loading OpenCV and ONNX Runtime takes half a second, which would delay `companion --help`.
    from companion.store import LogWriteError  # noqa: PLC0415
    from vision.decks.deck_library import DeckLibrary  # noqa: PLC0415
    from vision.decks.deck_profile import DeckNameError, tidy_name  # noqa: PLC0415
    from vision.enrollment.enrollment import EnrollmentError, enroll_deck  # noqa: PLC0415
    from vision.networks.onnx_sessions import MissingModelError  # noqa: PLC0415
    from vision.photograph.scanner import Scanner  # noqa: PLC0415

    if sheet is not None and sheet.suffix.lower() not in (".jpg", ".jpeg", ".png"):
        raise click.BadParameter(f"{sheet} must end in .jpg or .png", ctx, param_hint="--sheet")
    library = DeckLibrary(stored_documents(data))
    try:
        tidy = tidy_name(name)
        library.check_free(tidy)
        scanner = Scanner(library=library)
        proposal = _make_proposal(scanner, sources, pack)
        for number, card in _parse_fixes(fixes):
            proposal = proposal.fix(number, card)
        profile = enroll_deck(proposal, tidy, scanner.recognizer)
        file = library.add(profile)
        if sheet is not None:
            _draw(sheet, proposal, tidy)
    except (EnrollmentError, DeckNameError, LogWriteError, MissingModelError) as error:
        raise click.ClickException(error_text(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename} cannot be written: {error.strerror}") from error
    if as_json:
        print_json({"deck": tidy, "file": file, "cards": len(profile.cards), **proposal.to_json()})
    else:
        click.echo("\n".join(_result_lines(tidy, file, proposal)))


def _make_proposal(scanner: Scanner, sources: Sequence[Path], pack: str | None) -> DeckProposal:
    # Imported late, as above.
    from vision.enrollment.enrollment import EnrollmentError, propose_folder  # noqa: PLC0415
    from vision.enrollment.enrollment_photographs import propose_photos  # noqa: PLC0415
    from vision.pictures.picture_decoding import MAX_BYTES, PictureError, read_picture  # noqa: PLC0415

    if any(source.is_dir() for source in sources):
        if len(sources) > 1:
            raise EnrollmentError("give one folder, or 1 to 4 photographs")
        return propose_folder(sources[0], pack)
    photos = []
    for source in sources:
        try:
            with source.open("rb") as file:
                photos.append(read_picture(file.read(MAX_BYTES + 1)))
        except PictureError as error:
            raise EnrollmentError(
                Message("labeled", {"label": str(source), "text": error.message})
            ) from error
        except OSError as error:
            raise EnrollmentError(f"{source} cannot be read: {error.strerror}") from error
    return propose_photos(scanner, photos, pack or "hanafuda")


def _parse_fixes(fixes: Sequence[str]) -> Iterator[tuple[int, str | None]]:
    """Read ``7=plum-ribbon``, or ``7=none`` for a card that has no id."""
    for fix in fixes:
        number, sign, card = (part.strip() for part in fix.partition("="))
        if not sign or not number.isdecimal() or not card:
            raise click.BadParameter(f"{fix!r} must have the form 7=plum-ribbon", param_hint="--fix")
        yield int(number), None if card == "none" else card


def _draw(sheet: Path, proposal: DeckProposal, name: str) -> None:
    from vision.enrollment.enrollment_sheet import draw_sheet  # noqa: PLC0415  # as above
    from vision.pictures.picture_writing import write_picture  # noqa: PLC0415

    write_picture(sheet, draw_sheet(proposal, name))


def _result_lines(name: str, file: str, proposal: DeckProposal) -> Iterator[str]:
    named = [place for place in proposal.places if place.card]
    yield (
        click.style(
            f"{name}: {len(named)} {proposal.pack} cards enrolled",
            bold=True,
        )
        + f"  ({file})"
    )
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
