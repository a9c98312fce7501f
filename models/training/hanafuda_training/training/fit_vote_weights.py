"""Fits the weights of the votes for naming cards of a known deck.

``python -m hanafuda_training.training.fit_vote_weights --decks DIR --only NAME...``

Each deck is enrolled from its folder; its cards, and those of the other decks as unknown cards, are named in
composed pictures; the weights are those of maximum likelihood. Writes ``votes.json`` beside the network
weights. Use decks that the recognizer was not trained on, and other pictures than those of the published
figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from companion.hanafuda.cards import BACK as BACK_ID
from hanafuda_training.render.deck_art import Deck, load_decks
from hanafuda_training.render.scenes import Scene, SceneAssets, compose_scene
from hanafuda_training.render.tabletops import random_textures
from hanafuda_training.training.evaluate_enrollment import cards_of, truth_of, with_distinct_identities
from hanafuda_training.training.fitted_files import write_fitted
from vision.decks.deck_naming import FILE, DeckClassifier, DeckEvidence, VoteWeights, VoteWeightSet
from vision.enrollment.enrollment import enroll_deck, propose_folder
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS
from vision.networks.read_cards import CardCandidates
from vision.occlusion.visible_overlap import quad_iou
from vision.photograph.scanner import Scanner

_PICTURE: Final = (1024, 768)
#: Starting point of the optimization.
_START: Final = VoteWeightSet(
    VoteWeights(16.0, 0.55, 6.5, 0.4, 0.6, 0.15, 1.0), VoteWeights(24.0, 0.55, 0.0, 0.0, 0.7, 0.15, 0.0)
)
#: Minimum probability in the loss, which limits the cost of an error: in a heap even the truth is not always certain.
_FLOOR: Final = 0.01
#: A detection is a card if it overlaps it by _MIN_OVERLAP and every other by _MIN_LEAD less; below _MIN_ANY_OVERLAP it is not a card.
_MIN_OVERLAP: Final = 0.7
_MIN_LEAD: Final = 0.15
_MIN_ANY_OVERLAP: Final = 0.3
#: Minimum visible fraction of a card that is used.
_MIN_VISIBLE: Final = 0.15


@dataclass(frozen=True, eq=False)
class VoteSample:
    """The cards of one picture as evidence for one deck classifier, and their true classes (-1: undecidable)."""

    namer: DeckClassifier
    evidence: DeckEvidence
    truth: NDArray[np.intp]


def sample(
    namer: DeckClassifier, detected: CardCandidates, scene: Scene, deck: Deck, own: bool
) -> VoteSample:
    """Return the detected cards of a picture with their true classes; with ``own`` false, the scene shows
    another deck than that of ``namer``, whose cards are unknown to it.
    """
    profile = namer.profile
    index = {card: class_id for class_id, cards in enumerate(profile.classes) for card in cards}
    truth = truth_of(scene, deck)
    classes = []
    for quad in detected.quads:
        overlaps = np.array([0.0, 0.0, *(quad_iou(quad, true) for _, true, _ in truth)])
        best, overlap = int(overlaps.argmax()) - 2, float(np.sort(overlaps)[-1])
        if overlap < _MIN_ANY_OVERLAP:
            classes.append(profile.unknown)
        elif (
            overlap < _MIN_OVERLAP
            or overlap - np.sort(overlaps)[-2] < _MIN_LEAD
            or truth[best][2] < _MIN_VISIBLE
        ):
            classes.append(-1)
        else:
            names = truth[best][0]
            name = next((name for name in names if name in index), None) if own else None
            other = profile.unknown if name is None else index[name]
            classes.append(profile.back if BACK_ID in names else other)
    return VoteSample(namer, namer.evidence(detected.recognized), np.array(classes, np.intp))


def fit(samples: Sequence[VoteSample], start: VoteWeights) -> tuple[VoteWeights, float]:
    """Return the vote weights of maximum likelihood over ``samples`` and their mean log-loss (nats per card)."""
    initial = np.array(astuple(start))
    used = initial > 0  # a vote without pictures keeps weight 0

    def votes(log_weights: NDArray[np.float64]) -> VoteWeights:
        values = np.zeros_like(initial)
        values[used] = np.exp(log_weights)
        return VoteWeights(*values.tolist())

    def loss(log_weights: NDArray[np.float64]) -> float:
        losses = []
        for item in samples:
            known = np.flatnonzero(item.truth >= 0)
            posterior, _ = item.namer.combine(item.evidence, votes(log_weights))
            of_truth = posterior[known, item.truth[known]]
            losses.append(-np.log(np.maximum(of_truth, _FLOOR)))
        return float(np.concatenate(losses).mean())

    result = minimize(
        loss, np.log(initial[used]), method="Nelder-Mead", options={"maxfev": 600, "xatol": 0.02}
    )
    return votes(result.x), float(result.fun)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, required=True, help="a folder of deck folders")
    parser.add_argument("--only", nargs="+", required=True, help="names of the deck folders to fit on")
    parser.add_argument("--pictures", type=int, default=12, help="composed pictures of each deck")
    parser.add_argument("--seed", type=int, default=505)
    parser.add_argument(
        "--models", type=Path, default=MODELS, help="folder of weights; votes.json is written there"
    )
    args = parser.parse_args()
    scanner = Scanner(args.models)
    decks = [with_distinct_identities(deck) for deck in load_decks([args.decks]) if deck.name in args.only]
    votes = _START
    profiles = {
        deck.name: enroll_deck(propose_folder(args.decks / deck.name), deck.name, scanner.recognizer)
        for deck in decks
    }
    with_pictures = {
        name: DeckClassifier(profile, votes.enrolled, Matcher(args.models))
        for name, profile in profiles.items()
    }
    without_pictures = {
        name: DeckClassifier(profile.without_pictures(), votes.shipped) for name, profile in profiles.items()
    }
    samples: tuple[list[VoteSample], list[VoteSample]] = ([], [])
    for index, deck in enumerate(decks):
        for number in range(args.pictures):
            rng = np.random.default_rng((args.seed, index, number))
            scene = compose_scene(rng, SceneAssets([deck], np.ones(1), random_textures(rng, 3)), *_PICTURE)
            detected = scanner.detect_cards(scene.image)
            # One picture in three is named with a deck of another pack.
            others = [item for item in decks if cards_of(item)[0] != cards_of(deck)[0]]
            named_by = others[number % len(others)] if number % 3 == 2 and others else deck
            for namers, target in zip((with_pictures, without_pictures), samples, strict=True):
                target.append(sample(namers[named_by.name], detected, scene, deck, named_by is deck))
    cards = sum(int((item.truth >= 0).sum()) for item in samples[0])
    enrolled, loss = fit(samples[0], votes.enrolled)
    print(f"enrolled: {enrolled}, log-loss {loss:.3f} over {cards} detections")
    shipped, loss = fit(samples[1], votes.shipped)
    print(f"shipped: {shipped}, log-loss {loss:.3f}")
    write_fitted(args.models / FILE, replace(votes, enrolled=enrolled, shipped=shipped))


if __name__ == "__main__":
    main()
