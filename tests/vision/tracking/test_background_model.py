"""What is printed on a cloth is told from what was laid on it: masks and pictures made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from vision.tracking.background_model import BackgroundModel

H, W = 180, 320
NOWHERE = np.zeros((H, W), np.bool_)
STILL = ~NOWHERE
PRINT = (100, 50)
NO_CARDS = np.zeros((0, 4, 2), np.float32)


def cards(*places: tuple[int, int]) -> np.ndarray:
    """Return quads of cards with their top left corners at places."""
    shape = np.array([(0, 0), (14, 0), (14, 23), (0, 23)], np.float32)
    return np.array([shape + place for place in places], np.float32).reshape(-1, 4, 2)


def picture(*laid: tuple[int, int], light: float = 1.0) -> np.ndarray:
    """Return a cloth (180 x 320) with one printed rectangle, and things of a card's size laid on it."""
    cloth = np.full((H, W), 120, np.float32)
    cloth[::7] = 90
    for (left, top), gray in [(PRINT, 60), *((place, 220) for place in laid)]:
        cloth[top : top + 24, left : left + 15] = gray
    return cloth * np.float32(light)


@pytest.fixture
def background() -> BackgroundModel:
    known = BackgroundModel()
    known.update(picture(), NOWHERE, NO_CARDS, light_changed=False)
    return known


def is_background(
    background: BackgroundModel, now: np.ndarray, *places: tuple[int, int], beside=(), light_changed=False
) -> list[bool]:
    return background.is_background(now, cards(*places), cards(*beside), light_changed=light_changed).tolist()


def test_what_lay_there_before_is_the_table_and_what_was_laid_there_is_not(background):
    assert is_background(background, picture((200, 90)), PRINT, (200, 90)) == [True, False]


def test_what_was_laid_upon_the_print_is_not_the_table(background):
    assert is_background(background, picture(PRINT), PRINT) == [False]


def test_a_lamp_that_fades_is_no_change(background):
    assert is_background(background, picture((200, 90), light=0.7), PRINT, (200, 90)) == [True, False]


def test_beside_a_card_the_rest_of_the_print_tells(background):
    card = (PRINT[0] + 10, PRINT[1] - 4)
    assert is_background(background, picture(card), PRINT, beside=[card]) == [True]
    assert is_background(background, picture(PRINT, card), PRINT, beside=[card]) == [False]


def test_of_a_place_that_cards_cover_nothing_is_said(background):
    assert is_background(background, picture(PRINT), PRINT, beside=[PRINT]) == [False]


def test_what_lies_where_a_card_lay_from_the_first_is_not_known():
    background = BackgroundModel()
    background.update(picture((200, 90)), STILL, cards((200, 90)), light_changed=False)
    assert is_background(background, picture(), PRINT, (200, 90)) == [True, False]
    background.update(picture(), STILL, NO_CARDS, light_changed=False)
    assert is_background(background, picture(), (200, 90)) == [True]


def test_the_table_is_not_learned_from_what_has_just_changed(background):
    """A thing that the eyes do not find at first is not the table when they do a moment later."""
    thing = picture((200, 90))
    background.update(thing, thing == picture(), NO_CARDS, light_changed=False)
    assert is_background(background, thing, (200, 90)) == [False]


def test_in_another_light_the_print_is_known_by_its_place(background):
    uneven = picture()
    uneven[:, :140] *= 0.5
    assert is_background(background, uneven, PRINT) == [False]
    assert is_background(background, uneven, PRINT, light_changed=True) == [True]
    background.update(uneven, NOWHERE, NO_CARDS, light_changed=True)
    assert is_background(background, uneven, PRINT) == [True]


def test_seen_from_elsewhere_nothing_is_known(background):
    background.reset()
    assert not background.is_known
    assert is_background(background, picture(), PRINT) == [False]
