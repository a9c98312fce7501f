"""Cards of an enrolled deck are named in a photograph taken at an angle, with the shipped networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.hanafuda.cards import DECKS as PACKS
from companion.store import open_documents
from hanafuda_training.benchmarks.tilt_photographs import CameraPose, drawn
from hanafuda_training.render.card_layouts import CardPlacement
from hanafuda_training.render.deck_art import Deck, random_face
from vision.decks.deck_library import DeckLibrary
from vision.enrollment.enrollment import enroll_deck, propose_pictures
from vision.networks.class_ids import UNKNOWN
from vision.photograph.scanner import Scanner

_CARDS = tuple(card.id for card in PACKS["mekurifuda"][:8])
#: Minimum standard deviation of the levels of a face that is neither plain nor pale.
_MIN_CONTRAST = 45


@pytest.fixture(scope="module")
def deck() -> Deck:
    """Eight invented faces with ids of mekurifuda; without enrollment they are unknown cards."""
    rng = np.random.default_rng(5)
    faces = [replace(random_face(rng), class_id=UNKNOWN) for _ in range(60)]
    printed = [face for face in faces if face.art[2].std() > _MIN_CONTRAST]
    return Deck("drawn", "drawn", tuple(printed[: len(_CARDS)]), _CARDS, hanafuda=False)


@pytest.fixture(scope="module")
def scanner(deck: Deck, tmp_path_factory: pytest.TempPathFactory) -> Scanner:
    """A scanner that knows the deck from one picture of each card."""
    library = DeckLibrary(open_documents(tmp_path_factory.mktemp("decks")))
    scanner = Scanner(library=library)
    pictures = {card: face.art[-1] for card, face in zip(_CARDS, deck.faces, strict=True)}
    library.add(enroll_deck(propose_pictures(pictures, "mekurifuda"), "drawn", scanner.recognizer))
    return scanner


@pytest.mark.parametrize(("tilt", "far"), [(40.0, "top"), (50.0, "right"), (55.0, "bottom"), (55.0, "left")])
def test_cards_of_an_enrolled_deck_are_named_at_an_angle(
    scanner: Scanner, deck: Deck, tilt: float, far: str
) -> None:
    places = [CardPlacement(48.0 * (number % 4) - 72, 68.0 * (number // 4) - 34, 0.0) for number in range(8)]
    scene = drawn(np.random.default_rng(3), deck, places, CameraPose(tilt, far, 1.1), (1280, 960), 40.0)
    assert sorted(str(card.card) for card in scanner.scan(scene.image, "drawn").cards) == sorted(_CARDS)
