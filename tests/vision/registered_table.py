"""Tables for the registration tests: sheets drawn with the dimensions of the print, viewed by known cameras."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache

import cv2
import numpy as np

from vision.geometry.registration.aruco_markers import pattern
from vision.geometry.registration.printed_mat import MATS, PrintedMat, Rect

SHEET_SCALE = 4  # px per mm of a drawn sheet


@dataclass(frozen=True)
class Camera:
    """A pinhole with OpenCV's radial distortion, over a table in mm."""

    size: tuple[int, int] = (1280, 720)
    card_px: float = 50.0
    fov: float = 68.0  # degrees, over the diagonal
    tilt: float = 0.0  # degrees
    lean: float = 0.0  # degrees: direction of the tilt
    roll: float = 0.0  # degrees
    k1: float = 0.0
    aim: tuple[float, float] = (210.0, 148.5)  # mm, the point at the center of the picture

    @property
    def matrix(self) -> np.ndarray:
        focal = np.hypot(*self.size) / 2 / np.tan(np.radians(self.fov / 2))
        return np.array(((focal, 0, (self.size[0] - 1) / 2), (0, focal, (self.size[1] - 1) / 2), (0, 0, 1.0)))

    def _pose(self) -> tuple[np.ndarray, np.ndarray]:
        lean = np.radians(self.lean)
        axis = np.array((np.cos(lean), np.sin(lean), 0)) * np.radians(self.tilt)
        rotation = cv2.Rodrigues(axis)[0] @ cv2.Rodrigues(np.array((0, 0, np.radians(self.roll))))[0]
        depth = self.matrix[0, 0] * 33 / self.card_px
        return rotation, np.array((0, 0, depth)) - rotation @ np.array((*self.aim, 0))

    def px(self, mm: np.ndarray) -> np.ndarray:
        """Map table mm (... x 2) to picture px."""
        rotation, shift = self._pose()
        points = np.concatenate((mm, np.zeros((*mm.shape[:-1], 1))), axis=-1).reshape(-1, 3)
        lens = np.array((self.k1, 0, 0, 0.0))
        found = cv2.projectPoints(points, cv2.Rodrigues(rotation)[0], shift, self.matrix, lens)[0]
        return found.reshape(*mm.shape)

    @lru_cache(maxsize=4)  # noqa: B019  # cameras are values, and several pictures in a row are taken by one
    def mm(self) -> np.ndarray:
        """Return the table mm (H x W x 2 float32) at each pixel."""
        x, y = (np.arange(side, dtype=np.float32) for side in self.size)
        straight = np.empty((self.size[1], self.size[0], 2), np.float32)
        straight[..., 0], straight[..., 1] = x, y[:, None]
        if self.k1:
            lens = np.array((self.k1, 0, 0, 0.0))
            straight = cv2.undistortPoints(straight.reshape(-1, 1, 2), self.matrix, lens).reshape(
                straight.shape
            )
        else:
            straight = (straight - self.matrix[:2, 2].astype(np.float32)) / np.float32(self.matrix[0, 0])
        rotation, shift = self._pose()
        origin = -rotation.T @ shift
        # From the direction of a ray in the camera to where it meets the table, as a projective map.
        ray = rotation.T
        plane = np.array(
            (origin[0] * ray[2] - origin[2] * ray[0], origin[1] * ray[2] - origin[2] * ray[1], ray[2])
        )
        return cv2.perspectiveTransform(straight, plane)


@dataclass(frozen=True)
class Weather:
    """Conditions of a picture: light, blur (sigma, px), noise (sigma), JPEG quality, gain of each channel."""

    light: float = 1.0
    blur: float = 0.6
    noise: float = 2.0
    quality: int = 85
    gains: tuple[float, float, float] = (1.0, 1.0, 1.0)


@cache
def sheet(paper: str) -> np.ndarray:
    """Return the drawn sheet of a paper, SHEET_SCALE px per mm."""
    return draw_parts(MATS[paper], 250)


def draw_parts(mat: PrintedMat, paper: int) -> np.ndarray:
    width, height = (round(side * SHEET_SCALE) for side in mat.size)
    image = np.full((height, width, 3), paper, np.uint8)
    for number, part in mat.parts.items():
        _fill(image, part.marker, np.where(pattern(number), paper, 20).astype(np.uint8))
    return image


def _fill(image: np.ndarray, rect: Rect, cells: np.ndarray) -> None:
    left, top, right, bottom = (
        round(side * SHEET_SCALE) for side in (rect.left, rect.top, rect.right, rect.bottom)
    )
    image[top:bottom, left:right] = cv2.resize(
        cells, (right - left, bottom - top), interpolation=cv2.INTER_NEAREST
    )[..., None]


@dataclass
class Table:
    """A drawn table and the drawings laid on it, each with its place."""

    seed: int = 0
    drawings: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def lay(self, art: np.ndarray, x: float = 0.0, y: float = 0.0, turn: float = 0.0) -> Table:
        """Add a drawing with its top left at x, y mm, rotated by ``turn`` degrees."""
        cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        self.drawings.append((art, np.array(((cos, -sin, x), (sin, cos, y)))))
        return self

    def photograph(self, camera: Camera, weather: Weather | None = None) -> np.ndarray:
        """Return the picture (H x W x 3 uint8) taken by the camera."""
        weather = weather or Weather()
        rng = np.random.default_rng(self.seed)
        width, height = camera.size
        image = np.empty((height, width, 3), np.float32)
        image[:] = rng.uniform(30, 130, 3)
        grain = cv2.resize(rng.normal(0, 12, (60, 100)).astype(np.float32), (width, height))
        image += grain[..., None]
        places = camera.mm()
        for art, place in self.drawings:
            back = np.linalg.inv(np.vstack((place, (0, 0, 1))))[:2]
            own = cv2.transform(places, back * SHEET_SCALE - ((0, 0, 0.5), (0, 0, 0.5)))
            step = max(
                float(np.hypot(*(own[height // 2, width // 2 + 1] - own[height // 2, width // 2]))), 1.0
            )
            soft = cv2.GaussianBlur(art, (0, 0), 0.4 * step) if step > 1.2 else art
            there = cv2.remap(soft, own, None, cv2.INTER_LINEAR)
            inside = cv2.remap(np.ones(art.shape[:2], np.float32), own, None, cv2.INTER_LINEAR)
            image = cv2.blendLinear(there.astype(np.float32), image, inside, 1 - inside)
        image *= weather.light * np.array(weather.gains, np.float32)
        if weather.blur:
            image = cv2.GaussianBlur(image, (0, 0), weather.blur)
        image += weather.noise * rng.standard_normal(image.shape, np.float32)
        picture = np.clip(image, 0, 255).astype(np.uint8)
        coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, weather.quality])[1]
        return cv2.imdecode(coded, cv2.IMREAD_COLOR)


def mat_table(paper: str = "A3", seed: int = 0) -> Table:
    """Return a table with the mat of a paper size, its top left at 0, 0 mm."""
    return Table(seed).lay(sheet(paper))
