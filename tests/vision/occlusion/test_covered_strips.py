"""Narrow visible strips on a table with a known deck are not reported if the recognizer doubts that they are cards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.picture_builders import row, table_with
from vision.networks.class_ids import UNKNOWN
from vision.networks.read_cards import CardCandidates
from vision.photograph.scanner import Scanner

CARDS = ["pine-crane", "cherry-curtain", "susuki-moon", "wisteria-cuckoo", "maple-deer", "clover-boar"]


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return Scanner(fast=True)


@pytest.fixture(scope="module")
def table(scanner: Scanner) -> CardCandidates:
    return scanner.detect_cards(table_with(row(CARDS, 45.0), seed=3, card_px=70).image)


def with_doubtful_card(candidates: CardCandidates, visible_fraction: float, unknown: float) -> CardCandidates:
    """Return candidates whose first card has this visible fraction and this probability of the class UNKNOWN."""
    visible, posterior = candidates.visible.copy(), candidates.recognized.own.copy()
    posterior[0] *= (1 - unknown) / (1 - posterior[0, UNKNOWN])
    posterior[0, UNKNOWN], visible[0] = unknown, visible_fraction
    recognized = replace(candidates.recognized, own=posterior)
    return replace(candidates, refined=replace(candidates.refined, visible=visible), recognized=recognized)


@pytest.mark.parametrize(
    ("visible_fraction", "unknown", "deck", "reported"),
    [
        (0.3, 0.3, "nintendo", False),
        (0.3, 0.1, "nintendo", True),
        (0.4, 0.3, "nintendo", True),
        (0.3, 0.3, "hanafuda", True),
    ],
    ids=["doubtful strip", "confident strip", "wider than a strip", "no deck"],
)
def test_a_doubtful_narrow_strip_is_not_reported(
    scanner: Scanner,
    table: CardCandidates,
    visible_fraction: float,
    unknown: float,
    deck: str,
    reported: bool,
):
    doubtful = with_doubtful_card(table, visible_fraction, unknown)
    position = doubtful.quads[0].mean(axis=0)
    accepted = scanner.accept(doubtful, deck)
    near = np.linalg.norm(accepted.quads.mean(axis=1) - position, axis=1) < 10
    assert len(table.scores) == len(CARDS)
    assert near.any() == reported
    assert len(accepted.scores) == len(CARDS) - (not reported)
