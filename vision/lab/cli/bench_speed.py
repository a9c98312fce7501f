"""``companion bench speed``: how long the eyes take on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from companion.bench import machine
from companion.cli.terminal import json_option, print_json

__all__ = ["bench_speed"]

_SAID = {
    "first": "a frame of a table never seen",
    "settled": "a frame, the deck and the cards' size known",
    "unchanged": "the next frame, nothing changed",
    "one-changed": "the next frame, one card another",
    "photograph": "a photograph of 4,000 × 3,000, from its file",
}


@click.command("speed")
@click.option(
    "--runs",
    type=click.IntRange(min=3, max=10_000),
    default=40,
    show_default=True,
    help="Readings of each kind; of the photograph a quarter.",
)
@click.option(
    "--models",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="A folder with other weights than those that came with the program.",
)
@json_option
def bench_speed(*, runs: int, models: Path | None, as_json: bool) -> None:
    """Measure how long the eyes take: frames of 1,920 × 1,080 with 24 cards, drawn by the project, and a photograph.

    From the pixels, of the photograph from the file, to the cards with their names. Milliseconds by the clock, the
    median and 95 %; what all threads of the processor spent; and the most memory the process had held by then. Frames
    are read with the networks in the form that is the fastest here, as a watched table is; the photograph in fp32.
    """
    # Imported now: OpenCV and ONNX Runtime take half a second, which `companion --help` need not wait for.
    import onnxruntime  # noqa: PLC0415

    from vision.lab.benchmarks.reading_speed import speed  # noqa: PLC0415
    from vision.networks.onnx_sessions import MissingModelError  # noqa: PLC0415
    from vision.photograph.scanner import Scanner  # noqa: PLC0415

    try:
        scanner = Scanner(models, fast=True)
    except MissingModelError as error:
        raise click.ClickException(str(error)) from error
    on: dict[str, Any] = {
        **machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "onnxruntime": onnxruntime.__version__,
        "networks": {name: str(form) for name, form in scanner.variants.items()},
    }
    if not as_json:
        networks = "; ".join(f"{name} {form}" for name, form in on["networks"].items())
        click.echo(f"{on['python']} on {on['cpu']}, {on['cores']} cores, load {on['load']}; {networks}")
        click.echo(f"{'':<46}{'cards':>6}{'median':>9}{'95 %':>9}{'cpu':>9}{'memory':>9}")
    for timed in speed(scanner, runs, lambda: Scanner(models)):
        told = timed.to_dict()
        if as_json:
            print_json({**told, **on})
            continue
        memory = "" if told["memory_mb"] is None else f"{told['memory_mb']} MB"
        click.echo(
            f"{_SAID[timed.what]:<46}{timed.cards:>6}{told['ms']['p50']:>9.1f}{told['ms']['p95']:>9.1f}"
            f"{told['cpu_ms']:>9.1f}{memory:>9}"
        )
