"""A log in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.store import Log


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def log(folder: Path) -> Iterator[Log]:
    log = Log(folder)
    yield log
    log.close()
