"""Strips on a table of a known deck (synthetic: our own faces): what may be no card, by the recognizer, is not told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.fast_scanner import swift_scanner
from tests.vision.picture_builders import row, table_with
from vision.networks.class_ids import UNKNOWN
from vision.networks.read_cards import CardCandidates
from vision.photograph.scanner import Scanner

CARDS = ["pine-crane", "cherry-curtain", "susuki-moon", "wisteria-cuckoo", "maple-deer", "clover-boar"]


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return swift_scanner()


@pytest.fixture(scope="module")
def table(scanner: Scanner) -> CardCandidates:
    return scanner.detect_cards(table_with(row(CARDS, 45.0), seed=3, card_px=70).image)


def with_a_doubt(seen: CardCandidates, share: float, unknown: float) -> CardCandidates:
    """Return what is seen with the first card showing ``share`` and taken for a stranger so surely."""
    visible, posterior = seen.visible.copy(), seen.recognized.posterior.copy()
    posterior[0] *= (1 - unknown) / (1 - posterior[0, UNKNOWN])
    posterior[0, UNKNOWN], visible[0] = unknown, share
    recognized = replace(seen.recognized, posterior=posterior)
    return replace(seen, refined=replace(seen.refined, visible=visible), recognized=recognized)


@pytest.mark.parametrize(
    ("share", "unknown", "deck", "told"),
    [
        (0.3, 0.3, "nintendo", False),
        (0.3, 0.1, "nintendo", True),
        (0.4, 0.3, "nintendo", True),
        (0.3, 0.3, "hanafuda", True),
    ],
    ids=["a strip in doubt", "a sure strip", "more than a strip", "no deck"],
)
def test_a_strip_that_may_be_none_is_not_told(
    scanner: Scanner, table: CardCandidates, share: float, unknown: float, deck: str, told: bool
):
    doubted = with_a_doubt(table, share, unknown)
    at = doubted.quads[0].mean(axis=0)
    left, _, _ = scanner.accept(doubted, deck)
    near = np.linalg.norm(left.quads.mean(axis=1) - at, axis=1) < 10
    assert len(table.scores) == len(CARDS)
    assert near.any() == told
    assert len(left.scores) == len(CARDS) - (not told)
