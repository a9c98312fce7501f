"""Comparing cards: whether a crop shows the very card that a picture shows."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from vision.networks.crops import Image
from vision.networks.onnx_sessions import check_weights, open_session

if TYPE_CHECKING:
    import onnxruntime

#: Pairs compared at once: enough to keep the cores at work, little enough for a small machine.
_BATCH: Final = 32
#: Pairs whose logit is remembered: a picture's cards are read several times over, and most of a watched table's stay.
_REMEMBERED: Final = 4096


class Matcher:
    """The network that lays a crop beside a picture and looks for where the two differ (Zagoruyko and Komodakis 2015, the
    two-channel network).

    An embedding forgets a pip more or less in a style that it never saw; a comparison need not remember either. Loaded when
    first asked, for only decks that are enrolled have pictures; MissingModelError at once where its weights are missing.
    """

    def __init__(self, models: Path) -> None:
        check_weights(models, "matcher")
        self._models = models
        self._said: dict[bytes, float] = {}

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        return open_session(self._models, "matcher", fast=False)[0]

    def compare(self, crops: Image, pictures: Image) -> NDArray[np.float64]:
        """Return the logit (n) that each of n ``crops`` (n x 96 x 64 x 4 uint8, BGR and the visible part) shows the card of the
        picture beside it (n x 96 x 64 x 3 uint8 BGR, from the same end), 0 being as likely as that it shows none that is offered.
        """
        keys = [
            hashlib.blake2b(crop.tobytes() + picture.tobytes(), digest_size=16).digest()
            for crop, picture in zip(crops, pictures, strict=True)
        ]
        said = self._said  # of its own, should another thread forget meanwhile
        if len(said) + len(keys) > _REMEMBERED:
            said = self._said = {key: said[key] for key in keys if key in said}
        new = np.array([row for row, key in enumerate(keys) if key not in said], np.intp)
        for start in range(0, len(new), _BATCH):
            rows = new[start : start + _BATCH]
            logits = self._session.run(None, {"crops": crops[rows], "pictures": pictures[rows]})[0]
            said.update((keys[row], float(logit)) for row, logit in zip(rows, logits, strict=True))
        return np.array([said[key] for key in keys], np.float64)
