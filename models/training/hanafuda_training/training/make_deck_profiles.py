"""Makes the shipped deck profiles.

``python -m hanafuda_training.training.make_deck_profiles --decks DIR --out models/decks``

Works with any folder of decks (see README.md); `PROFILES` lists the decks of each profile. Only embeddings
are written, no pictures. Must be run again after every change of the recognizer's weights.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.decks.card_prototypes import CardPrototypes
from vision.decks.deck_profile import DeckProfile, make_profile, tidy_name
from vision.enrollment.enrollment import ProposedCard, propose_folder
from vision.networks.onnx_sessions import MODELS
from vision.networks.recognizer import Recognizer

__all__ = ["PROFILES", "make_shipped"]

#: Shipped profiles and the families whose decks make each (``family`` in SOURCE.json).
PROFILES: Final[Mapping[str, Sequence[str]]] = {
    "nintendo": ("nintendo", "pfengdev"),
    "hwatu": ("hwatu-A", "hwatu-oonsoo", "hwatu-wikimedia"),
    "echigobana": ("fudawiki-echigobana",),
    "komatsu": ("mekurifuda-komatsu",),
    "akahachi": ("mekurifuda-akahachi",),
    "fukutoku": ("mekurifuda-fukutoku",),
    "ise": ("mekurifuda-ise",),
    "kabufuda-standard": ("kabufuda-standard", "kabufuda-shogundo"),
    "daini": ("kabufuda-daini",),
    "irinokichi": ("kabufuda-irinokichi",),
    "kinseizan": ("kabufuda-kinseizan",),
    "kudosan": ("kabufuda-kudosan",),
    "mefuda": ("kabufuda-mefuda",),
}
#: Maximum number of prototypes of a card in one orientation, and cosine similarity above which two count as one.
_MAX_PROTOTYPES: Final = 8
_SAME_SIMILARITY: Final = 0.97


@dataclass(frozen=True)
class _Source:
    folder: Path
    family: str
    license: str


def make_shipped(
    decks: Iterable[Path], recognizer: Recognizer, excluded: Collection[str] = ()
) -> Iterator[DeckProfile]:
    """Yield each profile of `PROFILES` of which ``decks`` has a deck whose family is not ``excluded``."""
    sources = [source for source in _sources(decks) if source.family not in excluded]
    for name, families in PROFILES.items():
        profile_sources = [source for source in sources if source.family in families]
        if not profile_sources:
            continue
        proposals = [propose_folder(source.folder) for source in profile_sources]
        pack = proposals[0].pack
        # The first family decides which cards look alike; the others only add variants.
        proposed: list[ProposedCard] = [card for proposal in proposals for card in proposal.places]
        pictures = np.concatenate([card.pictures for card in proposed])
        licenses = sorted({source.license for source in profile_sources})
        profile = make_profile(
            tidy_name(name),
            pack,
            pictures,
            [card.card for card in proposed],
            recognizer,
            source=f"embeddings of {', '.join(source.folder.name for source in profile_sources)}",
            license=f"embeddings only; the pictures' own: {'; '.join(licenses)}"[:500],
        )
        yield replace(profile, prototypes=thinned(profile.prototypes)).without_pictures()


def thinned(prototypes: CardPrototypes) -> CardPrototypes:
    """Return at most 8 dissimilar prototypes per class and orientation: farthest-point sampling, starting
    with the one nearest to the mean.
    """
    kept: list[int] = []
    for class_id in np.unique(prototypes.classes):
        for upright in (True, False):
            candidates = np.flatnonzero((prototypes.classes == class_id) & (prototypes.upright == upright))
            kept += candidates[_farthest_points(prototypes.embeddings[candidates])].tolist()
    chosen = np.array(sorted(kept), np.intp)
    return CardPrototypes(
        prototypes.embeddings[chosen], prototypes.classes[chosen], prototypes.upright[chosen]
    )


def _farthest_points(vectors: NDArray[np.float32]) -> NDArray[np.intp]:
    chosen = [int((vectors @ vectors.mean(axis=0)).argmax())]
    nearest = vectors @ vectors[chosen[0]]
    while len(chosen) < _MAX_PROTOTYPES and nearest.min() < _SAME_SIMILARITY:
        chosen.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, vectors @ vectors[chosen[-1]])
    return np.array(chosen, np.intp)


def _sources(decks: Iterable[Path]) -> Iterator[_Source]:
    for folder in (path for root in decks for path in sorted(root.iterdir()) if path.is_dir()):
        file = folder / "SOURCE.json"
        metadata: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        yield _Source(
            folder, str(metadata.get("family", folder.name)), str(metadata.get("licence", "none stated"))
        )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, nargs="+", required=True, help="folders of deck folders")
    parser.add_argument("--hold-out", nargs="*", default=[], metavar="FAMILY", help="families to leave out")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--models", type=Path, default=MODELS, help="folder of weights (default: the shipped ones)"
    )
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for profile in make_shipped(args.decks, Recognizer(args.models), args.hold_out):
        path = args.out / f"{profile.name}.deck"
        profile.save(path)
        count = len(profile.prototypes.classes)
        print(f"{path}: {len(profile.cards)} cards, {count} prototypes, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
