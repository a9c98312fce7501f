"""The differences between the table and the record."""

from __future__ import annotations

from math import log

from referee_session import FIELD as FIELD_CARDS
from referee_session import Session

from companion.hanafuda.cards import to_bits
from companion.referee.card_likelihoods import FIELD, DetectedCard, Fit
from companion.referee.expected_cards import Position
from companion.referee.table_problems import differences


def test_a_card_that_is_missing_from_the_field_and_unexpected_in_a_pile_is_counted_once():
    position = Position(Session().deal().table.round)
    moved, missing = (to_bits([card]).bit_length() - 1 for card in FIELD_CARDS[:2])
    in_pile = DetectedCard(1, FIELD + 1, (0.0, 0.0), {moved: log(0.99)}, None, 1.0, 0.0, 1.0)
    problem = differences([in_pile], Fit(0.0, {moved: in_pile}, [missing], []), position)
    assert set(problem.cards) == set(FIELD_CARDS[:2])
