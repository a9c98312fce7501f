"""The golden tables of rounds and games of Koi-Koi: cases written by hand from the rule texts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from koikoi_stacked import reported, rules_of, stacked

from companion.hanafuda.games.koikoi import KoiKoiMatch
from companion.hanafuda.games.koikoi.rules import KoiKoiRules

GOLDEN = Path(__file__).parents[3] / "golden"


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
    found = reported(rules, deal, turns)
    if expected in {"dealt", "misdealt"}:
        codes = {problem.code for problem in found.round.status()}
        assert codes == ({"misdeal"} if expected == "misdealt" else set())
    else:
        assert found.stands() == expected


_DEALS = {
    "1": "1=pine-crane,pine-ribbon,pine-chaff-1,pine-chaff-2",
    "2": "2=pine-crane,pine-ribbon,pine-chaff-1,pine-chaff-2",
    "draw": "1=pine-crane,pine-ribbon,pine-chaff-1,pine-chaff-2 2=plum-warbler,plum-ribbon,plum-chaff-1,plum-chaff-2",
    "redeal": "field=pine-crane,pine-ribbon,pine-chaff-1,pine-chaff-2",
}


def _game_after(rules: KoiKoiRules, rounds: str) -> KoiKoiMatch:
    game = KoiKoiMatch(rules)
    for word in rounds.split():
        kind, _, times = word.partition("*")
        for _ in range(int(times or 1)):
            game.push(stacked(rules, f"dealer={game.dealer} month={game.month} {_DEALS[kind]}"))
    return game


@pytest.mark.parametrize(
    ("rules", "rounds", "expected", "source"),
    [pytest.param(*columns, id=name) for name, columns in _lines("koikoi-game-*.txt")],
)
def test_game(rules: str, rounds: str, expected: str, source: str) -> None:
    assert source, "a case names the text it comes from"
    game = _game_after(rules_of(rules), rounds)
    points = ":".join(map(str, game.points))
    if outcome := game.outcome():
        assert f"over {''.join(map(str, outcome.winners))} {points}" == expected
    else:
        assert f"month {game.month} deals {game.dealer} {points}" == expected


def _changes(key: str, option: Any) -> Iterator[str]:
    """Yield every value of an option except the default, as the tables write it."""
    ordinary = getattr(KoiKoiRules(), key)
    values = getattr(option, "values", None) or [word for word in option.labels if isinstance(word, str)]
    for value in values:
        if value != ordinary:
            yield f"{key}={json.dumps(value)}".replace('"', "")


@pytest.mark.parametrize(
    ("key", "option"),
    [
        (key, option)
        for key, option in KoiKoiRules.options().items()
        if option.section in {"calling", "cards", "game"}
    ],
)
def test_every_option_of_play_has_a_case(key: str, option: Any) -> None:
    rules = " ".join(
        columns[0].replace('"', "")
        for pattern in ("koikoi-round-*.txt", "koikoi-game-*.txt")
        for _, columns in _lines(pattern)
    )
    assert f" {key}=" in rules
    for change in _changes(key, option):
        assert f" {change}" in rules
