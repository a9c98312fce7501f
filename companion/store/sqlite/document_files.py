"""Documents as files in the data folder."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from companion.files import put_aside, write_whole
from companion.hanafuda.messages import Message
from companion.store.errors import LogReadError, LogWriteError
from companion.store.store_protocol import DocumentKind

__all__ = ["DocumentFiles"]

_PLACES: Final[Mapping[DocumentKind, tuple[str, str]]] = {
    "deck": ("decks", ".deck"),
    "layout": ("layouts", ".json"),
    "settings": (".", ".json"),
    "tags": ("tags", ".json"),
}
"""The folder and the file name extension of each kind."""


class DocumentFiles:
    """See `companion.store.store_protocol.DocumentStore`; one file per document, which may also be edited by hand."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def __reduce__(self) -> tuple[type[DocumentFiles], tuple[Path]]:
        return DocumentFiles, (self._folder,)

    def location(self, kind: DocumentKind, name: str) -> str:
        """Return the path of a document's file."""
        return str(self._path(kind, name))

    def names(self, kind: DocumentKind) -> list[str]:
        """Return the names of all documents of a kind, sorted."""
        folder, suffix = _PLACES[kind]
        return sorted(path.name.removesuffix(suffix) for path in (self._folder / folder).glob(f"*{suffix}"))

    def versions(self, kind: DocumentKind) -> dict[str, str]:
        """Return the versions of all documents of a kind by name, sorted."""
        versions = {name: self.version(kind, name) for name in self.names(kind)}
        return {
            name: version for name, version in versions.items() if version is not None
        }  # else just deleted

    def version(self, kind: DocumentKind, name: str) -> str | None:
        """Return the file's modification time, length and number; None if there is no document."""
        path = self._path(kind, name)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(path, error) from error
        # Some file systems count time in steps of 10 ms; two writes in a row have files of different numbers.
        return f"{stat.st_mtime_ns}-{stat.st_size}-{stat.st_ino}"

    def read(self, kind: DocumentKind, name: str) -> bytes | None:
        """Return a document, or None if there is none."""
        path = self._path(kind, name)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(path, error) from error

    def write(self, kind: DocumentKind, name: str, data: bytes | None) -> None:
        """Replace a document; None deletes it."""
        with self._writing:
            self._write(self._path(kind, name), data)

    def replace(self, kind: DocumentKind, name: str, data: bytes, version: str | None) -> bool:
        """Replace a document if its version is still ``version``, and return whether it was.

        Another process may change it between the check and the write; a data folder has only one server.
        """
        with self._writing:
            if self.version(kind, name) != version:
                return False
            self._write(self._path(kind, name), data)
        return True

    def set_aside(self, kind: DocumentKind, name: str) -> str:
        """Rename a damaged document's file and return its new name."""
        path = self._path(kind, name)
        try:
            with self._writing:
                return put_aside(path).name
        except OSError as error:
            raise LogWriteError(
                Message("file-not-renamed", {"path": str(path), "reason": error.strerror or ""})
            ) from error

    def _write(self, path: Path, data: bytes | None) -> None:
        try:
            if data is None:
                path.unlink(missing_ok=True)
            else:
                write_whole(path, data)
        except OSError as error:
            raise LogWriteError(
                Message("file-not-written", {"path": str(path), "reason": error.strerror or ""})
            ) from error

    def _path(self, kind: DocumentKind, name: str) -> Path:
        folder, suffix = _PLACES[kind]
        return self._folder / folder / f"{name}{suffix}"


def _unreadable(path: Path, error: OSError) -> LogReadError:
    return LogReadError(Message("file-not-read", {"path": str(path), "reason": error.strerror or ""}))
