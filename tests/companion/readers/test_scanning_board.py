"""The readers' board: reports become zones of cards; invalid and repeated ones have no effect."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.hanafuda.cards import HANAFUDA
from companion.observations import FIELD, captured_zone
from companion.readers import ANY, ReaderReport, ScanBoard

CRANE = "pine-crane"
TRAY, OTHER = captured_zone(1), captured_zone(2)
LATER = 100.0


def came(
    place: str, time: float, *, card: str = CRANE, device: str | None = None, **more: object
) -> ReaderReport:
    return replace(ReaderReport(card, device or f"at-{place}", place, time), **more)  # type: ignore[arg-type]  # the tests know the fields


def removed(place: str, time: float, **more: object) -> ReaderReport:
    return came(place, time, present=False, **more)  # type: ignore[arg-type]


def board(*scans: ReaderReport) -> ScanBoard:
    applied = ScanBoard()
    for scan in scans:
        applied.process(scan)
    return applied


def places(applied: ScanBoard, now: float = LATER, card: str = CRANE) -> list[str]:
    return [each.place for each in applied.places(card, now)]


@pytest.mark.parametrize(
    ("scans", "expected"),
    [
        pytest.param([], [], id="nothing reported"),
        pytest.param([came(FIELD, 1)], [FIELD], id="it came"),
        pytest.param([came(FIELD, 1), removed(FIELD, 2)], [], id="it went"),
        pytest.param([came(FIELD, 1), removed(FIELD, 2), came(TRAY, 2.5)], [TRAY], id="it moved"),
        pytest.param([came(FIELD, 1), came(TRAY, 2)], [TRAY, FIELD], id="two have it: the newest first"),
        pytest.param([removed(FIELD, 1)], [], id="it went and nobody saw it come"),
        pytest.param([came(FIELD, 2), removed(FIELD, 1)], [FIELD], id="an old word comes late"),
        pytest.param(
            [came(TRAY, 1, keeps=False), removed(TRAY, 2, keeps=False)], [TRAY], id="it came by, and lies there"
        ),
        pytest.param(
            [came(FIELD, 1, keeps=False), came(TRAY, 2, keeps=False)], [TRAY], id="it came by elsewhere since"
        ),
        pytest.param(
            [came(FIELD, 1, keeps=False), came(TRAY, 2, keeps=False), came(FIELD, 3, keeps=False)],
            [FIELD],
            id="and back",
        ),
        pytest.param([came(TRAY, 1, rssi=-50.0), came(OTHER, 2, rssi=-62.0)], [TRAY], id="heard through the neighbor's tray"),
        pytest.param(
            [came(TRAY, 1, rssi=-50.0), came(OTHER, 2, rssi=-52.0)], [OTHER, TRAY], id="heard by both alike"
        ),
    ],
)  # fmt: skip
def test_the_zone_of_a_card(scans: list[ReaderReport], expected: list[str]) -> None:
    assert places(board(*scans)) == expected


def test_a_card_missing_from_one_inventory_is_still_present() -> None:
    applied = board(came(TRAY, 1), removed(TRAY, 5))
    assert (places(applied, 5.3), places(applied, 6.0)) == ([TRAY], [])
    applied.process(came(TRAY, 5.5))
    (found,) = applied.places(CRANE, 6.0)
    assert found.since == 1, "it did not come again"
    assert [arrival.since for arrival in applied.take_arrivals()] == [1]


def test_a_card_on_its_way_is_where_it_came_last() -> None:
    applied = board(came(FIELD, 1), came(TRAY, 5))
    assert (places(applied, 5.5), places(applied, 8.5)) == ([TRAY], [TRAY, FIELD])


def test_cards_are_reported_in_order_of_arrival() -> None:
    applied = board(came(FIELD, 3, card="plum-warbler"), came(FIELD, 2), came(TRAY, 4))
    assert [(arrival.card, arrival.place) for arrival in applied.take_arrivals()] == [
        (CRANE, FIELD), ("plum-warbler", FIELD),
    ]  # fmt: skip
    assert applied.take_arrivals() == []


def test_cards_that_were_read_once_are_forgotten_and_those_on_trays_are_kept() -> None:
    applied = board(
        came(TRAY, 1, keeps=False), came(OTHER, 1, card="plum-warbler"), came(FIELD, 9, card="iris-bridge", keeps=False),
        removed(FIELD, 2, card="maple-deer"),
    )  # fmt: skip
    applied.keep(lambda each: each.since > 5.0)
    applied.forget_removed()
    assert applied.cards == ["plum-warbler", "iris-bridge"]
    assert places(applied) == []


scans = st.builds(
    ReaderReport,
    card=st.sampled_from([card.id for card in HANAFUDA[:6]]),
    device=st.sampled_from("abc"),
    place=st.sampled_from([FIELD, TRAY, OTHER, ANY, "nowhere"]),
    time=st.floats(0, 20),
    present=st.booleans(),
    keeps=st.booleans(),
    seat=st.none() | st.integers(1, 2),
    rssi=st.none() | st.floats(-100, 0),
)


def positions(applied: ScanBoard) -> object:
    return [
        (card, [(each.place, each.since) for each in applied.places(card, LATER)]) for card in applied.cards
    ]


@given(st.lists(scans, max_size=30))
def test_any_scans_in_any_order_are_accepted_and_repeats_change_nothing(
    reported: list[ReaderReport],
) -> None:
    applied = board(*reported)
    before, changed = positions(applied), applied.changed
    applied.take_arrivals()
    for scan in reported:
        assert not applied.process(scan)
    assert (positions(applied), applied.changed) == (before, changed)
    assert applied.take_arrivals() == []


@given(st.lists(scans, max_size=20), st.randoms())
def test_every_retry_of_a_batch_changes_nothing(reported: list[ReaderReport], random: object) -> None:
    """A repeated request, whose response was lost, has slightly older scans."""
    applied = board(*reported)
    before = positions(applied)
    applied.take_arrivals()
    last: dict[tuple[str, str], ReaderReport] = {}
    for scan in reported:
        if scan.time > last.get((scan.device, scan.card), replace(scan, time=-1.0)).time:
            last[scan.device, scan.card] = scan
    for scan in last.values():
        assert not applied.process(scan)
    assert positions(applied) == before
