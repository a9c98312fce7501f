"""Runs the scanner on annotated pictures and compares the detections with the truth."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import BACK as BACK_ID
from companion.messages import error_text
from hanafuda_training.benchmarks.ground_truth import BadTruthError, TrueCard, TruePicture
from hanafuda_training.benchmarks.stacking_order import seen_over, true_order
from hanafuda_training.benchmarks.truth_matching import match
from vision.networks.detector import card_widths
from vision.photograph.name_assignment import CardClasses, assign_names
from vision.photograph.scan_result import ScannedCard
from vision.photograph.scanner import Scanner, build_result
from vision.pictures.crops import Image, Quads, rotate_half_turn
from vision.pictures.picture_decoding import read_picture
from vision.pictures.picture_files import PictureError

__all__ = [
    "STEPS",
    "EvaluatedCard",
    "EvaluatedDetection",
    "EvaluatedPicture",
    "evaluate",
    "read",
    "without",
]

STEPS: Final[Mapping[str, Mapping[str, Any]]] = {
    "rectify": {"photograph.scanner.find_view": lambda *_: None},
    "refine-twice": {"networks.refiner._MAX_SETTLED_MOVE": np.inf, "networks.refiner._WHOLE": 0.0},
    "opposite-sides": {"networks.refiner.Refiner._try_opposite_sides": lambda *given: given[2]},
    "plane": {"networks.refiner.complete_corners": lambda quads, _: quads},
    "order-conflicts": {"photograph.scanner.resolve_order_conflicts": lambda refined, _: refined},
    "duplicates": {"photograph.scanner.remove_duplicates": lambda _, scores, __: np.arange(len(scores))},
    "mask-order": {"photograph.scanner.resolve_masks": lambda refined: refined},
    "mask": {"networks.recognizer.masks_in_crops": lambda *_: np.uint8(255)},
    "both-ends": {"networks.recognizer._CONFIDENT": 0.0},
    "half-gray": {"networks.recognizer._GRAY_MIN_VISIBLE": np.inf},
    "shifted-crops": {"photograph.scanner.Scanner._recognize_shifted": lambda *given: given[3]},
    "neighbors": {
        "photograph.scanner.Scanner._place_beside_neighbors": lambda *given: given[2],
        "photograph.scanner.Scanner._add_faint": lambda *given: given[2],
    },
    "fragments": {"photograph.scanner.find_fragments": lambda quads, *_: np.zeros(len(quads), np.bool_)},
}
"""Steps of the pipeline whose contribution is measured, and what replaces each: attributes of modules in `vision`. Without ``both-ends``,
uncertain cards are not read in paler colors either."""


@contextmanager
def without(step: str) -> Iterator[None]:
    """Scan without one of `STEPS`."""
    with ExitStack() as stack:
        for name, replacement in STEPS[step].items():
            stack.enter_context(mock.patch(f"vision.{name}", replacement))
        yield


@dataclass(frozen=True, slots=True)
class EvaluatedDetection:
    """A detection as ``reported``, and the guesses before the name assignment.

    ``own``: the recognizer's most probable name, whatever its probability; None for an unknown card.
    ``own_confidence``: its probability (0-1). ``unassigned``: the name that would be reported if each card were
    named independently of the others.
    """

    reported: ScannedCard
    own: str | None
    own_confidence: float
    unassigned: str | None


@dataclass(frozen=True, slots=True)
class EvaluatedCard:
    """A true card and its detection; ``detection`` is None if it was missed.

    ``corners``: root mean square error of the eight corner coordinates as a fraction of the card width, for
    the better of the two orientations. ``upright``: whether the orientation is correct. Both are None if the
    truth has no quad.
    """

    truth: TrueCard
    detection: EvaluatedDetection | None
    corners: float | None = None
    upright: bool | None = None


@dataclass(frozen=True, slots=True)
class EvaluatedPicture:
    """A picture after one scan.

    ``size``: (width, height), px. ``cards``: the true cards with their detections. ``extra``: detections that
    match no true card. ``order``: for each overlapping pair, whether its stacking order is correct. ``ms``:
    duration of each stage in order, their ``total``, and ``cpu``, the CPU time of all threads, which is the
    better measure on a busy machine.
    """

    picture: TruePicture
    size: tuple[int, int]
    cards: tuple[EvaluatedCard, ...]
    extra: tuple[EvaluatedDetection, ...]
    order: tuple[bool, ...]
    ms: Mapping[str, float]

    @property
    def detections(self) -> list[tuple[EvaluatedDetection, EvaluatedCard | None]]:
        """All detections, each with its true card or None."""
        matched: list[tuple[EvaluatedDetection, EvaluatedCard | None]] = [
            (each.detection, each) for each in self.cards if each.detection
        ]
        return matched + [(detection, None) for detection in self.extra]


def read(picture: TruePicture) -> Image:
    """Return the decoded picture.

    Raises `BadTruthError` if the file cannot be read as a picture.
    """
    try:
        return read_picture(picture.path.read_bytes())
    except (OSError, PictureError) as error:
        raise BadTruthError(f"{picture.path}: {error_text(error)}") from error


def evaluate(scanner: Scanner, picture: TruePicture, deck: str | None = None) -> EvaluatedPicture:
    """Scan a picture and compare the result with its truth.

    Raises `BadTruthError` if the file cannot be read as a picture.
    """
    started, cpu_started = time.perf_counter(), time.process_time()
    image = read(picture)
    decoded = time.perf_counter()
    candidates, view = scanner.detect_in_photograph(image, deck)
    accepting = time.perf_counter()
    height, width = image.shape[:2]
    accepted = scanner.accept(candidates, deck)
    recognized = accepted.recognized
    result = build_result(accepted, width, height, scanner.calibration, view)
    ended = time.perf_counter()
    ms = {"decode": (decoded - started) * 1e3, **accepted.ms, "accept": (ended - accepting) * 1e3}
    ms |= {"total": sum(ms.values()), "cpu": (time.process_time() - cpu_started) * 1e3}
    detections = [
        EvaluatedDetection(
            card,
            *_best_guess(row, recognized.classes),
            assign_names(
                row[None],
                np.array([visible], np.float32),
                recognized.classes,
                calibration=scanner.calibration,
            )[0][0][0],
        )
        for card, row, visible in zip(result.cards, recognized.posterior, accepted.visible, strict=True)
    ]
    matched = match(picture.cards, result.cards)
    checked = tuple(
        _compare(card, detections[matched[index]] if index in matched else None)
        for index, card in enumerate(picture.cards)
    )
    extra = tuple(detection for index, detection in enumerate(detections) if index not in matched.values())
    order = tuple(
        seen_over(accepted.refined, accepted.quads, matched[lower], matched[upper])
        for lower, upper in true_order(picture.cards, width, height)
        if lower in matched and upper in matched
    )
    return EvaluatedPicture(picture, (width, height), checked, extra, order, ms)


def _best_guess(row: NDArray[np.float64], classes: CardClasses) -> tuple[str | None, float]:
    class_id = int(row.argmax())
    name = classes[class_id][0] if class_id < len(classes) else BACK_ID if class_id == len(classes) else None
    return name, float(row[class_id])


def _compare(card: TrueCard, detection: EvaluatedDetection | None) -> EvaluatedCard:
    if detection is None or card.quad is None:
        return EvaluatedCard(card, detection)
    return EvaluatedCard(
        card, detection, *corner_error(np.array(detection.reported.quad, np.float32), card.quad)
    )


def corner_error(detected: Quads, true: Quads) -> tuple[float, bool]:
    """Return (root mean square error of the corner coordinates as a fraction of the card width, whether the
    orientation is correct).
    """
    width = float(card_widths(true[None])[0])
    same_error, rotated_error = (
        float(np.sqrt(np.mean((detected - quad) ** 2))) for quad in (true, rotate_half_turn(true))
    )
    return min(same_error, rotated_error) / max(width, 1e-6), same_error <= rotated_error
