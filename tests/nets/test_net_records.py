"""What ``companion replay --json`` says of stored rounds of every game must not change.

`records/` has random rounds of each game by its presets and by random house rules, some with hidden cards as a camera sees them, and
some with one thing broken; each line is a record and the answer at the time when it was stored, without sentences.
``python -m tests.nets.test_net_records`` writes the answers.
What people played and other programs scored is in `tests/companion/hanafuda/test_shared_rounds.py` and `replay/`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.hanafuda.registry import GAMES
from tests.nets.stored import FOLDER, differences, read_lines, without_texts, write_lines

RECORDS = FOLDER / "records"


def without_inner_codes(value: Any, inside: bool = False) -> Any:
    """Return a document without the codes of messages within messages: catalogs may share a text for "2 or 3". Names keep theirs."""
    if isinstance(value, dict):
        return {
            key: without_inner_codes(each, inside or key == "params")
            for key, each in value.items()
            if not (inside and key == "code" and "params" in value)
        }
    return [without_inner_codes(each, inside) for each in value] if isinstance(value, list) else value


def answers(records: Sequence[Any], folder: Path) -> list[Any]:
    """Return the answers for records, without sentences."""
    file = folder / "rounds.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    lines = CliRunner().invoke(main, ["replay", str(file), "--json"]).stdout.splitlines()
    found = (without_inner_codes(without_texts(json.loads(line))) for line in lines)
    return [{key: value for key, value in each.items() if key not in {"file", "line"}} for each in found]


@pytest.mark.parametrize("game", GAMES)
def test_rounds_are_replayed_as_before(game: str, tmp_path: Path) -> None:
    stored = read_lines(RECORDS / f"{game}.jsonl.gz")
    found = answers([each["record"] for each in stored], tmp_path)
    assert len(stored) == len(found) > 40
    assert [
        f"round {number}{line}"
        for number, (each, answer) in enumerate(zip(stored, found, strict=True), start=1)
        for line in differences(each["answer"], answer)
    ] == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        for path in RECORDS.glob("*.jsonl.gz"):
            rounds = [each["record"] for each in read_lines(path)]
            answered = zip(rounds, answers(rounds, Path(temporary)), strict=True)
            write_lines(path, [{"record": record, "answer": answer} for record, answer in answered])
