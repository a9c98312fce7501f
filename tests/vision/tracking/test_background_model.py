"""What is printed on a cloth is told from what was laid on it: masks and pictures made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from vision.tracking.background_model import Ground

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
    for (left, top), grey in [(PRINT, 60), *((place, 220) for place in laid)]:
        cloth[top : top + 24, left : left + 15] = grey
    return cloth * np.float32(light)


@pytest.fixture
def ground() -> Ground:
    known = Ground()
    known.learn(picture(), NOWHERE, NO_CARDS, relit=False)
    return known


def shows(ground: Ground, now: np.ndarray, *places: tuple[int, int], beside=(), relit=False) -> list[bool]:
    return ground.shows(now, cards(*places), cards(*beside), relit=relit).tolist()


def test_what_lay_there_before_is_the_table_and_what_was_laid_there_is_not(ground):
    assert shows(ground, picture((200, 90)), PRINT, (200, 90)) == [True, False]


def test_what_was_laid_upon_the_print_is_not_the_table(ground):
    assert shows(ground, picture(PRINT), PRINT) == [False]


def test_a_lamp_that_fades_is_no_change(ground):
    assert shows(ground, picture((200, 90), light=0.7), PRINT, (200, 90)) == [True, False]


def test_beside_a_card_the_rest_of_the_print_tells(ground):
    card = (PRINT[0] + 10, PRINT[1] - 4)
    assert shows(ground, picture(card), PRINT, beside=[card]) == [True]
    assert shows(ground, picture(PRINT, card), PRINT, beside=[card]) == [False]


def test_of_a_place_that_cards_cover_nothing_is_said(ground):
    assert shows(ground, picture(PRINT), PRINT, beside=[PRINT]) == [False]


def test_what_lies_where_a_card_lay_from_the_first_is_not_known():
    ground = Ground()
    ground.learn(picture((200, 90)), STILL, cards((200, 90)), relit=False)
    assert shows(ground, picture(), PRINT, (200, 90)) == [True, False]
    ground.learn(picture(), STILL, NO_CARDS, relit=False)
    assert shows(ground, picture(), (200, 90)) == [True]


def test_the_table_is_not_learned_from_what_has_just_changed(ground):
    """A thing that the eyes do not find at first is not the table when they do a moment later."""
    thing = picture((200, 90))
    ground.learn(thing, thing == picture(), NO_CARDS, relit=False)
    assert shows(ground, thing, (200, 90)) == [False]


def test_in_another_light_the_print_is_known_by_its_place(ground):
    uneven = picture()
    uneven[:, :140] *= 0.5
    assert shows(ground, uneven, PRINT) == [False]
    assert shows(ground, uneven, PRINT, relit=True) == [True]
    ground.learn(uneven, NOWHERE, NO_CARDS, relit=True)
    assert shows(ground, uneven, PRINT) == [True]


def test_seen_from_elsewhere_nothing_is_known(ground):
    ground.forget()
    assert not ground.is_known
    assert shows(ground, picture(), PRINT) == [False]
