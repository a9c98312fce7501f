"""The command that trains everything: its steps name existing modules and options, and finished steps are not repeated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hanafuda_training
from hanafuda_training.training.retrain import Step, main, steps

PACKAGE = Path(hanafuda_training.__file__).parent


def all_steps(out: Path, warm: bool = True) -> list[Step]:
    return list(steps([Path("decks")], ["some-family"], out, 100, 1000, warm))


@pytest.mark.parametrize("warm", [True, False])
def test_every_step_is_a_module_with_the_given_options(tmp_path: Path, warm: bool) -> None:
    planned = all_steps(tmp_path, warm)
    assert [step.module for step in planned[:2]] == ["render.rasterize", "training.generate_scenes"]
    for step in planned:
        source = (PACKAGE / f"{step.module.replace('.', '/')}.py").read_text(encoding="utf-8")
        if "import Training" in source:  # whose options are defined in that class
            source += (PACKAGE / "training/training_schedule.py").read_text(encoding="utf-8")
        for argument in map(str, step.arguments):
            if argument.startswith("--"):
                assert f'"{argument}"' in source, f"{step.module} has no {argument}"


def test_the_minutes_are_divided_among_the_trainings(tmp_path: Path) -> None:
    minutes = [
        step.arguments[list(step.arguments).index("--minutes") + 1]
        for step in all_steps(tmp_path)
        if ".train_" in step.module
    ]
    assert len(minutes) == 5
    assert sum(float(share) for share in minutes) == pytest.approx(100)


def test_finished_steps_are_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(command: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        ran.append(command[2])
        return subprocess.CompletedProcess(command, 1 if command[2].endswith("train_refiner") else 0)

    for made in ("own", "scenes", "models", "fit"):  # a real step creates its own folder
        (tmp_path / made / "hanafuda-companion").mkdir(parents=True)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["retrain", "--decks", "decks", "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="train_refiner"):
        main()
    first = list(ran)
    ran.clear()
    with pytest.raises(SystemExit, match="train_refiner"):
        main()
    assert first[-1].endswith("train_refiner")
    assert ran == ["hanafuda_training.training.train_refiner"]
