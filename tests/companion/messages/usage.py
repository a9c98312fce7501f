"""Finds the uses of messages in Python, in the pages' JavaScript, and in the templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGES = ("companion", "vision", "api", "hardware")
SCRIPTS = ROOT / "api" / "static" / "js"
TEMPLATES = ROOT / "api" / "templates"

_JS_CALL = re.compile(
    r"""\b(?P<function>t|tn|has)\(\s*"(?P<code>[^"]+)"(?:(?P<end>\))|(?:,[^{}()]*)?,\s*\{(?P<values>[^{}]*)\}\s*\))?"""
)
_JS_NAME = re.compile(r"(?:^|,)\s*(\w+)\s*(?=[:,]|$)")
_JS_TEMPLATE = re.compile(r"`([a-z][a-z0-9-]*-\$\{[^`{}]*\}[\w-]*(?:\$\{[^`{}]*\})?)`")
_JS_COMMENT = re.compile(r"^\s*(//|/?\*).*$", re.MULTILINE)
_JS_STRING = re.compile(r"""(?<!=)["'`]([\w-]+)["'`]""")  # not an attribute of an element
_JS_KEY = re.compile(r"(?<=[{,(\[ ])([A-Za-z_]\w*):")
_TEMPLATE_CALL = re.compile(r"""\bt\(\s*['"]([^'"]+)['"](\s*~)?""")


@dataclass(frozen=True)
class Use:
    """One use of a message; `variables` is None if they cannot be determined from the source."""

    where: str
    code: str
    variables: frozenset[str] | None = None


@dataclass
class Usage:
    """All uses, the patterns of composed codes, and all strings that may be a code or a part of one."""

    uses: list[Use] = field(default_factory=list)
    patterns: set[str] = field(default_factory=set)
    strings: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)

    def names(self, code: str) -> bool:
        """Return whether the product can show a message: it names its code, or composes it of parts that it names."""
        if code in self.strings or any(code == use.code for use in self.uses):
            return True
        matches = (re.fullmatch(pattern.replace(".+", "(.+)"), code) for pattern in self.patterns)
        return any(match and all(map(self._is_part, match.groups())) for match in matches)

    def _is_part(self, text: str) -> bool:
        name = re.sub(r"(?<=.)-\d+$", "", text)
        return text.isdigit() or not {name, name.replace("-", "_")}.isdisjoint(self.strings | self.parts)


@cache
def usage() -> Usage:
    """Return how the product uses messages."""
    found = Usage()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            _python(found, path)
    for path in sorted(SCRIPTS.rglob("*.js")):
        source = path.read_text("utf-8")
        found.strings.update(_JS_STRING.findall(_JS_COMMENT.sub("", source)))
        found.parts.update(_JS_KEY.findall(source))
        found.patterns.update(map(_pattern, _JS_TEMPLATE.findall(source)))
        for call in _JS_CALL.finditer(source):
            variables = None if call["values"] is None else frozenset(_JS_NAME.findall(call["values"]))
            if call["function"] == "tn" and variables is not None:
                variables |= {"count"}
            if call["function"] == "t" and call["end"]:
                variables = frozenset()
            found.uses.append(Use(str(path.relative_to(ROOT)), call["code"], variables))
    for path in sorted(TEMPLATES.glob("*.html")):
        source = path.read_text("utf-8")
        found.parts.update(_JS_STRING.findall(source))
        for literal, joined in _TEMPLATE_CALL.findall(source):
            if joined:
                found.patterns.add(re.escape(literal) + ".+")
            else:
                found.uses.append(Use(str(path.relative_to(ROOT)), literal))
    found.parts.update(path.stem for path in (ROOT / "api" / "static" / "samples").iterdir())
    found.patterns = {each for each in found.patterns if not each.startswith(".+")}
    return found


def _python(found: Usage, path: Path) -> None:
    source = path.read_text("utf-8")
    if "essage" not in source and "-" not in source:
        return
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found.strings.add(node.value)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "MessageOut":
            found.patterns.update(
                _pattern_of(each.value)
                for each in node.keywords
                if each.arg == "code" and isinstance(each.value, ast.JoinedStr)
            )
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Message"):
            continue
        where = f"{path.relative_to(ROOT)}:{node.lineno}"
        for code in _codes(node.args[0]) if node.args else ():
            if isinstance(code, str):
                found.uses.append(Use(where, code, _variables(node)))
            else:
                found.patterns.add(_pattern_of(code))


def _codes(node: ast.expr) -> Iterator[str | ast.JoinedStr]:
    """Yield the literals that an expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield node
    elif isinstance(node, ast.IfExp):
        yield from _codes(node.body)
        yield from _codes(node.orelse)


def _pattern_of(code: ast.JoinedStr) -> str:
    return "".join(
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in code.values
    )


def _pattern(template: str) -> str:
    return ".+".join(map(re.escape, re.split(r"\$\{[^}]*\}", template)))


def _variables(call: ast.Call) -> frozenset[str] | None:
    if len(call.args) == 1 and not call.keywords:
        return frozenset()
    params = call.args[1] if len(call.args) > 1 else call.keywords[0].value
    if not isinstance(params, ast.Dict):
        return None
    names = [key.value if isinstance(key, ast.Constant) else None for key in params.keys]
    return None if None in names else frozenset(map(str, names))
