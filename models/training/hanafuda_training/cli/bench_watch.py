"""``companion bench watch``: accuracy of watching recorded tables whose rounds are known."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from companion.cli.terminal import deck_option, json_option, print_json

__all__ = ["bench_watch"]


@click.command("watch")
@click.option(
    "--data",
    "data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    multiple=True,
    required=True,
    help="Folder of frames with a record.json, or of such folders. Can be repeated.",
)
@deck_option
@click.option(
    "--fps",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Frame rate of the folders, as for `watch`.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the output of each table to this folder.",
)
@json_option
def bench_watch(
    *, data: tuple[Path, ...], deck: str | None, fps: float | None, keep: Path | None, as_json: bool
) -> None:
    """Measure how accurately recorded tables are watched: the turns reported by `watch` against the round
    played.

    With --json, one line per folder and a last line for all folders.
    """
    from hanafuda_training.benchmarks.watch_accuracy import compare, total  # noqa: PLC0415  # needs OpenCV, which --help need not wait for

    watched = []
    for folder in _folders(data):
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        lines = _watch(folder, record, deck, fps)
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (keep / f"{folder.name}.jsonl").write_text(text, encoding="utf-8")
        result = compare(folder.name, lines, record, _turns(folder))
        watched.append(result)
        if as_json:
            print_json(result.to_dict())
        else:
            click.echo(
                f"{result.name}: turns {result.turns.hits}/{result.turns.n}, raised {result.raised}, silent {result.silent},"
                f" extra {result.extra}, calls {result.calls.hits}/{result.calls.n}, points {'yes' if result.points else 'NO'},"
                f" problems {result.problems}, questions {result.questions}"
                + (f", reported promptly {result.prompt.hits}/{result.prompt.n}" if result.prompt else "")
            )
    totals = total(watched)
    if as_json:
        print_json(totals)
        return
    turns = totals["turns"]
    low, high = turns["wilson95"] or (0.0, 0.0)
    click.echo(
        f"{totals['rounds']} rounds: {turns['hits']} of {turns['n']} turns correct"
        f" ({turns['share'] or 0:.1%}, Wilson 95 % {low:.1%}-{high:.1%}), {totals['raised']} raised,"
        f" {totals['silent']} silent; points agree in {totals['points']['hits']}"
    )


def _folders(data: tuple[Path, ...]) -> list[Path]:
    folders = [
        folder
        for each in data
        for folder in ([each] if (each / "record.json").exists() else sorted(each.iterdir()))
        if (folder / "record.json").exists()
    ]
    if not folders:
        raise click.ClickException(
            f"there is no record.json in {', '.join(map(str, data))}: use folders of frames with the record of the round,"
            " as `python -m hanafuda_training.rounds` writes them"
        )
    return folders


def _turns(folder: Path) -> dict[str, int] | None:
    """Return the turn that each picture shows, by the name of the picture; None without a truth.json."""
    truth = folder / "truth.json"
    if not truth.exists():
        return None
    return {picture["image"]: picture["turn"] for picture in json.loads(truth.read_text(encoding="utf-8"))}


def _watch(folder: Path, record: dict[str, Any], deck: str | None, fps: float | None) -> list[dict[str, Any]]:
    """Return the output lines of ``companion watch`` for a folder, run as a separate process."""
    with tempfile.TemporaryDirectory() as temporary:
        rules = Path(temporary, "rules.json")
        given = record["rules"]
        rules.write_text(
            json.dumps(given if isinstance(given, dict) else {"preset": given}), encoding="utf-8"
        )
        command = [sys.executable, "-m", "companion.cli", "watch", str(folder), "--game", record["game"]]
        command += ["--rules", str(rules), "--json"]
        command += ["--players", ",".join(f"P{seat + 1}" for seat in range(record["players"]))]
        command += ["--deck", deck] if deck else []
        command += ["--fps", str(fps)] if fps else []
        process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode not in (0, 1):
        raise click.ClickException(f"watching {folder} failed: {process.stderr.strip()}")
    return [json.loads(line) for line in process.stdout.splitlines()]
