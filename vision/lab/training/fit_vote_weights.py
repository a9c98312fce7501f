"""Fit what each vote is worth in naming cards by a known deck: ``python -m vision.lab.training.fit_vote_weights --decks DIR --only NAME...``

Each deck is learnt from its folder; its cards, and those of the other decks as strangers, are named in composed
pictures; the votes' weights are those of the greatest likelihood. Writes ``votes.json`` beside the weights. Take decks
that the recogniser was not trained on, and other pictures than those that are reported on.
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
from vision.decks.deck_naming import DeckClassifier, DeckEvidence, VoteWeights, VoteWeightSet
from vision.decks.enrollment import enroll_deck, propose_folder
from vision.lab.training.evaluate_enrollment import cards_of, told_apart, truth_of
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS
from vision.occlusion.visible_overlap import quad_iou
from vision.photograph.read_cards import CardCandidates
from vision.photograph.scanner import Scanner
from vision.render.deck_art import Deck, load_decks
from vision.render.scenes import Scene, SceneAssets, compose_scene
from vision.render.tabletops import random_textures

_PICTURE: Final = (1024, 768)
#: Where the search begins.
_START: Final = VoteWeightSet(
    VoteWeights(16.0, 0.55, 6.5, 0.4, 0.6, 0.15, 1.0), VoteWeights(24.0, 0.55, 0.0, 0.0, 0.7, 0.15, 0.0)
)
#: A wrong probability costs at most as if it had been this small: in a heap the truth itself is not always sure.
_FLOOR: Final = 0.01
#: A find is the card that it overlaps by this much and any other clearly less; what overlaps none so much is no card.
_SURE: Final = 0.7
_LESS: Final = 0.15
_NONE: Final = 0.3
#: What shows less of a card than this is not asked for.
_LEAST_SHARE: Final = 0.15


@dataclass(frozen=True, eq=False)
class Sample:
    """Cards of one picture as one deck's namer sees them, and the class that each is (-1: nobody can say)."""

    namer: DeckClassifier
    evidence: DeckEvidence
    truth: NDArray[np.intp]


def sample(namer: DeckClassifier, seen: CardCandidates, scene: Scene, shown: Deck, own: bool) -> Sample:
    """Return the cards of a picture that were found; those of another deck than the namer's ``own`` are strangers."""
    profile = namer.profile
    index = {card: kind for kind, cards in enumerate(profile.classes) for card in cards}
    truth = truth_of(scene, shown)
    classes = []
    for quad in seen.quads:
        over = np.array([0.0, 0.0, *(quad_iou(quad, true) for _, true, _ in truth)])
        best, share = int(over.argmax()) - 2, float(np.sort(over)[-1])
        if share < _NONE:
            classes.append(profile.unknown)
        elif share < _SURE or share - np.sort(over)[-2] < _LESS or truth[best][2] < _LEAST_SHARE:
            classes.append(-1)
        else:
            names = truth[best][0]
            name = next((name for name in names if name in index), None) if own else None
            other = profile.unknown if name is None else index[name]
            classes.append(profile.back if BACK_ID in names else other)
    return Sample(namer, namer.evidence(seen.recognized), np.array(classes, np.intp))


def fit(samples: Sequence[Sample], start: VoteWeights) -> tuple[VoteWeights, float]:
    """Return the votes of the greatest likelihood over ``samples``, and the mean log-loss (nats a card)."""
    free = np.array(astuple(start))
    used = free > 0  # a vote that has no pictures stays without weight

    def votes(logs: NDArray[np.float64]) -> VoteWeights:
        values = np.zeros_like(free)
        values[used] = np.exp(logs)
        return VoteWeights(*values.tolist())

    def loss(logs: NDArray[np.float64]) -> float:
        total = []
        for each in samples:
            known = np.flatnonzero(each.truth >= 0)
            posterior = each.namer.combine(each.evidence, votes(logs)).posterior[known, each.truth[known]]
            total.append(-np.log(np.maximum(posterior, _FLOOR)))
        return float(np.concatenate(total).mean())

    found = minimize(loss, np.log(free[used]), method="Nelder-Mead", options={"maxfev": 600, "xatol": 0.02})
    return votes(found.x), float(found.fun)


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
    decks = [told_apart(deck) for deck in load_decks([args.decks]) if deck.name in args.only]
    votes = _START
    profiles = {
        deck.name: enroll_deck(propose_folder(args.decks / deck.name), deck.name, scanner.recognizer)
        for deck in decks
    }
    kept = {
        name: DeckClassifier(profile, votes.enrolled, Matcher(args.models))
        for name, profile in profiles.items()
    }
    bare = {
        name: DeckClassifier(profile.without_pictures(), votes.shipped) for name, profile in profiles.items()
    }
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    for place, deck in enumerate(decks):
        for number in range(args.pictures):
            rng = np.random.default_rng((args.seed, place, number))
            scene = compose_scene(rng, SceneAssets([deck], np.ones(1), random_textures(rng, 3)), *_PICTURE)
            seen = scanner.detect_cards(scene.image)
            # One picture in three is named by a deck of another pack.
            others = [each for each in decks if cards_of(each)[0] != cards_of(deck)[0]]
            named_by = others[number % len(others)] if number % 3 == 2 and others else deck
            for namers, into in zip((kept, bare), samples, strict=True):
                into.append(sample(namers[named_by.name], seen, scene, deck, named_by is deck))
    cards = sum(int((each.truth >= 0).sum()) for each in samples[0])
    enrolled, loss = fit(samples[0], votes.enrolled)
    print(f"enrolled: {enrolled}, log-loss {loss:.3f} over {cards} finds")
    shipped, loss = fit(samples[1], votes.shipped)
    print(f"shipped: {shipped}, log-loss {loss:.3f}")
    replace(votes, enrolled=enrolled, shipped=shipped).write(args.models)


if __name__ == "__main__":
    main()
