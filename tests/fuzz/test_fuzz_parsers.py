"""The short form of `fuzz_parsers`: the seeds and some mutations, always the same ones; and Atheris for a moment."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from fuzz_parsers import HARNESSES, Harness, atheris, checked, mutate_bytes, mutations, run

ROOT = Path(__file__).parents[2]
SOME = {"tokens": 40, "decks": 60, "pictures": 300, "records": 150, "codes": 1000, "events": 250}
"""Number of inputs in addition to the seeds: about a second of each."""


@pytest.mark.parametrize("name", HARNESSES)
def test_seeds_and_some_mutations(name: str) -> None:
    harness = HARNESSES[name]()
    for data in islice(mutations(harness, 20261121), len(harness.seeds) + SOME[name]):
        checked(harness, data)


def test_an_input_that_breaks_a_reader_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fuzzer that cannot fail proves nothing."""

    def broken() -> Harness:
        return Harness(lambda data: {}[data], [b"seed"], mutate_bytes)  # type: ignore[index]

    monkeypatch.setitem(HARNESSES, "broken", broken)
    assert run("broken", 1e-4, tmp_path, 1) > 0
    assert b"seed" in {path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.skipif(atheris is None, reason="Atheris has no wheel here")
def test_atheris_runs(tmp_path: Path) -> None:
    """If Atheris is installed, the long runs use it: a second of it must find nothing."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.fuzz.fuzz_parsers", "codes", "--minutes", "0.02", "--seed", "1"),
            *("--crashes", tmp_path),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert b"number_of_executed_units" in done.stderr
    assert list(tmp_path.iterdir()) == []
