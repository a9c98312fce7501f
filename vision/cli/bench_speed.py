"""``companion bench speed``: speed of scanning on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import click

from companion.bench import machine
from companion.cli.terminal import json_option, print_json

_TITLES = {
    "first": "first frame of a table",
    "settled": "frame with known deck and card size",
    "unchanged": "next frame, unchanged",
    "one-changed": "next frame, one card changed",
    "photograph": "photograph file of 4,000 × 3,000",
}
_TITLE_WIDTH: Final = 2 + max(map(len, _TITLES.values()))
"""Width of the first column, characters."""


@click.command("speed")
@click.option(
    "--runs",
    type=click.IntRange(min=3, max=10_000),
    default=40,
    show_default=True,
    help="Number of runs of each case; a quarter of it for the photograph.",
)
@click.option(
    "--models",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="Folder of weights to use instead of the shipped ones.",
)
@json_option
def bench_speed(*, runs: int, models: Path | None, as_json: bool) -> None:
    """Measure the speed of scanning: drawn frames of 1,920 × 1,080 with 24 cards, and a photograph.

    Each run is timed from the pixels (the photograph: from the file) to the named cards. Reported are the
    median and the 95th percentile of the wall time (ms), the median CPU time of all threads (ms), and the
    peak memory of the process so far (MB). Frames are read in int8, as those of a watched table; the
    photograph is read in fp32.
    """
    # Imported now: OpenCV and ONNX Runtime take half a second, which `companion --help` need not wait for.
    import onnxruntime  # noqa: PLC0415

    from vision.cli.reading_speed import speed  # noqa: PLC0415
    from vision.photograph.scanner import Scanner  # noqa: PLC0415

    scanner = Scanner(models, fast=True)
    environment: dict[str, Any] = {
        **machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "onnxruntime": onnxruntime.__version__,
    }
    if not as_json:
        click.echo(
            f"{environment['python']} on {environment['cpu']}, {environment['cores']} cores, load {environment['load']}"
        )
        click.echo(f"{'':<{_TITLE_WIDTH}}{'cards':>6}{'median':>9}{'95 %':>9}{'cpu':>9}{'memory':>9}")
    for timed in speed(scanner, runs, lambda: Scanner(models)):
        figures = timed.to_dict()
        if as_json:
            print_json({**figures, **environment})
            continue
        memory = "" if figures["memory_mb"] is None else f"{figures['memory_mb']} MB"
        click.echo(
            f"{_TITLES[timed.what]:<{_TITLE_WIDTH}}{timed.cards:>6}{figures['ms']['p50']:>9.1f}{figures['ms']['p95']:>9.1f}"
            f"{figures['cpu_ms']:>9.1f}{memory:>9}"
        )
