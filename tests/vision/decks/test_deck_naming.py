"""Classification with a known deck: its own cards, whole and half covered, backs, and unknown cards. Drawn decks, without networks."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.drawn_decks import PixelRecognizer, a_deck, drawn, face_down, half_covered, seen, uncovered
from vision.decks.deck_naming import DeckClassifier, PictureMatcher, VoteWeights

COUNT = 12
#: Vote parameters that are not fitted; the pixel recognizer's cosines are used as they are.
PLAIN = VoteWeights(
    cosine_weight=14,
    cosine_least=0.8,
    picture_weight=10,
    picture_least=0.5,
    generic=0.6,
    hidden=0.3,
    matched=1.0,
)


@pytest.fixture(scope="module")
def classifier() -> DeckClassifier:
    return DeckClassifier(a_deck(count=COUNT), PLAIN)


def lit(pictures: np.ndarray) -> np.ndarray:
    """Return the pictures in warm, dim light, slightly blurred and shifted."""
    dim = np.clip(pictures * np.array((0.6, 0.75, 0.85)) + 12, 0, 255).astype(np.uint8)
    move = np.float32(((1, 0, 1.5), (0, 1, -1)))
    return np.stack(
        [
            cv2.warpAffine(
                cv2.GaussianBlur(each, (0, 0), 0.8), move, (64, 96), borderMode=cv2.BORDER_REPLICATE
            )
            for each in dim
        ]
    )


def names(classifier: DeckClassifier, crops: np.ndarray) -> tuple[list[int], list[bool]]:
    named = classifier.classify(seen(crops))
    assert np.allclose(named.posterior.sum(axis=1), 1)
    return named.posterior.argmax(axis=1).tolist(), named.upright.tolist()


def test_cards_of_the_deck_are_named_in_another_light(classifier: DeckClassifier):
    assert names(classifier, uncovered(lit(drawn(1, COUNT)))) == (list(range(COUNT)), [True] * COUNT)


def test_cards_rotated_by_a_half_turn_are_recognized_as_rotated(classifier: DeckClassifier):
    turned = uncovered(lit(drawn(1, COUNT)))[:, ::-1, ::-1]
    assert names(classifier, turned) == (list(range(COUNT)), [False] * COUNT)


@pytest.mark.parametrize(
    "rows", [slice(0, 48), slice(48, 96), slice(0, 40)], ids=["upper", "lower", "two fifths"]
)
def test_half_covered_cards_are_named_by_their_visible_part(classifier: DeckClassifier, rows: slice):
    crops = half_covered(lit(drawn(1, COUNT)), lit(drawn(9, COUNT)), rows)
    named, _ = names(classifier, crops)
    assert np.mean(np.array(named) == np.arange(COUNT)) >= 0.9


def test_cards_of_another_deck_are_unknown(classifier: DeckClassifier):
    named, _ = names(classifier, uncovered(drawn(77, 20)))
    assert named.count(classifier.profile.unknown) >= 19


def test_an_enrolled_card_without_an_id_is_unknown():
    cards = [*[card for class_id in a_deck(count=8).classes for card in class_id], None]
    from vision.decks.deck_profile import make_profile  # noqa: PLC0415

    pictures = drawn(1, 9)
    classifier = DeckClassifier(make_profile("d", "mekurifuda", pictures, cards, PixelRecognizer()), PLAIN)
    named, _ = names(classifier, uncovered(lit(pictures)))
    assert named == [*range(8), classifier.profile.unknown]


def test_a_back_is_classified_as_back(classifier: DeckClassifier):
    black = uncovered(np.full((2, 96, 64, 3), 25, np.uint8))
    named = classifier.classify(face_down(seen(black)))
    assert named.posterior.argmax(axis=1).tolist() == [classifier.profile.back] * 2


def test_no_cards(classifier: DeckClassifier):
    named = classifier.classify(seen(np.zeros((0, 96, 64, 4), np.uint8)))
    assert named.posterior.shape == (0, COUNT + 2)


def test_a_deck_without_pictures_classifies_by_embeddings():
    classifier = DeckClassifier(a_deck(count=COUNT).without_pictures(), PLAIN)
    assert classifier.correlations(uncovered(drawn(1, 2))) is None
    assert names(classifier, uncovered(lit(drawn(1, COUNT))))[0] == list(range(COUNT))


class FakeMatcher:
    """A matcher that reports a match for one given picture and rotation only, and records its calls."""

    def __init__(self, picture: np.ndarray) -> None:
        self.picture = picture
        self.asked = 0

    def compare(self, crops: np.ndarray, pictures: np.ndarray) -> np.ndarray:
        self.asked += len(crops)
        return np.array([9.0 if np.array_equal(each, self.picture) else -9.0 for each in pictures])


@pytest.mark.parametrize("end", [1, -1], ids=["upright", "turned"])
@pytest.mark.parametrize("card", [0, 1])
def test_the_comparison_decides_between_two_similar_cards(card: int, end: int):
    """The crop is an even mixture of two cards, so that the votes alone do not decide."""
    pictures = drawn(1, COUNT)
    both = cv2.addWeighted(pictures[0], 0.5, pictures[1], 0.5, 0)[None]
    votes = replace(PLAIN, cosine_weight=2, cosine_least=0.2, picture_weight=1, picture_least=0.1)
    matcher = FakeMatcher(pictures[card][::end, ::end])
    classifier = DeckClassifier(a_deck(count=COUNT), votes, matcher)  # type: ignore[arg-type]
    before = DeckClassifier(a_deck(count=COUNT), votes).classify(seen(uncovered(both)[:, ::end, ::end]))
    after = classifier.classify(seen(uncovered(both)[:, ::end, ::end]))
    assert set(np.argsort(-before.posterior[0])[:2]) == {0, 1}
    assert before.posterior[0].max() < 0.97
    assert after.posterior[0].argmax() == card
    assert after.posterior[0, card] > 0.99
    assert after.upright.tolist() == [end > 0]
    asked = matcher.asked
    unasked = classifier.classify(seen(uncovered(both)[:, ::end, ::end]), compare=False)
    assert unasked.posterior == pytest.approx(before.posterior)
    assert matcher.asked == asked


def test_confident_cards_are_not_compared():
    matcher = FakeMatcher(drawn(1, COUNT)[0])
    classifier = DeckClassifier(a_deck(count=COUNT), PLAIN, matcher)  # type: ignore[arg-type]
    assert names(classifier, uncovered(drawn(1, COUNT))) == (list(range(COUNT)), [True] * COUNT)
    assert matcher.asked == 0


def test_a_deck_without_pictures_is_not_compared():
    matcher = FakeMatcher(drawn(1, COUNT)[0])
    classifier = DeckClassifier(a_deck(count=COUNT).without_pictures(), PLAIN, matcher)  # type: ignore[arg-type]
    names(classifier, uncovered(drawn(77, 5)))
    assert matcher.asked == 0


class TestPictureVote:
    pictures = drawn(5, 6)
    vote = PictureMatcher(pictures)

    def test_a_picture_matches_itself_completely_and_no_other(self):
        likeness, _ = self.vote.correlate(uncovered(self.pictures))
        assert likeness.shape == (6, 6, 2)
        own = likeness[np.arange(6), np.arange(6), 0]
        assert own == pytest.approx(np.ones(6), abs=1e-3)
        likeness[np.arange(6), np.arange(6), 0] = -1
        assert likeness.max() < 0.95

    def test_a_half_turn_is_recognized(self):
        likeness, _ = self.vote.correlate(uncovered(self.pictures[:, ::-1, ::-1]))
        assert likeness[np.arange(6), np.arange(6), 1] == pytest.approx(np.ones(6), abs=1e-3)

    def test_brightness_and_color_of_the_light_do_not_matter(self):
        lamp = np.clip(self.pictures * 0.5 + np.array((30, 10, 0)), 0, 255).astype(np.uint8)
        likeness, _ = self.vote.correlate(uncovered(lamp))
        assert likeness[np.arange(6), np.arange(6), 0] == pytest.approx(np.ones(6), abs=0.01)

    def test_covered_parts_do_not_matter(self):
        crops = [half_covered(self.pictures, over, slice(0, 40)) for over in (drawn(8, 6), drawn(9, 6))]
        one, other = (self.vote.correlate(each)[0] for each in crops)
        assert one == pytest.approx(other, abs=0.05)
        assert one[np.arange(6), np.arange(6), 0].min() > 0.95

    def test_a_slightly_shifted_crop_is_aligned(self):
        move = np.float32(((1, 0, 4), (0, 1, 0)))
        off = np.stack(
            [cv2.warpAffine(each, move, (64, 96), borderMode=cv2.BORDER_REPLICATE) for each in self.pictures]
        )
        assert self.vote.correlate(uncovered(off))[0][np.arange(6), np.arange(6), 0].min() > 0.97

    def test_a_crop_without_visible_parts_matches_nothing(self):
        likeness, reliability = self.vote.correlate(np.zeros((1, 96, 64, 4), np.uint8))
        assert np.abs(likeness).max() < 1e-3
        assert reliability.tolist() == [0]

    def test_a_plain_card_is_weaker_evidence_than_a_printed_one(self):
        rng = np.random.default_rng(0)
        plain = np.clip(rng.normal(200, 4, (1, 96, 64, 3)), 0, 255).astype(np.uint8)
        _, reliability = self.vote.correlate(uncovered(np.concatenate((plain, self.pictures))))
        assert reliability[0] < 0.1
        assert reliability[1:].min() > 0.8
