"""``companion scan``: recognize the cards in photographs, and score them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from companion.cli.language import cli_language, error_text, say
from companion.cli.pile_text import pile_lines
from companion.cli.score import score_lines
from companion.cli.terminal import (
    data_option,
    deck_option,
    json_option,
    print_json,
    rules_option,
    stored_documents,
)
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Rules
from companion.hanafuda.scoring import pile_games, rules_for_pile
from companion.messages import with_texts
from companion.pile import is_scored, left_out, score_pile
from vision.decks.deck_library import DeckLibrary
from vision.photograph.result_drawing import draw_scan_result
from vision.photograph.scan_result import ScanResult
from vision.photograph.scanner import Scanner
from vision.pictures.drawing import write_picture
from vision.pictures.picture_decoding import decode_file
from vision.pictures.picture_files import PictureError

#: Extensions for which ``--draw`` names a file; anything else names a folder.
_DRAWING_EXTENSIONS: Final = {".jpg", ".jpeg", ".png", ".webp"}


@click.command()
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="IMAGE...")
@deck_option
@click.option("--game", metavar="G", help=f"Score the pile by this game: {', '.join(pile_games())}.")
@rules_option
@data_option
@click.option(
    "--draw",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Also write each picture into this folder, with its cards outlined and named; for a single picture, PATH may be a file (.jpg, .png).",
)
@json_option
@click.pass_context
def scan(
    ctx: click.Context,
    *,
    images: tuple[Path, ...],
    deck: str | None,
    game: str | None,
    rules: Rules | None,
    data: Path | None,
    draw: Path | None,
    as_json: bool,
) -> None:
    """Name the cards in photographs (JPEG, PNG, WebP, HEIC), and score them if a game is given.

    Uncertain cards stay unnamed, with suggestions. Unreadable pictures are reported on stderr, and the remaining
    pictures are still processed.
    """
    if game is not None or rules is not None:
        rules = rules_for_pile(rules, game)
    scanner: Scanner | None = None
    drawings = None if draw is None else _Drawings(draw, images, ctx)
    failed = False
    for image in images:
        try:
            picture = decode_file(image)
            scanner = scanner or Scanner(library=DeckLibrary(stored_documents(data)))
            result = scanner.scan(picture.pixels, deck, picture.focal)
            full_size = result.at_size(picture.width, picture.height)
            answer: dict[str, Any] = {"image": str(image), **full_size.to_json()}
            if rules is not None and is_scored(card.card for card in result.cards):
                answer["score"] = score_pile(answer["cards"], rules)
                answer["left_out"] = left_out(answer["cards"])
            if drawings is not None:
                drawings.write(image, picture.pixels, result)
        except PictureError as error:
            failed = True
            click.echo(f"companion scan: {error_text(error)}", err=True)
            continue
        except OSError as error:
            failed = True
            click.echo(
                f"companion scan: {image}: the drawing {error.filename} cannot be written: {error.strerror}",
                err=True,
            )
            continue
        if as_json:
            print_json(with_texts(answer, cli_language()))
        else:
            click.echo("\n".join(_result_lines(answer)) + "\n")
    if failed:
        ctx.exit(2)


class _Drawings:
    """Writes the drawings. None overwrites another drawing of this run or a scanned picture."""

    def __init__(self, target: Path, images: tuple[Path, ...], ctx: click.Context) -> None:
        self._target = target
        self._is_file = target.suffix.lower() in _DRAWING_EXTENSIONS and not target.is_dir()
        self._used_paths = {image.resolve() for image in images}
        if self._is_file and len(images) > 1:
            raise click.BadParameter(
                f"{target} is a single file, but {len(images)} pictures are drawn: name a folder",
                ctx,
                param_hint="--draw",
            )
        if self._is_file and target.resolve() in self._used_paths:
            raise click.BadParameter(
                f"{target} is the picture itself: name another file, or a folder", ctx, param_hint="--draw"
            )
        (target.parent if self._is_file else target).mkdir(parents=True, exist_ok=True)

    def write(self, image: Path, pixels: np.ndarray, result: ScanResult) -> None:
        """Draw a result over its picture (H x W x 3 uint8 BGR) and write it. Raises `OSError`."""
        path = next(path for path in self._names(image.stem) if path.resolve() not in self._used_paths)
        self._used_paths.add(path.resolve())
        write_picture(path, draw_scan_result(pixels, result))

    def _names(self, stem: str) -> Iterator[Path]:
        yield self._target if self._is_file else self._target / f"{stem}.jpg"
        yield from (self._target / f"{stem}-{number}.jpg" for number in count(2))


def _result_lines(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the result for one picture as lines of text."""
    cards = answer["cards"]
    number = say(Message("cards", {"count": len(cards)}))
    yield (
        click.style(f"{answer['image']}: {number}", bold=True)
        + f"  ({answer['deck']}, {answer['ms']['total']:.0f} ms)"
    )
    yield from pile_lines(cards)
    for finding in answer["quality"]:
        yield f"  {finding['message'][cli_language()]}"
    if not cards:
        yield say(Message("cli-scan-no-cards"))
    if not is_scored(each["card"] for each in cards):
        yield f"  {say(Message('scan-foreign', {'deck': answer['deck']}))}"
    if "score" not in answer:
        return
    unnamed = answer["left_out"]["unnamed"]
    if unnamed:
        yield f"  {say(Message('cli-scan-unnamed', {'count': unnamed}))}"
    yield ""
    yield from score_lines(answer["score"])
