"""A log in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.store import SqliteStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def log(folder: Path) -> Iterator[SqliteStore]:
    log = SqliteStore(folder)
    yield log
    log.close()
