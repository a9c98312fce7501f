"""Composes scenes before the training and stores them in shards on disk.

``python -m hanafuda_training.training.generate_scenes --decks DIR --hold-out FAMILY --out DIR --scenes 40000``
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.deck_art import identity_names, load_decks
from hanafuda_training.render.scenes import Scene, SceneAssets, compose_scene, family_weights
from hanafuda_training.render.tabletops import random_textures

#: Number of scenes in one shard file.
SHARD: Final = 250
#: File beside the shards with the names of the identities of their decks.
IDENTITIES: Final = "identities.json"
_TABLES: Final = 40


class Stored(NamedTuple):
    """A compressed scene: JPEG and PNG bytes, corners (n x 4 x 2 px), class ids (n), and identities (n)."""

    jpeg: bytes
    ids: bytes
    quads: NDArray[np.float32]
    class_ids: NDArray[np.uint8]
    identities: NDArray[np.int32]


def pack(scene: Scene, quality: int) -> Stored:
    """Compress a scene; the JPEG ``quality`` is part of the augmentation."""
    jpeg = cv2.imencode(".jpg", scene.image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
    ids = cv2.imencode(".png", scene.ids, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1].tobytes()
    return Stored(jpeg, ids, scene.quads, scene.class_ids, scene.identities)


def unpack(stored: Stored) -> Scene:
    """Decompress a scene."""
    image = cv2.imdecode(np.frombuffer(stored.jpeg, np.uint8), cv2.IMREAD_COLOR)
    ids = cv2.imdecode(np.frombuffer(stored.ids, np.uint8), cv2.IMREAD_GRAYSCALE)
    return Scene(np.asarray(image, np.uint8), np.asarray(ids, np.uint8), *stored[2:])


def load_shard(path: Path) -> list[Stored]:
    """Read a shard. It is a pickle: read only files that this module has written."""
    with path.open("rb") as file:
        return [Stored(*row) for row in pickle.load(file)]


def write_shard(path: Path, scenes: Iterable[Stored]) -> None:
    """Write scenes into a shard; the file appears only when it is complete."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        pickle.dump([tuple(scene) for scene in scenes], file)
    part.rename(path)


def _work(roots: list[Path], hold_out: set[str], only: bool, out: Path, shards: range, seed: int) -> None:
    cv2.setNumThreads(1)
    decks = [deck for deck in load_decks(roots) if (deck.family in hold_out) == only]
    for number in shards:
        path = out / f"{number:05d}.shard"
        if path.exists():
            continue
        rng = np.random.default_rng((seed, number))
        assets = SceneAssets(decks, family_weights(decks), random_textures(rng, _TABLES))
        write_shard(path, (pack(compose_scene(rng, assets), int(rng.integers(40, 97))) for _ in range(SHARD)))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, nargs="+", required=True, help="folders of deck folders")
    parser.add_argument("--hold-out", nargs="*", default=[], help="families to exclude from training")
    parser.add_argument("--only-held-out", action="store_true", help="use only the held-out families")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scenes", type=int, default=40_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first shard")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    names = identity_names(load_decks(args.decks))
    (args.out / IDENTITIES).write_text(json.dumps(names, indent=1) + "\n", encoding="utf-8")
    last = args.first + -(-args.scenes // SHARD)
    # Spawned, because OpenCV's threads do not survive a fork.
    processes = get_context("spawn")
    workers = [
        processes.Process(
            target=_work,
            args=(
                args.decks,
                set(args.hold_out),
                args.only_held_out,
                args.out,
                range(args.first + k, last, args.processes),
                args.seed,
            ),
        )
        for k in range(args.processes)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.exitcode:
            raise SystemExit(f"a worker process ended with code {worker.exitcode}")


if __name__ == "__main__":
    main()
