"""The default printer's address, paper and language, and where they are stored."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

from companion.hanafuda.errors import BadRequestError, quote
from companion.store import DocumentStore, LogReadError
from hardware.printers.print_job import BAUDS, check_address
from hardware.printers.receipt_picture import LANGUAGES, PAPERS, Language

_NAME: Final = "printer"


@dataclass(frozen=True, slots=True)
class PrinterSettings:
    """Settings for printing receipts; raises `BadRequestError` for invalid values."""

    port: str | None = None
    """The printer's address; None: not set."""
    paper: int = 80
    """Paper width, mm."""
    lang: Language = "both"
    baud: int = 9600
    """Baud rate of a serial port."""

    def __post_init__(self) -> None:
        if self.port is not None:
            check_address(self.port)
        for name, value, known in (
            ("paper", self.paper, tuple(PAPERS)),
            ("lang", self.lang, LANGUAGES),
            ("baud", self.baud, BAUDS),
        ):
            if value not in known:
                raise BadRequestError(
                    f"{name} must be one of {', '.join(map(str, known))}, not {quote(value)}"
                )

    @property
    def width(self) -> int:
        """The printable width, dots."""
        return PAPERS[self.paper]

    def to_dict(self) -> dict[str, Any]:
        """Return the settings for JSON."""
        return asdict(self)


def read_printer_settings(documents: DocumentStore) -> PrinterSettings:
    """Return the stored settings; defaults if they are missing or unreadable."""
    try:
        return PrinterSettings(**json.loads(documents.read("settings", _NAME) or b"{}"))
    except (LogReadError, ValueError, TypeError, BadRequestError):
        return PrinterSettings()


def write_printer_settings(documents: DocumentStore, settings: PrinterSettings) -> None:
    """Store the settings; raises `LogWriteError`."""
    text = json.dumps(settings.to_dict(), ensure_ascii=False, indent=1) + "\n"
    documents.write("settings", _NAME, text.encode())
