"""The files that the pages consist of, and their common version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from companion.faces import FACES_DIR
from companion.messages import LANGUAGES, catalog_source

__all__ = ["WORKER", "page_files", "shell_version"]

_API: Final = Path(__file__).parents[1]
_STATIC: Final = _API / "static"
WORKER: Final = _STATIC / "service-worker.js"
"""The script of the service worker."""
_TYPES: Final = frozenset((".js", ".css", ".svg", ".png", ".woff2"))
"""The types of the files that pages load; not the licenses beside them."""


def page_files() -> Iterator[tuple[str, Path]]:
    """Yield address and path of each file that pages load, except sample pictures."""
    for path in sorted(_STATIC.rglob("*")):
        if path.suffix in _TYPES and path != WORKER:
            yield f"/static/{path.relative_to(_STATIC).as_posix()}", path
    for path in sorted(FACES_DIR.glob("*.svg")):
        yield f"/faces/{path.name}", path


@cache
def shell_version() -> str:
    """Return a hash of everything that the pages consist of."""
    digest = hashlib.sha256()
    for path in (*(path for _, path in page_files()), *sorted((_API / "templates").glob("*.html")), WORKER):
        digest.update(path.name.encode() + path.read_bytes())
    for language in LANGUAGES:
        digest.update(catalog_source(language).encode())
    return digest.hexdigest()[:12]
