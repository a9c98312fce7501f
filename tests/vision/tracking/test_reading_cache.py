"""A frame is read again where it changed, and nowhere else; no change is missed."""

from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from companion.hanafuda.cards import HANAFUDA
from vision.networks.class_ids import CLASS_OF
from vision.photograph.scanner import Scanner
from vision.pictures.crops import Image, Quads
from vision.render.rasterize import rasterize
from vision.tracking.reading_cache import ReadingCache, changed_pixels

WIDTH = 12  # of a card on the small picture, px: 72 px of a 1080p frame
QUAD = np.array([(40, 30), (40 + WIDTH, 30), (40 + WIDTH, 50), (40, 50)], np.float32)


@cache
def face(card: str) -> np.ndarray:
    """Return a card as it is seen on the small picture."""
    return np.asarray(cv2.resize(rasterize(card, 96), (WIDTH, 20), interpolation=cv2.INTER_AREA))


def table(*cards: tuple[str, int, int], size: tuple[int, int] = (180, 320)) -> np.ndarray:
    """Return a small picture of a table with cards at (x, y)."""
    picture = np.full((*size, 3), (70, 105, 140), np.float32)
    for card, x, y in cards:
        picture[y : y + 20, x : x + WIDTH] = face(card)
    return picture


FACES = {card.id: table((card.id, 40, 30), size=(72, 96)) for card in HANAFUDA}


@pytest.mark.parametrize("card", FACES)
def test_no_card_is_exchanged_for_another_unnoticed(card: str):
    others = [other for other in FACES if CLASS_OF[other] > CLASS_OF[card]]
    unnoticed = [
        other for other in others if not changed_pixels(FACES[card], FACES[other])[0][30:50, 40:52].any()
    ]
    assert unnoticed == []


@pytest.mark.parametrize("card", ["pine-crane", "susuki-chaff-1", "back"])
@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_noise_and_light_that_change_everywhere_are_no_change(card: str, noise: float):
    rng = np.random.default_rng(1)
    before = table((card, 40, 30), ("iris-bridge", 200, 90))
    for left, right in ((1.0, 1.0), (0.9, 0.9), (0.85, 1.05), (1.15, 1.0)):
        light = np.linspace(left, right, 320)[None, :, None]
        now = np.clip(before * light + rng.normal(0, noise, before.shape), 0, 255).astype(np.float32)
        assert not changed_pixels(before, now)[0].any()


def glare(picture: np.ndarray) -> np.ndarray:
    ys, xs = np.mgrid[:180, :320]
    return picture + 90 * np.exp(-(((xs - 46) / 5) ** 2 + ((ys - 40) / 5) ** 2))[..., None]


def hand(picture: np.ndarray) -> np.ndarray:
    return np.asarray(cv2.circle(picture.copy(), (52, 52), 9, (120, 150, 200), -1))


def another_on_top(picture: np.ndarray) -> np.ndarray:
    picture = picture.copy()
    picture[42:62, 47 : 47 + WIDTH] = face("plum-ribbon")
    return picture


