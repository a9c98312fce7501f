"""What enrolling a deck is worth: held-out decks learnt from clean pictures and from a composed photograph of them laid out.

``python -m vision.lab.training.evaluate_enrollment --decks DIR --only NAME... --pictures 20``

Synthetic: the photographs are composed, as the pictures named afterwards are. A line a deck and way of learning it.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import BACK as BACK_ID
from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.cards import twin
from vision.decks.deck_choice import KnownDecks
from vision.decks.deck_files import card_of, pack_of
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_naming import VoteWeightSet, read_vote_weights
from vision.decks.enrollment import DeckProposal, EnrollmentError, enroll_deck, propose_folder
from vision.decks.enrollment import ProposedCard as EnrolledPlace
from vision.decks.enrollment_photographs import propose_photos
from vision.lab.benchmarks.accuracy import Share
from vision.lab.benchmarks.ground_truth import TrueCard
from vision.lab.benchmarks.truth_matching import match
from vision.networks.class_ids import BACK
from vision.networks.crops import Image
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS
from vision.photograph.scan_result import ScanResult
from vision.photograph.scanner import Scanner, build_result
from vision.render.camera import random_camera
from vision.render.card_drawing import random_print
from vision.render.card_layouts import CardPlacement
from vision.render.deck_art import Deck, Face, load_decks
from vision.render.scene_factors import SceneFactors
from vision.render.scenes import (
    TABLE_ID,
    Scene,
    SceneAssets,
    compose_scene,
    draw_cards,
    photograph,
    visible_fractions,
)
from vision.render.tabletops import draw_tabletop, random_textures

Rng = np.random.Generator

#: How people photograph a deck they want learnt: calmly, from above, nothing else on the table.
CALM: Final = SceneFactors(
    tilt=0.5,
    lens=0.5,
    wear=0.5,
    curl=0.5,
    distractors=0,
    mats=0,
    hands=0,
    glare=0.3,
    shadows=0.5,
    blur=0.5,
    motion=0,
)
_PHOTO: Final = (2000, 1500)
_PICTURE: Final = (1024, 768)
#: Mean difference (of 255) of pictures that are copies.
_COPY: Final = 0.5
_CELL: Final = re.compile(r"row (\d+), column (\d+)")


def told_apart(deck: Deck) -> Deck:
    """Return the deck with a number of its own for each face but exact copies: a pip more or less is another card."""
    faces: list[Face] = []
    for face in deck.faces:
        same = (
            k
            for k, other in enumerate(faces)
            if np.abs(other.art[1].astype(int) - face.art[1]).mean() < _COPY
        )
        faces.append(replace(face, identity=next(same, len(faces))))
    return replace(deck, faces=tuple(faces))


def cards_of(deck: Deck) -> tuple[str, list[str | None]]:
    """Return the pack of a deck, and the id of each of its faces, None where it has none."""
    pack = pack_of(deck.cards)
    return pack, [card_of(card, pack) for card in deck.cards]


def laid_out(deck: Deck) -> dict[int, tuple[int, int]]:
    """Return the (row, column) of each face, by its index: a flower or a rank a column, but a mekurifuda suit a row."""
    pack, cards = cards_of(deck)
    ids = [card.id for card in PACKS[pack]]
    # What has no id lies last, and the ogre after the other ranks.
    order = sorted(
        range(len(cards)),
        key=lambda k: (
            ids.index(cards[k] or "") if cards[k] in ids else len(ids) + ("oni" in deck.cards[k]),
            deck.cards[k],
        ),
    )
    if pack == "mekurifuda":
        return {index: divmod(place, 12) for place, index in enumerate(order)}
    return {index: (place % 4, place // 4) for place, index in enumerate(order)}


def deck_photograph(rng: Rng, deck: Deck) -> Image:
    """Compose a photograph of the whole deck laid out in rows, card by card as `laid_out` says."""
    width, height = _PHOTO
    cells = laid_out(deck)
    rows, columns = (1 + max(cell[axis] for cell in cells.values()) for axis in (0, 1))
    gap = rng.uniform(4, 12)
    step_x, step_y = 33 + gap, 54 + gap
    card_px = min(width * 33 / (step_x * (columns + 0.8)), height * 33 / (step_y * (rows + 0.8)))
    corners = np.array([(x, y, 0) for x in (-1, 1) for y in (-1, 1)]) * (
        step_x * columns / 2,
        step_y * rows / 2,
        0,
    )
    while True:  # stepping back until the whole deck is in the picture
        camera = random_camera(rng, width, height, card_px, CALM.tilt)
        seen = camera.project(np.vstack((corners, (0, 0, 0), (10, 0, 0))))
        if seen is not None:
            along = seen[5] - seen[4]
            turn = -np.arctan2(along[1], along[0])
            ends = camera.project(corners @ _turned(turn).T)
            if ends is not None and ends.min() > 0 and (ends < _PHOTO).all():
                break
        card_px *= 0.98
    image = draw_tabletop(rng, random_textures(rng, 2), camera, _PHOTO, 0.3)
    ids = np.full((height, width), TABLE_ID, np.uint8)
    roll = turn + rng.normal(0, 0.03)
    cards: list[tuple[Face, CardPlacement]] = []
    for index, (row, column) in cells.items():
        x = (column - (columns - 1) / 2) * step_x + rng.normal(0, 1.2)
        y = (row - (rows - 1) / 2) * step_y + rng.normal(0, 1.2)
        at = _turned(roll) @ (x, y, 0)
        cards.append(
            (deck.faces[index], CardPlacement(float(at[0]), float(at[1]), float(roll + rng.normal(0, 0.02))))
        )
    draw_cards(rng, image, ids, camera, random_print(rng, CALM), cards, CALM)
    return photograph(rng, image, card_px, CALM)


def _turned(angle: float) -> NDArray[np.float64]:
    """Return the 3 x 3 rotation by ``angle`` radians about the table's upright."""
    return np.array(((np.cos(angle), -np.sin(angle), 0), (np.sin(angle), np.cos(angle), 0), (0, 0, 1)))


