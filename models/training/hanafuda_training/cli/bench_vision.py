"""``companion bench vision``: accuracy of recognizing the cards of annotated pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.bench import machine
from companion.cli.terminal import deck_option, json_option, print_json
from companion.messages import error_text

if TYPE_CHECKING:
    from hanafuda_training.benchmarks.evaluation import EvaluatedPicture
    from hanafuda_training.benchmarks.ground_truth import TruthFolder
    from vision.photograph.scanner import Scanner

__all__ = ["bench_vision"]


@click.command("vision")
@click.option(
    "--data",
    "data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    multiple=True,
    required=True,
    help="Folder of pictures with a truth.json, or of such folders. Can be repeated.",
)
@deck_option
@click.option(
    "--models",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="Folder of weights to use instead of the shipped ones.",
)
@click.option(
    "--sheet",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also draw the pictures with the most errors, with truth and detections, in this file (JPEG or PNG).",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Use at most N pictures of each folder, evenly distributed.",
)
@click.option(
    "--ablations/--no-ablations",
    default=True,
    help="Whether to evaluate the pictures again without each pipeline step.",
)
@click.option(
    "--swift",
    is_flag=True,
    help="Use the int8 networks, as for a watched table.",
)
@json_option
@click.pass_context
def bench_vision(
    ctx: click.Context,
    *,
    data: tuple[Path, ...],
    deck: str | None,
    models: Path | None,
    sheet: Path | None,
    limit: int | None,
    ablations: bool,
    swift: bool,
    as_json: bool,
) -> None:
    """Measure how accurately the cards of annotated pictures are recognized.

    models/training/BENCHMARKS.md describes the format of truth.json and the figures. Pictures in which
    something moves are left out. With --json, one line per folder and a last line for all folders.
    """
    # Imported now: OpenCV and ONNX Runtime take half a second, which `companion --help` need not wait for.
    from hanafuda_training.benchmarks.accuracy_report import Report, documents, lines  # noqa: PLC0415
    from hanafuda_training.benchmarks.ground_truth import BadTruthError, read_folders  # noqa: PLC0415
    from vision.cli.bench_speed import peak_memory  # noqa: PLC0415
    from vision.decks.deck_errors import UnknownDeckError  # noqa: PLC0415
    from vision.networks.onnx_sessions import MissingModelError  # noqa: PLC0415
    from vision.photograph.scanner import Scanner  # noqa: PLC0415

    if sheet is not None and sheet.suffix.lower() not in (".jpg", ".jpeg", ".png"):
        raise click.BadParameter(f"{sheet} must end in .jpg or .png", ctx, param_hint="--sheet")
    try:
        scanner = Scanner(models, fast=swift)
        scanner.decks.check(deck)
        folders = [folder for each in data for folder in read_folders(each)]
        if limit is not None:
            folders = [folder.limited(limit) for folder in folders]
        evaluated = list(_evaluate(folders, scanner, deck, "reading"))
        memory = peak_memory()
        without = dict(_ablations(folders, scanner, deck, evaluated)) if ablations else {}
    except UnknownDeckError as error:
        raise click.BadParameter(error_text(error), ctx, param_hint="--deck") from error
    except (BadTruthError, MissingModelError) as error:
        raise click.ClickException(error_text(error)) from error
    each = iter(evaluated)
    report = Report(
        folders=[(folder, [next(each) for _ in folder.pictures]) for folder in folders],
        ablations=without,
        weights="int8" if swift else "fp32",
        machine=_machine(),
        memory=memory,
    )
    if as_json:
        for document in documents(report):
            print_json(document)
    else:
        click.echo("\n".join(lines(report)))
    if sheet is not None:
        _write_sheet(sheet, evaluated)


def _machine() -> dict[str, Any]:
    """Return the data of this machine that affect the speed."""
    import onnxruntime  # noqa: PLC0415  # as above

    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {**machine(), "cores": os.cpu_count(), "load": load, "onnxruntime": onnxruntime.__version__}


def _evaluate(
    folders: list[TruthFolder], scanner: Scanner, deck: str | None, activity: str
) -> Iterator[EvaluatedPicture]:
    """Scan and compare every picture; on a terminal, show the progress."""
    from hanafuda_training.benchmarks.evaluation import evaluate  # noqa: PLC0415  # as above

    pictures = [picture for folder in folders for picture in folder.pictures]
    evaluate(scanner, pictures[0], deck)  # warm-up: the first scan takes longer than the others
    for number, picture in enumerate(pictures, start=1):
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{activity}: {number} of {len(pictures)}", nl=False, err=True)
        yield evaluate(scanner, picture, deck)
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)


def _ablations(
    folders: list[TruthFolder], scanner: Scanner, deck: str | None, evaluated: list[EvaluatedPicture]
) -> Iterator[tuple[str, Any]]:
    """Yield the name of each pipeline step and the figures without it."""
    from hanafuda_training.benchmarks.accuracy import figures  # noqa: PLC0415  # as above
    from hanafuda_training.benchmarks.evaluation import STEPS, without  # noqa: PLC0415

    yield "assignment", figures(evaluated, lambda detection: detection.unassigned)
    for slug in STEPS:
        with without(slug):
            yield slug, figures(list(_evaluate(folders, scanner, deck, f"without {slug}")))


def _write_sheet(sheet: Path, evaluated: list[EvaluatedPicture]) -> None:
    from hanafuda_training.benchmarks.error_sheet import draw_sheet  # noqa: PLC0415
    from vision.pictures.drawing import write_picture  # noqa: PLC0415

    try:
        write_picture(sheet, draw_sheet(evaluated))
    except OSError as error:
        raise click.ClickException(f"the sheet {sheet} cannot be written: {error.strerror}") from error
