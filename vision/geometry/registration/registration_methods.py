"""Methods of registering a table: by printed markers, by four picked corners, or by the cards on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np

from companion.hanafuda.cards import CARD_MM
from vision.geometry.fitting import rigid_motion
from vision.geometry.plane_fit import fit_plane
from vision.geometry.registration.aruco_markers import find_markers, to_gray
from vision.geometry.registration.camera_fit import (
    CameraFit,
    Lens,
    fit_camera,
    project,
)
from vision.geometry.registration.printed_mat import PrintedMat, Rect, mats_of
from vision.geometry.registration.registration_findings import FindingCode, RegistrationError
from vision.geometry.registration.table_registration import Registration
from vision.pictures.crops import Floats, Image, Quads

#: Markers that must be detected, of four, or cards of which it is known where they lie.
MIN_MARKERS: Final = 3
#: Maximum root-mean-square error of markers: mm, and px of the picture.
_MAX_MM: Final = 0.8
_MAX_PX: Final = 1.2
#: The same for card corners, which vary by maker and network, mm.
_MAX_MM_CARDS: Final = 2.0
#: Fully visible cards needed, and the maximum relative error of a length anywhere in the picture.
MIN_CARDS: Final = 5
_MAX_SCALE_ERROR: Final = 0.04
#: Tilt of the camera, degrees, above which the given size must be wrong.
_MAX_TILT: Final = 68.0


@dataclass(frozen=True)
class RegistrationResult:
    """A registration and its detected markers (corners 4 x 2 px by id), including the displaced ones;
    ``astray``: the ids of the displaced ones.
    """

    registration: Registration
    detected: Mapping[int, Floats]
    astray: tuple[int, ...] = ()


def from_markers(bgr: Image, ruler_mm: float = 100.0) -> RegistrationResult:
    """Register a picture (H x W x 3 uint8) by the markers of a mat or of corner cards.

    ``ruler_mm``: measured length of the printed 100 mm ruler. Raises `RegistrationError` if the picture does
    not allow a reliable registration.
    """
    found = find_markers(to_gray(bgr))
    mat = _identify_mat(found)
    detected = {marker: found[marker] for marker in mat.parts if marker in found}
    size = (bgr.shape[1], bgr.shape[0])
    if mat.is_cut:
        return RegistrationResult(
            _by_corner_cards(mat, detected, size, ruler_mm / 100), MappingProxyType(detected)
        )
    registration, astray = _by_mat(mat, detected, size, ruler_mm / 100)
    return RegistrationResult(registration, MappingProxyType(detected), astray)


def _identify_mat(found: Mapping[int, Floats]) -> PrintedMat:
    """Return the one mat that the markers belong to."""
    mats = mats_of(set(found))
    if not mats:
        raise RegistrationError(FindingCode.NO_MARKERS)
    counts = [len(set(found) & set(mat.parts)) for mat in mats]
    if len(mats) > 1 and counts[1] > 1:
        raise RegistrationError(FindingCode.TWO_MATS)
    if counts[0] < MIN_MARKERS:
        raise RegistrationError(FindingCode.FEW_MARKERS, count=counts[0])
    return mats[0]


def _fit_markers(shapes: Floats, points: Floats, size: tuple[int, int]) -> tuple[CameraFit, float] | None:
    """Fit n objects of m marker corners, or return None if the corners do not match the print."""
    fitted = fit_camera(shapes, points, np.ones(shapes.shape[:2]), size, spread=0.3)
    if fitted is None:
        return None
    residual = float(np.sqrt((fitted.errors**2).mean()))
    sides = np.linalg.norm(np.roll(points, -1, axis=1) - points, axis=2) / np.linalg.norm(
        np.roll(shapes, -1, axis=1) - shapes, axis=2
    )
    limit = min(_MAX_MM, _MAX_PX / float(np.median(sides))) if np.median(sides) > 0 else 0.0
    return (fitted, residual) if residual <= max(limit, 0.25) else None


def refit(
    markers: Mapping[int, Floats], detected: Mapping[int, Floats], size: tuple[int, int]
) -> tuple[Floats, Lens, float, tuple[int, ...]] | None:
    """Fit a camera to markers with known positions (4 x 2 mm) on one table, leaving out at most one displaced
    marker.

    Returns the homography from undistorted px to mm, the lens, the residual (mm), and the displaced ids; None
    if no three markers agree.
    """
    ids = sorted(set(markers) & set(detected))
    subsets = [ids] + ([[one for one in ids if one != out] for out in ids] if len(ids) > MIN_MARKERS else [])
    fits = []
    for subset in subsets:
        if len(subset) < MIN_MARKERS:
            return None
        shape = np.concatenate([markers[one] for one in subset])
        fitted = _fit_markers(shape[None], np.concatenate([detected[one] for one in subset])[None], size)
        if fitted is None:
            continue
        plane = rigid_motion(fitted[0].placed[0], shape) @ fitted[0].plane
        fits.append(
            (plane, Lens(size, fitted[0].k1), fitted[1], tuple(one for one in ids if one not in subset))
        )
        if subset == ids:
            break
    return min(fits, key=lambda fit: fit[2]) if fits else None


def _by_mat(
    mat: PrintedMat, detected: Mapping[int, Floats], size: tuple[int, int], stretch: float
) -> tuple[Registration, tuple[int, ...]]:
    markers = {one: mat.parts[one].marker.corners * stretch for one in mat.parts}
    fitted = refit(markers, detected, size)
    if fitted is None:
        raise RegistrationError(FindingCode.MARKERS_DISAGREE)
    to_table, lens, residual, astray = fitted
    registration = Registration(
        method="markers",
        lens=lens,
        to_table=to_table,
        table=Rect(0, 0, mat.size[0] * stretch, mat.size[1] * stretch),
        residual=residual,
        mat=mat.paper,
        markers=MappingProxyType(markers),
        whites=tuple(part.white.corners * stretch for part in mat.parts.values()),
    )
    return _check_plausible(registration), astray


def _by_corner_cards(
    mat: PrintedMat, detected: Mapping[int, Floats], size: tuple[int, int], stretch: float
) -> Registration:
    """Register by markers whose positions a person chose."""
    ids = sorted(detected)
    if len(ids) < 4:  # the four corners define the table, so all must be detected when it is registered
        raise RegistrationError(FindingCode.FEW_MARKERS, count=len(ids))
    shapes = np.stack([mat.parts[one].marker.corners for one in ids]) * stretch
    fitted = _fit_markers(shapes, np.stack([detected[one] for one in ids]), size)
    if fitted is None:
        raise RegistrationError(FindingCode.MARKERS_DISAGREE)
    placed = fitted[0].placed
    middles = placed.mean(axis=1)
    if not _are_clockwise(middles):
        raise RegistrationError(FindingCode.MARKERS_CROSSED)
    # The far and near edges determine the table's orientation.
    rigid = _rotation_to_x((middles[1] - middles[0]) + (middles[2] - middles[3]))
    rigid[:2, 2] = -project(rigid, placed).min(axis=(0, 1))
    placed = project(rigid, placed)
    width, height = placed.max(axis=(0, 1))
    registration = Registration(
        method="markers",
        lens=Lens(size, fitted[0].k1),
        to_table=rigid @ fitted[0].plane,
        table=Rect(0, 0, float(width), float(height)),
        residual=fitted[1],
        mat=mat.paper,
        markers=MappingProxyType(dict(zip(ids, placed, strict=True))),
        whites=tuple(
            project(rigid_motion(shape, there), mat.parts[one].white.corners * stretch)
            for one, shape, there in zip(ids, shapes, placed, strict=True)
        ),
    )
    if fitted[0].scale_error > _MAX_SCALE_ERROR:
        raise RegistrationError(FindingCode.MARKERS_DISAGREE)
    return _check_plausible(registration)


def from_corners(corners: Floats, size_mm: tuple[float, float], size: tuple[int, int]) -> Registration:
    """Register by the four corners (4 x 2 px, clockwise from the table's far left) of a rectangle of known
    size.

    ``size``: the picture's width and height, px. There is no redundancy, so only gross errors are detected.
    """
    corners = np.asarray(corners, np.float64)
    if not _are_clockwise(corners):
        raise RegistrationError(FindingCode.CORNERS_CROSSED)
    table = Rect(0, 0, *size_mm)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), table.corners.astype(np.float32))
    registration = Registration("corners", Lens(size, 0.0), np.asarray(matrix, np.float64), table, None)
    return _check_plausible(registration)


def from_cards(quads: Quads, size: tuple[int, int]) -> Registration:
    """Register by fully visible, flat cards (n x 4 x 2 px); the table is the visible area.

    ``size``: the picture's width and height, px.
    """
    if len(quads) < MIN_CARDS:
        raise RegistrationError(FindingCode.FEW_CARDS, seen=len(quads), needed=MIN_CARDS)
    shape = Rect(0, 0, *CARD_MM).corners
    # Least squares would fit the plane to a phone or a box among the cards; what is left are cards with a wrong corner.
    points = quads[fit_plane(quads, np.ones(len(quads)), size).inliers].astype(np.float64)
    fitted = None
    for _ in range(2):  # the second time without outliers
        if len(points) < MIN_CARDS:
            raise RegistrationError(FindingCode.FEW_CARDS, seen=len(points), needed=MIN_CARDS)
        shapes = np.repeat(shape[None], len(points), axis=0)
        fitted = fit_camera(shapes, points, np.ones(shapes.shape[:2]), size, spread=1.0, lens_spread=0.01)
        if fitted is None:
            raise RegistrationError(FindingCode.CARDS_DISAGREE, mm=99.0)
        off = np.sqrt((fitted.errors**2).mean(axis=1))
        kept = off <= max(2.5 * float(np.median(off)), 1.0)
        if kept.all():
            break
        points = points[kept]
    assert fitted is not None
    residual = float(np.sqrt((fitted.errors**2).mean()))
    if residual > _MAX_MM_CARDS:
        raise RegistrationError(FindingCode.CARDS_DISAGREE, mm=residual)
    if fitted.scale_error > _MAX_SCALE_ERROR:
        raise RegistrationError(FindingCode.CARDS_UNCERTAIN, percent=100 * fitted.scale_error)
    lens = Lens(size, fitted.k1)
    # The x axis is the picture's middle row.
    middle = lens.middle
    left, right = project(fitted.plane, middle + np.array(((-1.0, 0.0), (1.0, 0.0))))
    to_table = _rotation_to_x(right - left) @ fitted.plane
    return _check_plausible(Registration("cards", lens, to_table, _table_around(to_table, points), residual))


def _are_clockwise(corners: Floats) -> bool:
    """Return whether four corners (4 x 2, y down) form a convex quad in clockwise order."""
    (x, y), (next_x, next_y) = (
        np.roll(corners, -after, axis=0).T - np.roll(corners, 1 - after, axis=0).T for after in (0, 1)
    )
    return bool((x * next_y - y * next_x > 0).all())


def _rotation_to_x(direction: Floats) -> Floats:
    """Return the rotation (3 x 3) that turns a ``direction`` (2) to the x axis."""
    x, y = direction / np.linalg.norm(direction)
    return np.array(((x, y, 0), (-y, x, 0), (0, 0, 1.0)))


def _table_around(to_table: Floats, points: Floats) -> Rect:
    """Return the table around cards: their bounding box with a margin of two card lengths."""
    places = project(to_table, points).reshape(-1, 2)
    low, high = places.min(axis=0) - 2 * CARD_MM[1], places.max(axis=0) + 2 * CARD_MM[1]
    return Rect(float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))


def _check_plausible(registration: Registration) -> Registration:
    """Return the registration, or raise `RegistrationError` if no camera above a table can have it."""
    corners = registration.table.corners
    depth = np.column_stack((registration.lens.straighten(registration.to_px(corners)), np.ones(4)))
    facing = depth @ registration.to_table[2]
    middle = np.append(registration.lens.middle, 1.0) @ registration.to_table[2]
    if (facing * middle <= 0).any() or registration.tilt > _MAX_TILT:
        raise RegistrationError(FindingCode.SIZE_UNLIKELY, tilt=registration.tilt)
    return registration
