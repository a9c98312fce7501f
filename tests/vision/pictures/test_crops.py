"""The corners of a card are at their nominal places in its crop."""

import cv2
import numpy as np
import pytest

from vision.pictures.crops import (
    RECOGNIZER_MARGIN,
    RECOGNIZER_SIZE,
    REFINER_MARGIN,
    REFINER_SIZE,
    Pyramid,
    card_frame,
    rotate_half_turn,
)


def picture_of(quad: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Draw a white card whose top left quarter is red, on a black ground."""
    image = np.zeros((size[1], size[0], 3), np.uint8)
    cv2.fillConvexPoly(image, quad.astype(np.int32), (255, 255, 255))
    middle = quad.mean(axis=0)
    quarter = np.array([quad[0], (quad[0] + quad[1]) / 2, middle, (quad[0] + quad[3]) / 2])
    cv2.fillConvexPoly(image, quarter.astype(np.int32), (0, 0, 255))
    return image


QUADS = {
    "upright": [(100, 80), (166, 80), (166, 188), (100, 188)],
    "leaning": [(130, 60), (190, 95), (140, 190), (78, 150)],
    "upside down": [(166, 188), (100, 188), (100, 80), (166, 80)],
    "large, from a halved picture": [(300, 100), (800, 110), (790, 930), (290, 920)],
}


@pytest.mark.parametrize(
    ("size", "margin"), [(RECOGNIZER_SIZE, RECOGNIZER_MARGIN), (REFINER_SIZE, REFINER_MARGIN)]
)
@pytest.mark.parametrize("quad", QUADS.values(), ids=QUADS)
def test_the_top_left_of_the_card_is_at_the_top_left_of_the_crop(
    quad: list, size: tuple[int, int], margin: float
):
    corners = np.array(quad, np.float32)
    crop = Pyramid(picture_of(corners, (1000, 1000))).cut(corners, size, margin)
    assert crop.shape == (size[1], size[0], 3)
    (left, top), _, (right, bottom), _ = card_frame(size, margin)
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    red = crop[int(top) + 4 : int(middle_y) - 4, int(left) + 4 : int(middle_x) - 4]
    white = crop[int(middle_y) + 4 : int(bottom) - 4, int(middle_x) + 4 : int(right) - 4]
    assert red.reshape(-1, 3).mean(axis=0) == pytest.approx((0, 0, 255), abs=12)
    assert white.reshape(-1, 3).mean(axis=0) == pytest.approx((255, 255, 255), abs=12)


def test_the_margin_contains_the_surroundings_of_the_card():
    corners = np.array(QUADS["upright"], np.float32)
    crop = Pyramid(picture_of(corners, (400, 400))).cut(corners, REFINER_SIZE, REFINER_MARGIN)
    assert crop[:8].max() < 12
    assert crop[:, :6].max() < 12


def test_two_half_turns_are_the_identity():
    quad = np.array(QUADS["leaning"], np.float32)
    assert rotate_half_turn(rotate_half_turn(quad)) == pytest.approx(quad)
    assert rotate_half_turn(quad)[0] == pytest.approx(quad[2])
