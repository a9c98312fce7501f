"""What ``companion watch --json`` reports of recorded observations must not change while the engine stays as it is.

Probabilities may differ by `_NEAR`: every parameter of the engine changes them a little. A better engine reports more of the rounds with
irregularities: their files in `events/` change then, and only for the better. The regular rounds (`REGULAR`) are right in every turn and
stay so. ``python -m tests.nets.test_net_watched_rounds`` writes the files.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.nets.stored import FOLDER, differences, read_lines, without_texts, write_lines
from tests.recorded_observations import FOLDER as OBSERVATIONS
from tests.recorded_observations import cards_of_turn, recorded_round, watched_lines

EVENTS = FOLDER / "events"
_NEAR: Final = 0.05
ROUNDS = sorted(path.name.removesuffix(".jsonl.gz") for path in OBSERVATIONS.glob("*.jsonl.gz"))
REGULAR = ("demo-koikoi", "faultless-koikoi", "irregular-pile-covered", "untidy-kekoro")


@pytest.mark.parametrize("name", ROUNDS)
def test_a_recorded_round_is_reported_as_before(name: str) -> None:
    lines = without_texts(watched_lines(recorded_round(name)))
    assert list(differences(read_lines(EVENTS / f"{name}.jsonl"), lines, near)) == []


def near(where: str, expected: float, found: float) -> bool:
    """Return whether two numbers are the same, or probabilities that are nearly so."""
    is_probability = where.endswith(("confidence", ".p"))
    return abs(found - expected) <= _NEAR if is_probability else found == expected


@pytest.mark.parametrize("name", REGULAR)
def test_every_turn_of_a_regular_round_is_right(name: str) -> None:
    recorded = recorded_round(name)
    reported = [line for line in watched_lines(recorded) if line["event"] == "round"]
    assert len(reported) >= len(recorded.records) > 0
    for found, played in zip(reported, recorded.records, strict=False):
        assert list(map(cards_of_turn, found["turns"])) == list(map(cards_of_turn, played["turns"]))
        assert found["result"] == played["result"]


if __name__ == "__main__":
    for each in ROUNDS:
        write_lines(EVENTS / f"{each}.jsonl", without_texts(watched_lines(recorded_round(each))))
