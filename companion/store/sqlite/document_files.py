"""Small documents as files in the data folder."""

from __future__ import annotations

import threading
from pathlib import Path

from companion.files import put_aside, write_whole
from companion.hanafuda.messages import Message
from companion.store.errors import LogReadError, LogWriteError

__all__ = ["DocumentFiles"]


class DocumentFiles:
    """See `companion.store.store_protocol.DocumentStore`; a name is a path relative to the data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def read(self, name: str) -> bytes | None:
        """Return a document, or None if there is none."""
        path = self._folder / name
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise LogReadError(
                Message("file-not-read", {"path": str(path), "reason": error.strerror or ""})
            ) from error

    def write(self, name: str, data: bytes | None) -> None:
        """Replace a document; None deletes it."""
        path = self._folder / name
        try:
            with self._writing:
                if data is None:
                    path.unlink(missing_ok=True)
                else:
                    write_whole(path, data)
        except OSError as error:
            raise LogWriteError(
                Message("file-not-written", {"path": str(path), "reason": error.strerror or ""})
            ) from error

    def set_aside(self, name: str) -> str:
        """Rename a damaged document and return its new name."""
        path = self._folder / name
        try:
            with self._writing:
                return put_aside(path).name
        except OSError as error:
            raise LogWriteError(
                Message("file-not-renamed", {"path": str(path), "reason": error.strerror or ""})
            ) from error
