"""Simulated rounds of every game by any house rules: their records replay without a problem."""

import json

import pytest
from replay_breaks import hide
from replay_tables import simulated

from companion.hanafuda.registry import GAMES
from companion.hanafuda.replay import replay
from companion.hanafuda.rules import WrongGameError

ROUNDS = 60


@pytest.mark.parametrize("game", GAMES)
def test_simulated_rounds_are_legal_and_agree(game: str) -> None:
    for seed, record in enumerate(simulated(game, ROUNDS)):
        answer = replay(json.loads(json.dumps(record))).to_dict()
        assert (seed, answer["problems"], answer["agrees"]) == (seed, [], True)
        assert answer["points"] == record["result"]["points"]


@pytest.mark.parametrize("game", GAMES)
def test_unbroken_rounds_stay_legal_with_the_hands_hidden(game: str) -> None:
    for seed, record in enumerate(simulated(game, ROUNDS)):
        answer = replay(hide(record)).to_dict()
        # Hidden hands do not show why a Koi-Koi round ended at the deal.
        agrees = True if record["turns"] else None
        assert (seed, answer["problems"], answer["agrees"]) == (seed, [], agrees)


def test_kingo_with_the_rules_of_its_banking_form_is_that_form() -> None:
    (record,) = simulated("kingo-bank", 1)
    assert replay({**record, "game": "kingo"}).to_dict() == replay(record).to_dict()
    with pytest.raises(WrongGameError):
        replay({**record, "rules": "kingo"})
