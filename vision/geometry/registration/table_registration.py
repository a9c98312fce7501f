"""Table registration: maps px of the camera's picture to mm on the table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from companion.hanafuda.errors import MessageError
from companion.hanafuda.messages import Message, Param
from vision.geometry.registration.camera_fit import Lens, project
from vision.geometry.registration.printed_mat import Rect
from vision.pictures.crops import Floats, Image

if TYPE_CHECKING:
    from companion.store import DocumentStore

#: Width of a card on the table canvas, px: optimal for the networks.
CANVAS_CARD_PX: Final = 60.0
#: Version of the file format.
_VERSION: Final = 1
#: Name of the stored settings; their file in the data folder is ``table.json``.
_NAME: Final = "table"

RegistrationMethod = Literal["markers", "corners", "cards", "scale"]


def card_area(width: float) -> float:
    """Return the area of a card whose width is given, in the square of its unit."""
    return width * width * CARD_MM[1] / CARD_MM[0]


class UnreadableRegistrationError(MessageError, ValueError):
    """A file does not contain a valid registration; the message says what is wrong and what to do."""


@dataclass(frozen=True)
class Registration:
    """The mapping between the pixels of a camera's picture and positions on the table.

    ``method``: the method of registration; ``scale`` if only the width of a card is known. ``lens`` (distortion) followed by the homography ``to_table`` (3 x 3) maps picture px to
    table mm, with x to the right and y down as in the picture. ``table``: extent of the table, mm. ``residual``: root mean square
    distance of the detected points from their expected positions, mm; None if there were no more points than the fit needs.
    ``mat``: paper size of the printed mat, None without a mat. ``markers``: corners (4 x 2 mm) of each marker on the table by id.
    ``whites``: corners of the white patches (4 x 2 mm each).
    Px are as in OpenCV: the center of a pixel has integer coordinates.
    """

    method: RegistrationMethod
    lens: Lens
    to_table: Floats
    table: Rect
    residual: float | None
    mat: str | None = None
    markers: Mapping[int, Floats] = field(default_factory=dict)
    whites: tuple[Floats, ...] = ()

    @classmethod
    def by_scale(cls, size: tuple[int, int], card_px: float) -> Registration:
        """Return a mapping for pictures of ``size`` (px) taken from straight above, in which a card is ``card_px`` wide."""
        scale = CARD_MM[0] / card_px
        table = Rect(0.0, 0.0, size[0] * scale, size[1] * scale)
        return cls("scale", Lens(size, 0.0), np.diag((scale, scale, 1.0)), table, None)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures, px."""
        return self.lens.size

    @property
    def measured(self) -> bool:
        """Whether more is known than the width of a card."""
        return self.method != "scale"

    def to_mm(self, points: NDArray[np.floating[Any]]) -> Floats:
        """Map points of the picture (... x 2 px) to the table (mm)."""
        return project(self.to_table, self.lens.straighten(np.asarray(points, np.float64)))

    def to_px(self, points: NDArray[np.floating[Any]]) -> Floats:
        """Map points of the table (... x 2 mm) to the picture (px)."""
        return self.lens.bend(project(self._from_table, np.asarray(points, np.float64)))

    def followed(self, present: Floats, previous: Floats) -> Registration:
        """Return the mapping corrected after a camera movement: ``present`` are the mapped positions (n x 2 mm) of points that were at
        ``previous`` before it.
        """
        moved, _ = cv2.estimateAffinePartial2D(present.astype(np.float32), previous.astype(np.float32))
        return (
            self if moved is None else replace(self, to_table=np.vstack((moved, (0, 0, 1))) @ self.to_table)
        )

    @cached_property
    def _from_table(self) -> Floats:
        return np.asarray(np.linalg.inv(self.to_table), np.float64)

    def fits(self, bgr: Image) -> bool:
        """Whether a picture (H x W x 3 uint8) has the size of the registered picture."""
        return (bgr.shape[1], bgr.shape[0]) == self.lens.size

    @cached_property
    def card_px(self) -> tuple[float, float]:
        """Width of a card in the picture, px: at the center of the visible part of the table, and at its smallest there."""
        positions = self._visible_positions()
        scales = self._px_per_mm(positions) * CARD_MM[0]
        middle = self._px_per_mm(positions.mean(axis=0, keepdims=True))[0] * CARD_MM[0]
        return float(middle), float(scales.min())

    @cached_property
    def card_px_near_and_far(self) -> tuple[float, float]:
        """Width of a card in the picture, px, measured perpendicular to the tilt: at the near and the far edge of the visible table."""
        positions = self._visible_positions()
        spans = [
            np.linalg.norm(self.to_px(positions + step / 2) - self.to_px(positions - step / 2), axis=1)
            for step in np.eye(2)
        ]
        widths = np.maximum(*spans) * CARD_MM[0]
        return float(widths.max()), float(widths.min())

    def _visible_positions(self) -> Floats:
        """Return a grid of positions (n x 2 mm) on the part of the table that is in the picture."""
        xs = np.linspace(self.table.left, self.table.right, 9)
        ys = np.linspace(self.table.top, self.table.bottom, 7)
        positions = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        inside = self.lens.shows(self.to_px(positions))
        return positions[inside] if inside.any() else positions

    def _px_per_mm(self, positions: Floats) -> Floats:
        """Return the local scale (px per mm) at each position (n x 2 mm): the square root of the px² that a mm² covers."""
        right, down = (
            self.to_px(positions + step / 2) - self.to_px(positions - step / 2) for step in np.eye(2)
        )
        return np.asarray(np.sqrt(np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0])), np.float64)

    @cached_property
    def tilt(self) -> float:
        """Angle of the camera from vertical, degrees, derived from the foreshortening at the center of the picture."""
        middle = self.lens.middle
        steps = np.eye(2)
        slope = np.stack([self.to_mm(middle + step / 2) - self.to_mm(middle - step / 2) for step in steps])
        long, short = np.linalg.svd(slope, compute_uv=False)
        return float(np.degrees(np.arccos(np.clip(short / long, 0, 1))))

    def canvas(self, card_px: float = CANVAS_CARD_PX) -> TableCanvas:
        """Return the canvas that shows the table from straight above, with cards ``card_px`` px wide."""
        return TableCanvas(self, card_px / CARD_MM[0])

    def to_json(self) -> dict[str, Any]:
        """Return the registration as JSON for `from_json`."""
        return {
            "version": _VERSION,
            "method": self.method,
            "mat": self.mat,
            "picture_px": list(self.lens.size),
            "table_mm": _rect_json(self.table),
            "card_px": [round(px, 1) for px in self.card_px],
            "card_px_near_and_far": [round(px, 1) for px in self.card_px_near_and_far],
            "tilt_degrees": round(self.tilt, 1),
            "residual_mm": None if self.residual is None else round(self.residual, 3),
            "lens_k1": self.lens.k1,
            "to_table": self.to_table.tolist(),
            "markers": {str(marker): _points_json(quad) for marker, quad in self.markers.items()},
            "whites": [_points_json(quad) for quad in self.whites],
        }

    @classmethod
    def from_json(cls, data: Any) -> Registration:
        """Return the registration from the JSON of `to_json`. Raises `UnreadableRegistrationError` if it is invalid."""
        try:
            if data["version"] != _VERSION:
                versions: dict[str, Param] = {"version": repr(data["version"]), "known": _VERSION}
                raise UnreadableRegistrationError(Message("registration-file-version", versions))
            width, height = (int(side) for side in data["picture_px"])
            matrix = np.array(data["to_table"], np.float64).reshape(3, 3)
            method = data["method"]
            if method not in {"markers", "corners", "cards"} or abs(np.linalg.det(matrix)) < 1e-12:
                raise ValueError
            return cls(
                method=method,
                lens=Lens((width, height), float(data["lens_k1"])),
                to_table=matrix,
                table=Rect(*(float(side) for side in data["table_mm"])),
                residual=None if data["residual_mm"] is None else float(data["residual_mm"]),
                mat=data["mat"],
                markers=MappingProxyType({int(key): _quad(quad) for key, quad in data["markers"].items()}),
                whites=tuple(_quad(quad) for quad in data["whites"]),
            )
        except UnreadableRegistrationError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnreadableRegistrationError(Message("registration-file-invalid")) from error


