"""Formats benchmark results as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hanafuda_training.benchmarks.accuracy import BANDS, Band, Corners, Figures, Proportion, figures, times
from hanafuda_training.benchmarks.evaluation import EvaluatedPicture
from hanafuda_training.benchmarks.ground_truth import TruthFolder

__all__ = ["Report", "documents", "lines"]

_ABLATION_NOTES: Final[Mapping[str, str]] = {
    "assignment": "each card is named independently of the others",
    "refine-twice": "every card is refined only once",
    "opposite-sides": "strips of cards stay on the side where they were detected",
    "plane": "covered corners stay where the refiner put them",
    "order-conflicts": "contradictory stacking orders are kept",
    "duplicates": "duplicates and cards with an uncovered hidden part are kept",
    "mask-order": "uncertain mask cells stay as the refiner predicted them",
    "mask": "the recognizer gets no visibility mask",
    "both-ends": "uncertain cards are recognized from one end only",
    "shifted-crops": "uncertain cards are recognized from one crop only",
}


@dataclass(frozen=True)
class Report:
    """The results of a benchmark run.

    ``folders``: annotated folders with their evaluated pictures. ``ablations``: the figures without each
    pipeline step. ``weights``: the form of each network. ``machine``: the computer used. ``memory``: peak
    memory before the ablations, MB.
    """

    folders: Sequence[tuple[TruthFolder, Sequence[EvaluatedPicture]]]
    ablations: Mapping[str, Figures]
    weights: str
    machine: Mapping[str, Any]
    memory: float | None

    @property
    def evaluated(self) -> list[EvaluatedPicture]:
        """All evaluated pictures, folder by folder."""
        return [picture for _, pictures in self.folders for picture in pictures]

    @property
    def moving(self) -> int:
        """Number of pictures left out because something moves in them."""
        return sum(folder.moving for folder, _ in self.folders)


def documents(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the JSON documents: one per folder, then one for all folders together, whose ``folder`` is null."""
    for folder, pictures in report.folders:
        yield {
            "folder": str(folder.path),
            "moving_left_out": folder.moving,
            **figures(pictures).to_dict(),
            "ms": times(pictures),
        }
    pictures = report.evaluated
    yield {
        "folder": None,
        "moving_left_out": report.moving,
        **figures(pictures).to_dict(),
        "ms": times(pictures),
        "ms_by_size": [
            {"width": width, "height": height, "pictures": len(each), "total": times(each)["total"]}
            for (width, height), each in _by_size(pictures).items()
        ],
        "memory_mb": None if report.memory is None else round(report.memory, 1),
        "without": {slug: each.to_dict() for slug, each in report.ablations.items()},
        "weights": report.weights,
        **report.machine,
    }


def lines(report: Report) -> Iterator[str]:
    """Yield the lines of the text report."""
    pictures = report.evaluated
    total = figures(pictures)
    yield from _header(report, total)
    yield ""
    yield from _folders(report)
    for slug, band in total.bands.items():
        yield ""
        yield from _band(slug, band)
    yield ""
    yield from _total(total)
    if report.ablations:
        yield ""
        yield from _ablations(total, report.ablations)
    yield ""
    yield from _times(pictures)
    if report.memory is not None:
        yield f"peak memory (RSS): {report.memory:.0f} MB"


def _header(report: Report, total: Figures) -> Iterator[str]:
    machine = report.machine
    yield (
        f"{_count(total.pictures, 'picture')} in {_count(len(report.folders), 'folder')}, {_count(total.cards, 'card')}"
        + (
            f"; {_count(report.moving, 'picture')} left out because something moves in them"
            if report.moving
            else ""
        )
    )
    yield f"weights: {report.weights}"
    yield (
        f"{machine['python']}, onnxruntime {machine['onnxruntime']}, on {machine['cores']} cores of {machine['cpu']}"
        + ("" if machine["load"] is None else f", load {machine['load']:.1f} at the end")
    )
    yield "In brackets Wilson 95 % intervals; twins count as one card unless stated otherwise."


def _folders(report: Report) -> Iterator[str]:
    width = max(len(folder.path.name) for folder, _ in report.folders)
    yield f"{'':<{width}}  exact   found        named right  wrong  extra"
    for folder, pictures in report.folders:
        total = figures(pictures)
        found = Proportion(sum(b.found.hits for b in total.bands.values()), total.cards)
        right = Proportion(sum(b.right.hits for b in total.bands.values()), total.cards)
        yield (
            f"{folder.path.name:<{width}}  {_fraction(total.exact):<7} {_fraction(found):<12} {_fraction(right):<12}"
            f" {total.wrong.hits:<6} {total.extra}"
        )


