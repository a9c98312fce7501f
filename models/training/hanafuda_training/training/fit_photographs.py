"""Fits what is found wrong with a photograph (`vision.photograph.photo_quality`), and writes the model beside the networks.

``python -m hanafuda_training.training.fit_photographs --decks DIR... --hold-out FAMILY... --seeds 81001 82001 --pictures 800 320``

Composes photographs, most of them spoiled in one way, and scans them. What is missing is counted by cause: a photograph
may have several.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from companion.hanafuda.cards import BACK as BACK_ID
from hanafuda_training.benchmarks.degrade_photographs import moved, reflections
from hanafuda_training.benchmarks.ground_truth import TrueCard, same
from hanafuda_training.benchmarks.truth_matching import match
from hanafuda_training.render.deck_art import Deck, load_decks, random_face
from hanafuda_training.render.scene_factors import TRAINING_FACTORS
from hanafuda_training.render.scenes import Scene, SceneAssets, compose_scene, family_weights
from hanafuda_training.render.tabletops import random_textures
from hanafuda_training.training.compose_holdout import truth_of
from vision.geometry.rectification import RectifiedView
from vision.networks.detector import card_widths
from vision.networks.onnx_sessions import MODELS
from vision.networks.read_cards import CardCandidates
from vision.photograph.linear_model import LinearModel, write_models
from vision.photograph.photo_quality import CAUSES, MEASURES, is_complete, photo_measures
from vision.photograph.scan_result import ScanResult
from vision.photograph.scanner import Scanner, build_result
from vision.pictures.crops import Floats, Image

Rng = np.random.Generator

_SIZE: Final = (800, 600)
_HIDDEN, _UNKNOWN_DECK = "photo-cards-hidden", "photo-unknown-deck"
#: What most differs between the photographs, in turn, and the cause of what is missing because of it.
_CAUSE_OF: Final = {
    "table": _HIDDEN,
    "glare": "photo-glare",
    "unknown-deck": _UNKNOWN_DECK,
    "heap": _HIDDEN,
    "strong-glare": "photo-glare",
    "blur": "photo-blurred",
    "dark": "photo-dark",
    "small": "photo-cards-small",
}
KINDS: Final = tuple(_CAUSE_OF)
"""The kinds of composed photographs."""
#: Ordinary photographs, of which some are overexposed by a factor in this range.
_UNSPOILED: Final = ("table", "unknown-deck", "heap")
_OVEREXPOSURE: Final = (1.1, 1.7)
_FACTORS: Final = replace(TRAINING_FACTORS, glare=0, distractors=1.43)
_HEAPS: Final = replace(_FACTORS, heaps=25)
#: Ranges of the strength of reflections, and of the factor by which they are larger than in `degrade_photographs`.
_GLARE: Final = {"glare": ((0.6, 1.3), (1.0, 1.0)), "strong-glare": ((0.9, 2.0), (0.8, 2.5))}
#: Mean light (of 255) added to a card from which it is under a reflection.
_LIT: Final = 40.0
#: Cost of the squares of the standardized weights, in examples.
_RIDGE: Final = 0.1
#: Assumed fraction of photographs in which nothing is missing, of those in which something was rejected and all else has a name. Of composed
#: ones, with far more objects, it is one in six.
_FINE: Final = 0.5
#: Visible fraction from which a card must have a name, or something is missing.
_MUST_BE_NAMED: Final = 0.15


@dataclass(frozen=True)
class Photograph:
    """A composed photograph of one of `KINDS` (height x width x 3 uint8), its cards, and which of them (n bool) it spoils."""

    kind: str
    image: Image
    cards: list[TrueCard]
    spoiled: NDArray[np.bool_]


def composed(rng: Rng, decks: list[Deck], kind: str) -> Photograph:
    """Return a photograph of a kind: of cards of which most are of one of the ``decks``, or of an unknown deck."""
    if kind == "unknown-deck":
        decks = [Deck("", "", tuple(random_face(rng) for _ in range(24)), (), False)]
    while True:
        assets = SceneAssets(decks, family_weights(decks), random_textures(rng, 3))
        scene = compose_scene(rng, assets, *_SIZE, _HEAPS if kind == "heap" else _FACTORS)
        names = [card["card"] for card in truth_of(scene)]
        if names and (names.count(None) > len(names) / 2) == (kind == "unknown-deck"):
            return _spoiled(rng, scene, kind)


def _spoiled(rng: Rng, scene: Scene, kind: str) -> Photograph:
    image, card_px, scale = scene.image, float(np.median(card_widths(scene.quads))), 1.0
    cards = truth_of(scene)
    spoiled = np.full(len(cards), kind not in _UNSPOILED)
    if kind in _GLARE:
        reflected = _light(rng, scene, card_px, *_GLARE[kind])
        image = np.clip(image + reflected[..., None], 0, 255).astype(np.uint8)
        for index, card in enumerate(cards):
            inside = np.zeros(reflected.shape, np.uint8)
            cv2.fillConvexPoly(inside, np.array(card["quad"], np.int32), 1)
            spoiled[index] = inside.any() and reflected[inside > 0].mean() > _LIT
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
    elif rng.random() < 0.4:
        image = np.clip(image * rng.uniform(*_OVEREXPOSURE), 0, 255).astype(np.uint8)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 96))]
    decoded = cv2.imdecode(cv2.imencode(".jpg", image, quality)[1], cv2.IMREAD_COLOR)
    truth = [
        TrueCard(card["card"], np.array(card["quad"], np.float32) * np.float32(scale), None, card["visible"])
        for card in cards
    ]
    return Photograph(kind, np.asarray(decoded, np.uint8), truth, spoiled)


def _light(
    rng: Rng, scene: Scene, card_px: float, strengths: tuple[float, float], sizes: tuple[float, float]
) -> NDArray[np.float32]:
    """Return the light of one to four reflections on cards of a scene."""
    lit = rng.choice(len(scene.quads), min(int(rng.integers(1, 5)), len(scene.quads)), replace=False)
    width = card_px * float(np.exp(rng.uniform(*np.log(sizes))))
    return reflections(rng, scene.image.shape[:2], scene.quads[lit], width, rng.uniform(*strengths))


def causes_of(photograph: Photograph, result: ScanResult) -> Counter[str]:
    """Count what is missing in the result of a photograph by cause; "fine" if nothing is."""
    if photograph.kind == "unknown-deck":
        return Counter((_UNKNOWN_DECK,))
    found, causes = match(photograph.cards, result.cards), Counter[str]()
    for number, (card, spoiled) in enumerate(zip(photograph.cards, photograph.spoiled, strict=True)):
        named = number in found and same(result.cards[found[number]].card, card.card)
        if card.card is None:
            if photograph.kind in _UNSPOILED:
                causes[_UNKNOWN_DECK] += 1
        elif card.card != BACK_ID and (card.visible or 0) >= _MUST_BE_NAMED and not named:
            causes[_CAUSE_OF[photograph.kind] if spoiled else _HIDDEN] += 1
    return causes or Counter(("fine",))


def measured(
    scanner: Scanner, photograph: Photograph, candidates: CardCandidates, view: RectifiedView | None
) -> tuple[Floats, Counter[str]] | None:
    """Return the measures of a photograph and the causes of what is missing in it; None where the program asks for no cause."""
    if not len(candidates.scores):
        return None
    accepted, image = scanner.accept(candidates), photograph.image
    result = build_result(accepted, image.shape[1], image.shape[0], scanner.calibration, view)
    named = np.array([card.card is not None for card in result.cards], np.bool_)
    if is_complete(candidates, accepted, named):
        return None
    return photo_measures(image, candidates, accepted, named, view), causes_of(photograph, result)


def fitted(rows: Floats, causes: Sequence[Counter[str]]) -> LinearModel:
    """Return the model of maximum likelihood for the measures of n photographs (n x k, the last is 1) and the causes of each missing card;
    all photographs have the same weight."""
    truth = np.array([[counts[cause] / counts.total() for cause in CAUSES] for counts in causes], np.float64)
    mean, spread = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-6)
    mean[-1], spread[-1] = 0, 1
    all_named = rows[:, MEASURES.index("log unnamed")] == 0
    rows = (rows - mean) / spread
    shape = len(CAUSES), rows.shape[1]
    penalty = np.full(rows.shape[1], _RIDGE)
    penalty[-1] = 0

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        logits = rows @ weights.T
        total = logsumexp(logits, axis=1)
        value = (total - (logits * truth).sum(axis=1)).sum() + (penalty * weights**2).sum() / 2
        return float(value), ((np.exp(logits - total[:, None]) - truth).T @ rows + penalty * weights).ravel()

    best = minimize(loss, np.zeros(np.prod(shape)), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    weights = best.x.reshape(shape) / spread
    weights[:, -1] -= weights[:, :-1] @ mean[:-1]
    composed_fine = truth[all_named, CAUSES.index("fine")].mean()
    weights[CAUSES.index("fine"), -1] += np.log(_FINE / (1 - _FINE)) - np.log(
        composed_fine / (1 - composed_fine)
    )
    return LinearModel(CAUSES, MEASURES, np.asarray(weights, np.float64))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, nargs="+", required=True)
    parser.add_argument("--hold-out", nargs="+", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[81001, 82001])
    parser.add_argument("--pictures", type=int, nargs="+", default=[800, 320], help="how many of each seed")
    parser.add_argument("--models", type=Path, default=MODELS)
    args = parser.parse_args()
    decks = [deck for deck in load_decks(args.decks) if deck.hanafuda and deck.family not in args.hold_out]
    scanner = Scanner(args.models)
    found = []
    drawn = [(seed, n) for seed, count in zip(args.seeds, args.pictures, strict=True) for n in range(count)]
    for seed, number in drawn:
        photograph = composed(np.random.default_rng((seed, number)), decks, KINDS[number % len(KINDS)])
        row = measured(scanner, photograph, *scanner.detect_in_photograph(photograph.image))
        if row is not None:
            found.append(row)
    model = fitted(np.array([row for row, _ in found]), [cause for _, cause in found])
    write_models(args.models, {"causes": model})


if __name__ == "__main__":
    main()
