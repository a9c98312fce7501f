"""The simulation of many rounds at once follows the rules engine: points, moves, decisions and results."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_
from random import Random
from typing import Any

import numpy as np
import pytest

from companion.hanafuda.games.koikoi import KoiKoiRound
from companion.hanafuda.games.koikoi.policy import policy
from companion.hanafuda.games.koikoi.scorer import scorer_for
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS, Rules
from companion.hanafuda.simulation import random_round, record_of
from companion.odds.lockstep import Lockstep, _Scores, played_out

KOIKOI = [preset for preset in PRESETS.values() if preset.game == "koikoi"]
HOUSE = [
    {"max_calls": "once_a_round", "last_card": "free", "call_min_points": 3},
    {"last_card": "until_hands_empty", "both_teyaku": "play_on", "exhausted": 6, "zero_sum": True},
    {"month_cards": 4, "viewing_after_call": 0, "viewing_needs": "month", "field_multiplier": "double"},
    {"hand_size": 10, "hand_two_match": "all", "viewing_spoilt": "captured_rain", "bright_group": "all"},
]
"""House rules on which the simulation depends."""
RULES = [*KOIKOI, *(type(KOIKOI[0])(**changes) for changes in HOUSE)]


def position(rules: Rules, seed: int, moves: int, *, hidden: bool) -> KoiKoiRound:
    """Return a round after some moves, its cards known or hidden."""
    played = random_round("koikoi", seed, rules)
    record = record_of(played)
    if hidden:
        record["deal"] |= {"hands": {}, "stock": None}
    round_ = KoiKoiRound.from_record({**record, "rules": rules, "turns": []})
    for move in played.moves[:moves]:
        round_.push(move)
    return round_


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.hash)
@pytest.mark.parametrize("month", [None, 3, 8])
def test_the_points_of_piles_are_those_of_the_scorer(rules: Any, month: int | None) -> None:
    scorer = scorer_for(rules, month)
    groups = scorer.groups()
    assert groups is not None
    scores, rng = _Scores(groups), Random(month or 0)
    piles = [
        reduce(or_, (1 << card for card in rng.sample(range(48), rng.randint(0, 40))), 0) for _ in range(1500)
    ]
    called = [rng.random() < 0.5 for _ in piles]
    packed = np.array([scores.packed(pile) for pile in piles], np.int64)
    expected = [scorer.base(pile, None, call) for pile, call in zip(piles, called, strict=True)]
    assert scores.base(packed, np.array(called)).tolist() == expected


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.hash)
def test_every_round_is_played_as_on_the_rules_engine(rules: Any) -> None:
    for seed, moves, hidden in (
        (1, 0, True),
        (2, 0, False),
        (3, 7, True),
        (4, 16, False),
        (5, 25, True),
        (6, 3, True),
    ):
        played = position(rules, seed, moves, hidden=hidden)
        if played.outcome() is not None:
            continue
        fast = GAMES["koikoi"].playouts(played)
        assert fast is not None
        lanes = Lockstep(played, fast, 30, np.random.default_rng(seed))
        rounds = [_lane(played, lanes, lane) for lane in range(len(lanes.lane))]
        while True:
            card_played = lanes.phase in {"play", "draw"}
            numbers = lanes.lane
            going_on = lanes.step()
            if card_played:
                for place, number in enumerate(numbers):
                    _follow(rounds[number], int(lanes.card[place]), int(lanes.taken[place]))
            if not going_on:
                break
            if lanes.phase == "play":
                _compare(rounds, lanes)
        for each in rounds:
            _decide(each)
        expected = Counter((each.outcome().winners, each.outcome().points) for each in rounds)
        assert lanes.results() == expected


def _lane(played: KoiKoiRound, lanes: Lockstep, lane: int) -> KoiKoiRound:
    """Return the round of the rules engine with the hidden cards of a lane."""
    other = played.filled(Random(0))
    assert other is not None
    state = other.state
    state.hands = tuple(sum(1 << int(card) for card in hand[lane]) for hand in lanes.hands)
    stock = tuple(1 << int(card) for card in lanes.stock[lane])
    state.known_stock = sum(stock)
    other.stock = (*played.stock[: state.drawn], *stock)
    assert not other.status() or any(None in hand for hand in played.deal.hands)
    return other


def _compare(rounds: list[KoiKoiRound], lanes: Lockstep) -> None:
    """Check the cards and calls of every lane that goes on, between two turns."""
    for place, number in enumerate(lanes.lane):
        _decide(rounds[number])
        state = rounds[number].state
        field = lanes.field.reshape(-1, 12)[place]
        assert sum(int(cards) << 4 * flower for flower, cards in enumerate(field)) == state.field
        assert tuple(int(pile[place]) for pile in lanes.piles) == tuple(map(lanes.scores.packed, state.piles))
        assert tuple(int(calls[place]) for calls in lanes.calls) == state.calls
        assert tuple(int(base[place]) for base in lanes.called_base) == state.called_base
        assert (lanes.player, tuple(lanes.hand_sizes)) == (state.player, state.hand_sizes)


def _decide(played: KoiKoiRound) -> None:
    """Make the decisions of the policy that are due."""
    while (moves := played.legal_moves()) and moves[0].words()[0] == "call":
        played.push(policy(played, moves, Random(0)))


def _follow(played: KoiKoiRound, card: int, taken: int) -> None:
    """Make the move of a lane, which the policy must have chosen; the engine refuses an illegal one."""
    _decide(played)
    chosen = policy(played, played.legal_moves(), Random(0))
    assert (chosen.bit, chosen.taken) == (1 << card, taken << 4 * (card // 4))
    played.push(chosen)


def test_impossible_rounds_have_no_results() -> None:
    played = position(KOIKOI[0], 1, 0, hidden=True)
    fast = GAMES["koikoi"].playouts(played)
    assert fast is not None
    played.state.field = (1 << 40) - 1  # too few cards are left for the hands and the stock
    assert played_out(played, fast, 10, 1) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"judge": "card"},
        {"offer": "new_only"},
        {"lightning_wild": "on"},
        {"sake_cup": "animal_or_chaff"},
        {"viewing_spoilt": "field"},
    ],
)
def test_other_rules_are_left_to_the_rules_engine(changes: dict[str, Any]) -> None:
    played = position(type(KOIKOI[0])(**changes), 1, 0, hidden=True)
    assert GAMES["koikoi"].playouts(played) is None
