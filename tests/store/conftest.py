"""A store in a temporary folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from companion.store import SqliteStore, Store
from companion.store import open_store as open_store_at


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def log(folder: Path) -> Iterator[SqliteStore]:
    log = SqliteStore(folder)
    yield log
    log.close()


@pytest.fixture(params=["sqlite", "postgres"])
def open_store(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same data each time it is called. Another implementation of `Store` is another parameter."""
    place: Path | str = folder
    if request.param == "postgres":
        place = request.getfixturevalue("postgres_url")
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(open_store_at(place, tmp_path / "copies")))
