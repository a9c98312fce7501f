"""CSV that spreadsheets read as data: numbers as numbers, and no text as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

__all__ = ["csv_line"]

_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")
"""What Excel, LibreOffice and Google Sheets take for the beginning of a formula (OWASP, CSV Injection)."""


def csv_line(values: Iterable[object]) -> str:
    """Return a line of CSV (RFC 4180); a text that a spreadsheet would run as a formula begins with an apostrophe."""
    out = io.StringIO()
    csv.writer(out).writerow(_as_text(value) for value in values)
    return out.getvalue()


def _as_text(value: object) -> object:
    # Full-width signs count too: Excel with Japanese settings takes them for the plain ones.
    dangerous = isinstance(value, str) and value.lstrip(" ").translate(_NARROW).startswith(_FORMULA_BEGINS)
    return f"'{value}" if dangerous else value


_NARROW = str.maketrans("＝＋－＠", "=+-@")
