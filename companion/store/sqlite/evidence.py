"""The pictures of the scans, each stored once under the hash of its bytes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from companion.files import sync_folder

__all__ = ["SUFFIXES", "PictureFiles"]

SUFFIXES = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/heic": ".heic"}
"""How a picture's file name ends, by its media type."""

_UNFINISHED = ".part"


class PictureFiles:
    """A folder of files named by the SHA-256 of what is in them.

    A file is there whole or not at all: it is written under another name, brought to the disk, then renamed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str, media_type: str) -> Path:
        """Return where a picture lies, or would lie."""
        return self.folder / sha256[:2] / (sha256 + SUFFIXES[media_type])

    def put(self, data: bytes, media_type: str) -> str:
        """Store a picture durably and return its hash; a picture that is there already is left alone."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.path(sha256, media_type)
        if path.exists():
            return sha256
        for folder in (self.folder, path.parent):  # private: photographs of the home
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

    def remove(self, sha256: str) -> None:
        """Remove a picture, whatever its kind."""
        for path in (self.folder / sha256[:2]).glob(f"{sha256}.*"):
            path.unlink(missing_ok=True)

    def hashes(self) -> Iterator[str]:
        """Yield the hash of every picture that lies here."""
        for path in self.folder.glob("??/*"):
            if path.suffix != _UNFINISHED:
                yield path.stem

    def remove_unfinished(self) -> None:
        """Remove what a process that was killed had begun to write."""
        for path in self.folder.glob(f"??/*{_UNFINISHED}"):
            path.unlink(missing_ok=True)
