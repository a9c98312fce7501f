"""Pictures, each stored once under the hash of its bytes: files of a data folder, or rows of a database server."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from companion.files import sync_folder
from companion.hanafuda.messages import Message
from companion.store.database import Connection
from companion.store.errors import LogReadError
from companion.store.timestamps import iso_utc, now_utc, settled_now

if TYPE_CHECKING:  # psycopg is optional
    from companion.store.postgres_database import PostgresDatabase

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

    def read(self, sha256: str, media_type: str) -> bytes | None:
        """Return a picture, or None if there is no such picture; raises `LogReadError`."""
        path = self.path(sha256, media_type)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            values = {"path": str(path), "reason": error.strerror or ""}
            raise LogReadError(Message("file-not-read", values)) from error

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
        """Yield the hashes of the stored pictures, each of which may be removed if nothing refers to it."""
        for path in self.folder.glob("??/*"):
            if path.suffix != _UNFINISHED:
                yield path.stem

    def clean_up(self) -> None:
        """Remove the unfinished files of killed processes."""
        for path in self.folder.glob(f"??/*{_UNFINISHED}"):
            path.unlink(missing_ok=True)


_NEW_DAYS: Final = 1
"""Days for which a picture stays without a reference: it is stored before the event that refers to it, or before it was read."""


class PictureRows:
    """Pictures as rows."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def read(self, sha256: str, media_type: str) -> bytes | None:
        """Return a picture, or None if there is no such picture; raises `LogReadError`."""
        with self._database.reading() as db:
            query = "SELECT data FROM pictures WHERE sha256 = %s AND media_type = %s"
            row = db.raw.execute(query, (sha256, media_type), binary=True).fetchone()
        return None if row is None else bytes(row[0])

    def media_type(self, sha256: str) -> str | None:
        """Return the media type of a stored picture, or None if there is no such picture."""
        with self._database.reading() as db:
            row = db.execute("SELECT media_type FROM pictures WHERE sha256 = ?", (sha256,)).fetchone()
            return None if row is None else str(row[0])

    def put(self, data: bytes, media_type: str) -> str:
        """Store a picture durably and return its hash; raises `LogWriteError`."""
        with self._database.writing(picture_scope(hashlib.sha256(data).hexdigest())) as db:
            return self.put_in(db, data, media_type)

    def put_in(self, db: Connection, data: bytes, media_type: str) -> str:
        """Store a picture in a transaction with its scope and return its hash; an existing picture is not written again."""
        sha256 = hashlib.sha256(data).hexdigest()
        now = now_utc()
        if not db.execute("UPDATE pictures SET time = ? WHERE sha256 = ?", (now, sha256)).rowcount:
            db.execute(
                "INSERT INTO pictures (sha256, media_type, time, data) VALUES (?, ?, ?, ?)",
                (sha256, media_type, now, data),
            )
        return sha256

    def remove_in(self, db: Connection, sha256: str) -> None:
        """Remove a picture in a transaction."""
        db.execute("DELETE FROM pictures WHERE sha256 = ?", (sha256,))

    def hashes(self) -> Iterable[str]:
        """Return the hashes of the pictures that may be removed if nothing refers to them: those stored for at least a day."""
        before = iso_utc(settled_now() - timedelta(days=_NEW_DAYS))
        with self._database.reading() as db:
            rows = db.execute("SELECT sha256 FROM pictures WHERE time < ?", (before,)).fetchall()
        return [sha256 for (sha256,) in rows]

    def clean_up(self) -> None:
        """Do nothing: rows are never unfinished."""


PictureStore: TypeAlias = PictureFiles | PictureRows
"""Pictures by the SHA-256 of their bytes."""
