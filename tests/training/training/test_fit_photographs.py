"""Fitting what is wrong with a photograph: composed photographs and the causes of what is missing in them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hanafuda_training.benchmarks.ground_truth import TrueCard
from hanafuda_training.training.fit_photographs import Photograph, causes_of, fitted
from vision.photograph.photo_quality import CAUSES, MEASURES
from vision.photograph.scan_result import ScannedCard, ScanResult

_NAMES = ("pine-crane", "plum-warbler", "susuki-moon")


def _quad(number: int) -> np.ndarray:
    return np.array([(0, 0), (60, 0), (60, 96), (0, 96)], np.float32) + np.float32(100 * number)


def _photograph(kind: str, spoiled: list[bool], names: tuple[str | None, ...] = _NAMES) -> Photograph:
    cards = [TrueCard(name, _quad(number), None, 1.0) for number, name in enumerate(names)]
    return Photograph(kind, np.zeros((400, 400, 3), np.uint8), cards, np.array(spoiled))


def _result(*names: str | None) -> ScanResult:
    cards = (
        ScannedCard(name, 0.9, tuple((float(x), float(y)) for x, y in _quad(number)), 1.0, ())  # type: ignore[arg-type]
        for number, name in enumerate(names)
    )
    return ScanResult(400, 400, "generic", tuple(cards), {})


@pytest.mark.parametrize(
    ("kind", "spoiled", "named", "causes"),
    [
        ("glare", [True, False, False], _NAMES, {"fine": 1}),
        ("glare", [True, False, False], (None, _NAMES[1], None), {"photo-glare": 1, "photo-cards-hidden": 1}),
        ("blur", [True] * 3, (None, _NAMES[1], _NAMES[0]), {"photo-blurred": 2}),
        ("heap", [False] * 3, (*_NAMES[:2], None), {"photo-cards-hidden": 1}),
        ("unknown-deck", [False] * 3, (None, None, None), {"photo-unknown-deck": 1}),
    ],
    ids=["all named", "a lit card and another", "a name missing and one wrong", "heap", "unknown deck"],
)
def test_a_missing_card_counts_for_what_spoils_it(
    kind: str, spoiled: list[bool], named: tuple[str | None, ...], causes: dict[str, int]
) -> None:
    assert causes_of(_photograph(kind, spoiled), _result(*named)) == Counter(causes)


def test_a_card_of_no_deck_is_of_an_unknown_one_if_nothing_else_is_wrong() -> None:
    names = (None, *_NAMES[1:])
    result = _result(None, *_NAMES[1:])
    assert causes_of(_photograph("table", [False] * 3, names), result) == Counter({"photo-unknown-deck": 1})
    assert causes_of(_photograph("dark", [True] * 3, names), result) == Counter({"fine": 1})


def test_the_fitted_model_finds_the_cause_that_its_measure_shows() -> None:
    """Dark photographs differ from the others in their brightness only; in half of the others nothing is missing."""
    rows = np.zeros((300, len(MEASURES)))
    rows[:, -1] = 1
    dark = np.arange(300) % 3 == 0
    rows[:, MEASURES.index("log brightness")] = np.where(dark, 3.0, 5.0)
    causes = [Counter(("photo-dark",)) if dark[n] else Counter((CAUSES[3 * (n % 2)],)) for n in range(300)]
    logits = fitted(rows, causes).logits(rows)
    found = [CAUSES[index] for index in logits.argmax(axis=1)]
    assert {cause for cause, is_dark in zip(found, dark, strict=True) if is_dark} == {"photo-dark"}
    assert "photo-dark" not in {cause for cause, is_dark in zip(found, dark, strict=True) if not is_dark}
