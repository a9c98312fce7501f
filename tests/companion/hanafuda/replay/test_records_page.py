"""The examples in docs/records.md are valid records, and legal if the page says so."""

import json
import re
from pathlib import Path

import pytest

from companion.hanafuda.registry import GAMES
from companion.hanafuda.replay import replay

PAGE = Path(__file__).parents[4] / "docs" / "records.md"
EXAMPLES = {
    title: json.loads(text)
    for title, text in re.findall(
        r"^```json title=(\S+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
}


def test_every_game_has_one() -> None:
    assert {f"{game}.jsonl" for game in GAMES} | {"slip.jsonl"} == set(EXAMPLES)


@pytest.mark.parametrize("game", GAMES)
def test_examples_are_legal_and_agree(game: str) -> None:
    record = EXAMPLES[f"{game}.jsonl"]
    answer = replay(record).to_dict()
    assert answer["game"] == game
    assert answer["problems"] == []
    assert answer["agrees"] is (True if "result" in record else None)


def test_the_slip_is_one() -> None:
    (noted,) = replay(EXAMPLES["slip.jsonl"]).noted
    assert (noted.turn, noted.problem.code) == (1, "capture-refused")
