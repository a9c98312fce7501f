"""The scanners' board: what readers tell becomes where cards lie; nothing that they tell stops it, and nothing counts twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.hanafuda.cards import HANAFUDA
from companion.observations import FIELD, captured_zone
from companion.readers import ANY, Board, Scan

CRANE = "pine-crane"
TRAY, OTHER = captured_zone(1), captured_zone(2)
LATER = 100.0


def came(place: str, time: float, *, card: str = CRANE, device: str | None = None, **more: object) -> Scan:
    return replace(Scan(card, device or f"at-{place}", place, time), **more)  # type: ignore[arg-type]  # the tests know the fields


def gone(place: str, time: float, **more: object) -> Scan:
    return came(place, time, present=False, **more)  # type: ignore[arg-type]


def board(*scans: Scan) -> Board:
    made = Board()
    for scan in scans:
        made.hear(scan)
    return made


def places(made: Board, now: float = LATER, card: str = CRANE) -> list[str]:
    return [claim.place for claim in made.claims(card, now)]


@pytest.mark.parametrize(
    ("scans", "expected"),
    [
        pytest.param([], [], id="nothing told"),
        pytest.param([came(FIELD, 1)], [FIELD], id="it came"),
        pytest.param([came(FIELD, 1), gone(FIELD, 2)], [], id="it went"),
        pytest.param([came(FIELD, 1), gone(FIELD, 2), came(TRAY, 2.5)], [TRAY], id="it moved"),
        pytest.param([came(FIELD, 1), came(TRAY, 2)], [TRAY, FIELD], id="two have it: the newest first"),
        pytest.param([gone(FIELD, 1)], [], id="it went and nobody saw it come"),
        pytest.param([came(FIELD, 2), gone(FIELD, 1)], [FIELD], id="an old word comes late"),
        pytest.param(
            [came(TRAY, 1, keeps=False), gone(TRAY, 2, keeps=False)], [TRAY], id="it came by, and lies there"
        ),
        pytest.param(
            [came(FIELD, 1, keeps=False), came(TRAY, 2, keeps=False)], [TRAY], id="it came by elsewhere since"
        ),
        pytest.param(
            [came(FIELD, 1, keeps=False), came(TRAY, 2, keeps=False), came(FIELD, 3, keeps=False)],
            [FIELD],
            id="and back",
        ),
        pytest.param([came(TRAY, 1, rssi=-50.0), came(OTHER, 2, rssi=-62.0)], [TRAY], id="heard through the neighbour's tray"),
        pytest.param(
            [came(TRAY, 1, rssi=-50.0), came(OTHER, 2, rssi=-52.0)], [OTHER, TRAY], id="heard by both alike"
        ),
    ],
)  # fmt: skip
def test_where_a_card_lies(scans: list[Scan], expected: list[str]) -> None:
    assert places(board(*scans)) == expected


def test_what_an_inventory_misses_for_a_moment_lies_there_still() -> None:
    made = board(came(TRAY, 1), gone(TRAY, 5))
    assert (places(made, 5.3), places(made, 6.0)) == ([TRAY], [])
    made.hear(came(TRAY, 5.5))
    (claim,) = made.claims(CRANE, 6.0)
    assert claim.since == 1, "it did not come anew"
    assert [glimpse.time for glimpse in made.take_glimpses()] == [1]


def test_cards_are_told_in_the_order_in_which_they_came() -> None:
    made = board(came(FIELD, 3, card="plum-warbler"), came(FIELD, 2), came(TRAY, 4))
    assert [(glimpse.card, glimpse.zone) for glimpse in made.take_glimpses()] == [
        (CRANE, FIELD), ("plum-warbler", FIELD), (CRANE, TRAY),
    ]  # fmt: skip
    assert made.take_glimpses() == ()


def test_a_new_round_forgets_what_came_by_and_keeps_what_lies_on_trays() -> None:
    made = board(
        came(TRAY, 1, keeps=False), came(OTHER, 1, card="plum-warbler"), came(FIELD, 9, card="iris-bridge", keeps=False),
        gone(FIELD, 2, card="maple-deer"), came(FIELD, 1, card="cherry-curtain"), gone(FIELD, 8, card="cherry-curtain"),
    )  # fmt: skip
    made.begin(["iris-bridge"], came_by_since=5.0)
    assert made.cards == ["plum-warbler", "iris-bridge"]
    assert places(made) == []
    assert (places(made, card="plum-warbler"), places(made, card="iris-bridge")) == ([OTHER], [FIELD])


scans = st.builds(
    Scan,
    card=st.sampled_from([card.id for card in HANAFUDA[:6]]),
    device=st.sampled_from("abc"),
    place=st.sampled_from([FIELD, TRAY, OTHER, ANY, "nowhere"]),
    time=st.floats(0, 20),
    present=st.booleans(),
    keeps=st.booleans(),
    seat=st.none() | st.integers(1, 2),
    rssi=st.none() | st.floats(-100, 0),
)


def lying(made: Board) -> object:
    return [(card, made.claims(card, LATER), made.gone(card), made.been(card)) for card in made.cards]


@given(st.lists(scans, max_size=30))
def test_any_scans_in_any_order_are_taken_and_told_twice_they_change_nothing(told: list[Scan]) -> None:
    made = board(*told)
    before, changed = lying(made), made.changed
    made.take_glimpses()
    for scan in told:
        assert not made.hear(scan)
    assert (lying(made), made.changed) == (before, changed)
    assert made.take_glimpses() == ()
    for card in made.cards:
        for claim in made.claims(card, LATER):
            assert claim.place in made.been(card)


@given(st.lists(scans, max_size=20), st.randoms())
def test_every_retry_of_a_batch_changes_nothing(told: list[Scan], random: object) -> None:
    """A request that was answered, but whose answer was lost, is sent again: its scans are a little older by then."""
    made = board(*told)
    before = lying(made)
    made.take_glimpses()
    last: dict[tuple[str, str], Scan] = {}
    for scan in told:
        if scan.time > last.get((scan.device, scan.card), replace(scan, time=-1.0)).time:
            last[scan.device, scan.card] = scan
    for scan in last.values():
        assert not made.hear(scan)
    assert lying(made) == before
