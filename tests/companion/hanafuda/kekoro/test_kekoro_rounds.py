"""The course and end of rounds and games of Kekoro, from the golden tables."""

import re
from random import Random

import pytest

from companion.hanafuda.fishing import Call
from companion.hanafuda.games.kekoro import KekoroMatch, KekoroRound
from companion.hanafuda.games.kekoro.round import End
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.messages import Message
from companion.hanafuda.round import Deal, Outcome
from companion.hanafuda.simulation import round_of_text
from tests.companion.hanafuda.kekoro import kekoro_golden as golden


def _round(rules: str, hands: str, field: str, stock: str) -> KekoroRound:
    reported, _, dealer = hands.partition(" dealer ")
    first, second = (tuple(hand.split()) for hand in reported.split("/"))
    deal = Deal((first, second), tuple(field.split()), tuple(stock.split()))
    return KekoroRound(golden.rules(rules), deal, dealer=int(dealer or 1))


def _play(played: KekoroRound, moves: list[str], end: str) -> None:
    """Make the moves and check the resulting state against the table."""
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
    """Check that a record and the text form of a round restore it."""
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
    assert round_of_text(played.to_text()) == played


def _stands(played: KekoroRound) -> str:
    if outcome := played.outcome():
        assert played.to_move is None
        assert played.legal_moves() == []
        winner = outcome.winners[0] if outcome.winners else "-"
        first, second = outcome.points
        scores = played.score(1), played.score(2)
        assert outcome.points == (scores[0].total, scores[1].total)
        for player, score in enumerate(scores, start=1):
            assert played.yaku(player) == tuple((yaku.slug, played.rules.yaku_points) for yaku in score.yaku)
        return f"{outcome.how} winner {winner} {first}:{second} dealer {outcome.next_dealer}"
    calls = [str(move) for move in played.legal_moves() if isinstance(move, Call)]
    pending = played.pending_decision()
    if pending and pending.code == "decision-missing":
        assert calls == [f"{played.to_move} call win", f"{played.to_move} call stop"]
        return f"undecided: {played.to_move}"
    may_win = f", {calls[0].removesuffix(' call win')} may win" if calls else ""
    return f"goes on: {played.to_move} to {'draw' if pending else 'play'}{may_win}"


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
    count, *further = moves.split("; ")
    made = line.split("; ")[: int(count)]
    assert len(made) == int(count)
    played = _round(rules, hands, field, stock)
    _play(played, [*made, *further], end)
    if (outcome := played.outcome()) and not end.startswith("refused"):
        assert outcome.ends_game == end.startswith("yaku-victory")


def _lead(rules: str, count: int) -> KekoroRound:
    """Return the scene "lead" after a number of moves."""
    hands, field, stock, line = SCENES["lead"]
    played = _round(rules, hands, field, stock)
    for move in line.split("; ")[:count]:
        player, *words = move.split()
        played.push(KekoroRound.read_move(int(player), words))
    return played


def test_yaku_are_listed_with_their_points() -> None:
    played = _lead("kekoro yaku_points=20", 10)
    assert played.yaku(1) == (("sangoro", 20), ("goshiroku", 20), ("shichigosan", 20))
    assert played.yaku(2) == ()
    assert _lead("kekoro lead_to_win=0", 12).yaku(2) == (("ebi-ribbons", 30),)


CHERRY = {"player": 1, "play": "cherry-chaff-1", "captured": ["cherry-chaff-1", "cherry-curtain"]}
DRAWN = {"draw": "chrysanthemum-chaff-1", "draw_captured": []}


def test_a_record_contains_the_automatic_victory() -> None:
    assert _lead("kekoro", 10).turns()[-1] == {**CHERRY, **DRAWN, "call": "win"}
    at_once = {**CHERRY, "draw": None, "draw_captured": [], "call": "win"}
    assert _lead("kekoro judge=any_time", 9).turns()[-1] == at_once
    assert _lead("kekoro lead_to_win=4", 10).turns()[-1] == {**CHERRY, **DRAWN, "call": None}
    assert [turn["call"] for turn in _lead("kekoro lead_to_win=4", 12).turns()] == [None] * 6


def test_a_record_may_omit_the_automatic_victory() -> None:
    for call in ("win", None):
        played = _lead("kekoro", 8)
        for move in played.read_turn({**CHERRY, **DRAWN, "call": call}):
            played.push(move)
        assert played == _lead("kekoro", 10)


@pytest.mark.parametrize(
    ("rules", "count", "call", "code"),
    [
        ("kekoro", 8, "stop", "call-unknown"),
        ("kekoro", 8, "koikoi", "call-unknown"),
        ("kekoro lead_to_win=4", 8, "win", "win-without-lead"),
        ("kekoro lead_to_win=4 declare=optional", 8, "win", "win-without-lead"),
        ("kekoro declare=optional", 8, "stop", "call-unknown"),
    ],
)
def test_an_illegal_call_in_a_record_is_reported(rules: str, count: int, call: str, code: str) -> None:
    played = _lead(rules, count)
    problems = []
    for move in played.read_turn({**CHERRY, **DRAWN, "call": call}):
        problems += [(str(move), problem.code) for problem in played.check(move)]
        played.push(move, unchecked=True)
    assert problems == [(f"1 call {call}", code)]


def test_a_call_in_the_opponents_turn_is_the_leaders() -> None:
    pine = {"player": 2, "play": "pine-chaff-1", "captured": ["pine-chaff-1", "pine-ribbon"]}
    at_once = {**pine, "draw": None, "draw_captured": [], "call": "win"}
    at_last = {**pine, "draw": "paulownia-chaff-1", "draw_captured": []}
    rules = "kekoro declare=optional judge=any_time lead_to_win=2"
    for turn, how in (
        (at_once, "yaku-victory"),
        ({**at_last, "call": "win"}, "yaku-victory"),
        ({**at_last, "call": "stop"}, "played-out"),
    ):
        played = _lead(rules, 10)
        for move in played.read_turn(turn):
            played.push(move)
        outcome = played.outcome()
        assert outcome is not None
        assert (outcome.how, outcome.winners) == (how, (1,))
        assert played.moves[-1] == Call(1, turn["call"])  # type: ignore[arg-type]
        assert played.turns()[-1] == turn


@pytest.mark.parametrize(("rules", "rounds", "end", "source"), golden.cases("kekoro-games.txt"))
def test_game(rules: str, rounds: str, end: str, source: str) -> None:
    assert source, "a case names the text it comes from"
    game = KekoroMatch(golden.rules(rules))
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
        how,
        (winner,) if winner else (),
        (first, second),
        winner or 1,
        Message("redeal-field"),
        ends_game=bool(won),
    )


def test_each_is_dealt_eight_cards_and_eight_lie_open() -> None:
    """FudaWiki, "Distributing the Initial Cards"; the other half of the deck is the stock."""
    deal = KekoroRound.shuffled(KekoroRules(), Random(1)).deal
    assert [len(cards) for cards in (*deal.hands, deal.field, deal.stock)] == [8, 8, 8, 24]
