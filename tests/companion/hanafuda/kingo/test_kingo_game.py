"""Games of Kingo: stones, dealers, the end of the game, and invalid rules records."""

from random import Random
from typing import Any

import pytest

from companion.hanafuda.games.kingo import KingoBankMatch, KingoBankRound, KingoMatch, KingoRound
from companion.hanafuda.games.kingo.rules import KingoBankRules, KingoRules
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Outcome
from companion.hanafuda.rules import BadRuleValueError, resolve
from companion.messages import render
from tests.message_text import raises_text


def _ended(points: tuple[int, ...], next_dealer: int = 1, counts: bool = True) -> Outcome:
    return Outcome("won", (1,), points, next_dealer, Message("kingo-all-bareta"), counts=counts)


def _game(rules: Any, *points: tuple[int, ...], players: int = 3) -> KingoMatch:
    game = KingoMatch(rules, players=players)
    game.outcomes += [_ended(each) for each in points]
    return game


def test_stones_pass_from_round_to_round() -> None:
    game = _game(KingoRules(stones=5), (2, -1, -1), (-1, 2, -1))
    assert game.stones == (6, 6, 3)
    assert game.playing == (1, 2, 3)
    assert game.outcome() is None
    dealt = game.shuffled(Random(1), wager=3)
    assert (dealt.stones, dealt.wager, dealt.dealer, dealt.players) == ((6, 6, 3), 3, 1, 3)
    assert game.shuffled(Random(1)).wager == 1


def test_a_player_without_stones_is_out() -> None:
    game = _game(KingoRules(stones=5), (5, -5, 0))
    assert game.stones == (10, 0, 5)
    assert game.playing == (1, 3)
    assert game.outcome() is None
    dealt = game.shuffled(Random(1))
    assert [len(hand) for hand in dealt.deal.hands] == [1, 0, 1]
    assert dealt.status() == []
    assert dealt.order == (1, 3)


def test_the_last_with_stones_wins() -> None:
    game = _game(KingoRules(stones=5, rounds=0), (5, -5, 0), (5, 0, -5))
    found = game.outcome()
    assert found is not None
    assert found.winners == (1,)
    assert (render(found.why), render(found.why, "ja")) == (
        "Most stones: player 1 with 15 stones.",
        "1番が最も多い15個。",
    )


def test_without_a_number_of_rounds_the_game_goes_on() -> None:
    assert _game(KingoRules(rounds=0), *[(0, 0, 0)] * 50).outcome() is None


def test_twelve_rounds_end_a_game_and_void_rounds_do_not_count() -> None:
    game = _game(KingoRules(), *[(1, 0, -1)] * 11)
    game.outcomes.append(_ended((0, 0, 0), counts=False))
    assert game.outcome() is None
    assert game.played == 11
    game.outcomes.append(_ended((-11, 11, 0)))
    found = game.outcome()
    assert found is not None
    assert found.winners == (2,)
    game.outcomes[-1] = _ended((-5, 6, -1))
    found = game.outcome()
    assert found is not None
    assert (found.winners, render(found.why)) == (
        (1, 2),
        "Most stones: player 1 and player 2 with 26 stones.",
    )


def test_in_debt_all_play_on() -> None:
    game = _game(KingoRules(stones=5, debt="allow"), (9, -9, 0))
    assert game.stones == (14, -4, 5)
    assert game.playing == (1, 2, 3)
    assert [len(hand) for hand in game.shuffled(Random(1)).deal.hands] == [1, 1, 1]


@pytest.mark.parametrize(
    ("form", "rules"),
    [
        (KingoMatch, KingoRules(rounds=0, stones=4)),
        (KingoBankMatch, KingoBankRules(rounds=0, stones=4, rotate="right")),
    ],
)
def test_a_game_is_played_to_its_end(form: Any, rules: Any) -> None:
    rng = Random(7)
    game = form(rules, players=3)
    while game.outcome() is None:
        played = game.shuffled(rng)
        assert played.status() == []
        assert played.stones == game.stones
        assert played.dealer in game.playing
        while played.outcome() is None:
            played.push(rng.choice(played.legal_moves()))
        game.push(played)
        assert sum(game.stones) == 12
    assert sorted(game.stones) == [0, 0, 12]


def test_a_round_with_other_stones_is_not_the_next_one() -> None:
    game = KingoMatch(KingoRules(), players=2)
    played = KingoRound.shuffled(KingoRules(), Random(1), players=2, stones=[20, 19])
    assert [problem.code for problem in game.check(played)] == ["round-unfinished", "other-stones"]
    assert render(game.check(played)[1].text) == (
        "the round was played with 20 and 19 stones, but the players have 20 and 20"
    )
    unplayed = KingoRound.shuffled(KingoRules(), Random(1), players=2)
    assert [problem.code for problem in game.check(unplayed)] == ["round-unfinished"]


def test_the_banking_game_deals_its_own_rounds() -> None:
    game = KingoBankMatch(KingoBankRules(stones=7), players=4, dealer=3)
    dealt = game.shuffled(Random(1))
    assert isinstance(dealt, KingoBankRound)
    assert (dealt.stones, dealt.dealer, dealt.players) == ((7, 7, 7, 7), 3, 4)


