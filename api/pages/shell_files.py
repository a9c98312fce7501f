"""The files that the pages consist of, their common version, and their addresses."""

from __future__ import annotations

import hashlib
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Final

from companion.faces import FACES_DIR
from companion.messages import LANGUAGES, catalog_source

__all__ = ["WORKER", "file_address", "imported_modules", "page_files", "shell_version"]

_API: Final = Path(__file__).parents[1]
_STATIC: Final = _API / "static"
WORKER: Final = _STATIC / "service-worker.js"
"""The script of the service worker."""
_TYPES: Final = frozenset((".js", ".css", ".svg", ".png", ".woff2"))
"""The types of the files that pages load; not the licenses beside them."""


@cache
def page_files() -> dict[str, bytes]:
    """Return the files in ``static`` that pages load, except sample pictures, by name (``js/app.js``).

    They are read once, so that all files that a process sends belong to its version.
    """
    return {
        path.relative_to(_STATIC).as_posix(): path.read_bytes()
        for path in sorted(_STATIC.rglob("*"))
        if path.suffix in _TYPES and path != WORKER
    }


_IMPORT: Final = re.compile(rb"""\b(?:from|import)\s*"(\.[^"]+)\"""")
"""An import of a module when it is loaded; a call of ``import()`` loads it later."""


@cache
def imported_modules(entry: str) -> tuple[str, ...]:
    """Return the names of all modules that a module imports, directly or not: a browser learns them level by level otherwise."""
    found: dict[str, None] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        for path in _IMPORT.findall(page_files()[name]):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(name), path.decode()))
            if module not in found:
                found[module] = None
                waiting.append(module)
    return tuple(found)


@cache
def shell_version() -> str:
    """Return a hash of everything that the pages consist of."""
    digest = hashlib.sha256()
    for name, content in page_files().items():
        digest.update(name.encode() + content)
    for path in (*sorted(FACES_DIR.glob("*.svg")), *sorted((_API / "templates").glob("*.html")), WORKER):
        digest.update(path.name.encode() + path.read_bytes())
    for language in LANGUAGES:
        digest.update(catalog_source(language).encode())
    return digest.hexdigest()[:12]


def file_address(name: str) -> str:
    """Return the path of a file of the pages; it contains the version, so browsers may cache the file forever."""
    return f"/files/{shell_version()}/{name}"
