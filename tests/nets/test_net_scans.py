"""The cards that ``companion scan --json`` finds in pictures must not change while the networks stay as they are.

The pictures are the samples of the program, and some of `shared`, which are not part of the repository. Card names, deck and score are
exact; positions and probabilities may differ a little, since processors round differently.
``python -m tests.nets.test_net_scans`` writes the answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli import main
from tests.nets.stored import FOLDER, differences, read_lines, without_texts, write_lines

ANSWERS = FOLDER / "scans.jsonl"
ROOT = FOLDER.parents[1]
SHARED = ROOT.parent / "shared"
SAMPLES = tuple(
    f"api/static/samples/{name}.jpg" for name in ("counter", "heap", "kitchen", "picnic", "tatami")
)
PICTURES = (
    *("photos/spread-phone/IMG_20161210_112523009.jpg", "photos/heap-black/pile_black.jpg"),
    *(
        "scenes/pfengdev-scan-piles/pfengdev-scan-pile-1.jpg",
        "scenes/wikimedia-hwatu-tables/wikimedia-hwatu-table-1.jpg",
    ),
    *(
        "scenes/hsiang-nintendo-piles/hsiang-nintendo-pile-0.jpg",
        "scenes/wikimedia-mantia-tables/wikimedia-mantia-table-0.jpg",
    ),
)
NEAR_PX = 3.0
NEAR_PROBABILITY = 0.05


def scan(paths: Sequence[str]) -> list[Any]:
    """Return the answers for pictures, each with its path from the root of the repository or from ``shared``."""
    files = [str(_file(path)) for path in paths]
    result = CliRunner().invoke(main, ["scan", *files, "--game", "koikoi", "--json"])
    assert result.exit_code == 0, result.output
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    return [
        without_texts({**answer, "image": path, "ms": None})
        for path, answer in zip(paths, answers, strict=True)
    ]


def _file(path: str) -> Path:
    return (ROOT if path in SAMPLES else SHARED) / path


def near(where: str, one: float, other: float) -> bool:
    return abs(one - other) <= (NEAR_PX if ".quad" in where else NEAR_PROBABILITY if ".cards" in where else 0)


def by_place(answer: Any) -> Any:
    """Return an answer with its cards from left to right, and the likeliest two alternatives of each.

    The order of equally certain cards, and which alternatives are barely probable, depend on how a processor rounds.
    """
    cards = [
        {**card, "alternatives": card["alternatives"][:2]} if "alternatives" in card else card
        for card in answer.get("cards", ())
    ]
    return {**answer, "cards": sorted(cards, key=lambda card: card["quad"])} if cards else answer


def changes(paths: Sequence[str]) -> list[str]:
    stored = {answer["image"]: answer for answer in read_lines(ANSWERS)}
    return [
        f"{path}{line}"
        for path, found in zip(paths, scan(paths), strict=True)
        for line in differences(by_place(stored[path]), by_place(found), near)
    ]


def test_the_samples_are_read_as_before() -> None:
    assert changes(SAMPLES) == []


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the shared pictures are not here: {SHARED}")
def test_the_shared_pictures_are_read_as_before() -> None:
    assert changes(PICTURES) == []


if __name__ == "__main__":
    write_lines(ANSWERS, scan((*SAMPLES, *PICTURES)))
