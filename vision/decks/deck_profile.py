"""Deck profiles: what the cards of a deck look like, in one portable file.

A ``NAME.deck`` file is a ZIP archive of ``deck.json`` (the fields of `DeckProfile`, and the class and
orientation of each prototype), ``prototypes.i8`` (embeddings, as signed bytes), and for enrolled
decks ``pictures.webp`` (small pictures of the cards, tiled). Nothing in it is executed, and sizes are checked
before unpacking.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion import names
from companion.files import write_whole
from companion.hanafuda.cards import DECKS as PACKS
from companion.hanafuda.messages import Message
from vision.decks.card_prototypes import CardPrototypes, make_prototypes
from vision.decks.deck_errors import DeckFileError, DeckNameError
from vision.networks.class_ids import CLASS_OF, HANAFUDA_CLASSES
from vision.networks.recognizer import EMBEDDING, Recognizer
from vision.pictures.crops import RECOGNIZER_SIZE, Image
from vision.pictures.picture_decoding import read_picture
from vision.pictures.picture_files import PictureError

#: Version of the file format; files with a higher version need a newer program.
VERSION: Final = 1
_FORMAT: Final = "hanafuda-companion deck"
#: Limits for files from elsewhere, far above any real deck.
_MAX_BYTES: Final = 8 * 2**20
_MAX_PROTOTYPES: Final = 8192
_MAX_PICTURES: Final = 1024
_MAX_TEXT: Final = 2000
_COLUMNS: Final = 16
_MAX_NAME: Final = 40


@dataclass(frozen=True, eq=False)
class DeckProfile:
    """The profile of one deck.

    ``pack``: hanafuda, mekurifuda, kabufuda, or western. ``classes``: card ids of each class, several where
    cards look alike; the indices after them are ``back`` and ``unknown``. ``prototypes`` may also belong to
    unknown: cards of the deck without an id. ``pictures`` (m x 96 x 64 x 3 uint8 BGR, upright) and their
    classes ``pictured`` (m) are stored for enrolled decks only. ``trust`` (0-1): the fraction of the deck's
    cards that the recognizer names without the profile. ``weights``: fingerprint of the recognizer that made
    the prototypes. ``made``: ISO time.
    """

    name: str
    pack: str
    classes: tuple[tuple[str, ...], ...]
    prototypes: CardPrototypes
    pictures: Image
    pictured: NDArray[np.intp]
    trust: float
    weights: str
    source: str = ""
    license: str = ""
    made: str = ""

    @property
    def back(self) -> int:
        """Class index of a face-down card."""
        return len(self.classes)

    @property
    def unknown(self) -> int:
        """Class index of everything that is not a card of this deck."""
        return len(self.classes) + 1

    @property
    def cards(self) -> tuple[str, ...]:
        """All card ids, class by class."""
        return tuple(card for class_id in self.classes for card in class_id)

    def renewed(self, recognizer: Recognizer) -> DeckProfile:
        """Return the profile with its pictures embedded again by ``recognizer``; itself if the weights are
        the same or there are no pictures.
        """
        if self.weights == recognizer.fingerprint or not len(self.pictures):
            return self
        prototypes = make_prototypes(recognizer, self.pictures, self.pictured)
        trust = _trust(recognizer, self.classes, self.pictures, self.pictured)
        return replace(self, prototypes=prototypes, trust=trust, weights=recognizer.fingerprint)

    def without_pictures(self) -> DeckProfile:
        """Return the profile as it is shipped, with embeddings only."""
        return replace(self, pictures=self.pictures[:0], pictured=self.pictured[:0])

    def to_bytes(self) -> bytes:
        """Return the contents of a ``.deck`` file."""
        header = {
            "format": _FORMAT,
            "version": VERSION,
            "name": self.name,
            "pack": self.pack,
            "kinds": self.classes,
            "source": self.source,
            "license": self.license,
            "made": self.made,
            "weights": self.weights,
            "trust": round(self.trust, 4),
            "prototypes": self.prototypes.classes.tolist(),
            "upright": self.prototypes.upright.astype(int).tolist(),
            "pictures": self.pictured.tolist(),
        }
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("deck.json", json.dumps(header, ensure_ascii=False))
            archive.writestr("prototypes.i8", _to_bytes(self.prototypes.embeddings))
            if len(self.pictures):
                archive.writestr("pictures.webp", _tile(self.pictures))
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> DeckProfile:
        """Parse the contents of a ``.deck`` file. Raises `DeckFileError` if they are invalid, damaged, or
        of a newer version.
        """
        if len(data) > _MAX_BYTES:
            raise DeckFileError(Message("not-a-deck-file", {"reason": f"more than {_MAX_BYTES // 2**20} MB"}))
        header, embeddings, sheet = _unpack(data)
        try:
            return _parse(header, embeddings, sheet)
        except (KeyError, TypeError, ValueError, OverflowError, PictureError) as error:
            if isinstance(error, DeckFileError):
                raise
            raise DeckFileError(_damaged(_shorten(error))) from error

    def save(self, path: Path) -> None:
        """Write the file atomically."""
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: Path) -> DeckProfile:
        """Read a ``.deck`` file. Raises `DeckFileError` if it cannot be read or is invalid."""
        try:
            with path.open("rb") as file:
                data = file.read(_MAX_BYTES + 1)
        except OSError as error:
            raise DeckFileError(Message("file-unreadable", {"reason": error.strerror or ""})) from error
        return cls.from_bytes(data)


def make_profile(
    name: str,
    pack: str,
    pictures: Image,
    cards: Sequence[str | None],
    recognizer: Recognizer,
    *,
    source: str = "",
    license: str = "",
) -> DeckProfile:
    """Make a profile from upright ``pictures`` (n x 96 x 64 x 3 uint8 BGR) of ``cards`` (n ids; None for a
    card without an id).

    Twins share a class, and so do copies of a kabufuda rank that look alike.
    """
    # The first prototype of each picture is the upright whole card, which decides what looks alike.
    prototypes = make_prototypes(recognizer, pictures, np.arange(len(pictures)))
    classes = _merge_lookalikes(pack, pictures, prototypes.embeddings[: len(pictures)], cards)
    index = {card: number for number, class_id in enumerate(classes) for card in class_id}
    pictured = np.array([len(classes) + 1 if card is None else index[card] for card in cards], np.intp)
    return DeckProfile(
        name,
        pack,
        classes,
        replace(prototypes, classes=pictured[prototypes.classes]),
        pictures,
        pictured,
        _trust(recognizer, classes, pictures, pictured),
        recognizer.fingerprint,
        source,
        license,
        datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    )


def tidy_name(name: str) -> str:
    """Return the normalized name of a deck: letters, digits, ``-``, and ``_``, at most `_MAX_NAME`. Raises
    `DeckNameError`.
    """
    tidy = "-".join(names.tidy_name(name).split())
    if not 0 < len(tidy) <= _MAX_NAME or not all(sign.isalnum() or sign in "-_" for sign in tidy):
        raise DeckNameError(
            Message("problem-bad-deck-name", {"name": repr(_shorten(name)), "max": _MAX_NAME})
        )
    if tidy.casefold() in PACKS:
        raise DeckNameError(Message("deck-name-taken", {"name": tidy}))
    return tidy


#: Copies of a rank look alike if the mean square difference of their pictures (normalized to variance 1) is less than this.
#: If any two pictures differ by less than `_MAX_SCAN_DIFFERENCE`, they are scans or drawings and directly comparable;
#: otherwise they are photographs in varying light, and the cosine of their embeddings decides (`_MIN_COSINE`).
_MAX_DIFFERENCE: Final = 0.3
_MAX_SCAN_DIFFERENCE: Final = 0.02
_MIN_COSINE: Final = 0.88


def _merge_lookalikes(
    pack: str, pictures: Image, embeddings: NDArray[np.float32], cards: Sequence[str | None]
) -> tuple[tuple[str, ...], ...]:
    """Return the classes of the pictured cards, in the order of the pack.

    A twin, or copy of a rank, without a picture joins the class of its pictured equivalent.
    """
    first = {card: number for number, card in reversed([*enumerate(cards)]) if card is not None}
    small = [_small(picture) for picture in pictures]
    classes: list[tuple[str, ...]] = []
    for group in _groups(pack):
        pictured = [card for card in group if card in first]
        rows = [first[card] for card in pictured]
        # Every game treats the two chaff cards of a flower as equivalent, however they are printed.
        lookalike = _lookalike([small[row] for row in rows], embeddings[rows]) | (pack == "hanafuda")
        merged = [[pictured[member] for member in members] for members in _clusters(lookalike)]
        if merged:
            merged[-1] += [card for card in group if card not in first]
        classes += map(tuple, merged)
    return tuple(classes)


def _lookalike(pictures: Sequence[NDArray[np.float32]], embeddings: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which of n pictures (as of `_small`) look alike, as an n x n matrix."""
    count = len(pictures)
    differences = np.array(
        [np.mean((one - other) ** 2) for one in pictures for other in pictures], np.float64
    )
    differences = differences.reshape(count, count)
    comparable = bool((differences[np.triu_indices(count, 1)] < _MAX_SCAN_DIFFERENCE).any())
    return differences < _MAX_DIFFERENCE if comparable else embeddings @ embeddings.T > _MIN_COSINE


