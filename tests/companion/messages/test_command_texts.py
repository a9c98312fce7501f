"""What commands print is in the catalogs, in the language of the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path

import pytest

from companion.cli import main
from tests.companion.messages.usage import PACKAGES, ROOT

_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_COMMANDS = re.compile(r"companion [a-z ]+(NAME)?")


def _literals(node: ast.AST) -> Iterator[str]:
    """Yield the string literals of an expression that are not arguments of a message."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif not (isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {"say", "Message"}):
        for child in ast.iter_child_nodes(node):
            yield from _literals(child)


def _sources() -> Iterator[Path]:
    """Yield the modules of the product.

    Benchmarks and training print English for developers (CONTRIBUTING.md), the commands of devices and MQTT for those who build them.
    """
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "lab" not in path.parts and not path.stem.startswith(("bench", "devices", "mqtt")):
                yield path


def _sentences(path: Path) -> Iterator[str]:
    """Yield the literal sentences that a module raises as click errors; in a command also other errors and what it prints."""
    source = path.read_text("utf-8")
    in_command = path.parent.name == "cli"
    if "click." not in source:
        return
    for node in ast.walk(ast.parse(source)):
        is_click_error = isinstance(node, ast.Call) and re.fullmatch(
            r"click\.(\w*Error|\w*Usage|\w*Exception|BadParameter|MissingParameter)", ast.unparse(node.func)
        )
        printed = isinstance(node, ast.Call) and ast.unparse(node.func) in {"click.echo", "click.secho"}
        if is_click_error or (in_command and (printed or (isinstance(node, ast.Raise) and node.exc))):
            for text in _literals(node):
                if _WORDS.search(_COMMANDS.sub("", text)):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}: {text}"


def test_errors_of_commands_are_messages() -> None:
    assert [sentence for path in _sources() for sentence in _sentences(path)] == []


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            "companion mat: Invalid value for '--paper': there is no mat for 'A9' paper; there are A2, A3, A4, letter, tabloid"
            " (see `companion mat --help`)",
        ),
        (
            "ja",
            "companion mat: '--paper' の値が正しくありません：用紙 'A9' のマットはありません。"
            "使えるもの：A2, A3, A4, letter, tabloid。（使い方：`companion mat --help`）",
        ),
        (
            "ko",
            "companion mat: '--paper'의 값이 올바르지 않아요: 용지 'A9'의 매트는 없어요. "
            "쓸 수 있는 것: A2, A3, A4, letter, tabloid. (도움말: `companion mat --help`)",
        ),
    ],
)
def test_a_click_error_is_in_the_language_of_the_command_line(
    language: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        # In a context of its own: the language is a context variable.
        copy_context().run(main.main, ["--language", language, "mat", "--paper", "A9"], "companion")
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"{expected}\n"
