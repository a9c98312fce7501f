"""Comparing cards: whether a crop shows the very card that a picture shows."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from vision.crops import Image
from vision.sessions import open_session

if TYPE_CHECKING:
    import onnxruntime

#: Pairs compared at once: enough to keep the cores at work, little enough for a small machine.
_BATCH: Final = 32


class Matcher:
    """The network that lays a crop beside a picture and looks for where the two differ (Zagoruyko and Komodakis 2015, the
    two-channel network).

    An embedding forgets a pip more or less in a style that it never saw; a comparison need not remember either. Loaded when
    first asked: only decks that are enrolled have pictures.
    """

    def __init__(self, models: Path) -> None:
        self._models = models

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        return open_session(self._models, "matcher", swift=False)[0]

    def compare(self, crops: Image, pictures: Image) -> NDArray[np.float64]:
        """Return the logit (n) that each of n ``crops`` (n x 96 x 64 x 4 uint8, BGR and the visible part) shows the card of the
        picture beside it (n x 96 x 64 x 3 uint8 BGR, from the same end), 0 being as likely as that it shows none that is offered.
        """
        parts = [
            self._session.run(
                None, {"crops": crops[start : start + _BATCH], "pictures": pictures[start : start + _BATCH]}
            )[0]
            for start in range(0, len(crops), _BATCH)
        ]
        return np.concatenate(parts).astype(np.float64) if parts else np.zeros(0)
