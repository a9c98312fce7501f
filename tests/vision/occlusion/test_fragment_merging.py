"""Fragments of cards are recognized again as whole cards, on drawn tables and with the shipped networks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import pytest

from companion.hanafuda.cards import DECKS as PACKS
from companion.store import open_documents
from hanafuda_training.benchmarks.evaluation import without
from hanafuda_training.render.rasterize import rasterize
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.stage import Moment, PlacedCard
from vision.decks.deck_library import DeckLibrary
from vision.enrollment.enrollment import enroll_deck, propose_pictures
from vision.geometry.registration.registration_methods import from_cards
from vision.geometry.registration.table_registration import Registration
from vision.networks.read_cards import CardCandidates
from vision.occlusion.fragment_merging import merge_fragments
from vision.photograph.scanner import Scanner

CARDS = [
    "pine-crane",
    "cherry-curtain",
    "susuki-moon",
    "wisteria-chaff-1",
    "paulownia-phoenix",
    "clover-boar",
]


def moved(candidates: CardCandidates, quads: np.ndarray) -> CardCandidates:
    """Return the candidates at other quads, which start at the cards' own top left."""
    upright = np.ones(len(quads), np.bool_)
    return replace(
        candidates,
        refined=replace(candidates.refined, quads=quads),
        recognized=replace(candidates.recognized, upright=upright),
    )


class Table(NamedTuple):
    bgr: np.ndarray
    true: dict[str, np.ndarray]
    candidates: CardCandidates
    scanner: Scanner
    deck: str
    measure: Registration

    def index_of(self, card: str, candidates: CardCandidates) -> int:
        """Return the index of the candidate nearest to a card's true center."""
        far = np.linalg.norm(candidates.quads.mean(axis=1) - self.true[card].mean(axis=0), axis=1)
        return int(far.argmin())

    def cut(self, card: str, part: slice) -> CardCandidates:
        """Return candidates in which the quad of one card covers only a part of its length."""
        quads, index = self.candidates.quads.copy(), self.index_of(card, self.candidates)
        one, two, three, four = self.true[card]
        steps = np.linspace(0, 1, 101)[part]
        first, last = steps[0], steps[-1]
        left, right = four - one, three - two
        quads[index] = (one + first * left, two + first * right, two + last * right, one + last * left)
        return moved(self.candidates, quads)

    def merged(self, candidates: CardCandidates) -> CardCandidates:
        return merge_fragments(self.bgr, candidates, self.scanner, self.deck, self.measure)


@pytest.fixture(scope="module")
def table() -> Table:
    cards = [
        PlacedCard(card, -100.0 + 41.0 * place, 0.0, 3.0 * place, "field") for place, card in enumerate(CARDS)
    ]
    moment: Any = Moment("settled", 2.0, 1, tuple(cards), None)
    bgr, truth = Renderer(5, mess=0.3).draw(moment, 0.5)
    scanner, size = Scanner(fast=True), (bgr.shape[1], bgr.shape[0])
    candidates = scanner.accept(scanner.detect_cards(bgr))
    measure = from_cards(candidates.quads, size)
    return Table(
        bgr,
        {each["card"]: np.array(each["quad"]) for each in truth},
        candidates,
        scanner,
        candidates.deck,
        measure,
    )


@pytest.mark.parametrize("part", [slice(0, 55), slice(45, 101), slice(0, 70)], ids=["upper", "lower", "most"])
@pytest.mark.parametrize("card", ["cherry-curtain", "paulownia-phoenix", "susuki-moon"])
def test_a_fragment_is_extended_to_the_whole_card(table: Table, card: str, part: slice):
    """The detector reported the two halves of the curtain card as two cards (177 of 197 cards missed in three decks)."""
    cut = table.cut(card, part)
    merged = table.merged(cut)
    assert len(merged.quads) == len(cut.quads)
    assert np.abs(merged.quads[table.index_of(card, merged)] - table.true[card]).max() < 4.0
    _, found = table.scanner.decks.classify(merged.recognized, merged.visible, table.deck)
    named = {found.classes[class_id][0] for class_id in found.posterior.argmax(axis=1)}
    assert named == set(CARDS)


