"""The waits between attempts."""

from __future__ import annotations

import pytest

from companion.net.retries import Backoff


def test_waits_double_up_to_the_longest_and_begin_again_after_a_success() -> None:
    backoff = Backoff(0.5, 4.0)
    waits = [backoff.next() for _ in range(6)]
    assert waits == [pytest.approx(wait, rel=0.31) for wait in (0.5, 1.0, 2.0, 4.0, 4.0, 4.0)]
    assert len(set(waits)) == 6
    backoff.reset()
    assert backoff.next() == pytest.approx(0.5, rel=0.31)
