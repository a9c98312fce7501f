"""Scanner: detects, refines, recognizes, and names the cards of a photograph or camera frame."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from companion.pile import cards_twice
from companion.quality_messages import QualityFinding
from companion.store import open_documents
from vision.decks.deck_choice import KnownDecks
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_naming import read_vote_weights
from vision.geometry.rectification import (
    MIN_PLANE_CARDS,
    NO_DETECTIONS,
    Objects,
    RectifiedView,
    RefinedDetections,
    find_table_view,
    find_view,
)
from vision.geometry.registration.registration_findings import RegistrationError
from vision.geometry.registration.registration_methods import from_cards
from vision.networks.detector import CONFIDENT_DETECTION, Detections, Detector, card_widths
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS
from vision.networks.probability_calibration import Calibration
from vision.networks.read_cards import CardCandidates
from vision.networks.recognizer import Recognitions, Recognizer, average_recognitions
from vision.networks.refiner import RefinedCards, Refiner
from vision.occlusion.fragment_merging import find_fragments, merge_fragments
from vision.occlusion.layer_order import resolve_masks, resolve_order_conflicts
from vision.occlusion.visible_overlap import overlap, remove_duplicates, suppress_duplicates
from vision.photograph.acceptance import (
    CONFIDENT_NAME,
    MOSTLY_VISIBLE,
    STRIP_VISIBLE,
    accepted_cards,
    false_backs,
    favor_backs,
    named_only,
    uncovered_backs,
)
from vision.photograph.card_scale import FAINT_SCORE, MIN_SCORE, QUICK_PASS_SIDES, Box, detect_at_best_scale
from vision.photograph.card_shapes import unlike_cards
from vision.photograph.linear_model import read_model
from vision.photograph.name_assignment import alternatives, assign_names
from vision.photograph.neighbor_context import (
    RecognizeFunction,
    RefineFunction,
    confirm_faint,
    over_assigned,
    overlapping_pairs,
    place_beside_neighbors,
)
from vision.photograph.photo_quality import (
    CAUSES,
    MEASURES,
    POOR_PHOTO_CONFIDENCE,
    findings,
    measure_cards,
)
from vision.photograph.scan_result import Quad, ScannedCard, ScanResult
from vision.pictures.crops import Image, Pyramid, Quads

#: A pyramid level this near the wanted scale is used unchanged: resizing it would take a tenth of the
#: detector's time.
_SCALE_TOLERANCE: Final = 0.9
#: Detections nearer than this to a kept card, in card widths, are that card.
_SAME_CARD_DISTANCE: Final = 0.25
#: Minimum score of faint detections, which are accepted only if recognized with confidence as a card not
#: detected elsewhere.
_FAINT_MIN_SCORE: Final = 0.1
#: Shifts at which an uncertain card is recognized again, as fractions of its diagonal.
_SHIFTS: Final = (0.035, -0.035)
#: Minimum visible fraction of a candidate.
_MIN_VISIBLE: Final = 0.06
#: Maximum number of cards that the plane of a photograph is fitted to.
_MAX_PLANE_CARDS: Final = 12

_Passes = dict[tuple[float, Box | None], Detections]


class Scanner:
    """Scans pictures with the detector, refiner, and recognizer, which are loaded once. Thread-safe; calls
    run one at a time.
    """

    def __init__(
        self,
        models: Path | None = None,
        library: DeckLibrary | None = None,
        *,
        fast: bool = False,
        patience_s: float = float("inf"),
    ) -> None:
        """Load the networks of the folder ``models`` (default: the shipped ones).

        ``library``: the known decks; default: those shipped beside the networks. ``fast``: use the int8
        networks, for camera frames, where uncertain cards are detected again in later frames; on single
        photographs, int8 misses a card now and then (models/README.md). ``patience_s``: time, s, after which the
        view of a photograph is no longer searched and uncertain cards are not improved: a spoiled picture takes
        ten times as long as a good one.
        """
        folder = models or MODELS
        self._detector, self._refiner = Detector(folder, fast), Refiner(folder, fast)
        self.recognizer = Recognizer(folder, fast)
        self.calibration = self.recognizer.calibration
        """The probability calibration of the weights in use."""
        self.decks = KnownDecks(
            library or DeckLibrary(shipped=open_documents(folder)),
            self.recognizer,
            read_vote_weights(folder),
            Matcher(folder),
        )
        self._causes = read_model(folder, "causes", CAUSES, MEASURES)
        self._fast = fast
        self._patience_s = patience_s
        self._lock = threading.Lock()

    def scan(self, bgr: Image, deck: str | None = None, focal: float | None = None) -> ScanResult:
        """Return the cards of a photograph (H x W x 3 uint8).

        ``deck``: a deck or pack; None to detect it. ``focal``: focal length in px, if the file contains it
        (`vision.pictures.picture_decoding`). Raises `UnknownDeckError`.
        """
        self.decks.check(deck)
        candidates, view = self.detect_in_photograph(bgr, deck, focal)
        accepted = self.accept(candidates, deck)
        unlike = unlike_cards(accepted.recognized.posterior, accepted.visible, accepted.quads)
        accepted = accepted.take(np.flatnonzero(~unlike))
        result = build_result(accepted, bgr.shape[1], bgr.shape[0], self.calibration, view)
        names = [card.card for card in result.cards]
        named = np.array([each is not None for each in names], np.bool_)
        quality = findings(self._causes, bgr, candidates, accepted, named, view)
        if twice := cards_twice(names):
            quality = (QualityFinding("card-twice", {"cards": twice}), *quality)
        return replace(result, quality=quality)

    def accept(
        self,
        candidates: CardCandidates,
        deck: str | None = None,
        expected: Callable[[CardCandidates], NDArray[np.bool_]] | None = None,
    ) -> CardCandidates:
        """Return the accepted candidates with their names in the deck.

        ``deck``: see `KnownDecks.classify`. ``expected`` returns which named candidates (n) are known to be there and need no
        high score. Raises `UnknownDeckError`.
        """
        name, recognized = self.decks.classify(candidates.recognized, candidates.visible, deck)
        candidates = replace(candidates, recognized=recognized, deck=name)
        accepted = accepted_cards(
            recognized.posterior, candidates.visible, candidates.scores, candidates.quads, self.calibration
        )
        if expected is not None:
            accepted |= expected(candidates)
        # A strip shows too little of a card for a deck's embeddings to distinguish it from the background.
        accepted &= ~self.decks.possible_false_positives(name, recognized) | (
            candidates.visible >= STRIP_VISIBLE
        )
        backs = accepted & (recognized.posterior[:, -2] > 0.5)
        accepted &= ~false_backs(
            backs, candidates.visible, candidates.scores, candidates.quads, recognized.crops
        )
        cards = np.flatnonzero(accepted)
        cards = cards[
            ~uncovered_backs(
                backs[cards], candidates.scores[cards], candidates.refined.take(cards), candidates.size
            )
        ]
        candidates = candidates.take(cards)
        posterior = favor_backs(candidates.recognized.posterior)
        candidates = replace(candidates, recognized=replace(candidates.recognized, posterior=posterior))
        unassigned_rejected = named_only(posterior, candidates.scores)
        if unassigned_rejected.any():
            names, _ = assign_names(
                posterior, candidates.visible, recognized.classes, calibration=self.calibration
            )
            cards = np.flatnonzero(~unassigned_rejected | [name is not None for name, _ in names])
            candidates = candidates.take(cards)
        return candidates

    def detect_cards(
        self, bgr: Image, card_px: float | None = None, deck: str | None = None
    ) -> CardCandidates:
        """Return the candidates of ``bgr`` (H x W x 3 uint8), including all doubtful ones.

        ``card_px``: the width of a card, px, if known from the previous frame or a registration; the search
        for the scale is then skipped. ``deck`` (see `KnownDecks.classify`): which cards may be found beside
        confident ones.
        """
        with self._lock:
            began = time.perf_counter()
            pyramid = Pyramid(bgr)
            candidates = self._refine_and_recognize(
                pyramid, self._detect_at_best_scale(pyramid, card_px), began, deck=deck
            )
        if card_px is None:
            candidates = self._merge_fragments(bgr, candidates, deck)
        return candidates

    def detect_in_photograph(
        self, bgr: Image, deck: str | None = None, focal: float | None = None
    ) -> tuple[CardCandidates, RectifiedView | None]:
        """Return the candidates of a photograph (H x W x 3 uint8), after rectification if it was taken at
        an angle.

        The second result is the rectified view in whose px all coordinates are; None if the photograph was
        not rectified.
        """
        with self._lock:
            began = time.perf_counter()
            deadline = began + self._patience_s
            pyramid = Pyramid(bgr)
            passes: _Passes = {}

            def detect(picture: Image, scale: float) -> RefinedDetections:
                in_time = time.perf_counter() < deadline
                return self._detect_in_view(picture, scale) if in_time else NO_DETECTIONS

            view = find_view(pyramid, self._quick_detections(pyramid, passes), detect, focal)
            if view is not None:
                bgr = view.warp(pyramid)
                pyramid, passes = Pyramid(bgr), {}
            detections = self._detect_at_best_scale(pyramid, None if view is None else view.card_px, passes)
            candidates = self._refine_and_recognize(pyramid, detections, began, deck=deck, deadline=deadline)
        if time.perf_counter() < deadline:
            candidates = self._merge_fragments(bgr, candidates, deck)
        return candidates, view

    def view_of_table(self, bgr: Image, objects: Objects | None = None) -> tuple[bool, RectifiedView | None]:
        """Return whether a camera frame (H x W x 3 uint8) shows enough cards to determine the camera's
        view of the table, and the rectified view for tracking it (None if the frames are suitable
        unchanged). ``objects``: which detections may be cards; None: all.
        """
        with self._lock:
            pyramid = Pyramid(bgr)
            detections = self._quick_detections(pyramid, {}, objects)
            return find_table_view(pyramid, detections, self._detect_in_view, objects)

    def _quick_detections(
        self, pyramid: Pyramid, passes: _Passes, objects: Objects | None = None
    ) -> RefinedDetections:
        """Return the better detections of two quick passes; the passes are kept in ``passes``. ``objects``: see `view_of_table`."""
        results = []
        for side in QUICK_PASS_SIDES:
            scale = side / max(pyramid.size)
            detections = passes[scale, None] = self._detect_pass(pyramid, scale, None)
            if objects is not None:
                detections = detections.take(np.flatnonzero(objects(detections.quads)))
            results.append(self._refine_best(pyramid, detections))
            if (results[-1].scores > CONFIDENT_DETECTION).sum() >= MIN_PLANE_CARDS:  # none fills the picture
                break
        return max(results, key=lambda each: each.evidence)

    def _detect_in_view(self, picture: Image, scale: float) -> RefinedDetections:
        pyramid = Pyramid(picture)
        return self._refine_best(pyramid, self._detect_pass(pyramid, scale, None))

    def _refine_best(self, pyramid: Pyramid, detections: Detections) -> RefinedDetections:
        """Return the best detections of a pass with refined corners."""
        detections = suppress_duplicates(detections)
        most_visible = np.argsort(-detections.scores * detections.visible, kind="stable")[:_MAX_PLANE_CARDS]
        best = detections.take(most_visible[detections.scores[most_visible] >= MIN_SCORE])
        refined = self._refiner.refine(pyramid, best.quads, best.points)
        all_quads = detections.quads[detections.scores >= FAINT_SCORE]
        return RefinedDetections(refined.quads, best.scores, refined.visible, all_quads)

    def _merge_fragments(self, bgr: Image, candidates: CardCandidates, deck: str | None) -> CardCandidates:
        """Replace fragments by whole cards if the other cards determine the camera's view."""
        confident = candidates.scores >= CONFIDENT_DETECTION
        fragments = find_fragments(candidates.quads, candidates.visible, confident)
        if not fragments.any():
            return candidates
        began, size = time.perf_counter(), candidates.size
        whole_cards = candidates.take(
            np.flatnonzero(confident & ~fragments & (candidates.visible > MOSTLY_VISIBLE))
        )
        try:
            table = from_cards(whole_cards.quads, size)
        except RegistrationError:
            return candidates
        chosen = self.decks.choose(candidates.recognized, candidates.visible, deck)
        merged = merge_fragments(bgr, candidates, self, chosen, table)
        if merged is not candidates:  # longer fragments of the same cards may be left
            candidates = merged.take(remove_duplicates(merged.refined, merged.scores, size))
        refine_ms = candidates.ms["refine"] + (time.perf_counter() - began) * 1e3
        return replace(candidates, ms={**candidates.ms, "refine": refine_ms})

    def update_cards(
        self, bgr: Image, before: CardCandidates, changed: Callable[[Quads], NDArray[np.bool_]], part: Box
    ) -> CardCandidates:
        """Return the candidates of ``bgr``, a later frame than ``before``; only changed positions are
        processed.

        ``changed`` returns which quads (n x 4 x 2 px) overlap changed parts of the picture; ``part`` contains these. Unchanged
        positions keep their cards and get no new ones.
        """
        with self._lock:
            began = time.perf_counter()
            stale = changed(before.refined.quads)
            pyramid, kept = Pyramid(bgr), before.take(np.flatnonzero(~stale))
            card_px = float(np.median(card_widths(before.quads))) if len(before.quads) else None
            around = None
            if card_px is not None:
                # New cards reach beyond what changed by less than their length, and the detector looks as far beyond them.
                reach = 2 * card_px * CARD_MM[1] / CARD_MM[0]
                around = _part_around(part, before.quads[stale], reach, pyramid.size)
            detections = self._detect_at_best_scale(pyramid, card_px, changed=around)
            # The visible part of a new card has changed. Near the change, unchanged cards may be detected again, even at a wrong place.
            around_points = detections.quads - detections.quads.mean(axis=1, keepdims=True)
            around_points = detections.points[:, None] + _SAME_CARD_DISTANCE * around_points
            new = changed(around_points) & ~_on_cards(detections, kept.quads)
            new |= _at_positions(detections, before.quads[stale]) & ~_at_positions(detections, kept.quads)
            return self._refine_and_recognize(pyramid, detections.take(np.flatnonzero(new)), began, kept)

    def _refine_and_recognize(
        self,
        pyramid: Pyramid,
        detections: Detections,
        began: float,
        kept: CardCandidates | None = None,
        deck: str | None = None,
        deadline: float = float("inf"),
    ) -> CardCandidates:
        """Refine and recognize detections; ``kept`` are candidates that need neither. After ``deadline`` each
        is recognized only once, where it was detected.
        """
        times = [began, time.perf_counter()]
        regular = detections.scores >= MIN_SCORE
        detections, weak = detections.take(np.flatnonzero(regular)), detections.take(np.flatnonzero(~regular))
        beside = kept.refined if kept else None
        before_moves = self._refiner.refine(pyramid, detections.quads, detections.points, beside)
        refined = resolve_order_conflicts(
            before_moves,
            lambda cards: self._refiner.try_opposite(pyramid, before_moves, detections.points, cards),
        )
        scores = detections.scores
        if kept:
            refined, scores = kept.refined.beside(refined), np.concatenate((kept.scores, scores))
        times.append(time.perf_counter())
        selected = remove_duplicates(refined, scores, pyramid.size)
        selected = selected[refined.visible[selected] >= _MIN_VISIBLE]
        refined = resolve_masks(refined.take(selected))
        times.append(time.perf_counter())
        kept_count = len(kept.scores) if kept else 0
        new_cards = refined.take(np.flatnonzero(selected >= kept_count))
        recognized = self.recognizer.recognize(pyramid, new_cards)
        if time.perf_counter() < deadline:
            recognized = self._recognize_shifted(pyramid, new_cards, recognized, beside)
        if kept:
            recognized = kept.recognized.take(selected[selected < kept_count]).beside(recognized)
        candidates = CardCandidates(refined, recognized, scores[selected], pyramid.size, {})
        if time.perf_counter() < deadline:
            deck = self.decks.provisional(candidates.recognized, candidates.visible, deck)
            candidates = self._place_beside_neighbors(
                pyramid, candidates, selected - kept_count, detections, deck
            )
            candidates = self._add_faint(pyramid, candidates, weak, deck)
        times.append(time.perf_counter())
        took = ((end - start) * 1e3 for start, end in pairwise(times))
        ms = dict(zip(("detect", "refine", "deduplicate", "recognize"), took, strict=True))
        return replace(candidates, ms=ms)

    def _place_beside_neighbors(
        self,
        pyramid: Pyramid,
        candidates: CardCandidates,
        detection_of: NDArray[np.intp],
        detections: Detections,
        deck: str,
    ) -> CardCandidates:
        """Move uncertain cards to positions beside their neighbors if they are recognized there with
        confidence.

        ``detection_of``: the detection of each of the ``candidates``; negative for candidates kept from before.
        Uncertain cards are new ones without a confident name, at another card's position, or of an
        over-assigned class, and dropped detections.
        """
        named = self.decks.named(candidates.recognized, deck)
        posterior = named.posterior
        misplaced = overlapping_pairs(candidates.refined) | over_assigned(named)
        confident = np.flatnonzero(~misplaced & (posterior[:, :-1].max(axis=1, initial=0) >= CONFIDENT_NAME))
        uncertain = np.flatnonzero(
            (detection_of >= 0) & (misplaced | (posterior.max(axis=1, initial=0) < CONFIDENT_NAME))
        )
        dropped = np.setdiff1d(np.arange(len(detections.scores)), detection_of)
        if not len(confident) or not len(uncertain) + len(dropped):
            return candidates
        doubtful = np.concatenate((detection_of[uncertain], dropped))
        confident_cards = candidates.refined.take(confident)
        probability = np.concatenate(
            (np.where(misplaced, 0, posterior[:, :-1].max(axis=1))[uncertain], np.zeros(len(dropped)))
        )
        own_positions = {
            number: candidates.refined.quads[row] for number, row in enumerate(uncertain) if misplaced[row]
        }
        placement = place_beside_neighbors(
            detections.points[doubtful],
            own_positions,
            probability,
            confident_cards,
            pyramid.size,
            *self._context_functions(pyramid, confident_cards, deck),
        )
        if placement is None:
            return candidates
        placed_detections, refined, recognized = placement
        scores = detections.scores[doubtful[placed_detections]]
        moved = CardCandidates(refined, recognized, scores, candidates.size, candidates.ms)
        kept = np.setdiff1d(
            np.arange(len(candidates.scores)),
            uncertain[placed_detections[placed_detections < len(uncertain)]],
        )
        return candidates.take(kept).beside(moved)

    def _add_faint(
        self, pyramid: Pyramid, candidates: CardCandidates, weak: Detections, deck: str
    ) -> CardCandidates:
        """Add ``weak`` detections that are recognized with confidence as cards not detected elsewhere."""
        if not len(weak.scores):
            return candidates
        confident = np.flatnonzero(
            self.decks.named(candidates.recognized, deck).posterior[:, :-1].max(axis=1, initial=0)
            >= CONFIDENT_NAME
        )
        if not len(confident):
            return candidates
        confident_cards = candidates.refined.take(confident)
        placement = confirm_faint(
            weak.points,
            weak.quads,
            confident_cards,
            pyramid.size,
            *self._context_functions(pyramid, confident_cards, deck),
        )
        if placement is None:
            return candidates
        placed_detections, refined, recognized = placement
        scores = weak.scores[placed_detections]
        extended = candidates.beside(
            CardCandidates(refined, recognized, scores, candidates.size, candidates.ms)
        )
        is_new = np.arange(len(extended.scores)) >= len(candidates.scores)
        return extended.take(
            np.flatnonzero(~(is_new & over_assigned(self.decks.named(extended.recognized, deck))))
        )

    def _context_functions(
        self, pyramid: Pyramid, confident_cards: RefinedCards, deck: str
    ) -> tuple[RefineFunction, RecognizeFunction]:
        """Return the functions that refine quads beside confident cards and recognize the result."""

        def recognize(refined: RefinedCards) -> tuple[Recognitions, Recognitions]:
            recognized = self.recognizer.recognize(pyramid, refined)
            return recognized, self.decks.named(recognized, deck, compare=False)

        return lambda quads, points: self._refiner.refine(pyramid, quads, points, confident_cards), recognize

    def _recognize_shifted(
        self, pyramid: Pyramid, refined: RefinedCards, recognized: Recognitions, beside: RefinedCards | None
    ) -> Recognitions:
        """Recognize cards without a confident name again from slightly shifted crops, and average the
        results.

        Corners, masks, and names all depend slightly on the crop; averaging removes that part of the
        uncertainty.
        """
        is_uncertain = recognized.posterior.max(axis=1) < CONFIDENT_NAME
        uncertain = np.flatnonzero(is_uncertain)
        if not len(uncertain):
            return recognized
        confident_cards = refined.take(np.flatnonzero(~is_uncertain))
        confident_cards = confident_cards.beside(beside) if beside else confident_cards
        readings = [recognized.take(uncertain)]
        for shift in _SHIFTS:
            quads = refined.quads[uncertain]
            shifted = quads + shift * (quads[:, 2:3] - quads[:, 0:1])
            shifted_cards = self._refiner.refine(
                pyramid, shifted, None, confident_cards if len(confident_cards.quads) else None
            )
            readings.append(self.recognizer.recognize(pyramid, shifted_cards))
        return recognized.replaced(uncertain, average_recognitions(readings))

    def recognize_at(self, bgr: Image, quads: Quads) -> CardCandidates:
        """Return the candidates at given quads (n x 4 x 2 px), refined and recognized like those of
        `detect_cards`; all scores are 1, and no durations are measured.
        """
        with self._lock:
            pyramid = Pyramid(bgr)
            refined = self._refiner.refine(pyramid, quads)
            recognized = self.recognizer.recognize(pyramid, refined)
        return CardCandidates(refined, recognized, np.ones(len(quads), np.float32), pyramid.size, {})

    def _detect_at_best_scale(
        self,
        pyramid: Pyramid,
        card_px: float | None = None,
        passes: _Passes | None = None,
        changed: Box | None = None,
    ) -> Detections:
        """Detect the cards; ``card_px``: see `detect_cards`. If ``fast``, passes process the whole frame, or what ``changed``.

        ``passes``: passes over this picture that were already made.
        """

        def run_pass(scale: float, part: Box | None) -> Detections:
            known = (passes or {}).get((scale, part))
            return self._detect_pass(pyramid, scale, part) if known is None else known

        return suppress_duplicates(
            detect_at_best_scale(run_pass, pyramid.size, card_px, whole=self._fast, changed=changed)
        )

    def _detect_pass(self, pyramid: Pyramid, scale: float, part: Box | None) -> Detections:
        picture, level = pyramid.above(scale)
        factor, corner = 2**level, np.zeros(2, np.float32)
        if part is not None:
            left, top, right, bottom = (edge // factor for edge in part)
            picture, corner = picture[top:bottom, left:right], np.array((left, top), np.float32)
        remaining_scale = scale * factor
        detections = self._detector.detect(
            picture, 1.0 if remaining_scale > _SCALE_TOLERANCE else remaining_scale, _FAINT_MIN_SCORE
        )
        return replace(
            detections,
            quads=(detections.quads + corner) * factor,
            points=(detections.points + corner) * factor,
        )


def _part_around(part: Box, quads: Quads, reach: float, size: tuple[int, int]) -> Box | None:
    """Return the rectangle that contains a part of a picture of ``size`` (width, height) and ``quads`` (n x 4 x 2 px), and ``reach`` px
    around; None if that is more than half of the picture: the whole takes little longer."""
    corners = np.concatenate((np.reshape(part, (2, 2)), quads.reshape(-1, 2)))
    left, top = np.clip(corners.min(axis=0) - reach, 0, size).astype(int).tolist()
    right, bottom = np.clip(np.ceil(corners.max(axis=0) + reach), 0, size).astype(int).tolist()
    is_small = 2 * (right - left) * (bottom - top) < size[0] * size[1]
    return (left, top, right, bottom) if is_small else None


def _at_positions(detections: Detections, quads: Quads) -> NDArray[np.bool_]:
    """Return which detections (n) are at one of ``quads`` (m x 4 x 2 px)."""
    distances = np.linalg.norm(detections.quads.mean(axis=1)[:, None] - quads.mean(axis=1), axis=2)
    return np.asarray((distances < _SAME_CARD_DISTANCE * detections.widths[:, None]).any(axis=1), np.bool_)


def _on_cards(detections: Detections, quads: Quads) -> NDArray[np.bool_]:
    """Return which detections (n) share more than half of their area with one of ``quads`` (m x 4 x 2 px)."""
    return np.array([any(overlap(quad, each) > 0.5 for each in quads) for quad in detections.quads], np.bool_)


def build_result(
    candidates: CardCandidates,
    width: int,
    height: int,
    calibration: Calibration,
    view: RectifiedView | None = None,
) -> ScanResult:
    """Assign names to accepted cards and return the scan result of a picture of ``width`` x ``height`` px.

    ``calibration``: that of the weights in use. ``view``: the
    rectified view of the candidates; the result is in px of the original picture.
    """
    recognized = candidates.recognized
    names, posterior_after = assign_names(
        recognized.posterior, candidates.visible, recognized.classes, calibration=calibration
    )
    doubtful = measure_cards(recognized.crops).doubtful
    names = [
        (None if poor_quality and confidence < POOR_PHOTO_CONFIDENCE else name, confidence)
        for (name, confidence), poor_quality in zip(names, doubtful, strict=True)
    ]
    quads = candidates.quads if view is None else view.to_picture(candidates.quads).astype(np.float32)
    cards = tuple(
        ScannedCard(name, confidence, _to_quad(quad), float(visible), alternatives(row, recognized.classes))
        for (name, confidence), quad, visible, row in zip(
            names, quads, candidates.visible, posterior_after, strict=True
        )
    )
    total = sum(candidates.ms.values())
    ms = {"detect": candidates.ms["detect"], "identify": total - candidates.ms["detect"], "total": total}
    return ScanResult(width, height, candidates.deck, cards, ms)


def _to_quad(quad: NDArray[np.float32]) -> Quad:
    one, two, three, four = ((float(x), float(y)) for x, y in quad)
    return one, two, three, four
