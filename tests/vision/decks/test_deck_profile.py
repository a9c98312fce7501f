"""Deck files are read as they were written, and other files are rejected."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hanafuda.cards import DECKS
from companion.messages import error_text
from tests.message_text import raises_text
from tests.vision.drawn_decks import PixelRecognizer, a_deck, drawn
from vision.decks.card_prototypes import CardPrototypes
from vision.decks.deck_errors import DeckFileError, DeckNameError
from vision.decks.deck_profile import DeckProfile, make_profile, tidy_name
from vision.networks.recognizer import EMBEDDING

TEXT = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x9FFF, exclude_categories=("C", "Z")), max_size=30
)


@st.composite
def profiles(draw: st.DrawFn) -> DeckProfile:
    pack = draw(st.sampled_from(sorted(DECKS)))
    ids = draw(
        st.lists(st.sampled_from([card.id for card in DECKS[pack]]), min_size=1, max_size=12, unique=True)
    )
    cuts = sorted(draw(st.sets(st.integers(1, max(1, len(ids) - 1)), max_size=4)) | {len(ids)})
    classes = tuple(tuple(ids[a:b]) for a, b in zip([0, *cuts], cuts, strict=False) if a < b)
    indices = st.sampled_from([*range(len(classes)), len(classes) + 1])
    own = draw(st.lists(indices, min_size=1, max_size=20))
    pictured = draw(st.lists(indices, max_size=20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    vectors = rng.normal(size=(len(own), EMBEDDING))
    smooth = rng.integers(0, 256, (len(pictured), 4, 4, 3)).repeat(24, axis=1).repeat(16, axis=2)
    return DeckProfile(
        draw(
            st.from_regex(r"[A-Za-z0-9松鶴_-]{1,40}", fullmatch=True).filter(
                lambda n: n.casefold() not in DECKS
            )
        ),
        pack,
        classes,
        CardPrototypes(
            (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32),
            np.array(own, np.intp),
            rng.random(len(own)) < 0.5,
        ),
        smooth.astype(np.uint8),
        np.array(pictured, np.intp),
        draw(st.sampled_from([0.0, 0.25, 1.0])),
        "0123456789abcdef",
        draw(TEXT),
        draw(TEXT),
        "2026-11-21T12:00:00Z",
    )


@settings(max_examples=30, deadline=None)
@given(profiles())
def test_a_saved_profile_is_read_unchanged(profile: DeckProfile):
    back = DeckProfile.from_bytes(profile.to_bytes())
    for name in ("name", "pack", "classes", "trust", "weights", "source", "license", "made", "cards"):
        assert getattr(back, name) == getattr(profile, name)
    assert np.array_equal(back.prototypes.classes, profile.prototypes.classes)
    assert np.array_equal(back.prototypes.upright, profile.prototypes.upright)
    assert (back.prototypes.embeddings * profile.prototypes.embeddings).sum(
        axis=1
    ).min() > 0.999  # stored in 8 bits
    assert np.array_equal(back.pictured, profile.pictured)
    assert back.pictures.shape == profile.pictures.shape
    if len(profile.pictures):  # WebP is lossy, but each picture is closest to its own original
        assert np.abs(back.pictures.astype(int) - profile.pictures).mean(axis=(1, 2, 3)).max() < 12


def test_saving_writes_one_complete_file(tmp_path):
    path = tmp_path / "new" / "drawn.deck"
    a_deck().save(path)
    assert DeckProfile.load(path).cards == a_deck().cards
    assert [file.name for file in path.parent.iterdir()] == ["drawn.deck"]


DATA = a_deck(count=9).to_bytes()


def changed(**header: object) -> bytes:
    """Return the deck file with a changed header."""
    parts = {}
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        for name in archive.namelist():
            parts[name] = archive.read(name)
    parts["deck.json"] = json.dumps({**json.loads(parts["deck.json"]), **header}).encode()
    return zipped(parts)


def zipped(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return file.getvalue()


@pytest.mark.parametrize(
    "header",
    [
        {"version": 99},
        {"version": "1"},
        {"format": "another"},
        {"pack": "tarot"},
        {"pack": "hanafuda"},
        {"pack": ["hanafuda"]},
        {"kinds": []},
        {"kinds": [[]]},
        {"kinds": [["clubs-1"], ["clubs-1"]]},
        {"kinds": [["clubs-1", "pine-crane"]]},
        {"kinds": 3},
        {"name": "../../etc/passwd"},
        {"name": "hanafuda"},
        {"name": None},
        {"prototypes": [0]},
        {"prototypes": "0" * 90},
        {"prototypes": [0.5] * 90},
        {"prototypes": [9] * 90},
        {"prototypes": [-1] * 90},
        {"prototypes": [[0]] * 90},
        {"pictures": [0] * 2000},
        {"pictures": [0] * 40},
        {"pictures": None},
        {"trust": "very"},
        {"source": "x" * 3000},
        {"source": "a\x1b[2J"},
        {"made": 2026},
    ],
    ids=lambda header: f"{next(iter(header))}={str(next(iter(header.values())))[:20]}",
)
def test_an_invalid_header_is_an_error_of_one_line(header: dict[str, object]):
    with pytest.raises(DeckFileError) as caught:
        DeckProfile.from_bytes(changed(**header))
    assert "\n" not in error_text(caught.value)
    assert len(error_text(caught.value)) < 300


def test_a_newer_format_is_reported():
    with raises_text(DeckFileError, match="newer"):
        DeckProfile.from_bytes(changed(version=99))


def test_prototypes_that_are_not_finite_are_rejected():
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    size = len(parts["prototypes.i8"])
    for bad in (b"", b"\x00" * size, b"\x00" * (size - 1)):
        with pytest.raises(DeckFileError):
            DeckProfile.from_bytes(zipped({**parts, "prototypes.i8": bad}))


@pytest.mark.parametrize("name", ["deck.json", "prototypes.i8", "pictures.webp"])
def test_a_file_that_decompresses_to_too_much_data_is_not_decompressed(name: str):
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    bomb = zipped({**parts, name: b" " * (40 * 2**20)})
    assert len(bomb) < 2**20
    with raises_text(DeckFileError, match="more than 8 MB"):
        DeckProfile.from_bytes(bomb)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"not a zip at all" * 100,
        b"\x00" * 9 * 2**20,
        zipped({}),
        zipped({"deck.json": b"[" * 100_000}),
    ],
    ids=["nothing", "two bytes", "text", "too large", "empty archive", "nested deep"],
)
def test_other_files_are_rejected(data: bytes):
    with raises_text(DeckFileError, match="not a deck file"):
        DeckProfile.from_bytes(data)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.999])
def test_a_truncated_file_is_rejected(share: float):
    with pytest.raises(DeckFileError):
        DeckProfile.from_bytes(DATA[: int(len(DATA) * share)])


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(DATA) - 1), st.binary(min_size=1, max_size=8))
def test_a_corrupted_file_is_rejected_or_read_as_a_valid_deck(at: int, corrupted: bytes):
    data = DATA[:at] + corrupted + DATA[at + len(corrupted) :]
    try:
        profile = DeckProfile.from_bytes(data)
    except DeckFileError:
        return
    assert profile.prototypes.classes.max() <= len(profile.classes) + 1
    assert np.isfinite(profile.prototypes.embeddings).all()


def test_a_missing_file_is_reported(tmp_path):
    with raises_text(DeckFileError, match="cannot be read"):
        DeckProfile.load(tmp_path / "none.deck")


@pytest.mark.parametrize("name", ["my deck", "松", "Opa_1952", "a" * 40])
def test_valid_deck_names(name: str):
    assert tidy_name(name) == name.replace(" ", "-")


@pytest.mark.parametrize(
    "name", ["", "  ", "a" * 41, "a/b", "..", "a\\b", "a.deck", "Hanafuda", "kabufuda", "a\n/b\x00"]
)
def test_invalid_deck_names(name: str):
    with pytest.raises(DeckNameError):
        tidy_name(name)


def test_another_recognizer_computes_new_prototypes_from_the_saved_pictures():
    profile = a_deck()
    assert profile.renewed(PixelRecognizer()) is profile
    other = PixelRecognizer("other", seed=5)
    renewed = profile.renewed(other)
    assert renewed.weights == "other"
    expected = a_deck(recognizer=other).prototypes
    assert np.abs(renewed.prototypes.embeddings - expected.embeddings).max() < 1e-5
    bare = profile.without_pictures()
    assert bare.renewed(other) is bare


def test_equal_copies_are_one_class_and_a_different_print_is_another():
    pictures = drawn(3, 4)
    cards = ["kabu-1-a", "kabu-1-b", "kabu-1-c", "kabu-2-a", "kabu-2-b", None]
    order = [0, 1, 1, 2, 2, 3]
    lit = np.clip(pictures[order] * np.linspace(0.7, 1, 6)[:, None, None, None], 0, 255).astype(np.uint8)
    profile = make_profile("k", "kabufuda", lit, cards, PixelRecognizer())
    assert profile.classes == (
        ("kabu-1-a",),
        ("kabu-1-b", "kabu-1-c", "kabu-1-d"),
        ("kabu-2-a", "kabu-2-b", "kabu-2-c", "kabu-2-d"),
    )
    assert profile.pictured.tolist() == [0, 1, 1, 2, 2, profile.unknown]


def test_twins_are_one_class_despite_different_prints():
    cards = ["pine-chaff-1", "pine-chaff-2", "plum-chaff-2"]
    profile = make_profile("h", "hanafuda", drawn(4, 3), cards, PixelRecognizer())
    assert profile.classes == (("pine-chaff-1", "pine-chaff-2"), ("plum-chaff-2", "plum-chaff-1"))


def test_the_size_of_a_deck_file():
    whole = a_deck(count=49)
    assert len(whole.to_bytes()) < 400_000
    assert len(replace(whole).without_pictures().to_bytes()) < 150_000
