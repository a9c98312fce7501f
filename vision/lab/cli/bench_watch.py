"""``companion bench watch``: how well recorded tables are watched, whose rounds are known."""

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
    help="A folder of frames with a record.json, or of such folders; may be given several times.",
)
@deck_option
@click.option(
    "--fps",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Pictures a second in the folders, as `watch` has it.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep what was told there.",
)
@json_option
def bench_watch(
    *, data: tuple[Path, ...], deck: str | None, fps: float | None, keep: Path | None, as_json: bool
) -> None:
    """Measure how well recorded tables are watched: each turn told by `watch` against the round that was played.

    JSON has a line a folder, and a last one of all.
    """
    from vision.lab.benchmarks.watch_accuracy import compare, total  # noqa: PLC0415  # needs OpenCV, which --help need not wait for

    watched = []
    for folder in _folders(data):
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        lines = _watch(folder, record, deck, fps)
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            kept = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (keep / f"{folder.name}.jsonl").write_text(kept, encoding="utf-8")
        found = compare(folder.name, lines, record, _turns(folder))
        watched.append(found)
        if as_json:
            print_json(found.to_dict())
        else:
            click.echo(
                f"{found.name}: turns {found.turns.hits}/{found.turns.n}, raised {found.raised}, silent {found.silent},"
                f" extra {found.extra}, calls {found.calls.hits}/{found.calls.n}, points {'yes' if found.points else 'NO'},"
                f" problems {found.problems}, questions {found.questions}"
                + (f", told at once {found.prompt.hits}/{found.prompt.n}" if found.prompt else "")
            )
    everything = total(watched)
    if as_json:
        print_json(everything)
        return
    turns = everything["turns"]
    low, high = turns["wilson95"] or (0.0, 0.0)
    click.echo(
        f"{everything['rounds']} rounds: {turns['hits']} of {turns['n']} turns right"
        f" ({turns['share'] or 0:.1%}, Wilson 95 % {low:.1%}-{high:.1%}), {everything['raised']} raised,"
        f" {everything['silent']} silent; points agree in {everything['points']['hits']}"
    )


def _folders(data: tuple[Path, ...]) -> list[Path]:
    found = [
        folder
        for each in data
        for folder in ([each] if (each / "record.json").exists() else sorted(each.iterdir()))
        if (folder / "record.json").exists()
    ]
    if not found:
        raise click.ClickException(
            f"there is no record.json in {', '.join(map(str, data))}: name folders of frames with the round's record beside"
            " them, as `python -m vision.demo` writes them"
        )
    return found


def _turns(folder: Path) -> dict[str, int] | None:
    """Return the turn that each picture shows, where a truth.json tells."""
    truth = folder / "truth.json"
    if not truth.exists():
        return None
    return {each["image"]: each["turn"] for each in json.loads(truth.read_text(encoding="utf-8"))}


def _watch(folder: Path, record: dict[str, Any], deck: str | None, fps: float | None) -> list[dict[str, Any]]:
    """Return the lines that ``companion watch`` tells of a folder, run as anybody would run it."""
    with tempfile.TemporaryDirectory() as there:
        rules = Path(there, "rules.json")
        told = record["rules"]
        rules.write_text(json.dumps(told if isinstance(told, dict) else {"preset": told}), encoding="utf-8")
        command = [sys.executable, "-m", "companion.cli", "watch", str(folder), "--game", record["game"]]
        command += ["--rules", str(rules), "--json"]
        command += ["--players", ",".join(f"P{seat + 1}" for seat in range(record["players"]))]
        command += ["--deck", deck] if deck else []
        command += ["--fps", str(fps)] if fps else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise click.ClickException(f"watching {folder} failed: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]
