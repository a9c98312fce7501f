"""A folder in memory for the files of tests."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

_ROOM: Final = 1 << 30
"""Bytes that the tests need at most: each database of a PostgreSQL server takes 8 MB until its test ends."""


def memory_folder() -> Path | None:
    """Return a folder in memory, where writes wait for no disk, or None if there is none with enough room."""
    folder = Path("/dev/shm")
    roomy = folder.is_dir() and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= _ROOM
    return folder if roomy else None