def _clusters(lookalike: NDArray[np.bool_]) -> list[list[int]]:
    """Return the members of each class: every picture joins the first class whose first picture looks like it."""
    clusters: list[list[int]] = []
    for member in range(len(lookalike)):
        cluster = next((each for each in clusters if lookalike[each[0], member]), None)
        if cluster is None:
            clusters.append([member])
        else:
            cluster.append(member)
    return clusters


def _groups(pack: str) -> list[tuple[str, ...]]:
    """Return the cards of a pack in its order, grouped by which may look alike."""
    if pack == "hanafuda":
        return list(HANAFUDA_CLASSES)
    ids = [card.id for card in PACKS[pack]]
    if pack == "kabufuda":
        return [tuple(ids[start : start + 4]) for start in range(0, len(ids), 4)]
    return [(card,) for card in ids]


def _small(picture: Image) -> NDArray[np.float32]:
    """Return a picture scaled to 16 x 24 px, without its mean color and with unit variance."""
    small = cv2.resize(picture, (16, 24), interpolation=cv2.INTER_AREA).astype(np.float32)
    small -= small.mean(axis=(0, 1))
    return np.asarray(small / max(float(small.std()), 1.0), np.float32)


def _trust(
    recognizer: Recognizer, classes: tuple[tuple[str, ...], ...], pictures: Image, pictured: NDArray[np.intp]
) -> float:
    """Return the fraction of a hanafuda deck's pictures that the recognizer names correctly without the
    profile.
    """
    own = [
        (picture, classes[class_id][0])
        for picture, class_id in zip(pictures, pictured, strict=True)
        if class_id < len(classes)
    ]
    if not own or any(card not in CLASS_OF for _, card in own):
        return 0.0
    whole = np.full((len(own), RECOGNIZER_SIZE[1], RECOGNIZER_SIZE[0], 1), 255, np.uint8)
    logits, _, _ = recognizer.infer(
        np.concatenate((np.stack([picture for picture, _ in own]), whole), axis=3)
    )
    return float(np.mean(logits.argmax(axis=1) == [CLASS_OF[card] for _, card in own]))


