"""The queue of photographs that wait to be read by scan workers, on any machine; only a shared database has one.

A picture is stored until it was read. The worker that reads it may die at any time: the picture is then read by another one,
and its scan is stored exactly once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from companion.hanafuda.messages import Message
from companion.store.stored_records import Visitor

__all__ = [
    "QueuedPicture",
    "ReadPicture",
    "ReadingStoppedError",
    "ScanDraft",
    "ScanFailure",
    "ScanJob",
    "ScanQueue",
]


class ReadingStoppedError(Exception):
    """Raised while a picture is read if the worker is to end: the picture waits again."""


@dataclass(frozen=True, slots=True)
class QueuedPicture:
    """A picture that waits to be read; ``request`` is the JSON document with which it was added."""

    job: str
    data: bytes
    request: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScanDraft:
    """What is stored of a picture that was read; see `companion.store.ScanStore.add`."""

    picture: bytes
    media_type: str
    image: str
    reading: Mapping[str, Any]
    settings: Mapping[str, Any]
    actor: str


@dataclass(frozen=True, slots=True)
class ScanFailure:
    """Why a queued picture could not be read: the slug of the error, and its message for people."""

    code: str
    message: Message


@dataclass(frozen=True, slots=True)
class ScanJob:
    """The progress of a queued picture."""

    id: str
    owner: str | None
    """The id of the visitor who sent it; None for a paired person."""
    place: int
    """Its place among the waiting pictures, from 1; 0 while it is being read and afterward."""
    scan: str | None = None
    """The id of its scan as soon as it was read."""
    failure: ScanFailure | None = None

    @property
    def finished(self) -> bool:
        """Whether it was read, or could not be."""
        return self.scan is not None or self.failure is not None


ReadPicture: TypeAlias = Callable[[QueuedPicture], ScanDraft]
"""Reads a queued picture. A `companion.hanafuda.errors.MessageError` is the answer for the person who sent it; after any other error
the picture is read again, a few times at most; after a `ReadingStoppedError` always."""


class ScanQueue(Protocol):
    """The queue; the pictures of paired people are read first."""

    def add(
        self,
        picture: bytes,
        request: Mapping[str, Any],
        visitor: Visitor | None = None,
        *,
        sender: str | None = None,
    ) -> str:
        """Store a picture that is to be read, and return the id of its job; ``sender`` is the id of the phone that sent it.

        Raises `ScanQueueFullError` if too many pictures wait, in all or of the sender, or `TooManyDraftsError` if the ``visitor``
        has too many drafts and waiting pictures.
        """

    def job(self, job_id: str) -> ScanJob:
        """Return the progress of a picture, or raise `NoSuchScanJobError`."""

    def waiting(self) -> int:
        """Return the number of pictures that wait to be read."""

    def workers(self) -> int:
        """Return the number of workers that are running, on all machines; without one, pictures only wait."""

    def adopt(self, visitor: str) -> None:
        """Turn a visitor's waiting pictures into those of a paired person."""

    def work(self, read: ReadPicture, stopping: threading.Event) -> None:
        """Read waiting pictures one after the other until ``stopping`` is set; then finish the current one and return.

        Also lets the pictures of workers that died be read again. A lost connection to the database is opened again.
        """
