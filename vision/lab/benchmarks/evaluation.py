"""Looking at pictures whose truth is known, and setting what was seen beside it."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import BACK as BACK_ID
from vision.lab.benchmarks.ground_truth import BadTruthError, TrueCard, TruePicture
from vision.lab.benchmarks.stacking_order import seen_over, true_order
from vision.lab.benchmarks.truth_matching import match
from vision.networks.crops import Image, Quads, rotate_half_turn
from vision.networks.detector import card_widths
from vision.networks.onnx_sessions import MODELS
from vision.networks.pipeline_steps import PipelineSteps
from vision.photograph.name_assignment import CardClasses, names_only
from vision.photograph.picture_decoding import PictureError, read_picture
from vision.photograph.scan_result import ScannedCard
from vision.photograph.scanner import Scanner, build_result

__all__ = ["LEFT_OUT", "Checked", "Find", "Looked", "look", "peak_memory", "read", "weights"]

LEFT_OUT: Final[Mapping[str, PipelineSteps]] = {
    "rectify": PipelineSteps(rectify=False),
    "second-look": PipelineSteps(second_look=False),
    "sides": PipelineSteps(sides=False),
    "plane": PipelineSteps(plane=False),
    "crossings": PipelineSteps(crossings=False),
    "claims": PipelineSteps(claims=False),
    "layers": PipelineSteps(layers=False),
    "mask": PipelineSteps(mask=False),
    "both-ends": PipelineSteps(both_ends=False),
    "paler": PipelineSteps(paler=False),
    "again": PipelineSteps(again=False),
    "neighbours": PipelineSteps(neighbours=False),
    "pieces": PipelineSteps(pieces=False),
}
"""The steps that are left out one at a time, to see what each is worth."""


@dataclass(frozen=True, slots=True)
class Find:
    """A card that was seen, as told, and what was thought of it before.

    ``own`` is the recogniser's best guess however unsure, None for a stranger, and ``own_sure`` its probability (0-1).
    ``unassigned`` is the name that would be told if each card were judged by itself.
    """

    seen: ScannedCard
    own: str | None
    own_sure: float
    unassigned: str | None


@dataclass(frozen=True, slots=True)
class Checked:
    """A true card and what was seen of it, None where it was missed.

    ``corners`` is the root mean square of the eight coordinates' errors, as a share of the card's width, whichever end
    was taken for the upper one, and ``upright`` whether that was the right end; None where the truth has no quad.
    """

    truth: TrueCard
    find: Find | None
    corners: float | None = None
    upright: bool | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """A picture after one look: its true cards, what was seen beside them, and which pairs' order was seen rightly.

    ``size`` is (width, height) px; ``ms`` the time of each stage in order, their ``total``, and ``cpu``, what all
    threads together spent, which says more where the machine is busy with other things.
    """

    picture: TruePicture
    size: tuple[int, int]
    cards: tuple[Checked, ...]
    extra: tuple[Find, ...]
    order: tuple[bool, ...]
    ms: Mapping[str, float]

    @property
    def finds(self) -> list[tuple[Find, Checked | None]]:
        """All that was seen, each with its true card if there is one."""
        matched: list[tuple[Find, Checked | None]] = [(each.find, each) for each in self.cards if each.find]
        return matched + [(find, None) for find in self.extra]


def read(picture: TruePicture) -> Image:
    """Return the picture; `BadTruthError` where the file is none that can be read."""
    try:
        return read_picture(picture.path.read_bytes())
    except (OSError, PictureError) as error:
        raise BadTruthError(f"{picture.path}: {error}") from error


def look(scanner: Scanner, picture: TruePicture, deck: str | None = None) -> Looked:
    """Read a picture and compare; `BadTruthError` where the file is no picture that can be read."""
    clock, cpu = time.perf_counter(), time.process_time()
    image = read(picture)
    decoded = time.perf_counter()
    everything, view = scanner.detect_in_photograph(image, deck)
    judging = time.perf_counter()
    height, width = image.shape[:2]
    seen, name, believed = scanner.accept(everything, deck)
    reading = build_result(seen, width, height, name, believed, scanner.calibration, view)
    ended = time.perf_counter()
    ms = {"decode": (decoded - clock) * 1e3, **seen.ms, "judge": (ended - judging) * 1e3}
    ms |= {"total": sum(ms.values()), "cpu": (time.process_time() - cpu) * 1e3}
    finds = [
        Find(
            card,
            *_own(row, believed.classes),
            names_only(
                row[None], np.array([share], np.float32), believed.classes, calibration=scanner.calibration
            )[0][0],
        )
        for card, row, share in zip(reading.cards, believed.posterior, seen.visible, strict=True)
    ]
    matched = match(picture.cards, reading.cards)
    checked = tuple(
        _checked(card, finds[matched[index]] if index in matched else None)
        for index, card in enumerate(picture.cards)
    )
    extra = tuple(find for index, find in enumerate(finds) if index not in matched.values())
    order = tuple(
        seen_over(seen.refined, seen.quads, matched[lower], matched[upper])
        for lower, upper in true_order(picture.cards, width, height)
        if lower in matched and upper in matched
    )
    return Looked(picture, (width, height), checked, extra, order, ms)


def _own(row: NDArray[np.float64], kinds: CardClasses) -> tuple[str | None, float]:
    kind = int(row.argmax())
    name = kinds[kind][0] if kind < len(kinds) else BACK_ID if kind == len(kinds) else None
    return name, float(row[kind])


def _checked(card: TrueCard, find: Find | None) -> Checked:
    if find is None or card.quad is None:
        return Checked(card, find)
    return Checked(card, find, *corner_error(np.array(find.seen.quad, np.float32), card.quad))


def corner_error(seen: Quads, true: Quads) -> tuple[float, bool]:
    """Return the error of a quad's coordinates (root mean square, share of the width), and whether its upper end is right."""
    width = float(card_widths(true[None])[0])
    right, wrong = (float(np.sqrt(np.mean((seen - end) ** 2))) for end in (true, rotate_half_turn(true)))
    return min(right, wrong) / max(width, 1e-6), right <= wrong


def weights(scanner: Scanner, models: Path | None = None) -> dict[str, str]:
    """Return the form that each network runs in and the size of its file, such as ``int8, 2 threads, 1.1 MB``."""
    sizes = {name: (models or MODELS) / form.file for name, form in scanner.variants.items()}
    return {
        name: f"{form}, {sizes[name].stat().st_size / 1e6:.1f} MB" for name, form in scanner.variants.items()
    }


def peak_memory() -> float | None:
    """Return the most memory (RSS) this process has held so far, MB; None where the system does not tell."""
    try:
        import resource  # noqa: PLC0415  # Windows has none
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3 / 1.024)
