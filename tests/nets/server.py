"""The application for the nets, in a temporary data folder; the nets know it by its requests and answers only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask

from tests.api.api_helpers import ScannerDouble, context_of, make_app

__all__ = ["serving"]


@contextmanager
def serving(folder: Path) -> Iterator[Flask]:
    """Yield an application whose log is in ``folder``; its store is closed afterward."""
    app = make_app(folder, ScannerDouble())
    try:
        yield app
    finally:
        context_of(app).store.close()
