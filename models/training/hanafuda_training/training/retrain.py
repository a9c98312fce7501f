"""Trains all networks from a folder of decks, from the first scene to weights that the program can use.

``python -m hanafuda_training.training.retrain --decks DECKS --hold-out FAMILY... --out runs`` executes the steps
listed in README.md and resumes where it stopped: a step whose result exists in ``runs`` is skipped. Without a
GPU it takes about five hours on two cores; ``--minutes`` changes the training time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from vision.networks.onnx_sessions import MODELS

LARGE_DETECTOR: Final = "detector-large"
"""The detector for photographs."""
SMALL_DETECTOR: Final = Path(__file__).parents[2] / "weights" / "detector.onnx"
"""The fp32 weights of the detector for camera frames, from which the shipped int8 ones were made."""

#: Fraction of the training time for each network.
_TIME_FRACTIONS: Final = {
    "detector": 0.3,
    LARGE_DETECTOR: 0.25,
    "refiner": 0.1,
    "recognizer": 0.25,
    "matcher": 0.1,
}
#: Networks without an int8 form: photographs are read in fp32, and the matcher runs only on uncertain cards.
_FP32_ONLY: Final = (LARGE_DETECTOR, "matcher")

_Argument: TypeAlias = str | Path | float


class Step(NamedTuple):
    """A module to run with its arguments, and the file or folder that exists when it is done."""

    module: str
    arguments: Sequence[_Argument]
    result: Path

    @property
    def command(self) -> list[str]:
        """The command line."""
        return [sys.executable, "-m", f"hanafuda_training.{self.module}", *map(str, self.arguments)]


def steps(
    decks: Sequence[Path], hold_out: Sequence[str], out: Path, minutes: float, scenes: int, warm: bool
) -> Iterator[Step]:
    """Yield the steps in order. ``warm``: continue from the shipped weights."""
    own_faces, shards, models = out / "own", out / "scenes", out / "models"
    roots = [*decks, own_faces]
    hold_out_options: list[_Argument] = ["--hold-out", *hold_out] if hold_out else []
    yield Step("render.rasterize", ["--out", own_faces], own_faces / "hanafuda-companion" / "SOURCE.json")
    yield Step(
        "training.generate_scenes",
        ["--decks", *roots, *hold_out_options, "--out", shards, "--scenes", scenes],
        shards / f"{-(-scenes // 250) - 1:05d}.shard",
    )
    for network, fraction in _TIME_FRACTIONS.items():
        shipped = SMALL_DETECTOR if network == "detector" else MODELS / f"{network}.onnx"
        start: list[_Argument] = ["--start", shipped] if warm else []
        module, extra = f"training.train_{network}", start
        if network == LARGE_DETECTOR:  # initialized with the small one
            module = "training.train_detector"
            extra = ["--large", *(start or ["--grow", models / "detector.onnx"])]
        weights = out / f"{network}.pt"
        arguments: list[_Argument] = [
            "--scenes",
            shards,
            "--out",
            weights,
            "--minutes",
            round(minutes * fraction, 1),
            *extra,
            *(["--decks", *roots, *hold_out_options] if network == "matcher" else []),
        ]
        yield Step(module, arguments, out / f"{network}.trained")
        yield Step(
            "training.export_networks",
            [f"--{network}", weights, "--out", models],
            models / f"{network}.onnx",
        )
        if network not in _FP32_ONLY:
            yield Step(
                "training.quantize",
                ["--network", network, "--models", models, "--scenes", shards],
                models / f"{network}-int8.onnx",
            )
        if network == "detector":  # the others are trained on its errors
            yield Step(
                "training.detect_scenes",
                ["--scenes", shards, "--models", models],
                out / "detections.done",
            )
    arguments = ["--decks", *decks, *hold_out_options, "--out", models / "decks", "--models", models]
    yield Step("training.make_deck_profiles", arguments, out / "prototypes.done")
    if hold_out:
        fit = out / "fit"
        arguments = ["--decks", *decks, "--families", *hold_out, "--out", fit, "--pictures", 160]
        yield Step("training.compose_holdout", [*arguments, "--seed", 901], fit / "truth.json")
        yield Step(
            "training.fit_calibration", [fit, "--models", models, "--write"], models / "calibration.json"
        )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, nargs="+", required=True, help="folders of deck folders")
    parser.add_argument(
        "--hold-out", nargs="*", default=[], help="families to use only for calibration and evaluation"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=240, help="total training time of all networks")
    parser.add_argument("--scenes", type=int, default=30_000)
    parser.add_argument("--warm", action="store_true", help="continue from the shipped weights")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for step in steps(args.decks, args.hold_out, args.out, args.minutes, args.scenes, args.warm):
        if step.result.exists():
            continue
        print("$", *step.command[1:], flush=True)
        if subprocess.run(step.command, check=False).returncode:
            raise SystemExit(f"{step.module} failed: fix the problem, and run this command again to continue")
        if (
            not step.result.exists()
        ):  # an interrupted training also leaves weights, so they do not show that it is complete
            step.result.touch()
    print(f"The weights are in {args.out / 'models'}. Evaluate them with")
    print(f"companion bench vision --models {args.out / 'models'} --data FOLDER-WITH-TRUTH")


if __name__ == "__main__":
    main()
