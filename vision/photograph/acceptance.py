"""Which finds to tell of: those that are likely cards, and none of what only looks a little like one."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.geometry.table_coordinates import expected_sizes
from vision.networks.crops import Image, Quads
from vision.networks.detector import CONFIDENT_DETECTION, card_widths
from vision.networks.probability_calibration import Calibration
from vision.networks.refiner import RefinedCards
from vision.occlusion.visible_overlap import VisibilityCanvas, duplicate_readings, quad_iou

__all__ = [
    "CONFIDENT_NAME",
    "MOSTLY_VISIBLE",
    "STRIP_VISIBLE",
    "accepted_cards",
    "false_backs",
    "favor_backs",
    "named_only",
    "uncovered_backs",
]

#: A card whose best name is this likely is that card.
CONFIDENT_NAME: Final = 0.9
#: What shows no face of the deck is told of where the detector is at least this sure of a card; of what is as surely a back as
#: this and shows more than half of itself, this sure is enough.
_FACELESS: Final = 0.45
_SURELY_BACK: Final = 0.9
_BACK: Final = 0.4
#: And of what is likely a back, shows more of itself than the edges of a stack do, and is as wide and as long as so many sure cards
#: say that a card is there, by this factor's logarithm: in 72 rendered and 80 composed pictures the eight such finds that scored
#: .35–.4 were backs.
_LIKELY_BACK: Final = 0.8
_STACKED: Final = 0.35
_BACK_OF_SIZE: Final = 0.35
#: Of these what shows nearly all of itself: where it is this sure. A stock may be as plain as a box, and the detector learned that boxes
#: are none: of fourteen such finds that scored .18–.35 in 403 pictures, with two detectors, eleven were backs.
_NEARLY_WHOLE: Final = 0.75
_WHOLE_BACK_OF_SIZE: Final = 0.18
_SIZES: Final = 3
_SAME_SIZE: Final = 0.08
#: What shows less of a back than this is sooner a shadow, or lies beyond the picture: of six in 262 pictures one was a back.
_LEAST_OF_A_BACK: Final = 0.25
#: All cards of a deck have one back. What is read as a back, in a colour that is darker or lighter than the surest one's by this
#: factor's logarithm, is none where the detector is not sure: of 21 in 262 pictures two were backs, the others shadows of the
#: stock, printed cloths and boxes.
_OTHER_COLOUR: Final = 1.0
#: Of two backs that overlap by more than this (intersection over union), and no others, the one that shows less is the side of a
#: stock, or its shadow, where the detector is not surer: all five such in 310 pictures were. More than two are a fan held face down.
_ITS_SIDE: Final = 0.2
_SURE_OF_A_SIDE: Final = 0.65
#: A back that is not surely one has no face that speaks for it. What it does not show must lie under the other cards, but for this share
#: of it, and no more than that share out of the picture: of 21 such in 362 rendered pictures twelve were none, and this tells ten of
#: them, and one of the nine backs.
_NOTHING_ON_IT: Final = 0.24
_OUT: Final = 0.2
#: The recogniser was shown seven strangers for each back, and every table has a stock: a back is so many times as likely beside a
#: stranger as it says. Of 18 finds in 346 pictures that were a back at .25–.6 to it, else a stranger, 15 were backs (ten one stock).
_RATHER_A_BACK: Final = 3.0
#: Added to a colour's channels, of 255, before their logarithm is taken: what is black has hardly a colour.
_BLACK: Final = 8.0
#: What is not clear enough to be named: where it is at least this sure.
_VAGUE: Final = 0.4
#: And what has no name when all others have theirs, and is no stranger: where it is at least so sure. Of 30 such in 403 pictures 13 were
#: no card, and seven of the others showed under a quarter.
_FAINT: Final = 0.5
#: Of a strip less than this shows. Such finds are often no card.
STRIP_VISIBLE: Final = 0.35
#: What shows more than this and is of another size than sure cards, by this factor's logarithm, is a picture of a card; so many sure
#: cards tell how the size changes across the table.
MOSTLY_VISIBLE: Final = 0.6
_OTHER_SIZE: Final = float(np.log(1.3))
_ASLANT: Final = 5
#: Of a card that shows more than `MOSTLY_VISIBLE` no edge is longer than the one across by this factor: of 1,251 found in the
#: pictures of models/README.md two were, of 84 other finds four, among them the side of a box that is printed with cards.
_MISSHAPEN: Final = 1.4


def accepted_cards(
    posterior: NDArray[np.float64],
    visible: NDArray[np.float32],
    scores: NDArray[np.float32],
    quads: Quads,
    calibration: Calibration,
) -> NDArray[np.bool_]:
    """Return which finds (n) to tell of: not slivers that are sooner a stranger or like no card, nor strangers in crowds, nor what
    shows no face where the detector was not sure, nor traces of a back, nor pictures of cards, nor what is a card read a second time.

    ``posterior`` n x (kinds + 2), the back and the stranger last; ``quads`` n x 4 x 2 px.

    Boxes and wreaths look like the edge of a card here and there, and a printed cloth like many faint ones. On composed
    pictures of held-out families the slivers were half of all false finds, and 1 in 110 of the cards that are at least
    half visible. Of what showed no face there, the detector was surer than .45 of 29 of 31 backs, and of 6 of
    24 places where no card lay.
    """
    unknown = posterior[:, -1] > 0.5
    likeliest = posterior[:, :-1].max(axis=1, initial=0)
    nameless = likeliest < 0.4
    odd = posterior[:, -1] > likeliest
    sliver = (odd & (visible < np.where(scores < _FAINT, MOSTLY_VISIBLE, 0.5))) | (
        nameless & (visible < STRIP_VISIBLE)
    )
    crowd = unknown & (scores < CONFIDENT_DETECTION) & (unknown.sum() > max(4, np.sum(~unknown & ~nameless)))
    least = np.where((posterior[:, -2] >= _SURELY_BACK) & (visible >= 0.5), _BACK, _FACELESS)
    back = (posterior[:, -2] >= _LIKELY_BACK) & (visible >= _STACKED)
    back &= _of_size(visible, scores, quads, likeliest)
    least[back] = np.where(visible[back] >= _NEARLY_WHOLE, _WHOLE_BACK_OF_SIZE, _BACK_OF_SIZE)
    least[(posterior[:, -2] > 0.5) & (visible < _LEAST_OF_A_BACK)] = np.inf
    faceless = (posterior[:, -2:].sum(axis=1) > 0.8) & (scores < least)
    named = likeliest >= calibration.thresholds(visible)
    vague = ~named & (scores < _VAGUE)
    again = duplicate_readings(quads, visible, posterior.argmax(axis=1)) & ~unknown
    pictured = _pictured(visible, scores, quads) | _misshapen(visible, quads)
    return np.asarray(~(sliver | crowd | faceless | vague | again | pictured), np.bool_)


def false_backs(
    backs: NDArray[np.bool_],
    visible: NDArray[np.float32],
    scores: NDArray[np.float32],
    quads: Quads,
    crops: Image,
) -> NDArray[np.bool_]:
    """Return which of the finds (n) that are told of as ``backs`` (n) are none, by the others: shadows, boxes, a stock's side.

    ``crops`` n x 96 x 64 x 4 uint8, as in `Named`.
    """
    false = np.zeros(len(backs), np.bool_)
    alike = np.flatnonzero(backs)
    if not len(alike):
        return false
    surest = alike[scores[alike].argmax()]
    if scores[surest] >= CONFIDENT_DETECTION:
        own = _colour(crops[surest])
        for find in alike[scores[alike] < CONFIDENT_DETECTION]:
            false[find] = np.abs(_colour(crops[find]) - own).max() > _OTHER_COLOUR
    left = alike[~false[alike]]
    pairs = [pair for pair in combinations(left, 2) if quad_iou(*quads[list(pair)]) > _ITS_SIDE]
    often = Counter(chain.from_iterable(pairs))
    for pair in pairs:
        side, whole = sorted(pair, key=lambda find: visible[find])
        if often[side] == often[whole] == 1 and visible[side] < visible[whole]:
            false[side] = scores[side] < _SURE_OF_A_SIDE
    return false


def uncovered_backs(
    backs: NDArray[np.bool_], scores: NDArray[np.float32], looked: RefinedCards, size: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return which of the cards (n) that are told of as ``backs`` are none: a part of them is hidden, and nothing lies on it, or much of
    them would lie out of the picture, which is ``size`` (width, height) px.
    """
    false = np.zeros(len(backs), np.bool_)
    doubtful = np.flatnonzero(backs & (scores < _SURE_OF_A_SIDE))
    if not len(doubtful):
        return false
    canvas = VisibilityCanvas(looked)
    shown, outside = canvas.taken(range(len(backs)), size), canvas.outside(size)
    for find in doubtful:
        box, place = canvas.whole(int(find))
        bare, out = (float((place & where[box]).sum() / max(place.sum(), 1)) for where in (~shown, outside))
        false[find] = bare > _NOTHING_ON_IT or out > _OUT
    return false


