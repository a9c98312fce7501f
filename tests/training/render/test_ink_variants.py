"""Card faces in the colors of other makers."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hanafuda_training.render.ink_variants import mirror_face, recolor_fields
from vision.networks.class_ids import BACK, CLASS_OF

RAINMAN = CLASS_OF["willow-rainman"]


def drawn() -> np.ndarray:
    """Return a white card with a black ground that extends up one side, and a red robe."""
    art = np.full((120, 76, 3), 255, np.uint8)
    cv2.rectangle(art, (0, 90), (75, 119), (0, 0, 0), -1)
    cv2.rectangle(art, (0, 0), (14, 119), (0, 0, 0), -1)
    cv2.rectangle(art, (30, 40), (50, 75), (30, 30, 200), -1)
    return art


def refillings(kind: int, share: float = 1.0) -> list[np.ndarray]:
    return [recolor_fields(np.random.default_rng(seed), drawn(), kind, share) for seed in range(60)]


def test_a_ground_may_have_any_ink_and_shapes_on_it_keep_theirs():
    grounds = [
        art
        for art in refillings(RAINMAN)
        if (art[105, 40:70] != 0).any() and (art[40:75, 30:51] == drawn()[40:75, 30:51]).all()
    ]
    assert len(grounds) >= 10
    assert len({tuple((art[105, 55] // 64).tolist()) for art in grounds}) >= 5


def test_a_field_may_be_refilled_partly():
    """The black ground extends up the left side and remains black on one side of a line."""
    parts = [art for art in refillings(RAINMAN) if (art[110, 40] != 0).any() and (art[10, 5] == 0).all()]
    assert len(parts) >= 5


def test_most_of_the_drawing_is_unchanged():
    for art in refillings(RAINMAN):
        outline = cv2.Canny(drawn(), 50, 150) > 0
        near = cv2.dilate(cv2.Canny(art, 20, 60), np.ones((5, 5))) > 0
        assert near[outline].mean() > 0.5


@pytest.mark.parametrize(
    "card", ["plum-chaff-1", "plum-ribbon", "willow-lightning", "paulownia-yellow", None], ids=str
)
def test_cards_with_few_fields_are_unchanged(card: str | None):
    kind = BACK if card is None else CLASS_OF[card]
    assert all((art == drawn()).all() for art in refillings(kind))


def test_a_copy_without_refilled_fields_is_unchanged():
    assert all((art == drawn()).all() for art in refillings(RAINMAN, share=0.0))


def test_faces_may_be_mirrored_but_backs_are_not():
    art = drawn()
    rng = np.random.default_rng(1)
    faces = [mirror_face(rng, art, RAINMAN, 0.3) for _ in range(400)]
    turned = [face for face in faces if (face == art[:, ::-1]).all()]
    assert all((face == art).all() for face in faces if not (face == art[:, ::-1]).all())
    assert 0.2 < len(turned) / len(faces) < 0.4
    assert (mirror_face(rng, art, BACK, 1.0) == art).all()
