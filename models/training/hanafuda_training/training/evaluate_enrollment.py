"""Evaluates deck enrollment: held-out decks are learned from clean pictures and from a composed photograph of
the deck.

``python -m hanafuda_training.training.evaluate_enrollment --decks DIR --only NAME... --pictures 20``

The photographs and the test pictures are synthetic. Prints one line for each deck and method of learning it.
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
from companion.messages import error_text
from companion.store import open_documents
from hanafuda_training.benchmarks.accuracy import Proportion
from hanafuda_training.benchmarks.ground_truth import TrueCard
from hanafuda_training.benchmarks.truth_matching import match
from hanafuda_training.render.camera import random_camera
from hanafuda_training.render.card_drawing import random_print
from hanafuda_training.render.card_layouts import CardPlacement
from hanafuda_training.render.deck_art import Deck, Face, load_decks
from hanafuda_training.render.scene_factors import SceneFactors
from hanafuda_training.render.scenes import (
    TABLE_ID,
    Scene,
    SceneAssets,
    compose_scene,
    draw_cards,
    photograph,
    visible_fractions,
)
from hanafuda_training.render.tabletops import draw_tabletop, random_textures
from vision.decks.deck_choice import KnownDecks
from vision.decks.deck_errors import EnrollmentError
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_naming import VoteWeightSet, read_vote_weights
from vision.enrollment.enrollment import DeckProposal, card_of, enroll_deck, pack_of, propose_folder
from vision.enrollment.enrollment import ProposedCard as EnrolledPlace
from vision.enrollment.enrollment_photographs import propose_photos
from vision.networks.class_ids import BACK
from vision.networks.matcher import Matcher
from vision.networks.onnx_sessions import MODELS
from vision.photograph.scan_result import ScanResult
from vision.photograph.scanner import Scanner, build_result
from vision.pictures.crops import Image

Rng = np.random.Generator

#: Conditions under which people photograph a deck for enrollment: still, from above, nothing else on the table.
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
#: Maximum mean difference (of 255) between pictures that are copies.
_MAX_COPY_DIFFERENCE: Final = 0.5
_CELL: Final = re.compile(r"row (\d+), column (\d+)")


def with_distinct_identities(deck: Deck) -> Deck:
    """Return the deck with a separate identity for each face, except exact copies: one pip more or less is
    another card.
    """
    faces: list[Face] = []
    for face in deck.faces:
        copies = (
            k
            for k, other in enumerate(faces)
            if np.abs(other.art[1].astype(int) - face.art[1]).mean() < _MAX_COPY_DIFFERENCE
        )
        faces.append(replace(face, identity=next(copies, len(faces))))
    return replace(deck, faces=tuple(faces))


def cards_of(deck: Deck) -> tuple[str, list[str | None]]:
    """Return the pack of a deck, and the card id of each of its faces, None for faces without one."""
    pack = pack_of(deck.cards)
    return pack, [card_of(card, pack) for card in deck.cards]


def laid_out(deck: Deck) -> dict[int, tuple[int, int]]:
    """Return the (row, column) of each face by its index: one flower or rank per column, in mekurifuda one
    suit per row.
    """
    pack, cards = cards_of(deck)
    ids = [card.id for card in PACKS[pack]]
    # Faces without an id come last, the ogre after the other ranks.
    order = sorted(
        range(len(cards)),
        key=lambda k: (
            ids.index(cards[k] or "") if cards[k] in ids else len(ids) + ("oni" in deck.cards[k]),
            deck.cards[k],
        ),
    )
    if pack == "mekurifuda":
        return {index: divmod(position, 12) for position, index in enumerate(order)}
    return {index: (position % 4, position // 4) for position, index in enumerate(order)}


def deck_photograph(rng: Rng, deck: Deck) -> Image:
    """Compose a photograph of the whole deck, arranged in rows as in `laid_out`."""
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
    while True:  # moves the camera back until the whole deck is in the picture
        camera = random_camera(rng, width, height, card_px, CALM.tilt)
        projected = camera.project(np.vstack((corners, (0, 0, 0), (10, 0, 0))))
        if projected is not None:
            along = projected[5] - projected[4]
            turn = -np.arctan2(along[1], along[0])
            ends = camera.project(corners @ _rotation(turn).T)
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
        position = _rotation(roll) @ (x, y, 0)
        cards.append(
            (
                deck.faces[index],
                CardPlacement(float(position[0]), float(position[1]), float(roll + rng.normal(0, 0.02))),
            )
        )
    draw_cards(rng, image, ids, camera, random_print(rng, CALM), cards, CALM)
    return photograph(rng, image, card_px, CALM)


def _rotation(angle: float) -> NDArray[np.float64]:
    """Return the 3 x 3 rotation by ``angle`` radians about the table's vertical axis."""
    return np.array(((np.cos(angle), -np.sin(angle), 0), (np.sin(angle), np.cos(angle), 0), (0, 0, 1)))


