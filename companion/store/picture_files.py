"""Pictures as files, each stored once under the hash of its bytes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from companion.files import sync_folder
from companion.store.sql.connection import Connection

__all__ = ["SUFFIXES", "PictureFiles", "picture_scope"]

SUFFIXES = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/heic": ".heic"}
"""The file suffix of each media type."""

_UNFINISHED = ".part"


def picture_scope(sha256: str) -> str:
    """Return the scope of the transactions that store or remove a picture: it is removed when nothing refers to it."""
    return f"picture:{sha256}"


class PictureFiles:
    """A folder of files named by the SHA-256 of their contents.

    Files are written atomically: under another name, flushed to the disk, then renamed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str, media_type: str) -> Path:
        """Return the path of a picture, whether it exists or not."""
        return self.folder / sha256[:2] / (sha256 + SUFFIXES[media_type])

    def media_type(self, sha256: str) -> str | None:
        """Return the media type of a stored picture, or None if there is no such picture."""
        return next((each for each in SUFFIXES if self.path(sha256, each).exists()), None)

    def put(self, data: bytes, media_type: str) -> str:
        """Store a picture durably and return its hash; an existing picture is not written again."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.path(sha256, media_type)
        if path.exists():
            return sha256
        for folder in (self.folder, path.parent):  # private: they are photographs of people's homes
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=path.parent, suffix=_UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(unfinished).replace(path)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
        sync_folder(self.folder)
        return sha256

    def put_in(self, db: Connection, data: bytes, media_type: str) -> str:
        """Store a picture as `put` does, while a transaction of the database is open."""
        return self.put(data, media_type)

    def remove_in(self, db: Connection, sha256: str) -> None:
        """Remove a picture as `remove` does, while a transaction of the database is open."""
        self.remove(sha256)

    def remove(self, sha256: str) -> None:
        """Remove a picture of any media type."""
        for path in (self.folder / sha256[:2]).glob(f"{sha256}.*"):
            path.unlink(missing_ok=True)

    def hashes(self) -> Iterator[str]:
        """Yield the hash of every stored picture."""
        for path in self.folder.glob("??/*"):
            if path.suffix != _UNFINISHED:
                yield path.stem

    def clean_up(self) -> None:
        """Remove the unfinished files of killed processes."""
        for path in self.folder.glob(f"??/*{_UNFINISHED}"):
            path.unlink(missing_ok=True)

    def remove_older(self, than: float) -> None:
        """Remove all files, unfinished ones too, that were last changed before a time, s since 1970."""
        for path in self.folder.glob("??/*"):
            with suppress(FileNotFoundError):  # another process removed it
                if path.stat().st_mtime < than:
                    path.unlink()
