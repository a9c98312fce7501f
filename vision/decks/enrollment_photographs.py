"""A whole deck from photographs of it laid out in rows: which card lies in which place, and what it may be."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.cards import twin
from vision.decks.card_grid import CardGrid, Cell, find_grid
from vision.decks.deck_naming import DeckClassifier
from vision.decks.enrollment import DOUBTFUL, DeckProposal, EnrollmentError, ProposedCard
from vision.decks.layout_orders import LayoutOrder, best_order
from vision.decks.unknown_deck import card_probabilities, upright_evidence
from vision.networks.crops import Image, Quads, rotate_half_turn
from vision.photograph.read_cards import CardCandidates
from vision.photograph.scanner import Scanner

__all__ = ["propose_photos"]

Floats = NDArray[np.float64]

_MOST_PHOTOS: Final = 4
#: The fewest cards of a photograph that are taken for a deck laid out.
_FEWEST: Final = 20
#: What shows less is no card to learn from; a card that shows less than the second is doubtful.
_LEAST_SHARE: Final = 0.5
_WHOLE: Final = 0.85
#: A card beside the grid is this wide and tall, of the grid's own, and found at least this surely.
_ALIKE: Final = 0.25
_LEAST_SCORE: Final = 0.5
#: Cards told by a close look at an empty place lie this near to it, in card widths.
_NEAR: Final = 0.3
#: How much surer than the other end a card must look to be taken for laid upside down among its neighbours.
_TURNED: Final = 0.8
#: Photographs are of the same cards where they show this share of one another's.
_SAME_DECK: Final = 0.75
#: What lying in the same place of the grid adds to the likeness (cosine) of two photographs' cards.
_SAME_PLACE: Final = 0.15


@dataclass(frozen=True, eq=False)
class _LaidOutCards:
    """The cards of one photograph: upright ``crops`` (n x 96 x 64 x 4), visible ``shares`` (n), ``cells`` (None: beside)."""

    crops: Image
    visible: NDArray[np.float32]
    cells: tuple[Cell | None, ...]
    rows: int
    columns: int
    empty: tuple[Cell, ...]


def propose_photos(scanner: Scanner, photos: Sequence[Image], pack: str = "hanafuda") -> DeckProposal:
    """Propose names for the cards of 1 to 4 photographs (H x W x 3 uint8 BGR) of a whole deck laid out in rows.

    Every photograph may show all of it, or each a part. The names are an assignment over the pack: what the cards look
    like to whoever knows other decks, and the order that they are laid in as far as they keep to one. Raises
    `EnrollmentError` where too few cards are seen.
    """
    if not 1 <= len(photos) <= _MOST_PHOTOS:
        raise EnrollmentError(f"1 to {_MOST_PHOTOS} photographs of a deck are learnt from, not {len(photos)}")
    classifiers = scanner.decks.classifiers_of_pack(pack)
    laid = [_laid(scanner, photo, pack, classifiers) for photo in photos]
    for number, each in enumerate(laid, start=1):
        if len(each.crops) < (_FEWEST if len(laid) == 1 else _FEWEST // 2):
            raise EnrollmentError(
                f"photograph {number} shows {len(each.crops)} cards: lay the whole deck out in 4 rows of 12, face up and"
                " not touching, and take it straight from above in good light"
            )
    shown = _together(scanner, laid)
    likelihood = np.ones((len(shown), len(PACKS[pack])))
    for place, crops in enumerate(shown):
        # The looks of one card are much alike: more of them are not as many witnesses.
        logs = np.log(card_probabilities(scanner.recognizer, crops.pictures, pack, classifiers))
        likelihood[place] = np.exp(logs.mean(axis=0) * np.sqrt(len(logs)))
    cells = [each.cell for each in shown]
    order = best_order(pack, likelihood, cells)
    return _proposal(pack, shown, likelihood, order, laid)


@dataclass(frozen=True, eq=False)
class _CellPictures:
    """One card of the deck: where it lies, and its crops, one a photograph (m x 96 x 64 x 4)."""

    where: str
    cell: Cell | None
    pictures: Image
    share: float


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Cards found in one photograph: ``quads`` n x 4 x 2 px, ``shares`` and ``scores`` n, ``crops`` n x 96 x 64 x 4 from the
    end that the quad begins at.
    """

    quads: Quads
    visible: NDArray[np.float32]
    scores: NDArray[np.float32]
    crops: Image

    @classmethod
    def of(cls, seen: CardCandidates, chosen: NDArray[np.bool_]) -> _Candidates:
        """Return what is needed here of the chosen cards."""
        return cls(seen.refined.quads, seen.visible, seen.scores, seen.recognized.crops).take(
            np.flatnonzero(chosen)
        )

    def take(self, chosen: NDArray[np.intp]) -> _Candidates:
        """Return the chosen cards."""
        return _Candidates(self.quads[chosen], self.visible[chosen], self.scores[chosen], self.crops[chosen])

    def joined(self, more: _Candidates) -> _Candidates:
        """Return these cards, and then ``more``."""
        return _Candidates(
            np.concatenate((self.quads, more.quads)),
            np.concatenate((self.visible, more.visible)),
            np.concatenate((self.scores, more.scores)),
            np.concatenate((self.crops, more.crops)),
        )


