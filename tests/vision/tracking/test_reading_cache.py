"""Changed places of a frame are read again, other places are not, and no change is missed."""

from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from companion.hanafuda.cards import HANAFUDA
from hanafuda_training.render.rasterize import rasterize
from vision.networks.class_ids import CLASS_OF
from vision.photograph.card_scale import Box
from vision.photograph.scanner import Scanner
from vision.pictures.crops import Image, Quads
from vision.tracking.reading_cache import ReadingCache, changed_pixels

WIDTH = 12  # width of a card in the small picture, px (72 px in a 1080p frame)
QUAD = np.array([(40, 30), (40 + WIDTH, 30), (40 + WIDTH, 50), (40, 50)], np.float32)


@cache
def face(card: str) -> np.ndarray:
    """Return a card as it appears in the small picture."""
    return np.asarray(cv2.resize(rasterize(card, 96), (WIDTH, 20), interpolation=cv2.INTER_AREA))


def table(*cards: tuple[str, int, int], size: tuple[int, int] = (180, 320)) -> np.ndarray:
    """Return a small picture of a table with cards at (x, y)."""
    picture = np.full((*size, 3), (70, 105, 140), np.float32)
    for card, x, y in cards:
        picture[y : y + 20, x : x + WIDTH] = face(card)
    return picture


FACES = {card.id: table((card.id, 40, 30), size=(72, 96)) for card in HANAFUDA}


@pytest.mark.parametrize("card", FACES)
def test_an_exchanged_card_is_a_change(card: str):
    others = [other for other in FACES if CLASS_OF[other] > CLASS_OF[card]]
    unnoticed = [
        other for other in others if not changed_pixels(FACES[card], FACES[other])[0][30:50, 40:52].any()
    ]
    assert unnoticed == []


@pytest.mark.parametrize("card", ["pine-crane", "susuki-chaff-1", "back"])
@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_noise_and_global_light_changes_are_no_change(card: str, noise: float):
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


def card_on_top(picture: np.ndarray) -> np.ndarray:
    picture = picture.copy()
    picture[42:62, 47 : 47 + WIDTH] = face("plum-ribbon")
    return picture


FAULTS = {
    "glare": glare,
    "a hand": hand,
    "covered by another": card_on_top,
    "taken away": lambda picture: table(),
    "pushed aside by a tenth of its width": lambda picture: np.roll(picture, 1, axis=1),
    "turned over": lambda picture: table(("back", 40, 30)),
    "a lamp goes out": lambda picture: picture * 0.5,
    "the shadow of a head": lambda picture: picture * np.where(np.arange(320) < 70, 0.75, 1)[None, :, None],
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("card", ["pine-crane", "wisteria-ribbon", "susuki-moon"])
def test_glare_a_hand_or_a_card_on_top_is_a_change(card: str, fault: Any):
    before = table((card, 40, 30), ("iris-bridge", 200, 90))
    now = np.clip(fault(before), 0, 255).astype(np.float32)
    assert changed_pixels(before, now)[0][30:50, 40:52].any()


def test_a_gradual_change_is_detected():
    """Each step is below the threshold, and the reference picture must not follow."""
    recording = RecordingScanner()
    cache = ReadingCache(cast(Scanner, recording))
    one, other = (
        np.repeat(np.repeat(table((card, 40, 30)), 2, 0), 2, 1) for card in ("pine-crane", "willow-swallow")
    )
    for fraction in np.linspace(0, 1, 40):
        cache.read((one * (1 - fraction) + other * fraction).astype(np.uint8))
    assert len(recording.changed_flags) > 3


class RecordingScanner:
    """A scanner that records its calls and always detects one card at the quad."""

    def __init__(self) -> None:
        self.full_count = 0
        self.changed_flags: list[list[bool]] = []
        self.fails = False
        self.part: Box | None = None

    def detect_cards(self, bgr: Image) -> Any:
        if self.fails:
            raise RuntimeError("the network broke")
        self.full_count += 1
        return SimpleNamespace(number=self.full_count)

    def update_cards(self, bgr: Image, before: Any, changed: Any, part: Box) -> Any:
        self.part = part
        places: Quads = np.stack((QUAD, QUAD + np.float32((160, 60)), QUAD - np.float32(500))) * (
            bgr.shape[1] / 320
        )
        self.changed_flags.append(changed(places).tolist())
        return SimpleNamespace(before=before)


def frame(*cards: tuple[str, int, int], noise: int = 0) -> Image:
    """Return a 1080p frame of a table."""
    small = table(*cards)
    large = cv2.resize(small, (1920, 1080), interpolation=cv2.INTER_NEAREST)
    rng = np.random.default_rng(noise)
    return np.clip(large + (rng.normal(0, 4, large.shape) if noise else 0), 0, 255).astype(np.uint8)


def test_an_unchanged_table_is_not_read_again():
    recording = RecordingScanner()
    cache = ReadingCache(cast(Scanner, recording))
    first = cache.read(frame(("pine-crane", 40, 30)))
    for noise in range(1, 4):
        assert cache.read(frame(("pine-crane", 40, 30), noise=noise)) is first
    assert (recording.full_count, recording.changed_flags) == (1, [])


def test_only_changed_places_are_read_again():
    recording = RecordingScanner()
    cache = ReadingCache(cast(Scanner, recording))
    cache.read(frame(("pine-crane", 40, 30), ("iris-bridge", 200, 90)))
    cache.read(frame(("maple-deer", 40, 30), ("iris-bridge", 200, 90)))
    assert recording.changed_flags == [[True, False, True]], "places outside the picture count as changed"
    assert recording.part is not None
    left, top, right, bottom = recording.part
    corners = QUAD * 6  # the frame has six times the size
    assert ((left, top) <= corners.min(axis=0)).all()
    assert (corners.max(axis=0) <= (right, bottom)).all()
    assert (right - left) * (bottom - top) < 2 * np.prod(np.ptp(corners, axis=0))
    cache.read(frame(("maple-deer", 40, 30), ("plum-warbler", 200, 90)))
    assert recording.changed_flags[1:] == [[False, True, True]]
    assert recording.full_count == 1


def test_an_uncertain_place_is_read_again_without_a_change():
    recording = RecordingScanner()
    cache = ReadingCache(cast(Scanner, recording))
    cache.read(frame(("pine-crane", 40, 30), ("iris-bridge", 200, 90)))
    cache.read(frame(("pine-crane", 40, 30), ("iris-bridge", 200, 90)), QUAD[None] * 6)
    assert recording.changed_flags == [[True, False, True]]


def test_another_frame_size_or_camera_position_is_read_completely():
    recording = RecordingScanner()
    cache = ReadingCache(cast(Scanner, recording))
    cache.read(frame(("pine-crane", 40, 30)))
    cache.read(frame(("pine-crane", 40, 30))[:900])
    assert recording.full_count == 2
    cache.read(np.full((900, 1920, 3), 20, np.uint8))
    assert recording.full_count == 3


def test_after_an_error_the_next_frame_is_read_completely():
    recording = RecordingScanner()
    cache = ReadingCache(cast(Scanner, recording))
    cache.read(frame(("pine-crane", 40, 30)))
    recording.fails = True
    with pytest.raises(RuntimeError):
        cache.read(frame()[:900])
    recording.fails = False
    cache.read(frame())
    assert recording.full_count == 2
