"""Fits the model of what is wrong with a photograph (`vision.photograph.photo_quality`) and writes it beside the networks.

``python -m hanafuda_training.training.fit_quality --decks DIR... --pictures 160``

Composes photographs of known decks, most of them spoiled in one way (blurred, dark, …), and of random faces, which no deck has. The cause
of a photograph is what spoiled it, or that cards are hidden, if any card was missed or has no name, and none otherwise.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.benchmarks.degrade_photographs import dazzled
from hanafuda_training.render.camera import random_camera
from hanafuda_training.render.card_drawing import random_print
from hanafuda_training.render.card_layouts import CardPlacement, random_layout
from hanafuda_training.render.deck_art import Deck, load_decks, random_back, random_face
from hanafuda_training.render.scene_factors import TRAINING_FACTORS
from hanafuda_training.render.scenes import Scene, draw_cards, photograph, visible_fractions
from hanafuda_training.render.tabletops import draw_tabletop, random_textures
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN
from vision.networks.onnx_sessions import MODELS
from vision.photograph.photo_quality import CAUSES, QualityModel, is_complete, measure_cards, photo_features
from vision.photograph.scan_result import ScanResult
from vision.photograph.scanner import Scanner, build_result

Floats = NDArray[np.float64]
Rng = np.random.Generator

_SIZE: Final = (800, 600)
#: Range of the width of a card at the center, px.
_CARD_PX: Final = (36, 110)
_FACTORS: Final = replace(TRAINING_FACTORS, glare=0, motion=0, blur=0.4, moire=0, noise=0.5)
#: Visible fraction from which a card must have a name, or something is wrong.
_MUST_BE_NAMED: Final = 0.08
#: Range of the exposure, beyond the composed one.
_OVEREXPOSURE: Final = (1.1, 1.7)
#: Fraction of photographs with a rejected detection in which nothing was missed, all others having names: 8 of 26 composed heaps.
_FINE: Final = 0.3
#: Cost of the squares of the standardized weights, in pictures.
_RIDGE: Final = 0.1


def spoiled(rng: Rng, decks: list[Deck], kind: str) -> tuple[Scene, NDArray[np.float32]]:
    """Return a photograph with a cause of `CAUSES`, of which "fine" is an ordinary one and the last one a heap, and the visible fraction
    of each of its cards."""
    deck = decks[rng.integers(len(decks))]
    faces = [random_face(rng) for _ in range(24)] if kind == "photo-unknown-deck" else [*deck.faces]
    rng.shuffle(faces)  # type: ignore[arg-type]  # any mutable sequence
    px = float(np.exp(rng.uniform(*np.log(_CARD_PX))))
    camera = random_camera(rng, *_SIZE, px)
    image = draw_tabletop(rng, random_textures(rng, 2), camera, _SIZE)
    ids = np.zeros(image.shape[:2], np.uint8)
    extent = (_SIZE[0] * CARD_MM[0] / px, _SIZE[1] * CARD_MM[0] / px)
    places = random_layout(rng, extent, 40, _FACTORS)
    if kind == "photo-cards-hidden" or len(places) < 3:
        spread = rng.uniform(15, 45, 2)
        count = int(rng.integers(3, 30))
        places = [
            CardPlacement(rng.normal(0, spread[0]), rng.normal(0, spread[1]), rng.uniform(0, 2 * np.pi))
            for _ in range(count)
        ]
    back = random_back(rng)
    cards = [(back if place.face_down else face, place) for face, place in zip(cycle(faces), places)]
    quads, class_ids, identities = draw_cards(
        rng, image, ids, camera, random_print(rng, _FACTORS), cards[: len(deck.faces)], _FACTORS
    )
    visible = visible_fractions(ids, quads)
    scene = Scene(photograph(rng, image, px, _FACTORS), ids, quads, class_ids, identities)
    image = scene.image
    if kind == "photo-glare":
        quads = scene.quads.repeat(int(rng.integers(1, 4)), axis=0)
        image = dazzled(rng, image, quads, rng.uniform(0.7, 1.5))
    return replace(scene, image=image), visible


def all_named(scene: Scene, visible: NDArray[np.float32], result: ScanResult) -> bool:
    """Return whether every face in the scene has its name in the result."""
    found = [(np.mean(card.quad, axis=0), card.card) for card in result.cards]
    for quad, class_id, fraction in zip(scene.quads, scene.class_ids, visible, strict=True):
        if class_id in {BACK, UNKNOWN} or fraction < _MUST_BE_NAMED:
            continue
        near = float(np.linalg.norm(quad[1] - quad[0])) / 2
        if not any(
            np.linalg.norm(center - quad.mean(axis=0)) < near and CLASS_OF.get(name or "") == class_id
            for center, name in found
        ):
            return False
    return True


def measured(
    rng: Rng, scanner: Scanner, scene: Scene, visible: NDArray[np.float32], kind: str
) -> tuple[list[Floats], int]:
    """Return the features of a photograph, also if white paper is overexposed, and the index of its cause."""
    candidates, view = scanner.detect_in_photograph(scene.image)
    accepted = scanner.accept(candidates)
    height, width = scene.image.shape[:2]
    result = build_result(accepted, width, height, scanner.calibration, view)
    named = np.array([card.card is not None for card in result.cards], np.bool_)
    features = []
    for gain in (1.0, rng.uniform(*_OVEREXPOSURE)):
        crops = accepted.recognized.crops.copy()
        crops[..., :3] = np.clip(crops[..., :3] * gain, 0, 255)
        lighter = replace(accepted, recognized=replace(accepted.recognized, crops=crops))
        features.append(photo_features(candidates, lighter, named, measure_cards(crops)))
    if kind == "photo-unknown-deck":
        return features, CAUSES.index(kind)
    if all_named(scene, visible, result):
        return features, 0
    return features, CAUSES.index("photo-cards-hidden" if kind == "fine" else kind)


def fitted(features: Floats, causes: NDArray[np.intp]) -> QualityModel:
    """Return the model with the maximum likelihood, for n x k features and the causes of n photographs."""
    mean, spread = features.mean(axis=0), features.std(axis=0)
    mean[-1], spread[-1] = 0, 1
    spread = np.maximum(spread, 1e-6)
    rows = (features - mean) / spread
    truth = np.eye(len(CAUSES))[causes]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(len(CAUSES), -1)
        logits = rows @ weights.T
        total = logsumexp(logits, axis=1)
        penalized = weights * (np.arange(weights.shape[1]) < weights.shape[1] - 1)
        value = (total - (logits * truth).sum(axis=1)).sum() + _RIDGE / 2 * (penalized**2).sum()
        gradient = (np.exp(logits - total[:, None]) - truth).T @ rows + _RIDGE * penalized
        return float(value), gradient.ravel()

    start = np.zeros(len(CAUSES) * rows.shape[1])
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    weights = best.x.reshape(len(CAUSES), -1) / spread
    weights[:, -1] -= weights[:, :-1] @ mean[:-1]
    composed = float((causes == 0).mean())
    weights[0, -1] += np.log(_FINE / (1 - _FINE)) - np.log(composed / (1 - composed))
    return QualityModel(tuple(map(tuple, weights.tolist())))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, nargs="+", required=True)
    parser.add_argument("--pictures", type=int, default=160)
    parser.add_argument("--seed", type=int, default=38)
    parser.add_argument("--models", type=Path, default=MODELS)
    args = parser.parse_args()
    decks = [deck for deck in load_decks(args.decks) if deck.hanafuda]
    scanner = Scanner(args.models)
    features: list[Floats] = []
    causes: list[int] = []
    for number in range(args.pictures):
        rng, kind = np.random.default_rng((args.seed, number)), CAUSES[number % len(CAUSES)]
        rows, cause = measured(rng, scanner, *spoiled(rng, decks, kind), kind)
        rows = [row for row in rows if not is_complete(row)]
        features += rows
        causes += [cause] * len(rows)
    fitted(np.array(features), np.array(causes)).write(args.models)


if __name__ == "__main__":
    main()
