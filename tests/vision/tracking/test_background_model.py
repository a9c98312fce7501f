"""The print of a cloth is distinguished from objects laid on it; the masks and pictures are made by hand."""

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
    """Return quads of cards with their top left corners at ``places``."""
    shape = np.array([(0, 0), (14, 0), (14, 23), (0, 23)], np.float32)
    return np.array([shape + place for place in places], np.float32).reshape(-1, 4, 2)


def picture(*laid: tuple[int, int], light: float = 1.0) -> np.ndarray:
    """Return a cloth (180 x 320) with one printed rectangle and card-sized objects laid on it."""
    cloth = np.full((H, W), 120, np.float32)
    cloth[::7] = 90
    for (left, top), gray in [(PRINT, 60), *((place, 220) for place in laid)]:
        cloth[top : top + 24, left : left + 15] = gray
    return cloth * np.float32(light)


@pytest.fixture
def background() -> BackgroundModel:
    known = BackgroundModel()
    known.update(picture(), NO_CARDS, np.ones(0), still=NOWHERE, light_changed=False)
    return known


def is_background(
    background: BackgroundModel, now: np.ndarray, *places: tuple[int, int], beside=(), light_changed=False
) -> list[bool]:
    """Return where there is probably no object; cards ``beside`` may lie on the others."""
    quads = np.concatenate((cards(*places), cards(*beside)))
    visible = np.array([0.5] * len(places) + [1.0] * len(beside), np.float32)
    p = background.p_object(now, quads, visible, light_changed=light_changed)
    return (p[: len(places)] < 0.5).tolist()


def test_the_print_is_background_and_a_new_card_is_not(background):
    assert is_background(background, picture((200, 90)), PRINT, (200, 90)) == [True, False]


def test_a_card_laid_on_the_print_is_not_background(background):
    assert is_background(background, picture(PRINT), PRINT) == [False]


def test_a_slow_change_of_light_is_no_change(background):
    assert is_background(background, picture((200, 90), light=0.7), PRINT, (200, 90)) == [True, False]


def test_print_partly_covered_by_a_card_is_background(background):
    card = (PRINT[0] + 10, PRINT[1] - 4)
    assert is_background(background, picture(card), PRINT, beside=[card]) == [True]
    assert is_background(background, picture(PRINT, card), PRINT, beside=[card]) == [False]


def test_a_place_covered_by_cards_is_not_compared(background):
    assert is_background(background, picture(PRINT), PRINT, beside=[PRINT]) == [False]


def test_a_place_covered_from_the_start_has_no_background():
    background = BackgroundModel()
    background.update(picture((200, 90)), cards((200, 90)), np.ones(1), still=STILL, light_changed=False)
    assert is_background(background, picture(), PRINT, (200, 90)) == [True, False]
    background.update(picture(), NO_CARDS, np.ones(0), still=STILL, light_changed=False)
    assert is_background(background, picture(), (200, 90)) == [True]


def test_recently_changed_places_are_not_learned(background):
    """An object that is detected only a moment after it was laid down is not background."""
    thing = picture((200, 90))
    background.update(thing, NO_CARDS, np.ones(0), still=thing == picture(), light_changed=False)
    assert is_background(background, thing, (200, 90)) == [False]


def test_the_print_is_background_in_another_light(background):
    uneven = picture()
    uneven[:, :140] *= 0.5
    assert is_background(background, uneven, PRINT) == [False]
    assert is_background(background, uneven, PRINT, light_changed=True) == [True]
    background.update(uneven, NO_CARDS, np.ones(0), still=NOWHERE, light_changed=True)
    assert is_background(background, uneven, PRINT) == [True]


def test_a_card_on_the_known_table_is_no_background_in_another_light(background):
    """Incident: a half covered card was taken for the table when a lamp was switched on."""
    laid = picture((200, 90))
    background.update(laid, cards((200, 90)), np.ones(1), still=NOWHERE, light_changed=False)
    assert is_background(background, laid * 0.5, (200, 90), light_changed=True) == [False]


def test_a_moved_camera_has_no_background(background):
    background.reset()
    assert not background.is_known
    assert is_background(background, picture(), PRINT) == [False]


def test_bare_table_between_cards_is_probably_no_object(background):
    """Incident: the cloth between two captured cards was read as a card below them, with a probability of 1."""
    laid = [(200, 90), (222, 90)]
    between = (208, 92)
    now = picture(*laid)
    p = background.p_object(
        now, cards(between, *laid), np.array((0.4, 1, 1), np.float32), light_changed=False
    )
    assert p.tolist() == [0.0, 1.0, 1.0]
    covered = background.p_object(
        picture(between, *laid), cards(between, *laid), np.array((0.4, 1, 1), np.float32), light_changed=False
    )
    assert covered.tolist() == [1.0, 1.0, 1.0]


def test_what_is_perhaps_a_draw_pile_is_as_likely_one_while_nothing_changes():
    background = BackgroundModel()
    twins = cards(PRINT, (200, 90))
    now = picture((200, 90))
    for _ in range(2):
        background.update(now, twins, np.full(2, 0.5), still=STILL, light_changed=False)
        p = background.p_object(now, twins, np.ones(2, np.float32), light_changed=False)
        assert p == pytest.approx([0.5, 0.5])
    moved = background.p_object(picture((200, 95)), twins, np.ones(2, np.float32), light_changed=False)
    assert moved == pytest.approx([0.5, 1.0])
