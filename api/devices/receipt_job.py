"""The one slip that is being printed, or was last.

A printer takes its time and may take none at all: it is printed in a thread of its own, and nobody waits for it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, ClassVar

from PIL import Image

from companion.hanafuda.errors import BadRequestError
from hardware.device_faults import PortError
from hardware.printers.print_job import print_picture
from hardware.printers.printer_settings import PrinterSettings

__all__ = ["Printing", "PrintingError"]


class PrintingError(BadRequestError):
    """A slip is being printed already."""

    code: ClassVar[str] = "printing"


class Printing:
    """The one slip that is being printed, or was last; for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job: dict[str, Any] | None = None

    @property
    def job(self) -> Mapping[str, Any] | None:
        """How it goes, as JSON tells it."""
        with self._lock:
            return None if self._job is None else dict(self._job)

    def start(
        self, table_id: str, picture: Image.Image, missing: list[str], setting: PrinterSettings
    ) -> None:
        """Begin to print a picture; `PrintingError` while another is printed."""
        new: dict[str, Any] = {
            "table": table_id,
            "state": "printing",
            "share": 0.0,
            "sure": False,
            "low": False,
        }
        with self._lock:
            if self._job is not None and self._job["state"] == "printing":
                raise PrintingError("a slip is being printed: wait until it is out")
            self._job = {**new, "fault": None, "missing": missing}
        threading.Thread(target=self._print, args=(picture, setting), name="printer", daemon=True).start()

    def _print(self, picture: Image.Image, setting: PrinterSettings) -> None:
        state: dict[str, Any] = {"state": "failed"}
        try:
            printed = print_picture(
                picture,
                setting.port or "",
                baud=setting.baud,
                progress=lambda share: self._tell(share=round(share, 2)),
            )
            state = {"state": "done", "sure": printed.sure, "low": printed.low}
        except PortError as error:
            state = {"state": "failed", "fault": error.fault.to_dict()}
        finally:
            self._tell(**state)

    def _tell(self, **changes: Any) -> None:
        with self._lock:
            assert self._job is not None
            self._job = {**self._job, **changes}
