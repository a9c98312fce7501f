"""Random camera placements of the demo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.camera import SceneCamera
from hanafuda_training.render.deck_art import CARD_MM

__all__ = ["View"]

Rng = np.random.Generator

#: Focal length as a multiple of the picture's width: a webcam with a field of view of 60 degrees.
_FOCAL: Final = 0.87


@dataclass(frozen=True, slots=True)
class View:
    """Placement of the camera.

    ``across``: width of the visible table, mm. ``tilt``, ``roll``: degrees. ``at``: the point on the table at the picture's center, mm.
    """

    across: float = 720.0
    tilt: float = 12.0
    roll: float = 0.0
    at: tuple[float, float] = (0.0, 6.0)

    @classmethod
    def drawn(cls, rng: Rng, mess: float) -> View:
        """Return a random placement; ``mess`` ranges from 0 (nearly vertical) to 1 (as in a living room)."""
        return cls(
            across=float(700 + mess * rng.uniform(0, 90)),
            tilt=float(8 + mess * rng.uniform(-4, 18)),
            roll=float(mess * rng.uniform(-6, 6)),
            at=(float(mess * rng.uniform(-12, 12)), float(6 + mess * rng.uniform(-6, 6))),
        )

    def camera(self, size: tuple[int, int]) -> SceneCamera:
        """Return the camera for pictures of ``size`` (width, height) px."""
        width, height = size
        focal = _FOCAL * width
        # A positive tilt moves the camera toward seat 1, so that the top of the picture is farther away.
        axis = cv2.Rodrigues(np.array([-np.radians(self.tilt), 0.0, 0.0]))[0]
        rotation = axis @ cv2.Rodrigues(np.array([0.0, 0.0, np.radians(self.roll)]))[0]
        intrinsics = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
        axes = np.column_stack((rotation[:, 0], rotation[:, 1], -rotation[:, 2]))
        away = np.array([0, 0, _FOCAL * self.across]) - axes[:, :2] @ np.array(self.at)
        return SceneCamera(np.asarray(intrinsics @ np.column_stack((axes, away)), np.float64))


def card_px(camera: SceneCamera) -> float:
    """Return the width of a card at the center of the table, px."""
    return CARD_MM[0] / camera.mm_per_px()


Field = NDArray[np.float32]
