"""Card comparison: whether a crop shows the same card as a reference picture."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.onnx_sessions import check_weights, open_session
from vision.pictures.crops import Image

if TYPE_CHECKING:
    import onnxruntime

#: Pairs compared per run: enough to use all cores, few enough for the memory of a small computer.
_BATCH: Final = 32
#: Maximum number of cached pairs. The cards of one picture are compared several times, and most cards of a
#: camera table do not change.
_CACHE_SIZE: Final = 4096


class Matcher:
    """Two-channel network that compares a crop with a reference picture (Zagoruyko and Komodakis 2015).

    Unlike an embedding, a direct comparison does not lose small details in card styles that were not in the
    training data. The network is loaded on first use, because only enrolled decks have pictures. Raises
    `MissingModelError` at once if the weights are missing.
    """

    def __init__(self, models: Path) -> None:
        self._file = models / "matcher.onnx"
        check_weights(self._file)
        self._cache: dict[bytes, float] = {}

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        return open_session(self._file)

    def compare(self, crops: Image, pictures: Image) -> NDArray[np.float64]:
        """Return the logits (n) that each crop shows the same card as the picture in the same row.

        ``crops``: n x 96 x 64 x 4 uint8, BGR and the visibility mask. ``pictures``: n x 96 x 64 x 3 uint8
        BGR, in the same orientation. A logit of 0 means "as likely as none of the offered cards".
        """
        keys = [
            hashlib.blake2b(crop.tobytes() + picture.tobytes(), digest_size=16).digest()
            for crop, picture in zip(crops, pictures, strict=True)
        ]
        cache = self._cache  # local reference: another thread may replace the cache
        if len(cache) + len(keys) > _CACHE_SIZE:
            cache = self._cache = {key: cache[key] for key in keys if key in cache}
        new = np.array([row for row, key in enumerate(keys) if key not in cache], np.intp)
        for start in range(0, len(new), _BATCH):
            rows = new[start : start + _BATCH]
            logits = self._session.run(None, {"crops": crops[rows], "pictures": pictures[rows]})[0]
            cache.update((keys[row], float(logit)) for row, logit in zip(rows, logits, strict=True))
        return np.array([cache[key] for key in keys], np.float64)
