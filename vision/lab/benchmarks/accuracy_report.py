"""Formats benchmark results as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vision.lab.benchmarks.accuracy import BANDS, Band, Corners, Figures, Share, figures, times
from vision.lab.benchmarks.evaluation import Looked
from vision.lab.benchmarks.ground_truth import TruthFolder

__all__ = ["Report", "documents", "lines"]

_ABLATION_NOTES: Final[Mapping[str, str]] = {
    "assignment": "each card judged by itself, not each name given once",
    "second-look": "the refiner looks once",
    "sides": "strips of cards stay on the side they were found on",
    "plane": "covered corners stay where the refiner put them",
    "crossings": "strips stay where two cards lie over one another",
    "claims": "what was found twice, or lies bare, is kept",
    "layers": "unsure parts stay as the refiner told them, whichever card lies on top",
    "mask": "the recognizer is not told what is covered",
    "both-ends": "unsure cards are read from one end only",
    "again": "unsure cards are read from one place only",
}


@dataclass(frozen=True)
class Report:
    """The results of a benchmark run.

    ``folders``: annotated folders with their evaluated pictures. ``ablations``: the figures without each
    pipeline step. ``weights``: the form of each network. ``machine``: the computer used. ``memory``: peak
    memory before the ablations, MB.
    """

    folders: Sequence[tuple[TruthFolder, Sequence[Looked]]]
    ablations: Mapping[str, Figures]
    weights: Mapping[str, str]
    machine: Mapping[str, Any]
    memory: float | None

    @property
    def looks(self) -> list[Looked]:
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
    pictures = report.looks
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
        "weights": dict(report.weights),
        **report.machine,
    }


def lines(report: Report) -> Iterator[str]:
    """Yield the lines of the text report."""
    pictures = report.looks
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
        yield f"memory at its most (RSS): {report.memory:.0f} MB"


def _header(report: Report, total: Figures) -> Iterator[str]:
    machine = report.machine
    yield (
        f"{_count(total.pictures, 'picture')} in {_count(len(report.folders), 'folder')}, {_count(total.cards, 'card')}"
        + (f"; {_count(report.moving, 'picture')} left out: something moves there" if report.moving else "")
    )
    yield "weights: " + "; ".join(f"{name} {form}" for name, form in report.weights.items())
    yield (
        f"{machine['python']}, onnxruntime {machine['onnxruntime']}, on {machine['cores']} cores of {machine['cpu']}"
        + ("" if machine["load"] is None else f", load {machine['load']:.1f} at the end")
    )
    yield "In brackets Wilson 95 % intervals; twins count as one card, except where told apart."


def _folders(report: Report) -> Iterator[str]:
    width = max(len(folder.path.name) for folder, _ in report.folders)
    yield f"{'':<{width}}  exact   found        named right  wrong  extra"
    for folder, pictures in report.folders:
        total = figures(pictures)
        found = Share(sum(b.found.hits for b in total.bands.values()), total.cards)
        right = Share(sum(b.right.hits for b in total.bands.values()), total.cards)
        yield (
            f"{folder.path.name:<{width}}  {_fraction(total.exact):<7} {_fraction(found):<12} {_fraction(right):<12}"
            f" {total.wrong.hits:<6} {total.extra}"
        )


def _band(slug: str, band: Band) -> Iterator[str]:
    yield f"{BANDS[slug]}, n = {band.n}"
    yield _row("found (recall)", band.found)
    if band.precision is not None:
        yield _row("precision, by the share seen", band.precision)
    if slug == "stranger":
        yield _row("left without a name, of those", band.named)
        return
    yield _row("found and named right, of all", band.right)
    yield _row("named right, of those found", band.named)
    if slug != "down":
        yield _row("  twins told apart", band.named_48)
    yield _row("  own best guess, unassigned", band.own)
    if slug != "down":
        yield _row("    twins told apart", band.own_48)
    yield _row("wrong, of those named", band.wrong)
    yield _row("uncommitted, of those found", band.uncommitted)
    if band.upright.n and slug != "down":
        yield _row("right end up", band.upright)
    if band.corners.n:
        yield _line("corner error, of the width", _corners(band.corners))


def _total(total: Figures) -> Iterator[str]:
    yield f"all cards, n = {total.cards}; seen {total.seen}"
    yield _row("precision", total.precision)
    yield _row("wrong, of all names given", total.wrong)
    yield _line("extra finds", f"{total.extra}, {total.extra_named} of them named ({total.extra_backs} back)")
    yield _row("over/under order right", total.order)
    yield _row("pictures exact", total.exact)
    yield _row("pictures exact in names", total.exact_names)
    yield _line(
        "calibration error (ECE)", f"own guesses {_percent(total.ece_own)}, names {_percent(total.ece_named)}"
    )


def _ablations(total: Figures, ablations: Mapping[str, Figures]) -> Iterator[str]:
    yield "left out          >= 50 %: named  sigma   25-50 %: named  sigma   wrong  extra  order      exact"
    for slug, ablated in {"(nothing)": total, **ablations}.items():
        half, quarter = (_short(ablated.bands.get(band)) for band in ("half", "quarter"))
        yield (
            f"{slug:<17} {half:<22} {quarter:<23} {ablated.wrong.hits:<6} {ablated.extra:<6}"
            f" {_fraction(ablated.order):<10} {_fraction(ablated.exact):<8} {_ABLATION_NOTES.get(slug, '')}".rstrip()
        )


def _times(pictures: Sequence[Looked]) -> Iterator[str]:
    yield "ms a picture      median      95 %"
    for stage, ms in times(pictures).items():
        yield f"  {stage:<14} {ms['median']:>7.1f}   {ms['p95']:>7.1f}"
    for (width, height), group in _by_size(pictures).items():
        ms, cards = times(group)["total"], float(np.median([len(picture.cards) for picture in group]))
        yield (
            f"  {f'{width} x {height}':<14} {ms['median']:>7.1f}   {ms['p95']:>7.1f}"
            f"   the total of {_count(len(group), 'picture')}, median {cards:.0f} cards"
        )


def _by_size(pictures: Sequence[Looked]) -> dict[tuple[int, int], list[Looked]]:
    sizes = sorted({picture.size for picture in pictures}, key=lambda size: size[0] * size[1])
    return {size: [picture for picture in pictures if picture.size == size] for size in sizes}


def _row(label: str, proportion: Share) -> str:
    if proportion.share is None or proportion.interval is None:
        return _line(label, "-")
    low, high = proportion.interval
    return _line(
        label,
        f"{100 * proportion.share:5.1f} %  ({100 * low:.1f}-{100 * high:.1f})".ljust(24)
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


def _fraction(proportion: Share) -> str:
    return f"{proportion.hits}/{proportion.n}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
