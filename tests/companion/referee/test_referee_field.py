"""When a dealt field is reported, and when it becomes a question."""

import pytest

from companion.referee.deal_detection import Field

CARDS = [("pine-crane",), ("plum-warbler",), ("cherry-curtain",)]


@pytest.mark.parametrize(
    ("shares", "confident"),
    [
        ((0.95,), True),
        ((0.91, 0.09), True),
        ((0.85, 0.015, 0.01), True),
        ((0.85, 0.1), False),
        ((0.6, 0.001), False),
        ((), False),
    ],
)
def test_a_field_without_a_close_alternative_is_reported(shares, confident):
    field = Field(8, list(zip(CARDS, shares, strict=False)))
    assert field.confident is confident
