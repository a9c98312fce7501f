"""The tool for mutation runs, tested on a program with one function, and its table of the project's parts."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from mutation_parts import PARTS, Part

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
PROGRAM = """
def price(years: int) -> int:
    if years < 20:
        return 5
    return 10
"""
TEST = """
from inn.door import price

def test_children_pay_half() -> None:
    assert (price(7), price(30)) == (5, 10)
"""


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.sources[0])
def test_every_part_names_what_there_is(part: Part) -> None:
    assert [path for path in (*part.sources, *part.tests) if not (PROJECT / path).exists()] == []


@pytest.mark.skipif(importlib.util.find_spec("mutmut") is None, reason="mutmut is not installed ([mutation])")
def test_what_survives_is_listed_and_counted(tmp_path: Path) -> None:
    """No test covers the price for a person who is exactly twenty: two of four mutants survive."""
    for name, text in {"inn/__init__.py": "", "inn/door.py": PROGRAM, "tests/test_door.py": TEST}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, str(HERE / "run.py"), "inn/door.py", "--tests", "tests/test_door.py"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "-    if years < 20:\n+    if years <= 20:" in ended.stdout
    assert "4 mutants,   2 survived,  0 timeouts:  50.0 %" in ended.stdout
    assert (tmp_path / "inn/door.py").read_text() == PROGRAM
