"""Cards from look to look: which is which, what was ever seen of each, and what is remembered of those that are covered.

Cards lie still and jump under a hand, so they are matched by place first and by what they show second; nothing is assumed
of how they move. What several looks say of one card adds up, but looks at a card that did not move are hardly independent.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["Observed", "Place", "Track", "Tracks"]

Floats = NDArray[np.float64]
Place = Literal["hidden", "unchanged", "seen"]
"""What became of a place: something that is no card hides it, nothing changed there, or it can be seen."""

#: A card found within this of where one lay, mm, is that card if it shows nothing else: cards that are seen well, and others, whose
#: corners are guessed. Captured cards lie as near to each other as 8 mm.
_SAME_PLACE: Final = 5.0
_SAME_PLACE_COVERED: Final = 9.0
#: How well places are known after the camera was knocked, mm.
_KNOCKED: Final = 25.0
#: A card that was pushed by less than this, mm, has been there since before.
_PUSHED: Final = 20.0
#: What two looks believe is of one card when it overlaps this much (Bhattacharyya coefficient): in place, and elsewhere.
_NO_OTHER: Final = 0.12
_KNOWN_AGAIN: Final = 0.6
#: What another look at a card that lies still adds, and after how many it adds nothing.
_REPEATED: Final = 0.5
_MOST_LOOKS: Final = 3
#: Two readings that differ by no more are one.
_SAME_READING: Final = 1e-5
#: What older looks count for beside one that shows this much more of the card.
_SHOWS_MORE: Final = 0.15
_OLDER: Final = 0.3
#: A card of which other cards hide this share may be there unseen.
_HIDDEN: Final = 0.3
#: A card of which more than this shows has little on it.
_OPEN: Final = 0.5
#: Two cards of which more than this shows do not lie so near each other that they could be taken for one.
_ALONE: Final = 0.7
#: By this much of a card visible shares and quads may be wrong together.
_ROOM: Final = 0.2
#: A strip of this much of a card tells all that eyes say of it; narrower ones are misread as surely as read.
_TELLING: Final = 0.35
_LEAST_TOLD: Final = 0.02
#: What is a stranger more likely than this is no card, and what shows nothing likelier than this is nothing to remember.
_A_CARD: Final = 0.5
#: A card is known as surely as this before what is remembered elsewhere is given up for it.
_SURELY: Final = 0.95
_TINY: Final = 1e-6


@dataclass(slots=True, eq=False)
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

    @property
    def log(self) -> Floats:
        """What this look says of each kind, log; a narrow strip says little."""
        worth = min(1.0, max((self.share / _TELLING) ** 2, _LEAST_TOLD))
        return np.asarray(worth * np.log(self.posterior + _TINY), np.float64)


@dataclass(slots=True, eq=False)  # each is itself, whatever it holds
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
    asked: int = 0
    """How often it was asked to be read again where it lies."""

    @property
    def posterior(self) -> Floats:
        """What all looks together make likely."""
        return _normal(self.log)

    @property
    def kind(self) -> int:
        """The likeliest kind."""
        return int(self.log.argmax())

    @property
    def is_card(self) -> bool:
        """Whether it is believed to be a card of the deck, or one that lies face down."""
        return float(self.posterior[-1]) < _A_CARD

    @property
    def is_known(self) -> bool:
        """Whether it is more likely one card, or a back, than any other."""
        return float(self.posterior[:-1].max()) >= _A_CARD

    @property
    def is_sure(self) -> bool:
        """Whether enough was seen of it to be surely this card."""
        return self.most > _TELLING and float(self.posterior[:-1].max()) > _SURELY


class Tracks:
    """The cards of one table."""

    def __init__(self) -> None:
        self.all: list[Track] = []
        self._keys = itertools.count(1)

    def update(
        self,
        time: float,
        observed: list[Observed],
        place: Callable[[Track], Place],
        copies: Sequence[int],
        *,
        moved: bool = False,
    ) -> None:
        """Take what a picture shows.

        ``place`` tells what became of a track's place; ``copies``: how many cards of each kind the deck has. ``moved``: the camera
        was knocked, so that places tell nothing.
        """
        old, free = list(self.all), set(range(len(observed)))
        left = self._knocked(old, observed, free, time) if moved else self._lying(old, observed, free)
        quads = [each.quad for each in observed]
        new = quads if moved else [quads[index] for index in free]
        bare, hidden, unchanged = list[Track](), list[Track](), list[Track]()
        for track in left:
            where: Place = "seen" if moved else place(track)
            if where == "unchanged":
                unchanged.append(track)  # eyes missed it
            else:
                # What lay open before is hidden by what came since, not by what it lay upon.
                over = new if track.visible > _OPEN else quads
                (hidden if where == "hidden" or _under(track.seen.quad, over) else bare).append(track)
                track.visible = 0.0
        _read_otherwise(unchanged, observed, free)
        found = self._find_again(bare, observed, free, time)
        # What lay under others has come out only where the deck has no other card that looks like it.
        self._find_again(hidden, observed, free, time, copies)
        gone = {track.key for track in bare} - found
        gone |= {track.key for track in hidden if not (track.visible or track.is_known)}
        gone |= {track.key for track in unchanged if not track.is_known}
        self.all = [track for track in old if track.key not in gone]
        for index in sorted(free):
            seen = observed[index]
            self.all.append(
                Track(next(self._keys), seen, time, seen.log, most=seen.share, visible=seen.share)
            )
        self._one_a_place()
        self._merge(copies)
        self._lay()

    def _one_a_place(self) -> None:
        """Give up the less sure of two cards of which the lower would show more than the upper leaves of it."""
        for one, other in itertools.combinations(tuple(self.all), 2):
            least = min(one.visible, other.visible)
            if least > _ROOM and least > 1 - _shared(one.seen.quad, other.seen.quad) + _ROOM:
                lost = min(one, other, key=lambda track: float(track.posterior[:-1].max()) * track.visible)
                self.all = [track for track in self.all if track is not lost]

    def _merge(self, copies: Sequence[int]) -> None:
        """Let what is seen take the key of what is remembered of the same card, where the deck has no more of the kind."""
        for kind, count in enumerate(copies):
            alike = [track for track in self.all if track.kind == kind and track.is_known]
            pairs = sorted(
                (float(np.linalg.norm(lost.seen.at - seen.seen.at)), lost.key, seen.key)
                for lost in alike
                for seen in alike
                if not lost.visible and seen.visible
            )
            for far, lost_key, seen_key in pairs[: max(len(alike) - count, 0)]:
                lost, seen = ({track.key: track for track in alike}.get(key) for key in (lost_key, seen_key))
                if lost is None or seen is None or not (far < _SAME_PLACE_COVERED or seen.is_sure):
                    continue
                seen.key, seen.since = lost.key, lost.since if far < _PUSHED else seen.since
                alike.remove(lost)
                self.all = [track for track in self.all if track is not lost]

    def _lying(self, tracks: list[Track], observed: list[Observed], free: set[int]) -> list[Track]:
        """Match what lies where it lay, and return the other tracks."""
        places = self._by_place(tracks, observed)
        for index, there in places.items():
            free.discard(there)
            _look_again(tracks[index], observed[there])
        return [track for index, track in enumerate(tracks) if index not in places]

    def _knocked(
        self, tracks: list[Track], observed: list[Observed], free: set[int], time: float
    ) -> list[Track]:
        """Match what shows the same, wherever it lies in the picture now, and return the other tracks."""
        since = [(track, track.since) for track in tracks]
        found = self._find_again(tracks, observed, free, time)
        for track, before in since:
            track.since = before
        left, rest = [track for track in tracks if track.key not in found], sorted(free)
        lying = self._by_place(left, [observed[index] for index in rest], wide=_KNOCKED)
        for index, there in lying.items():
            free.discard(rest[there])
            _look_again(left[index], observed[rest[there]])
        return [track for index, track in enumerate(left) if index not in lying]

    def _find_again(
        self,
        lost: list[Track],
        observed: list[Observed],
        free: set[int],
        time: float,
        copies: Sequence[int] | None = None,
    ) -> set[int]:
        """Take cards that turned up elsewhere for lost ones; with ``copies`` only those of which the deck has no more.

        Returns the keys of those found.
        """
        rest = sorted(free)
        if copies is not None:
            kinds = [int(observed[index].log.argmax()) for index in rest]
            known = [track.kind for track in self.all if track.visible or track in lost]
            spent = {
                kind
                for kind in set(kinds)
                if kind < len(copies) and kinds.count(kind) + known.count(kind) > copies[kind]
            }
            rest = [index for index, kind in zip(rest, kinds, strict=True) if kind in spent]
        found = set()
        for track, there in self._by_face(lost, [observed[index] for index in rest]):
            free.discard(rest[there])
            _found_again(track, observed[rest[there]], time)
            found.add(track.key)
        return found

    def _by_place(self, tracks: list[Track], observed: list[Observed], wide: float = 0.0) -> dict[int, int]:
        """Return which of the observed cards lies where each track lay, to ``wide`` mm at least."""
        if not tracks or not observed:
            return {}
        far = np.linalg.norm(
            np.array([track.seen.at for track in tracks])[:, None] - np.array([each.at for each in observed]),
            axis=2,
        )
        alike = _overlaps([track.posterior for track in tracks], [_normal(each.log) for each in observed])
        shown = np.minimum.outer([track.seen.share for track in tracks], [each.share for each in observed])
        near = _SAME_PLACE_COVERED + (_SAME_PLACE - _SAME_PLACE_COVERED) * np.clip(2 * shown - 0.6, 0, 1)
        near = np.maximum(near, wide)
        may = (far < near) & (alike > _NO_OTHER)
        # Of two cards near a place the one that shows the same is the one.
        cost = np.where(may, far / _SAME_PLACE_COVERED - 2 * alike, 10.0)
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


def _normal(log: Floats) -> Floats:
    p = np.exp(log - log.max())
    return np.asarray(p / p.sum(), np.float64)


def _under(quad: Floats, others: list[Floats]) -> bool:
    return sum(_shared(quad, other) for other in others) > _HIDDEN


def _shared(quad: Floats, other: Floats) -> float:
    if np.abs(quad.mean(axis=0) - other.mean(axis=0)).max() > 90:
        return 0.0
    area, _ = cv2.intersectConvexConvex(quad.astype(np.float32), other.astype(np.float32))
    return float(area) / max(abs(float(cv2.contourArea(quad.astype(np.float32)))), _TINY)


def _overlaps(one: list[Floats], other: list[Floats]) -> Floats:
    return np.asarray(np.sqrt(np.array(one)) @ np.sqrt(np.array(other)).T, np.float64)


def _read_otherwise(tracks: list[Track], observed: list[Observed], free: set[int]) -> None:
    """Take what is seen at a place where nothing changed for another reading of the card that lies there."""
    for track in tracks:
        far = {
            index: float(np.linalg.norm(observed[index].at - track.seen.at))
            for index in free
            if min(observed[index].share, track.visible) > _ALONE
        }
        there = min(far, key=far.__getitem__, default=None)
        if there is not None and far[there] < _PUSHED:
            seen = observed[there]
            track.log = track.log + seen.log
            track.looks, track.most = track.looks + 1, max(track.most, seen.share)
            track.seen, track.visible = seen, seen.share
            free.discard(there)


def _look_again(track: Track, seen: Observed) -> None:
    log = seen.log
    if np.allclose(track.seen.posterior, seen.posterior, atol=_SAME_READING):
        track.seen, track.visible = seen, seen.share  # it was not read again
        return
    if seen.share > track.most + _SHOWS_MORE or not track.is_known:
        track.log = log + _OLDER * track.log
    elif track.looks < _MOST_LOOKS and seen.share > track.most - 2 * _SHOWS_MORE:
        track.log = track.log + _REPEATED * log
    track.looks += 1
    track.most = max(track.most, seen.share)
    track.seen, track.visible = seen, seen.share


def _found_again(track: Track, seen: Observed, time: float) -> None:
    # Another place, another light: nearly a look of its own.
    track.log = seen.log + _REPEATED * track.log
    track.looks, track.asked, track.most = 1, 0, max(seen.share, min(track.most, 0.5))
    if np.linalg.norm(track.seen.at - seen.at) > _PUSHED:
        track.since = time
    track.seen, track.visible = seen, seen.share
