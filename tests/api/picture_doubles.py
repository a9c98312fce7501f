"""A scanner for the worker process whose faults are selected by the color of the picture."""

from __future__ import annotations

import os
import time

import numpy as np

from companion.store import DocumentStore
from vision.jobs.picture_jobs import PictureJobs
from vision.photograph.scan_result import ScanResult

HANGS, FILLS_MEMORY, DIES, FAILS = "red", "blue", "black", "yellow"

_HANG_S = 600


class FaultyScanner:
    """Detects no cards, or has the fault that the color of the picture (BGR) selects."""

    def scan(self, bgr: np.ndarray, deck: str | None = None, focal: float | None = None) -> ScanResult:
        match tuple(int(each) > 127 for each in bgr[0, 0]):
            case (False, False, True):
                time.sleep(_HANG_S)
            case (True, False, False):
                bytes(b"x" * 2**31)
            case (False, False, False):
                os._exit(9)
            case (False, True, True):
                raise RuntimeError("a network ate itself")
        return ScanResult(bgr.shape[1], bgr.shape[0], "hanafuda", (), {"total": 1.0})


def faulty_jobs(documents: DocumentStore) -> PictureJobs:
    return PictureJobs(documents, FaultyScanner())
