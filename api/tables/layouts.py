"""Where the zones of each table lie, as people put them: a small file a table, beside the log."""

from __future__ import annotations

import json
import logging
import threading
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from companion.files import put_aside, write_whole
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.strict_json import BadJSONError, loads
from companion.store import LogWriteError

__all__ = ["Layouts"]

_log = logging.getLogger(__name__)

_MOST_BYTES: Final = 64 * 2**10


class Layouts:
    """The layouts of a data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def get(self, table_id: str) -> dict[str, Any] | None:
        """Return a table's layout, None where there is none. A file that cannot be read is set aside."""
        if not (text := self._read(table_id)):
            return None
        try:
            layout = loads(text)
        except BadJSONError as error:
            _log.warning("the layout of table %s is set aside, for it cannot be read: %s", table_id, error)
            with self._writing, suppress(OSError):
                put_aside(self._path(table_id))
            return None
        return layout if isinstance(layout, dict) else None

    def version(self, table_id: str) -> int:
        """Return a number that is another one after each change; 0 for the default."""
        return zlib.crc32(self._read(table_id))

    def put(self, table_id: str, layout: dict[str, Any] | None) -> None:
        """Keep a table's layout, None for the default; `BadRequestError` for one that is too large."""
        text = json.dumps(layout, ensure_ascii=False).encode()
        if len(text) > _MOST_BYTES:
            raise BadRequestError(
                f"a layout has at most {_MOST_BYTES // 2**10} kB, and this one {len(text)} bytes"
            )
        path = self._path(table_id)
        try:
            with self._writing:
                if layout is None:
                    path.unlink(missing_ok=True)
                    return
                write_whole(path, text)
        except OSError as error:
            raise LogWriteError(
                f"the layout could not be written to {path} ({error.strerror}): nothing was changed"
            ) from error

    def _read(self, table_id: str) -> bytes:
        try:
            return self._path(table_id).read_bytes()
        except FileNotFoundError:
            return b""

    def _path(self, table_id: str) -> Path:
        return self._folder / f"{table_id}.json"
