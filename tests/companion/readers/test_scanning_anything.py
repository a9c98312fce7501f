"""Arbitrary reports of readers, in any order: they cause no error, and every event is legal."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scanners_sim import QUIET, Scanned

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.fishing import FishingRound
from companion.hanafuda.rules import resolve
from companion.observations import DISCARD, FIELD, STOCK, captured_zone, hand_zone
from companion.readers import ANY, ReaderReport

CARDS = [card.id for card in HANAFUDA]
DEALT = CARDS[0:32:4]

reported = st.tuples(
    st.sampled_from([*CARDS[:20], "mekuri-club-ace", "no-card"]),
    st.sampled_from([FIELD, FIELD, captured_zone(1), captured_zone(2), STOCK, DISCARD, hand_zone(1), ANY]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.1, 0.5, 3.0]),
    st.sampled_from([None, 1, 2]),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["koikoi-standard", "kekoro"]), st.booleans(), st.lists(reported, max_size=24))
def test_any_scans_at_a_table(
    rules: str, dealt: bool, scans: list[tuple[str, str, bool, bool, float, int | None]]
) -> None:
    scanned = Scanned(resolve(rules), frozenset(), QUIET)
    if dealt:
        for card in DEALT:
            scanned.send(card, FIELD, 0.1)
        scanned.wait(2.0)
        assert scanned.table.round is not None
    for card, place, present, keeps, pause, seat in scans:
        scan = ReaderReport(card, f"at-{place}", place, scanned.now, present, keeps, seat)
        scanned.scanned_table.process([scan], scanned.table)
        scanned.wait(pause)
    scanned.wait(12.0)  # longer than two doubts, one after the other
    played = scanned.table.round
    if isinstance(played, FishingRound):
        placed = [*played.field, *played.captured(1), *played.captured(2)]
        assert len(placed) == len(set(placed))
    assert scanned.scanned_table.due is None, "nothing is looked at for ever"