def _tile(pictures: Image) -> bytes:
    width, height = RECOGNIZER_SIZE
    rows = -(-len(pictures) // _COLUMNS)
    sheet = np.zeros((rows * height, _COLUMNS * width, 3), np.uint8)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, _COLUMNS)
        sheet[row * height : (row + 1) * height, column * width : (column + 1) * width] = picture
    return cv2.imencode(".webp", sheet, [cv2.IMWRITE_WEBP_QUALITY, 92])[1].tobytes()


def _untile(sheet: Image, count: int) -> Image:
    width, height = RECOGNIZER_SIZE
    rows = -(-count // _COLUMNS)
    if sheet.shape != (rows * height, _COLUMNS * width, 3):
        raise DeckFileError(_damaged("the number of its pictures is wrong"))
    tiles = sheet.reshape(rows, height, _COLUMNS, width, 3).swapaxes(1, 2).reshape(-1, height, width, 3)
    return np.ascontiguousarray(tiles[:count])


def _unpack(data: bytes) -> tuple[Mapping[str, Any], bytes, bytes | None]:
    """Return the header, the embeddings, and the picture sheet, checked against the size limits."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            header = json.loads(_member(archive, "deck.json"))
            embeddings = _member(archive, "prototypes.i8")
            sheet = _member(archive, "pictures.webp") if "pictures.webp" in names else None
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, OSError, RuntimeError, ValueError) as error:
        # RuntimeError: an encrypted archive, an unknown compression, and JSON nested too deep.
        if isinstance(error, DeckFileError):
            raise
        raise DeckFileError(Message("not-a-deck-file", {"reason": _shorten(error)})) from error
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise DeckFileError(Message("not-a-deck-file", {"reason": "no deck header"}))
    version = header.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise DeckFileError(Message("deck-file-newer", {"version": _shorten(version), "known": VERSION}))
    return header, embeddings, sheet


def _to_bytes(embeddings: NDArray[np.float32]) -> bytes:
    """Return unit vectors as bytes, each in steps of a 127th of its largest component: those of shipped decks turn by at most 0.6°."""
    largest = np.abs(embeddings).max(axis=1, keepdims=True)
    return bytes(np.rint(embeddings / np.maximum(largest, 1e-6) * 127).astype(np.int8))


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as member:
        data = member.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise DeckFileError(Message("not-a-deck-file", {"reason": f"more than {_MAX_BYTES // 2**20} MB"}))
    return data


def _parse(header: Mapping[str, Any], embeddings: bytes, sheet: bytes | None) -> DeckProfile:
    pack = header["pack"]
    if pack not in PACKS:
        raise DeckFileError(Message("deck-file-unknown-pack", {"pack": _shorten(pack)}))
    classes = _parse_classes(pack, header["kinds"])
    pictured = _indices(header["pictures"], len(header["pictures"]), len(classes))
    pictures = np.zeros((0, RECOGNIZER_SIZE[1], RECOGNIZER_SIZE[0], 3), np.uint8)
    if len(pictured):
        if sheet is None or len(pictured) > _MAX_PICTURES:
            raise DeckFileError(_damaged("its pictures are missing, or too many"))
        pictures = _untile(np.asarray(read_picture(sheet), np.uint8), len(pictured))
    weights, source, license_text, made = (
        _check_text(header[key]) for key in ("weights", "source", "license", "made")
    )
    return DeckProfile(
        tidy_name(_check_text(header["name"])),
        pack,
        classes,
        _parse_prototypes(header, embeddings, len(classes)),
        pictures,
        pictured,
        float(np.clip(float(header["trust"]), 0, 1)),
        weights,
        source,
        license_text,
        made,
    )


def _parse_classes(pack: str, value: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    classes = tuple(tuple(class_id) for class_id in value)
    cards = [card for class_id in classes for card in class_id]
    ids = {card.id for card in PACKS[pack]}
    if not cards or not ids.issuperset(cards) or len(set(cards)) < len(cards) or not all(classes):
        raise DeckFileError(_damaged(f"its classes must contain {pack} cards, each at most once"))
    return classes


def _parse_prototypes(header: Mapping[str, Any], embeddings: bytes, classes: int) -> CardPrototypes:
    vectors = np.frombuffer(embeddings, np.int8).astype(np.float32).reshape(-1, EMBEDDING)
    if not len(vectors) or len(vectors) > _MAX_PROTOTYPES or not vectors.any(axis=1).all():
        raise DeckFileError(_damaged("its prototypes are missing, invalid, or too many"))
    numbers = _indices(header["prototypes"], len(vectors), classes)
    upright = _indices(header["upright"], len(vectors), 0) == 1
    return CardPrototypes(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), numbers, upright)


def _indices(value: object, count: int, classes: int) -> NDArray[np.intp]:
    """Return ``count`` class indices, excluding the back's and any beyond unknown."""
    numbers = np.array(value)
    if numbers.shape != (count,) or (count and numbers.dtype.kind != "i"):
        raise DeckFileError(_damaged("its parts have inconsistent lengths"))
    if count and (
        numbers.min() < 0 or numbers.max() > classes + 1 or (classes and (numbers == classes).any())
    ):
        raise DeckFileError(_damaged("it refers to classes that it does not contain"))
    return numbers.astype(np.intp)


def _check_text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _MAX_TEXT or not value.isprintable():
        raise DeckFileError(_damaged(f"{_shorten(value)} is not a valid text"))
    return value


def _shorten(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _damaged(reason: str) -> Message:
    return Message("not-a-deck-file", {"reason": reason})
