"""Makes training samples for the detector from stored scenes: crops, and the truth at each of their cells."""

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

from hanafuda_training.render.distractors import CARD_LIKE_ID
from hanafuda_training.render.hand_drawing import FOREIGN_ID
from hanafuda_training.render.scenes import Scene, visible_fractions
from hanafuda_training.training.generate_scenes import load_shard, unpack
from vision.networks.class_ids import BACK

#: Side of a training crop, px, and of its map of cells.
CROP: Final = 320
CELLS: Final = CROP // 4
#: Minimum visible fraction of a card that counts in the loss, as a card or as background.
MIN_VISIBLE: Final = 0.08
#: Weight of a card that is less than half visible (others: 1): these are the ones that are missed.
_COVERED_WEIGHT: Final = 1.5
#: Maximum number of cells of one picture at which corners and visible fractions are learned.
MAX_POINTS: Final = 1024
#: Truth at a cell: 16 corner numbers, 2 weights of the orderings, 2 doubled angle, visible fraction, face-down, 1 / width, weight.
TRUTH: Final = 16 + 2 + 2 + 1 + 1 + 1 + 1


def turn_scene(rng: np.random.Generator, scene: Scene) -> Scene:
    """Rotate by a random number of quarter turns and mirror at random; the detector names no cards, so a
    mirrored card is valid.
    """
    image, ids, quads = scene.image, scene.ids, scene.quads.copy()
    for _ in range(rng.integers(4)):
        width = image.shape[1]
        image, ids = np.rot90(image), np.rot90(ids)
        quads = np.stack((quads[..., 1], width - quads[..., 0]), axis=-1)
    if rng.random() < 0.5:
        width = image.shape[1]
        image, ids = image[:, ::-1], ids[:, ::-1]
        quads = np.stack((width - quads[..., 0], quads[..., 1]), axis=-1)[:, [1, 0, 3, 2]]
    return replace(
        scene,
        image=np.ascontiguousarray(image),
        ids=np.ascontiguousarray(ids),
        quads=quads.astype(np.float32),
    )


def visible_point(mask: NDArray[np.uint8]) -> tuple[int, int, float]:
    """Return (x, y, depth) in cells of the point that marks a visible part: far from its edges and near its
    centroid.
    """
    depth = cv2.distanceTransform(
        cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0), cv2.DIST_L2, 3
    )[1:-1, 1:-1]
    ys, xs = np.nonzero(mask)
    distance = np.hypot(xs - xs.mean(), ys - ys.mean())
    best = int(np.argmax(depth[ys, xs] - 0.3 * distance))
    return int(xs[best]), int(ys[best]), float(depth.max())


