"""From a settled table to a look: what lies there, under which name, where on the table and in which zone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.observations import (
    ELSEWHERE,
    HandEvent,
    Observation,
    TrackedCard,
    TransientDetection,
    WeakDetection,
)
from vision.decks.deck_choice import GENERIC
from vision.decks.deck_naming import CardPosteriors
from vision.geometry.registration.registration_findings import RegistrationError
from vision.geometry.registration.registration_methods import from_cards
from vision.geometry.registration.table_registration import Registration
from vision.geometry.table_coordinates import TableCoordinates
from vision.geometry.zone_layout import (
    ZoneLayout,
    default_layout,
    field_layout,
    parse_layout,
    round_layout,
    seated_around,
)
from vision.networks.crops import Image, Quads
from vision.networks.detector import card_widths
from vision.occlusion.fragment_merging import merge_fragments
from vision.photograph.name_assignment import alternatives, assign_names
from vision.photograph.read_cards import CardCandidates
from vision.photograph.scanner import Scanner
from vision.sources import Frame
from vision.tracking.background_model import Ground
from vision.tracking.card_tracks import Observed, Place, Track, Tracks
from vision.tracking.foreign_objects import Things
from vision.tracking.frame_selection import Hand, Settled
from vision.tracking.landing_time import Hindsight
from vision.tracking.motion import Small, soft
from vision.tracking.reading_cache import Memory

__all__ = ["Watcher"]

Floats = NDArray[np.float64]

#: The deck is settled once this many pictures with enough cards agreed on it.
_AGREED: Final = 2
_ENOUGH_CARDS: Final = 6
#: A card of which this much shows is good to measure the table by, and one that looks like a back this surely is one.
_WHOLE: Final = 0.93
_BACK: Final = 0.5
#: Players all around sit about a stock: what rather shows a back than any card is one there, of a deck whose back is not known.
_RATHER_BACK: Final = 0.2
_NO_CARD: Final = 0.1
#: What is this likely no card of the deck may be the print of a cloth.
_STRANGE: Final = 0.5
#: A deal: this many cards face up, no more, tell where the field is.
_DEALT: Final = range(6, 13)
#: Dealt rows reach no deeper than this from middle to middle, mm, and the stock lies beside them: its middle this far off theirs.
_DEEPEST: Final = 150.0
_BESIDE: Final = 90.0
#: A card counts as glimpsed where this much of it showed, this surely, and farther than this (mm) from where it lay.
_GLIMPSED_SHARE: Final = 0.35
_GLIMPSED_SURE: Final = 0.8
_ONCE_SHARE: Final = 0.6
_ONCE_SURE: Final = 0.97
_STAYED: Final = 8.0
#: What is seen worse than that, or once only, is a hint from this probability on; a strip of less than this share says less.
_HINT: Final = 0.4
_HINT_SHARE: Final = 0.35
#: A card that shows at most this much less than before has nothing new on it.
_AS_BEFORE: Final = 0.12
#: A card of which an arm hides this share is not seen.
_ARM: Final = 0.4
#: The camera was knocked where cards lie this far from where they lay, mm, this share of them moved as one.
_KNOCKED: Final = 4.0
_TOGETHER: Final = 0.75
#: Cards of which this much shows are read so many times more where they lie, those without a name more often.
_DOUBT_SHARE: Final = 0.3
_AGAIN: Final = 1
_AGAIN_NAMELESS: Final = 3
#: So many cards that are one of a kind tell how the camera was knocked.
_KNOWN_AGAIN: Final = 3
#: So far from the middle a place tells the way to player 1, mm.
_AXIS_MM: Final = 100.0
#: Where an arm comes in, as a direction in the picture.
_SIDES: Final[Mapping[str, tuple[float, float]]] = {
    "top": (0.0, -1.0),
    "bottom": (0.0, 1.0),
    "left": (-1.0, 0.0),
    "right": (1.0, 0.0),
}


class _Glimpsed(NamedTuple):
    """A card of a kind seen in a table in motion, where it had not lain: when (s), where (mm), and whether once is enough."""

    kind: int
    time: float
    at: Floats
    sure: bool


class Watcher:
    """Follows the cards of one table from settled picture to settled picture."""

    def __init__(
        self,
        scanner: Scanner,
        game: str,
        seats: int = 2,
        *,
        deck: str | None = None,
        layout: Any = None,
        registration: Registration | None = None,
    ) -> None:
        """Watch a table of ``seats`` players.

        ``deck``: a known deck or a pack, None for whichever lies there; ``layout``: zones as `vision.geometry.zone_layout.read_layout` takes
        them, None for those the deal tells. Raises `UnknownDeckError` and `BadRequestError`.
        """
        scanner.decks.check(deck)
        self._scanner, self._game, self._seats = scanner, game, seats
        self._deck, self._agreed = deck, Counter[str]()
        self._chosen = deck is not None and deck != GENERIC
        self._memory, self._tracks = Memory(scanner), Tracks()
        self._registration = registration
        self._plane: TableCoordinates | None = None
        self._drawn = None if layout is None else parse_layout(layout)
        self._layout: ZoneLayout | None = None
        self._dealt = False  # whether a deal told the layout
        self._things, self._ground, self._hindsight = Things(), Ground(), Hindsight()
        self._now: Small = np.zeros((0, 0), np.float32)  # the settled table that is looked at
        self._still: Small | None = None  # the one before
        self._places: list[list[NDArray[np.float32]]] = []
        self._around = False  # whether the stock of a game played all around it was seen
        self._axis = np.array((0.0, 1.0))
        self._player_one: Floats | None = None  # the table's middle and a place towards player 1, px
        self._kinds: tuple[tuple[str, ...], ...] = ()
        self._before: CardCandidates | None = None
        self._glimpsed: list[_Glimpsed] = []
        self._glimpses: tuple[TransientDetection, ...] = ()
        self._hinted: dict[int, WeakDetection] = {}  # by kind, the surest
        self._hints: tuple[WeakDetection, ...] = ()
        self._untouched: dict[int, float] = {}
        self.card_px: float | None = None
        """The width of a card in the frame, px, once one was seen."""

    @property
    def scanner(self) -> Scanner:
        """What reads its frames."""
        return self._scanner

    def set_layout(self, layout: Any) -> None:
        """Take zones that a person has drawn (`vision.geometry.zone_layout.read_layout`), or None for those the deal tells."""
        self._drawn = None if layout is None else parse_layout(layout)
        self._layout = None

    def zones(self) -> list[dict[str, Any]]:
        """Return the zones as polygons in parts (0-1) of the picture's width and height."""
        if self._plane is None or self._layout is None:
            return []
        if self._drawn is not None:
            return [
                {"zone": name, "polygon": polygon.round(4).tolist()} for name, polygon in self._drawn.items()
            ]
        size = np.array(self._plane.size, np.float64)
        # Zones end beyond what the camera sees; corner by corner they could not be brought into the picture unbent.
        seen = self._plane.to_mm(np.array(((0, 0), (1, 0), (1, 1), (0, 1))) * size).astype(np.float32)
        zones = []
        for name, polygon in self._layout.zones:
            area, inside = cv2.intersectConvexConvex(polygon.astype(np.float32), seen)
            if area > 0 and inside is not None:
                parts = self._plane.to_px(inside.reshape(-1, 2).astype(np.float64)) / size
                zones.append({"zone": name, "polygon": parts.clip(0, 1).round(4).tolist()})
        return zones

    def look(self, settled: Settled) -> Observation:
        """Return what a settled table shows."""
        bgr = settled.frame.bgr
        size = (bgr.shape[1], bgr.shape[0])
        moved = "camera-moved" in settled.notes
        self._now = soft(settled.frame.small)
        seen = self._memory.detect_cards(bgr, self._doubted())
        if seen is not self._before and not moved:
            seen = self._made_whole(bgr, seen)
        time = settled.frame.time
        notes = list(settled.notes)
        if seen is not self._before or moved or settled.hands:
            if self._take(seen, settled, size, time, moved=moved) and not moved:
                notes.append("camera-moved")
            if self._is_thing(settled) and not notes:
                notes.append("thing-on-table")
            self._before = seen
        elif self._layout is None and self._plane is not None:
            self._lay_out(size)
        self._learn_the_table(settled, moved="camera-moved" in notes)
        return self._told(settled, size, tuple(notes))

    def _made_whole(self, bgr: Image, seen: CardCandidates) -> CardCandidates:
        if self._plane is None or not self._plane.measured or self._deck is None:
            return seen
        whole = merge_fragments(bgr, seen, self._scanner, self._deck, self._plane)
        self._memory.correct(whole)
        return whole

    def _learn_the_table(self, settled: Settled, *, moved: bool) -> None:
        if moved:
            self._ground.forget()
        quads = np.array([track.seen.px for track in self._tracks.all], np.float32).reshape(-1, 4, 2)
        still = ~(settled.changed | settled.covered)
        relit = "light-changed" in settled.notes
        self._ground.learn(self._now, still, quads * _shrunk(settled), relit=relit)
        self._still = self._now
        self._hindsight.forget()

    def _without_print(
        self, cards: CardCandidates, believed: CardPosteriors, settled: Settled
    ) -> tuple[CardCandidates, CardPosteriors]:
        """Leave out what no more than the table itself shows: finds without a face where it looks as it did without them."""
        *_, back, stranger = believed.posterior.T
        doubted = np.flatnonzero((stranger > _STRANGE) & (back < _RATHER_BACK))
        told = np.delete(np.arange(len(cards.quads)), doubted)
        if self._ground.is_known:
            scale = _shrunk(settled)
            printed = self._ground.shows(
                self._now,
                cards.quads[doubted] * scale,
                cards.quads[told] * scale,
                relit="light-changed" in settled.notes,
            )
            told = np.sort(np.concatenate((told, doubted[~printed])))
        elif (
            believed.posterior[:, :-2].max(initial=0.0) > _STRANGE
        ):  # a table that is watched from the middle of a game
            told = np.arange(len(cards.quads))
        return cards.take(told), believed.take(told)

    def _doubted(self) -> Quads:
        """Return the places (n x 4 x 2 px) to read again though nothing changed there: noise decides what is seen badly."""
        doubted = []
        for track in self._tracks.all:
            if track.visible > _DOUBT_SHARE and track.asked < (_AGAIN if track.is_known else _AGAIN_NAMELESS):
                track.asked += 1
                doubted.append(track.seen.px)
        return np.array(doubted, np.float32).reshape(-1, 4, 2)

    def _is_thing(self, settled: Settled) -> bool:
        """Whether something was put down that is no card."""
        if self.card_px is None:
            return False
        first = not self._places
        small = _shrunk(settled)
        # The cards of this look and the two before: one that eyes missed in between is none.
        self._places = [*self._places[-2:], [track.seen.px for track in self._tracks.all if track.is_card]]
        if first or settled.notes:  # what changed all over says nothing of what was put down
            return False
        quads = np.array([px for look in self._places for px in look], np.float32).reshape(-1, 4, 2) * small
        return self._things.new(settled.changed & ~settled.covered, quads, self.card_px * small)

    def glimpse(self, frame: Frame) -> None:
        """Look at a table in motion, hands and all: it tells when a card came down that the next settled table shows."""
        self._hindsight.keep(frame.time, frame.small)
        if self._plane is None:
            return
        cards, _, believed = self._scanner.accept(self._memory.glimpse(frame.bgr), self._deck)
        if believed.classes != self._kinds:
            return
        for quad, share, posterior in zip(cards.quads, cards.visible, believed.posterior, strict=True):
            kind = int(posterior.argmax())
            at = self._plane.to_mm(quad).mean(axis=0)
            if (lying := self._lying(kind, at)) is not None:
                if share > lying.visible - _AS_BEFORE:
                    self._untouched[lying.key] = frame.time
                continue
            if share >= _GLIMPSED_SHARE and posterior[kind] >= _GLIMPSED_SURE:
                sure = share >= _ONCE_SHARE and posterior[kind] >= _ONCE_SURE
                self._glimpsed.append(_Glimpsed(kind, frame.time, at, bool(sure)))
            likely = float(posterior[kind] * min(1.0, share / _HINT_SHARE))
            if kind < len(self._kinds) and likely >= _HINT and likely > self._likely(kind):
                self._hinted[kind] = WeakDetection(self._kinds[kind][0], round(likely, 3), _rounded(at))

    def _likely(self, kind: int) -> float:
        return self._hinted[kind].p if kind in self._hinted else 0.0

    def _lying(self, kind: int, at: Floats) -> Track | None:
        """Return the card of a kind that lay at a place (mm) at the last settled table already."""
        there = (
            track
            for track in self._tracks.all
            if track.kind == kind and np.linalg.norm(track.seen.at - at) < _STAYED
        )
        return next(there, None)

    def _came(self, track: Track, settled: Settled) -> float:
        """Return when a card that is new at its place came down: when it was glimpsed first, there or elsewhere, or shows there first
        as one now knows that it lies.
        """
        kind = track.kind
        others = [other.seen.at for other in self._tracks.all if other is not track and other.kind == kind]
        own = [
            seen.time
            for seen in self._glimpsed
            if seen.kind == kind and not any(np.linalg.norm(seen.at - at) < _STAYED for at in others)
        ]
        if self._still is not None and not settled.notes and self._still.shape == settled.changed.shape:
            place = track.seen.px * _shrunk(settled)
            landed = self._hindsight.came(self._still, self._now, place)
            own += [] if landed is None else [landed]
        return min(own, default=settled.frame.time)

    def _seen_to_come(self) -> tuple[TransientDetection, ...]:
        """Return the cards glimpsed twice or more, or well once, each as it was seen first."""
        first: dict[int, _Glimpsed] = {}
        often = Counter[int]()
        for seen in self._glimpsed:
            often[seen.kind] += 2 if seen.sure else 1
        for seen in self._glimpsed:
            if seen.kind < len(self._kinds) and often[seen.kind] > 1:
                first.setdefault(seen.kind, seen)
        return tuple(
            TransientDetection(
                self._kinds[seen.kind][0], seen.time, (at := _rounded(seen.at)), self._zone(at)
            )
            for seen in first.values()
        )

    def _take(
        self, seen: CardCandidates, settled: Settled, size: tuple[int, int], time: float, *, moved: bool
    ) -> bool:
        """Take what was seen, and return whether the camera was moved, as told (``moved``) or as the cards tell."""
        cards, name, believed = self._scanner.accept(seen, self._deck)
        cards, believed = self._without_print(cards, believed, settled)
        if believed.classes != self._kinds and self._kinds:
            self._tracks = Tracks()  # another deck: nothing that was believed of this one holds
        self._kinds = believed.classes
        copies = [len(cards) for cards in self._kinds]
        self._agree(name, believed.posterior)
        if not len(cards.quads):
            self._tracks.update(time, [], self._place_of(settled), copies)
            return moved
        self.card_px = float(np.median(card_widths(cards.quads)))
        before = self._plane
        if before is not None and not moved:
            moved = before.size != size or self._was_knocked(_observed(before, cards, believed.posterior))
        if before is None or moved or not before.measured:
            plane = self._measured(cards, size)
            # Until the table can be measured, the first look's scale is kept: places must not wander with it.
            if before is None or moved or plane.measured:
                self._plane = plane
                if not moved:
                    self._layout = None
                    for track in self._tracks.all:
                        track.seen.quad = plane.to_mm(track.seen.px)
        assert self._plane is not None
        observed = _observed(self._plane, cards, believed.posterior)
        if moved and before is not None:
            if (followed := self._followed(observed)) is None:
                self._layout = None
            else:
                observed = followed
        self._tracks.update(time, observed, self._place_of(settled), copies, moved=moved)
        for track in self._tracks.all:
            if track.since == time:
                track.since = self._came(track, settled)
        self._lay_out(size)
        self._glimpses = self._seen_to_come()
        sure = {each.card for each in self._glimpses}
        self._hints = tuple(hint for hint in self._hinted.values() if hint.card not in sure)
        self._glimpsed, self._hinted = [], {}
        return moved

    def _was_knocked(self, observed: list[Observed]) -> bool:
        """Whether nearly all cards lie elsewhere than they lay, all of them moved as one."""
        here, there = self._known_again(observed)
        if len(here) <= _KNOWN_AGAIN or float(np.median(np.linalg.norm(here - there, axis=1))) < _KNOCKED:
            return False
        _, together = cv2.estimateAffinePartial2D(
            here.astype(np.float32), there.astype(np.float32), ransacReprojThreshold=_KNOCKED
        )
        return together is not None and float(together.mean()) > _TOGETHER

    def _known_again(self, observed: list[Observed]) -> tuple[Floats, Floats]:
        """Return where cards of which there is but one are seen, and where they lay before (n x 2 mm each)."""
        here, there = [], []
        for track in self._tracks.all:
            kind = track.kind
            same = [each for each in observed if int(each.posterior.argmax()) == kind]
            if kind < len(self._kinds) and len(self._kinds[kind]) == 1 and len(same) == 1:
                here.append(same[0].at)
                there.append(track.seen.at)
        return np.array(here).reshape(-1, 2), np.array(there).reshape(-1, 2)

    def _followed(self, observed: list[Observed]) -> list[Observed] | None:
        """Return cards on the table as it lay before the camera was knocked, None where too few are known again."""
        assert self._plane is not None
        here, there = self._known_again(observed)
        if len(here) < _KNOWN_AGAIN:
            return None
        self._plane.follow(here, there)
        return [
            Observed(self._plane.to_mm(each.px), each.px, each.share, each.posterior) for each in observed
        ]

    def _agree(self, name: str, posterior: Floats) -> None:
        if not self._chosen and len(posterior) >= _ENOUGH_CARDS:
            self._agreed[name] += 1
            if self._agreed[name] >= _AGREED:
                self._deck, self._chosen = name, True

    def _measured(self, cards: CardCandidates, size: tuple[int, int]) -> TableCoordinates:
        assert self.card_px is not None
        if self._registration is not None and self._registration.lens.size == size:
            return TableCoordinates(size, self.card_px, self._registration)
        try:
            return TableCoordinates(
                size, self.card_px, from_cards(cards.quads[cards.visible >= _WHOLE], size)
            )
        except RegistrationError:  # too few cards, or too crooked: their size alone will do for now
            return TableCoordinates(size, self.card_px, None)

    def _place_of(self, settled: Settled) -> Callable[[Track], Place]:
        """Return what tells of a track what became of its place."""
        height, width = settled.changed.shape
        scale = np.array((width / settled.frame.bgr.shape[1], height / settled.frame.bgr.shape[0]))

        def place_of(track: Track) -> Place:
            quad = track.seen.px * scale
            low = np.floor(quad.min(axis=0)).astype(int).clip(0)
            high = np.ceil(quad.max(axis=0)).astype(int).clip(0) + 1
            inside = np.zeros(settled.changed[low[1] : high[1], low[0] : high[0]].shape, np.uint8)
            if not inside.size:
                return "hidden"  # it lies out of the picture now
            cv2.fillConvexPoly(inside, np.round(quad - low).astype(np.int32), 1)
            covered, changed = (
                mask[low[1] : high[1], low[0] : high[0]][inside > 0]
                for mask in (settled.covered, settled.changed)
            )
            if covered.size and covered.mean() > _ARM:
                return "hidden"
            return "seen" if changed.any() else "unchanged"

        return place_of

    def _lay_out(self, size: tuple[int, int]) -> None:
        assert self._plane is not None
        if self._drawn is not None:
            whole = np.array(size, np.float64)
            self._layout = ZoneLayout(
                tuple((name, self._plane.to_mm(polygon * whole)) for name, polygon in self._drawn.items())
            )
            return
        if self._layout is not None and (self._around if seated_around(self._game) else not self._is_deal()):
            return
        middle = self._plane.to_mm(np.array(size) / 2)
        if seated_around(self._game):
            backs = [track.seen for track in self._tracks.all if self._is_back(track)]
            stock = min(backs, key=lambda back: float(np.linalg.norm(back.at - middle)), default=None)
            self._axis = self._axis_around(middle, stock)
            self._layout = round_layout(
                self._game, middle if stock is None else stock.at, self._axis, self._seats
            )
            self._around = stock is not None
            return
        self._axis = self._axis_of([track.seen for track in self._tracks.all])
        if self._is_deal():
            faces = np.array([each.at for each in self._faces()])
            self._layout, self._dealt = field_layout(faces, self._axis, self._stock(faces)), True
        else:
            self._layout = default_layout(middle, self._axis)

    def _axis_around(self, middle: Floats, stock: Observed | None) -> Floats:
        """Return where player 1 sits (unit vector) with players all around: as the stock told first, for hands lie every way."""
        assert self._plane is not None
        if self._player_one is None:
            axis = self._axis_of([stock] if stock is not None else [track.seen for track in self._tracks.all])
            if stock is not None:
                # Kept in the picture: where the table lies in it stays, and its measure is taken anew.
                self._player_one = self._plane.to_px(np.stack((middle, middle + _AXIS_MM * axis)))
            return axis
        here, there = self._plane.to_mm(self._player_one)
        return np.asarray((there - here) / np.linalg.norm(there - here), np.float64)

    def _is_back(self, track: Track) -> bool:
        """Return whether a card lies face down."""
        *cards, back, _ = track.posterior
        strange = seated_around(self._game) and back > _RATHER_BACK and max(cards, default=0.0) < _NO_CARD
        return bool(back > _BACK or strange)

    def _faces(self) -> list[Observed]:
        """Return the cards that lie face up."""
        return [track.seen for track in self._tracks.all if track.is_card and track.posterior[-2] <= _BACK]

    def _stock(self, faces: Floats) -> Floats | None:
        """Return where the face-down pile beside the dealt cards (n x 2 mm) lies, mm, if any."""
        backs = [track.seen.at for track in self._tracks.all if track.posterior[-2] > _BACK]
        middle, across = faces.mean(axis=0), np.array((-self._axis[1], self._axis[0]))

        def off(at: Floats) -> float:
            return float(abs((at - middle) @ self._axis) + 0.3 * abs((at - middle) @ across))

        best = min(backs, key=off, default=None)
        return best if best is not None and abs((best - middle) @ self._axis) < _BESIDE else None

    def _is_deal(self) -> bool:
        """Whether what lies there is a field as it is dealt: some rows of cards close together, and a stock at most."""
        faces = self._faces()
        if len(faces) not in _DEALT or any(each.share < 0.8 for each in faces):
            return False
        if self._dealt and any(self._zone((each.at[0], each.at[1])).startswith("captured") for each in faces):
            return False  # the first captures beside a field that has shrunk
        axis = self._axis_of(faces)
        along = np.array([each.at for each in faces]) @ axis
        return float(np.ptp(along)) < _DEEPEST

    def _axis_of(self, cards: list[Observed]) -> Floats:
        """Return where player 1 sits (unit vector): along the cards' longer sides, below or, where cards lie across, on the left.

        A camera that is turned by a quarter is turned clockwise more often than not, as far as the rendered tables tell (4 of 4).
        """
        if not cards:
            return np.array((0.0, 1.0))
        down = np.array([each.quad[2] + each.quad[3] - each.quad[0] - each.quad[1] for each in cards])
        doubled = np.exp(2j * np.arctan2(down[:, 1], down[:, 0])).sum()
        angle = np.angle(doubled) / 2
        axis = np.array((np.cos(angle), np.sin(angle)))
        towards = axis[1] if abs(axis[1]) > abs(axis[0]) else -axis[0]
        return axis if towards > 0 else -axis

    def _told(self, settled: Settled, size: tuple[int, int], notes: tuple[str, ...]) -> Observation:
        tracks = self._tracks.all
        if not tracks:
            frame = settled.frame
            nothing: dict[str, Any] = {"quads": {}, "size": list(size), "deck": self._deck}
            return Observation(
                frame.name,
                frame.time,
                (),
                self._reaches(settled),
                notes=notes,
                extra=nothing,
                changed=bool(settled.changed.any()),
            )
        posterior = np.array([track.posterior for track in tracks])
        shares = np.array([track.most for track in tracks], np.float32)
        calibration = self._scanner.calibration
        names, left = assign_names(posterior, shares, self._kinds, calibration=calibration)
        cards = tuple(
            self._sighting(track, name, alternatives(row, self._kinds))
            for track, (name, _), row in zip(tracks, names, left, strict=True)
        )
        quads = {str(track.key): track.seen.px.round(1).tolist() for track in tracks if track.visible}
        frame = settled.frame
        extra = {"quads": quads, "size": list(size), "deck": self._deck}
        transient_detections, self._glimpses = self._glimpses, ()
        weak_detections, self._hints = self._hints, ()
        untouched, self._untouched = tuple(self._untouched.items()), {}
        hand_events = self._reaches(settled)
        return Observation(
            frame=frame.name,
            time=frame.time,
            cards=cards,
            hand_events=hand_events,
            transient_detections=transient_detections,
            untouched=untouched,
            notes=notes,
            extra=extra,
            weak_detections=weak_detections,
            changed=bool(settled.changed.any()),
        )

    def _zone(self, at: tuple[float, float], *, back: bool = False) -> str:
        return self._layout.zone(at, back=back) if self._layout else ELSEWHERE

    def _reaches(self, settled: Settled) -> tuple[HandEvent, ...]:
        return tuple(self._reach(hand) for hand in settled.hands)

    def _sighting(self, track: Track, name: str | None, likely: tuple[tuple[str, float], ...]) -> TrackedCard:
        at = _rounded(track.seen.at)
        up = track.seen.quad[0] + track.seen.quad[1] - track.seen.quad[2] - track.seen.quad[3]
        towards = round(self._around_table(-up), 4) if seated_around(self._game) else None
        return TrackedCard(
            key=track.key,
            card=name,
            likely=tuple((card, round(p, 4)) for card, p in likely),
            zone=self._zone(at, back=self._is_back(track)),
            at=at,
            angle=round(float(np.degrees(np.arctan2(up[0], -up[1]))) % 360, 1),
            visible=round(track.visible, 3),
            since=track.since,
            on=track.on,
            towards=towards,
        )

    def _around_table(self, towards: Floats) -> float:
        """Return a direction (mm) as a share of the way around the table, 0-1, counter-clockwise from player 1 on."""
        angle = np.arctan2(self._axis[1], self._axis[0]) - np.arctan2(towards[1], towards[0])
        return float(angle / (2 * np.pi)) % 1

    def _reach(self, hand: Hand) -> HandEvent:
        if self._plane is None:
            return HandEvent(hand.time, (0.0, 0.0), None)
        tip = self._plane.to_mm(np.array(hand.tip))
        towards = np.array(_SIDES[hand.side])
        if not seated_around(self._game):
            along = float(towards @ self._axis)
            seat = None if abs(along) < 0.4 else 1 if along > 0 else 2
            return HandEvent(hand.time, (float(tip[0]), float(tip[1])), seat)
        if hand.entry is not None:
            # The piles may lie anywhere between the players; the camera looks at the table's middle.
            towards = self._plane.to_mm(np.array(hand.entry)) - self._plane.to_mm(
                np.array(self._plane.size) / 2
            )
        round_layout = self._around_table(towards)
        seat = round(round_layout * self._seats) % self._seats + 1
        return HandEvent(hand.time, (float(tip[0]), float(tip[1])), seat, round(round_layout, 4))


def _observed(plane: TableCoordinates, cards: CardCandidates, posterior: Floats) -> list[Observed]:
    return [
        Observed(plane.to_mm(quad), quad, float(share), row)
        for quad, share, row in zip(cards.quads, cards.visible, posterior, strict=True)
    ]


def _shrunk(settled: Settled) -> float:
    """Return the size of the small copy beside the whole picture."""
    return float(settled.changed.shape[1] / settled.frame.bgr.shape[1])


def _rounded(at: Floats) -> tuple[float, float]:
    return round(float(at[0]), 1), round(float(at[1]), 1)
