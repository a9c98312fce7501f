"""Comparing a crop with pictures, by the shipped weights: drawn cards that differ by a pip or a line (synthetic, no deck's)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.decks.card_prototypes import whole_picture
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS, MissingModelError

#: Where pips stand on a card of 126 x 206 px, in the order in which cards of more and more get them.
PLACES = [(38, 50), (88, 156), (88, 50), (38, 156), (63, 103), (38, 103), (88, 103), (63, 76), (63, 130)]


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher(MODELS)


def pips(count: int) -> np.ndarray:
    """Return the picture of a card with so many black and red pips (96 x 64 x 3)."""
    card = np.full((206, 126, 3), 240, np.uint8)
    cv2.rectangle(card, (0, 0), (125, 205), (20, 20, 20), 6)
    for x, y in PLACES[:count]:
        cv2.ellipse(card, (x, y), (13, 17), 20, 0, 360, (20, 20, 20), -1)
        cv2.ellipse(card, (x, y), (6, 8), 20, 0, 360, (40, 40, 190), -1)
    return whole_picture(card)


def seen(picture: np.ndarray, shown: slice = slice(None), contrast: float = 0.8) -> np.ndarray:
    """Return a crop of a card a little moved and blurred in warm light, of which the rows ``shown`` are uncovered."""
    move = np.array(((1, 0, 0.8), (0, 1, -0.7)), np.float32)
    moved = cv2.warpAffine(picture, move, (64, 96), borderMode=cv2.BORDER_REPLICATE)
    lit = cv2.GaussianBlur(moved, (0, 0), 0.7) * contrast * np.array((0.8, 0.92, 1.0)) + 200 * (1 - contrast)
    crop = np.zeros((96, 64, 4), np.uint8)
    crop[..., :3] = 90
    crop[shown, :, :3] = lit[shown].clip(0, 255)
    crop[shown, :, 3] = 255
    return crop


def said(matcher: Matcher, crop: np.ndarray, pictures: list[np.ndarray]) -> np.ndarray:
    return matcher.compare(np.repeat(crop[None], len(pictures), axis=0), np.stack(pictures))


@pytest.mark.parametrize("contrast", [0.9, 0.35], ids=["clear", "washed out"])
@pytest.mark.parametrize("end", [1, -1], ids=["upright", "turned"])
@pytest.mark.parametrize("count", range(2, 9))
def test_a_pip_more_or_less_is_another_card(matcher: Matcher, count: int, end: int, contrast: float):
    offered = [pips(each)[::end, ::end] for each in (count - 1, count, count + 1)]
    logits = said(matcher, seen(pips(count)[::end, ::end], contrast=contrast), offered)
    assert logits.argmax() == 1
    assert logits[1] > 0


def test_where_the_difference_is_covered_it_stays_open(matcher: Matcher):
    upper = slice(0, 38)
    crop = seen(pips(4), upper)
    four, five = said(matcher, crop, [pips(4), pips(5)])
    assert abs(four - five) < 1.0
    four, two = said(matcher, crop, [pips(4), pips(2)])
    assert four - two > 2.0


def test_what_is_none_of_the_cards_is_said_to_be_none(matcher: Matcher):
    rng = np.random.default_rng(1)
    cloth = rng.integers(60, 120, (96, 64, 3)).astype(np.uint8)
    assert (said(matcher, seen(cloth), [pips(count) for count in (1, 3, 5, 8)]) < 0).all()


def test_what_was_compared_is_remembered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("vision.networks.matcher._CACHE_SIZE", 8)
    matcher = Matcher(MODELS)
    offered = [pips(count) for count in (2, 3, 4)]
    first = said(matcher, seen(pips(3)), offered)
    for count in range(1, 9):  # more than are remembered
        said(matcher, seen(pips(count), contrast=0.6), offered)
    assert said(matcher, seen(pips(3)), offered) == pytest.approx(first, abs=1e-4)
    twice = np.stack([offered[0], offered[0]])
    assert matcher.compare(np.repeat(seen(pips(3))[None], 2, axis=0), twice) == pytest.approx(
        [first[0]] * 2, abs=1e-4
    )
    matcher.__dict__["_session"] = None  # asked again, nothing is run
    assert said(matcher, seen(pips(3)), offered) == pytest.approx(first, abs=1e-4)


def test_missing_weights_are_named_before_a_card_is_in_doubt(tmp_path: Path):
    with pytest.raises(MissingModelError, match=r"matcher\.onnx"):
        Matcher(tmp_path)


def test_threads_that_forget_do_not_disturb_one_another(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("vision.networks.matcher._CACHE_SIZE", 6)
    matcher = Matcher(MODELS)
    offered = [pips(count) for count in (2, 3, 4)]

    def ask(number: int) -> int:
        return int(said(matcher, seen(pips(2 + number % 3), contrast=0.5 + number / 200), offered).argmax())

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, range(60))) == [number % 3 for number in range(60)]


def test_many_pairs_are_compared_as_few_are(matcher: Matcher):
    crops = np.stack([seen(pips(1 + number % 9)) for number in range(70)])
    pictures = np.stack([pips(1 + number % 7) for number in range(70)])
    alone = np.concatenate([matcher.compare(crops[k : k + 1], pictures[k : k + 1]) for k in (0, 33, 69)])
    assert matcher.compare(crops, pictures)[[0, 33, 69]] == pytest.approx(alone, abs=1e-3)
    assert matcher.compare(crops[:0], pictures[:0]).shape == (0,)
