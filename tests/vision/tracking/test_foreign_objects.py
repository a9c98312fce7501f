"""What is put down and is no card is noticed once; cards, their edges and what is taken away again are not."""

from __future__ import annotations

import numpy as np

from vision.tracking.foreign_objects import ForeignObjectDetector

CARD_PX = 14.0


def mask(*boxes: tuple[int, int, int, int]) -> np.ndarray:
    """Return a mask (180 x 320) of boxes: left, top, width, height."""
    changed = np.zeros((180, 320), np.bool_)
    for left, top, width, height in boxes:
        changed[top : top + height, left : left + width] = True
    return changed


def cards(*places: tuple[int, int]) -> np.ndarray:
    """Return quads of cards with their top left corners at places."""
    shape = np.array([(0, 0), (14, 0), (14, 23), (0, 23)], np.float32)
    return np.array([shape + place for place in places], np.float32).reshape(-1, 4, 2)


def test_a_phone_is_noticed_once_when_it_is_put_down_and_not_when_it_is_taken_away():
    things, phone = ForeignObjectDetector(), mask((100, 50, 30, 60))
    assert things.update(phone, cards(), CARD_PX)
    assert not things.update(mask(), cards(), CARD_PX)
    assert not things.update(phone, cards(), CARD_PX), "it was taken away"
    assert things.update(phone, cards(), CARD_PX), "and put down again"


def test_a_card_that_was_laid_down_is_no_thing_and_neither_is_its_shadow():
    assert not ForeignObjectDetector().update(mask((98, 48, 19, 28)), cards((100, 50)), CARD_PX)


def test_beside_a_new_card_a_thing_is_noticed():
    assert ForeignObjectDetector().update(
        mask((98, 48, 19, 28), (200, 90, 20, 30)), cards((100, 50)), CARD_PX
    )


def test_specks_and_narrow_shadows_are_no_things():
    assert not ForeignObjectDetector().update(mask((10, 10, 4, 4), (60, 60, 2, 70)), cards(), CARD_PX)
