"""Card art for composed scenes: decks loaded from folders, random backs and random faces."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM, HANAFUDA
from vision.networks.class_ids import BACK, CLASS_OF, UNKNOWN

Image = NDArray[np.uint8]

#: Card widths (px) at which art is stored, so that downscaling never skips source pixels.
SIZES: Final = (32, 64, 128, 256)
_ASPECT: Final = CARD_MM[1] / CARD_MM[0]
#: Faces of a deck with a mean absolute difference below this (of 255) share one identity.
_ALIKE: Final = 4.0
#: A color with all channels above this is light.
_LIGHT: Final = 140
#: Index of the blank style of `random_face`.
_BLANK: Final = 3


@dataclass(frozen=True)
class Face:
    """A card face or back: BGR art at each of ``SIZES``, its ``class_id`` (`vision.networks.class_ids`) and its ``identity``.

    Faces of one identity look alike: the same card in decks of one family, or identical cards of one deck; -1 means none.
    """

    art: tuple[Image, ...]
    class_id: int
    identity: int = -1

    def at(self, width: float) -> Image:
        """Return the smallest stored art at least ``width`` px wide."""
        for image in self.art:
            if image.shape[1] >= width:
                return image
        return self.art[-1]


@dataclass(frozen=True)
class Deck:
    """The faces of one deck; decks of one ``family`` share line art and are held out together."""

    name: str
    family: str
    faces: tuple[Face, ...]
    cards: tuple[str, ...]
    hanafuda: bool


def make_face(image: Image, class_id: int) -> Face:
    """Return a face with the BGR ``image`` (H x W x 3) at all sizes."""
    sizes = [(width, round(width * _ASPECT)) for width in SIZES]
    shrink = image.shape[1] > SIZES[-1]
    largest = cv2.resize(image, sizes[-1], interpolation=cv2.INTER_AREA if shrink else cv2.INTER_CUBIC)
    art = [cv2.resize(largest, size, interpolation=cv2.INTER_AREA) for size in sizes[:-1]]
    return Face(tuple(np.asarray(image, np.uint8) for image in (*art, largest)), class_id)


def _class_of_file(stem: str) -> int:
    if stem in CLASS_OF:
        return CLASS_OF[stem]
    month, _, index = stem.partition("-")
    if month.isdigit() and index.isdigit() and 1 <= int(month) <= 12 and 0 <= int(index) < 4:
        return CLASS_OF[HANAFUDA[(int(month) - 1) * 4 + int(index)].id]
    return UNKNOWN


def load_deck(folder: Path) -> Deck:
    """Load a deck from a folder with one picture for each card, named by card id or ``MM-I``.

    ``SOURCE.json`` may name its family. If its ``pattern`` is mekurifuda, kabufuda or tensho, all faces are of the class
    unknown. Raises `ValueError` if the folder holds no readable pictures.
    """
    source = folder / "SOURCE.json"
    metadata = json.loads(source.read_text(encoding="utf-8")) if source.exists() else {}
    pattern = str(metadata.get("pattern", ""))
    hanafuda = not any(word in pattern for word in ("mekurifuda", "kabufuda", "tensho"))
    faces, cards = [], []
    for path in sorted(folder.iterdir()):
        if path.suffix not in {".webp", ".png", ".jpg"} or path.stem == "back":
            continue
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise ValueError(f"{path} is not a picture that can be read")
        faces.append(
            make_face(np.asarray(image, np.uint8), _class_of_file(path.stem) if hanafuda else UNKNOWN)
        )
        cards.append(path.stem)
    if not faces:
        raise ValueError(f"{folder} holds no card pictures (.webp, .png or .jpg named by card id or MM-I)")
    return Deck(folder.name, str(metadata.get("family", folder.name)), tuple(faces), tuple(cards), hanafuda)


def load_decks(folders: Iterable[Path]) -> list[Deck]:
    """Load every deck folder directly under ``folders``, sorted by name, and number the identities."""
    decks = [load_deck(path) for root in folders for path in sorted(root.iterdir()) if path.is_dir()]
    numbers: dict[tuple[str, str], int] = {}
    numbered = []
    for deck in decks:
        alike = _lookalikes(deck)
        faces = tuple(
            replace(face, identity=numbers.setdefault((deck.family, alike[card]), len(numbers)))
            for face, card in zip(deck.faces, deck.cards, strict=True)
        )
        numbered.append(replace(deck, faces=faces))
    return numbered


def identity_names(decks: Iterable[Deck]) -> list[str]:
    """Return a name for each identity of ``decks``: the family and the first card with it."""
    names: dict[int, str] = {}
    for deck in decks:
        for face, card in zip(deck.faces, deck.cards, strict=True):
            names.setdefault(face.identity, f"{deck.family}/{card}")
    return [names[number] for number in range(len(names))]


def _lookalikes(deck: Deck) -> dict[str, str]:
    """Return for each card the first card of its deck that looks the same, usually itself (kabufuda have four of each)."""
    first: dict[str, str] = {}
    for card, face in zip(deck.cards, deck.faces, strict=True):
        small = face.art[0].astype(np.float32)
        same = (
            other
            for other, other_face in zip(deck.cards, deck.faces, strict=True)
            if other in first and first[other] == other and np.abs(other_face.art[0] - small).mean() < _ALIKE
        )
        first[card] = next(same, card)
    return first


def random_color(rng: np.random.Generator, low: int = 0, high: int = 256) -> tuple[int, int, int]:
    """Return a BGR color with channels in [low, high)."""
    blue, green, red = rng.integers(low, high, 3)
    return int(blue), int(green), int(red)


def random_back(rng: np.random.Generator) -> Face:
    """Return a random card back: black, red-brown or another color, sometimes with paper grain or a pattern.

    It is never as light as paper: a plain light card is a blank face.
    """
    color = [(25, 22, 22), (35, 40, 120), (30, 45, 80), (60, 30, 20), random_color(rng)][rng.integers(5)]
    if min(color) > _LIGHT:
        color = (color[0] - _LIGHT, color[1] - _LIGHT, color[2])
    image = np.empty((206, 126, 3), np.uint8)
    image[:] = color
    if rng.random() < 0.3:
        step = int(rng.integers(6, 24))
        other = random_color(rng)
        for offset in range(-206, 126, step):
            cv2.line(image, (offset, 0), (offset + 206, 206), other, int(rng.integers(1, 4)))
            if rng.random() < 0.8:
                cv2.line(image, (offset + 206, 0), (offset, 206), other, 1)
    if rng.random() < 0.3:
        cv2.rectangle(image, (0, 0), (125, 205), random_color(rng), int(rng.integers(4, 16)))
    cv2.setRNGSeed(int(rng.integers(2**31)))
    grain = cv2.randn(np.empty((206, 126), np.int16), np.zeros(1), np.full(1, rng.uniform(0, 14)))
    return make_face(np.asarray(cv2.add(image, cv2.merge((grain,) * 3), dtype=cv2.CV_8U), np.uint8), BACK)


def random_face(rng: np.random.Generator) -> Face:
    """Return a random face of no deck: shapes, western pips, mekurifuda-like figures or blank."""
    style = rng.integers(4)
    # A plain dark face would look like a back.
    paper = random_color(rng, 190) if style == _BLANK or rng.random() < 0.7 else random_color(rng)
    image = np.empty((206, 126, 3), np.uint8)
    image[:] = paper
    if style == 0:  # colored shapes and strokes, as dense as a printed flower
        for _ in range(rng.integers(2, 14)):
            points = (
                rng.normal(0, rng.uniform(8, 45), (rng.integers(3, 9), 2)) + rng.uniform(0, 1, 2) * (126, 206)
            ).astype(np.int32)
            if rng.random() < 0.6:
                cv2.fillPoly(image, [points], random_color(rng))
            else:
                cv2.polylines(
                    image, [points], bool(rng.random() < 0.5), random_color(rng), int(rng.integers(1, 7))
                )
    elif style == 1:  # pips of a western card
        color = (20, 20, 20) if rng.random() < 0.5 else (30, 30, 200)
        for _ in range(rng.integers(1, 11)):
            at = (int(rng.choice((32, 63, 94))), int(rng.choice((35, 70, 103, 136, 171))))
            cv2.circle(image, at, int(rng.integers(6, 13)), color, -1)
        cv2.putText(image, "A23456789JQK"[rng.integers(12)], (5, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.8, color, 2)
        cv2.putText(
            image, "A23456789JQK"[rng.integers(12)], (100, 198), cv2.FONT_HERSHEY_SIMPLEX, 0.8, color, 2
        )
    elif style == 2:  # bold black and red figures, as on mekurifuda
        for _ in range(rng.integers(2, 9)):
            color = (20, 20, 25) if rng.random() < 0.7 else (40, 40, 200)
            center = (int(rng.integers(10, 116)), int(rng.integers(10, 196)))
            axes = (int(rng.integers(5, 45)), int(rng.integers(5, 45)))
            thickness = -1 if rng.random() < 0.5 else int(rng.integers(2, 9))
            cv2.ellipse(
                image,
                center,
                axes,
                float(rng.uniform(0, 180)),
                0,
                float(rng.uniform(90, 361)),
                color,
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
