"""The order of play and draw (`companion.watch.order`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from companion.hanafuda.cards import to_bits
from companion.hanafuda.fishing.camera import FishingTable, exchanged
from companion.hanafuda.fishing.moves import Draw, Play
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import resolve
from companion.observations import (
    FIELD,
    STOCK,
    HandEvent,
    Observation,
    TrackedCard,
    captured_zone,
)
from companion.watch.beam import Beam, PlayedTurn
from companion.watch.order import WEIGHTS, Arrivals, features, likelier_order, order_probability

DEALT = (
    "plum-warbler", "cherry-chaff-1", "iris-bridge", "peony-ribbon", "clover-boar", "maple-deer", "willow-swallow", "wisteria-cuckoo",
)  # fmt: skip
PILE = captured_zone(1)
STOCK_AT = (-170.0, 0.0)
TABLE = FishingTable(GAMES["koikoi"].round, resolve(None, "koikoi"))


def card(
    name: str, key: int, zone: str = FIELD, *, at: tuple[float, float] = (0, 90), **more: Any
) -> TrackedCard:
    """Return a tracked card that is first detected at rest, at time 5."""
    return TrackedCard(key, name, ((name, 0.99),), zone, at, **{"since": 5.0, **more})


FIRST = Observation(
    "first",
    1.0,
    (
        *(card(name, key, at=(45.0 * key, 0.0), since=1.0) for key, name in enumerate(DEALT, 1)),
        card("back", 9, STOCK, at=STOCK_AT, since=1.0),
    ),
)


def then(*cards: TrackedCard, without: Sequence[int] = (), **more: Any) -> Observation:
    """Return the observation at time 5, of the first one's cards and others."""
    rest = (each for each in FIRST.cards if each.key not in without)
    return replace(FIRST, frame="then", **{"time": 5.0, "cards": (*rest, *cards), **more})


def turn_of(play: Play, draw: Draw, field: Sequence[str] = DEALT, plays: int = 0) -> PlayedTurn:
    """Return the first turn of a round, or one that began after ``plays`` plays."""
    state = TABLE.start(to_bits(field), 1)._replace(plays=plays)
    return PlayedTurn(None, (play, draw), TABLE.key((play, draw)), 1, state)


def seen(*observations: Observation) -> Arrivals:
    arrivals = Arrivals()
    for each in observations:
        arrivals.see(each)
    return arrivals


LAID = Play(1, "pine-crane"), Draw(1, "susuki-moon")
TAKEN = Play(1, "plum-ribbon", ("plum-warbler",)), Draw(1, "iris-ribbon", ("iris-bridge",))
CRANE, MOON = card("pine-crane", 21, at=(0, 60)), card("susuki-moon", 22, at=(45, 60))
MOON_IN_MOTION = card("susuki-moon", 0, STOCK, at=(-150, 10), since=4.0)
COLLECTED = (
    card("plum-ribbon", 21, PILE, since=2.0),
    card("plum-warbler", 1, PILE, since=2.0),
    card("iris-ribbon", 22, PILE, since=3.0),
    card("iris-bridge", 3, PILE, since=3.0),
)


