"""The shipped faces: complete, small, self-contained, and distinguishable as thumbnails."""

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
import resvg_py
from PIL import Image

from companion.faces import FACES, FACES_DIR, drawing_of, face_path, face_svg
from companion.hanafuda.cards import DECKS, UnknownCardError, twin
from tests.message_text import raises_text

ALL = sorted({drawing_of(name): name for name in FACES}.values())
"""One id for each drawing."""
PACKS = {
    pack: sorted({drawing_of(card.id): card.id for card in cards}.values()) for pack, cards in DECKS.items()
}


@pytest.fixture(scope="module")
def thumbnails() -> dict[str, np.ndarray]:
    """Every face at 40 px width, as colors from 0 to 1."""
    pictures = {}
    for name in ALL:
        png = bytes(resvg_py.svg_to_bytes(svg_string=face_svg(name), width=40))
        pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"), dtype=float) / 255
        pictures[name] = pixels[..., :3] * pixels[..., 3:]
    return pictures


@pytest.mark.parametrize("name", ALL)
def test_each_face_is_small_self_contained_svg(name: str) -> None:
    data = face_path(name).read_bytes()
    root = ET.fromstring(data)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("viewBox") == "0 0 330 540"
    assert len(data) <= 12 * 1024
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    # No fonts, scripts or other files: pages embed the faces, and the demo has no network.
    assert tags <= {"svg", "g", "path", "rect"}
    text = data.decode().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"href|url\(|https?:|@import|\bon\w+=|<!", text)


def test_no_stray_files() -> None:
    assert {path.stem for path in FACES_DIR.glob("*.svg")} == set(map(drawing_of, ALL))


def test_every_card_of_every_pack_has_a_face_and_only_copies_share_one() -> None:
    drawn = [face_path(card.id).stem for cards in DECKS.values() for card in cards]
    assert len(drawn) == 48 + 49 + 40 + 48
    assert (
        len(set(drawn)) == 48 + 49 + (10 + 2) + 48
    )  # four copies of each kabufuda; the red one and the silver four are unlike


@pytest.mark.parametrize("reader", [face_path, face_svg])
@pytest.mark.parametrize("wrong", ["pine-cran", "", "../__init__", "clubs-13", "kabu-2", "Back"])
def test_unknown_card(reader: Callable[[str], object], wrong: str) -> None:
    with pytest.raises(UnknownCardError):
        reader(wrong)


def test_unknown_card_tells_the_nearest() -> None:
    with raises_text(UnknownCardError, match="pine-crane"):
        face_path("pine-cran")


def test_faces_differ_at_thumbnail_size(thumbnails: dict[str, np.ndarray]) -> None:
    """Mean color difference per pixel; the two chaff of a flower are equivalent in play and may look alike."""
    alike = []
    hanafuda = {*PACKS["hanafuda"], "back"}
    for a, b in combinations(ALL, 2):
        if (a in hanafuda) != (b in hanafuda):
            continue  # nobody plays with both
        apart = float(np.abs(thumbnails[a] - thumbnails[b]).mean())
        least = 0.02  # for pips: a further one is about a fiftieth of a card
        if a in hanafuda:
            least = 0.03 if a != "back" and b != "back" and twin(a) == b else 0.08
        if apart < least:
            alike.append((a, b, round(apart, 3)))
    assert not alike


def test_faces_fill_the_card(thumbnails: dict[str, np.ndarray]) -> None:
    """Each card has its dark border on all four sides and is not blank within."""
    for name, picture in thumbnails.items():
        edges = np.concatenate([picture[0, 3:-3], picture[-1, 3:-3], picture[3:-3, 0], picture[3:-3, -1]])
        assert edges.max() < 0.35, name
        if name != "back":
            assert picture[4:-4, 4:-4].std() > 0.15, name
