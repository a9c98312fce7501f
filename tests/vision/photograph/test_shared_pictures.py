"""Accuracy on the photographs and rendered tables of the shared folder, which are not part of the repository."""

from pathlib import Path

import pytest

from hanafuda_training.benchmarks.accuracy import Figures, figures
from hanafuda_training.benchmarks.evaluation import evaluate
from hanafuda_training.benchmarks.ground_truth import read_folders
from vision.photograph.scanner import Scanner

SHARED = Path(__file__).parents[4] / "shared"

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"there are no pictures at {SHARED}; they are not part of the repository"
)


def measure(paths: list[Path]) -> Figures:
    scanner = Scanner()
    pictures = [picture for path in paths for folder in read_folders(path) for picture in folder.pictures]
    return figures([evaluate(scanner, picture) for picture in pictures])


def test_accuracy_on_photographs_of_single_cards():
    measured = measure([SHARED / "photos" / "spread-phone"])
    assert (measured.cards, measured.bands["unannotated"].right.hits) == (19, 19)
    assert measured.extra <= 1


def test_accuracy_on_rendered_tables_and_piles():
    measured = measure(
        sorted(path for path in (SHARED / "scenes").iterdir() if path.name.endswith(("-tables", "-piles")))
    )
    half = measured.bands["half"]
    assert half.n > 300
    assert half.found.hits >= 0.98 * half.n
    assert half.right.hits >= 0.96 * half.n
    assert measured.wrong.hits <= 0.01 * half.n
    assert measured.order.hits >= 0.95 * measured.order.n > 0
