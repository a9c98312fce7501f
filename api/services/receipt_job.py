"""The current or last print job for a score receipt.

A printer may be slow or never respond, so printing runs in its own thread and no request waits for it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from PIL import Image

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from hardware.device_faults import PortError
from hardware.printers.print_job import print_picture
from hardware.printers.printer_settings import PrinterSettings

__all__ = ["Printing", "PrintingError"]


class PrintingError(BadRequestError):
    """Raised if another receipt is being printed."""

    code = "printing"


class Printing:
    """The current or last print job. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job: dict[str, Any] | None = None

    @property
    def job(self) -> Mapping[str, Any] | None:
        """The state of the job as JSON, None before the first one."""
        with self._lock:
            return None if self._job is None else dict(self._job)

    def start(
        self, table_id: str, picture: Image.Image, missing: list[str], settings: PrinterSettings
    ) -> None:
        """Start printing a picture. Raises `PrintingError` while another one is being printed."""
        new: dict[str, Any] = {
            "table": table_id,
            "state": "printing",
            "share": 0.0,
            "sure": False,
            "low": False,
        }
        with self._lock:
            if self._job is not None and self._job["state"] == "printing":
                raise PrintingError(Message("problem-printing"))
            self._job = {**new, "fault": None, "missing": missing}
        threading.Thread(target=self._print, args=(picture, settings), name="printer", daemon=True).start()

    def _print(self, picture: Image.Image, settings: PrinterSettings) -> None:
        state: dict[str, Any] = {"state": "failed"}
        try:
            printed = print_picture(
                picture,
                settings.port or "",
                baud=settings.baud,
                progress=lambda fraction: self._update(share=round(fraction, 2)),
            )
            state = {"state": "done", "sure": printed.sure, "low": printed.low}
        except PortError as error:
            state = {"state": "failed", "fault": error.fault.to_dict()}
        finally:
            self._update(**state)

    def _update(self, **changes: Any) -> None:
        with self._lock:
            assert self._job is not None
            self._job = {**self._job, **changes}
