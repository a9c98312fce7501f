"""Kekoro's house rules as a record, and deals by them."""

from random import Random
from typing import Any

import pytest

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.fishing import Draw, Play
from companion.hanafuda.games.kekoro import KekoroMatch, KekoroRound
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.round import Deal
from companion.hanafuda.rules import BadRuleValueError, UnknownRuleError, resolve
from companion.messages.catalog import catalog
from tests.message_text import raises_text

IDS = [card.id for card in HANAFUDA]
DEFAULTS = {
    "values": "printed",
    "yaku_points": 30,
    "yaku_source": "fudawiki",
    "lead_to_win": 3,
    "declare": "automatic",
    "judge": "turn",
    "field_four": "redeal",
    "dealer_after_tie": "stays",
    "lead_points": 90,
}


def test_the_preset_is_the_rulings() -> None:
    assert KekoroRules().to_dict() == DEFAULTS == resolve("kekoro").to_dict()
    assert resolve(None, "kekoro").name == "kekoro"


@pytest.mark.parametrize("year", ["1921", 1921])
def test_the_year_1921_may_be_written_as_a_number(year: Any) -> None:
    rules = resolve({"preset": "kekoro", "yaku_source": year})
    assert rules == KekoroRules(yaku_source="1921")
    assert rules.to_dict()["yaku_source"] == "1921"
    assert rules.hash == KekoroRules(yaku_source="1921").hash != KekoroRules().hash


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("values", "kusaka"),
        ("yaku_points", 0),
        ("yaku_points", "30"),
        ("yaku_points", 1001),
        ("yaku_source", 1922),
        ("yaku_source", 1921.0),
        ("yaku_source", True),
        ("lead_to_win", -1),
        ("lead_to_win", 27),
        ("declare", "auto"),
        ("judge", "any time"),
        ("field_four", "dealer_takes"),
        ("dealer_after_tie", True),
        ("lead_points", 0),
        ("lead_points", 1001),
    ],
)
def test_an_impossible_value_is_refused_by_name(key: str, value: Any) -> None:
    with raises_text(BadRuleValueError, match=key):
        resolve({"preset": "kekoro", key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [("yaku_points", 1), ("yaku_points", 1000), ("lead_to_win", 0), ("lead_to_win", 26), ("lead_points", 1)],
)
def test_the_limits_are_valid(key: str, value: int) -> None:
    assert resolve({"preset": "kekoro", key: value}).to_dict()[key] == value


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with raises_text(UnknownRuleError, match="lead_points"):
        resolve({"preset": "kekoro", "lead_point": 90})


def test_every_option_has_an_explanation_and_a_source() -> None:
    for option in KekoroRules().describe():
        assert option["section"] in KekoroRules.sections
        assert option["source"]
        for output in (option["sentence"], option["meaning"]):
            assert output["code"] in catalog("en")
    for key, values in {
        "values": ["printed", "kusaba"],
        "yaku_source": ["fudawiki", "1921"],
        "declare": ["automatic", "optional"],
        "judge": ["turn", "any_time"],
        "field_four": ["redeal", "play_on"],
        "dealer_after_tie": ["stays", "passes"],
    }.items():
        assert len({KekoroRules.options()[key].meaning(value) for value in values}) == 2


# --- deals and games


def test_a_deal_is_eight_eight_eight() -> None:
    dealt = KekoroRound.shuffled(KekoroRules(), Random(1), dealer=2)
    assert [len(hand) for hand in dealt.deal.hands] == [8, 8]
    assert (len(dealt.deal.field), len(dealt.deal.stock)) == (8, 24)
    assert (dealt.dealer, dealt.to_move) == (2, 2)
    assert dealt.score(1).total == 0


def test_hidden_hands_are_eight_cards_each() -> None:
    field = ["pine-crane", "plum-ribbon", "maple-deer", "iris-bridge"]
    field += ["clover-boar", "susuki-moon", "willow-swallow", "peony-ribbon"]
    dealt = KekoroRound.from_record({"rules": "kekoro", "deal": {"field": field}})
    assert dealt.status() == []
    assert (len(dealt.hand(1)), len(dealt.hand(2)), dealt.dealer) == (8, 8, 1)
    # Any card that nobody has seen may be played, and captures according to the text.
    moves = dealt.legal_moves()
    assert {move.card for move in moves if isinstance(move, Play)} == set(IDS) - set(field)
    played = Play(1, "pine-chaff-1", ("pine-crane",))
    assert played in moves
    dealt.push(played)
    assert Draw(1, "pine-chaff-2") in dealt.legal_moves()
    assert [problem.code for problem in dealt.check(Draw(1, "pine-crane"))] == ["captured-before"]


def test_rules_of_another_game_are_refused() -> None:
    with raises_text(BadRequestError, match="koikoi"):
        KekoroRound.from_record({"rules": "koikoi-hu", "deal": {"field": []}})


def test_four_of_a_month_on_the_field_are_never_dealt_to_play() -> None:
    four = ("pine-crane", "pine-ribbon", "pine-chaff-1", "pine-chaff-2")

    class Stacked(Random):
        """A random generator that shuffles the four pines to the field at first."""

        shuffles = 0

        def shuffle(self, x: Any) -> None:
            super().shuffle(x)
            self.shuffles += 1
            if self.shuffles == 1:
                rest = [card for card in x if card not in four]
                x[:] = [*rest[:16], *four, *rest[16:]]

    rng = Stacked(5)
    dealt = KekoroRound.shuffled(KekoroRules(), rng)
    assert rng.shuffles == 2
    assert not set(four) <= set(dealt.deal.field)
    rng = Stacked(5)
    dealt = KekoroRound.shuffled(KekoroRules(field_four="play_on"), rng)
    assert rng.shuffles == 1
    assert set(four) <= set(dealt.deal.field)


@pytest.mark.parametrize("rules", [KekoroRules(), KekoroRules(lead_points=200, lead_to_win=0)])
def test_games_are_played_to_their_end(rules: KekoroRules) -> None:
    rng = Random(7)
    assert KekoroMatch(rules).dealer == 1
    for dealer in (1, 2):
        game = KekoroMatch(rules, dealer=dealer)
        assert (game.players, game.dealer, game.points, game.played) == (2, dealer, (0, 0), 0)
        while game.outcome() is None:
            played = game.shuffled(rng)
            assert (played.dealer, played.rules) == (game.dealer, rules)
            while moves := played.legal_moves():
                played.push(rng.choice(moves))
            outcome = played.outcome()
            assert outcome is not None
            before = game.points
            game.push(played)
            assert game.points == tuple(a + b for a, b in zip(before, outcome.points, strict=True))
            assert game.dealer == (outcome.winners[0] if outcome.winners else played.dealer)
        first, second = game.points
        winner = game.outcome().winners  # type: ignore[union-attr]
        if game.outcomes[-1].ends_game:
            assert winner == game.outcomes[-1].winners
        else:
            assert winner == ((1,) if first - second >= rules.lead_points else (2,))
            assert abs(first - second) >= rules.lead_points
        assert [problem.code for problem in game.check(game.shuffled(rng))] == [
            "game-over",
            "round-unfinished",
        ]


def test_a_deal_of_the_wrong_size_is_reported() -> None:
    dealt = KekoroRound(KekoroRules(), Deal((("pine-crane",), ()), (), ()))
    assert [problem.code for problem in dealt.status()] == ["misdeal"] * 4
