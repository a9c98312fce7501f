"""Connection strings: their parts for people, without the password."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from companion.hanafuda.messages import Message
from companion.store.errors import LogUnusableError

__all__ = ["Address"]


@dataclass(frozen=True)
class Address:
    """The address of a database, ``postgresql://USER:PASSWORD@HOST:PORT/DATABASE`` or with ``?host=`` for a Unix socket."""

    url: str

    def check(self) -> None:
        """Raise `LogUnusableError` if the URL is not a valid address; the message does not quote it, for it has a password."""
        # An @ in a password that is not written as %40 splits the address at the wrong place.
        if not self._parts or "@" in self._part("host") or "@" in self._part("dbname"):
            raise LogUnusableError(Message("database-bad-address"))

    @cached_property
    def _parts(self) -> dict[str, Any]:
        try:
            return dict(conninfo_to_dict(self.url))
        except psycopg.Error:
            return {}

    def _part(self, name: str) -> str:
        return str(self._parts.get(name) or "")

    @property
    def user(self) -> str:
        """The user's name; empty if it is that of the operating system."""
        return self._part("user")

    @property
    def has_password(self) -> bool:
        """Whether the URL contains the password, which PostgreSQL's client otherwise takes from PGPASSWORD or ~/.pgpass."""
        return bool(self._part("password"))

    @property
    def database(self) -> str:
        """The name of the database; empty if it is that of the user."""
        return self._part("dbname")

    @cached_property
    def place(self) -> str:
        """The address without user and password."""
        host, port = self._part("host"), self._part("port")
        if host.startswith("/"):
            return f"postgresql:///{self.database}?host={host}" + (f"&port={port}" if port else "")
        return f"postgresql://{host}" + (f":{port}" if port else "") + f"/{self.database}"

    def reason(self, error: BaseException) -> str:
        """Return the text of an error in one line, without the password."""
        text = " ".join(str(error).split())
        text = re.sub(r"^connection (failed|is bad): |\.? Is the server running .*", "", text)
        password = self._part("password")
        for each in {password, quote(password, safe="")} - {""}:
            text = text.replace(each, "***")
        return text
