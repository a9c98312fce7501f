"""From a plain photograph to its cards: find the scale, find the cards, look closely, name them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.decks.deck_choice import KnownDecks, UnknownDeckError
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_naming import CardClassifier, CardPosteriors, read_vote_weights
from vision.geometry.rectification import RectifiedView, RefinedDetections, find_table_view, find_view
from vision.geometry.registration.registration_findings import RegistrationError
from vision.geometry.registration.registration_methods import from_cards
from vision.geometry.table_coordinates import TableCoordinates
from vision.networks.card_arrays import concatenate_cards, replace_cards
from vision.networks.crops import Image, Pyramid, Quads, rotate_half_turn
from vision.networks.detector import CONFIDENT_DETECTION, Detections, Detector, card_widths
from vision.networks.matcher import Matcher
from vision.networks.network_variants import NetworkVariant
from vision.networks.onnx_sessions import MODELS
from vision.networks.pipeline_steps import ALL_STEPS, PipelineSteps
from vision.networks.probability_calibration import Calibration
from vision.networks.recognizer import Recognitions, Recognizer, average_recognitions
from vision.networks.refiner import RefinedCards, Refiner
from vision.occlusion.fragment_merging import find_fragments, merge_fragments
from vision.occlusion.layer_order import resolve_masks
from vision.occlusion.order_consistency import resolve_order_conflicts
from vision.occlusion.visible_overlap import remove_duplicates, suppress_duplicates
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
    POOR_PHOTO_CONFIDENCE,
    findings_without_cards,
    measure_cards,
    quality_findings,
)
from vision.photograph.read_cards import CardCandidates
from vision.photograph.scan_result import Quad, ScannedCard, ScanResult

__all__ = ["Scanner", "UnknownDeckError", "build_result"]

#: A level of the pyramid that is this near the wanted scale is taken as it is: resizing it would take a tenth of the network's time.
_NEARLY: Final = 0.9
#: A find nearer than this to a card that is kept, in card widths, is that card.
_SAME_CARD: Final = 0.25
#: A find this faint may be a card where it is plainly read as one of which nothing was seen.
_FAINT: Final = 0.1
#: A card without a sure name is read again from these places: shares of its diagonal.
_BESIDE: Final = (0.035, -0.035)
#: What shows less than this is left out.
_LEAST_SHARE: Final = 0.06
#: The plane of a photograph is fitted to at most so many cards; where so many are surely found, none of them fills the picture.
_PLANE_CARDS: Final = 12
_PLANE_SURE: Final = 3

_Looks = dict[tuple[float, Box | None], Detections]


class Scanner:
    """Reads photographs. Loads the networks once; ``scan`` may be called from several threads, one at a time works."""

    def __init__(
        self,
        models: Path | None = None,
        steps: PipelineSteps = ALL_STEPS,
        library: DeckLibrary | None = None,
        *,
        fast: bool = False,
    ) -> None:
        """Load the networks of ``models``; ``library``: the decks that are known, those shipped beside the networks if None.

        ``swift``: in the fastest form, for frame after frame of a table that is watched, where a card in doubt is seen again.
        Of a photograph there is only the one look, and int8 costs a card here and there (models/README.md).
        """
        folder = models or MODELS
        self._detector, self._refiner, self.recognizer = (
            Detector(folder, fast),
            Refiner(folder, steps, fast),
            Recognizer(folder, steps, fast),
        )
        self.decks = KnownDecks(
            library or DeckLibrary(shipped=folder / "decks"),
            self.recognizer,
            read_vote_weights(folder),
            Matcher(folder),
        )
        self._steps = steps
        self._swift = fast
        self._lock = threading.Lock()

    @property
    def calibration(self) -> Calibration:
        """What was fitted for the weights in use."""
        return self.recognizer.calibration

    @property
    def forms(self) -> Mapping[str, NetworkVariant]:
        """The form and the number of threads that each network runs in."""
        return {
            "detector": self._detector.form,
            "refiner": self._refiner.form,
            "recogniser": self.recognizer.form,
        }

    def scan(self, bgr: Image, deck: str | None = None, focal: float | None = None) -> ScanResult:
        """Return the cards of a photograph (H x W x 3 uint8); UnknownDeckError for a deck that is not known.

        ``focal``: the focal length in px, where the file tells it (`vision.photograph.picture_decoding`).
        """
        self.decks.check(deck)
        seen, view = self.detect_in_photograph(bgr, deck, focal)
        seen, name, posteriors = self.believe(seen, deck)
        reading = build_result(seen, bgr.shape[1], bgr.shape[0], name, posteriors, self.calibration, view)
        if not reading.cards:
            return replace(reading, quality=findings_without_cards(bgr))
        return reading

    def believe(
        self, seen: CardCandidates, deck: str | None = None
    ) -> tuple[CardCandidates, str, CardPosteriors]:
        """Return what to tell of, without doubtful finds, the deck it is read as, and what is believed of each card.

        ``deck`` as in `KnownDecks.believe`; UnknownDeckError where it is not known.
        """
        name, posteriors = self.decks.believe(seen.recognized, seen.visible, deck)
        told = accepted_cards(posteriors.posterior, seen.visible, seen.scores, seen.quads, self.calibration)
        # A strip has too little of a card for a deck's embeddings to tell it from ground.
        told &= ~self.decks.possible_false_positives(name, seen.recognized) | (seen.visible >= STRIP_VISIBLE)
        backs = told & (posteriors.posterior[:, -2] > 0.5)
        told &= ~false_backs(backs, seen.visible, seen.scores, seen.quads, seen.recognized.crops)
        cards = np.flatnonzero(told)
        cards = cards[~uncovered_backs(backs[cards], seen.scores[cards], seen.refined.take(cards), seen.size)]
        seen, posteriors = seen.take(cards), posteriors.take(cards)
        posteriors = replace(posteriors, posterior=favor_backs(posteriors.posterior))
        vague = named_only(posteriors.posterior, seen.scores)
        if vague.any():
            names, _ = assign_names(
                posteriors.posterior, seen.visible, posteriors.classes, calibration=self.calibration
            )
            cards = np.flatnonzero(~vague | [name is not None for name, _ in names])
            seen, posteriors = seen.take(cards), posteriors.take(cards)
        quads = np.where(
            posteriors.upright[:, None, None], seen.refined.quads, rotate_half_turn(seen.refined.quads)
        )
        return replace(seen, quads=quads), name, posteriors

    def detect_cards(
        self, bgr: Image, card_px: float | None = None, deck: str | None = None
    ) -> CardCandidates:
        """Return what the networks see in ``bgr`` (H x W x 3 uint8), with every doubt still in it.

        ``card_px``: the width of a card, px, where it is known, from the frame before or from a registration; the search for
        the scale is then left out. ``deck``, as in `KnownDecks.believe`: what the cards may be that are looked for beside sure ones.
        """
        with self._lock:
            began = time.perf_counter()
            pyramid = Pyramid(bgr)
            seen = self._read(pyramid, self._find(pyramid, card_px), began, deck=deck)
        if self._steps.pieces and card_px is None:
            seen = self._merge_fragments(bgr, seen, deck)
        return seen

    def detect_in_photograph(
        self, bgr: Image, deck: str | None = None, focal: float | None = None
    ) -> tuple[CardCandidates, RectifiedView | None]:
        """Return what the networks see in a photograph (H x W x 3 uint8) as `see` does, but rectified first where it was taken at an angle.

        The second result is the view from above in whose px everything is, None where the photograph was read as it is.
        """
        with self._lock:
            began = time.perf_counter()
            pyramid = Pyramid(bgr)
            looks: _Looks = {}
            view = self._view_from_above(pyramid, looks, focal) if self._steps.rectify else None
            if view is not None:
                bgr = view.warp(pyramid)
                pyramid, looks = Pyramid(bgr), {}
            found = self._find(pyramid, None if view is None else view.card_px, looks)
            seen = self._read(pyramid, found, began, deck=deck)
        if self._steps.pieces:
            seen = self._merge_fragments(bgr, seen, deck)
        return seen, view

    def view_of_table(self, bgr: Image) -> tuple[bool, RectifiedView | None]:
        """Return whether a camera's frame (H x W x 3 uint8) tells how the camera looks at the table, and the view from above to watch it in,
        None where the frames are good as they are.
        """
        with self._lock:
            pyramid = Pyramid(bgr)
            return find_table_view(pyramid, self._detections(pyramid, {}), self._detect)

    def _view_from_above(self, pyramid: Pyramid, looks: _Looks, focal: float | None) -> RectifiedView | None:
        """Return the view in which to read a photograph, None as it is; passes over the photograph are kept in ``looks``."""
        return find_view(pyramid, self._detections(pyramid, looks), self._detect, focal)

    def _detections(self, pyramid: Pyramid, looks: _Looks) -> RefinedDetections:
        """Return the better of what two quick passes detect; the passes are kept in ``looks``."""
        passes = []
        for side in QUICK_PASS_SIDES:
            scale = side / max(pyramid.size)
            found = looks[scale, None] = self._pass(pyramid, scale, None)
            passes.append(self._with_corners(pyramid, found))
            if (passes[-1].scores > CONFIDENT_DETECTION).sum() >= _PLANE_SURE:
                break
        return max(passes, key=lambda each: each.evidence)

    def _detect(self, picture: Image, scale: float) -> RefinedDetections:
        pyramid = Pyramid(picture)
        return self._with_corners(pyramid, self._pass(pyramid, scale, None))

    def _with_corners(self, pyramid: Pyramid, found: Detections) -> RefinedDetections:
        """Return a pass as `RefinedDetections`: the best of them with refined corners."""
        found = suppress_duplicates(found)
        whole = np.argsort(-found.scores * found.visible, kind="stable")[:_PLANE_CARDS]
        best = found.take(whole[found.scores[whole] >= MIN_SCORE])
        looked = self._refiner.refine(pyramid, best.quads, best.points)
        everything = found.quads[found.scores >= FAINT_SCORE]
        return RefinedDetections(looked.quads, best.scores, looked.visible, everything)

    def _merge_fragments(self, bgr: Image, seen: CardCandidates, deck: str | None) -> CardCandidates:
        """Put whole cards in the place of pieces, where the cards seen tell how the camera looks at them."""
        sure = seen.scores >= CONFIDENT_DETECTION
        short = find_fragments(seen.quads, seen.visible, sure)
        if not short.any():
            return seen
        began = time.perf_counter()
        size = (bgr.shape[1], bgr.shape[0])
        plain = seen.take(np.flatnonzero(sure & ~short & (seen.visible > MOSTLY_VISIBLE)))
        try:
            table = from_cards(plain.quads, size)
        except RegistrationError:
            return seen
        measure = TableCoordinates(size, float(np.median(card_widths(plain.quads))), table)
        whole = merge_fragments(
            bgr, seen, self, self.decks.choose(seen.recognized, seen.visible, deck), measure
        )
        if whole is not seen:  # other pieces of the same card may not have been so short
            seen = whole.take(remove_duplicates(whole.refined, whole.scores, size))
        return replace(seen, ms={**seen.ms, "look": seen.ms["look"] + (time.perf_counter() - began) * 1e3})

    def update_cards(
        self, bgr: Image, before: CardCandidates, changed: Callable[[Quads], NDArray[np.bool_]]
    ) -> CardCandidates:
        """Return what is seen in ``bgr``, a frame later than ``before``; only what may have changed is looked at and read.

        ``changed`` tells of quads (n x 4 x 2 px) whether the picture changed there. What did not keeps its cards, and
        gets no new ones.
        """
        with self._lock:
            began = time.perf_counter()
            gone = changed(before.refined.quads)
            pyramid, kept = Pyramid(bgr), before.take(np.flatnonzero(~gone))
            card_px = float(np.median(card_widths(before.quads))) if len(before.quads) else None
            found = self._find(pyramid, card_px)
            # A card whose place changed only just is found again at one that only just did not.
            new = changed(found.quads) | _at(found, before.quads[gone])
            new &= ~_at(found, kept.quads)
            return self._read(pyramid, found.take(np.flatnonzero(new)), began, kept)

    def _read(
        self,
        pyramid: Pyramid,
        found: Detections,
        began: float,
        kept: CardCandidates | None = None,
        deck: str | None = None,
    ) -> CardCandidates:
        """Look closely at cards found and read them; ``kept`` are others that need neither."""
        clock = [began, time.perf_counter()]
        plain = found.scores >= MIN_SCORE
        found, weak = found.take(np.flatnonzero(plain)), found.take(np.flatnonzero(~plain))
        refined, scores = (
            self._refiner.refine(pyramid, found.quads, found.points, kept.refined if kept else None),
            found.scores,
        )
        if self._steps.crossings:
            looked = refined
            refined = resolve_order_conflicts(
                refined, lambda cards: self._refiner.try_opposite(pyramid, looked, found.points, cards)
            )
        if kept:
            refined, scores = concatenate_cards(kept.refined, refined), np.concatenate((kept.scores, scores))
        clock.append(time.perf_counter())
        told = np.arange(len(scores))
        if self._steps.claims:
            told = remove_duplicates(refined, scores, pyramid.size)
        told = told[refined.visible[told] >= _LEAST_SHARE]
        refined = refined.take(told)
        if self._steps.layers:
            refined = resolve_masks(refined)
        clock.append(time.perf_counter())
        before = len(kept.scores) if kept else 0
        newly = refined.take(np.flatnonzero(told >= before))
        named = self.recognizer.recognize(pyramid, newly)
        if self._steps.again:
            named = self._recognize_shifted(pyramid, newly, named, kept.refined if kept else None)
        if kept:
            named = concatenate_cards(kept.recognized.take(told[told < before]), named)
        seen = CardCandidates(refined.quads, refined.visible, scores[told], named, refined, pyramid.size, {})
        if self._steps.neighbours:
            believe = self.decks.provisional_classifier(seen.recognized, seen.visible, deck)
            seen = self._place_beside_neighbors(pyramid, seen, told - before, found, believe)
            seen = self._add_faint(pyramid, seen, weak, believe)
        clock.append(time.perf_counter())
        quads = np.where(
            seen.recognized.upright[:, None, None], seen.refined.quads, rotate_half_turn(seen.refined.quads)
        )
        took = ((end - start) * 1e3 for start, end in pairwise(clock))
        ms = dict(zip(("find", "look", "claim", "name"), took, strict=True))
        return replace(seen, quads=quads, ms=ms)

    def _place_beside_neighbors(
        self,
        pyramid: Pyramid,
        seen: CardCandidates,
        finds: NDArray[np.intp],
        found: Detections,
        believe: CardClassifier,
    ) -> CardCandidates:
        """Put cards in doubt where they lie as their neighbours do, if they are plainly read there.

        ``finds``: which find each of the cards in ``seen`` is; negative for those that were seen before. In doubt are new ones
        without a sure name, in another's place, or of a kind of which there are too many, and finds that were dropped.
        """
        posteriors = believe(seen.recognized)
        likely = posteriors.posterior
        twice = overlapping_pairs(seen.refined) | over_assigned(posteriors)
        sure = np.flatnonzero(~twice & (likely[:, :-1].max(axis=1, initial=0) >= CONFIDENT_NAME))
        rows = np.flatnonzero((finds >= 0) & (twice | (likely.max(axis=1, initial=0) < CONFIDENT_NAME)))
        gone = np.setdiff1d(np.arange(len(found.scores)), finds)
        if not len(sure) or not len(rows) + len(gone):
            return seen
        doubts, beside = np.concatenate((finds[rows], gone)), seen.refined.take(sure)
        so_far = np.concatenate((np.where(twice, 0, likely[:, :-1].max(axis=1))[rows], np.zeros(len(gone))))
        own = {doubt: seen.refined.quads[row] for doubt, row in enumerate(rows) if twice[row]}
        placed = place_beside_neighbors(
            found.points[doubts], own, so_far, beside, pyramid.size, *self._closely(pyramid, beside, believe)
        )
        if placed is None:
            return seen
        which, looked, named = placed
        put = CardCandidates(
            looked.quads, looked.visible, found.scores[doubts[which]], named, looked, seen.size, seen.ms
        )
        stay = np.setdiff1d(np.arange(len(seen.scores)), rows[which[which < len(rows)]])
        return seen.take(stay).beside(put)

    def _add_faint(
        self, pyramid: Pyramid, seen: CardCandidates, weak: Detections, believe: CardClassifier
    ) -> CardCandidates:
        """Add ``named_only`` finds where they are plainly read as cards of which none was seen yet."""
        if not len(weak.scores):
            return seen
        sure = np.flatnonzero(
            believe(seen.recognized).posterior[:, :-1].max(axis=1, initial=0) >= CONFIDENT_NAME
        )
        if not len(sure):
            return seen
        beside = seen.refined.take(sure)
        placed = confirm_faint(
            weak.points,
            weak.quads,
            beside,
            pyramid.size,
            *self._closely(pyramid, beside, believe),
        )
        if placed is None:
            return seen
        which, looked, named = placed
        more = seen.beside(
            CardCandidates(
                looked.quads, looked.visible, weak.scores[which], named, looked, seen.size, seen.ms
            )
        )
        new = np.arange(len(more.scores)) >= len(seen.scores)
        return more.take(np.flatnonzero(~(new & over_assigned(believe(more.recognized)))))

    def _closely(
        self, pyramid: Pyramid, beside: RefinedCards, believe: CardClassifier
    ) -> tuple[RefineFunction, RecognizeFunction]:
        """Return how places are looked at beside cards of which one is sure, and how what is seen there is read."""

        def read(looked: RefinedCards) -> tuple[Recognitions, CardPosteriors]:
            named = self.recognizer.recognize(pyramid, looked)
            return named, believe(named, compare=False)

        return lambda quads, points: self._refiner.refine(pyramid, quads, points, beside), read

    def _recognize_shifted(
        self, pyramid: Pyramid, refined: RefinedCards, named: Recognitions, beside: RefinedCards | None
    ) -> Recognitions:
        """Read the cards that have no sure name from a little beside too, and average what is read.

        Corners, visible part and name all depend a little on where one looks; that part of the doubt goes.
        """
        unsure = np.flatnonzero(named.posterior.max(axis=1) < CONFIDENT_NAME)
        if not len(unsure):
            return named
        rest = refined.take(np.flatnonzero(named.posterior.max(axis=1) >= CONFIDENT_NAME))
        if beside:
            rest = concatenate_cards(rest, beside)
        readings = [named.take(unsure)]
        for move in _BESIDE:
            quads = refined.quads[unsure]
            moved = quads + move * (quads[:, 2:3] - quads[:, 0:1])
            looked = self._refiner.refine(pyramid, moved, None, rest if len(rest.quads) else None)
            readings.append(self.recognizer.recognize(pyramid, looked))
        return replace_cards(named, unsure, average_recognitions(readings))

    def recognize_at(self, bgr: Image, quads: Quads) -> CardCandidates:
        """Look closely at places (n x 4 x 2 px) where cards should lie, as `see` does at those it found; scores are 1."""
        with self._lock:
            clock = time.perf_counter()
            pyramid = Pyramid(bgr)
            refined = self._refiner.refine(pyramid, quads)
            looked = time.perf_counter()
            named = self.recognizer.recognize(pyramid, refined)
        ends = np.where(named.upright[:, None, None], refined.quads, rotate_half_turn(refined.quads))
        ms = {"find": 0.0, "look": (looked - clock) * 1e3, "name": (time.perf_counter() - looked) * 1e3}
        return CardCandidates(
            ends, refined.visible, np.ones(len(quads), np.float32), named, refined, pyramid.size, ms
        )

    def _find(
        self, pyramid: Pyramid, card_px: float | None = None, looks: _Looks | None = None
    ) -> Detections:
        """Find the cards; ``card_px`` as in `see`. Where frame follows frame, the first is looked at as whole as those after it.

        ``looks``: passes over this picture that were made already.
        """

        def look(scale: float, part: Box | None) -> Detections:
            known = (looks or {}).get((scale, part))
            return self._pass(pyramid, scale, part) if known is None else known

        return suppress_duplicates(detect_at_best_scale(look, pyramid.size, card_px, whole=self._swift))

    def _pass(self, pyramid: Pyramid, scale: float, part: Box | None) -> Detections:
        picture, level = pyramid.above(scale)
        larger, corner = 2**level, np.zeros(2, np.float32)
        if part is not None:
            left, top, right, bottom = (edge // larger for edge in part)
            picture, corner = picture[top:bottom, left:right], np.array((left, top), np.float32)
        wanted = scale * larger
        found = self._detector.detect(picture, 1.0 if wanted > _NEARLY else wanted, _FAINT)
        return replace(found, quads=(found.quads + corner) * larger, points=(found.points + corner) * larger)


def _at(found: Detections, quads: Quads) -> NDArray[np.bool_]:
    """Return which of n finds lie where one of ``quads`` (m x 4 x 2 px) does."""
    away = np.linalg.norm(found.quads.mean(axis=1)[:, None] - quads.mean(axis=1), axis=2)
    return np.asarray((away < _SAME_CARD * found.widths[:, None]).any(axis=1), np.bool_)


def build_result(
    seen: CardCandidates,
    width: int,
    height: int,
    deck: str,
    posteriors: CardPosteriors,
    calibration: Calibration,
    view: RectifiedView | None = None,
) -> ScanResult:
    """Decide on the names of what is told of a picture of ``width`` x ``height`` px, read as ``deck``.

    ``believed`` is what is believed of the cards by that deck; ``calibration`` that of the weights they were read with.
    ``view``: the view from above that they were seen in; quads are reported in px of the picture itself.
    """
    names, left = assign_names(
        posteriors.posterior, seen.visible, posteriors.classes, calibration=calibration
    )
    measures = measure_cards(seen.recognized.crops)
    doubtful = measures.doubtful
    names = [
        (None if hard and sure < POOR_PHOTO_CONFIDENCE else name, sure)
        for (name, sure), hard in zip(names, doubtful, strict=True)
    ]
    quads = seen.quads if view is None else view.to_picture(seen.quads).astype(np.float32)
    cards = tuple(
        ScannedCard(name, sure, _as_quad(quad), float(share), alternatives(row, posteriors.classes))
        for (name, sure), quad, share, row in zip(names, quads, seen.visible, left, strict=True)
    )
    total = sum(seen.ms.values())
    ms = {"detect": seen.ms["find"], "identify": total - seen.ms["find"], "total": total}
    unnamed = np.array([name is None for name, _ in names], np.bool_)
    findings = quality_findings(measures, quads, unnamed, 0.0 if view is None else view.tilt)
    return ScanResult(width, height, deck, cards, ms, findings)


def _as_quad(quad: NDArray[np.float32]) -> Quad:
    one, two, three, four = ((float(x), float(y)) for x, y in quad)
    return one, two, three, four
