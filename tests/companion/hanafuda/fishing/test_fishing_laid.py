"""Reset of a round to the cards on the table: no change if they agree; records contain the reset."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.cards import CardTwiceError, UnknownCardError
from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.fishing import FishingRound
from companion.hanafuda.registry import GAMES
from companion.hanafuda.replay import replay
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import record_of


def hidden_round(game: str, seed: int) -> FishingRound[Any, Any]:
    """Deal a round with hidden hands and stock."""
    rng = Random(seed)
    while True:
        dealt = GAMES[game].round.shuffled(resolve(None, game), rng, players=2, dealer=rng.randint(1, 2))
        if dealt.outcome() is None:
            break
    record = {"dealer": dealt.dealer, "deal": {"field": list(dealt.deal.field)}}
    found = GAMES[game].round.from_record(record)
    assert isinstance(found, FishingRound)
    return found


def lie_as_they_lie(played: FishingRound[Any, Any]) -> None:
    piles = [played.captured(player) for player in (1, 2)]
    played.reset_table(played.field, piles, played.to_move or 0)


@pytest.mark.parametrize("game", ["koikoi", "kekoro"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_reset_to_the_current_state_changes_nothing(game: str, seed: int) -> None:
    played, rng = hidden_round(game, seed), Random(seed)
    while legal := played.legal_moves():
        laid = played.copy()
        lie_as_they_lie(laid)
        assert laid.state == played.state
        assert laid.legal_moves() == legal
        played.push(rng.choice(legal))


@pytest.mark.parametrize("game", ["koikoi", "kekoro"])
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), at=st.integers(0, 20))
def test_a_record_of_it_replays_to_the_same(game: str, seed: int, at: int) -> None:
    played, rng = hidden_round(game, seed), Random(seed)
    while legal := played.legal_moves():
        if len(played.moves) == at:
            lie_as_they_lie(played)
        played.push(rng.choice(legal))
    record = json.loads(json.dumps(record_of(played)))
    assert sum("laid" in turn for turn in record["turns"]) == (len(played.moves) > at)
    answer = replay(record)
    assert answer.legal
    assert answer.agrees
    assert answer.round.state == played.state


def test_pop_undoes_the_reset() -> None:
    played = hidden_round("koikoi", 1)
    for _ in range(2):
        played.push(played.legal_moves()[0])
    stood = played.state
    played.push(played.legal_moves()[0])
    played.reset_table(played.field[1:], [[], [played.field[0]]], 1)
    assert played.captured(2) != ()
    played.pop()
    assert played.state == stood
    assert not any("laid" in turn for turn in played.turns())


@pytest.mark.parametrize(
    ("field", "piles", "to_move", "error"),
    [
        (["pine-crane"], [["pine-crane"], []], 1, CardTwiceError),
        (["pine-cone"], [[], []], 1, UnknownCardError),
        (["pine-crane"], [[]], 1, BadRequestError),
        (["pine-crane"], [[], []], 3, BadRequestError),
    ],
)
def test_an_impossible_reset_is_rejected(
    field: list[str], piles: list[list[str]], to_move: int, error: type[Exception]
) -> None:
    played = hidden_round("koikoi", 1)
    stood = played.state
    with pytest.raises(error):
        played.reset_table(field, piles, to_move)
    assert played.state == stood


@pytest.mark.parametrize(
    "reported", [None, {}, {"field": []}, {"field": [], "captured": {"1": []}}, {"captured": {}}]
)
def test_a_reset_entry_needs_field_and_piles(reported: Any) -> None:
    record = record_of(hidden_round("koikoi", 1))
    answer = replay({**record, "turns": [{"player": 1, "laid": reported}]})
    assert not answer.legal
