"""Outside its own package no module mentions a game by name: all knowledge of a game is in its description."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.hanafuda.registry import GAMES
from companion.messages import render

ROOT = Path(__file__).parents[3]
NAMES = re.compile(
    "|".join({re.escape(slug) for slug in GAMES} | {re.escape(render(game.title)) for game in GAMES.values()})
    + "|KoiKoi|Kekoro|Kakkuri|Kingo"
)
OWN = (
    "companion/hanafuda/games/",
    "companion/hanafuda/fishing/",  # the call koikoi of records has the name of a game
)
MAY = {"companion/hanafuda/__init__.py": "the library offers each game as a name of its own"}
"""Exceptions, at most three, each with its reason."""


def _modules() -> list[str]:
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in ("companion", "vision", "api", "hardware")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".js", ".css", ".html"} and "vendor" not in path.parts
    ]
    return sorted(each for each in found if not each.startswith(OWN))


@pytest.mark.parametrize("module", _modules())
def test_no_game_is_mentioned(module: str) -> None:
    if module in MAY:
        pytest.skip(MAY[module])
    lines = (ROOT / module).read_text(encoding="utf-8").splitlines()
    # Examples in docstrings use some game.
    found = [
        f"{number}: {line.strip()}"
        for number, line in enumerate(lines, start=1)
        if NAMES.search(line) and not line.lstrip().startswith(">>>")
    ]
    assert not found, "ask the game's description instead (companion.hanafuda.description.Game)"


def test_exceptions_are_few() -> None:
    assert len(MAY) <= 3
