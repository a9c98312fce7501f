"""The promises made about real photographs and rendered tables, where they lie beside the project."""

import json
from collections import Counter
from pathlib import Path

import pytest

from vision.pictures import read_picture
from vision.scanner import Scanner
from vision.training.evaluate import tally

SHARED = Path(__file__).parents[3] / "shared"

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"no pictures at {SHARED}: they belong to the workshop, not to the project"
)


def measure(folders: list[Path]) -> Counter[str]:
    scanner = Scanner()
    counts: Counter[str] = Counter()
    for folder in folders:
        for picture in json.loads((folder / "truth.json").read_text(encoding="utf-8")):
            reading = scanner.scan(read_picture((folder / picture["image"]).read_bytes()))
            counts += tally(reading, picture["cards"])
    return counts


def test_the_photographs_of_single_cards():
    counts = measure([SHARED / "photos" / "spread-phone"])
    assert counts["half n"] == 19
    assert counts["half named"] == 19
    assert counts["extra"] <= 1


def test_rendered_tables_and_piles():
    counts = measure(
        sorted(path for path in (SHARED / "scenes").iterdir() if path.name.endswith(("-tables", "-piles")))
    )
    n = counts["half n"]
    assert n > 300
    assert counts["half found"] >= 0.98 * n
    assert counts["half named"] >= 0.96 * n
    assert counts["half wrong"] + counts["extra named"] <= 0.01 * n
