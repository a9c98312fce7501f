"""Uncertain cards are recognized with reduced color saturation too, because decks color the same drawing differently."""

import numpy as np
import pytest

from hanafuda_training.benchmarks.evaluation import without
from vision.networks.class_ids import BACK, CLASS_COUNT, CLASS_OF
from vision.networks.onnx_sessions import MODELS
from vision.networks.recognizer import EMBEDDING, Recognizer, half_gray
from vision.networks.refiner import RefinedCards
from vision.pictures.crops import Image, Pyramid

BRIDGE, RAINMAN = CLASS_OF["iris-bridge"], CLASS_OF["willow-rainman"]


def test_colors_are_moved_halfway_to_gray():
    crop = np.zeros((1, 2, 2, 4), np.uint8)
    crop[0, :, :, :3] = [[[255, 255, 255], [0, 0, 0]], [[0, 0, 255], [90, 90, 90]]]
    crop[0, :, :, 3] = [[0, 255], [128, 7]]
    halved = half_gray(crop)
    np.testing.assert_array_equal(halved[..., 3], crop[..., 3])
    np.testing.assert_array_equal(halved[0, 0, :, :3], crop[0, 0, :, :3])
    np.testing.assert_array_equal(halved[0, 1, 1, :3], [90, 90, 90])
    # Red of value 255 is as bright as gray of 0.299 * 255 (ITU-R BT.601).
    np.testing.assert_allclose(halved[0, 1, 0, :3], [38, 38, 166], atol=1)


class ColorBiasedRecognizer(Recognizer):
    """A recognizer that classifies yellow crops as one card and paler ones as another, with a small probability of a back."""

    def infer(self, crops: Image) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        logits = np.full((len(crops), CLASS_COUNT), -20.0)
        for row, crop in zip(logits, crops.astype(int), strict=True):
            bright = crop[..., 2].mean() - crop[..., 0].mean() > 150
            row[[BRIDGE, RAINMAN, BACK]] = (1, 0.5, 0.2) if bright else (0, 3, 5)
        return logits, np.ones(len(crops)), np.ones((len(crops), EMBEDDING), np.float32)


@pytest.mark.parametrize(
    ("share", "best"), [(0.6, RAINMAN), (0.3, BRIDGE)], ids=["more than half of it shows", "a strip"]
)
def test_an_uncertain_card_is_also_recognized_in_paler_colors(share: float, best: int):
    picture = np.full((200, 200, 3), (10, 210, 220), np.uint8)
    quad = np.array([[[40, 40], [100, 40], [100, 136], [40, 136]]], np.float32)
    masks = np.ones((1, 28, 20), np.float32)
    refined = RefinedCards(quad, np.array([share], np.float32), masks, quad)
    named = ColorBiasedRecognizer(MODELS).recognize(Pyramid(picture), refined)
    assert named.posterior[0].argmax() == best
    with without("half-gray"):
        plain = ColorBiasedRecognizer(MODELS).recognize(Pyramid(picture), refined)
    assert plain.posterior[0].argmax() == BRIDGE
    assert named.posterior[0, BACK] == pytest.approx(plain.posterior[0, BACK], abs=0.02)
