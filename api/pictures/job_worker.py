"""Reads the pictures of the store's queue, in a server or in a process of its own, on any machine."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final, Self

from api.pictures.scan_order import ScanOrder
from api.pictures.service import BusyError, Pictures, ScannerFailedError
from companion.hanafuda.errors import MessageError
from companion.store.scan_queue import QueuedPicture, ReadingStoppedError, ScanDraft, ScanQueue
from vision.networks.onnx_sessions import MissingModelError
from vision.photograph.scan_result import ScanResult
from vision.pictures.picture_files import PictureFile

__all__ = ["JobWorker", "Report", "picture_request"]

_BUSY_S: Final = 1.0
"""Pause before another attempt while the pictures of tables come first, s."""

_log = logging.getLogger(__name__)

Report = Callable[[QueuedPicture, "ScanResult | MessageError", float], None]
"""Called for each picture that was read or refused, with the time that it took, ms."""


def picture_request(file: PictureFile, order: ScanOrder) -> dict[str, Any]:
    """Return the JSON document with which a picture is put into the queue: everything but its bytes."""
    header = asdict(file)
    del header["data"]
    return {"file": header, **order.to_json()}


class JobWorker:
    """A thread that reads queued pictures until `stop`; it finishes the current one."""

    def __init__(self, queue: ScanQueue, pictures: Pictures, report: Report | None = None) -> None:
        self._queue = queue
        self._pictures = pictures
        self._report = report
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="scan-jobs", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()
        self._thread.join()

    def stop(self) -> None:
        """Let the thread end after the current picture."""
        self._stopping.set()

    def has_ended(self, wait_s: float) -> bool:
        """Return whether the thread has ended, after at most ``wait_s`` s."""
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._pictures.warm_up()
        except MissingModelError as error:
            _log.error("%s", error)  # other workers read the pictures
            return
        except MessageError as error:  # a slow or busy machine: the first picture tries again
            _log.warning("the scanner could not be loaded yet: %s", error)
        self._queue.work(self._read, self._stopping)

    def _read(self, queued: QueuedPicture) -> ScanDraft:
        started = time.monotonic()
        order = ScanOrder.from_json(queued.request)
        file = PictureFile(data=queued.data, **queued.request["file"])
        try:
            result, stored = self._scan(file, order.deck)
        except ScannerFailedError as error:
            if self._stopping.is_set():  # a service manager may have ended the picture process, too
                raise ReadingStoppedError from error
            raise RuntimeError("the scanner failed") from error  # not for the person: it is read again first
        except MessageError as error:
            self._done(queued, error, started)
            raise
        self._done(queued, result, started)
        return order.draft(result, stored)

    def _scan(self, file: PictureFile, deck: str | None) -> tuple[ScanResult, PictureFile]:
        """Scan a picture as soon as the scanner is free: a queued picture is not refused because others come first."""
        while True:
            try:
                return self._pictures.scan_file(file, deck)
            except BusyError:
                if self._stopping.wait(_BUSY_S):
                    raise ReadingStoppedError from None

    def _done(self, queued: QueuedPicture, outcome: ScanResult | MessageError, started: float) -> None:
        if self._report is not None:
            self._report(queued, outcome, 1000 * (time.monotonic() - started))
