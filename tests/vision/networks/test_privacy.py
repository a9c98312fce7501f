"""ONNX Runtime 1.29 and later identify the computer in the user's cache folder and report to their maker: here they must not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SAMPLE = "api/static/samples/counter.jpg"


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "companion.cli", "scan", SAMPLE),
        (
            "-c",
            "import subprocess, sys, vision; subprocess.check_call([sys.executable, '-c', 'import onnxruntime'])",
        ),
    ],
    ids=["scan", "child"],
)
def test_nothing_of_others_is_written_into_the_home_folder(command: tuple[str, ...], tmp_path: Path) -> None:
    # Nothing else of this environment: ONNX Runtime behaves well where it recognizes continuous integration.
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=True, capture_output=True)
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if "hanafuda-companion" not in path.parts]
