"""Dependencies point one way, and there are no import cycles; late imports and those for types count."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("companion", "vision", "hardware", "api")
ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "companion.hanafuda": ("companion.hanafuda",),
    "companion": ("companion",),
    "vision": ("vision", "companion"),
    "hardware": ("hardware", "companion"),
    "api": ("api", "companion", "vision", "hardware"),
    "hanafuda_box": ("hanafuda_box",),
}
"""The packages that a package may import."""
UNSHIPPED: Final = ("hanafuda_training", "tests")
"""Not in the wheel: nothing in the product may import them."""
FIRMWARE: Final = ROOT / "hardware" / "firmware" / "pico"
"""The folder that is the root of the modules on the microcontroller."""


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def _modules() -> Mapping[str, Path]:
    """Return the file of every module of the program."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            root = FIRMWARE if path.is_relative_to(FIRMWARE) else ROOT
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules of the program that a module imports, late imports and those for types included."""
    tree = ast.parse(_modules()[module].read_text(encoding="utf-8"))
    imported = set()
    for node in _nodes(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            base = _base(module, node)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        # `from a.b import c` imports a.b, and a.b.c if it is a module.
        imported.update(name for name in names if name in _modules())
    return frozenset(imported - {module})


def _nodes(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Return all import statements: also those inside functions and under ``if TYPE_CHECKING``."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _base(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module if _modules()[module].name == "__init__.py" else module.rpartition(".")[0]
    parts = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _cycles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one node (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in graph[node]:
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            component = []
            while node not in component:
                component.append(stack.pop())
            if len(component) > 1:
                components.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return components


@pytest.mark.parametrize("package", ALLOWED)
def test_dependencies_point_one_way(package: str) -> None:
    wrong = []
    for module in _modules():
        if max((p for p in ALLOWED if _within(module, p)), key=len, default=None) != package:
            continue
        for target in _imports(module):
            if not any(_within(target, allowed) for allowed in ALLOWED[package]):
                wrong.append(f"{module} imports {target}")
    assert not wrong, "\n".join(wrong)


def test_the_product_imports_neither_training_nor_tests() -> None:
    wrong = []
    for module, path in _modules().items():
        for node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
            base = _base(module, node) if isinstance(node, ast.ImportFrom) else ""
            names = [base] if base else [alias.name for alias in node.names]
            wrong += [f"{module} imports {name}" for name in names if name.partition(".")[0] in UNSHIPPED]
    assert not wrong, "\n".join(wrong)


def test_modules_do_not_import_each_other_in_cycles() -> None:
    graph = {module: _imports(module) for module in _modules()}
    assert not _cycles(graph)


@pytest.mark.parametrize("top", PACKAGES)
def test_the_packages_of_a_layer_do_not_import_each_other_in_cycles(top: str) -> None:
    """A module directly in the layer counts as a package of its own."""

    def package(module: str) -> str:
        return ".".join(module.split(".")[:2])

    graph: dict[str, set[str]] = {}
    for module in _modules():
        if _within(module, top):
            imported = {package(target) for target in _imports(module) if _within(target, top)}
            graph.setdefault(package(module), set()).update(imported - {top, package(module)})
    assert not _cycles(graph)


def test_a_cycle_is_found() -> None:
    assert _cycles({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []}) == [["a", "b", "c"]]