@pytest.mark.parametrize(
    ("moves", "observations", "expected"),
    [
        pytest.param(LAID, [then(CRANE, MOON)], {}, id="nothing is known"),
        pytest.param(LAID, [then(CRANE), then(CRANE, MOON, time=8.0)], {"observation": 1}, id="a rest between"),
        pytest.param(
            LAID,
            [then(replace(CRANE, since=2.0, absent=1.5), replace(MOON, since=3.0, absent=2.5))],
            {"apart": 1, "sooner": 1},
            id="arrived one after the other",
        ),
        pytest.param(
            LAID,
            [then(replace(CRANE, since=2.0, absent=1.0), replace(MOON, since=2.5, absent=1.0))],
            {"sooner": 0.5},
            id="detected sooner",
        ),
        pytest.param(LAID, [then(replace(CRANE, since=2.0), MOON)], {}, id="an unknown time is not late"),
        pytest.param(LAID, [then(CRANE, replace(MOON, on=(21,)))], {"stacked": 1}, id="on the other"),
        pytest.param(
            LAID, [then(CRANE, MOON, transient_detections=(MOON_IN_MOTION,))], {"turned_up": 1}, id="at the draw pile"
        ),
        pytest.param(
            LAID,
            [then(CRANE, MOON, transient_detections=(replace(MOON_IN_MOTION, at=(-60, 30)),))],
            {"turned_up": 1},
            id="on the way from the draw pile",
        ),
        pytest.param(
            LAID, [then(CRANE, MOON, transient_detections=(replace(MOON_IN_MOTION, at=(45, 180)),))], {}, id="from elsewhere"
        ),
        pytest.param(
            LAID,
            [then(replace(CRANE, since=2.0), MOON, hand_events=(HandEvent(3.0, (-160, 10)),))],
            {"stock": 1},
            id="there before a hand reached to the draw pile",
        ),
        pytest.param(
            TAKEN,
            [then(card("plum-ribbon", 21, since=2.0), card("iris-ribbon", 22), untouched=((3, 3.0),))],
            {"apart": 1},
            id="captured cards that waited",
        ),
        pytest.param(TAKEN, [then(*COLLECTED, without=(1, 3))], {"piled": 1}, id="collected sooner"),
        pytest.param(
            (LAID[0], TAKEN[1]),
            [then(card("iris-bridge", 3, PILE, since=3.0), CRANE, without=(3,)), then(*COLLECTED[2:], CRANE, without=(3,), time=8.0)],
            {"captures": -1},
            id="a covered card is not late",
        ),
        pytest.param((TAKEN[0], LAID[1]), [], {"captures": 1}, id="only one captures"),
        pytest.param((Play(1, "pine-chaff-1"), LAID[1]), [], {"chaff": 1}, id="only one is chaff"),
    ],
)  # fmt: skip
def test_each_feature_tells_the_order(
    moves: tuple[Play, Draw], observations: Sequence[Observation], expected: dict[str, float]
) -> None:
    turn, arrivals = turn_of(*moves), seen(FIRST, *observations)
    other = exchanged(turn.state, moves)
    assert other is not None
    found = features(turn, arrivals)
    assert {name: value for name, value in found._asdict().items() if value} == pytest.approx(expected)
    assert features(turn_of(*other), arrivals) == pytest.approx([-value for value in found])
    toward = sum(value * getattr(WEIGHTS, name) for name, value in expected.items())
    probability = order_probability(turn, arrivals)
    assert (probability > 0.5, probability < 0.5) == (toward > 0, toward < 0)


def test_a_look_alike_that_is_moved_is_not_the_card_that_comes() -> None:
    in_pile = card("cherry-chaff-1", 2, PILE, since=1.0)
    moved = replace(in_pile, since=4.0, at=(0, 150))
    before = replace(FIRST, cards=(*then(without=(2,)).cards, in_pile))
    both = (
        then(CRANE, moved, without=(2,)),
        then(CRANE, moved, card("cherry-chaff-1", 23), without=(2,), time=8.0),
    )
    turn = turn_of(LAID[0], Draw(1, "cherry-chaff-2"), (*DEALT[:1], *DEALT[2:]))
    turn = replace(turn, state=turn.state._replace(piles=(to_bits(["cherry-chaff-1"]), 0)))
    assert features(turn, seen(before, *both)).observation == 1


def test_a_card_is_not_its_look_alike_of_the_turn_before() -> None:
    chaff, phoenix, other = (
        card(name, key, at=(45.0 * key, 60)) for name, key in (("susuki-chaff-1", 22), ("paulownia-phoenix", 23), ("susuki-chaff-1", 24))
    )  # fmt: skip
    arrivals = seen(FIRST, then(CRANE, chaff), then(CRANE, chaff, replace(phoenix, since=8.0), time=8.0),
        then(CRANE, chaff, replace(phoenix, since=8.0), replace(other, since=11.0), time=11.0))  # fmt: skip
    first = turn_of(LAID[0], Draw(1, "susuki-chaff-1"))
    moves = Play(2, "paulownia-phoenix"), Draw(2, "susuki-chaff-2", ("susuki-chaff-1",))
    state = first.state._replace(field=to_bits((*DEALT, "pine-crane", "susuki-chaff-1")), player=2, plays=1)
    assert features(PlayedTurn(first, moves, TABLE.key(moves), 2, state), arrivals).observation == 1


