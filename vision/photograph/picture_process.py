"""Where the process that reads pictures begins: its parent refers to this module without loading what the process needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vision.photograph.picture_jobs import PictureJobs

__all__ = ["picture_jobs"]


def picture_jobs(decks: Path) -> PictureJobs:
    """Return the jobs of a process that reads pictures; ``decks`` is the folder of enrolled decks."""
    from vision.photograph.picture_jobs import PictureJobs  # noqa: PLC0415

    return PictureJobs(decks)
