"""The promises made about real photographs and rendered tables, where they lie beside the project."""

from pathlib import Path

import pytest

from vision.lab.benchmarks.accuracy import Figures, figures
from vision.lab.benchmarks.evaluation import look
from vision.lab.benchmarks.ground_truth import read_folders
from vision.photograph.scanner import Scanner

SHARED = Path(__file__).parents[4] / "shared"

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"no pictures at {SHARED}: they belong to the workshop, not to the project"
)


def measure(paths: list[Path]) -> Figures:
    scanner = Scanner()
    pictures = [picture for path in paths for folder in read_folders(path) for picture in folder.pictures]
    return figures([look(scanner, picture) for picture in pictures])


def test_the_photographs_of_single_cards():
    told = measure([SHARED / "photos" / "spread-phone"])
    assert (told.cards, told.bands["untold"].right.hits) == (19, 19)
    assert told.extra <= 1


def test_rendered_tables_and_piles():
    told = measure(
        sorted(path for path in (SHARED / "scenes").iterdir() if path.name.endswith(("-tables", "-piles")))
    )
    half = told.bands["half"]
    assert half.n > 300
    assert half.found.hits >= 0.98 * half.n
    assert half.right.hits >= 0.96 * half.n
    assert told.wrong.hits <= 0.01 * half.n
    assert told.order.hits >= 0.95 * told.order.n > 0
