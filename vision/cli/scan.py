"""``companion scan``: recognize the cards in photographs, and score them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

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
from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Rules
from companion.hanafuda.scoring import pile_games, rules_for_pile
from companion.messages import with_texts
from companion.pile import is_scored, left_out, score_pile

if TYPE_CHECKING:
    import numpy as np

    from vision.photograph.scan_result import ScanResult
    from vision.pictures.picture_decoding import DecodedPicture

#: Extensions for which ``--draw`` names a file; anything else names a folder.
_DRAWING_EXTENSIONS: Final = {".jpg", ".jpeg", ".png", ".webp"}


class _BadImageError(MessageError):
    """A picture cannot be read, or its drawing cannot be written; the remaining pictures are still processed."""


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
    # The models take seconds to load.
    existing = [image for image in images if _exists(image)]
    if not existing:
        ctx.exit(2)
    # Imported late: loading OpenCV and ONNX Runtime takes half a second, which would delay `companion --help`.
    from vision.decks.deck_library import DeckLibrary  # noqa: PLC0415
    from vision.networks.onnx_sessions import MissingModelError  # noqa: PLC0415
    from vision.photograph.scanner import Scanner, UnknownDeckError  # noqa: PLC0415

    try:
        scanner = Scanner(library=DeckLibrary(stored_documents(data)))
    except MissingModelError as error:
        raise click.ClickException(error_text(error)) from error
    drawings = None if draw is None else _Drawings(draw, images, ctx)
    failed = len(existing) < len(images)
    for image in existing:
        try:
            picture = _decode_file(image)
            result = scanner.scan(picture.pixels, deck, picture.focal)
            full_size = result.at_size(picture.width, picture.height)
            answer: dict[str, Any] = {"image": str(image), **full_size.to_json()}
            if rules is not None and is_scored(card.card for card in result.cards):
                answer["score"] = score_pile(answer["cards"], rules)
                answer["left_out"] = left_out(answer["cards"])
            if drawings is not None:
                drawings.write(image, picture.pixels, result)
        except UnknownDeckError as error:
            raise click.BadParameter(error_text(error), ctx, param_hint="--deck") from error
        except _BadImageError as error:
            failed = True
            _print_problem(image, error)
            continue
        if as_json:
            print_json(with_texts(answer, cli_language()))
        else:
            click.echo("\n".join(_result_lines(answer)) + "\n")
    if failed:
        ctx.exit(2)


def _exists(image: Path) -> bool:
    """Return whether there is a file; report it if there is none."""
    try:
        image.stat()
    except OSError as error:
        _print_problem(image, _unreadable(error))
        return False
    return True


def _print_problem(image: Path, problem: _BadImageError) -> None:
    click.echo(f"companion scan: {image}: {error_text(problem)}", err=True)


def _unreadable(error: OSError) -> _BadImageError:
    return _BadImageError(Message("file-unreadable", {"reason": f"{error.strerror}."}))


def _decode_file(image: Path) -> DecodedPicture:
    from vision.pictures.picture_decoding import MAX_BYTES, PictureError, decode  # noqa: PLC0415  # as above

    try:
        with image.open("rb") as file:
            return decode(file.read(MAX_BYTES + 1))  # one byte more, to detect a larger file
    except PictureError as error:
        raise _BadImageError(error.message) from error
    except OSError as error:
        raise _unreadable(error) from error


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
        folder = target.parent if self._is_file else target
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.ClickException(f"cannot create the folder {folder}: {error.strerror}") from error

    def write(self, image: Path, pixels: np.ndarray, result: ScanResult) -> None:
        """Draw a result over its picture (H x W x 3 uint8 BGR) and write it. Raises `_BadImageError` if that fails."""
        from vision.photograph.result_drawing import draw_scan_result  # noqa: PLC0415
        from vision.pictures.picture_writing import write_picture  # noqa: PLC0415  # as above

        path = next(path for path in self._names(image.stem) if path.resolve() not in self._used_paths)
        self._used_paths.add(path.resolve())
        try:
            write_picture(path, draw_scan_result(pixels, result))
        except OSError as error:
            raise _BadImageError(f"the drawing {path} cannot be written: {error.strerror}.") from error

    def _names(self, stem: str) -> Iterator[Path]:
        if self._is_file:
            yield self._target
            return
        yield self._target / f"{stem}.jpg"
        number = 2
        while True:
            yield self._target / f"{stem}-{number}.jpg"
            number += 1


def _result_lines(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the result for one picture as lines of text."""
    cards = answer["cards"]
    count = say(Message("cards", {"count": len(cards)}))
    yield (
        click.style(f"{answer['image']}: {count}", bold=True)
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
