"""Zones: derived from the deal in every orientation of the table and from the number of players, or drawn by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.hanafuda.errors import BadRequestError
from tests.message_text import raises_text
from vision.geometry.zone_layout import default_layout, field_layout, parse_layout, round_layout

#: Two rows of four and the draw pile to their left, mm from the center of the field, with player 1 below.
DEALT = np.array([(x, y) for y in (-31.0, 31.0) for x in (-60.0, -20.0, 20.0, 60.0)])
STOCK = np.array((-120.0, -3.0))
#: Places of cards in the course of a round.
LATER = [
    ((60.0, 31.0), "field"),
    ((101.0, -31.0), "field"),
    ((183.0, 31.0), "field"),
    ((27.0, 48.0), "field"),  # on the card it matches, towards player 1
    ((-67.0, -48.0), "field"),
    ((-120.0, -3.0), "stock"),
    ((-98.0, 1.0), "stock"),  # turned up beside the draw pile
    ((-290.0, 114.0), "captured-1"),
    ((0.0, 150.0), "captured-1"),
    ((250.0, 190.0), "captured-1"),
    ((290.0, -114.0), "captured-2"),
    ((0.0, -105.0), "captured-2"),
    ((-250.0, -190.0), "captured-2"),
]


@pytest.mark.parametrize("turn", range(0, 360, 15))
@pytest.mark.parametrize(("place", "zone"), LATER)
def test_the_deal_determines_the_zones_in_every_orientation(turn: int, place: tuple[float, float], zone: str):
    angle = np.radians(turn)
    rigid = np.array(((np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))))

    def put(points: object) -> np.ndarray:
        return np.asarray(points) @ rigid.T + (400.0, 250.0)

    layout = field_layout(put(DEALT), rigid @ (0.0, 1.0), put(STOCK))
    assert layout.zone(tuple(put(place))) == zone


def test_face_down_cards_on_the_field_are_the_draw_pile_at_every_place():
    layout = field_layout(DEALT, np.array((0.0, 1.0)), None)
    assert layout.zone((-120.0, 0.0), back=True) == "stock"
    assert layout.zone((-120.0, 0.0)) == "field"
    assert layout.zone((0.0, 150.0), back=True) == "captured-1"


def test_before_the_deal_the_center_of_the_table_is_the_field():
    layout = default_layout(np.array((300.0, 200.0)), np.array((0.0, 1.0)))
    assert [layout.zone((300.0, y)) for y in (200.0, 260.0, 330.0, 70.0)] == [
        "field",
        "field",
        "captured-1",
        "captured-2",
    ]


@pytest.mark.parametrize("seats", range(2, 9))
def test_hands_are_counterclockwise_around_the_table(seats: int):
    layout = round_layout("kingo", np.zeros(2), np.array((0.0, 1.0)), seats)
    zones = []
    for number in range(seats):
        angle = np.pi / 2 - number * 2 * np.pi / seats
        zones.append(layout.zone((180 * np.cos(angle), 180 * np.sin(angle))))
    assert zones == [f"hand-{seat}" for seat in range(1, seats + 1)]


def test_of_four_players_the_second_is_at_the_right_of_the_first():
    layout = round_layout("kingo", np.zeros(2), np.array((0.0, 1.0)), 4)
    assert layout.zone((200.0, 0.0)) == "hand-2"
    assert layout.zone((0.0, 0.0)) == "stock"


def test_discard_pile_and_draw_pile_of_kakkuri_are_side_by_side_in_the_center():
    layout = round_layout("kakkuri", np.zeros(2), np.array((0.0, 1.0)), 5)
    assert layout.zone((107.0, 5.0)) == "discard"
    assert layout.zone((0.0, 0.0), back=True) == "stock"


corner = st.floats(0, 1, allow_nan=False)


@given(st.lists(st.tuples(corner, corner), min_size=3, max_size=8))
def test_a_drawn_layout_is_used_unchanged(polygon: list[tuple[float, float]]):
    read = parse_layout({"zones": [{"zone": "field", "polygon": [list(point) for point in polygon]}]})
    assert read["field"].tolist() == [list(point) for point in polygon]


@pytest.mark.parametrize(
    ("layout", "error"),
    [
        ([], "layout is an object with zones"),
        ({}, "zones"),
        ({"zones": [{"zone": "field"}]}, "polygon"),
        ({"zones": [{"zone": "field", "polygon": [[0, 0], [1, "x"], [1, 1]]}]}, "x"),
        ({"zones": [{"zone": "field", "polygon": [[0, 0], [1, 1]]}]}, "2 corners; it needs three"),
    ],
)
def test_the_error_for_an_invalid_layout_describes_a_valid_one(layout: object, error: str):
    with raises_text(BadRequestError, match=error):
        parse_layout(layout)