def test_two_halves_of_one_card_are_merged(table: Table):
    upper, lower = (table.cut("cherry-curtain", part) for part in (slice(0, 55), slice(45, 101)))
    index = table.index_of("cherry-curtain", upper)
    both = upper.beside(lower.take(np.array([index])))
    assert len(table.merged(both).quads) == len(CARDS)


def test_whole_cards_are_unchanged(table: Table):
    assert table.merged(table.candidates) is table.candidates


def test_a_short_quad_that_is_no_card_is_unchanged(table: Table):
    cut = table.cut("susuki-moon", slice(0, 55))
    index = table.index_of("susuki-moon", cut)
    quads = cut.quads.copy()
    quads[index] += np.float32((0.0, 200.0))
    elsewhere = moved(cut, quads)
    assert table.merged(elsewhere) is elsewhere


def test_nothing_is_merged_if_all_quads_are_short(table: Table):
    middle = table.candidates.quads.mean(axis=1, keepdims=True)
    small = moved(table.candidates, (middle + 0.6 * (table.candidates.quads - middle)).astype(np.float32))
    assert table.merged(small) is small


def two_panel_card(class_id: int) -> np.ndarray:
    """Draw a card of two panels with a bar between them, like some cards of mekurifuda; the detector reports two cards."""
    card = np.full((206, 126, 3), 235, np.uint8)
    card[96:110] = (60, 90, 60)
    for top in (0, 110):
        cv2.rectangle(card, (0, top), (125, top + 95), (20, 20, 20), 7)
    for number in range(class_id):
        x, y = 35 + 28 * (number % 3), 30 + 26 * (number // 3)
        cv2.circle(card, (x, y), 10, (20, 20, 20) if number % 2 else (40, 40, 190), -1)
    cv2.line(card, (25, 190), (25 + 11 * class_id, 125), (20, 20, 20), 8)
    return card


def test_halved_cards_of_a_photograph_are_reported_whole(tmp_path: Path):
    """Six ordinary cards beside them determine the length of a card."""
    others = [rasterize(card) for card in CARDS]
    names = [card.id for card in PACKS["mekurifuda"]][: len(others) + 2]
    cards = [*others, *(two_panel_card(class_id) for class_id in (2, 8))]
    library = DeckLibrary(open_documents(tmp_path))
    scanner = Scanner(library=library)
    proposal = propose_pictures(dict(zip(names, cards, strict=True)), "mekurifuda")
    library.add(enroll_deck(proposal, "two-panel", scanner.recognizer))
    rng = np.random.default_rng(1)
    picture = np.clip(np.full((720, 1280, 3), (60, 95, 60)) + rng.normal(0, 6, (720, 1280, 3)), 0, 255)
    picture = picture.astype(np.uint8)
    for number, card in enumerate(cards):
        height, width = card.shape[:2]
        middle = np.array((200 + 220 * (number % 5), 180 + 330 * (number // 5)))
        place = middle + np.array(((-32, -53), (32, -53), (32, 53), (-32, 53)))
        corners = np.array(((0, 0), (width, 0), (width, height), (0, height)), np.float32)
        onto = cv2.getPerspectiveTransform(corners, place.astype(np.float32))
        laid = cv2.warpPerspective(card, onto, (1280, 720), flags=cv2.INTER_AREA)
        where = cv2.warpPerspective(np.full((height, width), 255, np.uint8), onto, (1280, 720)) > 127
        picture[where] = laid[where]
    whole = scanner.scan(picture, "two-panel")
    with without("fragments"):
        halved = scanner.scan(picture, "two-panel")
    assert sorted(card.card or "" for card in whole.cards) == sorted(names)
    assert {card.card for card in halved.cards}.isdisjoint(names[len(others) :])
