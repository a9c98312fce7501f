"""All event types are documented."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import companion.table
from companion.table import KINDS

PAGE = (Path(__file__).parents[3] / "docs" / "tables.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_event_is_documented(kind: str) -> None:
    assert f"\n| `{kind}` | " in PAGE


def test_the_module_s_example_is_correct() -> None:
    assert doctest.testmod(companion.table).failed == 0
