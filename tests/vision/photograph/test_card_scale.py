"""The scale at which a picture's cards are seen best, with a detector that sees what its test says."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from vision.networks.detector import Detections
from vision.photograph.card_scale import Box, detect_at_best_scale

Card = tuple[float, float]  # width in px of the full picture, score


def found(cards: list[Card]) -> Detections:
    shape = np.array([(-0.5, -0.8), (0.5, -0.8), (0.5, 0.8), (-0.5, 0.8)])
    points = np.array([(100 * number, 100) for number in range(len(cards))], np.float32).reshape(-1, 2)
    widths, scores = np.array(cards, np.float32).reshape(-1, 2).T
    return Detections(points[:, None] + widths[:, None, None] * shape, points, scores, np.ones_like(scores))


@dataclass
class Eyes:
    """A detector that sees cards when they are 10-200 px wide, the smaller the less surely; and doubtful things in a small picture."""

    widths: list[float]
    ghosts: list[Card] = field(default_factory=list)
    scales: list[float] = field(default_factory=list)
    parts: list[Box | None] = field(default_factory=list)

    def __call__(self, scale: float, part: Box | None) -> Detections:
        self.scales.append(scale)
        self.parts.append(part)
        seen = [
            (width, 0.85 if width * scale > 40 else 0.65 if width * scale > 22 else 0.35)
            for width in self.widths
            if 10 < width * scale < 200
        ]
        return found(seen + [ghost for ghost in self.ghosts if 22 < ghost[0] * scale < 100])


SIZE = (1920, 1080)


@pytest.mark.parametrize("width", [16.0, 30.0, 70.0, 200.0, 700.0])
def test_cards_of_any_size_are_found_near_their_best_size(width: float):
    eyes = Eyes([width] * 8)
    assert len(detect_at_best_scale(eyes, SIZE).scores) == 8
    best = eyes.scales[-1] * width
    assert 18 < best < 110


@pytest.mark.parametrize("ghost", [0.5, 0.59])
def test_one_large_doubtful_thing_hides_no_table(ghost: float):
    """A table of cards 60-68 px wide is at the edge of what the first look sees; a pattern fills half of the second."""
    eyes = Eyes([60, 62, 64, 66, 68], [(450, ghost)])
    seen = detect_at_best_scale(eyes, SIZE)
    assert sorted(np.round(seen.widths)) == [60, 62, 64, 66, 68]


def test_a_table_too_small_for_both_looks_is_found_for_all_a_doubtful_thing():
    eyes = Eyes([40] * 5, [(450, 0.5)])
    assert np.round(detect_at_best_scale(eyes, SIZE).widths).tolist() == [40] * 5


def test_one_card_that_fills_the_picture_is_not_looked_for_in_its_print():
    """Both looks see something; the large card is surely one."""
    eyes = Eyes([], [(700, 0.9), (80, 0.35)])
    assert np.round(detect_at_best_scale(eyes, SIZE).widths).tolist() == [700]
    assert len(eyes.scales) <= 4


def test_a_table_seen_at_the_first_look_needs_no_second():
    eyes = Eyes([150] * 8)
    detect_at_best_scale(eyes, SIZE)
    assert eyes.scales == [640 / 1920]


def test_an_empty_table_is_looked_at_three_times():
    eyes = Eyes([])
    assert len(detect_at_best_scale(eyes, SIZE).scores) == 0
    assert len(eyes.scales) == 3


@pytest.mark.parametrize(
    ("known", "passes"), [(75.0, 1), (300.0, 3)], ids=["as the frame before", "the camera moved"]
)
def test_a_known_width_saves_the_looks_while_it_holds(known: float, passes: int):
    eyes = Eyes([70] * 8)
    assert len(detect_at_best_scale(eyes, SIZE, known).scores) == 8
    assert len(eyes.scales) == passes


def test_a_table_is_looked_at_sharply_where_it_is():
    """Eight cards of 70 px in a row, to 735 px across and 44 to 156 down."""
    eyes = Eyes([70] * 8)
    assert len(detect_at_best_scale(eyes, SIZE).scores) == 8
    whole, part = eyes.parts
    assert whole is None
    assert part is not None
    left, top, right, bottom = part
    assert (left, top) == (0, 0)
    assert 735 + 70 <= right <= 735 + 140
    assert 156 + 70 <= bottom <= 156 + 140


def test_what_is_hardly_seen_is_within_what_is_looked_at_sharply():
    eyes = Eyes([70] * 8, [(72, 0.25)])
    detect_at_best_scale(eyes, SIZE)
    assert eyes.parts[-1] is not None
    assert eyes.parts[-1][2] >= 836 + 70  # itself, and a card farther out that is not seen at all


def test_what_the_edge_of_the_part_cuts_is_not_told():
    """A phone 800 px across that is taken for a card where only 60 px of it show."""

    class Cut(Eyes):
        def __call__(self, scale: float, part: Box | None) -> Detections:
            seen = super().__call__(scale, part)
            if part is None:
                return seen
            shape = np.array([(0, 0), (60, 0), (60, 96), (0, 96)])
            phone, at_left = shape + np.array((part[2] - 30, 50)), shape + np.array((-20, 50))
            quads = np.concatenate((seen.quads, [phone, at_left])).astype(np.float32)
            more = np.float32([0.8, 0.8])
            scores, visible = np.concatenate((seen.scores, more)), np.concatenate((seen.visible, more))
            return Detections(quads, quads.mean(axis=1), scores, visible)

    seen = detect_at_best_scale(Cut([70] * 8), SIZE)
    assert len(seen.scores) == 9  # what the picture's own edge cuts may be a card


def test_a_few_cards_may_have_others_anywhere_beside_them():
    eyes = Eyes([70] * 5)
    detect_at_best_scale(eyes, SIZE)
    assert eyes.parts == [None] * len(eyes.parts)
    assert len(eyes.parts) > 1
