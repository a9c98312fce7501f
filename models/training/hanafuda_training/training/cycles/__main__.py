"""Renders tables of cards with Blender's Cycles: folders of pictures with ``truth.json`` for ``companion
bench vision``.

``python -m hanafuda_training.training.cycles --decks DIR --deck NAME... --out DIR --scenes 2 --seed 1``. ``--shards
DIR`` also stores crops of each picture as training scenes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import zlib
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hanafuda_training.render.deck_art import Deck, load_deck, random_back
from hanafuda_training.render.scenes import Scene
from hanafuda_training.training.cycles.arrangements import ARRANGEMENTS, CLOSE, ArrangedCard, Step
from hanafuda_training.training.cycles.cycles_camera import CyclesCamera, aim, outline, visible_fractions
from hanafuda_training.training.cycles.resting_poses import Floats, Pose, settle
from hanafuda_training.training.cycles.scene_crops import random_crops
from hanafuda_training.training.generate_scenes import write_shard
from vision.enrollment.enrollment import card_of, pack_of
from vision.networks.class_ids import BACK, HANAFUDA_CLASSES, UNKNOWN

#: Minimum visible fraction of a card in the truth.
MIN_VISIBLE = 0.05


def names_of(deck: Deck) -> dict[int, str | None]:
    """Return the card id of each face by the ``id()`` of the face, None for faces without one; empty for
    hanafuda.
    """
    if deck.hanafuda:
        return {}
    pack = pack_of(deck.cards)
    return {id(face): card_of(card, pack) for face, card in zip(deck.faces, deck.cards, strict=True)}


def truth_of(
    arranged: list[ArrangedCard],
    poses: list[Pose],
    camera: CyclesCamera,
    visible: Floats,
    others: Mapping[int, str | None],
) -> list[dict[str, Any]]:
    """Return the cards in the format of ``truth.json``, the lowest first; twins as the first of them; for
    ``others`` see `names_of`.

    Of the draw pile only the top card is included: the visible edges of those below count as no card.
    """
    top = max((index for index, card in enumerate(arranged) if card.zone == "stock"), default=None)
    names = {**{class_id: cards[0] for class_id, cards in enumerate(HANAFUDA_CLASSES)}, BACK: "back"}
    return [
        {
            "zone": card.zone,
            "card": others.get(id(card.face)) if card.face.class_id == UNKNOWN else names[card.face.class_id],
            "quad": np.round(camera.project(pose.corners)[0], 1).tolist(),
            "visible": round(float(fraction), 3),
        }
        for index, (card, pose, fraction) in enumerate(zip(arranged, poses, visible, strict=True))
        if fraction >= MIN_VISIBLE and (card.zone != "stock" or index == top)
    ]


def render_scene(
    deck: Deck,
    kind: str,
    seed: tuple[int, ...],
    size: tuple[int, int],
    samples: int,
    threads: int,
    path: Path,
    steps: Step,
) -> tuple[dict[str, Any], Scene]:
    """Arrange, settle, and render one scene into a JPEG; return its entry of ``truth.json`` and the scene."""
    from hanafuda_training.training.cycles import blender  # noqa: PLC0415  # bpy is loaded only to render

    rng = np.random.default_rng(seed)
    faces = [deck.faces[index] for index in rng.permutation(len(deck.faces))]
    arrangement = ARRANGEMENTS[kind](rng, cycle(faces), random_back(rng), steps)
    poses = settle((card.x, card.y, card.turn) for card in arrangement)
    camera = aim(rng, np.concatenate([pose.corners for pose in poses]), *size)
    rim = outline(float(rng.uniform(1.2, 3.0)))
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "render.png"
        pairs = [(card.face, pose) for card, pose in zip(arrangement, poses, strict=True)]
        top = blender.render(rng, pairs, rim, camera, samples, threads, raw)
        image = np.asarray(cv2.imread(str(raw), cv2.IMREAD_COLOR), np.float32)
    noisy = image + rng.normal(0, rng.uniform(0.5, 3), image.shape)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(75, 96))]
    picture = np.clip(noisy, 0, 255).astype(np.uint8)
    cv2.imwrite(str(path), picture, quality)
    visible, ids = visible_fractions(camera, poses, rim)
    cards = truth_of(arrangement, poses, camera, visible, names_of(deck))
    scene = Scene(
        picture,
        ids,
        np.array([camera.project(pose.corners)[0] for pose in poses], np.float32),
        np.array([card.face.class_id for card in arrangement], np.uint8),
        np.array([card.face.identity for card in arrangement], np.int32),
    )
    return {"image": path.name, "width": size[0], "height": size[1], "table": top, "cards": cards}, scene


def _render_next(deck: Deck, kind: str, number: int, args: argparse.Namespace) -> Path | None:
    """Render a scene into its folder and add it to ``truth.json``; return its path, None if it already
    exists.
    """
    folder: Path = args.out / f"{deck.name}-{kind}"
    folder.mkdir(parents=True, exist_ok=True)
    path, file = folder / f"{number:03d}.jpg", folder / "truth.json"
    truth = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    if any(entry["image"] == path.name for entry in truth):
        return None
    seed = (args.seed, zlib.crc32(deck.name.encode()), list(ARRANGEMENTS).index(kind), number)
    entry, scene = render_scene(deck, kind, seed, args.size, args.samples, args.threads, path, args.step)
    if args.shards:
        write_shard(
            args.shards / f"{folder.name}-{number:03d}.shard",
            random_crops(np.random.default_rng(seed), scene),
        )
    truth.append(entry)
    file.write_text(json.dumps(truth), encoding="utf-8")
    return path


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m hanafuda_training.training.cycles", description=__doc__)
    parser.add_argument("--decks", type=Path, required=True, help="a folder of deck folders")
    parser.add_argument("--deck", nargs="+", required=True, help="names of deck folders")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="folder in which DECK-KIND folders are created; existing pictures are kept",
    )
    parser.add_argument("--shards", type=Path, help="folder for crops of the pictures, for training")
    parser.add_argument("--kinds", nargs="+", choices=sorted(ARRANGEMENTS), default=list(ARRANGEMENTS))
    parser.add_argument("--scenes", type=int, default=1, help="scenes of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=24, help="samples per pixel, before denoising")
    parser.add_argument("--size", type=_size, default=(1280, 720), help="px, as 1280x720")
    parser.add_argument(
        "--step",
        type=float,
        nargs=2,
        default=CLOSE,
        metavar="MM",
        help="minimum and maximum distance of captured cards",
    )
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    try:
        import bpy  # noqa: F401, PLC0415
    except ImportError:
        print(
            "Cycles is not installed: pip install bpy==5.0.1 (Python 3.11, a venv of its own)",
            file=sys.stderr,
        )
        return 2
    try:
        decks = [load_deck(args.decks / name) for name in args.deck]
        for deck in decks:
            names_of(deck)  # reports wrong file names before anything is rendered
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if args.shards:
        args.shards.mkdir(parents=True, exist_ok=True)
    for number in range(
        args.scenes
    ):  # one scene of each kind and deck at a time, so that a partial run is a fair sample
        for deck in decks:
            for kind in args.kinds:
                start = time.process_time()
                if path := _render_next(deck, kind, number, args):
                    print(f"{path}: {time.process_time() - start:.1f} s of processor time", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
