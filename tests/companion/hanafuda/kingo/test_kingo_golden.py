"""The golden tables of Kingo in tests/golden: worked out by hand from the rule text, for players to extend."""

import pytest

from companion.hanafuda.games.kingo import KingoBankRound, score_hand
from companion.hanafuda.games.kingo.rules import KingoBankRules
from companion.hanafuda.simulation import round_of_text
from companion.messages import render
from tests.companion.hanafuda.kingo.kingo_tables import (
    AnyRound,
    Box,
    cases,
    dealt_of,
    lay_out,
    months_of,
    move_of,
    play,
    rules_of,
    situation_of,
    split,
)


@pytest.mark.parametrize(("rules", "role", "hand", "expected"), cases("kingo-hands"))
def test_hand(rules: str, role: str, hand: str, expected: str) -> None:
    table = rules_of(rules)
    box = Box(table)
    cards = [box.take(month) for month in months_of(hand)[0]]
    assert role in {"dealer", "bettor"}
    score = score_hand(cards, table, role)  # type: ignore[arg-type]  # checked on the line above
    assert f"{score.hand.rank.slug} {score.hand.value}" == expected


def _played(rules: str, situation: str, hands: str) -> AnyRound:
    reported = [months_of(hand.strip()) for hand in hands.split(",")]
    played = lay_out(rules_of(rules), situation_of(situation), [months for months, _ in reported])
    assert played.status() == []
    play(played, reported)
    return played


@pytest.mark.parametrize(("rules", "situation", "hands", "expected"), cases("kingo-showdowns"))
def test_showdown(rules: str, situation: str, hands: str, expected: str) -> None:
    played = _played(rules, situation, hands)
    outcome = played.outcome()
    assert outcome is not None
    winners = "+".join(map(str, outcome.winners)) or "-"
    points = " ".join(map(str, outcome.points))
    assert f"{outcome.how} {winners} => {points} next {outcome.next_dealer}" == expected
    house = sum(each.tera_zen for each in played.settlements()) if isinstance(played, KingoBankRound) else 0
    assert sum(outcome.points) == -house
    assert outcome.counts == (outcome.how != "void")
    assert outcome.pot == 0
    for rebuilt in (round_of_text(played.to_text()), played.copy()):
        assert rebuilt == played
        assert rebuilt.outcome() == outcome


@pytest.mark.parametrize(("rules", "dealt", "before", "move", "expected"), cases("kingo-moves"))
def test_move(rules: str, dealt: str, before: str, move: str, expected: str) -> None:
    table = rules_of(rules)
    played = dealt_of(table, dealt)
    if table.hands == "hidden":
        assert played.status() == []
    for text in split(before):
        played.push(move_of(played, text))
    found = move_of(played, move)
    problems = played.check(found)
    assert " ".join(problem.code for problem in problems) == expected.replace("ok", "")
    assert (found in played.legal_moves()) == (expected == "ok")
    for problem in problems:
        assert render(problem.text)
        assert render(problem.text, "ja")
        assert render(problem.text) != render(problem.text, "ja")


def test_the_tables_are_whole() -> None:
    """Every option of both records appears in a table with another value than its default."""
    reported = {
        word.split("=")[0]
        for name in ("kingo-hands", "kingo-showdowns", "kingo-moves")
        for case in cases(name)
        for word in str(case.values[0]).split()[1:]
    }
    for preset in ("kingo", "kingo-bank"):
        rules = rules_of(preset)
        # What concerns whole games rather than single rounds is in test_kingo_game.
        missing = set(rules.options()) - reported - {"rounds", "stones", "october_redeal"}
        assert not missing, f"{preset}: {missing}"
        assert isinstance(rules, KingoBankRules) == (preset == "kingo-bank")
    assert len(cases("kingo-showdowns")) >= 60
