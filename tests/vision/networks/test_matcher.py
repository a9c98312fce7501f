"""Comparison of a crop with pictures by the shipped network: drawn cards that differ by a pip or a line (synthetic)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.message_text import raises_text
from vision.decks.card_prototypes import whole_picture
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS, MissingModelError

#: Places of pips on a card of 126 x 206 px, in the order in which they are added.
PLACES = [(38, 50), (88, 156), (88, 50), (38, 156), (63, 103), (38, 103), (88, 103), (63, 76), (63, 130)]


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher(MODELS)


def pips(count: int) -> np.ndarray:
    """Return the picture of a card with the given number of black and red pips (96 x 64 x 3)."""
    card = np.full((206, 126, 3), 240, np.uint8)
    cv2.rectangle(card, (0, 0), (125, 205), (20, 20, 20), 6)
    for x, y in PLACES[:count]:
        cv2.ellipse(card, (x, y), (13, 17), 20, 0, 360, (20, 20, 20), -1)
        cv2.ellipse(card, (x, y), (6, 8), 20, 0, 360, (40, 40, 190), -1)
    return whole_picture(card)


def crop_of(picture: np.ndarray, uncovered: slice = slice(None), contrast: float = 0.8) -> np.ndarray:
    """Return a crop of a slightly shifted and blurred card in warm light, whose rows ``uncovered`` are visible."""
    move = np.array(((1, 0, 0.8), (0, 1, -0.7)), np.float32)
    moved = cv2.warpAffine(picture, move, (64, 96), borderMode=cv2.BORDER_REPLICATE)
    lit = cv2.GaussianBlur(moved, (0, 0), 0.7) * contrast * np.array((0.8, 0.92, 1.0)) + 200 * (1 - contrast)
    crop = np.zeros((96, 64, 4), np.uint8)
    crop[..., :3] = 90
    crop[uncovered, :, :3] = lit[uncovered].clip(0, 255)
    crop[uncovered, :, 3] = 255
    return crop


def match_probabilities(matcher: Matcher, crop: np.ndarray, pictures: list[np.ndarray]) -> np.ndarray:
    return matcher.compare(np.repeat(crop[None], len(pictures), axis=0), np.stack(pictures))


@pytest.mark.parametrize("contrast", [0.9, 0.35], ids=["clear", "washed out"])
@pytest.mark.parametrize("end", [1, -1], ids=["upright", "turned"])
@pytest.mark.parametrize("count", range(2, 9))
def test_another_number_of_pips_is_another_card(matcher: Matcher, count: int, end: int, contrast: float):
    offered = [pips(each)[::end, ::end] for each in (count - 1, count, count + 1)]
    logits = match_probabilities(matcher, crop_of(pips(count)[::end, ::end], contrast=contrast), offered)
    assert logits.argmax() == 1
    assert logits[1] > 0


def test_cards_whose_difference_is_covered_remain_ambiguous(matcher: Matcher):
    upper = slice(0, 38)
    crop = crop_of(pips(4), upper)
    four, five = match_probabilities(matcher, crop, [pips(4), pips(5)])
    assert abs(four - five) < 1.0
    four, two = match_probabilities(matcher, crop, [pips(4), pips(2)])
    assert four - two > 2.0


def test_another_card_matches_none_of_the_pictures(matcher: Matcher):
    rng = np.random.default_rng(1)
    cloth = rng.integers(60, 120, (96, 64, 3)).astype(np.uint8)
    assert (match_probabilities(matcher, crop_of(cloth), [pips(count) for count in (1, 3, 5, 8)]) < 0).all()


def test_comparisons_are_cached(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("vision.networks.matcher._CACHE_SIZE", 8)
    matcher = Matcher(MODELS)
    offered = [pips(count) for count in (2, 3, 4)]
    first = match_probabilities(matcher, crop_of(pips(3)), offered)
    for count in range(1, 9):  # more than the cache holds
        match_probabilities(matcher, crop_of(pips(count), contrast=0.6), offered)
    assert match_probabilities(matcher, crop_of(pips(3)), offered) == pytest.approx(first, abs=1e-4)
    twice = np.stack([offered[0], offered[0]])
    assert matcher.compare(np.repeat(crop_of(pips(3))[None], 2, axis=0), twice) == pytest.approx(
        [first[0]] * 2, abs=1e-4
    )
    matcher.__dict__["_session"] = None  # the second call uses the cache
    assert match_probabilities(matcher, crop_of(pips(3)), offered) == pytest.approx(first, abs=1e-4)


def test_a_missing_model_is_an_error_at_the_start(tmp_path: Path):
    with raises_text(MissingModelError, match=r"matcher\.onnx"):
        Matcher(tmp_path)


def test_threads_that_evict_cache_entries_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("vision.networks.matcher._CACHE_SIZE", 6)
    matcher = Matcher(MODELS)
    offered = [pips(count) for count in (2, 3, 4)]

    def ask(number: int) -> int:
        return int(
            match_probabilities(
                matcher, crop_of(pips(2 + number % 3), contrast=0.5 + number / 200), offered
            ).argmax()
        )

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, range(60))) == [number % 3 for number in range(60)]


def test_many_pairs_give_the_same_result_as_few(matcher: Matcher):
    crops = np.stack([crop_of(pips(1 + number % 9)) for number in range(70)])
    pictures = np.stack([pips(1 + number % 7) for number in range(70)])
    alone = np.concatenate([matcher.compare(crops[k : k + 1], pictures[k : k + 1]) for k in (0, 33, 69)])
    assert matcher.compare(crops, pictures)[[0, 33, 69]] == pytest.approx(alone, abs=1e-3)
    assert matcher.compare(crops[:0], pictures[:0]).shape == (0,)
