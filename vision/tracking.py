"""Cards from look to look: which is which, what was ever seen of each, and what is remembered of those that are covered.

Cards lie still and jump under a hand, so they are matched by place first and by what they show second; nothing is assumed
of how they move. What several looks say of one card adds up, but looks at a card that did not move are hardly independent.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["Observed", "Track", "Tracks", "covered_share"]

Floats = NDArray[np.float64]

#: A card found within this of where one lay, mm, is that card if it shows nothing else.
_SAME_PLACE: Final = 9.0
#: What two looks believe is of one card when it overlaps this much (Bhattacharyya coefficient): in place, and elsewhere.
_NO_OTHER: Final = 0.12
_KNOWN_AGAIN: Final = 0.6
#: What another look at a card that lies still adds, and after how many it adds nothing.
_REPEATED: Final = 0.5
_MOST_LOOKS: Final = 3
#: What older looks count for beside one that shows this much more of the card.
_SHOWS_MORE: Final = 0.15
_OLDER: Final = 0.3
#: A card of which other cards hide this share may be there unseen.
_HIDDEN: Final = 0.45
_TINY: Final = 1e-6


@dataclass(slots=True)
class Observed:
    """One card of a picture: its quad on the table (4 x 2 mm, from its own top left) and in the picture (4 x 2 px), its
    visible share, and the posterior over the deck's kinds, a back and a stranger."""

    quad: Floats
    px: NDArray[np.float32]
    share: float
    posterior: Floats

    @property
    def at(self) -> Floats:
        """The card's middle, mm."""
        return np.asarray(self.quad.mean(axis=0), np.float64)


@dataclass(slots=True)
class Track:
    """A card that is followed."""

    key: int
    seen: Observed
    since: float
    log: Floats = field(repr=False)
    """What all looks say, log."""
    looks: int = 1
    most: float = 0.0
    """The largest visible share so far."""
    visible: float = 0.0
    on: tuple[int, ...] = ()

    @property
    def posterior(self) -> Floats:
        """What all looks together make likely."""
        p = np.exp(self.log - self.log.max())
        return np.asarray(p / p.sum(), np.float64)


class Tracks:
    """The cards of one table."""

    def __init__(self) -> None:
        self.all: list[Track] = []
        self._keys = itertools.count(1)

    def update(
        self,
        time: float,
        observed: list[Observed],
        unseen: Callable[[Track], bool],
        *,
        moved: bool = False,
    ) -> None:
        """Take what a picture shows.

        ``unseen`` tells whether nothing could be seen at a track's place (an arm over it), or nothing has changed there.
        ``moved``: the camera was knocked, so that places tell nothing.
        """
        old, free = list(self.all), set(range(len(observed)))
        left: list[Track] = []
        places = {} if moved else self._by_place(old, observed)
        for index, track in enumerate(old):
            if (there := places.get(index)) is None:
                left.append(track)
            else:
                free.discard(there)
                _look_again(track, observed[there])
        rest = sorted(free)
        for track, there in self._by_face(left, [observed[index] for index in rest]):
            free.discard(rest[there])
            _found_again(track, observed[rest[there]], time)
            left.remove(track)
        quads = [each.quad for each in observed]
        gone = [track for track in left if not (unseen(track) or _under(track.seen.quad, quads))]
        for track in left:
            track.visible = 0.0
        self.all = [track for track in old if track not in gone]
        for index in sorted(free):
            seen = observed[index]
            log = np.log(seen.posterior + _TINY)
            self.all.append(Track(next(self._keys), seen, time, log, most=seen.share, visible=seen.share))
        self._lay()

    def _by_place(self, tracks: list[Track], observed: list[Observed]) -> dict[int, int]:
        if not tracks or not observed:
            return {}
        far = np.linalg.norm(
            np.array([track.seen.at for track in tracks])[:, None] - np.array([each.at for each in observed]),
            axis=2,
        )
        alike = _overlaps([track.posterior for track in tracks], [each.posterior for each in observed])
        may = (far < _SAME_PLACE) & (alike > _NO_OTHER)
        # Of two cards near a place the one that shows the same is the one.
        cost = np.where(may, far / _SAME_PLACE - 2 * alike, 10.0)
        rows, columns = linear_sum_assignment(cost)
        return {int(row): int(column) for row, column in zip(rows, columns, strict=True) if may[row, column]}

    def _by_face(self, tracks: list[Track], observed: list[Observed]) -> list[tuple[Track, int]]:
        """Return cards that turned up elsewhere; a back shows nothing to know it by."""
        if not tracks or not observed:
            return []
        alike = _overlaps(
            [track.posterior[:-2] for track in tracks], [each.posterior[:-2] for each in observed]
        )
        rows, columns = linear_sum_assignment(-alike)
        return [
            (tracks[row], int(column))
            for row, column in zip(rows, columns, strict=True)
            if alike[row, column] > _KNOWN_AGAIN
        ]

    def _lay(self) -> None:
        """Work out which card lies on which: of two that overlap, the one that shows less lies below."""
        for track in self.all:
            track.on = ()
        for upper, lower in itertools.permutations(self.all, 2):
            hidden = 1 - lower.visible
            if (
                upper.visible > lower.visible + 0.05
                and (share := _shared(lower.seen.quad, upper.seen.quad)) > 0.03
                and hidden > 0.5 * share
            ):
                upper.on = (*upper.on, lower.key)


def covered_share(quad: Floats, others: list[Floats]) -> float:
    """Return how much (0-1) of a quad (4 x 2 mm) others cover, counted once each."""
    return min(1.0, sum(_shared(quad, other) for other in others))


def _under(quad: Floats, others: list[Floats]) -> bool:
    return covered_share(quad, others) > _HIDDEN


def _shared(quad: Floats, other: Floats) -> float:
    if np.abs(quad.mean(axis=0) - other.mean(axis=0)).max() > 90:
        return 0.0
    area, _ = cv2.intersectConvexConvex(quad.astype(np.float32), other.astype(np.float32))
    return float(area) / max(abs(float(cv2.contourArea(quad.astype(np.float32)))), _TINY)


def _overlaps(one: list[Floats], other: list[Floats]) -> Floats:
    return np.asarray(np.sqrt(np.array(one)) @ np.sqrt(np.array(other)).T, np.float64)


def _look_again(track: Track, seen: Observed) -> None:
    log = np.log(seen.posterior + _TINY)
    if seen.share > track.most + _SHOWS_MORE:
        track.log = log + _OLDER * track.log
    elif track.looks < _MOST_LOOKS and seen.share > track.most - 2 * _SHOWS_MORE:
        track.log = track.log + _REPEATED * log
    track.looks += 1
    track.most = max(track.most, seen.share)
    track.seen, track.visible = seen, seen.share


def _found_again(track: Track, seen: Observed, time: float) -> None:
    # Another place, another light: nearly a look of its own.
    track.log = np.log(seen.posterior + _TINY) + _REPEATED * track.log
    track.looks, track.most = 1, max(seen.share, min(track.most, 0.5))
    track.seen, track.visible, track.since = seen, seen.share, time