def _band(slug: str, band: Band) -> Iterator[str]:
    yield f"{BANDS[slug]}, n = {band.n}"
    yield _row("found (recall)", band.found)
    if band.precision is not None:
        yield _row("precision, by visible fraction", band.precision)
    if slug == "unknown-deck":
        yield _row("left unnamed, of found", band.named)
        return
    yield _row("found and named correctly, of all", band.right)
    yield _row("named correctly, of found", band.named)
    if slug != "down":
        yield _row("  with twins distinguished", band.named_48)
    yield _row("  own best guess, unassigned", band.own)
    if slug != "down":
        yield _row("    with twins distinguished", band.own_48)
    yield _row("wrong, of named", band.wrong)
    yield _row("uncommitted, of found", band.uncommitted)
    if band.upright.n and slug != "down":
        yield _row("orientation correct", band.upright)
    if band.corners.n:
        yield _line("corner error, of card width", _corners(band.corners))


def _total(total: Figures) -> Iterator[str]:
    yield f"all cards, n = {total.cards}; detections {total.reported}"
    yield _row("precision", total.precision)
    yield _row("wrong, of all names", total.wrong)
    yield _line(
        "extra detections", f"{total.extra}, {total.extra_named} of them named ({total.extra_backs} back)"
    )
    yield _row("stacking order correct", total.order)
    yield _row("pictures exact", total.exact)
    yield _row("pictures exact in names", total.exact_names)
    yield _line(
        "calibration error (ECE)", f"own guesses {_percent(total.ece_own)}, names {_percent(total.ece_named)}"
    )


def _ablations(total: Figures, ablations: Mapping[str, Figures]) -> Iterator[str]:
    yield "without           >= 50 %: named  sigma   25-50 %: named  sigma   wrong  extra  order      exact"
    for slug, ablated in {"(nothing)": total, **ablations}.items():
        half, quarter = (_short(ablated.bands.get(band)) for band in ("half", "quarter"))
        yield (
            f"{slug:<17} {half:<22} {quarter:<23} {ablated.wrong.hits:<6} {ablated.extra:<6}"
            f" {_fraction(ablated.order):<10} {_fraction(ablated.exact):<8} {_ABLATION_NOTES.get(slug, '')}".rstrip()
        )


def _times(pictures: Sequence[EvaluatedPicture]) -> Iterator[str]:
    yield "ms per picture    median      95 %"
    for stage, ms in times(pictures).items():
        yield f"  {stage:<14} {ms['median']:>7.1f}   {ms['p95']:>7.1f}"
    for (width, height), group in _by_size(pictures).items():
        ms, cards = times(group)["total"], float(np.median([len(picture.cards) for picture in group]))
        yield (
            f"  {f'{width} x {height}':<14} {ms['median']:>7.1f}   {ms['p95']:>7.1f}"
            f"   the total of {_count(len(group), 'picture')}, median {cards:.0f} cards"
        )


def _by_size(pictures: Sequence[EvaluatedPicture]) -> dict[tuple[int, int], list[EvaluatedPicture]]:
    sizes = sorted({picture.size for picture in pictures}, key=lambda size: size[0] * size[1])
    return {size: [picture for picture in pictures if picture.size == size] for size in sizes}


def _row(label: str, proportion: Proportion) -> str:
    if proportion.fraction is None or proportion.interval is None:
        return _line(label, "-")
    low, high = proportion.interval
    return _line(
        label,
        f"{100 * proportion.fraction:5.1f} %  ({100 * low:.1f}-{100 * high:.1f})".ljust(24)
        + _fraction(proportion),
    )


def _line(label: str, value: str) -> str:
    return f"  {label:<32}{value}"


def _short(band: Band | None) -> str:
    if band is None:
        return "-"
    return f"{_fraction(band.right):<14} {_percent(band.corners.sigma)}"


def _corners(corners: Corners) -> str:
    return f"  sigma {_percent(corners.sigma)}, median {_percent(corners.median)} (n = {corners.n})"


def _fraction(proportion: Proportion) -> str:
    return f"{proportion.hits}/{proportion.n}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