def _colour(crop: Image) -> NDArray[np.float64]:
    """Return the logarithms of the median B, G and R of what shows of a card; NaN, which is like any other, where nothing does."""
    shown = crop[crop[:, :, 3] > 127, :3]
    if not len(shown):
        return np.full(3, np.nan)
    return np.asarray(np.log(np.median(shown, axis=0) + _BLACK), np.float64)


def favor_backs(posterior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``posterior`` (n x (kinds + 2)) with what is a back or a stranger shared between the two as it is on tables."""
    back, unknown = posterior[:, -2] * _RATHER_A_BACK, posterior[:, -1]
    either = posterior[:, -2:].sum(axis=1) / np.maximum(back + unknown, 1e-12)
    return np.column_stack((posterior[:, :-2], back * either, unknown * either))


def named_only(posterior: NDArray[np.float64], scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which finds (n) are told of only with a name; ``posterior`` n x (kinds + 2), the stranger last."""
    return np.asarray((scores < _FAINT) & (posterior[:, -1] <= 0.5), np.bool_)


def _of_size(
    visible: NDArray[np.float32],
    scores: NDArray[np.float32],
    quads: NDArray[np.float32],
    likeliest: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return which finds (n) have the size of a card where they lie, by those that are surely found and named: boxes have another."""
    sure = (scores >= CONFIDENT_DETECTION) & (visible > MOSTLY_VISIBLE) & (likeliest >= CONFIDENT_NAME)
    fits = np.full(len(scores), sure.sum() >= _SIZES)
    if fits.any():
        for ends in (quads, np.roll(quads, -1, axis=1)):
            sizes = card_widths(ends)
            expected = expected_sizes(quads, sizes, sure) if sure.sum() >= _ASLANT else np.median(sizes[sure])
            fits &= np.abs(np.log(sizes / np.maximum(expected, 1))) < _SAME_SIZE
    return fits


def _pictured(visible: NDArray[np.float32], scores: NDArray[np.float32], quads: Quads) -> NDArray[np.bool_]:
    """Return which finds (n) are pictures of cards, as on the box a deck is sold in: of another size than the cards that are sure.

    What is mostly covered has no sure size, and what the detector is sure of is a card.
    """
    sure = scores >= CONFIDENT_DETECTION
    if not sure.any():
        return np.zeros(len(scores), np.bool_)
    widths = card_widths(quads)
    odd = np.abs(np.log(widths / np.median(widths[sure]))) > _OTHER_SIZE
    if sure.sum() >= _ASLANT:
        odd &= np.abs(np.log(widths / np.maximum(expected_sizes(quads, widths, sure), 1))) > _OTHER_SIZE
    return np.asarray((scores < _FACELESS) & (visible > MOSTLY_VISIBLE) & odd, np.bool_)


def _misshapen(visible: NDArray[np.float32], quads: Quads) -> NDArray[np.bool_]:
    """Return which finds (n) are not shaped as a card is from any side: opposite edges are nearly as long as one another."""
    edges = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    unlike = np.abs(np.log(edges[:, :2] / np.maximum(edges[:, 2:], 1e-6))).max(axis=1, initial=0)
    return np.asarray((visible > MOSTLY_VISIBLE) & (unlike > np.log(_MISSHAPEN)), np.bool_)
