"""Writes the generated parts of the pages in this folder anew: ``python -m docs.generate``.

A page is written by hand but for two things. Between ``<!-- begin: NAME ARGUMENT... -->`` and
``<!-- end: NAME -->`` stands what the block of that name makes of the program (`docs.blocks`). In a block of
code marked ``console``, whatever follows a line ``$ companion ...`` is what the command prints. Such a command
finds the page's blocks of code that have a title (``json title=round.jsonl``) as files of that name.

Blocks of Python are examples; `tests/docs` runs them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from companion.cli import main as companion
from docs.blocks import BLOCKS

__all__ = ["FENCE", "ROOT", "pages", "render"]

ROOT = Path(__file__).parent
"""This folder, with the pages."""

_MARKED = re.compile(r"(<!-- begin: (\S+)(.*?) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)
FENCE = re.compile(r"^```(\w+)(?: title=(\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A block of code: its language, its title, its text."""
_PROMPT = "$ "


def pages() -> list[Path]:
    """Return the pages, in the order of their names."""
    return sorted(ROOT.rglob("*.md"))


def render(page: str) -> str:
    """Return a page with its generated parts as they should be."""
    page = _MARKED.sub(_block, page)
    files = {name: text for _, name, text in FENCE.findall(page) if name}
    return FENCE.sub(lambda fence: _console(fence, files), page)


def _block(found: re.Match[str]) -> str:
    begin, name, arguments, end = found.groups()
    return f"{begin}\n{BLOCKS[name](*arguments.split()).strip()}\n\n{end}"


def _console(fence: re.Match[str], files: Mapping[str, str]) -> str:
    language, _, text = fence.groups()
    if language != "console":
        return fence[0]
    return f"```console\n{''.join(_answered(text, files))}```"


def _answered(session: str, files: Mapping[str, str]) -> Iterator[str]:
    """Yield each command of a session and what it prints."""
    commands = [line for line in session.splitlines() if line.startswith(_PROMPT)]
    for number, command in enumerate(commands):
        if number:
            yield "\n"
        yield f"{command}\n"
        for line in _run(command.removeprefix(_PROMPT), files).splitlines():
            yield f"{line.rstrip()}\n"


def _run(command: str, files: Mapping[str, str]) -> str:
    program, *arguments = shlex.split(command)
    assert program == "companion", f"only companion is run here, not {program}"
    with TemporaryDirectory() as folder, chdir(folder):
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
        result = CliRunner().invoke(companion, arguments, prog_name=program)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def _write() -> None:
    for path in pages():
        before = path.read_text(encoding="utf-8")
        after = render(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} is rewritten")


if __name__ == "__main__":
    _write()
