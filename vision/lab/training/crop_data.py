"""From stored scenes to single cards: what the refiner and the recogniser learn from."""

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

from vision.lab.training.detect_scenes import NOTHING, Finds, load_finds
from vision.lab.training.generate_scenes import Stored, load_shard, unpack
from vision.networks.class_ids import BACK, UNKNOWN
from vision.networks.crops import (
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
from vision.occlusion.hidden_sides import opposite_positions
from vision.render.hand_drawing import FOREIGN_ID
from vision.render.scenes import TABLE_ID, Scene, visible_fractions

Rng = np.random.Generator

_PER_SCENE: Final = 6
_NEGATIVES: Final = 0.12
#: A card that shows less of itself is not asked for, and is nobody's neighbour.
_HARDLY: Final = 0.08
#: Two cards nearer to one another than this, in card widths, cannot be told apart by their places.
_NEIGHBOUR: Final = 0.3
#: What shows this much of itself is always taken where there is room.
_PLAINLY: Final = 0.35
#: How often only a part of a scene is shown.
_NARROWED: Final = 0.35
#: How often a detector's own find is taken, where there is one, rather than a place made up.
_REAL_ERRORS: Final = 0.6


def disturb(rng: Rng, quad: Quads, spread: float) -> Quads:
    """Move, turn and stretch a quad as a whole and by corner, about ``spread`` card widths in all."""
    width = float(np.linalg.norm(quad[1] - quad[0]))
    centre = quad.mean(axis=0)
    angle = rng.normal(0, 0.5 * spread)
    cos, sin = np.cos(angle), np.sin(angle)
    scale = np.exp(rng.normal(0, 0.6 * spread, 2))
    along = (quad[1] - quad[0]) / max(width, 1e-6)
    basis = np.array((along, (-along[1], along[0])))
    local = (quad - centre) @ basis.T * scale
    moved = local @ np.array(((cos, sin), (-sin, cos))) @ basis + centre
    moved += rng.normal(0, 0.6 * spread * width, 2) + rng.normal(0, 0.5 * spread * width, (4, 2))
    return np.asarray(moved, np.float32)


def _narrowed(rng: Rng, scene: Scene, finds: Finds) -> tuple[Scene, Finds]:
    """Cut a part out of every third scene, so that more cards lie over the picture's edge, as in a photograph of a heap."""
    if rng.random() > _NARROWED:
        return scene, finds
    height, width = scene.ids.shape
    across, down = round(width * rng.uniform(0.45, 0.95)), round(height * rng.uniform(0.45, 0.95))
    x, y = int(rng.integers(width - across + 1)), int(rng.integers(height - down + 1))
    shift = np.array((x, y), np.float32)
    part = replace(
        scene,
        image=np.ascontiguousarray(scene.image[y : y + down, x : x + across]),
        ids=np.ascontiguousarray(scene.ids[y : y + down, x : x + across]),
        quads=scene.quads - shift,
    )
    return part, finds._replace(quads=finds.quads - shift)


def some_cards(rng: Rng, scene: Scene, least: float) -> list[int]:
    """Return up to `_PER_SCENE` cards that show at least ``least``; those that show less than `_PLAINLY` the more seldom."""
    if not len(scene.quads):
        return []
    wide = np.linalg.norm(scene.quads[:, 1] - scene.quads[:, 0], axis=1)
    visible = visible_fractions(scene.ids, scene.quads)
    plain = visible >= _PLAINLY * rng.random(len(visible))
    fit = np.nonzero((visible >= least) & plain & (wide >= 16))[0]
    return [int(index) for index in rng.permutation(fit)[:_PER_SCENE]]


def _nowhere(rng: Rng, scene: Scene, finds: Finds) -> Quads | None:
    """Return a quad of card shape that is no card's place, or None when this try found none.

    Half lie anywhere, half on the edge of a card, where a detector errs; or where it did err, if it did.
    """
    false = finds.of(-1)
    if len(false) and rng.random() < _REAL_ERRORS:
        return np.asarray(false[int(rng.integers(len(false)))], np.float32)
    height, width = scene.ids.shape
    if len(scene.quads) and rng.random() < 0.5:
        near = scene.quads[int(rng.integers(len(scene.quads)))]
        span = float(np.linalg.norm(near[1] - near[0]) * rng.uniform(0.5, 1.6))
        centre = near.mean(axis=0) + span * rng.normal(0, 1.2, 2)
        most = 0.45
    else:
        span = float(np.exp(rng.uniform(np.log(18), np.log(90))))
        centre = rng.uniform((0, 0), (width, height))
        most = 0.25
    box = cv2.boxPoints(
        ((float(centre[0]), float(centre[1])), (span, span * 1.64), float(rng.uniform(0, 360)))
    )
    mask = np.zeros(scene.ids.shape, np.uint8)
    cv2.fillConvexPoly(mask, box.astype(np.int32), 1)
    inside = scene.ids[mask > 0]
    if len(inside) < 0.5 * span * span * 1.64 or len(inside) < 40:
        return None  # mostly out of the picture
    if np.mean((inside > TABLE_ID) & (inside < FOREIGN_ID)) > most:
        return None
    return np.asarray(box, np.float32)


def shown(scene: Scene, index: int, quad: Quads, size: tuple[int, int], margin: float) -> Image:
    """Return what shows of a card (0-255) in the crop of ``quad`` of ``size`` (width, height) px with its ``margin``."""
    matrix = cv2.getPerspectiveTransform(
        (quad - 0.5).astype(np.float32), card_frame(size, margin) - np.float32(0.5)
    )
    mask = np.where(scene.ids == index + 1, np.uint8(255), np.uint8(0))
    return np.asarray(cv2.warpPerspective(mask, matrix, size, flags=cv2.INTER_LINEAR), np.uint8)


def no_cards(rng: Rng, pyramid: Pyramid, scene: Scene, finds: Finds, blanks: float) -> Iterator[Image]:
    """Yield name crops that show no card, now and then: a place of the scene, and with the chance ``blanks`` a blank slip."""
    if rng.random() < _NEGATIVES * _PER_SCENE and (nowhere := _nowhere(rng, scene, finds)) is not None:
        yield pyramid.cut(nowhere, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
    if rng.random() < blanks:
        yield _blank(rng)


class Crops(IterableDataset[tuple[Tensor, ...]]):
    """Endless batches of single cards from the shards in ``folder``."""

    def __init__(self, folder: Path, batch: int, seed: int) -> None:
        self.folder, self.batch, self.seed = folder, batch, seed

    def examples(self, rng: Rng, scene: Scene, finds: Finds) -> Iterator[tuple[NDArray[np.generic], ...]]:
        """Yield the examples of one scene, in which a detector may have found something."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        """Yield batches for ever; a worker process of its own."""
        cv2.setNumThreads(1)
        torch.set_num_threads(1)
        rng = np.random.default_rng(self.seed)
        rows: list[tuple[NDArray[np.generic], ...]] = []
        while True:
            shards = sorted(self.folder.glob("*.shard"))
            pool: list[tuple[Stored, Finds]] = []
            for pick in rng.choice(len(shards), 8):
                scenes = load_shard(shards[pick])
                pool += zip(scenes, load_finds(shards[pick]) or [NOTHING] * len(scenes), strict=True)
            rng.shuffle(pool)  # type: ignore[arg-type]  # numpy shuffles any mutable sequence in place
            for stored, finds in pool:
                rows.extend(self.examples(rng, *_narrowed(rng, unpack(stored), finds)))
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
    """Yields image (3 x 112 x 80 uint8), numbers (11: corners 8, share, 1.0 if its corners are to be learned, 1.0 if a card
    lies there), mask (28 x 20, 0-1).
    """

    def examples(self, rng: Rng, scene: Scene, finds: Finds) -> Iterator[tuple[NDArray[np.generic], ...]]:
        """Yield cards at disturbed quads or where the detector saw them, and now and then a quad that shows none.

        Of a card of which a strip along one side shows, also the place it would have if that were its other side.
        """
        pyramid = Pyramid(scene.image)
        inner = card_frame(REFINER_SIZE, REFINER_MARGIN)
        extent = inner[2] - inner[0]
        visible = visible_fractions(scene.ids, scene.quads) if len(scene.quads) else np.zeros(0)
        told_apart = np.flatnonzero(visible >= _HARDLY)
        for index in some_cards(rng, scene, _HARDLY):
            truth, found = scene.quads[index], finds.of(index)
            found = (
                found[[not _elsewhere(scene.quads[index], scene.quads[told_apart], quad) for quad in found]]
                if len(found)
                else found
            )
            if len(found) and rng.random() < _REAL_ERRORS:
                quad = disturb(rng, found[int(rng.integers(len(found)))], 0.01)
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
            mask = shown(scene, index, quad, REFINER_SIZE, REFINER_MARGIN)
            numbers = np.array((*delta.reshape(-1), visible[index], 1, 1), np.float32)
            yield as_seen(rng, pyramid.cut(quad, REFINER_SIZE, REFINER_MARGIN)), numbers, _small(mask)
            _, opposite = opposite_positions(
                truth[None], _small(shown(scene, index, truth, REFINER_SIZE, REFINER_MARGIN))[None]
            )
            if len(opposite) and not _taken(scene.quads[told_apart], opposite[0]):
                quad = disturb(rng, opposite[0], float(rng.choice((0.01, 0.04, 0.08))))
                numbers = np.array((*np.zeros(8), visible[index], 0, 0), np.float32)
                mask = shown(scene, index, quad, REFINER_SIZE, REFINER_MARGIN)
                yield as_seen(rng, pyramid.cut(quad, REFINER_SIZE, REFINER_MARGIN)), numbers, _small(mask)
        if rng.random() < _NEGATIVES * _PER_SCENE and (nowhere := _nowhere(rng, scene, finds)) is not None:
            yield (
                as_seen(rng, pyramid.cut(nowhere, REFINER_SIZE, REFINER_MARGIN)),
                np.zeros(11, np.float32),
                np.zeros(MASK_SIZE[::-1], np.float32),
            )


def _apart(places: Quads, quad: Quads) -> NDArray[np.float32]:
    """Return how far each of ``places`` (n x 4 x 2) lies from ``quad``, in card widths."""
    away = np.linalg.norm(places.mean(axis=1) - quad.mean(axis=0), axis=1)
    return np.asarray(away / max(float(np.linalg.norm(quad[1] - quad[0])), 1e-6), np.float32)


def _taken(others: Quads, quad: Quads) -> bool:
    """Return whether some card lies at ``quad``, or nearly: in a fan of equal steps the other side is a neighbour's place."""
    return bool((_apart(others, quad) < _NEIGHBOUR).any())


def _elsewhere(own: Quads, all_of_them: Quads, quad: Quads) -> bool:
    """Return whether a detector put a card so far from its ``own`` place that what is seen at ``quad`` is rather another's."""
    away = float(_apart(own[None], quad)[0])
    return away > _NEIGHBOUR or bool(_apart(all_of_them, quad).min(initial=np.inf) < away)


#: How often backs and strangers are taken: there are many, and they are soon learned.
_TAKEN: Final = {BACK: 0.4, UNKNOWN: 0.6}
#: Where each pixel of a name crop is (96 x 64 x 2: x, y).
_REST: Final = np.stack(
    np.meshgrid(np.arange(RECOGNIZER_SIZE[0]), np.arange(RECOGNIZER_SIZE[1])), axis=-1
).astype(np.float32)
#: How often a scene is followed by something blank that has a card's shape.
_BLANKS: Final = 0.15
#: A card's look, from each end and in a mirror: classes of the angular margin for each identity.
LOOKS: Final = 4
#: Share of crops shown in a mirror: to the embedding cards that no deck has, so that it learns to tell any card from any; to the
#: names the same cards, for makers differ in which way a ribbon hangs, and no two kinds are one another's mirror image.
_MIRRORED: Final = 0.2


class RecogniserCrops(Crops):
    """Yields image and mask (4 x 96 x 64 uint8), kind (int64), 1.0 if the card stands upright in the crop,
    else 0.0, and its class for the margin (int64; identity x LOOKS + look, -1 for nobody's face).
    """

    def examples(self, rng: Rng, scene: Scene, finds: Finds) -> Iterator[tuple[NDArray[np.generic], ...]]:
        """Yield cards at slightly wrong quads with slightly wrong masks, a third turned, and quads that show none."""
        pyramid = Pyramid(scene.image)
        for index in some_cards(rng, scene, 0.12):
            if rng.random() > _TAKEN.get(int(scene.class_ids[index]), 1.0):
                continue
            quad = disturb(rng, scene.quads[index], float(rng.choice((0.01, 0.03, 0.06), p=(0.3, 0.5, 0.2))))
            upright = bool(rng.random() < 0.6)
            if not upright:
                quad = rotate_half_turn(quad)
            mask = shown(scene, index, quad, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
            cut = pyramid.cut(quad, RECOGNIZER_SIZE, RECOGNIZER_MARGIN)
            if scene.class_ids[index] != BACK:  # a faded back would only be taken for a blank card
                cut, mask = _redrawn(rng, tinted(rng, cut), mask)
            crop = np.concatenate((as_seen(rng, cut), spoilt(rng, mask)[None]))
            identity = int(scene.identities[index])
            mirrored = identity >= 0 and bool(rng.random() < _MIRRORED)
            look = identity * LOOKS + 2 * mirrored + (not upright)
            yield (
                np.ascontiguousarray(crop[..., ::-1]) if mirrored else crop,
                np.array(scene.class_ids[index], np.int64),
                np.array(upright, np.float32),
                np.array(look if identity >= 0 else -1, np.int64),
            )
        for nothing in no_cards(rng, pyramid, scene, finds, _BLANKS):
            mask = np.full(RECOGNIZER_SIZE[::-1], 255, np.uint8)
            if rng.random() < 0.5:
                mask = spoilt(rng, (mask * (rng.random() < 0.5)).astype(np.uint8))
            yield (
                np.concatenate((as_seen(rng, nothing), mask[None])),
                np.array(UNKNOWN, np.int64),
                np.array(1, np.float32),
                np.array(-1, np.int64),
            )


def _small(mask: Image) -> NDArray[np.float32]:
    return np.asarray(cv2.resize(mask, MASK_SIZE, interpolation=cv2.INTER_AREA) / np.float32(255), np.float32)


def spoilt(rng: Rng, mask: Image) -> Image:
    """Make a true mask as coarse and as wrong as the refiner's: blurred, shifted, grown, holed, or missing."""
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
        centre = (int(rng.integers(64)), int(rng.integers(96)))
        mask = np.asarray(
            cv2.circle(mask.copy(), centre, int(rng.integers(4, 16)), 0 if rng.random() < 0.6 else 255, -1),
            np.uint8,
        )
    small = cv2.resize(mask, (14, 20), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, RECOGNIZER_SIZE, interpolation=cv2.INTER_LINEAR), np.uint8)


def _blank(rng: Rng) -> Image:
    """Return a crop of a blank card or a slip of paper: one pale colour within another, light, blur and noise.

    What has one colour that is not pale looks like a back.
    """
    width, height = RECOGNIZER_SIZE
    ground, paper = rng.uniform(20, 235, 3), rng.uniform(150, 255, 3)
    if rng.random() < 0.6:
        paper = np.full(3, rng.uniform(160, 255)) + rng.normal(0, 6, 3)
    crop = np.tile(ground, (height, width, 1))
    inset = rng.integers(0, 9, 4)
    crop[inset[0] : height - inset[1], inset[2] : width - inset[3]] = paper
    ramp = rng.normal(0, 14, (2, 2, 1)).astype(np.float32)
    crop += cv2.resize(ramp, RECOGNIZER_SIZE, interpolation=cv2.INTER_LINEAR)[..., None]
    soft = cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.4, 3.5)))
    return np.asarray(np.clip(soft + rng.normal(0, rng.uniform(0, 6), crop.shape), 0, 255), np.uint8)


