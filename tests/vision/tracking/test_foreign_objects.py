"""An object other than a card is reported once when it is put down; cards, their edges and removed objects are not reported."""

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
    """Return quads of cards with their top left corners at ``places``."""
    shape = np.array([(0, 0), (14, 0), (14, 23), (0, 23)], np.float32)
    return np.array([shape + place for place in places], np.float32).reshape(-1, 4, 2)


def test_a_phone_is_reported_once_when_put_down_and_not_when_removed():
    things, phone = ForeignObjectDetector(), mask((100, 50, 30, 60))
    assert things.update(phone, cards(), CARD_PX)
    assert not things.update(mask(), cards(), CARD_PX)
    assert not things.update(phone, cards(), CARD_PX), "it was taken away"
    assert things.update(phone, cards(), CARD_PX), "and put down again"


def test_a_new_card_and_its_shadow_are_no_foreign_objects():
    assert not ForeignObjectDetector().update(mask((98, 48, 19, 28)), cards((100, 50)), CARD_PX)


def test_an_object_beside_a_new_card_is_reported():
    assert ForeignObjectDetector().update(
        mask((98, 48, 19, 28), (200, 90, 20, 30)), cards((100, 50)), CARD_PX
    )


def test_small_spots_and_narrow_shadows_are_no_foreign_objects():
    assert not ForeignObjectDetector().update(mask((10, 10, 4, 4), (60, 60, 2, 70)), cards(), CARD_PX)
