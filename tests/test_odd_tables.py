"""Twelve illegal or odd tables, from recorded observations to lines: the referee names each, or ignores what is harmless.

The observations are of the demo's pictures, drawn with our own faces (synthetic), read by the camera worker.
"""

from __future__ import annotations

import pytest

from tests.recorded_observations import FOLDER, recorded_round, standing_turns, table_change, watched_lines

#: The problem of each table (None: no problem), and the number of the record's turns that the table shows as
#: played.
EXPECTED = {
    "wrong-flower": ("wrong-flower", 1),
    "capture-refused": ("capture-refused", 1),
    "two-cards": ("two-cards-played", 2),  # the other player's arm tells that it was one turn
    "draw-skipped": ("draw-missing", 1),
    "card-moved": ("card-moved", 4),
    "stock-peeked": ("card-peeked", 2),
    "takeback": (None, 3),
    "pile-covered": (None, 11),
    "camera-knocked": (None, 4),
    "light-switched": (None, 4),
    "phone-laid-down": (None, 4),
    "foreign-card": ("unknown-card", 4),
}


def test_there_are_twelve():
    recorded = {path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("irregular-*")}
    assert {f"irregular-{name}" for name in EXPECTED} == recorded
    assert len(EXPECTED) == 12


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_each_is_named_or_ignored_where_it_is_harmless(name):
    code, turns = EXPECTED[name]
    recorded = recorded_round(f"irregular-{name}")
    lines = watched_lines(recorded)
    problems = [line["code"] for line in lines if line["event"] == "problem"]
    # Playing on at an illegal table is reported as out of step.
    assert problems[:1] == ([] if code is None else [code])
    assert set(problems[1:]) <= {"table-differs"}
    # Reporting a turn that nobody played would be worse than reporting none.
    (record,) = recorded.records
    played = [table_change(turn) for turn in record["turns"][:turns]]
    assert [table_change(turn) for turn in standing_turns(lines)] == played
    # Until the arm is seen, the second card is a turn that the other player may have begun.
    questions = [line["reason"]["code"] for line in lines if line["event"] == "question"]
    assert questions == ["question-which-turn"] * (name == "two-cards")
