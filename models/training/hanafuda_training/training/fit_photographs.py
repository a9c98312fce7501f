"""Fits which detections are accepted as cards (`vision.photograph.acceptance`) and what is found wrong with a photograph
(`vision.photograph.photo_quality`), and writes both models beside the networks.

``python -m hanafuda_training.training.fit_photographs --decks DIR... --hold-out FAMILY... --seeds 81001 81002 --pictures 300``

Composes photographs of each seed, most of them spoiled in one way, and scans them; ordinary ones also as frames of a camera. A cause is
what spoiled a photograph, or that cards are hidden, if any card has no name, and none otherwise. 600 pictures need 2 GB.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from companion.hanafuda.cards import BACK as BACK_ID
from hanafuda_training.benchmarks.degrade_photographs import dazzled, moved
from hanafuda_training.benchmarks.ground_truth import TrueCard, same
from hanafuda_training.benchmarks.truth_matching import MIN_OVERLAP, match
from hanafuda_training.render.deck_art import Deck, load_decks, random_face
from hanafuda_training.render.scene_factors import TRAINING_FACTORS
from hanafuda_training.render.scenes import Scene, SceneAssets, compose_scene, family_weights
from hanafuda_training.render.tabletops import random_textures
from hanafuda_training.training.compose_holdout import truth_of
from vision.geometry.rectification import RectifiedView
from vision.networks.detector import card_widths
from vision.networks.onnx_sessions import MODELS
from vision.networks.read_cards import CardCandidates
from vision.occlusion.visible_overlap import quad_iou
from vision.photograph import acceptance
from vision.photograph.linear_model import LinearModel, write_models
from vision.photograph.photo_quality import CAUSES, MEASURES, is_complete, photo_measures
from vision.photograph.scan_result import ScanResult
from vision.photograph.scanner import Scanner, build_result
from vision.pictures.crops import Image, Quads

Floats = NDArray[np.float64]
Rng = np.random.Generator
#: A picture (height x width x 3 uint8), its detections, and the view that they are in.
Photograph = tuple[Image, CardCandidates, RectifiedView | None]

_SIZE: Final = (800, 600)
#: What most differs between the photographs: in turn, ordinary ones, stacks, and those that are spoiled in one way.
_ORDINARY: Final = ("table", "stacks")
_CAUSE_OF: Final = {
    "table": "photo-cards-hidden",
    "stacks": "photo-cards-hidden",
    "glare": "photo-glare",
    "unknown-deck": "photo-unknown-deck",
    "heap": "photo-cards-hidden",
    "blur": "photo-blurred",
    "dark": "photo-dark",
    "small": "photo-cards-small",
}
_KINDS: Final = tuple(_CAUSE_OF)
_FACTORS: Final = replace(TRAINING_FACTORS, distractors=1.43)
_FACTORS_OF: Final = {
    "stacks": replace(_FACTORS, stacks=8, tilt=1.5),
    "heap": replace(_FACTORS, heaps=25),
    "glare": replace(_FACTORS, glare=0),
}
#: Kinds of which some photographs are overexposed, and the range of the factor.
_OVEREXPOSED: Final = ("table", "stacks", "unknown-deck", "heap")
_OVEREXPOSURE: Final = (1.1, 1.7)
#: Cost of the squares of the standardized weights, in examples.
_RIDGE: Final = 0.1
#: Cost of accepting what is no card, in missed cards.
_FALSE_COST: Final = {"face": 4.0, "back": 1.5, "unknown": 4.0}
#: Cost of naming a cause where nothing is missing, in causes that are not named.
_FALSE_ALARM_COST: Final = 2.0
#: Visible fraction from which a card must have a name, or something is missing.
_MUST_BE_NAMED: Final = 0.15


def composed(rng: Rng, decks: list[Deck], kind: str) -> tuple[Image, list[TrueCard]]:
    """Return a photograph of a kind with at least one card, and its cards."""
    if kind == "unknown-deck":
        decks = [Deck("", "", tuple(random_face(rng) for _ in range(24)), (), False)]
    count = 0
    while not count:
        assets = SceneAssets(decks, family_weights(decks), random_textures(rng, 3))
        scene = compose_scene(rng, assets, *_SIZE, _FACTORS_OF.get(kind, _FACTORS))
        count = len(scene.quads)
    image, scale = spoiled(rng, scene, kind)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 96))]
    decoded = cv2.imdecode(cv2.imencode(".jpg", image, quality)[1], cv2.IMREAD_COLOR)
    truth = [
        TrueCard(card["card"], np.array(card["quad"], np.float32) * np.float32(scale), None, card["visible"])
        for card in truth_of(scene)
    ]
    return np.asarray(decoded, np.uint8), truth


def spoiled(rng: Rng, scene: Scene, kind: str) -> tuple[Image, float]:
    """Return the picture of a scene spoiled as its ``kind`` says, and the factor by which its sides were scaled."""
    image, card_px, scale = scene.image, float(np.median(card_widths(scene.quads))), 1.0
    if kind == "glare":
        image = dazzled(
            rng, image, scene.quads.repeat(int(rng.integers(1, 3)), axis=0), rng.uniform(0.6, 1.3)
        )
    elif kind == "blur":
        image = moved(rng, image, card_px * rng.uniform(0.15, 0.6))
    elif kind == "dark":
        light, noise = rng.uniform(0.03, 0.2), rng.uniform(1, 8)
        image = np.clip(image * light + rng.normal(0, noise, image.shape), 0, 255).astype(np.uint8)
    elif kind == "small":
        scale = min(1.0, rng.uniform(8, 26) / card_px)
        image = np.asarray(
            cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    if kind in _OVEREXPOSED and rng.random() < 0.4:
        image = np.clip(image * rng.uniform(*_OVEREXPOSURE), 0, 255).astype(np.uint8)
    return image, scale


def detections(
    scanner: Scanner, candidates: CardCandidates, view: RectifiedView | None, truth: Sequence[TrueCard]
) -> tuple[Floats, NDArray[np.intp], NDArray[np.bool_]]:
    """Return the features and kinds of the candidates of a picture, and which are cards, as `fitted_acceptance` takes them."""
    _, recognized = scanner.decks.classify(candidates.recognized, candidates.visible)
    named = replace(candidates, recognized=recognized)
    single = named.take(np.flatnonzero(~acceptance.seconds(named)))
    quads = single.quads if view is None else view.to_picture(single.quads).astype(np.float32)
    cards = true_cards(quads, single.scores, [card.quad for card in truth if card.quad is not None])
    return acceptance.features(single), acceptance.kinds(single), cards


def true_cards(quads: Quads, scores: NDArray[np.float32], truth: Sequence[Quads]) -> NDArray[np.bool_]:
    """Return which detections (n x 4 x 2 px) are cards of the ``truth`` (each 4 x 2 px), of which each is detected once."""
    found, left = np.zeros(len(quads), np.bool_), list(truth)
    for index in np.argsort(-scores, kind="stable").tolist():
        overlaps = [quad_iou(quads[index], card) for card in left]
        if overlaps and max(overlaps) >= MIN_OVERLAP:
            left.pop(int(np.argmax(overlaps)))
            found[index] = True
    return found


def fitted(rows: Floats, truth: Floats, cost: Floats) -> Floats:
    """Return the weights (c x k) of maximum likelihood for n x k features, the constant last, the true classes (n x c, 0 or 1), and
    the cost of each row (n)."""
    mean, spread = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-6)
    mean[-1], spread[-1] = 0, 1
    rows = (rows - mean) / spread
    shape = truth.shape[1], rows.shape[1]
    penalty = np.full(rows.shape[1], _RIDGE)
    penalty[-1] = 0

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        logits = rows @ weights.T
        total = logsumexp(logits, axis=1)
        value = (cost * (total - (logits * truth).sum(axis=1))).sum() + (penalty * weights**2).sum() / 2
        wrong = cost[:, None] * (np.exp(logits - total[:, None]) - truth)
        return float(value), (wrong.T @ rows + penalty * weights).ravel()

    best = minimize(loss, np.zeros(np.prod(shape)), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    weights = best.x.reshape(shape) / spread
    weights[:, -1] -= weights[:, :-1] @ mean[:-1]
    return np.asarray(weights, np.float64)


def fitted_acceptance(rows: Floats, kinds: NDArray[np.intp], cards: NDArray[np.bool_]) -> LinearModel:
    """Return the model for the features of n detections, their kinds, and which of them are cards."""
    weights = []
    for index, kind in enumerate(acceptance.KINDS):
        of_kind, card = kinds == index, cards[kinds == index]
        no_card, is_card = fitted(
            rows[of_kind],
            np.column_stack((~card, card)).astype(np.float64),
            np.where(card, 1.0, _FALSE_COST[kind]),
        )
        weights.append(is_card - no_card)
    return LinearModel(acceptance.KINDS, acceptance.FEATURES, np.array(weights))


def measured(
    scanner: Scanner, photograph: Photograph, truth: Sequence[TrueCard], kind: str
) -> tuple[Floats, str] | None:
    """Return the measures of a photograph and the cause of what is missing in it; None where the program asks for no cause."""
    image, candidates, view = photograph
    if not len(candidates.scores):
        return None
    accepted = scanner.accept(candidates)
    result = build_result(accepted, image.shape[1], image.shape[0], scanner.calibration, view)
    named = np.array([card.card is not None for card in result.cards], np.bool_)
    if is_complete(candidates, named):
        return None
    measures = photo_measures(image, candidates, accepted, named, view)
    if kind != "unknown-deck" and all_named(truth, result):
        return measures, "fine"
    return measures, _CAUSE_OF[kind]


def all_named(truth: Sequence[TrueCard], result: ScanResult) -> bool:
    """Return whether every face that must be named has its name in the result."""
    found = match(truth, result.cards)
    return all(
        number in found and same(result.cards[found[number]].card, card.card)
        for number, card in enumerate(truth)
        if card.card not in {None, BACK_ID} and (card.visible or 0) >= _MUST_BE_NAMED
    )


def fitted_causes(rows: Floats, causes: Sequence[str]) -> LinearModel:
    """Return the model for the measures of n photographs (n x k) and their causes."""
    truth = np.array([[name == cause for name in CAUSES] for cause in causes], np.float64)
    weights = fitted(rows, truth, np.ones(len(rows)))
    weights[CAUSES.index("fine"), -1] += np.log(_FALSE_ALARM_COST)
    return LinearModel(CAUSES, MEASURES, weights)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, nargs="+", required=True)
    parser.add_argument("--hold-out", nargs="+", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[81001, 81002])
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--models", type=Path, default=MODELS)
    args = parser.parse_args()
    decks = [deck for deck in load_decks(args.decks) if deck.family not in args.hold_out]
    photographs, frames = Scanner(args.models), Scanner(args.models, fast=True)
    scans, pictures = [], []
    for seed, number in product(args.seeds, range(args.pictures)):
        kind = _KINDS[number % len(_KINDS)]
        image, truth = composed(np.random.default_rng((seed, number)), decks, kind)
        candidates, view = photographs.detect_in_photograph(image)
        scans.append(detections(photographs, candidates, view, truth))
        pictures.append(((image, candidates, view), truth, kind))
        if kind in _ORDINARY:
            scans.append(detections(frames, frames.detect_cards(image), None, truth))
    rows, kinds, cards = (np.concatenate(part) for part in zip(*scans, strict=True))
    models = {"acceptance": fitted_acceptance(rows, kinds, cards)}
    write_models(args.models, models)
    scanner = Scanner(args.models)
    found = [each for each in (measured(scanner, *picture) for picture in pictures) if each is not None]
    models["causes"] = fitted_causes(np.array([each for each, _ in found]), [cause for _, cause in found])
    write_models(args.models, models)


if __name__ == "__main__":
    main()
