"""Turns stable frames of one table into observations: tracked cards with names, positions and zones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import BACK
from companion.observations import STOCK, Observation, TrackedCard
from vision.decks.deck_choice import GENERIC
from vision.geometry.rectification import Objects
from vision.geometry.registration.registration_findings import RegistrationError
from vision.geometry.registration.registration_methods import MIN_MARKERS, from_cards
from vision.geometry.registration.table_registration import Registration
from vision.networks.detector import card_widths
from vision.networks.read_cards import CardCandidates
from vision.occlusion.fragment_merging import merge_fragments
from vision.occlusion.visible_overlap import overlap
from vision.photograph.acceptance import MOSTLY_VISIBLE
from vision.photograph.name_assignment import alternatives, assign_names
from vision.photograph.scanner import Scanner
from vision.pictures.crops import Floats, Image, Quads
from vision.sources.frames import Frame
from vision.tracking.arrivals import LandingTimeEstimator, MotionDetections, rounded
from vision.tracking.background_model import BackgroundModel, at_border, fill_quads
from vision.tracking.card_tracks import (
    LIKELY,
    SAME_PLACE_MM,
    SLIVER,
    UNLIKELY,
    CardTrack,
    CardTracker,
)
from vision.tracking.frame_selection import StableFrame
from vision.tracking.motion import MOST, Mask, SmoothImage, smooth
from vision.tracking.reading_cache import ReadingCache
from vision.tracking.table_zones import DEAL_CARDS, TableZones

#: Face-down cards with less than this probability of being objects are the print of the table: a dark pile on a dark table has more.
_NO_OBJECT: Final = 0.05


class TableObserver:
    """Tracks the cards of one table from stable frame to stable frame."""

    def __init__(
        self,
        scanner: Scanner,
        game: str,
        seats: int = 2,
        *,
        deck: str | None = None,
        layout: Any = None,
    ) -> None:
        """Observe a table of ``seats`` players.

        ``deck`` is a known deck or a pack, None to recognize it; ``layout`` holds drawn zones as in
        `vision.geometry.zone_layout.parse_layout`, None to find them from the deal. Raises `UnknownDeckError` and `BadRequestError`.
        """
        scanner.decks.check(deck)
        self.scanner = scanner
        """The scanner that reads its frames."""
        self._deck, self._deck_votes = deck, Counter[str]()
        self._deck_fixed = deck is not None and deck != GENERIC
        self._cache, self._tracker = ReadingCache(scanner), CardTracker()
        self._plane: Registration | None = None
        self._zones = TableZones(game, seats, layout)
        self._background = BackgroundModel()
        self._bare: Frame | None = None  # the first frame, if it shows no card but the print of the table
        self._landing = LandingTimeEstimator()
        self._small: SmoothImage = np.zeros((0, 0), np.float32)
        self._before: StableFrame | None = None  # the one before, with all that hid the table, fingers too
        self._quads: dict[int, Floats] = {}  # the position of each card of it by key, 4 x 2 mm
        self._classes: tuple[tuple[str, ...], ...] = ()  # the card ids of each class of the deck
        self._candidates: CardCandidates | None = None
        self._motion = MotionDetections()
        self._transient: tuple[TrackedCard, ...] = ()
        self._weak: tuple[TrackedCard, ...] = ()
        self._cards: tuple[TrackedCard, ...] = ()  # of the last observation
        self.unknown: Mask | None = None
        """Where something at the border of the last stable frame is neither table nor card (h x w), such as fingers."""
        self._untouched: dict[int, float] = {}
        self.card_px: float | None = None
        """Width of a card in the frame (px), or None before the first one was detected."""

    def set_layout(self, layout: Any) -> None:
        """Use zones drawn by a person (`vision.geometry.zone_layout.parse_layout`); None finds them from the deal."""
        self._zones.draw(layout)

    def zones(self) -> list[dict[str, Any]]:
        """Return the zones as polygons in fractions (0-1) of the picture's width and height."""
        return [] if self._plane is None else self._zones.polygons(self._plane)

    def objects(self, frame: Frame) -> Objects:
        """Return a function that finds which quads of a frame may be cards: if several things were detected before there was a face, they
        are the print of the table.
        """
        if not self._background.is_known:
            candidates = self._cache.read(frame.bgr)
            several = len(candidates.quads) > 1
            is_bare = several and not _shows_face(self.scanner.accept(candidates, self._deck))
            self._bare = frame if is_bare else None
        printed = BackgroundModel()
        if self._bare is not None:
            printed.learn(smooth(self._bare.small))
        small, scale = smooth(frame.small), _small_scale(frame)

        def differ(quads: Quads) -> NDArray[np.bool_]:
            visible = np.ones(len(quads), np.float32)
            return printed.p_object(small, quads * scale, visible, light_changed=False) > UNLIKELY

        return differ

    def rectify(self, apply: Callable[[Frame], Frame]) -> None:
        """Frames are rectified with ``apply`` from now on; the print of the table is known all the same."""
        if self._bare is not None:
            self._background.learn(smooth(apply(self._bare).small))

    def observe(self, stable: StableFrame) -> Observation:
        """Return the observation of a stable frame."""
        if stable.covered.all():
            return self._nothing_visible(stable)
        bgr = stable.frame.bgr
        size = (bgr.shape[1], bgr.shape[0])
        bumped = moved = "camera-moved" in stable.notes and not stable.aligned
        self._small = smooth(stable.frame.small)
        candidates = self._cache.read(bgr, self._quads_to_reread(stable))
        if candidates is not self._candidates and not moved:
            candidates = self._merge_fragments(bgr, self._without_table(candidates, stable))
        if moved and self._cards and not len(self.scanner.accept(candidates, self._deck).quads):
            return self._nothing_visible(replace(stable, notes=("table-covered",)))
        notes = list(stable.notes)
        if candidates is not self._candidates or moved or stable.hands:
            if self._plane is not None and self._plane.size != size and not moved:
                moved = True  # frames are rectified from now on, or from a new position
                notes.append("camera-moved")
            self._update(candidates, stable, size, moved=moved)
            self.unknown = self._find_unknown(stable)
            self._candidates = candidates
        elif not self._zones.is_known and self._plane is not None:
            self._zones.update(self._plane, self._tracker.all)
        self._update_background(stable, moved=bumped)
        return self._observation(stable, size, tuple(notes))

    def observe_motion(self, frame: Frame) -> None:
        """Read a frame with motion, to find out when and in which order cards appear."""
        self._landing.add(frame.time, frame.small)
        if self._plane is None:
            return
        cards = self.scanner.accept(self._cache.read_transient(frame.bgr), self._deck)
        if cards.recognized.classes != self._classes:
            return
        posteriors = cards.recognized.posterior
        for quad, visible, posterior in zip(cards.quads, cards.visible, posteriors, strict=True):
            class_id = int(posterior.argmax())
            at = self._plane.to_mm(quad).mean(axis=0)
            unmoved = self._track_at(class_id, at)
            if unmoved is None:
                self._motion.add(self._name(class_id), frame.time, at, visible, posterior[class_id])
            elif visible > unmoved.visible - SLIVER:
                self._untouched[unmoved.key] = frame.time

    # --- reading

    def _quads_to_reread(self, stable: StableFrame) -> Quads:
        """Return the quads (n x 4 x 2 px) to read again: all of a table that is reported again, because noise affects their reading."""
        return self._px()[: 0 if stable.changed.any() else None]

    def _merge_fragments(self, bgr: Image, candidates: CardCandidates) -> CardCandidates:
        if self._plane is None or not self._plane.measured or self._deck is None:
            return candidates
        merged = merge_fragments(bgr, candidates, self.scanner, self._deck, self._plane)
        self._cache.replace(merged)
        return merged

    def _without_table(self, candidates: CardCandidates, stable: StableFrame) -> CardCandidates:
        """Remove candidates where the picture shows nothing but the table: there may be hundreds on a printed cloth."""
        if not self._background.is_known or "light-changed" in stable.notes:
            return candidates
        p_object = self._p_object(candidates.quads, candidates.visible, stable)
        objects = candidates.take(np.flatnonzero(p_object >= _NO_OBJECT))
        self._cache.replace(objects)
        return objects

    def _p_object(self, quads: Quads, visible: NDArray[np.float32], stable: StableFrame) -> Floats:
        """Return the probability that the picture shows more than the table at each of the quads (n x 4 x 2 px)."""
        return self._background.p_object(
            self._small,
            quads * _small_scale(stable.frame),
            visible,
            light_changed="light-changed" in stable.notes,
        )

    def _without_background(
        self, cards: CardCandidates, stable: StableFrame
    ) -> tuple[CardCandidates, Floats]:
        """Remove detections where the picture shows only the table; return the others and their probabilities of being an object.

        Patterns of the tabletop are detected as unknown objects or face-down cards, bare table between cards as cards of which little is
        visible. Before a game there is at most one draw pile: each of n face-down cards is it with a probability of 1/n.
        """
        *_, back, unknown = cards.recognized.posterior.T
        p_object = np.ones(len(cards.quads))
        pattern = (unknown > LIKELY) & (back < UNLIKELY)
        if self._background.is_known:
            p_object = self._p_object(cards.quads, np.where(pattern, np.float32(0), cards.visible), stable)
            pattern |= cards.visible < MOSTLY_VISIBLE
        elif _shows_face(cards):
            pattern[:] = False  # watching began during a game: cards may be anywhere
        else:
            p_object = np.where(pattern, 0.0, 1 / max(1, int(np.count_nonzero(~pattern))))
        pattern = pattern & (p_object < 1) | (back > LIKELY) & (p_object < _NO_OBJECT)
        kept = np.flatnonzero(~pattern)
        return cards.take(kept), p_object[kept]

    def _update_background(self, stable: StableFrame, *, moved: bool) -> None:
        if moved:
            self._background.reset()
        covered = stable.covered if self.unknown is None else stable.covered | self.unknown
        still = ~(stable.changed | covered)
        light_changed = "light-changed" in stable.notes
        quads = self._px() * _small_scale(stable.frame)
        self._background.update(
            self._small, quads, self._p_objects(), still=still, light_changed=light_changed
        )
        self._quads = {track.key: track.quad for track in self._tracker.all}
        self._before = replace(stable, covered=covered)
        self._landing.clear()

    def _find_unknown(self, stable: StableFrame) -> Mask | None:
        """Return where something reaches in from the border that is neither table nor card (h x w); None if nowhere."""
        if self.card_px is None or stable.notes or not self._background.is_known:  # everything has changed
            return None
        scale = _small_scale(stable.frame)
        explained = self._background.shows(self._small, self._px() * scale)
        unknown = at_border(stable.changed & ~stable.covered & ~explained, self.card_px * scale)
        return unknown if unknown.any() else None

    # --- tracking

    def _px(self) -> Quads:
        """Return the quads of all tracks (n x 4 x 2 px)."""
        return np.array([track.px for track in self._tracker.all], np.float32).reshape(-1, 4, 2)

    def _p_objects(self) -> Floats:
        """Return the probabilities that they are objects."""
        return np.array([track.p_object for track in self._tracker.all])

    def _update(
        self, candidates: CardCandidates, stable: StableFrame, size: tuple[int, int], *, moved: bool
    ) -> None:
        """Update tracks and zones; with ``moved`` the camera moved and the frame is not aligned with those before."""
        time = stable.frame.time
        cards = self.scanner.accept(candidates, self._deck, None if moved else self._in_place)
        cards, p_object = self._without_background(cards, stable)
        if cards.recognized.classes != self._classes and self._classes:
            self._tracker = CardTracker()  # posteriors over the classes of another deck are not comparable
        self._classes = cards.recognized.classes
        likely = cards.take(np.flatnonzero(p_object > UNLIKELY))
        self._vote_for_deck(cards.deck, len(likely.quads))
        if not len(cards.quads):
            self._tracker.update(time, [])
            return
        self.card_px = float(np.median(card_widths((likely if len(likely.quads) else cards).quads)))
        before = self._plane
        plane = self._update_plane(likely, size, moved=moved)
        detections = _detections(plane, cards, p_object)
        if moved and before is not None:
            followed = self._follow_camera(plane, detections)
            if followed is not None:
                self._plane = plane = followed
                for index, track in self._tracker.at_same_places(detections).items():
                    detections[index].p_object = track.p_object
            else:
                self._zones.reset()
                self._tracker = CardTracker()
        self._tracker.update(time, detections)
        for track in self._tracker.all:
            if track.since == time:
                track.absent, track.since = self._arrival(track, stable)
        self._zones.update(plane, self._tracker.all)
        self._transient, self._weak = self._motion.take(self._zones.zone, self._last_seen_empty)

    def _in_place(self, candidates: CardCandidates) -> NDArray[np.bool_]:
        """Return which candidates (n) show the card that lay at their place in the last stable frame, and no less of it."""
        known = np.zeros(len(candidates.scores), np.bool_)
        if self._plane is not None and candidates.recognized.classes == self._classes:
            detections = _detections(self._plane, candidates, np.ones(len(known)))
            tracks = self._tracker.at_same_places(detections)
            for index, track in tracks.items():
                less = track.visible - float(candidates.visible[index])
                known[index] = track.is_card and less < SLIVER
        return known

    def _vote_for_deck(self, deck: str, cards: int) -> None:
        if not self._deck_fixed:
            self._deck_votes[deck] += cards
            # Fixed once as many cards were read as cards of it as the largest deal has.
            if self._deck_votes[deck] >= DEAL_CARDS[-1]:
                self._deck, self._deck_fixed = deck, True

    def _update_plane(self, cards: CardCandidates, size: tuple[int, int], *, moved: bool) -> Registration:
        """Measure the table if the camera moved or it is not measured yet; return the current plane."""
        before = self._plane
        if before is not None and not moved and before.measured:
            return before
        assert self.card_px is not None
        try:
            plane = from_cards(cards.quads[cards.visible > 1 - SLIVER], size)
        except RegistrationError:  # too few or inconsistent cards: only the scale is known
            plane = Registration.by_scale(size, self.card_px)
        tracked = any(track.p_object > UNLIKELY for track in self._tracker.all)
        if before is not None and not moved and not plane.measured and tracked:
            # The scale of the first card is kept until the table can be measured, so that positions do not drift.
            return before
        self._plane = plane
        if before is not None and not moved:
            self._zones.remeasure(before, plane)
            for track in self._tracker.all:
                track.quad = plane.to_mm(track.px)
        return plane

    def _common_cards(self, detections: list[CardTrack]) -> tuple[Floats, Floats]:
        """Return the positions now and before (n x 2 mm each) of cards that exist once in the deck."""
        now, before = [], []
        for track in self._tracker.all:
            class_id = track.class_id
            same = [each for each in detections if each.class_id == class_id]
            if class_id < len(self._classes) and len(self._classes[class_id]) == 1 and len(same) == 1:
                now.append(same[0].at)
                before.append(track.at)
        return np.array(now).reshape(-1, 2), np.array(before).reshape(-1, 2)

    def _follow_camera(self, plane: Registration, detections: list[CardTrack]) -> Registration | None:
        """Return the plane aligned with the positions before the camera moved, and move the detections on it; None if too few cards are
        common."""
        now, before = self._common_cards(detections)
        if len(now) < MIN_MARKERS:
            return None
        plane = plane.followed(now, before)
        for each in detections:
            each.quad = plane.to_mm(each.px)
        return plane

    def _name(self, class_id: int) -> str:
        """Return the name of a class as `MotionDetections` has it."""
        return (*(ids[0] for ids in self._classes), BACK, "")[class_id]

    def _track_at(self, class_id: int, at: Floats) -> CardTrack | None:
        """Return the track of a class that was at a position (mm) in the last stable frame."""
        tracks = (
            track
            for track in self._tracker.all
            if track.class_id == class_id and np.linalg.norm(track.at - at) < SAME_PLACE_MM
        )
        return next(tracks, None)

    def _arrival(self, track: CardTrack, stable: StableFrame) -> tuple[float | None, float]:
        """Return the times (s) of the last frame without a card at its new position, and of the first one with it."""
        others = [
            other.at for other in self._tracker.all if other is not track and other.class_id == track.class_id
        ]
        present, absent = self._motion.times(self._name(track.class_id), others), list[float]()
        before = self._before
        if before is not None and not stable.notes and before.covered.shape == stable.covered.shape:
            quad = track.px * _small_scale(stable.frame)
            gone, came = self._landing.estimate(smooth(before.frame.small), self._small, quad)
            present += [] if came is None else [came]
            absent += [] if gone is None else [gone]
            if self._was_open(before, track, stable):
                absent.append(before.frame.time)
        since = min(present, default=stable.frame.time)
        return max((time for time in absent if time < since), default=None), since

    def _last_seen_empty(self, at: tuple[float, float]) -> float | None:
        """Return when the position (mm) of a card that was detected in motion was last seen without it, s; None if unknown."""
        before = self._before
        if before is None or self._plane is None:
            return None
        x, y = self._plane.to_px(np.array(at)) * (before.covered.shape[1] / self._plane.size[0])
        row, column = round(float(y)), round(float(x))
        inside = 0 <= row < before.covered.shape[0] and 0 <= column < before.covered.shape[1]
        return before.frame.time if inside and not before.covered[row, column] else None

    def _was_open(self, before: StableFrame, track: CardTrack, stable: StableFrame) -> bool:
        """Return whether the table ``before`` showed the position of a new card, without the card."""
        quad = track.px * np.float32(_small_scale(stable.frame))
        place = fill_quads(quad[None], before.covered.shape)
        if not place.any() or before.covered[place].mean() > MOST or not stable.changed[place].any():
            return False
        now = {each.key for each in self._tracker.all}
        gone = [quad for key, quad in self._quads.items() if key not in now]
        return all(overlap(track.quad, quad) < MOST for quad in gone)

    # --- the observation

    def _nothing_visible(self, stable: StableFrame) -> Observation:
        """Return the observation of a table that is covered altogether."""
        self.unknown = np.ones_like(stable.covered)
        return Observation(
            frame=stable.frame.name,
            time=stable.frame.time,
            cards=(),
            notes=stable.notes,
            extra={"quads": {}, "size": list(stable.frame.bgr.shape[1::-1]), "deck": self._deck},
        )

    def _observation(self, stable: StableFrame, size: tuple[int, int], notes: tuple[str, ...]) -> Observation:
        tracks = self._tracker.all
        hand_events = tuple(self._zones.hand_event(hand, self._plane) for hand in stable.hands)
        quads = {str(track.key): track.px.round(1).tolist() for track in tracks}
        self._cards = self._tracked_cards()
        observation = Observation(
            frame=stable.frame.name,
            time=stable.frame.time,
            cards=self._cards,
            hand_events=hand_events,
            notes=notes,
            extra={"quads": quads, "size": list(size), "deck": self._deck},
        )
        if not tracks:
            return observation
        observation = replace(
            observation,
            transient_detections=self._transient,
            weak_detections=self._weak,
            untouched=tuple(self._untouched.items()),
        )
        self._transient, self._weak, self._untouched = (), (), {}
        return observation

    def _tracked_cards(self) -> tuple[TrackedCard, ...]:
        tracks = self._tracker.all
        if not tracks:
            return ()
        posterior = np.array([track.posterior for track in tracks])
        visible = np.array([track.max_visible for track in tracks], np.float32)
        calibration = self.scanner.calibration
        names, remaining = assign_names(posterior, visible, self._classes, calibration=calibration)
        cards = [
            self._tracked_card(track, name, alternatives(row, self._classes))
            for track, (name, _), row in zip(tracks, names, remaining, strict=True)
        ]
        # Seen at an angle, the side of the draw pile looks like a strip of a card below its top card.
        side = {key for card in cards if card.zone == STOCK and card.card == BACK for key in card.on}
        return tuple(card for card in cards if card.key not in side)

    def _tracked_card(
        self, track: CardTrack, name: str | None, likely: tuple[tuple[str, float], ...]
    ) -> TrackedCard:
        at = rounded(track.at)
        quad = track.quad
        up = quad[0] + quad[1] - quad[2] - quad[3]
        return TrackedCard(
            key=track.key,
            card=name,
            likely=tuple((card, round(p, 4)) for card, p in likely),
            zone=self._zones.zone(at, back=self._zones.is_back(track)),
            at=at,
            angle=round(float(np.degrees(np.arctan2(up[0], -up[1]))) % 360, 1),
            visible=round(track.visible, 3),
            since=track.since,
            absent=track.absent,
            p_card=round(track.p_object * float(1 - track.reading[-1]), 4),
            on=track.on,
            towards=round(self._zones.turn_fraction(-up), 4) if self._zones.is_round else None,
        )


def _detections(plane: Registration, cards: CardCandidates, p_object: Floats) -> list[CardTrack]:
    posterior = cards.recognized.posterior
    return [
        CardTrack(plane.to_mm(quad), quad, float(visible), row, float(p))
        for quad, visible, row, p in zip(cards.quads, cards.visible, posterior, p_object, strict=True)
    ]


def _small_scale(frame: Frame) -> float:
    """Return the scale of the small masks relative to the full frame."""
    return float(frame.small.shape[1] / frame.size[0])


def _shows_face(cards: CardCandidates) -> bool:
    return bool(cards.recognized.posterior[:, :-2].max(initial=0.0) > LIKELY)
