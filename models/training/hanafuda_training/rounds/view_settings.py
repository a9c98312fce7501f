"""Random camera placements of the demo."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.render.camera import SceneCamera

__all__ = ["View"]

Rng = np.random.Generator

#: Focal length as a multiple of the picture's width: a webcam with a field of view of 60 degrees.
_FOCAL: Final = 0.87
#: Part of the picture that the table fills at most, how exactly it is centered (mm), and steps of the search (mm).
_FRAMED: Final = 0.95
_CENTERED: Final = 4.0
_STEP: Final = 20.0


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

    @classmethod
    def framing(cls, half: tuple[float, float], size: tuple[int, int], tilt: float, azimuth: float) -> View:
        """Return the nearest placement that shows all of a table.

        ``half``: half the width and depth of what must be visible around the table's center, mm. ``size``: of the
        picture, px. ``azimuth``: direction of the camera seen from the center, degrees clockwise from seat 1.
        """
        corners = np.array([(x * half[0], y * half[1], 0.0) for x in (-1, 1) for y in (-1, 1)])
        view = cls(half[0], tilt, azimuth, (0.0, 0.0))
        while True:
            px = view.camera(size).project(corners)
            if px is not None:
                low, high = px.min(axis=0), px.max(axis=0)
                if (high - low <= np.array(size) * _FRAMED).all():
                    # The middle of the corners in the picture becomes the picture's center.
                    shift = ((low + high) / 2 - np.array(size) / 2) * view.camera(size).mm_per_px()
                    if np.abs(shift).max() < _CENTERED:
                        return view
                    turn = np.radians(azimuth)
                    aside, away = shift[0], shift[1]
                    view = replace(
                        view,
                        at=(
                            view.at[0] + float(aside * np.cos(turn) + away * np.sin(turn)),
                            view.at[1] + float(away * np.cos(turn) - aside * np.sin(turn)),
                        ),
                    )
                    continue
            view = replace(view, across=view.across + _STEP)

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
