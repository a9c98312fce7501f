"""The short form of `fuzz_http`: always the same connections."""

from __future__ import annotations

import sys

import pytest
from fuzz_http import fuzzer


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no other loopback addresses")
def test_nothing_that_is_almost_a_request_disturbs_the_server() -> None:
    with fuzzer(1) as fuzzing:
        for _ in range(5):
            assert fuzzing.round() is None
