"""The files of a data folder: which are backed up, and their permissions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from companion.store.folder_lock import FOLDER_LOCK, SERVER_FILE
from companion.store.notices import NOTICES_FILE
from companion.store.sqlite_database import DATABASE, LOG_MARKER, SIDE_FILES

BACKUPS: Final = "backups"
EVIDENCE: Final = "evidence"
SET_ASIDE: Final = "set-aside"
"""Prefix of folders with the data that a restored backup replaced."""

_LOGS: Final = "logs"
_UNFINISHED: Final = ".part"
_DAMAGED: Final = ".damaged-"
_NOT_BACKED_UP: Final = frozenset(
    (
        DATABASE,
        *(DATABASE + suffix for suffix in SIDE_FILES),
        EVIDENCE,
        BACKUPS,
        LOG_MARKER,
        FOLDER_LOCK,
        SERVER_FILE,
        NOTICES_FILE,
        _LOGS,
    )
)
#: Names of the program's own files; other files in the folder (such as with ``--data ~``) are left alone.
_OWN_NAMES: Final = (
    *_NOT_BACKED_UP,
    "decks",
    "devices.json",
    "layouts",
    "printer.json",
    "settings.toml",
    "table.json",
    "tags",
    "tls",
)


def other_files(folder: Path) -> Iterator[Path]:
    """Yield the files to back up besides the database and the pictures: decks, layouts, devices, settings."""
    for path in sorted(folder.iterdir() if folder.exists() else ()):
        if path.name in _NOT_BACKED_UP or path.name not in _OWN_NAMES or path.is_symlink():
            continue
        for file in sorted(path.rglob("*")) if path.is_dir() else (path,):
            if file.is_file() and not file.is_symlink() and file.suffix != _UNFINISHED:
                yield file


def make_private(folder: Path) -> None:
    """Make the program's files readable by their owner only (0600, folders 0700); Windows separates users' files by default."""
    if os.name == "nt":
        return
    with suppress(OSError):  # another user's folder to which this user may write
        folder.chmod(0o700)
    with suppress(OSError):  # nothing can be read at present
        for path in folder.iterdir():
            name = path.name
            if name in _OWN_NAMES or _DAMAGED in name or name.startswith(SET_ASIDE):
                _make_private(path)


def _make_private(path: Path) -> None:
    if path.is_symlink():
        return
    with suppress(OSError):
        path.chmod(0o700 if path.is_dir() else 0o600)
        if path.is_dir():
            for inner in path.iterdir():
                _make_private(inner)