def _redrawn(rng: Rng, crop: Image, mask: Image) -> tuple[Image, Image]:
    """Bend a crop and what shows of it a little, in two of five, and make its lines thicker or thinner, in one of six:
    another hand draws the same card with its parts elsewhere.
    """
    if rng.random() < 0.4:
        bend = rng.normal(0, rng.uniform(0.5, 3.0), (5, 4, 2)).astype(np.float32)
        field = _REST + cv2.resize(bend, RECOGNIZER_SIZE, interpolation=cv2.INTER_CUBIC)
        crop = cv2.remap(crop, field, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
        mask = cv2.remap(mask, field, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
    chance = rng.random()
    if chance < 0.17:
        crop = np.asarray(
            (cv2.erode if chance < 0.085 else cv2.dilate)(crop, np.ones((2, 2), np.uint8)), np.uint8
        )
    return crop, mask


def tinted(rng: Rng, crop: Image) -> Image:
    """Fade a crop's colours, or turn them a little, in two of five: makers' inks differ, the drawing does not."""
    chance = rng.random()
    if chance < 0.15:
        grey = cv2.cvtColor(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        keep = float(rng.uniform(0, 0.7))
        return np.asarray(cv2.addWeighted(crop, keep, grey, 1 - keep, 0), np.uint8)
    if chance < 0.4:
        hsv = cv2.cvtColor(crop, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(np.int16) + int(rng.integers(-10, 11))) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.6, 1.3), 0, 255).astype(np.uint8)
        return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), np.uint8)
    return crop


def as_seen(rng: Rng, crop: Image) -> Image:
    """Vary gain, lift and channel balance a little, and return the crop as 3 x H x W."""
    ramp = np.arange(256)[:, None] * (rng.uniform(0.75, 1.3) * rng.uniform(0.9, 1.1, 3)) + rng.uniform(
        -18, 18
    )
    jittered = cv2.LUT(crop, np.clip(ramp, 0, 255).astype(np.uint8).reshape(256, 1, 3))
    return np.ascontiguousarray(np.asarray(jittered, np.uint8).transpose(2, 0, 1))
