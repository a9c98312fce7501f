"""What looks like a card in a still photograph but has another shape than its cards: fragments, phones, boxes, drawings."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.photograph.acceptance import CONFIDENT_NAME, MIN_REFERENCES, MOSTLY_VISIBLE, size_difference
from vision.pictures.crops import Quads

#: Maximum difference (logarithm) of the aspect ratio of a mostly visible card from that of the confident ones, and of the length of
#: a back, beyond what these differ among themselves. Of 288 cards in 20 rendered pictures and nine photographs the greatest were .12
#: and .14; a detected half of a card differed by .32, a phone by .18 and .37.
_MAX_ASPECT_DIFFERENCE: Final = 0.15
_MAX_LENGTH_DIFFERENCE: Final = 0.2


def unlike_cards(
    posterior: NDArray[np.float64], visible: NDArray[np.float32], quads: Quads
) -> NDArray[np.bool_]:
    """Return which accepted detections (n) of a photograph are not cards.

    All cards on a table have one shape, seen from above (`Scanner.detect_in_photograph` rectifies the photograph). Backs in a picture
    without any confident name or back are parts of a drawing or of an object. ``posterior``: n x (classes + 2), back and unknown last.
    ``visible``: visible fractions (n, 0-1). ``quads``: n x 4 x 2 px.
    """
    confident = posterior[:, :-1].max(axis=1, initial=0) >= CONFIDENT_NAME
    backs = posterior[:, -2] > 0.5
    if not confident.any():
        return np.asarray(backs, np.bool_)
    whole = visible > MOSTLY_VISIBLE
    reference = confident & ~backs & whole
    if reference.sum() < MIN_REFERENCES:
        return np.zeros(len(backs), np.bool_)
    wide, long = (size_difference(quads, ends, reference) for ends in (0, 1))
    aspect = np.abs(long - wide)
    odd_aspect = aspect > _MAX_ASPECT_DIFFERENCE + aspect[reference].max()
    length = np.abs(long)
    odd_length = backs & (length > _MAX_LENGTH_DIFFERENCE + length[reference].max())
    return np.asarray(whole & ~reference & (odd_aspect | odd_length), np.bool_)
