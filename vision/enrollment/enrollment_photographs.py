"""Enrollment from photographs of a whole deck laid out in rows: locates the cards in a grid and proposes their names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.cards import twin
from companion.hanafuda.messages import Message
from vision.decks.deck_errors import EnrollmentError
from vision.decks.deck_naming import DeckClassifier
from vision.enrollment.card_grid import CardGrid, Cell, find_grid
from vision.enrollment.enrollment import DOUBTFUL, DeckProposal, ProposedCard
from vision.enrollment.layout_orders import LayoutOrder, best_order
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN
from vision.networks.read_cards import CardCandidates
from vision.networks.recognizer import EMBEDDING, Recognizer
from vision.photograph.assignment import optimal_assignment
from vision.photograph.name_assignment import assignment_margins
from vision.photograph.scanner import Scanner
from vision.pictures.crops import Floats, Image, Quads, rotate_half_turn

#: Maximum number of photographs.
_MAX_PHOTOS: Final = 4
#: Minimum number of cards in a photograph of a laid-out deck.
_MIN_CARDS: Final = 20
#: Minimum visible fraction of a card to enroll; below `_WHOLE` it is doubtful.
_MIN_VISIBLE: Final = 0.5
_WHOLE: Final = 0.85
#: Requirements for a card beside the grid: maximum relative size difference from the grid's cards, and
#: minimum score.
_MAX_SIZE_DIFFERENCE: Final = 0.25
_MIN_SCORE: Final = 0.5
#: Maximum distance from an empty cell of a card recognized there, card widths.
_MAX_DISTANCE: Final = 0.3
#: Minimum evidence for a card being upside down among its neighbors.
_MIN_TURN_EVIDENCE: Final = 0.8
#: Two photographs show the same cards if the second has at least this fraction of the first one's number of
#: cards.
_SAME_DECK: Final = 0.75
#: Bonus (cosine) for being in the same cell when cards of two photographs are matched.
_SAME_CELL_BONUS: Final = 0.15

#: The recognizer is less confident of unseen styles than of those in its training data: temperature of its
#: logits.
_UNSEEN_STYLE_TEMPERATURE: Final = 1.6
#: Logits per unit of cosine between cards of different decks.
_COSINE_WEIGHT: Final = 10.0
#: Total probability that is distributed over all cards regardless of the evidence.
_FLOOR: Final = 0.02


@dataclass(frozen=True, eq=False)
class _LaidOutCards:
    """The cards of one photograph: upright ``crops`` (n x 96 x 64 x 4), visible fractions ``visible`` (n),
    and ``cells`` (None: beside the grid).
    """

    crops: Image
    visible: NDArray[np.float32]
    cells: tuple[Cell | None, ...]
    rows: int
    empty: tuple[Cell, ...]


def propose_photos(scanner: Scanner, photos: Sequence[Image], pack: str = "hanafuda") -> DeckProposal:
    """Propose names for the cards in 1 to 4 photographs (H x W x 3 uint8 BGR) of a whole deck laid out in
    rows.

    Each photograph may show all of the deck or a part of it. The names are an optimal assignment over the pack, based on
    the similarity to known decks and, to the extent that the cards follow one, on the layout order. Raises
    `EnrollmentError` if too few cards are detected.
    """
    if not 1 <= len(photos) <= _MAX_PHOTOS:
        raise EnrollmentError(Message("enroll-photo-count", {"max": _MAX_PHOTOS, "count": len(photos)}))
    classifiers = scanner.decks.classifiers_of_pack(pack).values()
    photographs = [_read_photograph(scanner, photo, pack, classifiers) for photo in photos]
    for number, each in enumerate(photographs, start=1):
        if len(each.crops) < (_MIN_CARDS if len(photographs) == 1 else _MIN_CARDS // 2):
            raise EnrollmentError(Message("enroll-few-cards", {"number": number, "count": len(each.crops)}))
    cards = _merge_photographs(scanner, photographs)
    likelihood = np.ones((len(cards), len(PACKS[pack])))
    for number, card in enumerate(cards):
        # Crops of the same card are correlated, so their evidence grows with the square root of their number.
        logs = np.log(card_probabilities(scanner.recognizer, card.pictures, pack, classifiers))
        likelihood[number] = np.exp(logs.mean(axis=0) * np.sqrt(len(logs)))
    cells = [each.cell for each in cards]
    order = best_order(pack, likelihood, cells)
    return _proposal(pack, cards, likelihood, order, photographs)


@dataclass(frozen=True, eq=False)
class _CellPictures:
    """One card of the deck: its position as text, its cell, its crops, one per photograph (m x 96 x 64 x 4), and the
    smallest visible fraction in them.
    """

    where: str
    cell: Cell | None
    pictures: Image
    visible: float


def _read_photograph(
    scanner: Scanner, photo: Image, pack: str, classifiers: Collection[DeckClassifier]
) -> _LaidOutCards:
    detected = scanner.detect_cards(photo)
    candidates = detected.take(np.flatnonzero(detected.visible >= _MIN_VISIBLE))
    grid = find_grid(candidates.refined.quads)
    if grid is None:
        crops = candidates.recognized.crops
        ends = upright_evidence(scanner.recognizer, crops, pack, classifiers) if len(crops) else np.zeros(0)
        order = _reading_order(candidates.refined.quads)
        crops = np.where((ends < 0)[:, None, None, None], crops[:, ::-1, ::-1], crops)[order]
        return _LaidOutCards(crops, candidates.visible[order], (None,) * len(order), 0, ())
    candidates, grid = _only_cards(*_add_missed(scanner, photo, candidates, grid))
    # Rotate the crops to the orientation of the grid.
    off, off_turned = (
        np.abs(candidates.refined.quads - ends).max(axis=(1, 2))
        for ends in (grid.quads, rotate_half_turn(grid.quads))
    )
    crops = candidates.recognized.crops
    crops = np.where((off <= off_turned)[:, None, None, None], crops, crops[:, ::-1, ::-1])
    ends = upright_evidence(scanner.recognizer, crops, pack, classifiers)
    if ends.sum() < 0:
        crops, ends, grid = crops[:, ::-1, ::-1], -ends, grid.upside_down()
    # The recognizer knows the orientation of hanafuda; for other packs the neighbors' is more reliable.
    alone = (ends < -_MIN_TURN_EVIDENCE) & (pack == "hanafuda")
    crops = np.where(alone[:, None, None, None], crops[:, ::-1, ::-1], crops)
    row_by_row = sorted(range(len(crops)), key=lambda number: grid.cells[number] or (grid.rows, number))
    return _LaidOutCards(
        np.ascontiguousarray(crops[row_by_row]),
        candidates.visible[row_by_row],
        tuple(grid.cells[number] for number in row_by_row),
        grid.rows,
        grid.empty,
    )


def _add_missed(
    scanner: Scanner, photo: Image, candidates: CardCandidates, grid: CardGrid
) -> tuple[CardCandidates, CardGrid]:
    """Run the recognizer on the empty cells of the grid, and add the cards that it detects in them."""
    if not grid.empty:
        return candidates, grid
    quads: Quads = np.stack([grid.quad_of(cell) for cell in grid.empty])
    added = scanner.recognize_at(photo, quads)
    width = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    off = np.linalg.norm(added.refined.quads.mean(axis=1) - quads.mean(axis=1), axis=1) / np.maximum(width, 1)
    detected = (added.visible >= _MIN_VISIBLE) & (off < _MAX_DISTANCE)
    cells = (*grid.cells, *(grid.empty[number] for number in np.flatnonzero(detected)))
    grown = replace(grid, cells=cells, quads=np.concatenate((grid.quads, quads[detected])))
    return candidates.beside(added.take(np.flatnonzero(detected))), grown


def _only_cards(candidates: CardCandidates, grid: CardGrid) -> tuple[CardCandidates, CardGrid]:
    """Drop detections beside the grid that are not cards of this deck, judged by size and score."""
    areas = np.array([cv2.contourArea(quad) for quad in grid.quads])
    inside = np.array([cell is not None for cell in grid.cells])
    median_area = float(np.median(areas[inside]))
    similar = np.abs(np.sqrt(areas / median_area) - 1) < _MAX_SIZE_DIFFERENCE
    similar &= (candidates.scores >= _MIN_SCORE) & (candidates.visible >= _WHOLE)
    kept = np.flatnonzero(inside | similar)
    cells = tuple(grid.cells[number] for number in kept)
    return candidates.take(kept), replace(grid, cells=cells, quads=grid.quads[kept])


def _reading_order(quads: Quads) -> NDArray[np.intp]:
    centers = quads.mean(axis=1)
    height = float(np.median(np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1))) if len(quads) else 1.0
    return np.lexsort((centers[:, 0], np.round(centers[:, 1] / max(height, 1.0))))


def _merge_photographs(scanner: Scanner, photographs: Sequence[_LaidOutCards]) -> list[_CellPictures]:
    """Merge the photographs: return each card of the deck once, with its crops from all photographs that show it."""
    cards: list[_CellPictures] = []
    embeddings = np.zeros((0, EMBEDDING), np.float32)
    for photo_number, photograph in enumerate(photographs, start=1):
        added = scanner.recognizer.infer(photograph.crops)[2]
        if not cards or len(photograph.crops) < _SAME_DECK * len(cards):
            # The first, or another part of the deck: its rows follow the existing ones.
            rows = 1 + max((card.cell[0] for card in cards if card.cell), default=-1)
            cards += [
                _CellPictures(
                    _where(cell, photo_number, len(photographs)),
                    cell and (cell[0] + rows, cell[1]),
                    crop[None],
                    float(visible),
                )
                for crop, visible, cell in zip(
                    photograph.crops, photograph.visible, photograph.cells, strict=True
                )
            ]
            embeddings = np.concatenate((embeddings, added))
            continue
        same_place = [[card.cell == cell and cell is not None for cell in photograph.cells] for card in cards]
        cost = -(embeddings @ added.T + _SAME_CELL_BONUS * np.array(same_place))
        for first_index, second_index in zip(*optimal_assignment(cost), strict=True):
            card = cards[first_index]
            pictures = np.concatenate((card.pictures, photograph.crops[second_index][None]))
            visible = min(card.visible, float(photograph.visible[second_index]))
            cards[first_index] = replace(card, pictures=pictures, visible=visible)
    return cards


def _where(cell: Cell | None, photo: int, photos: int) -> str:
    position = "beside the rows" if cell is None else f"row {cell[0] + 1}, column {cell[1] + 1}"
    return position if photos == 1 else f"photograph {photo}, {position}"


def _proposal(
    pack: str,
    cards: Sequence[_CellPictures],
    likelihood: Floats,
    order: LayoutOrder,
    photographs: Sequence[_LaidOutCards],
) -> DeckProposal:
    ids = [card.id for card in PACKS[pack]]
    likelihood = likelihood / likelihood.sum(axis=1, keepdims=True)
    nameless = order.nameless
    joint = np.concatenate(
        (likelihood * order.prior * (1 - nameless)[:, None], np.diag(nameless / len(ids))), axis=1
    )
    cost = -np.log(np.maximum(joint, 1e-12))
    chosen = optimal_assignment(cost)[1]
    groups = _equivalent_cards(pack)
    owners = np.concatenate(
        ([groups[card][0] for card in range(len(ids))], np.arange(len(ids), cost.shape[1]))
    )
    margins = assignment_margins(cost, chosen, owners)
    places = []
    for number, (cell_pictures, column, margin) in enumerate(
        zip(cards, chosen.tolist(), margins.tolist(), strict=True)
    ):
        confidence = 1 / (1 + np.exp(-max(margin, 0.0))) if order.is_known else 0.5
        probable = [ids[k] for k in np.argsort(-joint[number, : len(ids)]) if k not in groups.get(column, [])]
        places.append(
            ProposedCard(
                number + 1,
                cell_pictures.where,
                np.ascontiguousarray(cell_pictures.pictures[..., :3]),
                ids[column] if column < len(ids) else None,
                float(confidence),
                tuple(probable[:3]),
                doubtful=bool(order.is_known and confidence < DOUBTFUL) or cell_pictures.visible < _WHOLE,
            )
        )
    return DeckProposal(
        pack, tuple(places), order.description, tuple(_notes(pack, cards, order, photographs))
    )


def _equivalent_cards(pack: str) -> dict[int, list[int]]:
    """Return for each card of the pack, by index, the cards equivalent to it: twins, or copies of a rank."""
    cards = PACKS[pack]
    if pack == "kabufuda":
        return {card.index: [other.index for other in cards if other.month == card.month] for card in cards}
    return {
        card.index: [other.index for other in cards if other.id in (card.id, twin(card.id))] for card in cards
    }


def _notes(
    pack: str, cards: Sequence[_CellPictures], order: LayoutOrder, photographs: Sequence[_LaidOutCards]
) -> list[str]:
    notes = []
    if not order.is_known:
        notes.append(
            "These cards resemble no known deck, so the names follow their positions only: check the sheet."
        )
    elif not order.by_sight:
        notes.append("The cards are in no known order, so they are named by their appearance only.")
    for number, photograph in enumerate(photographs, start=1):
        photo = "" if len(photographs) == 1 else f" of photograph {number}"
        for row, column in photograph.empty:
            notes.append(
                f"No card was detected in row {row + 1}, column {column + 1}{photo}: if there is one, take another photograph."
            )
        if not photograph.rows:
            notes.append(f"The cards{photo} are not in recognizable rows and columns.")
    expected = len(PACKS[pack]) - (pack == "mekurifuda")
    if len(cards) < expected:
        notes.append(f"{len(cards)} cards were detected, but a whole deck has {expected}.")
    return notes


def card_probabilities(
    recognizer: Recognizer, crops: Image, pack: str, classifiers: Collection[DeckClassifier]
) -> Floats:
    """Return the probability of each card of ``pack`` (n x cards, in the pack's order) for n upright crops
    (n x 96 x 64 x 4).

    For hanafuda, the recognizer's logits count; for all packs, the similarity to the cards of the known decks
    of that pack (``classifiers``).
    """
    ids = [card.id for card in PACKS[pack]]
    logits, _, embeddings = recognizer.infer(crops)
    total = np.zeros((len(crops), len(ids)))
    if pack == "hanafuda":
        total += logits[:, [CLASS_OF[card] for card in ids]] / _UNSEEN_STYLE_TEMPERATURE
        # Reduce the weight of its logits as far as it considers the card unknown.
        known_log = logits[:, :BACK].max(axis=1) - np.logaddexp(
            logits[:, :BACK].max(axis=1), logits[:, UNKNOWN]
        )
        total *= np.maximum(np.exp(known_log), 0.3)[:, None]
    similarity = np.full((len(crops), len(ids)), -1.0)
    column_of = {card: number for number, card in enumerate(ids)}
    for classifier in classifiers:
        cosines = classifier.cosines(embeddings)[:, :-1, 0]
        for class_id, cards in enumerate(classifier.profile.classes):
            columns = [column_of[card] for card in cards]
            similarity[:, columns] = np.maximum(similarity[:, columns], cosines[:, class_id, None])
    known_cards = (similarity > -1).any(axis=0)
    if known_cards.any():
        similarity[:, ~known_cards] = similarity[:, known_cards].mean(axis=1, keepdims=True)
        total += _COSINE_WEIGHT * similarity
    total -= total.max(axis=1, keepdims=True)
    probability = np.exp(total)
    probability /= probability.sum(axis=1, keepdims=True)
    return np.asarray((1 - _FLOOR) * probability + _FLOOR / len(ids), np.float64)


def upright_evidence(
    recognizer: Recognizer, crops: Image, pack: str, classifiers: Collection[DeckClassifier]
) -> Floats:
    """Return the evidence that each crop (n x 96 x 64 x 4) is upright: positive if upright, negative if
    upside down, 0 if unclear.
    """
    logits, upright, embeddings = recognizer.infer(crops)
    if pack == "hanafuda":
        is_face = logits[:, :BACK].max(axis=1) > logits[:, BACK : UNKNOWN + 1].max(axis=1)
        return np.asarray(np.where(is_face, np.tanh(upright), 0.0), np.float64)
    evidence = np.zeros(len(crops))
    for classifier in classifiers:
        cosines = classifier.cosines(embeddings)[:, :-1].max(axis=1)
        clear = np.abs(cosines[:, 0] - cosines[:, 1]) > np.abs(evidence)
        evidence = np.where(clear, cosines[:, 0] - cosines[:, 1], evidence)
    return evidence