class TableCanvas:
    """A top-down view of a registered table at ``px_per_mm``, with its origin at the table's top left.

    The remapping tables for `warp` are computed once, on construction.
    """

    def __init__(self, registration: Registration, px_per_mm: float) -> None:
        self.px_per_mm = px_per_mm
        self._origin = np.array((registration.table.left, registration.table.top))
        self.size = (
            max(1, round(registration.table.width * px_per_mm)),
            max(1, round(registration.table.height * px_per_mm)),
        )
        self._registration = registration
        columns, rows = np.meshgrid(np.arange(self.size[0]), np.arange(self.size[1]))
        picture_px = self.to_picture(np.stack((columns, rows), axis=-1)).astype(np.float32)
        self._maps = cv2.convertMaps(picture_px[..., 0], picture_px[..., 1], cv2.CV_16SC2)

    def to_mm(self, points: NDArray[Any]) -> Floats:
        """Map points of the canvas (... x 2 px) to the table (mm)."""
        return np.asarray((points + 0.5) / self.px_per_mm + self._origin, np.float64)

    def to_px(self, points: NDArray[Any]) -> Floats:
        """Map points of the table (... x 2 mm) to the canvas (px)."""
        return np.asarray((points - self._origin) * self.px_per_mm - 0.5, np.float64)

    def to_picture(self, points: NDArray[Any]) -> Floats:
        """Map points of the canvas (... x 2 px) to the picture (px)."""
        return self._registration.to_px(self.to_mm(points))

    def warp(self, bgr: Image) -> Image:
        """Return the top-down view of the table in a picture (H x W x 3 uint8); black outside the picture."""
        return np.asarray(cv2.remap(bgr, *self._maps, cv2.INTER_LINEAR), np.uint8)


def registration_location(documents: DocumentStore) -> str:
    """Return where the registration is or would be stored, for people."""
    return documents.location("settings", _NAME)


def write_registration(documents: DocumentStore, registration: Registration) -> None:
    """Store the registration. Raises `LogWriteError`."""
    documents.write("settings", _NAME, json.dumps(registration.to_json(), indent=1).encode())


def read_registration(documents: DocumentStore) -> Registration | None:
    """Return the stored registration, None if there is none.

    Raises `UnreadableRegistrationError` if it is invalid, `LogReadError` if it cannot be read.
    """
    data = documents.read("settings", _NAME)
    if data is None:
        return None
    try:
        return Registration.from_json(json.loads(data))
    except (ValueError, RecursionError) as error:
        if isinstance(error, UnreadableRegistrationError):
            raise
        raise UnreadableRegistrationError(Message("registration-file-invalid")) from error


def _rect_json(rect: Rect) -> list[float]:
    return [round(side, 3) for side in (rect.left, rect.top, rect.width, rect.height)]


def _points_json(points: Floats) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in points]


def _quad(points: Any) -> Floats:
    return np.array(points, np.float64).reshape(4, 2)
