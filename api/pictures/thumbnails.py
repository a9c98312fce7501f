"""A cache of thumbnails; simultaneous requests for the same one create it only once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from vision.pictures.picture_files import PictureError

__all__ = ["Thumbnails"]

_MAX_BYTES: Final = 32 * 2**20
"""Size of the cache, bytes: about 150 thumbnails of screen size (200 kB), or 2,000 of list size (15 kB)."""

_ERROR_BYTES: Final = 1024
"""The size that a cached error counts as, bytes; a picture that is too expensive is refused from the cache, too."""

Key = tuple[str, int]


class Thumbnails:
    """A least-recently-used cache; keys are the picture's hash and the width in px."""

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._cache: OrderedDict[Key, bytes | PictureError] = OrderedDict()
        self._pending: dict[Key, Future[bytes]] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], bytes]) -> bytes:
        """Return a thumbnail, created with ``make`` if necessary. Raises what ``make`` raises."""
        with self._lock:
            known = self._cache.get(key)
            if known is not None:
                self._cache.move_to_end(key)
            pending = self._pending.get(key)
            is_first = known is None and pending is None
            if is_first:
                pending = self._pending[key] = Future()
        if isinstance(known, PictureError):
            raise PictureError(known.code, known.message)
        if known is not None:
            return known
        assert pending is not None
        if is_first:
            self._make(key, make, pending)
        return pending.result()

    def _make(self, key: Key, make: Callable[[], bytes], pending: Future[bytes]) -> None:
        try:
            thumbnail = make()
        except BaseException as error:
            if isinstance(error, PictureError):
                self._keep(key, error)
            pending.set_exception(error)
        else:
            self._keep(key, thumbnail)
            pending.set_result(thumbnail)
        finally:
            with self._lock:
                del self._pending[key]

    def _keep(self, key: Key, result: bytes | PictureError) -> None:
        with self._lock:
            self._cache[key] = result
            self._bytes += _size(result)
            while self._bytes > self._max_bytes:
                _, dropped = self._cache.popitem(last=False)
                self._bytes -= _size(dropped)


def _size(result: bytes | PictureError) -> int:
    return len(result) if isinstance(result, bytes) else _ERROR_BYTES
