"""How rounds and games of Kekoro go and end, by the golden tables."""

import re

import pytest

from companion.fishing import Call
from companion.game import Deal, Outcome
from companion.kekoro import KekoroGame, KekoroRound
from companion.kekoro.round import End
from companion.rules import Text
from tests.companion.kekoro import kekoro_golden as golden


def _round(rules: str, hands: str, field: str, stock: str) -> KekoroRound:
    told, _, dealer = hands.partition(" dealer ")
    first, second = (tuple(hand.split()) for hand in told.split("/"))
    deal = Deal((first, second), tuple(field.split()), tuple(stock.split()))
    return KekoroRound(golden.rules(rules), deal, dealer=int(dealer or 1))


def _play(played: KekoroRound, moves: list[str], end: str) -> None:
    """Make the moves, and see that the round then stands as the table says."""
    refused = end.removeprefix("refused: ") if end.startswith("refused: ") else None
    for number, line in enumerate(moves, start=1):
        player, *words = line.split()
        move = KekoroRound.read_move(int(player), words)
        problems = played.check(move)
        if refused and number == len(moves):
            assert [problem.code for problem in problems] == refused.split()
            assert move not in played.legal_moves()
            return
        assert problems == []
        assert move in played.legal_moves()
        played.push(move)
    assert _stands(played) == end
    _reads_back(played)


def _reads_back(played: KekoroRound) -> None:
    """See that a record and the text form of a round lead back to it."""
    record = {
        "rules": {"preset": "kekoro", **played.rules.to_dict()},
        "dealer": played.dealer,
        "deal": {
            "hands": {"1": list(played.deal.hands[0]), "2": list(played.deal.hands[1])},
            "field": list(played.deal.field),
            "stock": list(played.deal.stock),
        },
    }
    again = KekoroRound.from_record(record)
    for turn in played.turns():
        for move in again.read_turn(turn):
            again.push(move)
    assert again == played
    assert again.turns() == played.turns()
    assert KekoroRound.from_text(played.to_text()) == played


def _stands(played: KekoroRound) -> str:
    if outcome := played.outcome():
        assert played.to_move is None
        assert played.legal_moves() == []
        winner = outcome.winners[0] if outcome.winners else "-"
        first, second = outcome.points
        assert outcome.points == (played.score(1).total, played.score(2).total)
        return f"{outcome.how} winner {winner} {first}:{second} dealer {outcome.next_dealer}"
    calls = [str(move) for move in played.legal_moves() if isinstance(move, Call)]
    owed = played.owes()
    if owed and owed.code == "decision-missing":
        assert calls == [f"{played.to_move} call win", f"{played.to_move} call stop"]
        return f"undecided: {played.to_move}"
    may_win = f", {calls[0].removesuffix(' call win')} may win" if calls else ""
    return f"goes on: {played.to_move} to {'draw' if owed else 'play'}{may_win}"


@pytest.mark.parametrize(
    ("rules", "hands", "field", "stock", "moves", "end", "source"), golden.cases("kekoro-rounds.txt")
)
def test_round(rules: str, hands: str, field: str, stock: str, moves: str, end: str, source: str) -> None:
    assert source, "a case names the text it comes from"
    _play(_round(rules, hands, field, stock), moves.split("; ") if moves else [], end)


SCENES = {
    line.split("|")[0].split()[1]: [column.strip() for column in line.split("|")[1:]]
    for line in (golden.GOLDEN / "kekoro-lead.txt").read_text(encoding="utf-8").splitlines()
    if line.startswith("scene ")
}


@pytest.mark.parametrize(("rules", "scene", "moves", "end", "source"), golden.cases("kekoro-lead.txt"))
def test_victory_by_yaku(rules: str, scene: str, moves: str, end: str, source: str) -> None:
    assert source, "a case names the text it comes from"
    hands, field, stock, line = SCENES[scene]
    count, _, further = moves.partition("; ")
    made = line.split("; ")[: int(count)]
    assert len(made) == int(count)
    played = _round(rules, hands, field, stock)
    _play(played, [*made, *([further] if further else [])], end)
    if (outcome := played.outcome()) and not end.startswith("refused"):
        assert outcome.ends_game == end.startswith("yaku-victory")


@pytest.mark.parametrize(("rules", "rounds", "end", "source"), golden.cases("kekoro-games.txt"))
def test_game(rules: str, rounds: str, end: str, source: str) -> None:
    assert source, "a case names the text it comes from"
    game = KekoroGame(golden.rules(rules))
    for line in rounds.split("; ") if rounds else []:
        assert game.outcome() is None, "the game was over before"
        first, second, won = re.fullmatch(r"(\d+):(\d+)(?: win (\d))?", line).groups()  # type: ignore[union-attr]
        game.outcomes.append(_outcome(int(first), int(second), int(won or 0)))
    outcome = game.outcome()
    stands = f"winner {outcome.winners[0]}" if outcome else "goes on"
    assert f"{stands} {game.points[0]}:{game.points[1]}" == end


def _outcome(first: int, second: int, won: int) -> Outcome:
    winner = won or (first > second) * 1 or (second > first) * 2
    how: End = "yaku-victory" if won else "played-out"
    return Outcome(
        how, (winner,) if winner else (), (first, second), winner or 1, Text("", ""), ends_game=bool(won)
    )
