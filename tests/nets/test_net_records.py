"""What ``companion replay --json`` says of stored rounds of every game must not change.

`records/` has random rounds of each game by its presets and by random house rules, some with hidden cards as a camera sees them, and
some with one thing broken; each line is a record and the answer at the time when it was stored, without sentences.
What people played and other programs scored is in `tests/companion/hanafuda/test_shared_rounds.py` and `replay/`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.hanafuda.registry import GAMES
from tests.nets.stored import FOLDER, differences, read_lines, without_texts

RECORDS = FOLDER / "records"


@pytest.mark.parametrize("game", GAMES)
def test_rounds_are_replayed_as_before(game: str, tmp_path: Path) -> None:
    stored = read_lines(RECORDS / f"{game}.jsonl.gz")
    file = tmp_path / "rounds.jsonl"
    file.write_text("".join(json.dumps(each["record"]) + "\n" for each in stored), encoding="utf-8")
    answers = [
        json.loads(line)
        for line in CliRunner().invoke(main, ["replay", str(file), "--json"]).stdout.splitlines()
    ]
    assert len(stored) == len(answers) > 40
    assert [
        f"line {number}{line}"
        for number, (each, answer) in enumerate(zip(stored, answers, strict=True), start=1)
        for line in differences(
            {"file": str(file), "line": number, **without_texts(each["answer"])}, without_texts(answer)
        )
    ] == []
