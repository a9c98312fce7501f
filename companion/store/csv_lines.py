"""CSV that spreadsheets import as data only, never as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

__all__ = ["csv_line"]

_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")
"""Characters that begin a formula in Excel, LibreOffice and Google Sheets (OWASP, CSV Injection)."""


def csv_line(values: Iterable[object]) -> str:
    """Return a line of CSV (RFC 4180); a text that a spreadsheet would run as a formula is prefixed with an apostrophe."""
    out = io.StringIO()
    csv.writer(out).writerow(_as_text(value) for value in values)
    return out.getvalue()


def _as_text(value: object) -> object:
    # Full-width signs count too: Excel with Japanese settings treats them as the ASCII ones.
    dangerous = isinstance(value, str) and value.lstrip(" ").translate(_NARROW).startswith(_FORMULA_BEGINS)
    return f"'{value}" if dangerous else value


_NARROW = str.maketrans("＝＋－＠", "=+-@")
