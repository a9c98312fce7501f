"""Fit the temperature and show what each threshold would give: ``python -m vision.training.calibrate FOLDER``.

``FOLDER`` holds pictures with ``truth.json``, of families and tables that no training has seen.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.bench.matching import overlap
from vision.kinds import BACK, KIND_OF, UNKNOWN
from vision.pictures import read_picture
from vision.scanner import Scanner

Rows = NDArray[np.float64]


def collect(scanner: Scanner, folder: Path, least: float) -> tuple[Rows, NDArray[np.intp]]:
    """Return log-posteriors and true kinds of the cards seen at least ``least`` visible; strangers as UNKNOWN."""
    rows, kinds = [], []
    for picture in json.loads((folder / "truth.json").read_text(encoding="utf-8")):
        seen = scanner.see(read_picture((folder / picture["image"]).read_bytes()))
        for quad, row in zip(seen.quads, seen.named.posterior, strict=True):
            over = [overlap(quad, np.array(card["quad"], np.float32)) for card in picture["cards"]]
            name = None
            if over and max(over) >= 0.5:
                card = picture["cards"][int(np.argmax(over))]
                if card["visible"] < least:
                    continue
                name = card["card"]
            kinds.append(BACK if name == "back" else UNKNOWN if name is None else KIND_OF[name])
            rows.append(np.log(np.maximum(row, 1e-12)))
    return np.array(rows), np.array(kinds)


def tempered(rows: Rows, temperature: float) -> Rows:
    """Return the posteriors at another temperature."""
    raised = np.exp((rows - rows.max(axis=1, keepdims=True)) / temperature)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float64)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--least-visible", type=float, default=0.25)
    args = parser.parse_args()
    rows, kinds = collect(Scanner(args.models), args.folder, args.least_visible)
    every = np.arange(len(kinds))
    losses = {
        temperature: float(-np.log(tempered(rows, temperature)[every, kinds] + 1e-12).mean())
        for temperature in np.geomspace(0.3, 2.5, 25)
    }
    best = min(losses, key=lambda temperature: losses[temperature])
    p = tempered(rows, best)
    print(f"n = {len(kinds)}; temperature {best:.2f} (times the present one): loss {losses[best]:.4f}")
    print(f"right without a threshold: {np.mean(p.argmax(1) == kinds):.4f}")
    cards = p[:, :BACK].argmax(1), p[:, :BACK].max(1)
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        named = cards[1] >= threshold
        wrong = named & (cards[0] != kinds)
        print(
            f"from {threshold}: {named.sum()} named, {wrong.sum()} of them wrong; of {np.sum(kinds < BACK)} cards {np.sum(named & ~wrong)} right"
        )
    edges = np.linspace(0, 1, 16)
    sure, right = p.max(1), p.argmax(1) == kinds
    bins = np.clip(np.digitize(sure, edges) - 1, 0, 14)
    error = sum(
        abs(sure[bins == k].mean() - right[bins == k].mean()) * np.mean(bins == k)
        for k in range(15)
        if (bins == k).any()
    )
    print(f"expected calibration error (15 bins): {error:.4f}")


if __name__ == "__main__":
    main()
