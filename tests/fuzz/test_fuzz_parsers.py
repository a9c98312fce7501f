"""The short form of `fuzz_parsers`: the seeds and some mutations, the same ones every time; and Atheris for a moment."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from fuzz_parsers import HARNESSES, atheris, checked, mutations

ROOT = Path(__file__).parents[2]
SOME = {"tokens": 40, "decks": 60, "pictures": 300, "records": 150, "codes": 1000, "events": 250}
"""Inputs besides the seeds: about a second of each."""


@pytest.mark.parametrize("name", HARNESSES)
def test_seeds_and_some_mutations(name: str) -> None:
    harness = HARNESSES[name]()
    for data in islice(mutations(harness, 20261121), len(harness.seeds) + SOME[name]):
        checked(harness, data)


@pytest.mark.skipif(atheris is None, reason="Atheris has no wheel here")
def test_atheris_runs_and_writes_down_what_breaks(tmp_path: Path) -> None:
    """The long runs must be able to fail: a harness that breaks ends with a status other than 0 and keeps the input."""
    command = [sys.executable, "-m", "tests.fuzz.fuzz_parsers", "codes", "--minutes", "0.02", "--seed", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "--crashes", tmp_path], cwd=ROOT, env=environment, capture_output=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert list(tmp_path.iterdir()) == []
    # A seed is given first, so that this finds something at once.
    environment["COMPANION_FUZZ_BREAK"] = "1"
    done = subprocess.run(
        [*command, "--crashes", tmp_path], cwd=ROOT, env=environment, capture_output=True, check=False, timeout=300
    )
    assert done.returncode != 0
    assert list(tmp_path.iterdir())
