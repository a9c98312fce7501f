"""Measure the eyes on folders with ``truth.json``: ``python -m vision.training.evaluate FOLDER... [--draw DIR]``.

Found: oriented quad IoU of at least .5, matched greedily from the surest card; cards given by their centre alone match
when the centre lies in the quad. Twins count as one name. Shares come with Wilson 95 % intervals.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import card as card_of
from vision.draw import draw_reading
from vision.kinds import KIND_OF
from vision.pictures import read_picture
from vision.reading import Reading, SeenCard
from vision.scanner import Scanner

Truth = dict[str, Any]


def wilson(hits: int, total: int) -> str:
    """Return ``hits/total`` with its share and Wilson 95 % interval."""
    if not total:
        return "0/0"
    z, p = 1.96, hits / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{hits}/{total} {100 * p:.1f} % ({100 * (middle - half):.1f}-{100 * (middle + half):.1f})"


def overlap(one: NDArray[np.float32], two: NDArray[np.float32]) -> float:
    """Return the intersection over union of two convex quads (4 x 2)."""
    shared, _ = cv2.intersectConvexConvex(one, two)
    union = cv2.contourArea(one) + cv2.contourArea(two) - shared
    return float(shared / union) if union > 0 else 0.0


def same(one: str | None, two: str) -> bool:
    """Return whether two names are the same card or twins; ``07-?`` is any card of July."""
    if one in KIND_OF and two.endswith("-?"):
        return card_of(one).month == int(two.removesuffix("-?"))
    return one is not None and (one == two or (one in KIND_OF and KIND_OF[one] == KIND_OF.get(two)))


def match(reading: Reading, cards: list[Truth]) -> dict[int, SeenCard]:
    """Match cards seen to true ones; return seen card by index of the true one."""
    matched: dict[int, SeenCard] = {}
    pairs = []
    for seen in reading.cards:
        quad = np.array(seen.quad, np.float32)
        for index, card in enumerate(cards):
            if card["quad"] is not None:
                iou = overlap(quad, np.array(card["quad"], np.float32))
                if iou >= 0.5:
                    # Fanned cards overlap each other: the nearest quad, and the right name, settle which is meant.
                    pairs.append((iou, index, seen))
            elif cv2.pointPolygonTest(quad, [float(v) for v in card["centre"]], False) >= 0 and same(
                seen.card, card["card"]
            ):
                pairs.append((0.5, index, seen))
    used: set[int] = set()
    for _, index, seen in sorted(pairs, key=lambda pair: -pair[0]):
        if index not in matched and id(seen) not in used:
            matched[index] = seen
            used.add(id(seen))
    return matched


def tally(reading: Reading, cards: list[Truth]) -> Counter[str]:
    """Count one picture: found, named, wrong and unnamed by visible share; extra cards; corner errors."""
    counts: Counter[str] = Counter()
    matched = match(reading, cards)
    exact = True
    for index, card in enumerate(cards):
        share = card.get("visible", 1.0)
        band = "half" if share >= 0.5 else "quarter" if share >= 0.25 else "less"
        down = card["card"] in ("back", None)
        band = "back" if down else band
        counts[f"{band} n"] += 1
        seen = matched.get(index)
        right = seen is not None and (seen.card == "back" if down else same(seen.card, card["card"]))
        counts[f"{band} found"] += seen is not None
        counts[f"{band} named"] += right
        counts[f"{band} wrong"] += seen is not None and seen.card is not None and not right
        exact &= right or band in ("less", "back")
        if seen is not None and card["quad"] is not None and band == "half":
            true = np.array(card["quad"], np.float32)
            width = float(np.linalg.norm(true[1] - true[0]) + np.linalg.norm(true[2] - true[3])) / 2
            errors = [
                float(np.sqrt(np.mean((np.array(seen.quad) - end) ** 2)))
                for end in (true, true[[2, 3, 0, 1]])
            ]
            counts["corner 1e-4"] += int(1e4 * min(errors) / width)
            counts["corner n"] += 1
            counts["upside down"] += errors[1] < errors[0]
    extra = [seen for seen in reading.cards if not any(seen is other for other in matched.values())]
    counts["extra"] += len(extra)
    counts["extra named"] += sum(seen.card not in (None, "back") for seen in extra)
    counts["pictures"] += 1
    counts["exact"] += exact and not any(seen.card not in (None, "back") for seen in extra)
    return counts


def report(name: str, counts: Counter[str]) -> None:
    """Print one group's figures."""
    print(
        f"{name}: pictures exact {wilson(counts['exact'], counts['pictures'])}; extra {counts['extra']} ({counts['extra named']} of them named)"
    )
    for band, told in (
        ("half", "at least half visible"),
        ("quarter", "25-50 % visible"),
        ("less", "under 25 %"),
        ("back", "face-down"),
    ):
        n = counts[f"{band} n"]
        if n:
            print(
                f"  {told}: found {wilson(counts[f'{band} found'], n)}; named {wilson(counts[f'{band} named'], n)}; wrong {counts[f'{band} wrong']}"
            )
    if counts["corner n"]:
        print(
            f"  corner error {counts['corner 1e-4'] / counts['corner n'] / 100:.1f} % of the width; upside down {counts['upside down']}/{counts['corner n']}"
        )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--models", type=Path)
    parser.add_argument("--draw", type=Path)
    args = parser.parse_args()
    scanner = Scanner(args.models)
    every: Counter[str] = Counter()
    took: list[float] = []
    for folder in args.folders:
        counts: Counter[str] = Counter()
        for picture in json.loads((folder / "truth.json").read_text(encoding="utf-8")):
            image = read_picture((folder / picture["image"]).read_bytes())
            reading = scanner.scan(image)
            took.append(reading.ms["total"])
            counts += tally(reading, picture["cards"])
            if args.draw:
                args.draw.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(
                    str(args.draw / f"{folder.name}-{picture['image']}"), draw_reading(image, reading)
                )
        report(folder.name, counts)
        every += counts
    report("all", every)
    print(f"ms a picture: median {np.median(took):.0f}, 95 % {np.percentile(took, 95):.0f} (n = {len(took)})")


if __name__ == "__main__":
    main()
