"""Telling what was measured, to people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vision.lab.benchmarks.accuracy import BANDS, Band, Corners, Figures, Share, figures, times
from vision.lab.benchmarks.evaluation import Looked
from vision.lab.benchmarks.ground_truth import TruthFolder

__all__ = ["Report", "documents", "lines"]

_LEFT_OUT: Final[Mapping[str, str]] = {
    "assignment": "each card judged by itself, not each name given once",
    "second-look": "the refiner looks once",
    "sides": "strips of cards stay on the side they were found on",
    "plane": "covered corners stay where the refiner put them",
    "crossings": "strips stay where two cards lie over one another",
    "claims": "what was found twice, or lies bare, is kept",
    "layers": "unsure parts stay as the refiner told them, whichever card lies on top",
    "mask": "the recogniser is not told what is covered",
    "both-ends": "unsure cards are read from one end only",
    "again": "unsure cards are read from one place only",
}


@dataclass(frozen=True)
class Report:
    """All that was measured: ``folders`` with their looks; ``ablations``, the figures without each step; ``weights``,
    ``machine``, what it ran on; ``memory``, the most MB held by then, before the ablations.
    """

    folders: Sequence[tuple[TruthFolder, Sequence[Looked]]]
    ablations: Mapping[str, Figures]
    weights: Mapping[str, str]
    machine: Mapping[str, Any]
    memory: float | None

    @property
    def looks(self) -> list[Looked]:
        """Every look, folder by folder."""
        return [each for _, looks in self.folders for each in looks]

    @property
    def moving(self) -> int:
        """How many pictures were left out because something moves in them."""
        return sum(folder.moving for folder, _ in self.folders)


def documents(report: Report) -> Iterator[dict[str, Any]]:
    """Yield what JSON has: a document a folder, and last one of all of them, whose ``folder`` is null."""
    for folder, looks in report.folders:
        yield {
            "folder": str(folder.path),
            "moving_left_out": folder.moving,
            **figures(looks).to_dict(),
            "ms": times(looks),
        }
    looks = report.looks
    yield {
        "folder": None,
        "moving_left_out": report.moving,
        **figures(looks).to_dict(),
        "ms": times(looks),
        "ms_by_size": [
            {"width": width, "height": height, "pictures": len(each), "total": times(each)["total"]}
            for (width, height), each in _by_size(looks).items()
        ],
        "memory_mb": None if report.memory is None else round(report.memory, 1),
        "without": {slug: each.to_dict() for slug, each in report.ablations.items()},
        "weights": dict(report.weights),
        **report.machine,
    }


def lines(report: Report) -> Iterator[str]:
    """Yield the lines for people."""
    looks = report.looks
    total = figures(looks)
    yield from _measured(report, total)
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
    yield from _times(looks)
    if report.memory is not None:
        yield f"memory at its most (RSS): {report.memory:.0f} MB"


def _measured(report: Report, total: Figures) -> Iterator[str]:
    on = report.machine
    yield (
        f"{_count(total.pictures, 'picture')} in {_count(len(report.folders), 'folder')}, {_count(total.cards, 'card')}"
        + (f"; {_count(report.moving, 'picture')} left out: something moves there" if report.moving else "")
    )
    yield "weights: " + "; ".join(f"{name} {kind}" for name, kind in report.weights.items())
    yield (
        f"{on['python']}, onnxruntime {on['onnxruntime']}, on {on['cores']} cores of {on['cpu']}"
        + ("" if on["load"] is None else f", load {on['load']:.1f} at the end")
    )
    yield "In brackets Wilson 95 % intervals; twins count as one card, except where told apart."


def _folders(report: Report) -> Iterator[str]:
    wide = max(len(folder.path.name) for folder, _ in report.folders)
    yield f"{'':<{wide}}  exact   found        named right  wrong  extra"
    for folder, looks in report.folders:
        told = figures(looks)
        found = Share(sum(b.found.hits for b in told.bands.values()), told.cards)
        right = Share(sum(b.right.hits for b in told.bands.values()), told.cards)
        yield (
            f"{folder.path.name:<{wide}}  {_fraction(told.exact):<7} {_fraction(found):<12} {_fraction(right):<12}"
            f" {told.wrong.hits:<6} {told.extra}"
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
    for slug, each in {"(nothing)": total, **ablations}.items():
        half, quarter = (_short(each.bands.get(band)) for band in ("half", "quarter"))
        yield (
            f"{slug:<17} {half:<22} {quarter:<23} {each.wrong.hits:<6} {each.extra:<6}"
            f" {_fraction(each.order):<10} {_fraction(each.exact):<8} {_LEFT_OUT.get(slug, '')}".rstrip()
        )


def _times(looks: Sequence[Looked]) -> Iterator[str]:
    yield "ms a picture      median      95 %"
    for stage, ms in times(looks).items():
        yield f"  {stage:<14} {ms['median']:>7.1f}   {ms['p95']:>7.1f}"
    for (width, height), each in _by_size(looks).items():
        ms, cards = times(each)["total"], float(np.median([len(look.cards) for look in each]))
        yield (
            f"  {f'{width} x {height}':<14} {ms['median']:>7.1f}   {ms['p95']:>7.1f}"
            f"   the total of {_count(len(each), 'picture')}, median {cards:.0f} cards"
        )


def _by_size(looks: Sequence[Looked]) -> dict[tuple[int, int], list[Looked]]:
    sizes = sorted({each.size for each in looks}, key=lambda size: size[0] * size[1])
    return {size: [each for each in looks if each.size == size] for size in sizes}


def _row(what: str, share: Share) -> str:
    if share.share is None or share.interval is None:
        return _line(what, "-")
    low, high = share.interval
    return _line(
        what, f"{100 * share.share:5.1f} %  ({100 * low:.1f}-{100 * high:.1f})".ljust(24) + _fraction(share)
    )


def _line(what: str, told: str) -> str:
    return f"  {what:<32}{told}"


def _short(band: Band | None) -> str:
    if band is None:
        return "-"
    return f"{_fraction(band.right):<14} {_percent(band.corners.sigma)}"


def _corners(corners: Corners) -> str:
    return f"  sigma {_percent(corners.sigma)}, median {_percent(corners.median)} (n = {corners.n})"


def _fraction(share: Share) -> str:
    return f"{share.hits}/{share.n}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
