"""Random rounds: legal to the end, and reproducible from their seed, for every game and preset."""

from random import Random

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.games.kingo import KingoRound
from companion.hanafuda.registry import GAMES
from companion.hanafuda.round import Round
from companion.hanafuda.rules import PRESETS, WrongGameError, resolve
from companion.hanafuda.simulation import random_round, record_of
from tests.message_text import raises_text

SEEDS = range(8)


@pytest.mark.parametrize("preset", PRESETS)
def test_rounds_are_played_to_the_end_by_legal_moves(preset: str) -> None:
    game = PRESETS[preset].game
    for seed in SEEDS:
        played = random_round(game, seed, preset)
        assert played.rules == PRESETS[preset]
        assert played.outcome() is not None
        assert played.status() == []
        again = played.copy()
        while again.moves:
            move = again.pop()
            assert again.check(move) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_seed_makes_a_round(game: str) -> None:
    assert [random_round(game, seed) for seed in SEEDS] == [random_round(game, seed) for seed in SEEDS]
    assert random_round(game, 1) != random_round(game, 2)


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("koikoi", {2}),
        ("kekoro", {2}),
        ("kakkuri", {7, 8}),
        ("kingo", {*range(2, 8)}),
        ("kingo-bank", {*range(2, 8)}),
    ],
)
def test_as_many_players_as_there_may_be(game: str, seats: set[int]) -> None:
    rounds = [random_round(game, seed) for seed in range(60)]
    assert {played.players for played in rounds} == seats
    assert {played.dealer == played.players for played in rounds} == {True, False}
    assert min(played.dealer for played in rounds) == 1


def test_so_many_players_as_are_wanted() -> None:
    assert {random_round("kingo", seed, players=5).players for seed in SEEDS} == {5}
    with raises_text(BadRequestError, match="7 to 8 players"):
        random_round("kakkuri", 1, players=3)


def test_koikoi_has_every_month() -> None:
    months = {random_round("koikoi", seed).situation()["month"] for seed in range(80)}
    assert months == {*range(1, 13)}
    assert random_round("kekoro", 1).situation() == {}


def test_rules_of_another_game_are_refused() -> None:
    with pytest.raises(WrongGameError):
        random_round("koikoi", 1, "kekoro")


def test_default_rules_of_the_game() -> None:
    assert random_round("kakkuri", 1).rules == resolve("kakkuri")
    assert random_round("kingo", 1, "kingo-bank").rules.game == "kingo-bank"


# --- the record


@pytest.mark.parametrize("game", GAMES)
def test_a_record_deals_the_round_again(game: str) -> None:
    for seed in SEEDS:
        played = random_round(game, seed)
        record = record_of(played)
        assert record["game"] == game
        assert record["rules"] == GAMES[game].rules.standard()
        again: Round = type(played).from_record(record)
        for turn in record["turns"]:
            for move in again.read_turn(turn):
                again.push(move)
        assert again == played


def test_a_record_has_the_keys_of_the_contract() -> None:
    record = record_of(random_round("koikoi", 3))
    assert list(record) == ["game", "rules", "players", "dealer", "month", "deal", "turns", "result"]
    assert list(record["deal"]) == ["hands", "field", "stock"]
    assert [len(hand) for hand in record["deal"]["hands"].values()] == [8, 8]
    assert list(record["deal"]["hands"]) == ["1", "2"]
    assert (len(record["deal"]["field"]), len(record["deal"]["stock"])) == (8, 24)
    assert set(record["result"]) == {"winner", "points"}
    assert set(record["result"]["points"]) == {"1", "2"}


def test_a_game_without_a_field_records_no_field() -> None:
    record = record_of(random_round("kingo", 3))
    assert list(record["deal"]) == ["hands", "stock"]


def test_house_rules_are_recorded_as_changes_to_their_preset() -> None:
    rules = resolve({"preset": "koikoi-hu", "exhausted": 6, "own_call": ["x2", "x3"]})
    record = record_of(random_round("koikoi", 1, rules))
    assert record["rules"] == {"preset": "koikoi-hu", "exhausted": 6, "own_call": ["x2", "x3"]}
    assert record_of(random_round("koikoi", 1, "koikoi-hu"))["rules"] == "koikoi-hu"


def test_the_result_is_the_outcome() -> None:
    winners = set()
    for seed in range(120):
        played = random_round("kingo", seed, players=3)
        outcome = played.outcome()
        assert outcome is not None
        result = record_of(played)["result"]
        assert result["points"] == {"1": outcome.points[0], "2": outcome.points[1], "3": outcome.points[2]}
        reported = result["winner"]
        assert outcome.winners == (
            () if reported is None else tuple(reported) if isinstance(reported, list) else (reported,)
        )
        winners.add("several" if isinstance(reported, list) else "nobody" if reported is None else "one")
    assert winners == {"one", "several", "nobody"}


def test_a_round_that_goes_on_has_no_result() -> None:
    played = random_round("koikoi", 3)
    played.pop()
    played.pop()
    assert played.outcome() is None
    assert "result" not in record_of(played)


def test_numbers_a_player_are_a_list() -> None:
    rules = resolve(None, "kingo")
    played = KingoRound.shuffled(rules, Random(1), players=3, stones=(5, 6, 7))
    assert record_of(played)["stones"] == [5, 6, 7]