@dataclass(frozen=True)
class Tally:
    """Counts of the cards in one group of visible fractions: all, found, named correctly, named wrongly."""

    n: int = 0
    found: int = 0
    right: int = 0
    wrong: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the fraction named correctly of all with its Wilson interval."""
        right = Proportion(self.right, self.n)
        return {**asdict(self), "uncommitted": self.found - self.right - self.wrong, "share": right.to_dict()}


def _correct_names(deck: Deck) -> dict[int, frozenset[str | None]]:
    """Return the correct names for each identity of a deck: those of all identical cards and twins."""
    _, cards = cards_of(deck)
    names: dict[int, frozenset[str | None]] = {}
    for face, card in zip(deck.faces, cards, strict=True):
        correct = {card} if card is None or twin(card) is None else {card, twin(card)}
        names[face.identity] = names.get(face.identity, frozenset()) | correct
    return names


def truth_of(scene: Scene, deck: Deck) -> list[tuple[frozenset[str | None], np.ndarray, float]]:
    """Return for each card of a scene the correct names (those of identical cards too), its quad, and its
    visible fraction.
    """
    names = _correct_names(deck)
    truth = []
    for quad, class_id, identity, visible in zip(
        scene.quads, scene.class_ids, scene.identities, visible_fractions(scene.ids, scene.quads), strict=True
    ):
        right = frozenset({BACK_ID}) if class_id == BACK else names.get(int(identity), frozenset({None}))
        truth.append((right, quad, float(visible)))
    return truth


def count(
    result: ScanResult, truth: Sequence[tuple[frozenset[str | None], np.ndarray, float]]
) -> dict[str, Tally]:
    """Return the tallies of a scan result by visible fraction; ``unknown`` are cards of other decks and
    blanks, which are correct if unnamed.
    """
    cards = [TrueCard(None, quad, None, visible) for _, quad, visible in truth]
    matched = match(cards, result.cards)
    tallies: dict[str, Tally] = {}
    for index, (right, _, visible) in enumerate(truth):
        if right == {BACK_ID} or visible < 0.25:
            continue
        band = "unknown" if right == {None} else "half" if visible >= 0.5 else "quarter"
        name = result.cards[matched[index]].card if index in matched else None
        correct = index in matched and (name in right or (band == "unknown" and name == BACK_ID))
        wrong = index in matched and name is not None and not correct
        tally = Tally(1, int(index in matched), int(correct), int(wrong))
        tallies[band] = tallies.get(band, Tally()) + tally
    return tallies


def names_at(place: EnrolledPlace, deck: Deck) -> frozenset[str | None]:
    """Return the correct names for a position of a photographed deck; empty if no card was placed there."""
    match = _CELL.search(place.where)
    cell = (int(match[1]) - 1, int(match[2]) - 1) if match else None
    outside = [index for index, (row, column) in laid_out(deck).items() if row > 3 or column > 11]
    indices = [index for index, own_cell in laid_out(deck).items() if own_cell == cell] if cell else outside
    return frozenset().union(*(_correct_names(deck)[deck.faces[index].identity] for index in indices[:1]))


def put_right(proposal: DeckProposal, deck: Deck) -> tuple[DeckProposal, int]:
    """Return the proposal as a person would correct it, and the number of wrong names."""
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
    """Yield a line for each method of learning ``deck``: from its ``folder``, from one photograph, and not at
    all; then one with the decks that were chosen automatically.
    """
    pack, _ = cards_of(deck)
    photo = deck_photograph(np.random.default_rng((seed, 0)), deck)
    shipped = scanner.decks
    lines: dict[str, dict[str, Any]] = {"not at all": {}, "folder": {}, "photograph": {}}
    with tempfile.TemporaryDirectory() as library_folder:
        library = DeckLibrary(open_documents(Path(library_folder)))
        library.add(enroll_deck(propose_folder(folder, pack), "folder", scanner.recognizer))
        try:
            proposal = propose_photos(scanner, [photo], pack)
            corrected, wrong = put_right(proposal, deck)
            lines["photograph"] = {
                "places": len(proposal.places),
                "proposed wrong": wrong,
                "doubtful": len(proposal.doubtful),
                "layout": proposal.layout,
                "notes": proposal.notes,
            }
            library.add(enroll_deck(corrected, "photograph", scanner.recognizer))
        except EnrollmentError as error:
            lines["photograph"] = {"problem": error_text(error)}
        known_decks = KnownDecks(library, scanner.recognizer, votes, matcher)
        tallies: dict[str, dict[str, Tally]] = {method: {} for method in lines}
        chosen: Counter[str] = Counter()
        for number in range(pictures):
            rng = np.random.default_rng((seed, 1, number))
            scene = compose_scene(rng, SceneAssets([deck], np.ones(1), random_textures(rng, 3)), *_PICTURE)
            truth = truth_of(scene, deck)
            for method in lines:
                if method != "not at all" and method not in library.known:
                    continue
                scanner.decks, deck_name = (
                    (shipped, None) if method == "not at all" else (known_decks, method)
                )
                accepted = scanner.accept(scanner.detect_cards(scene.image, deck=deck_name), deck_name)
                result = build_result(accepted, *_PICTURE, scanner.calibration)
                for band, tally in count(result, truth).items():
                    tallies[method][band] = tallies[method].get(band, Tally()) + tally
            scanner.decks = known_decks
            chosen[scanner.accept(scanner.detect_cards(scene.image)).deck] += 1
        scanner.decks = shipped
    for method, line in lines.items():
        bands = {band: tallies[method][band].to_json() for band in sorted(tallies[method])}
        yield {"deck": deck.name, "learned": method, **line, **bands}
    yield {"deck": deck.name, "detected": dict(chosen)}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, required=True, help="a folder of deck folders")
    parser.add_argument("--only", nargs="+", required=True, help="names of the deck folders to learn")
    parser.add_argument(
        "--pictures", type=int, default=20, help="composed pictures of each deck to name cards in"
    )
    parser.add_argument("--seed", type=int, default=404)
    parser.add_argument("--models", type=Path, help="folder of weights (default: the shipped ones)")
    args = parser.parse_args()
    models = args.models or MODELS
    scanner, votes, matcher = Scanner(models), read_vote_weights(models), Matcher(models)
    for deck in load_decks([args.decks]):
        if deck.name in args.only:
            for line in measure(
                scanner,
                votes,
                matcher,
                with_distinct_identities(deck),
                args.decks / deck.name,
                args.pictures,
                args.seed,
            ):
                print(json.dumps(line, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