def _laid(
    scanner: Scanner, photo: Image, pack: str, classifiers: Collection[DeckClassifier]
) -> _LaidOutCards:
    seen = scanner.detect_cards(photo)
    finds = _Candidates.of(seen, seen.visible >= _LEAST_SHARE)
    grid = find_grid(finds.quads)
    if grid is None:
        crops = finds.crops
        ends = upright_evidence(scanner.recognizer, crops, pack, classifiers) if len(crops) else np.zeros(0)
        order = _reading_order(finds.quads)
        crops = np.where((ends < 0)[:, None, None, None], crops[:, ::-1, ::-1], crops)[order]
        return _LaidOutCards(crops, finds.visible[order], (None,) * len(order), 0, 0, ())
    finds, grid = _only_cards(*_with_missed(scanner, photo, finds, grid))
    # From the ends that the looks began at to the grid's.
    off, off_turned = (
        np.abs(finds.quads - ends).max(axis=(1, 2)) for ends in (grid.quads, rotate_half_turn(grid.quads))
    )
    crops = np.where((off <= off_turned)[:, None, None, None], finds.crops, finds.crops[:, ::-1, ::-1])
    ends = upright_evidence(scanner.recognizer, crops, pack, classifiers)
    if ends.sum() < 0:
        crops, ends, grid = crops[:, ::-1, ::-1], -ends, grid.upside_down()
    # A hanafuda's own end is well known; of other packs the neighbours' is the better guess.
    alone = (ends < -_TURNED) & (pack == "hanafuda")
    crops = np.where(alone[:, None, None, None], crops[:, ::-1, ::-1], crops)
    row_by_row = sorted(range(len(crops)), key=lambda number: grid.cells[number] or (grid.rows, number))
    return _LaidOutCards(
        np.ascontiguousarray(crops[row_by_row]),
        finds.visible[row_by_row],
        tuple(grid.cells[number] for number in row_by_row),
        grid.rows,
        grid.columns,
        grid.empty,
    )


def _with_missed(
    scanner: Scanner, photo: Image, finds: _Candidates, grid: CardGrid
) -> tuple[_Candidates, CardGrid]:
    """Look closely where the grid has a place without a card, and add what lies there."""
    if not grid.empty:
        return finds, grid
    places: Quads = np.stack([grid.place(cell) for cell in grid.empty])
    more = scanner.recognize_at(photo, places)
    width = np.linalg.norm(places[:, 1] - places[:, 0], axis=1)
    off = np.linalg.norm(more.refined.quads.mean(axis=1) - places.mean(axis=1), axis=1) / np.maximum(width, 1)
    there = (more.visible >= _LEAST_SHARE) & (off < _NEAR)
    cells = (*grid.cells, *(grid.empty[number] for number in np.flatnonzero(there)))
    grown = replace(grid, cells=cells, quads=np.concatenate((grid.quads, places[there])))
    return finds.joined(_Candidates.of(more, there)), grown


def _only_cards(finds: _Candidates, grid: CardGrid) -> tuple[_Candidates, CardGrid]:
    """Leave out what lies beside the grid and is no card of this deck by its size and by how surely it was found."""
    areas = np.array([_area(quad) for quad in grid.quads])
    inside = np.array([cell is not None for cell in grid.cells])
    usual = float(np.median(areas[inside]))
    alike = np.abs(np.sqrt(areas / usual) - 1) < _ALIKE
    alike &= (finds.scores >= _LEAST_SCORE) & (finds.visible >= _WHOLE)
    kept = np.flatnonzero(inside | alike)
    cells = tuple(grid.cells[number] for number in kept)
    return finds.take(kept), replace(grid, cells=cells, quads=grid.quads[kept])


def _area(quad: Quads) -> float:
    one, other = quad[2] - quad[0], quad[3] - quad[1]
    return float(abs(one[0] * other[1] - one[1] * other[0]) / 2)


def _reading_order(quads: Quads) -> NDArray[np.intp]:
    middles = quads.mean(axis=1)
    height = float(np.median(np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1))) if len(quads) else 1.0
    return np.lexsort((middles[:, 0], np.round(middles[:, 1] / max(height, 1.0))))


