"""The golden tables of Kakkuri: situations and whole rounds worked out by hand from the texts."""

import pytest
from kakkuri_builders import codes, golden, keep_all, moves_of, play, round_of

SITUATIONS = golden("kakkuri-situations.txt", 7)


def test_there_are_enough_situations() -> None:
    assert len(SITUATIONS) >= 40


@pytest.mark.parametrize(("rules", "table", "hands", "so_far", "move", "expected"), SITUATIONS)
def test_situation(rules: str, table: str, hands: str, so_far: str, move: str, expected: str) -> None:
    *words, pending = table.split() if "swaps=pending" in table else [*table.split(), ""]
    played = play(round_of(rules, " ".join(words), hands), so_far)
    (asked,) = moves_of(move, played.rules.deck)
    if not pending and asked.words()[0] not in ("swap", "keep"):
        keep_all(played)
    problems = played.check(asked)
    reported = "legal" if expected == "legal" else sorted(expected.split(", "))
    assert (sorted(codes(problems)) or "legal") == reported, problems
    assert (asked in played.legal_moves()) == (expected == "legal")


@pytest.mark.parametrize(
    ("rules", "table", "hands", "moves", "how", "points", "after"), golden("kakkuri-settlement.txt", 8)
)
def test_settlement(
    rules: str, table: str, hands: str, moves: str, how: str, points: str, after: str
) -> None:
    played = play(round_of(rules, table, hands), moves)
    outcome = played.outcome()
    assert outcome is not None
    assert f"{outcome.how} {outcome.winners[0] if outcome.winners else 0}" == how
    assert " ".join(map(str, outcome.points)) == points
    assert f"{outcome.pot} {outcome.next_dealer}" == after
    assert sum(outcome.points) + outcome.pot == played.pot
    if played.moves:
        played.pop()
        assert played.outcome() is None, "the round ends with the last move"
