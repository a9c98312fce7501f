"""A small disk of its own that a test fills, or makes read-only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

import pytest


class SmallDisk:
    """A file system in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "photographs"

    def fill(self) -> None:
        """Use up all space."""
        with self._filler.open("ab", buffering=0) as file:
            for size in (4096, 1):
                with suppress(OSError):
                    while file.write(bytes(size)):
                        pass

    def free(self) -> None:
        """Give all space back that `fill` has used."""
        self._filler.unlink()

    def allow_writing(self, allowed: bool) -> None:
        """Mount the disk again, writable or read-only."""
        mode = "rw" if allowed else "ro"
        subprocess.run(["mount", "-o", f"remount,{mode}", str(self.folder)], check=True)


@contextmanager
def small_disk(size_mb: int = 4) -> Iterator[SmallDisk]:
    """Mount a small disk at a new folder; the test is skipped where that is not permitted.

    The folder is none of pytest's, which could not remove one that a killed test has left mounted.
    """
    folder = Path(mkdtemp(prefix="companion-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True, check=False).returncode:
        folder.rmdir()
        pytest.skip("no right to mount a file system")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()
