"""Where a store is: a data folder, or the address of a PostgreSQL database."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import platformdirs

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.messages import Message
from companion.redaction import redacted
from companion.store.errors import LogUnusableError

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
"""The beginning of an address, whose `//` may have become one `/` in a path; a drive of Windows has one letter."""


def default_folder() -> Path:
    """Return the default data folder."""
    return platformdirs.user_data_path("hanafuda-companion", appauthor=False)


def demo_folder() -> Path:
    """Return the default data folder of the demo, whose games must not be mixed with real ones."""
    return platformdirs.user_data_path("hanafuda-companion-demo", appauthor=False)


def is_url(place: Path | str) -> bool:
    """Return whether a place is the connection string of a PostgreSQL database and not a data folder.

    Raises `BadRequestError` for other addresses: a folder of that name would be created.
    """
    text = str(place)
    if text.startswith(("postgresql://", "postgres://")):
        return True
    if _SCHEME.match(text):
        raise BadRequestError(
            f"{redacted(text)} is neither a data folder nor the address of a PostgreSQL database, postgresql://USER@HOST/NAME"
        )
    return False


def place_name(place: Path | str) -> str:
    """Return where a store is, for people: the folder, or the URL without user and password."""
    if not is_url(place):
        return str(place)
    without_user = (
        str(place).partition("://")[2].rpartition("@")[2]
    )  # first: a password may have a question mark
    return f"postgresql://{without_user.partition('?')[0]}"


def check_postgres_library() -> None:
    """Raise `LogUnusableError` with advice if the library of PostgreSQL, which is optional, is not installed."""
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise LogUnusableError(Message("database-library-missing", {"place": "postgresql://"}))
