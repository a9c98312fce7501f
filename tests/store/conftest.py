"""A store in a temporary folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest

from companion.store import SqliteStore, Store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def log(folder: Path) -> Iterator[SqliteStore]:
    log = SqliteStore(folder)
    yield log
    log.close()


@pytest.fixture(params=["sqlite"])
def open_store(request: pytest.FixtureRequest, folder: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same data each time it is called. Another implementation of `Store` is another parameter."""
    implementations: dict[str, Callable[[], Store]] = {"sqlite": partial(SqliteStore, folder)}
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(implementations[request.param]()))