FAULTS = {
    "glare": glare,
    "a hand": hand,
    "covered by another": another_on_top,
    "taken away": lambda picture: table(),
    "pushed aside by a tenth of its width": lambda picture: np.roll(picture, 1, axis=1),
    "turned over": lambda picture: table(("back", 40, 30)),
    "a lamp goes out": lambda picture: picture * 0.5,
    "the shadow of a head": lambda picture: picture * np.where(np.arange(320) < 70, 0.75, 1)[None, :, None],
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("card", ["pine-crane", "wisteria-ribbon", "susuki-moon"])
def test_what_befalls_a_card_is_a_change(card: str, fault: Any):
    before = table((card, 40, 30), ("iris-bridge", 200, 90))
    now = np.clip(fault(before), 0, 255).astype(np.float32)
    assert changed_pixels(before, now)[0][30:50, 40:52].any()


def test_a_change_that_creeps_in_is_noticed():
    """Each step was too small, and the picture compared with crept along."""
    reads = Reads()
    cache = ReadingCache(cast(Scanner, reads))
    one, other = (
        np.repeat(np.repeat(table((card, 40, 30)), 2, 0), 2, 1) for card in ("pine-crane", "willow-swallow")
    )
    for share in np.linspace(0, 1, 40):
        cache.read((one * (1 - share) + other * share).astype(np.uint8))
    assert len(reads.again) > 3


class Reads:
    """A scanner that notes what it is asked; it sees one card at the quad, always."""

    def __init__(self) -> None:
        self.afresh = 0
        self.again: list[list[bool]] = []
        self.fails = False

    def detect_cards(self, bgr: Image) -> Any:
        if self.fails:
            raise RuntimeError("the network broke")
        self.afresh += 1
        return SimpleNamespace(number=self.afresh)

    def update_cards(self, bgr: Image, before: Any, changed: Any) -> Any:
        places: Quads = np.stack((QUAD, QUAD + np.float32((160, 60)), QUAD - np.float32(500))) * (
            bgr.shape[1] / 320
        )
        self.again.append(changed(places).tolist())
        return SimpleNamespace(before=before)


def frame(*cards: tuple[str, int, int], noise: int = 0) -> Image:
    """Return a 1080p frame of a table."""
    small = table(*cards)
    large = cv2.resize(small, (1920, 1080), interpolation=cv2.INTER_NEAREST)
    rng = np.random.default_rng(noise)
    return np.clip(large + (rng.normal(0, 4, large.shape) if noise else 0), 0, 255).astype(np.uint8)


def test_an_unchanged_table_is_not_read_again():
    reads = Reads()
    cache = ReadingCache(cast(Scanner, reads))
    first = cache.read(frame(("pine-crane", 40, 30)))
    for noise in range(1, 4):
        assert cache.read(frame(("pine-crane", 40, 30), noise=noise)) is first
    assert (reads.afresh, reads.again) == (1, [])


def test_only_the_places_that_changed_are_read_again():
    reads = Reads()
    cache = ReadingCache(cast(Scanner, reads))
    cache.read(frame(("pine-crane", 40, 30), ("iris-bridge", 200, 90)))
    cache.read(frame(("maple-deer", 40, 30), ("iris-bridge", 200, 90)))
    assert reads.again == [[True, False, True]], "out of the picture nothing is known: it counts as changed"
    cache.read(frame(("maple-deer", 40, 30), ("plum-warbler", 200, 90)))
    assert reads.again[1:] == [[False, True, True]]
    assert reads.afresh == 1


def test_a_place_that_is_doubted_is_read_again_though_nothing_changed():
    reads = Reads()
    cache = ReadingCache(cast(Scanner, reads))
    cache.read(frame(("pine-crane", 40, 30), ("iris-bridge", 200, 90)))
    cache.read(frame(("pine-crane", 40, 30), ("iris-bridge", 200, 90)), QUAD[None] * 6)
    assert reads.again == [[True, False, True]]


def test_a_camera_of_another_size_or_place_is_read_afresh():
    reads = Reads()
    cache = ReadingCache(cast(Scanner, reads))
    cache.read(frame(("pine-crane", 40, 30)))
    cache.read(frame(("pine-crane", 40, 30))[:900])
    assert reads.afresh == 2
    cache.read(np.full((900, 1920, 3), 20, np.uint8))
    assert reads.afresh == 3


def test_after_a_failure_the_next_frame_is_read_afresh():
    reads = Reads()
    cache = ReadingCache(cast(Scanner, reads))
    cache.read(frame(("pine-crane", 40, 30)))
    reads.fails = True
    with pytest.raises(RuntimeError):
        cache.read(frame()[:900])
    reads.fails = False
    cache.read(frame())
    assert reads.afresh == 2
