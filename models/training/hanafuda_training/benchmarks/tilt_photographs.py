"""Makes test sets of photographs taken at an angle: folders that ``companion bench vision`` reads.

``python -m hanafuda_training.benchmarks.tilt_photographs warp --data FOLDER --out FOLDER --tilt 45`` warps annotated
pictures to the view of a camera tilted by that many degrees from vertical (a homography, exact for flat
cards). ``... table --decks FOLDER --families NAME...`` and ``... closeup ...`` instead draw tables, and
close-ups of one to three cards, from such a camera, with the thickness of the cards, lighting, and a sensor.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.benchmarks.evaluation import read
from hanafuda_training.benchmarks.ground_truth import TruePicture, read_folders
from hanafuda_training.render.camera import SceneCamera
from hanafuda_training.render.card_drawing import random_print
from hanafuda_training.render.card_layouts import CardPlacement
from hanafuda_training.render.deck_art import Deck, Face, load_decks, random_back
from hanafuda_training.render.scene_factors import TRAINING_FACTORS, SceneFactors
from hanafuda_training.render.scenes import Scene, draw_cards, photograph
from hanafuda_training.render.tabletops import draw_tabletop, random_textures
from hanafuda_training.training.compose_holdout import truth_of
from vision.networks.detector import card_widths
from vision.pictures.crops import Image

Floats = NDArray[np.float64]
Rng = np.random.Generator

DIRECTIONS: Final = {"top": 180.0, "right": -90.0, "bottom": 0.0, "left": 90.0}
"""Side of the picture that is far away -> direction of the tilt axis, degrees."""
FOCAL_LENGTHS: Final = (0.7, 0.87, 1.1, 1.5)
"""Focal lengths relative to the picture's longer side: a wide phone lens, a webcam, a main phone lens, a
zoom.
"""
#: The cards fill this fraction of the picture's width or height.
_FILL: Final = 0.88
_AIM_ROUNDS: Final = 25
#: Warped pictures are drawn this many times as large and scaled down, against aliasing of distant parts.
_OVERSAMPLING: Final = 2
_JPEG_QUALITY: Final = 90
#: A tidy table in ordinary light, without foreign objects and hands: only the effect of the angle is measured.
_FACTORS: Final[SceneFactors] = replace(
    TRAINING_FACTORS, lens=0.0, inks=0.0, fields=0.0, mirrors=0.0, frames=0.0, wear=0.5, curl=0.0, distractors=0.0, mats=0.0, hands=0.0,
    cloths=0.5, lamps=0.4, shadows=0.4, glare=0.0, resize=0.0, blur=0.4, motion=0.0, moire=0.0, exposure=0.3, noise=0.4,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CameraPose:
    """A camera pose: ``tilt``, degrees from vertical; ``far``, the side of the picture that is far away;
    ``focal``, the focal length relative to the picture's longer side.
    """

    tilt: float
    far: str
    focal: float

    def camera(self, points: Floats, size: tuple[int, int]) -> SceneCamera:
        """Return the camera for which ``points`` (n x 2, mm on the table) fill a picture of ``size`` (width,
        height) px.
        """
        focal = self.focal * max(size)
        direction = np.radians(DIRECTIONS[self.far])
        axis = np.array([np.cos(direction), np.sin(direction), 0.0]) * np.radians(self.tilt)
        rotation = cv2.Rodrigues(axis)[0]
        intrinsics = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1.0]])
        axes = np.column_stack((rotation[:, 0], rotation[:, 1], -rotation[:, 2]))
        target, distance = points.mean(axis=0), 2.0 * float(np.ptp(points, axis=0).max()) * self.focal
        low = high = np.zeros(2)
        for _ in range(_AIM_ROUNDS):
            translation = np.array([0.0, 0.0, distance]) - axes[:, :2] @ target
            camera = SceneCamera(np.asarray(intrinsics @ np.column_stack((axes, translation)), np.float64))
            projected = camera.project(np.column_stack((points, np.zeros(len(points)))))
            if projected is None:
                distance *= 1.5
                continue
            low, high = projected.min(axis=0), projected.max(axis=0)
            plane = camera.matrix[:, [0, 1, 3]]
            center = np.linalg.solve(plane, np.array([*((low + high) / 2), 1.0]))
            target = center[:2] / center[2]
            distance *= float(((high - low) / (np.array(size) * _FILL)).max()) ** 0.7
        return camera


def warped(
    rng: Rng, picture: TruePicture, pose: CameraPose, size: tuple[int, int]
) -> tuple[Image, list[dict[str, Any]]]:
    """Return a picture as a tilted camera would take it, and its cards in the format of ``truth.json``."""
    bgr = read(picture)
    quads = np.array([card.quad for card in picture.cards if card.quad is not None], np.float32).reshape(
        -1, 4, 2
    )
    points = [quads.reshape(-1, 2).astype(np.float64)]
    points += [np.array([card.center]) for card in picture.cards if card.center is not None]
    all_points = np.concatenate(points)
    card_px = float(np.median(card_widths(quads))) if len(quads) else bgr.shape[1] / 12
    scale = CARD_MM[0] / card_px
    camera = pose.camera(all_points * scale, size)
    matrix = camera.matrix[:, [0, 1, 3]] @ np.diag((scale, scale, 1.0))
    large = np.diag((_OVERSAMPLING, _OVERSAMPLING, 1.0))
    border = [int(level) for level in np.median(np.concatenate((bgr[0], bgr[-1])), axis=0)]
    image = cv2.warpPerspective(
        bgr, large @ matrix, (size[0] * _OVERSAMPLING, size[1] * _OVERSAMPLING), borderValue=border
    )
    image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    noisy = image + rng.normal(0, 2.0, image.shape)

    def mapped(source: Any) -> list[list[float]]:
        flat = np.asarray(source, np.float64).reshape(-1, 1, 2)
        return [
            [round(float(x), 1), round(float(y), 1)] for x, y in cv2.perspectiveTransform(flat, matrix)[:, 0]
        ]

    cards: list[dict[str, Any]] = []
    for card in picture.cards:
        entry: dict[str, Any] = {"card": card.card}
        if card.visible is not None:
            entry["visible"] = card.visible
        if card.quad is not None:
            entry["quad"] = mapped(card.quad)
        if card.center is not None:
            entry["centre"] = mapped(card.center)[0]
        cards.append(entry)
    return np.clip(noisy, 0, 255).astype(np.uint8), cards


def table_places(rng: Rng) -> list[CardPlacement]:
    """Return the card positions of a fishing game: eight field cards, a draw pile, a matched card, two rows
    of captures.
    """
    turn = float(rng.normal(0, 0.05))
    cos, sin = np.cos(turn), np.sin(turn)
    placements = []

    def put(
        x: float,
        y: float,
        *,
        half_turn: bool = False,
        layers: int = 1,
        face_down: bool = False,
        z: float = 0.0,
    ) -> None:
        dx, dy = rng.normal(0, 1.5, 2)
        position = (cos * (x + dx) - sin * (y + dy), sin * (x + dx) + cos * (y + dy))
        angle = turn + float(rng.normal(0, 0.06)) + (np.pi if half_turn else 0.0)
        placements.append(CardPlacement(*position, angle, face_down=face_down, layers=layers, z=z))

    for row in (0, 1):
        for column in range(4):
            put(-72 + 48 * column, -34 + 68 * row, half_turn=bool(rng.random() < 0.5))
    put(-130, 0, layers=int(rng.integers(8, 24)), face_down=True)
    overlap = rng.uniform(12, 20)
    put(-72 + overlap, -34 + overlap, z=0.8)
    for y, half_turn in ((165, False), (-165, True)):
        x = -150.0
        for _ in range(rng.integers(1, 4)):
            step = float(rng.uniform(17, 24))
            for number in range(rng.integers(1, 5)):
                put(x, y, half_turn=half_turn, z=0.6 * number)
                x += step
            x += 40.0
    return placements


def closeup_places(rng: Rng) -> list[CardPlacement]:
    """Return the positions of one to three cards side by side at a random angle."""
    turn = float(rng.uniform(0, 2 * np.pi))
    count = int(rng.integers(1, 4))
    return [
        CardPlacement(
            float(np.cos(turn) * 42 * number),
            float(np.sin(turn) * 42 * number),
            turn + float(rng.normal(0, 0.15)),
        )
        for number in range(count)
    ]


def drawn(
    rng: Rng,
    deck: Deck,
    placements: Sequence[CardPlacement],
    pose: CameraPose,
    size: tuple[int, int],
    margin: float,
) -> Scene:
    """Draw cards at ``places`` from a tilted camera; ``margin``: mm of table around the centers of the cards
    that stay in the picture.
    """
    centers = np.array([(placement.x, placement.y) for placement in placements])
    area = np.concatenate(
        [centers + step for step in margin * np.array(((-1, -1), (1, -1), (1, 1), (-1, 1)))]
    )
    camera = pose.camera(area, size)
    image = draw_tabletop(rng, random_textures(rng, 2), camera, size, _FACTORS.cloths)
    ids = np.zeros(image.shape[:2], np.uint8)
    faces: list[Face] = list(deck.faces)
    rng.shuffle(faces)
    back = random_back(rng)
    cards = [
        (back if placement.face_down else faces[number], placement)
        for number, placement in enumerate(placements)
    ]
    quads, class_ids, identities = draw_cards(
        rng, image, ids, camera, random_print(rng, _FACTORS), cards, _FACTORS
    )
    return Scene(
        photograph(rng, image, CARD_MM[0] / camera.mm_per_px(), _FACTORS), ids, quads, class_ids, identities
    )


def _poses(tilts: Sequence[float], rng: Rng) -> Iterator[CameraPose]:
    """Yield poses: each tilt from all four directions in turn, with random focal lengths."""
    while True:
        for tilt in tilts:
            for far in DIRECTIONS:
                yield CameraPose(tilt, far, float(rng.choice(FOCAL_LENGTHS)))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("warp", "table", "closeup"))
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="warp: folders with a truth.json")
    parser.add_argument("--decks", type=Path, nargs="*", default=[], help="table, closeup: folders of decks")
    parser.add_argument("--families", nargs="*", default=[], help="table, closeup: families to draw")
    parser.add_argument("--pictures", type=int, default=40, help="table, closeup: number of pictures")
    parser.add_argument("--tilt", type=float, nargs="+", default=[45.0], help="degrees from vertical")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), help="px")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    size = (args.size[0], args.size[1])
    truth: list[dict[str, Any]] = []
    poses = _poses(args.tilt, rng)

    def keep(image: Image, cards: list[dict[str, Any]], pose: CameraPose) -> None:
        name = f"{len(truth):04d}-{pose.tilt:.0f}-{pose.far}.jpg"
        cv2.imwrite(str(args.out / name), image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        truth.append({"image": name, "width": size[0], "height": size[1], "cards": cards})

    if args.kind == "warp":
        for folder in (found for data in args.data for found in read_folders(data)):
            for picture in folder.pictures:
                for _ in args.tilt:
                    pose = next(poses)
                    image, cards = warped(rng, picture, pose, size)
                    keep(image, cards, pose)
    else:
        decks = [deck for deck in load_decks(args.decks) if deck.family in args.families]
        for number in range(args.pictures):
            pose = next(poses)
            placements, margin = (
                (table_places(rng), 34.0)
                if args.kind == "table"
                else (closeup_places(rng), rng.uniform(34, 70))
            )
            scene = drawn(rng, decks[number % len(decks)], placements, pose, size, float(margin))
            keep(scene.image, truth_of(scene), pose)
    (args.out / "truth.json").write_text(json.dumps(truth), encoding="utf-8")


if __name__ == "__main__":
    main()
