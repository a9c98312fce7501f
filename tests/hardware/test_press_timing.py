"""Key press timing: sequences of presses and releases, and the resulting events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.press_timing import KeyMeanings, PressDetector

# Key 1 is plain; 2 has a long meaning, 3 a double one, 4 both; 5 means nothing.
KEY_MEANINGS: KeyMeanings = {
    (1, "press"): "koi-koi",
    (2, "press"): "undo",
    (2, "long"): "next",
    (3, "press"): "pass",
    (3, "double"): "next",
    (4, "press"): "stop",
    (4, "long"): "undo",
    (4, "double"): "next",
}


def played(script: str) -> list[str]:
    """Play ``+KEY`` (down) and ``-KEY`` (up) at their times, ms: ``0+1 50-1``; returns the events with their times."""
    presses, reported = PressDetector(KEY_MEANINGS), []
    moments = {int(word[:-2]): word[-2:] for word in script.split()}
    for ms in range(0, max(moments) + 2000, 10):
        events = presses.tick(ms / 1000)
        if ms in moments:
            way, key = moments[ms]
            events += (presses.down if way == "+" else presses.up)(int(key), ms / 1000)
        reported += [f"{ms} {event.data['button']} {event.data['how']}" for event in events]
    return reported


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("0+1 90-1", ["0 koi-koi press"]),  # at once: nothing else could be meant
        ("0+1 3000-1", ["0 koi-koi press"]),
        ("0+2 90-2", ["90 undo press"]),  # when let go: it might have become long
        ("0+2 3000-2", ["800 next long"]),  # before it is let go
        ("0+3 90-3", ["440 pass press"]),  # when no second came
        ("0+3 90-3 250+3 300-3", ["250 next double"]),
        ("0+4 90-4 250+4 2000-4", ["250 next double"]),  # and not a long one as well
        ("0+4 90-4 600+4 650-4", ["440 stop press", "1000 stop press"]),
        ("0+4 900-4", ["800 undo long"]),
        ("0+5 90-5", ["0 raw-5 press"]),
        ("0+1 20-1 30+1 90-1", ["0 koi-koi press"]),  # it bounced
        ("0+1 40+5 90-1 100-5", ["0 koi-koi press"]),  # a hand on two keys
        ("0+2 300+1 400-1 500-2", ["500 undo press"]),  # one key at a time
        ("0+1 90-1 400+5 500-5", ["0 koi-koi press", "400 raw-5 press"]),
        ("0+1 6000+5 6100-5", ["0 koi-koi press", "6000 raw-5 press"]),  # a stuck key locks nobody out
        ("90-1", []),
        ("0+1 500+1 900-1", ["0 koi-koi press", "500 koi-koi press"]),  # an up that was never reported
    ],
)
def test_scripts(script: str, reported: list[str]) -> None:
    assert played(script) == reported


@given(st.lists(st.tuples(st.integers(1, 5), st.booleans(), st.floats(0, 1)), max_size=40))
def test_there_are_no_more_events_than_presses_and_one_at_a_time(
    steps: list[tuple[int, bool, float]],
) -> None:
    presses, now, reported, downs = PressDetector(KEY_MEANINGS), 0.0, [], 0
    for key, down, wait in steps:
        now += wait
        downs += down
        reported += [now] * len((presses.down if down else presses.up)(key, now))
    reported += [now + 9] * len(presses.tick(now + 9))
    assert len(reported) <= downs