def _together(scanner: Scanner, laid: Sequence[_LaidOutCards]) -> list[_CellPictures]:
    """Return each card once, with its crops from all photographs that show it."""
    first = laid[0]
    shown = [
        _CellPictures(_where(cell, 1, len(laid)), cell, crop[None], float(share))
        for crop, share, cell in zip(first.crops, first.visible, first.cells, strict=True)
    ]
    embeddings = scanner.recognizer.infer(first.crops)[2]
    for photo, each in enumerate(laid[1:], start=2):
        if len(each.crops) < _SAME_DECK * len(shown):
            # Another part of the deck: its places come after those that are there.
            rows = 1 + max((one.cell[0] for one in shown if one.cell), default=-1)
            shown += [
                _CellPictures(
                    _where(cell, photo, len(laid)),
                    cell and (cell[0] + rows, cell[1]),
                    crop[None],
                    float(share),
                )
                for crop, share, cell in zip(each.crops, each.visible, each.cells, strict=True)
            ]
            embeddings = np.concatenate((embeddings, scanner.recognizer.infer(each.crops)[2]))
            continue
        alike = embeddings @ scanner.recognizer.infer(each.crops)[2].T
        same_place = np.array(
            [[one.cell == cell and cell is not None for cell in each.cells] for one in shown]
        )
        for one, other in zip(*linear_sum_assignment(-(alike + _SAME_PLACE * same_place)), strict=True):
            before = shown[one]
            pictures = np.concatenate((before.pictures, each.crops[other][None]))
            shown[one] = _CellPictures(
                before.where, before.cell, pictures, min(before.share, float(each.visible[other]))
            )
    return shown


def _where(cell: Cell | None, photo: int, photos: int) -> str:
    place = "beside the rows" if cell is None else f"row {cell[0] + 1}, column {cell[1] + 1}"
    return place if photos == 1 else f"photograph {photo}, {place}"


def _proposal(
    pack: str,
    shown: Sequence[_CellPictures],
    likelihood: Floats,
    order: LayoutOrder,
    laid: Sequence[_LaidOutCards],
) -> DeckProposal:
    ids = [card.id for card in PACKS[pack]]
    likelihood = likelihood / likelihood.sum(axis=1, keepdims=True)
    nameless = order.nameless
    joint = np.concatenate(
        (likelihood * order.prior * (1 - nameless)[:, None], np.diag(nameless / len(ids))), axis=1
    )
    cost = -np.log(np.maximum(joint, 1e-12))
    chosen = dict(zip(*(part.tolist() for part in linear_sum_assignment(cost)), strict=True))
    least = float(sum(cost[row, column] for row, column in chosen.items()))
    groups = _alike(pack)
    places = []
    for number, each in enumerate(shown):
        column = chosen[number]
        without = cost.copy()
        without[number, groups[column] if column < len(ids) else [column]] = 60.0
        margin = float(without[linear_sum_assignment(without)].sum()) - least
        sure = 1 / (1 + np.exp(-max(margin, 0.0))) if order.told else 0.5
        likely = [ids[k] for k in np.argsort(-joint[number, : len(ids)]) if k not in groups.get(column, [])]
        places.append(
            ProposedCard(
                number + 1,
                each.where,
                np.ascontiguousarray(each.pictures[..., :3]),
                ids[column] if column < len(ids) else None,
                float(sure),
                tuple(likely[:3]),
                doubtful=bool(order.told and sure < DOUBTFUL) or each.share < _WHOLE,
            )
        )
    return DeckProposal(pack, tuple(places), order.said, tuple(_notes(pack, shown, order, laid)))


def _alike(pack: str) -> dict[int, list[int]]:
    """Return for each card of the pack, by index, those that nobody need tell apart by sight: twins, copies of a rank."""
    cards = PACKS[pack]
    if pack == "kabufuda":
        return {card.index: [other.index for other in cards if other.month == card.month] for card in cards}
    return {
        card.index: [other.index for other in cards if other.id in (card.id, twin(card.id))] for card in cards
    }


def _notes(
    pack: str, shown: Sequence[_CellPictures], order: LayoutOrder, laid: Sequence[_LaidOutCards]
) -> list[str]:
    notes = []
    if not order.told:
        notes.append(
            "These cards look like none that are known here, so the names follow their places only: look at the sheet."
        )
    elif not order.by_sight:
        notes.append("The cards lie in no order that could be told: they are named by sight only.")
    for number, each in enumerate(laid, start=1):
        photo = "" if len(laid) == 1 else f" of photograph {number}"
        for row, column in each.empty:
            notes.append(
                f"No card was seen in row {row + 1}, column {column + 1}{photo}: if one lies there, take another photograph."
            )
        if not each.rows:
            notes.append(f"The cards{photo} lie in no rows and columns that could be told.")
    expected = len(PACKS[pack]) - (pack == "mekurifuda")
    if len(shown) < expected:
        notes.append(f"{len(shown)} cards were seen, and a whole deck has {expected}.")
    return notes
