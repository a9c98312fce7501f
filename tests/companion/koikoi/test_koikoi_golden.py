"""The golden tables of rounds and games of Koi-Koi: cases written by hand from the rule texts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from koikoi_stacked import told

GOLDEN = Path(__file__).parents[2] / "golden"


def _lines(pattern: str) -> Iterator[tuple[str, list[str]]]:
    for path in sorted(GOLDEN.glob(pattern)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.strip() and not line.startswith("#"):
                yield f"{path.stem}:{number}", [column.strip() for column in line.split("|")]


def _round_cases() -> Iterator[object]:
    deals: dict[str, str] = {}
    for name, columns in _lines("koikoi-round-*.txt"):
        if columns[0].startswith("deal "):
            deals[f"@{columns[0].removeprefix('deal ')}"] = columns[1]
        else:
            rules, deal, *rest = columns
            yield pytest.param(
                rules, " ".join(deals.get(word, word) for word in deal.split()), *rest, id=name
            )


@pytest.mark.parametrize(("rules", "deal", "turns", "expected", "source"), list(_round_cases()))
def test_round(rules: str, deal: str, turns: str, expected: str, source: str) -> None:
    assert source, "a case names the text it comes from"
    found = told(rules, deal, turns)
    if expected in {"dealt", "misdealt"}:
        codes = {problem.code for problem in found.round.status()}
        assert codes == ({"misdeal"} if expected == "misdealt" else set())
    else:
        assert found.stands() == expected
