"""What the program's camera and its photographs deliver of composed rounds, as files to fit and to measure the watcher with.

``python -m hanafuda_training.rounds.observing DIR/fit`` runs each round's folder (`hanafuda_training.rounds.composed`) through
detection and tracking, once as ``companion watch`` does and once with one photograph of each turn, and writes
``NAME.camera.jsonl`` and ``NAME.pictures.jsonl`` beside it: a line about the round, then a line for each observation. Files that
are newer than their folder's frames are kept, unless ``--again`` is given (after a change of the tracking).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from companion.hanafuda.registry import pack_of
from companion.hanafuda.rules import resolve
from companion.observations import Observation
from hanafuda_training.rounds.composed import ABOUT
from vision.photograph.scanner import Scanner
from vision.sources.recorded import FOLDER_FPS, PictureFolder
from vision.tracking.camera_loop import CameraLoop
from vision.tracking.posted_photographs import PhotographObserver
from vision.tracking.table_observer import TableObserver
from vision.tracking.table_view import TableView

__all__ = ["camera_observations", "picture_observations"]

_KINDS: Final = ("camera", "pictures")


def _observer(about: Mapping[str, Any], *, fast: bool) -> TableObserver:
    rules = resolve(about["rules"], about["game"])
    return TableObserver(Scanner(fast=fast), about["game"], about["players"], deck=pack_of(rules))


def camera_observations(folder: Path, about: Mapping[str, Any]) -> Iterator[Observation]:
    """Yield what a camera delivers of a folder of frames, as ``companion watch``."""
    observer = _observer(about, fast=True)
    loop = CameraLoop(PictureFolder(folder), observer, TableView(observer.scanner))
    while not loop.ended:
        if result := loop.next():
            yield result[1]


def picture_observations(
    folder: Path, about: Mapping[str, Any], truth: Sequence[Mapping[str, Any]]
) -> Iterator[Observation]:
    """Yield what photographs deliver, one of each settled turn: its last settled frame."""
    tracked = _observer(about, fast=False)
    observer = PhotographObserver(tracked, TableView(tracked.scanner))
    last = {each["turn"]: number for number, each in enumerate(truth) if each["settled"]}
    for number in last.values():
        name = truth[number]["image"]
        picture = cv2.imread(str(folder / name))
        if picture is None:
            raise ValueError(f"{folder / name} cannot be read: compose the round again")
        yield observer.observe(np.asarray(picture, np.uint8), name, number / FOLDER_FPS)[1]


def _write(folder: Path, again: bool) -> None:
    about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    frame_of = {each["image"]: each for each in truth}
    for kind in _KINDS:
        path = folder.with_name(f"{folder.name}.{kind}.jsonl")
        if path.exists() and not again and path.stat().st_mtime > (folder / ABOUT).stat().st_mtime:
            continue
        observations = (
            camera_observations(folder, about)
            if kind == "camera"
            else picture_observations(folder, about, truth)
        )
        lines = [about]
        for observation in observations:
            frame = frame_of[observation.frame]
            seen = observation.to_json()
            del seen["extra"]
            lines.append({"turn": frame["turn"], "settled": frame["settled"], "observation": seen})
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(
            "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
        )
        unfinished.replace(path)
        print(f"{len(lines) - 1} observations in {path}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m hanafuda_training.rounds.observing", description=__doc__)
    parser.add_argument("--again", action="store_true", help="also observe rounds that were observed before")
    parser.add_argument("folders", type=Path, nargs="+", help="composed rounds, or folders of them")
    given = parser.parse_args(arguments)
    for each in given.folders:
        for folder in [each] if (each / ABOUT).exists() else sorted(each.iterdir()):
            if (folder / ABOUT).exists():
                _write(folder, given.again)


if __name__ == "__main__":
    main()
