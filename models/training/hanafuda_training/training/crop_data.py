"""Cuts training samples of single cards, for the refiner and the recognizer, from stored scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import IterableDataset

from hanafuda_training.render.hand_drawing import FOREIGN_ID
from hanafuda_training.render.scenes import TABLE_ID, Scene, visible_fractions
from hanafuda_training.training.crop_degradation import degraded
from hanafuda_training.training.detect_scenes import NO_DETECTIONS, SceneDetections, load_detections
from hanafuda_training.training.foreign_cards import foreign_card
from hanafuda_training.training.generate_scenes import Stored, load_shard, unpack
from vision.networks.class_ids import BACK, UNKNOWN
from vision.networks.refiner import opposite_positions
from vision.pictures.crops import (
    MASK_SIZE,
    RECOGNIZER_MARGIN,
    RECOGNIZER_SIZE,
    REFINER_MARGIN,
    REFINER_SIZE,
    Image,
    Pyramid,
    Quads,
    card_frame,
    rotate_half_turn,
)

Rng = np.random.Generator

_PER_SCENE: Final = 6
_NEGATIVES: Final = 0.12
#: Minimum visible fraction of a card that is sampled or counts as a neighbor.
_MIN_VISIBLE: Final = 0.08
#: Minimum distance, in card widths, at which two cards can be distinguished by their positions.
_MIN_DISTANCE: Final = 0.3
#: Cards of at least this visible fraction are never skipped for being covered.
_ALWAYS_VISIBLE: Final = 0.35
#: Probability of cropping a scene.
_CROPPED: Final = 0.35
#: Probability of using a real detection, if there is one, instead of a simulated position.
_REAL_ERRORS: Final = 0.6


def disturb(rng: Rng, quad: Quads, spread: float) -> Quads:
    """Randomly move, rotate, and scale a quad and move its corners, by about ``spread`` card widths in all."""
    width = float(np.linalg.norm(quad[1] - quad[0]))
    center = quad.mean(axis=0)
    angle = rng.normal(0, 0.5 * spread)
    cos, sin = np.cos(angle), np.sin(angle)
    scale = np.exp(rng.normal(0, 0.6 * spread, 2))
    along = (quad[1] - quad[0]) / max(width, 1e-6)
    basis = np.array((along, (-along[1], along[0])))
    local = (quad - center) @ basis.T * scale
    moved = local @ np.array(((cos, sin), (-sin, cos))) @ basis + center
    moved += rng.normal(0, 0.6 * spread * width, 2) + rng.normal(0, 0.5 * spread * width, (4, 2))
    return np.asarray(moved, np.float32)


def _randomly_cropped(rng: Rng, scene: Scene, detections: SceneDetections) -> tuple[Scene, SceneDetections]:
    """Crop every third scene to a random part, so that more cards are cut off by the picture's border, as in
    a photograph of a heap.
    """
    if rng.random() > _CROPPED:
        return scene, detections
    height, width = scene.ids.shape
    crop_width, crop_height = round(width * rng.uniform(0.45, 0.95)), round(height * rng.uniform(0.45, 0.95))
    x, y = int(rng.integers(width - crop_width + 1)), int(rng.integers(height - crop_height + 1))
    shift = np.array((x, y), np.float32)
    part = replace(
        scene,
        image=np.ascontiguousarray(scene.image[y : y + crop_height, x : x + crop_width]),
        ids=np.ascontiguousarray(scene.ids[y : y + crop_height, x : x + crop_width]),
        quads=scene.quads - shift,
    )
    return part, detections._replace(quads=detections.quads - shift)


def some_cards(rng: Rng, scene: Scene, least: float) -> list[int]:
    """Return up to `_PER_SCENE` random cards with a visible fraction of at least ``least``; cards less
    visible than `_ALWAYS_VISIBLE` are chosen less often.
    """
    if not len(scene.quads):
        return []
    widths = np.linalg.norm(scene.quads[:, 1] - scene.quads[:, 0], axis=1)
    visible = visible_fractions(scene.ids, scene.quads)
    visible_enough = visible >= _ALWAYS_VISIBLE * rng.random(len(visible))
    candidates = np.nonzero((visible >= least) & visible_enough & (widths >= 16))[0]
    return [int(index) for index in rng.permutation(candidates)[:_PER_SCENE]]


def _empty_quad(rng: Rng, scene: Scene, detections: SceneDetections) -> Quads | None:
    """Return a card-shaped quad at which there is no card, or None if this attempt found none.

    It is a false detection of the detector, if there are any, or a random place; half of the random places
    are near a card, where detectors make errors.
    """
    false = detections.of(-1)
    if len(false) and rng.random() < _REAL_ERRORS:
        return np.asarray(false[int(rng.integers(len(false)))], np.float32)
    height, width = scene.ids.shape
    if len(scene.quads) and rng.random() < 0.5:
        neighbor = scene.quads[int(rng.integers(len(scene.quads)))]
        span = float(np.linalg.norm(neighbor[1] - neighbor[0]) * rng.uniform(0.5, 1.6))
        center = neighbor.mean(axis=0) + span * rng.normal(0, 1.2, 2)
        max_covered = 0.45
    else:
        span = float(np.exp(rng.uniform(np.log(18), np.log(90))))
        center = rng.uniform((0, 0), (width, height))
        max_covered = 0.25
    box = cv2.boxPoints(
        ((float(center[0]), float(center[1])), (span, span * 1.64), float(rng.uniform(0, 360)))
    )
    mask = np.zeros(scene.ids.shape, np.uint8)
    cv2.fillConvexPoly(mask, box.astype(np.int32), 1)
    inside = scene.ids[mask > 0]
    if len(inside) < 0.5 * span * span * 1.64 or len(inside) < 40:
        return None  # mostly outside the picture
    if np.mean((inside > TABLE_ID) & (inside < FOREIGN_ID)) > max_covered:
        return None
    return np.asarray(box, np.float32)


def visible_mask(scene: Scene, index: int, quad: Quads, size: tuple[int, int], margin: float) -> Image:
    """Return the visible part of a card (0-255) in the crop of ``quad`` of ``size`` (width, height) px with
    its ``margin``.
    """
    matrix = cv2.getPerspectiveTransform(
        (quad - 0.5).astype(np.float32), card_frame(size, margin) - np.float32(0.5)
    )
    mask = np.where(scene.ids == index + 1, np.uint8(255), np.uint8(0))
    return np.asarray(cv2.warpPerspective(mask, matrix, size, flags=cv2.INTER_LINEAR), np.uint8)


def no_cards(
    rng: Rng, pyramid: Pyramid, scene: Scene, detections: SceneDetections, blanks: float
) -> Iterator[Image]:
    """Yield recognizer crops without a card: sometimes a place of the scene, and with probability ``blanks``
    a drawn blank slip of paper.
    """
    if rng.random() < _NEGATIVES * _PER_SCENE and (empty := _empty_quad(rng, scene, detections)) is not None:
        yield pyramid.cut(empty, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
    if rng.random() < blanks:
        yield _blank_slip(rng)


class Crops(IterableDataset[tuple[Tensor, ...]]):
    """Endless batches of single-card samples from the shards in ``folder``."""

    def __init__(self, folder: Path, batch: int, seed: int) -> None:
        self.folder, self.batch, self.seed = folder, batch, seed

    def examples(
        self, rng: Rng, scene: Scene, detections: SceneDetections
    ) -> Iterator[tuple[NDArray[np.generic], ...]]:
        """Yield the samples of one scene; ``detections`` are the detections in it."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        """Yield batches endlessly; meant for a worker process, since it sets the number of threads to 1."""
        cv2.setNumThreads(1)
        torch.set_num_threads(1)
        rng = np.random.default_rng(self.seed)
        rows: list[tuple[NDArray[np.generic], ...]] = []
        while True:
            shards = sorted(self.folder.glob("*.shard"))
            pool: list[tuple[Stored, SceneDetections]] = []
            for pick in rng.choice(len(shards), 8):
                scenes = load_shard(shards[pick])
                pool += zip(
                    scenes, load_detections(shards[pick]) or [NO_DETECTIONS] * len(scenes), strict=True
                )
            rng.shuffle(pool)  # type: ignore[arg-type]  # numpy shuffles any mutable sequence in place
            for stored, detections in pool:
                rows.extend(self.examples(rng, *_randomly_cropped(rng, unpack(stored), detections)))
                if len(rows) >= 8 * self.batch:  # so that a batch mixes many scenes
                    order = rng.permutation(len(rows))
                    for start in range(0, len(rows) - self.batch + 1, self.batch):
                        yield tuple(
                            torch.from_numpy(np.stack(part))
                            for part in zip(
                                *(rows[k] for k in order[start : start + self.batch]), strict=True
                            )
                        )
                    rows = []


class RefinerCrops(Crops):
    """Yields image (3 x 112 x 80 uint8), numbers (11: 8 corner corrections, visible fraction, 1.0 if the
    corners are to be learned, 1.0 if the card is at this position), and mask (28 x 20, 0-1).
    """

    def examples(
        self, rng: Rng, scene: Scene, detections: SceneDetections
    ) -> Iterator[tuple[NDArray[np.generic], ...]]:
        """Yield cards at disturbed quads or at detected ones, and sometimes a quad without a card.

        For a card of which only a strip along one side is visible, also yield the position in which the strip
        would be its opposite side.
        """
        pyramid = Pyramid(scene.image)
        inner = card_frame(REFINER_SIZE, REFINER_MARGIN)
        extent = inner[2] - inner[0]
        visible = visible_fractions(scene.ids, scene.quads) if len(scene.quads) else np.zeros(0)
        distinct = np.flatnonzero(visible >= _MIN_VISIBLE)
        for index in some_cards(rng, scene, _MIN_VISIBLE):
            truth, detected = scene.quads[index], detections.of(index)
            detected = (
                detected[
                    [
                        not _belongs_elsewhere(scene.quads[index], scene.quads[distinct], quad)
                        for quad in detected
                    ]
                ]
                if len(detected)
                else detected
            )
            if len(detected) and rng.random() < _REAL_ERRORS:
                quad = disturb(rng, detected[int(rng.integers(len(detected)))], 0.01)
            else:
                spread = float(rng.choice((0.02, 0.06, 0.12, 0.2), p=(0.25, 0.4, 0.25, 0.1)))
                quad = disturb(rng, truth, spread)
            if rng.random() < 0.5:
                truth, quad = rotate_half_turn(truth), rotate_half_turn(quad)
            matrix = cv2.getPerspectiveTransform(quad, inner)
            corners = cv2.perspectiveTransform(truth[None], matrix)[0]
            delta = (corners - inner) / extent
            if not np.isfinite(delta).all() or np.abs(delta).max() > 0.6:
                continue
            mask = visible_mask(scene, index, quad, REFINER_SIZE, REFINER_MARGIN)
            numbers = np.array((*delta.reshape(-1), visible[index], 1, 1), np.float32)
            yield as_seen(rng, pyramid.cut(quad, REFINER_SIZE, REFINER_MARGIN)), numbers, _refiner_mask(mask)
            _, opposite = opposite_positions(
                truth[None],
                _refiner_mask(visible_mask(scene, index, truth, REFINER_SIZE, REFINER_MARGIN))[None],
            )
            if len(opposite) and not _is_occupied(scene.quads[distinct], opposite[0]):
                quad = disturb(rng, opposite[0], float(rng.choice((0.01, 0.04, 0.08))))
                numbers = np.array((*np.zeros(8), visible[index], 0, 0), np.float32)
                mask = visible_mask(scene, index, quad, REFINER_SIZE, REFINER_MARGIN)
                yield (
                    as_seen(rng, pyramid.cut(quad, REFINER_SIZE, REFINER_MARGIN)),
                    numbers,
                    _refiner_mask(mask),
                )
        if (
            rng.random() < _NEGATIVES * _PER_SCENE
            and (empty := _empty_quad(rng, scene, detections)) is not None
        ):
            yield (
                as_seen(rng, pyramid.cut(empty, REFINER_SIZE, REFINER_MARGIN)),
                np.zeros(11, np.float32),
                np.zeros(MASK_SIZE[::-1], np.float32),
            )


def _distances(positions: Quads, quad: Quads) -> NDArray[np.float32]:
    """Return the distance of each of ``positions`` (n x 4 x 2) from ``quad``, in card widths."""
    distances = np.linalg.norm(positions.mean(axis=1) - quad.mean(axis=0), axis=1)
    return np.asarray(distances / max(float(np.linalg.norm(quad[1] - quad[0])), 1e-6), np.float32)


def _is_occupied(others: Quads, quad: Quads) -> bool:
    """Return whether a card is at ``quad`` or close to it: in a fan with equal steps, the position for the
    opposite side is that of a neighbor.
    """
    return bool((_distances(others, quad) < _MIN_DISTANCE).any())


def _belongs_elsewhere(own: Quads, cards: Quads, quad: Quads) -> bool:
    """Return whether a detection is so far from its card (``own``) that the crop at ``quad`` rather shows
    another of the cards.
    """
    distance = float(_distances(own[None], quad)[0])
    return distance > _MIN_DISTANCE or bool(_distances(cards, quad).min(initial=np.inf) < distance)


#: Probability of using a back or an unknown card: there are many, and they are learned quickly.
_SAMPLE_RATE: Final = {BACK: 0.4, UNKNOWN: 0.6}
#: Pixel coordinates of a recognizer crop (96 x 64 x 2: x, y).
_PIXELS: Final = np.stack(
    np.meshgrid(np.arange(RECOGNIZER_SIZE[0]), np.arange(RECOGNIZER_SIZE[1])), axis=-1
).astype(np.float32)
#: Probability that a scene is followed by a blank slip of the shape of a card.
_BLANK_RATE: Final = 0.15
#: Probability of a drawn card of another kind after a scene, and of another one after each.
_FOREIGN_RATE: Final = 0.4
#: Fraction of those that are degraded.
_FOREIGN_DEGRADED: Final = 0.3
#: Appearances of an identity, upright or rotated and mirrored or not: each is a class of the angular margin.
APPEARANCES: Final = 4
#: Fraction of mirrored crops. For the embedding they are new cards, so that it learns to distinguish any cards; for
#: the class they are the same cards, since makers differ in how a ribbon hangs and no two classes are mirror images.
_MIRROR_RATE: Final = 0.2
#: Class id, orientation and class of the angular margin of a crop that shows no known card.
_NO_FACE: Final = (np.array(UNKNOWN, np.int64), np.array(1, np.float32), np.array(-1, np.int64))


class RecognizerCrops(Crops):
    """Yields image and mask (4 x 96 x 64 uint8), class id (int64), 1.0 if the card is upright in the crop,
    else 0.0, the class of the angular margin (int64: identity x APPEARANCES + appearance; -1 for no known
    face), and the image and mask before motion blur and reflections (4 x 96 x 64 uint8).
    """

    def examples(
        self, rng: Rng, scene: Scene, detections: SceneDetections
    ) -> Iterator[tuple[NDArray[np.generic], ...]]:
        """Yield cards at slightly wrong quads with slightly wrong masks, 40 % of them rotated by a half turn,
        quads without a card, and drawn cards of other kinds.
        """
        for crop, *targets in self._sharp(rng, scene, detections):
            image = degraded(rng, np.asarray(crop[:3], np.uint8))
            yield np.concatenate((image, crop[3:])), *targets, crop
        while rng.random() < _FOREIGN_RATE:
            image, mask = as_seen(rng, foreign_card(rng)), np.full(RECOGNIZER_SIZE[::-1], 255, np.uint8)
            if rng.random() < 0.4:
                mask = spoilt(rng, mask)
            if rng.random() < _FOREIGN_DEGRADED:
                image = degraded(rng, image)
            crop = np.concatenate((image, mask[None]))
            yield crop, *_NO_FACE, crop

    def _sharp(
        self, rng: Rng, scene: Scene, detections: SceneDetections
    ) -> Iterator[tuple[NDArray[np.generic], ...]]:
        pyramid = Pyramid(scene.image)
        for index in some_cards(rng, scene, 0.12):
            if rng.random() > _SAMPLE_RATE.get(int(scene.class_ids[index]), 1.0):
                continue
            quad = disturb(rng, scene.quads[index], float(rng.choice((0.01, 0.03, 0.06), p=(0.3, 0.5, 0.2))))
            upright = bool(rng.random() < 0.6)
            if not upright:
                quad = rotate_half_turn(quad)
            mask = visible_mask(scene, index, quad, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
            cut = pyramid.cut(quad, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
            if scene.class_ids[index] != BACK:  # a faded back would look like a blank card
                cut, mask = _deformed(rng, tinted(rng, cut), mask)
            crop = np.concatenate((as_seen(rng, cut), spoilt(rng, mask)[None]))
            identity = int(scene.identities[index])
            mirrored = identity >= 0 and bool(rng.random() < _MIRROR_RATE)
            appearance = identity * APPEARANCES + 2 * mirrored + (not upright)
            yield (
                np.ascontiguousarray(crop[..., ::-1]) if mirrored else crop,
                np.array(scene.class_ids[index], np.int64),
                np.array(upright, np.float32),
                np.array(appearance if identity >= 0 else -1, np.int64),
            )
        for empty in no_cards(rng, pyramid, scene, detections, _BLANK_RATE):
            mask = np.full(RECOGNIZER_SIZE[::-1], 255, np.uint8)
            if rng.random() < 0.5:
                mask = spoilt(rng, (mask * (rng.random() < 0.5)).astype(np.uint8))
            yield np.concatenate((as_seen(rng, empty), mask[None])), *_NO_FACE


def _refiner_mask(mask: Image) -> NDArray[np.float32]:
    return np.asarray(cv2.resize(mask, MASK_SIZE, interpolation=cv2.INTER_AREA) / np.float32(255), np.float32)


def spoilt(rng: Rng, mask: Image) -> Image:
    """Give a true mask the coarseness and errors of the refiner's masks: blurred, shifted, dilated or eroded,
    with a hole, or missing.
    """
    chance = rng.random()
    if chance < 0.06:
        return np.full_like(mask, 255)
    if chance < 0.3:
        shift = np.array(((1, 0, rng.normal(0, 3)), (0, 1, rng.normal(0, 3))), np.float32)
        mask = np.asarray(
            cv2.warpAffine(mask, shift, RECOGNIZER_SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )
    elif chance < 0.4:
        kernel = np.ones((int(rng.integers(2, 8)),) * 2, np.uint8)
        mask = np.asarray(
            cv2.dilate(mask, kernel) if rng.random() < 0.5 else cv2.erode(mask, kernel), np.uint8
        )
    elif chance < 0.48:
        center = (int(rng.integers(64)), int(rng.integers(96)))
        mask = np.asarray(
            cv2.circle(mask.copy(), center, int(rng.integers(4, 16)), 0 if rng.random() < 0.6 else 255, -1),
            np.uint8,
        )
    small = cv2.resize(mask, (14, 20), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, RECOGNIZER_SIZE, interpolation=cv2.INTER_LINEAR), np.uint8)


def _blank_slip(rng: Rng) -> Image:
    """Return a drawn crop of a blank card or a slip of paper: one pale color on another, with light, blur,
    and noise.

    A uniform color that is not pale would look like a back.
    """
    width, height = RECOGNIZER_SIZE
    background, paper = rng.uniform(20, 235, 3), rng.uniform(150, 255, 3)
    if rng.random() < 0.6:
        paper = np.full(3, rng.uniform(160, 255)) + rng.normal(0, 6, 3)
    crop = np.tile(background, (height, width, 1))
    inset = rng.integers(0, 9, 4)
    crop[inset[0] : height - inset[1], inset[2] : width - inset[3]] = paper
    ramp = rng.normal(0, 14, (2, 2, 1)).astype(np.float32)
    crop += cv2.resize(ramp, RECOGNIZER_SIZE, interpolation=cv2.INTER_LINEAR)[..., None]
    blurred = cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.4, 3.5)))
    return np.asarray(np.clip(blurred + rng.normal(0, rng.uniform(0, 6), crop.shape), 0, 255), np.uint8)


def _deformed(rng: Rng, crop: Image, mask: Image) -> tuple[Image, Image]:
    """Bend a crop and its mask slightly (40 % of the crops) and make lines thicker or thinner (17 %): another
    artist's drawing of the same card has its parts in other places.
    """
    if rng.random() < 0.4:
        bend = rng.normal(0, rng.uniform(0.5, 3.0), (5, 4, 2)).astype(np.float32)
        field = _PIXELS + cv2.resize(bend, RECOGNIZER_SIZE, interpolation=cv2.INTER_CUBIC)
        crop = cv2.remap(crop, field, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
        mask = cv2.remap(mask, field, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
    chance = rng.random()
    if chance < 0.17:
        crop = np.asarray(
            (cv2.erode if chance < 0.085 else cv2.dilate)(crop, np.ones((2, 2), np.uint8)), np.uint8
        )
    return crop, mask


def tinted(rng: Rng, crop: Image) -> Image:
    """Fade a crop's colors (15 %) or shift hue and saturation (25 %): makers' inks differ, the drawing does
    not.
    """
    chance = rng.random()
    if chance < 0.15:
        gray = cv2.cvtColor(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        keep = float(rng.uniform(0, 0.7))
        return np.asarray(cv2.addWeighted(crop, keep, gray, 1 - keep, 0), np.uint8)
    if chance < 0.4:
        hsv = cv2.cvtColor(crop, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(np.int16) + int(rng.integers(-10, 11))) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.6, 1.3), 0, 255).astype(np.uint8)
        return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), np.uint8)
    return crop


def as_seen(rng: Rng, crop: Image) -> Image:
    """Vary gain, offset, and channel balance slightly; return the crop as 3 x H x W."""
    ramp = np.arange(256)[:, None] * (rng.uniform(0.75, 1.3) * rng.uniform(0.9, 1.1, 3)) + rng.uniform(
        -18, 18
    )
    jittered = cv2.LUT(crop, np.clip(ramp, 0, 255).astype(np.uint8).reshape(256, 1, 3))
    return np.ascontiguousarray(np.asarray(jittered, np.uint8).transpose(2, 0, 1))
