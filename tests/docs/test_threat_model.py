"""Each line of the threat model names an existing test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = re.findall(
    r"^\|.*\| `(tests/\S+\.py)::(\w+)` \|$", (ROOT / "docs/threat-model.md").read_text(), re.MULTILINE
)


def test_the_threat_model_has_lines() -> None:
    assert len(LINES) >= 30


@pytest.mark.parametrize(("path", "name"), LINES)
def test_the_test_of_a_line_exists(path: str, name: str) -> None:
    assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")