@pytest.mark.parametrize(
    ("dealt", "same"),
    [
        pytest.param((*DEALT[1:], "pine-ribbon"), True, id="a card of the deal was misread"),
        pytest.param(("pine-crane", "plum-ribbon", "cherry-curtain", *DEALT[:3]), False, id="another deal"),
    ],
)
def test_the_next_deal_forgets_the_round(dealt: Sequence[str], same: bool) -> None:
    arrivals = Arrivals().in_round(to_bits(DEALT))
    for each in (FIRST, then(MOON), then(CRANE, MOON, time=8.0)):
        arrivals.see(each)
    found = features(turn_of(*LAID), arrivals.in_round(to_bits(dealt)))
    assert any(found) == same


def test_look_alikes_have_one_order() -> None:
    first = turn_of(Play(1, "cherry-chaff-2", ("cherry-chaff-1",)), LAID[1])
    state = first.state._replace(plays=1, player=2, piles=(to_bits(["cherry-chaff-1", "cherry-chaff-2"]), 0))
    play, draw = Play(2, "pine-chaff-1"), Draw(2, "pine-chaff-2", ("pine-chaff-1",))
    second = PlayedTurn(first, (play, draw), TABLE.key((play, draw)), 2, state)
    assert likelier_order(second, seen(FIRST, then(MOON))) == ((play, draw), 1.0)


def test_the_likelier_order_is_stated() -> None:
    late = seen(FIRST, then(MOON), then(CRANE, MOON, time=8.0))
    moves, probability = likelier_order(turn_of(*LAID), late)
    assert moves == (Play(1, "susuki-moon"), Draw(1, "pine-crane"))
    assert 0.9 < probability < 1


def test_habits_alone_leave_the_order_unknown() -> None:
    turn = turn_of(TAKEN[0], LAID[1])
    assert 0.7 < order_probability(turn, seen(FIRST)) < 0.9
    assert order_probability(turn_of(TAKEN[0], LAID[1], plays=14), seen(FIRST)) < order_probability(
        turn, seen(FIRST)
    )


@pytest.mark.parametrize(
    ("field", "moves", "other"),
    [
        pytest.param(DEALT, LAID, (Play(1, "susuki-moon"), Draw(1, "pine-crane")), id="both laid down"),
        pytest.param(
            DEALT, TAKEN,
            (Play(1, "iris-ribbon", ("iris-bridge",)), Draw(1, "plum-ribbon", ("plum-warbler",))), id="both capture",
        ),
        pytest.param(
            DEALT, (Play(1, "pine-crane"), Draw(1, "pine-ribbon", ("pine-crane",))),
            (Play(1, "pine-ribbon"), Draw(1, "pine-crane", ("pine-ribbon",))), id="one captures the other",
        ),
        pytest.param(
            ("pine-chaff-1", "pine-chaff-2", *DEALT[:6]),
            (Play(1, "pine-crane", ("pine-chaff-2",)), Draw(1, "pine-ribbon", ("pine-chaff-1",))),
            (Play(1, "pine-ribbon", ("pine-chaff-1",)), Draw(1, "pine-crane", ("pine-chaff-2",))), id="each takes the same as before",
        ),
        pytest.param(
            ("pine-chaff-1", *DEALT[:7]), (Play(1, "pine-crane", ("pine-chaff-1",)), Draw(1, "pine-ribbon")), None,
            id="the first of a flower captures",
        ),
        pytest.param(DEALT, (Play(1, "pine-chaff-2"), Draw(1, "pine-chaff-1", ("pine-chaff-2",))), None, id="look-alikes"),
    ],
)  # fmt: skip
def test_the_other_order_gives_the_same_table(
    field: Sequence[str], moves: tuple[Play, Draw], other: tuple[Play, Draw] | None
) -> None:
    assert exchanged(turn_of(*moves, field).state, moves) == other


def test_a_turn_has_the_state_in_which_it_began() -> None:
    beam = Beam(TABLE)
    after = then(card("plum-ribbon", 21, PILE), card("plum-warbler", 1, PILE), MOON, without=(1,), time=3.0)
    for each in (FIRST, replace(FIRST, time=2.0), after):
        beam.see(each, {1: 1.0})
    ((turn, *_),) = beam.belief().turns
    assert (turn.state.field.bit_count(), turn.state.piles, turn.state.drawing) == (8, (0, 0), False)