@dataclass(frozen=True)
class Tally:
    """Cards of one visible share read in one way: how many there were, and what became of them."""

    n: int = 0
    found: int = 0
    right: int = 0
    wrong: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the share named right of all with its Wilson interval."""
        right = Share(self.right, self.n)
        return {**asdict(self), "uncommitted": self.found - self.right - self.wrong, "share": right.to_dict()}


def _alike(deck: Deck) -> dict[int, frozenset[str | None]]:
    """Return the names that are right for each identity of a deck: all look-alikes', twins' too."""
    _, cards = cards_of(deck)
    names: dict[int, frozenset[str | None]] = {}
    for face, card in zip(deck.faces, cards, strict=True):
        here = {card} if card is None or twin(card) is None else {card, twin(card)}
        names[face.identity] = names.get(face.identity, frozenset()) | here
    return names


def truth_of(scene: Scene, deck: Deck) -> list[tuple[frozenset[str | None], np.ndarray, float]]:
    """Return for each card of a scene the names that are right (look-alikes all are), its quad and its visible share."""
    names = _alike(deck)
    told = []
    for quad, kind, identity, share in zip(
        scene.quads, scene.class_ids, scene.identities, visible_fractions(scene.ids, scene.quads), strict=True
    ):
        right = frozenset({BACK_ID}) if kind == BACK else names.get(int(identity), frozenset({None}))
        told.append((right, quad, float(share)))
    return told


def count(
    reading: ScanResult, truth: Sequence[tuple[frozenset[str | None], np.ndarray, float]]
) -> dict[str, Tally]:
    """Return the tallies of a reading by visible share; ``strangers`` are cards of other decks and blanks, right if unnamed."""
    cards = [TrueCard(None, quad, None, share) for _, quad, share in truth]
    matched = match(cards, reading.cards)
    tallies: dict[str, Tally] = {}
    for index, (right, _, share) in enumerate(truth):
        if right == {BACK_ID} or share < 0.25:
            continue
        band = "strangers" if right == {None} else "half" if share >= 0.5 else "quarter"
        name = reading.cards[matched[index]].card if index in matched else None
        good = index in matched and (name in right or (band == "strangers" and name == BACK_ID))
        wrong = index in matched and name is not None and not good
        tally = Tally(1, int(index in matched), int(good), int(wrong))
        tallies[band] = tallies.get(band, Tally()) + tally
    return tallies


def names_at(place: EnrolledPlace, deck: Deck) -> frozenset[str | None]:
    """Return the names that are right for a place of a photographed deck; none where nothing was laid there."""
    found = _CELL.search(place.where)
    cell = (int(found[1]) - 1, int(found[2]) - 1) if found else None
    beside = [index for index, (row, column) in laid_out(deck).items() if row > 3 or column > 11]
    at = [index for index, its in laid_out(deck).items() if its == cell] if cell else beside
    return frozenset().union(*(_alike(deck)[deck.faces[index].identity] for index in at[:1]))


def put_right(proposal: DeckProposal, deck: Deck) -> tuple[DeckProposal, int]:
    """Return the proposal as a person would put it right, and how many names were wrong."""
    wrong = [place for place in proposal.places if place.card not in names_at(place, deck)]
    taken = {place.card for place in proposal.places if place not in wrong}
    for place in wrong:
        right = next(
            (name for name in sorted(names_at(place, deck), key=str) if name and name not in taken), None
        )
        taken.add(right)
        proposal = proposal.fix(place.number, right)
    return proposal, len(wrong)


def measure(
    scanner: Scanner,
    votes: VoteWeightSet,
    matcher: Matcher,
    deck: Deck,
    folder: Path,
    pictures: int,
    seed: int,
) -> Iterator[dict[str, Any]]:
    """Yield a line for each way of learning ``deck``: from its ``folder``, from one photograph, and not at all."""
    pack, _ = cards_of(deck)
    photo = deck_photograph(np.random.default_rng((seed, 0)), deck)
    shipped = scanner.decks
    lines: dict[str, dict[str, Any]] = {"not at all": {}, "folder": {}, "photograph": {}}
    with tempfile.TemporaryDirectory() as kept:
        library = DeckLibrary(Path(kept))
        library.add(enroll_deck(propose_folder(folder, pack), "folder", scanner.recognizer))
        try:
            proposal = propose_photos(scanner, [photo], pack)
            fixed, wrong = put_right(proposal, deck)
            lines["photograph"] = {
                "places": len(proposal.places),
                "proposed wrong": wrong,
                "doubtful": len(proposal.doubtful),
                "layout": proposal.layout,
                "notes": proposal.notes,
            }
            library.add(enroll_deck(fixed, "photograph", scanner.recognizer))
        except EnrollmentError as error:
            lines["photograph"] = {"problem": str(error)}
        known = KnownDecks(library, scanner.recognizer, votes, matcher)
        tallies: dict[str, dict[str, Tally]] = {way: {} for way in lines}
        chosen: Counter[str] = Counter()
        for number in range(pictures):
            rng = np.random.default_rng((seed, 1, number))
            scene = compose_scene(rng, SceneAssets([deck], np.ones(1), random_textures(rng, 3)), *_PICTURE)
            truth = truth_of(scene, deck)
            for way in lines:
                if way != "not at all" and way not in library.known:
                    continue
                scanner.decks, learnt = (shipped, None) if way == "not at all" else (known, way)
                told, name, believed = scanner.accept(scanner.detect_cards(scene.image, deck=learnt), learnt)
                reading = build_result(told, *_PICTURE, name, believed, scanner.calibration)
                for band, tally in count(reading, truth).items():
                    tallies[way][band] = tallies[way].get(band, Tally()) + tally
            scanner.decks = known
            chosen[scanner.accept(scanner.detect_cards(scene.image))[1]] += 1
        scanner.decks = shipped
    for way, line in lines.items():
        bands = {band: tallies[way][band].to_json() for band in sorted(tallies[way])}
        yield {"deck": deck.name, "learnt": way, **line, **bands}
    yield {"deck": deck.name, "chosen by itself": dict(chosen)}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, required=True, help="a folder of deck folders")
    parser.add_argument("--only", nargs="+", required=True, help="names of the deck folders to learn")
    parser.add_argument(
        "--pictures", type=int, default=20, help="composed pictures of each deck to name cards in"
    )
    parser.add_argument("--seed", type=int, default=404)
    parser.add_argument("--models", type=Path, help="folder of weights, the shipped ones if none")
    args = parser.parse_args()
    models = args.models or MODELS
    scanner, votes, matcher = Scanner(models), read_vote_weights(models), Matcher(models)
    for deck in load_decks([args.decks]):
        if deck.name in args.only:
            for line in measure(
                scanner, votes, matcher, told_apart(deck), args.decks / deck.name, args.pictures, args.seed
            ):
                print(json.dumps(line, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
