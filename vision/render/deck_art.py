"""Card art for composed scenes: decks from folders, backs, and random faces that are no deck at all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import HANAFUDA
from vision.networks.class_ids import BACK, KIND_OF, UNKNOWN

Image = NDArray[np.uint8]

#: Card widths in px at which art is kept, so that shrinking never skips source pixels.
SIZES: Final = (32, 64, 128, 256)
#: Nominal card, mm (a hanafuda card is 33 x 54).
CARD_MM: Final = (33.0, 54.0)
_ASPECT: Final = CARD_MM[1] / CARD_MM[0]
#: Faces of a deck that differ less than this on average (of 255) are one identity.
_ALIKE: Final = 4.0
#: A colour whose channels are all above this is pale.
_PALE: Final = 140
#: The style of a random face that is left blank.
_BLANK: Final = 3


@dataclass(frozen=True)
class Face:
    """One card face (or back): BGR art at each of ``SIZES``, the class it is an example of, and its ``identity``.

    Faces of one identity look alike: the same card of decks of one family, or twins of one deck. -1 is nobody's face.
    """

    art: tuple[Image, ...]
    kind: int
    identity: int = -1

    def at(self, width: float) -> Image:
        """Return the smallest stored art at least ``width`` px wide."""
        for image in self.art:
            if image.shape[1] >= width:
                return image
        return self.art[-1]


@dataclass(frozen=True)
class Deck:
    """The faces of one deck; decks of one ``family`` share their line art and are held out together."""

    name: str
    family: str
    faces: tuple[Face, ...]
    cards: tuple[str, ...]
    hanafuda: bool


def make_face(image: Image, kind: int) -> Face:
    """Store BGR ``image`` (H x W x 3) at all sizes."""
    sizes = [(width, round(width * _ASPECT)) for width in SIZES]
    shrink = image.shape[1] > SIZES[-1]
    largest = cv2.resize(image, sizes[-1], interpolation=cv2.INTER_AREA if shrink else cv2.INTER_CUBIC)
    art = [cv2.resize(largest, size, interpolation=cv2.INTER_AREA) for size in sizes[:-1]]
    return Face(tuple(np.asarray(image, np.uint8) for image in (*art, largest)), kind)


def _kind_of_file(stem: str) -> int:
    if stem in KIND_OF:
        return KIND_OF[stem]
    month, _, index = stem.partition("-")
    if month.isdigit() and index.isdigit() and 1 <= int(month) <= 12 and 0 <= int(index) < 4:
        return KIND_OF[HANAFUDA[(int(month) - 1) * 4 + int(index)].id]
    return UNKNOWN


def load_deck(folder: Path) -> Deck:
    """Read one deck: a picture a card, named by card id or ``MM-I``; ``SOURCE.json`` may name its family.

    Decks whose ``pattern`` says mekurifuda, kabufuda or tensho are no hanafuda: all their faces are unknown cards.
    Raises ValueError when the folder holds no pictures.
    """
    source = folder / "SOURCE.json"
    about = json.loads(source.read_text(encoding="utf-8")) if source.exists() else {}
    pattern = str(about.get("pattern", ""))
    hanafuda = not any(word in pattern for word in ("mekurifuda", "kabufuda", "tensho"))
    faces, cards = [], []
    for path in sorted(folder.iterdir()):
        if path.suffix not in {".webp", ".png", ".jpg"} or path.stem == "back":
            continue
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise ValueError(f"{path} is not a picture that can be read")
        faces.append(
            make_face(np.asarray(image, np.uint8), _kind_of_file(path.stem) if hanafuda else UNKNOWN)
        )
        cards.append(path.stem)
    if not faces:
        raise ValueError(f"{folder} holds no card pictures (.webp, .png or .jpg named by card id or MM-I)")
    return Deck(folder.name, str(about.get("family", folder.name)), tuple(faces), tuple(cards), hanafuda)


def load_decks(folders: Iterable[Path]) -> list[Deck]:
    """Read every deck folder found directly under ``folders``, in name order, and number the identities."""
    decks = [load_deck(path) for root in folders for path in sorted(root.iterdir()) if path.is_dir()]
    numbers: dict[tuple[str, str], int] = {}
    numbered = []
    for deck in decks:
        alike = _look_alikes(deck)
        faces = tuple(
            replace(face, identity=numbers.setdefault((deck.family, alike[card]), len(numbers)))
            for face, card in zip(deck.faces, deck.cards, strict=True)
        )
        numbered.append(replace(deck, faces=faces))
    return numbered


def identity_names(decks: Iterable[Deck]) -> list[str]:
    """Return a name for each identity of ``decks``: the family and the first card that has it."""
    names: dict[int, str] = {}
    for deck in decks:
        for face, card in zip(deck.faces, deck.cards, strict=True):
            names.setdefault(face.identity, f"{deck.family}/{card}")
    return [names[number] for number in range(len(names))]


def _look_alikes(deck: Deck) -> dict[str, str]:
    """Return for each card the first one of its deck that looks the same, mostly itself (kabufuda come in fours)."""
    first: dict[str, str] = {}
    for card, face in zip(deck.cards, deck.faces, strict=True):
        small = face.art[0].astype(np.float32)
        same = (
            other
            for other, its in zip(deck.cards, deck.faces, strict=True)
            if other in first and first[other] == other and np.abs(its.art[0] - small).mean() < _ALIKE
        )
        first[card] = next(same, card)
    return first


def random_colour(rng: np.random.Generator, low: int = 0, high: int = 256) -> tuple[int, int, int]:
    """Return a BGR colour with channels in [low, high)."""
    blue, green, red = rng.integers(low, high, 3)
    return int(blue), int(green), int(red)


def random_back(rng: np.random.Generator) -> Face:
    """Draw a card back: plain black, red-brown or another colour, sometimes with paper grain or a pattern.

    None is as pale as paper: a card of one pale colour is a blank one.
    """
    colour = [(25, 22, 22), (35, 40, 120), (30, 45, 80), (60, 30, 20), random_colour(rng)][rng.integers(5)]
    if min(colour) > _PALE:
        colour = (colour[0] - _PALE, colour[1] - _PALE, colour[2])
    image = np.empty((206, 126, 3), np.uint8)
    image[:] = colour
    if rng.random() < 0.3:
        step = int(rng.integers(6, 24))
        other = random_colour(rng)
        for offset in range(-206, 126, step):
            cv2.line(image, (offset, 0), (offset + 206, 206), other, int(rng.integers(1, 4)))
            if rng.random() < 0.8:
                cv2.line(image, (offset + 206, 0), (offset, 206), other, 1)
    if rng.random() < 0.3:
        cv2.rectangle(image, (0, 0), (125, 205), random_colour(rng), int(rng.integers(4, 16)))
    cv2.setRNGSeed(int(rng.integers(2**31)))
    grain = cv2.randn(np.empty((206, 126), np.int16), np.zeros(1), np.full(1, rng.uniform(0, 14)))
    return make_face(np.asarray(cv2.add(image, cv2.merge((grain,) * 3), dtype=cv2.CV_8U), np.uint8), BACK)


def random_face(rng: np.random.Generator) -> Face:
    """Draw a face of no deck: random shapes, stripes, dots, a blank, or a western card's pips."""
    style = rng.integers(4)
    # A card of one colour that is not pale would be a back.
    paper = random_colour(rng, 190) if style == _BLANK or rng.random() < 0.7 else random_colour(rng)
    image = np.empty((206, 126, 3), np.uint8)
    image[:] = paper
    if style == 0:  # coloured blobs and strokes, as dense as a printed flower
        for _ in range(rng.integers(2, 14)):
            points = (
                rng.normal(0, rng.uniform(8, 45), (rng.integers(3, 9), 2)) + rng.uniform(0, 1, 2) * (126, 206)
            ).astype(np.int32)
            if rng.random() < 0.6:
                cv2.fillPoly(image, [points], random_colour(rng))
            else:
                cv2.polylines(
                    image, [points], bool(rng.random() < 0.5), random_colour(rng), int(rng.integers(1, 7))
                )
    elif style == 1:  # pips of a western card
        colour = (20, 20, 20) if rng.random() < 0.5 else (30, 30, 200)
        for _ in range(rng.integers(1, 11)):
            at = (int(rng.choice((32, 63, 94))), int(rng.choice((35, 70, 103, 136, 171))))
            cv2.circle(image, at, int(rng.integers(6, 13)), colour, -1)
        cv2.putText(
            image, "A23456789JQK"[rng.integers(12)], (5, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.8, colour, 2
        )
        cv2.putText(
            image, "A23456789JQK"[rng.integers(12)], (100, 198), cv2.FONT_HERSHEY_SIMPLEX, 0.8, colour, 2
        )
    elif style == 2:  # bold black and red figures, as on mekurifuda
        for _ in range(rng.integers(2, 9)):
            colour = (20, 20, 25) if rng.random() < 0.7 else (40, 40, 200)
            centre = (int(rng.integers(10, 116)), int(rng.integers(10, 196)))
            axes = (int(rng.integers(5, 45)), int(rng.integers(5, 45)))
            thickness = -1 if rng.random() < 0.5 else int(rng.integers(2, 9))
            cv2.ellipse(
                image,
                centre,
                axes,
                float(rng.uniform(0, 180)),
                0,
                float(rng.uniform(90, 361)),
                colour,
                thickness,
            )
    if rng.random() < 0.6:
        cv2.rectangle(
            image,
            (0, 0),
            (125, 205),
            [(20, 20, 20), (40, 50, 110), (30, 30, 190)][rng.integers(3)],
            int(rng.integers(2, 14)),
        )
    return make_face(image, UNKNOWN)