# --- rules


def test_a_game_without_an_end_is_refused() -> None:
    for record in (KingoRules, KingoBankRules):
        with raises_text(BadRuleValueError, match="Rounds of a game and A player who cannot pay in full"):
            record(rounds=0, debt="allow")
        assert record(rounds=0).rounds == 0
        assert record(debt="allow").debt == "allow"


def test_the_presets_follow_the_rulings() -> None:
    assert resolve("kingo").to_dict() == {
        "deck": "hanafuda",
        "hands": "hidden",
        "min_draws": 1,
        "draw_at_fifteen": "barred",
        "wager": 1,
        "remainder": "whole",
        "dealer_order": "dealer_last",
        "both_teyaku": "winner",
        "stones": 20,
        "debt": "out",
        "rounds": 12,
    }
    assert resolve("kingo-bank").to_dict() == {
        "deck": "hanafuda",
        "hands": "hidden",
        "dealer_discards": True,
        "october_redeal": "own",
        "tsun_min": 12,
        "dealer_tsun_min": "same",
        "kingo": True,
        "arashi": True,
        "goshita_gomai": True,
        "ittan_juuroku": True,
        "shippin": True,
        "kuppin": True,
        "shigoro": True,
        "goppin": True,
        "wager_limit": 10,
        "dealer_multiplier": False,
        "equal_ittan": "tie",
        "tera_zen": 0,
        "stones": 20,
        "debt": "out",
        "rounds": 12,
        "rotate": "stays",
    }


@pytest.mark.parametrize("record", [KingoRules, KingoBankRules])
def test_options_come_section_by_section(record: Any) -> None:
    sections = [option.section for option in record.options().values()]
    assert list(dict.fromkeys(sections)) == list(record.sections)
    assert sorted(sections, key=list(record.sections).index) == sections
    for option in record.options().values():
        assert not render(option.text).endswith(".")
        assert not render(option.text, "ja").endswith("。")
        assert option.source


@pytest.mark.parametrize(
    ("preset", "key", "value"),
    [
        ("kingo", "wager", 0),
        ("kingo", "stones", 0),
        ("kingo", "rounds", 121),
        ("kingo", "min_draws", 2),
        ("kingo", "hands", "open"),
        ("kingo-bank", "tsun_min", 10),
        ("kingo-bank", "dealer_tsun_min", 12.0),
        ("kingo-bank", "tera_zen", 101),
        ("kingo-bank", "wager_limit", 0),
        ("kingo-bank", "shippin", 1),
    ],
)
def test_impossible_values_are_refused(preset: str, key: str, value: Any) -> None:
    with raises_text(BadRuleValueError, match=key):
        resolve({"preset": preset, key: value})


def test_the_highest_and_lowest_values() -> None:
    rules = resolve(
        {"preset": "kingo-bank", "tera_zen": 100, "wager_limit": 1000, "stones": 1, "rounds": 120}
    )
    assert rules.to_dict()["tera_zen"] == 100
    assert resolve({"preset": "kingo", "wager": 1000}).to_dict()["wager"] == 1000


def test_values_in_words() -> None:
    meanings = {
        each["key"]: render(Message.from_dict(each["meaning"])) for each in resolve("kingo").describe()
    }
    assert meanings["wager"] == "1 stone"
    assert meanings["stones"] == "20 stones"
    assert meanings["rounds"] == "12 rounds"
    endless = resolve({"preset": "kingo", "rounds": 0}).describe()[-1]["meaning"]
    assert render(Message.from_dict(endless)) == "no limit"


def test_the_board_shows_the_stones_after_the_round() -> None:
    """Everybody had twenty stones below the text that somebody had won two."""
    played = KingoRound.shuffled(resolve("kingo"), Random(3), players=3, stones=(20, 20, 20))
    rng = Random(1)
    board = GAMES["kingo"].board
    while moves := played.legal_moves():
        assert [seat["stones"] for seat in board.view(played)["seats"]] == [20, 20, 20]
        played.push(rng.choice(moves))
    outcome = played.outcome()
    assert outcome is not None
    assert outcome.points == (-1, 2, -1)
    assert [seat["stones"] for seat in board.view(played)["seats"]] == [19, 22, 19]


@pytest.mark.parametrize("game", ["kingo", "kingo-bank"])
def test_the_game_offers_no_more_players_than_can_play(game: str) -> None:
    """The form of a table offered eight, which the server refused."""
    played = GAMES[game].round.seats(resolve(game))
    assert GAMES[game].seats == (2, 7) == (played[0], played[-1])


def test_three_dealt_cards_are_no_hand_before_one_is_chosen() -> None:
    """Three irises of which one is kept were announced as Kingo."""
    played = KingoBankRound.shuffled(
        resolve({"preset": "kingo-bank", "hands": "face_up"}), Random(3), players=3
    )
    board = GAMES["kingo-bank"].board
    assert [seat["total"] for seat in board.view(played)["seats"]] == [None, None, None]
    played.push(next(move for move in played.legal_moves() if move.words()[0] == "choose"))
    totals = [seat["total"] for seat in board.view(played)["seats"]]
    assert [total is not None for total in totals].count(True) == 1
