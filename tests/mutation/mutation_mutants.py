"""Mutants of a file, and their changes."""

import ast
import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from mutmut.mutation.file_mutation import mutate_file_contents

__all__ = ["Mutant", "mutate"]

_STRING = re.compile(r"""[rbfu]*("[^"\n]*"|'[^'\n]*')""")
_GENERATED = re.compile(r"\bx\S*?__mutmut_(\d+|orig)\b")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to one function.

    ``name`` activates it (the environment variable MUTANT_UNDER_TEST), ``diff`` has the lines of a unified
    diff, without its header.
    """

    name: str
    path: Path
    diff: tuple[str, ...]

    @property
    def sentence(self) -> bool:
        """Whether it changes only text for people: a string of words, or a part of Message(…)."""
        minus = "\n".join(line[1:] for line in self.diff if line.startswith("-"))
        plus = "\n".join(line[1:] for line in self.diff if line.startswith("+"))
        if _STRING.sub('""', minus) == _STRING.sub('""', plus):
            pairs = zip(_STRING.findall(minus), _STRING.findall(plus), strict=True)
            changed = [before for before, after in pairs if before != after]
            return bool(changed) and all(map(_is_worded, changed))
        at = minus.find("Message(")
        if at < 0 or minus[:at] != plus[:at] or "Message(" not in plus:
            return False
        return not re.search(r"\)\s*(if|and|or|else)\b", minus[at:])


def mutate(path: Path) -> list[Mutant]:
    """Write all mutants of a file into it, each inactive until it is named, and return them.

    ``path`` is relative to the import root, which is the current folder: a mutant's name begins with its
    module's.
    """
    mutated = mutate_file_contents(str(path), path.read_text(encoding="utf-8"))
    path.write_text(mutated.code, encoding="utf-8")
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    functions = _functions(mutated.code)
    return [Mutant(f"{module}.{name}", path, _diff(functions, name)) for name in mutated.mutant_names]


def _is_worded(string: str) -> bool:
    """Return whether a string, in its quotes, is text rather than a slug, code or key: it has a space, Japanese, or
    only a period."""
    return " " in string or not string.isascii() or string[1:-1] in {"", ".", ";", ","}


def _functions(code: str) -> dict[str, list[str]]:
    """Return the lines of each function by its name; mutmut gives each copy its own name."""
    lines = code.splitlines()
    return {
        node.name: lines[node.lineno - 1 : node.end_lineno]
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef)
    }


def _diff(functions: dict[str, list[str]], name: str) -> tuple[str, ...]:
    original = re.sub(r"__mutmut_\d+$", "__mutmut_orig", name)
    before, after = ([_GENERATED.sub("f", line) for line in functions[each]] for each in (original, name))
    return tuple(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
