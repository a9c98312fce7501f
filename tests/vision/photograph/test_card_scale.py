"""The scale at which the cards of a picture are detected best, with a fake detector."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from vision.networks.detector import Detections
from vision.photograph.card_scale import Box, detect_at_best_scale

Card = tuple[float, float]  # width in px of the full picture, score


def detections(cards: list[Card]) -> Detections:
    shape = np.array([(-0.5, -0.8), (0.5, -0.8), (0.5, 0.8), (-0.5, 0.8)])
    points = np.array([(100 * number, 100) for number in range(len(cards))], np.float32).reshape(-1, 2)
    widths, scores = np.array(cards, np.float32).reshape(-1, 2).T
    return Detections(points[:, None] + widths[:, None, None] * shape, points, scores, np.ones_like(scores))


@dataclass
class FakeDetector:
    """A detector that detects cards 10-200 px wide, smaller ones with lower scores, and false detections (``ghosts``) in small pictures."""

    widths: list[float]
    ghosts: list[Card] = field(default_factory=list)
    scales: list[float] = field(default_factory=list)
    parts: list[Box | None] = field(default_factory=list)

    def __call__(self, scale: float, part: Box | None) -> Detections:
        self.scales.append(scale)
        self.parts.append(part)
        result = [
            (width, 0.85 if width * scale > 40 else 0.65 if width * scale > 22 else 0.35)
            for width in self.widths
            if 10 < width * scale < 200
        ]
        return detections(result + [ghost for ghost in self.ghosts if 22 < ghost[0] * scale < 100])


SIZE = (1920, 1080)


@pytest.mark.parametrize("width", [16.0, 30.0, 70.0, 200.0, 700.0])
def test_cards_of_any_size_are_detected_near_the_best_scale(width: float):
    detector = FakeDetector([width] * 8)
    assert len(detect_at_best_scale(detector, SIZE).scores) == 8
    best = detector.scales[-1] * width
    assert 18 < best < 110


@pytest.mark.parametrize("ghost", [0.5, 0.59])
def test_one_large_false_detection_does_not_hide_a_table(ghost: float):
    """The first pass detects cards 60-68 px wide only just; a pattern fills half of the second pass."""
    detector = FakeDetector([60, 62, 64, 66, 68], [(450, ghost)])
    result = detect_at_best_scale(detector, SIZE)
    assert sorted(np.round(result.widths)) == [60, 62, 64, 66, 68]


def test_a_table_too_small_for_both_passes_is_detected_despite_a_false_detection():
    detector = FakeDetector([40] * 5, [(450, 0.5)])
    assert np.round(detect_at_best_scale(detector, SIZE).widths).tolist() == [40] * 5


def test_no_cards_are_searched_in_the_print_of_a_card_that_fills_the_picture():
    """Both passes report detections; the large card has a high score."""
    detector = FakeDetector([], [(700, 0.9), (80, 0.35)])
    assert np.round(detect_at_best_scale(detector, SIZE).widths).tolist() == [700]
    assert len(detector.scales) <= 4


def test_a_table_detected_in_the_first_pass_needs_no_second():
    detector = FakeDetector([150] * 8)
    detect_at_best_scale(detector, SIZE)
    assert detector.scales == [640 / 1920]


def test_an_empty_table_takes_three_passes():
    detector = FakeDetector([])
    assert len(detect_at_best_scale(detector, SIZE).scores) == 0
    assert len(detector.scales) == 3


@pytest.mark.parametrize(
    ("known", "passes"), [(75.0, 1), (300.0, 3)], ids=["as in the previous frame", "the camera was moved"]
)
def test_a_known_card_width_saves_passes_while_it_is_right(known: float, passes: int):
    detector = FakeDetector([70] * 8)
    assert len(detect_at_best_scale(detector, SIZE, known).scores) == 8
    assert len(detector.scales) == passes


def test_the_sharp_pass_covers_the_area_of_the_cards():
    """Eight cards of 70 px in a row: x up to 735 px, y from 44 to 156 px."""
    detector = FakeDetector([70] * 8)
    assert len(detect_at_best_scale(detector, SIZE).scores) == 8
    whole, part = detector.parts
    assert whole is None
    assert part is not None
    left, top, right, bottom = part
    assert (left, top) == (0, 0)
    assert 735 + 70 <= right <= 735 + 140
    assert 156 + 70 <= bottom <= 156 + 140


def test_weak_detections_are_within_the_area_of_the_sharp_pass():
    detector = FakeDetector([70] * 8, [(72, 0.25)])
    detect_at_best_scale(detector, SIZE)
    assert detector.parts[-1] is not None
    assert detector.parts[-1][2] >= 836 + 70  # itself, and a card farther out that is not result at all


def test_detections_cut_off_by_the_edge_of_the_area_are_dropped():
    """A phone 800 px wide is detected as a card where only 60 px of it are within the area."""

    class CutOffDetector(FakeDetector):
        def __call__(self, scale: float, part: Box | None) -> Detections:
            result = super().__call__(scale, part)
            if part is None:
                return result
            shape = np.array([(0, 0), (60, 0), (60, 96), (0, 96)])
            phone, at_left = shape + np.array((part[2] - 30, 50)), shape + np.array((-20, 50))
            quads = np.concatenate((result.quads, [phone, at_left])).astype(np.float32)
            more = np.float32([0.8, 0.8])
            scores, visible = np.concatenate((result.scores, more)), np.concatenate((result.visible, more))
            return Detections(quads, quads.mean(axis=1), scores, visible)

    result = detect_at_best_scale(CutOffDetector([70] * 8), SIZE)
    assert len(result.scores) == 9  # the detection at the edge of the picture is kept: it may be a card


def test_a_few_cards_do_not_limit_the_area():
    detector = FakeDetector([70] * 5)
    detect_at_best_scale(detector, SIZE)
    assert detector.parts == [None] * len(detector.parts)
    assert len(detector.parts) > 1
