"""Names: a class exists once, and identifiers avoid words that say less than the field's terms."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PRODUCT: Final = ("companion", "vision", "hardware", "api")
GAMES: Final = (ROOT / "companion" / "hanafuda" / "games", ROOT / "companion" / "hanafuda" / "fishing")
"""Sibling packages, in which the same name stands for the same part of each game."""
VAGUE: Final = re.compile(r"(^|_)(said|told|untold|held|shown|lying)(_|$)", re.IGNORECASE)


def _trees(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def _defined(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the identifiers that a module introduces: line and name."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr


def test_a_class_name_exists_once_except_in_sibling_games() -> None:
    places = defaultdict(set)
    for path, tree in _trees(*PRODUCT):
        sibling = next((folder for folder in GAMES if path.is_relative_to(folder)), None)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].add("games" if sibling else path.relative_to(ROOT).as_posix())
    assert {name: sorted(paths) for name, paths in places.items() if len(paths) > 1} == {}


def test_identifiers_are_not_vague() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path, tree in _trees(*PRODUCT, "models", "tests")
        for line, name in _defined(tree)
        if VAGUE.search(name)
    ]
    assert found == []
