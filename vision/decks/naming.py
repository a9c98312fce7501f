"""Naming cards by a known deck: three votes, multiplied, for each kind of the deck, a back and a stranger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.crops import Image
from vision.decks.pictures import PictureVote
from vision.decks.profile import DeckProfile
from vision.kinds import BACK, KIND_OF, UNKNOWN
from vision.recogniser import Named

Floats = NDArray[np.float64]

_FLOOR: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Votes:
    """What each vote is worth. A likeness (cosine, correlation) above ``..._least`` speaks for a kind, below it for a
    stranger, ``..._weight`` logits a unit; ``generic`` is the exponent of the recogniser's own posterior.
    """

    cosine_weight: float
    cosine_least: float
    picture_weight: float
    picture_least: float
    generic: float


#: Fitted on composed scenes of training decks (vision/training/votes.py, models/README.md).
VOTES: Final = Votes(
    cosine_weight=14.0, cosine_least=0.62, picture_weight=10.0, picture_least=0.45, generic=0.6
)


@dataclass(frozen=True, eq=False)
class Believed:
    """What is believed of n cards: ``posterior`` n x (kinds + 2) over ``kinds``, a back and a stranger, in that order;
    ``upright`` (n): whether each quad looked at begins at the card's own top.
    """

    kinds: tuple[tuple[str, ...], ...]
    posterior: Floats
    upright: NDArray[np.bool_]

    def take(self, chosen: NDArray[np.intp]) -> Believed:
        """Return the chosen cards."""
        return Believed(self.kinds, self.posterior[chosen], self.upright[chosen])


class DeckNamer:
    """Names cards by one profile. Made once a profile: what can be computed beforehand is."""

    def __init__(self, profile: DeckProfile, votes: Votes = VOTES) -> None:
        self.profile = profile
        self._votes = votes
        own = profile.prototypes
        # Columns by kind and end, upright first; the cards of the box without an id stand last, as one kind more.
        column = np.where(own.kinds == profile.stranger, len(profile.kinds), own.kinds) * 2 + ~own.upright
        order = np.argsort(column, kind="stable")
        self._vectors = np.ascontiguousarray(own.embeddings[order].T)
        self._columns, self._starts = np.unique(column[order], return_index=True)
        self._pictures = PictureVote(profile.pictures) if len(profile.pictures) else None
        self._to_generic = _generic_columns(profile)

    def cosines(self, embeddings: NDArray[np.float32]) -> Floats:
        """Return the best cosine of n ``embeddings`` to each kind from each end: n x (kinds + 1) x 2 (upright, turned).

        The last kind are the box's cards without an id; what the profile knows no prototype of is -1.
        """
        best = np.full((len(embeddings), 2 * (len(self.profile.kinds) + 1)), -1.0)
        if len(embeddings):
            best[:, self._columns] = np.maximum.reduceat(embeddings @ self._vectors, self._starts, axis=1)
        return best.reshape(len(embeddings), len(self.profile.kinds) + 1, 2)

    def correlations(self, crops: Image) -> tuple[Floats, Floats] | None:
        """Return the best correlation of n ``crops`` with the kept pictures, shaped as `cosines`, and how telling it is (n, 0-1).

        None where no pictures are kept.
        """
        if self._pictures is None:
            return None
        profile = self.profile
        column = np.where(profile.pictured == profile.stranger, len(profile.kinds), profile.pictured)
        best = np.full((len(crops), len(profile.kinds) + 1, 2), -1.0)
        likeness, telling = self._pictures.correlate(crops)
        for number, kind in enumerate(column):
            np.maximum(best[:, kind], likeness[:, number], out=best[:, kind])
        return best, telling.astype(np.float64)

    def name(self, named: Named) -> Believed:
        """Return what is believed of n cards, given what the recogniser says of each.

        A product of experts (Hinton 1999): each vote adds its logits, and the votes' weights were fitted together.
        """
        profile, votes = self.profile, self._votes
        logits = votes.cosine_weight * (self.cosines(named.embeddings) - votes.cosine_least)
        pictures = self.correlations(named.crops)
        if pictures is not None:
            likeness, telling = pictures
            logits += votes.picture_weight * telling[:, None, None] * (likeness - votes.picture_least)
        generic = np.log(np.maximum(named.posterior, _FLOOR))
        count = len(profile.kinds)
        trust = votes.generic * profile.trust
        faces = logits[:, :count] + trust * generic[:, self._to_generic][:, :, None]
        # Whether a card lies face down the recogniser knows of any deck.
        down = np.maximum(named.posterior[:, BACK], _FLOOR)
        others = np.concatenate(
            (
                np.log(down)[:, None],
                np.logaddexp(trust * generic[:, UNKNOWN, None], _over_ends(logits[:, count:])),
            ),
            axis=1,
        )
        up = np.log(np.maximum(1 - down, _FLOOR))[:, None]
        others[:, 1:] += up
        total = np.concatenate((_over_ends(faces) + up, others), axis=1)
        posterior = np.exp(total - total.max(axis=1, keepdims=True))
        best = faces[np.arange(len(total)), total[:, :count].argmax(axis=1)]
        return Believed(
            profile.kinds, posterior / posterior.sum(axis=1, keepdims=True), best[:, 0] >= best[:, 1]
        )


def believe_generic(named: Named, kinds: tuple[tuple[str, ...], ...]) -> Believed:
    """Return what the recogniser says itself, of the traditional hanafuda ``kinds``."""
    return Believed(kinds, named.posterior, named.upright)


def _over_ends(logits: Floats) -> Floats:
    return np.asarray(np.logaddexp(logits[..., 0], logits[..., 1]), np.float64)


def _generic_columns(profile: DeckProfile) -> NDArray[np.intp]:
    """Return the recogniser's own class of each kind; other packs are strangers to it."""
    return np.array([KIND_OF.get(kind[0], UNKNOWN) for kind in profile.kinds], np.intp)
