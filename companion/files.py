"""Small files that hold what people put there: written whole or not at all, and never thrown away when damaged."""

from __future__ import annotations

import json
import os
from pathlib import Path

__all__ = ["put_aside", "sync_folder", "write_json", "write_whole"]


def write_json(path: Path, document: object) -> None:
    """Write a document as `write_whole` does."""
    write_whole(path, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode())


def write_whole(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file so that after a crash it holds ``data`` or what was there before; OSError where that cannot be.

    ``mode``: who may read and write it, less the process's mask. Only one at a time may write the same file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def put_aside(path: Path) -> Path:
    """Rename a damaged file to a name that is free, and return it; OSError where that cannot be."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return path.rename(aside)


def sync_folder(folder: Path) -> None:
    """Bring a folder's new names to the disk; Windows does that by itself and cannot open folders."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
