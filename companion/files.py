"""Atomic writes of small files; damaged files are renamed, never deleted."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path


def write_json(path: Path, document: object) -> None:
    """Write a document as `write_whole` does."""
    write_whole(path, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode())


def write_whole(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file atomically: after a crash it holds ``data`` or its previous content. Raises `OSError`.

    ``mode``: permissions, less the process's umask. Not safe for concurrent writers of the same file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write_output(path: Path, data: bytes) -> None:
    """Write a file that a person has named: all of it, or nothing if that fails. Raises `OSError`."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a device or a pipe
    elif path.parent.is_dir():
        try:
            write_whole(path, data)
        except OSError as error:
            error.filename = str(path)  # rather than that of the unfinished file
            raise
    else:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))


def put_aside(path: Path) -> Path:
    """Rename a damaged file to a free name and return its new path; raises `OSError`."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return path.rename(aside)


def sync_folder(folder: Path) -> None:
    """Flush a folder's new entries to the disk (fsync); Windows does this itself and cannot open folders."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
