"""Naming cards by a known deck: votes, multiplied, for each kind of the deck, a back and a stranger."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.decks.deck_profile import DeckProfile
from vision.decks.picture_matching import PictureMatcher
from vision.networks.class_ids import BACK, CLASS_OF, HANAFUDA_CLASSES, UNKNOWN
from vision.networks.crops import Image
from vision.networks.matcher import Matcher
from vision.networks.recognizer import Recognitions

Floats = NDArray[np.float64]

_FLOOR: Final = 1e-4
#: Nearer than this nothing lies to its prototype but the very picture.
_CLOSEST: Final = 0.985
#: A card whose best name is less likely than this is compared with the pictures of so many of its likeliest names,
_DOUBTED: Final = 0.999
_COMPARED: Final = 4
#: and which of these it is, embeddings and correlations then say no louder than this: where what tells two cards apart is
#: covered, they still prefer one, and a comparison knows that it cannot know. Of 286 cards at least half visible in 80 composed
#: pictures of held-out families 278 were named rightly, and 14 names in all were wrong, without comparing; 281 and 11 where all
#: was added up; 280 and 10 so. In 34 rendered pictures of mekurifuda and kabufuda 9 names were wrong, 12 (an earlier matcher), 1.
_OTHERS: Final = 0.35
#: Written by vision/lab/training/fit_vote_weights.py, fitted on composed scenes.
_FILE: Final = "votes.json"


@dataclass(frozen=True, slots=True)
class VoteWeights:
    """What each vote is worth. A likeness (cosine, correlation) above ``..._least`` speaks for a kind, below it for a
    stranger, ``..._weight`` logits a unit of Fisher's z; ``generic`` is the exponent of the recogniser's own posterior; ``hidden`` the
    power of the visible share that the first two are worth, so that a strip says less than a whole card; ``matched`` what a
    logit of the matcher is worth.
    """

    cosine_weight: float
    cosine_least: float
    picture_weight: float
    picture_least: float
    generic: float
    hidden: float
    matched: float


@dataclass(frozen=True, slots=True)
class VoteWeightSet:
    """The votes of decks whose pictures are kept (``enrolled``), and of those known by their embeddings alone (``shipped``).

    As they stand here, fitted for the first weights with a trained embedding: 768 finds in 70 composed pictures of the
    five held-out families (log-loss .281 and .303 nats).
    ``matched`` was chosen among .5 to 1.8 on 1,091 finds of other such pictures, right names and wrong ones in view.
    """

    enrolled: VoteWeights = VoteWeights(16.6, 0.555, 6.67, 0.42, 0.57, 0.0, 1.1)
    shipped: VoteWeights = VoteWeights(24.8, 0.533, 0.0, 0.0, 0.78, 0.16, 0.0)

    def write(self, models: Path) -> None:
        """Write them beside the weights in ``models``, which they were fitted for."""
        told = {
            deck: {name: round(value, 4) for name, value in votes.items()}
            for deck, votes in asdict(self).items()
        }
        (models / _FILE).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def read_vote_weights(models: Path) -> VoteWeightSet:
    """Return the votes fitted for the weights in ``models``, untuned ones where none were."""
    path = models / _FILE
    if not path.is_file():
        return VoteWeightSet()
    told = json.loads(path.read_text(encoding="utf-8"))
    return VoteWeightSet(VoteWeights(**told["enrolled"]), VoteWeights(**told["shipped"]))


@dataclass(frozen=True, eq=False)
class CardPosteriors:
    """What is believed of n cards: ``posterior`` n x (kinds + 2) over ``kinds``, a back and a stranger, in that order;
    ``upright`` (n): whether each quad looked at begins at the card's own top.
    """

    classes: tuple[tuple[str, ...], ...]
    posterior: Floats
    upright: NDArray[np.bool_]

    def take(self, chosen: NDArray[np.intp]) -> CardPosteriors:
        """Return the chosen cards."""
        return CardPosteriors(self.classes, self.posterior[chosen], self.upright[chosen])


@dataclass(frozen=True, eq=False)
class DeckEvidence:
    """What speaks for each kind of a deck, of n cards: ``cosines`` and ``likeness`` (None: no pictures) as `DeckClassifier` tells
    them, how ``telling`` the likeness is, the recogniser's own ``posterior`` (n x KIND_COUNT), visible ``shares``, and what the
    matcher says of the likeliest kinds of cards in doubt (n x kinds x 2, in logits; 0 elsewhere).
    """

    cosines: Floats
    likeness: Floats | None
    telling: Floats
    posterior: Floats
    visible: Floats
    matched: Floats


class DeckClassifier:
    """Names cards by one profile. Made once a profile: what can be computed beforehand is."""

    def __init__(self, profile: DeckProfile, votes: VoteWeights, matcher: Matcher | None = None) -> None:
        self.profile = profile
        self.votes = votes
        self._matcher = matcher if len(profile.pictures) else None
        own = profile.prototypes
        # Columns by kind and end, upright first; the cards of the box without an id stand last, as one kind more.
        column = (
            np.where(own.classes == profile.unknown, len(profile.classes), own.classes) * 2 + ~own.upright
        )
        order = np.argsort(column, kind="stable")
        self._vectors = np.ascontiguousarray(own.embeddings[order].T)
        self._columns, self._starts = np.unique(column[order], return_index=True)
        self._pictures = PictureMatcher(profile.pictures) if len(profile.pictures) else None
        self._to_generic = _generic_columns(profile)

    def cosines(self, embeddings: NDArray[np.float32]) -> Floats:
        """Return the best cosine of n ``embeddings`` to each kind from each end: n x (kinds + 1) x 2 (upright, turned).

        The last kind are the box's cards without an id; what the profile knows no prototype of is -1.
        """
        best = np.full((len(embeddings), 2 * (len(self.profile.classes) + 1)), -1.0)
        if len(embeddings):
            best[:, self._columns] = np.maximum.reduceat(embeddings @ self._vectors, self._starts, axis=1)
        return best.reshape(len(embeddings), len(self.profile.classes) + 1, 2)

    def correlations(self, crops: Image) -> tuple[Floats, NDArray[np.intp], Floats] | None:
        """Return the best correlation of n ``crops`` with the kept pictures, shaped as `cosines`, which picture it is of (the same
        shape), and how telling it is (n, 0-1).

        None where no pictures are kept.
        """
        if self._pictures is None:
            return None
        profile = self.profile
        column = np.where(profile.pictured == profile.unknown, len(profile.classes), profile.pictured)
        best = np.full((len(crops), len(profile.classes) + 1, 2), -1.0)
        which = np.zeros(best.shape, np.intp)
        likeness, telling = self._pictures.correlate(crops)
        for number, class_id in enumerate(column):
            which[:, class_id][likeness[:, number] > best[:, class_id]] = number
            np.maximum(best[:, class_id], likeness[:, number], out=best[:, class_id])
        return best, which, telling.astype(np.float64)

    def evidence(self, named: Recognitions) -> DeckEvidence:
        """Return what speaks for each kind, of n cards the recogniser has seen."""
        evidence, which = self._evidence(named)
        if self._matcher is None or which is None:
            return evidence
        return replace(evidence, matched=self._matched(self._matcher, named.crops, evidence, which))

    def _evidence(self, named: Recognitions) -> tuple[DeckEvidence, NDArray[np.intp] | None]:
        """Return what speaks for each kind before any card is compared, and each kind's likeliest picture, if any are kept."""
        pictures, count = self.correlations(named.crops), len(named.crops)
        likeness, which, telling = pictures or (None, None, np.zeros(count))
        visible = named.crops[..., 3].mean(axis=(1, 2), dtype=np.float64) / 255
        nothing = np.zeros((count, len(self.profile.classes), 2))
        cosines = self.cosines(named.embeddings)
        return DeckEvidence(cosines, likeness, telling, named.posterior, visible, nothing), which

    def _matched(
        self, matcher: Matcher, crops: Image, evidence: DeckEvidence, which: NDArray[np.intp]
    ) -> Floats:
        """Return what the matcher says of each kind's likeliest picture (n x kinds x 2 logits) where ``evidence`` leaves doubt."""
        logits = self._logits(evidence, self.votes)
        doubted = np.flatnonzero(self._posterior(evidence, logits, self.votes).max(axis=1) < _DOUBTED)
        told = np.zeros(evidence.matched.shape)
        flat = logits[:, :-1].reshape(len(logits), 2 * len(self.profile.classes))[doubted]
        likeliest = np.argsort(-flat, axis=1, kind="stable")[:, :_COMPARED]
        rows = np.repeat(doubted, likeliest.shape[1])
        classes, ends = np.divmod(likeliest.reshape(-1), 2)
        if len(rows):
            pictures = self.profile.pictures[which[rows, classes, ends]]
            pictures = np.where(ends[:, None, None, None] == 0, pictures, pictures[:, ::-1, ::-1])
            told[rows, classes, ends] = matcher.compare(crops[rows], pictures)
        return told

    def name(self, named: Recognitions, *, compare: bool = True) -> CardPosteriors:
        """Return what is believed of n cards, given what the recogniser says of each.

        Cards in doubt are compared with pictures, unless ``compare`` says that this is not worth its time.
        """
        return self.weigh(self.evidence(named) if compare else self._evidence(named)[0], self.votes)

    def weigh(self, evidence: DeckEvidence, votes: VoteWeights) -> CardPosteriors:
        """Return what is believed where the votes are worth this.

        A product of experts (Hinton 1999): each vote adds its logits, and the votes' weights were fitted together.
        """
        logits = self._logits(evidence, votes)
        posterior = self._posterior(evidence, logits, votes)
        best = logits[np.arange(len(logits)), posterior[:, : len(self.profile.classes)].argmax(axis=1)]
        return CardPosteriors(self.profile.classes, posterior, best[:, 0] >= best[:, 1])

    def _logits(self, evidence: DeckEvidence, votes: VoteWeights) -> Floats:
        """Return the logits of each kind from each end, those of the box's cards without an id last (n x (kinds + 1) x 2)."""
        worth = np.maximum(evidence.visible, 0.05)[:, None, None] ** votes.hidden
        logits = votes.cosine_weight * (_z(evidence.cosines) - _z(votes.cosine_least)) * worth
        if evidence.likeness is not None:
            telling = evidence.telling[:, None, None] * worth
            logits += votes.picture_weight * telling * (_z(evidence.likeness) - _z(votes.picture_least))
        faces = logits[:, :-1]
        compared = evidence.matched != 0
        best = np.where(compared, faces, -np.inf).max(axis=(1, 2), keepdims=True, initial=-np.inf)
        best = np.where(np.isfinite(best), best, 0)
        told = best + _OTHERS * (faces - best) + votes.matched * evidence.matched
        generic = np.log(np.maximum(evidence.posterior, _FLOOR))[:, self._to_generic]
        own = votes.generic * self.profile.trust * generic[:, :, None]
        logits[:, :-1] = np.where(compared, told, faces) + own
        return logits

    def _posterior(self, evidence: DeckEvidence, logits: Floats, votes: VoteWeights) -> Floats:
        """Return the probability of each kind, of a back and of a stranger (n x (kinds + 2)); ``logits`` are those of `_logits`."""
        # Whether a card lies face down the recogniser knows of any deck.
        down = np.maximum(evidence.posterior[:, BACK], _FLOOR)
        up = np.log(np.maximum(1 - down, _FLOOR))
        ends = _over_ends(logits)
        # A stranger is what the recogniser calls one, or a card of the box that has no id.
        unknown = np.log(np.maximum(evidence.posterior[:, UNKNOWN], _FLOOR))
        unknown = np.logaddexp(votes.generic * self.profile.trust * unknown, ends[:, -1])
        total = np.column_stack((ends[:, :-1] + up[:, None], np.log(down), unknown + up))
        posterior = np.exp(total - total.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        return np.asarray(posterior, np.float64)


class CardClassifier(Protocol):
    """What names cards: `DeckClassifier.name` or `generic_posteriors`."""

    def __call__(self, named: Recognitions, *, compare: bool = True) -> CardPosteriors:
        """Return what is believed of n cards."""
        ...


def generic_posteriors(
    named: Recognitions, classes: tuple[tuple[str, ...], ...] = HANAFUDA_CLASSES, *, compare: bool = True
) -> CardPosteriors:
    """Return what the recogniser says itself, of the traditional hanafuda ``kinds``; there is nothing to ``compare`` with."""
    return CardPosteriors(classes, named.posterior, named.upright)


def _z(likeness: Floats | float) -> Floats:
    """Return Fisher's z of correlations (-1 to 1): between .94 and .97 lies as much as between .3 and .6.

    A card seen well lies so near to its own prototype that another that differs by one pip is clearly further off; seen
    badly, the same difference says nothing.
    """
    return np.asarray(np.arctanh(np.clip(likeness, -_CLOSEST, _CLOSEST)), np.float64)


def _over_ends(logits: Floats) -> Floats:
    return np.asarray(np.logaddexp(logits[..., 0], logits[..., 1]), np.float64)


def _generic_columns(profile: DeckProfile) -> NDArray[np.intp]:
    """Return the recogniser's own class of each kind; other packs are strangers to it."""
    return np.array([CLASS_OF.get(class_id[0], UNKNOWN) for class_id in profile.classes], np.intp)