def orderings(
    quad: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return the corners starting with the higher short edge, the corners starting with the one further left,
    and the unit up-vector.
    """
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    up = up / max(float(np.linalg.norm(up)), 1e-6)
    other = quad[[2, 3, 0, 1]]
    return (quad if up[1] < 0 else other), (quad if up[0] < 0 else other), up


def make_truth(
    rng: np.random.Generator, ids: NDArray[np.uint8], quads: NDArray[np.float32], class_ids: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Return heat (2 x CELLS x CELLS: target and weight), truth at points (n x TRUTH), and their cells (n)."""
    visible = visible_fractions(ids, quads)
    cells = ids[2::4, 2::4]
    heat = np.zeros((CELLS, CELLS), np.float32)
    weight = (cells != CARD_LIKE_ID).astype(np.float32)
    points: list[NDArray[np.int64]] = []
    truths: list[NDArray[np.float32]] = []
    for number in np.unique(cells):
        index = int(number) - 1
        if not 0 <= index < len(quads):
            continue
        rows, columns = np.nonzero(cells == number)
        if visible[index] < MIN_VISIBLE or len(rows) < 3:
            weight[rows, columns] = 0
            continue
        top, left = rows.min(), columns.min()
        mask = (cells[top : rows.max() + 1, left : columns.max() + 1] == number).astype(np.uint8)
        x, y, depth = visible_point(mask)
        x, y = x + int(left), y + int(top)
        sigma = float(np.clip(0.3 * depth, 0.7, 2.2))
        reach = int(3 * sigma) + 1
        y0, y1, x0, x1 = (
            max(0, y - reach),
            min(CELLS, y + reach + 1),
            max(0, x - reach),
            min(CELLS, x + reach + 1),
        )
        ys, xs = np.mgrid[y0:y1, x0:x1]
        bump = np.exp(-((ys - y) ** 2 + (xs - x) ** 2) / (2 * sigma**2)).astype(np.float32)
        np.maximum(heat[y0:y1, x0:x1], bump, out=heat[y0:y1, x0:x1])
        if visible[index] < 0.5:
            weight[y, x] = _COVERED_WEIGHT
        quad = quads[index]
        near = (rows - y) ** 2 + (columns - x) ** 2 <= (1.2 * sigma + 0.5) ** 2
        chosen = near | (rng.random(len(rows)) < 0.1)
        flat = rows[chosen] * CELLS + columns[chosen]
        by_y, by_x, up = orderings(quad)
        centers = np.stack((columns[chosen] * 4 + 2, rows[chosen] * 4 + 2), axis=1).astype(np.float32)
        truth = np.empty((len(flat), TRUTH), np.float32)
        truth[:, 0:8] = ((by_y[None] - centers[:, None]) / 32).reshape(-1, 8)
        truth[:, 8:16] = ((by_x[None] - centers[:, None]) / 32).reshape(-1, 8)
        truth[:, 16:18] = abs(up[1]) > 0.42, abs(up[0]) > 0.42
        truth[:, 18:20] = up[0] ** 2 - up[1] ** 2, 2 * up[0] * up[1]
        truth[:, 20] = visible[index]
        truth[:, 21] = class_ids[index] == BACK
        truth[:, 22] = 32 / max(
            8.0, float(np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2
        )
        truth[:, 23] = np.where(near[chosen], 1.0, 0.3) / np.sqrt(1 + near.sum())
        points.append(flat)
        truths.append(truth)
    if not points:
        return np.stack((heat, weight)), np.zeros((0, TRUTH), np.float32), np.zeros(0, np.int64)
    return np.stack((heat, weight)), np.concatenate(truths)[:MAX_POINTS], np.concatenate(points)[:MAX_POINTS]


class DetectorCrops(IterableDataset[tuple[Tensor, ...]]):
    """Endless batches from shards: images (B x 3 x CROP x CROP uint8), heat, foreign (B x CELLS x CELLS,
    0-1), truth at points, and their flat indices.
    """

    def __init__(self, folder: Path, batch: int, seed: int) -> None:
        self.folder, self.batch, self.seed = folder, batch, seed

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        """Yield batches endlessly; meant for a worker process, since it sets the number of threads to 1."""
        cv2.setNumThreads(1)
        torch.set_num_threads(1)
        rng = np.random.default_rng(self.seed)
        images, heats, foreign, truths, flats = [], [], [], [], []
        while True:
            shards = sorted(self.folder.glob("*.shard"))  # more may have been composed in the meantime
            pool = [row for pick in rng.choice(len(shards), 4) for row in load_shard(shards[pick])]
            rng.shuffle(pool)  # type: ignore[arg-type]  # numpy shuffles any mutable sequence in place
            for stored in pool:
                scene = turn_scene(rng, unpack(stored))
                x, y = _crop_corner(rng, scene)
                ids = np.ascontiguousarray(scene.ids[y : y + CROP, x : x + CROP])
                heat, truth, flat = make_truth(
                    rng, ids, scene.quads - np.array((x, y), np.float32), scene.class_ids
                )
                images.append(_jitter(rng, scene.image[y : y + CROP, x : x + CROP]).transpose(2, 0, 1))
                heats.append(heat)
                foreign.append((ids[2::4, 2::4] == FOREIGN_ID).astype(np.float32))
                truths.append(truth)
                flats.append(flat + (len(images) - 1) * CELLS * CELLS)
                if len(images) == self.batch:
                    yield tuple(
                        torch.from_numpy(part)
                        for part in (
                            np.stack(images),
                            np.stack(heats),
                            np.stack(foreign),
                            np.concatenate(truths),
                            np.concatenate(flats),
                        )
                    )
                    images, heats, foreign, truths, flats = [], [], [], [], []


def _crop_corner(rng: np.random.Generator, scene: Scene) -> tuple[int, int]:
    """Choose the top left corner of a crop, usually so that the center of a card is inside; many corners are
    empty.
    """
    height, width = scene.ids.shape
    x, y = int(rng.integers(width - CROP + 1)), int(rng.integers(height - CROP + 1))
    if len(scene.quads) and rng.random() < 0.75:
        center = scene.quads[rng.integers(len(scene.quads))].mean(axis=0) - rng.uniform(0.15, 0.85, 2) * CROP
        x, y = int(np.clip(center[0], 0, width - CROP)), int(np.clip(center[1], 0, height - CROP))
    return x, y


def _jitter(rng: np.random.Generator, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Vary gain, offset, and channel balance, so that a scene never looks the same twice."""
    ramp = np.arange(256)[:, None] * (rng.uniform(0.8, 1.2) * rng.uniform(0.93, 1.07, 3)) + rng.uniform(
        -15, 15
    )
    return np.asarray(cv2.LUT(image, np.clip(ramp, 0, 255).astype(np.uint8).reshape(256, 1, 3)), np.uint8)
