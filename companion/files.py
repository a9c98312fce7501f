"""Small files that hold what people put there: written whole or not at all, and never thrown away when damaged."""

from __future__ import annotations

import json
import os
from pathlib import Path

__all__ = ["put_aside", "write_json"]


def write_json(path: Path, document: object) -> None:
    """Write a document so that after a crash the file holds it or what was there before; OSError where that cannot be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def put_aside(path: Path) -> Path:
    """Rename a damaged file to a name that is free, and return it; OSError where that cannot be."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return path.rename(aside)
