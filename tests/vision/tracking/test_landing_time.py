"""The time at which a card was laid down, from the frames before the table was stable; small pictures made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from vision.tracking.arrivals import LandingTimeEstimator
from vision.tracking.motion import smooth

H, W = 180, 320
LEFT, TOP, WIDE, HIGH = 100, 60, 16, 26
PLACE = np.array([(LEFT, TOP), (LEFT + WIDE, TOP), (LEFT + WIDE, TOP + HIGH), (LEFT, TOP + HIGH)], np.float32)
SKIN = 170


def card(seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    face = rng.choice(np.array((30, 110, 175), np.uint8), (7, 4))
    return np.kron(face, np.ones((4, 4), np.uint8))[:HIGH, :WIDE]


def table(
    *,
    lies: int | None = None,
    at: tuple[int, int] = (LEFT, TOP),
    hand: float = 0.0,
    gray: int = 80,
    light: float = 1.0,
) -> np.ndarray:
    """Return a small picture (180 x 320 uint8) of a card and of a hand that covers this fraction of its place, from below."""
    picture = np.full((H, W), gray, np.uint8)
    if lies is not None:
        picture[at[1] : at[1] + HIGH, at[0] : at[0] + WIDE] = card(lies)
    if hand:
        picture[TOP + round(HIGH * (1 - hand)) :, LEFT - 20 : LEFT + 60] = SKIN
    noise = np.random.default_rng(int(picture.sum()) % 97).normal(0, 2, picture.shape)
    return (picture * light + noise).clip(0, 255).astype(np.uint8)


def arrival(
    *frames: np.ndarray, before: np.ndarray | None = None, after: np.ndarray | None = None
) -> tuple[float | None, float | None]:
    """Return when the card arrived, for frames at 1 s, 2 s, 3 s, ..."""
    estimator = LandingTimeEstimator()
    for time, small in enumerate(frames, 1):
        estimator.add(float(time), small)
    before, after = table() if before is None else before, table(lies=1) if after is None else after
    return estimator.estimate(smooth(before), smooth(after), PLACE)


def landing_time(
    *frames: np.ndarray, before: np.ndarray | None = None, after: np.ndarray | None = None
) -> float | None:
    return arrival(*frames, before=before, after=after)[1]


def test_the_arrival_is_between_the_last_frame_without_the_card_and_the_first_with_it():
    hidden = table(hand=1.0)
    assert arrival(table(), table(hand=0.3), hidden, table(lies=1)) == (2.0, 4.0)
    assert arrival(hidden, table(lies=1)) == (None, 2.0)
    assert arrival(table(), hidden) == (1.0, None)
    assert arrival(hidden) == (None, None)


def test_a_card_below_a_hand_is_matched_by_its_visible_part():
    assert landing_time(table(), table(lies=1, hand=0.6), table(lies=1)) == 2.0


@pytest.mark.parametrize("gray", [60, 120, 200])
def test_a_hand_does_not_count_as_the_card(gray: int):
    """This holds on every cloth, also if the bright half of the card is as bright as the cloth."""
    frames = [table(gray=gray), table(gray=gray, hand=1.0), table(gray=gray, lies=1)]
    assert landing_time(*frames, before=table(gray=gray), after=table(gray=gray, lies=1)) == 3.0


def test_a_returning_hand_does_not_change_the_time():
    assert landing_time(table(), table(lies=1), table(lies=1, hand=1.0), table(lies=1)) == 2.0


def test_a_card_that_was_removed_in_between_has_the_later_time():
    assert landing_time(table(lies=1), table(), table(lies=1)) == 3.0


def test_a_card_carried_past_has_no_time():
    assert landing_time(table(lies=1, at=(LEFT + 8, TOP - 9)), table(lies=1)) == 2.0


def test_a_card_laid_on_another_is_distinguished_from_it():
    under = table(lies=2)
    assert landing_time(under, table(lies=2, hand=0.3), table(lies=1, hand=0.3), before=under) == 3.0


def test_flickering_light_does_not_change_the_time():
    assert landing_time(table(), table(lies=1, light=1.04), table(lies=1)) == 2.0


def test_an_unchanged_place_has_no_time():
    assert landing_time(table(lies=1), table(lies=1), before=table(lies=1)) is None


def test_a_card_of_uniform_brightness_has_a_time():
    plain = np.full((H, W), 80, np.uint8)
    laid = plain.copy()
    laid[TOP : TOP + HIGH, LEFT : LEFT + WIDE] = 200
    assert landing_time(plain, laid, laid, before=plain, after=laid) == 2.0


def test_frames_before_the_previous_stable_table_are_dropped():
    estimator = LandingTimeEstimator()
    estimator.add(1.0, table(lies=1))
    estimator.clear()
    assert estimator.estimate(smooth(table()), smooth(table(lies=1)), PLACE) == (None, None)


def test_the_part_of_a_place_within_the_picture_is_compared():
    estimator, out = LandingTimeEstimator(), np.array((-LEFT - 6, -TOP), np.float32)
    moved = [np.roll(picture, (-TOP, -LEFT - 6), (0, 1)) for picture in (table(), table(lies=1))]
    for picture in moved:
        picture[:, -40:] = 80
    estimator.add(1.0, moved[1])
    assert estimator.estimate(smooth(moved[0]), smooth(moved[1]), PLACE + out)[1] == 1.0
