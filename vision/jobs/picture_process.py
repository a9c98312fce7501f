"""Entry point of the picture process: its parent can import this module without loading the image libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.store import DocumentStore
    from vision.jobs.picture_jobs import PictureJobs


def picture_jobs(documents: DocumentStore) -> PictureJobs:
    """Return the jobs of the picture process; ``documents`` has the enrolled decks."""
    from vision.jobs.picture_jobs import PictureJobs  # noqa: PLC0415

    return PictureJobs(documents)
