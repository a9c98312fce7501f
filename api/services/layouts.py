"""The zone layouts of the tables, as their hosts have set them."""

from __future__ import annotations

import json
import logging
import zlib
from contextlib import suppress
from typing import Any, Final

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.store import DocumentStore, LogWriteError

_log = logging.getLogger(__name__)

_MAX_BYTES: Final = 64 * 2**10
"""Maximum size of a layout as JSON, bytes: thousands of corners of zones."""


class Layouts:
    """The layouts of all tables."""

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents

    def get(self, table_id: str) -> dict[str, Any] | None:
        """Return a table's layout, or None if it uses the default. A damaged document is set aside."""
        if not (text := self._read(table_id)):
            return None
        try:
            layout = loads(text)
        except BadJSONError as error:
            _log.warning("the layout of table %s is damaged and was set aside: %s", table_id, error)
            with suppress(LogWriteError):
                self._documents.set_aside("layout", table_id)
            return None
        return layout if isinstance(layout, dict) else None

    def version(self, table_id: str) -> int:
        """Return a number that differs after each change; 0 for the default layout."""
        return zlib.crc32(self._read(table_id))

    def put(self, table_id: str, layout: dict[str, Any] | None) -> None:
        """Store a table's layout, None for the default; raises `BadRequestError` if it is too large."""
        text = json.dumps(layout, ensure_ascii=False).encode()
        if len(text) > _MAX_BYTES:
            raise BadRequestError(
                f"a layout has at most {_MAX_BYTES // 2**10} kB, and this one {len(text)} bytes"
            )
        self._documents.write("layout", table_id, None if layout is None else text)

    def _read(self, table_id: str) -> bytes:
        return self._documents.read("layout", table_id) or b""
