"""A short soak of every driver; `tests.hardware.soak` has the long one."""

from __future__ import annotations

import os

import pytest

from hardware.driver_registry import DRIVERS
from tests.hardware.soak import LOSSY, Tally, over_ptys, virtual

RETURN_S = 2.0


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", DRIVERS)
def test_nothing_is_lost_or_doubled_and_it_is_back_within_two_seconds(name: str, seed: int) -> None:
    tally = virtual(name, 0.7, seed)
    assert tally.frame_count, tally.to_dict()
    assert tally.pulled or tally.busy
    assert max(tally.returns) <= RETURN_S


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", LOSSY)
def test_nothing_is_lost_or_doubled_on_a_line_that_loses_and_spoils_bytes(name: str, seed: int) -> None:
    tally = virtual(name, 0.7, seed, lossy=True)
    assert tally.frame_count, tally.to_dict()
    assert tally.heard == tally.done > 0


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no ptys")
def test_all_device_types_at_once_identified_by_their_sockets() -> None:
    tally = Tally("ptys")
    over_ptys(8, 3, ["rdm6300", "button-box", "matrix-orbital", "gm65"], tally)
    assert tally.frame_count, tally.to_dict()
    assert tally.pulled == 8


def test_a_tally_counts_lost_repeated_and_remaining_events() -> None:
    """The soak test detects errors: a tally with errors fails."""
    tally = Tally("lost")
    tally.compare([("tag", "A")], [])
    assert tally.wrong == ["event 0: done [('tag', 'A')], reported []"]
    assert not tally.frame_count
    assert not Tally("left", left=(1, 0)).frame_count
