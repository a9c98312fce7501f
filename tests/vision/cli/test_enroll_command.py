"""``companion enroll`` and ``companion decks``: enroll a deck, name its cards, export and import it, delete it.

The networks are the shipped ones; the deck and the pictures are drawn (synthetic).
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.hanafuda.cards import HANAFUDA
from hanafuda_training.render.rasterize import rasterize
from tests.vision.picture_builders import row, table_with
from vision.decks.deck_profile import DeckProfile

CARDS = [card.id for card in HANAFUDA[:8]]


def run(*args: str | Path) -> Result:
    result = CliRunner().invoke(main, list(map(str, args)), prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answer(*args: str | Path) -> dict:
    result = run(*args, "--json")
    assert result.exit_code == 0, result.stderr
    (line,) = result.stdout.splitlines()
    return json.loads(line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of eight of our own faces, with file names as users choose them, and one further card without an id."""
    folder = tmp_path_factory.mktemp("deck")
    for number, card in enumerate(CARDS):
        name = card if number % 2 else f"{number // 4 + 1:02d}-{number % 4}"
        cv2.imwrite(str(folder / f"{name}.png"), rasterize(card))
    cv2.imwrite(str(folder / "joker.png"), np.full((206, 126, 3), (30, 160, 220), np.uint8))
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Path:
    data = tmp_path_factory.mktemp("data")
    scanned = answer("enroll", "Grandmas", folder, "--data", data)
    assert scanned["deck"] == "Grandmas"
    assert [place["card"] for place in scanned["places"] if place["card"]] == sorted(
        CARDS, key=lambda card: next(p["where"] for p in scanned["places"] if p["card"] == card)
    )
    assert [place["where"] for place in scanned["places"] if place["card"] is None] == ["joker"]
    return data


def test_cards_of_an_enrolled_deck_are_named(data: Path, tmp_path: Path):
    scene = table_with(row(["pine-crane", "plum-ribbon", "plum-warbler"], step=45), seed=11, card_px=90)
    cv2.imwrite(str(tmp_path / "three.png"), scene.image)
    scanned = answer("scan", tmp_path / "three.png", "--deck", "Grandmas", "--data", data)
    assert scanned["deck"] == "Grandmas"
    named = [card["card"] for card in sorted(scanned["cards"], key=lambda c: c["quad"][0][0])]
    # A box on the table may be reported as a back; no card is confused with another.
    assert [name for name in named if name in CARDS] == ["pine-crane", "plum-ribbon", "plum-warbler"]


def test_a_deck_is_exported_imported_and_deleted(data: Path, tmp_path: Path):
    file, friend = tmp_path / "gift.deck", tmp_path / "friend"
    answer("decks", "export", "Grandmas", file, "--data", data)
    assert DeckProfile.load(file).cards
    answer("decks", "import", file, "--data", friend)
    assert any(line.startswith("Grandmas") for line in run("decks", "--data", friend).stdout.splitlines())
    listed = answer("decks", "Grandmas", "--data", friend)
    assert listed["pack"] == "hanafuda"
    assert not listed["shipped"]
    answer("decks", "forget", "Grandmas", "--data", friend)
    assert run("decks", "Grandmas", "--data", friend).exit_code == 2


def test_a_corrected_name_is_exchanged_with_the_card_that_had_it(folder: Path, tmp_path: Path):
    sheet = tmp_path / "sheet.png"
    first, second = 1, 2
    scanned = answer(
        "enroll", "fixed", folder, "--data", tmp_path, "--sheet", sheet, "--fix", f"{first}=plum-ribbon"
    )
    cards = {place["number"]: place["card"] for place in scanned["places"]}
    assert cards[first] == "plum-ribbon"
    assert sum(card == "plum-ribbon" for card in cards.values()) == 1
    assert "pine-crane" in cards.values()
    assert [place["number"] for place in scanned["places"] if place["doubtful"]] != [first, second]
    picture = cv2.imread(str(sheet))
    assert picture is not None
    assert picture.shape[1] > 1000


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["kabufuda", "FOLDER"], "comes with the program"),
        (["a/b", "FOLDER"], "letters, digits"),
        (["fine", "EMPTY"], "0 pictures"),
        (["fine", "FOLDER", "FOLDER"], "one folder, or 1 to 4 photographs"),
        (["fine", "missing.jpg"], "cannot be read"),
        (["fine", "TEXT"], "not a picture"),
        (["fine", "PLAIN"], "shows 0 cards"),
        (["fine", "FOLDER", "--fix", "99=pine-crane"], "no card number 99"),
        (["fine", "FOLDER", "--fix", "1=pine-cranes"], "did you mean pine-crane"),
        (["fine", "FOLDER", "--fix", "one"], "7=plum-ribbon"),
        (["fine", "FOLDER", "--sheet", "sheet.txt"], ".jpg or .png"),
    ],
)
def test_an_enrollment_error_is_one_line(arguments: list[str], expected: str, folder: Path, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.jpg").write_text("no picture")
    cv2.imwrite(str(tmp_path / "plain.png"), np.full((300, 400, 3), 90, np.uint8))
    places = {
        "FOLDER": folder,
        "EMPTY": tmp_path / "empty",
        "TEXT": tmp_path / "text.jpg",
        "PLAIN": tmp_path / "plain.png",
    }
    result = run("enroll", *(places.get(each, each) for each in arguments), "--data", tmp_path / "data")
    assert result.exit_code == 2
    assert expected in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "data" / "decks").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["export", "none", "x.deck"], "no deck 'none'"),
        (["export", "none"], "companion decks export NAME FILE"),
        (["import", "missing.deck"], "cannot be read"),
        (["import", "BAD"], "not a deck file"),
        (["forget", "none"], "no deck 'none'"),
        (["hanafuda", "kabufuda"], "only one deck can be shown"),
    ],
)
def test_a_deck_error_is_one_line(arguments: list[str], expected: str, tmp_path: Path):
    (tmp_path / "bad.deck").write_bytes(b"not a deck")
    bad = {"BAD": tmp_path / "bad.deck"}
    result = run("decks", *(bad.get(each, each) for each in arguments), "--data", tmp_path / "data")
    assert result.exit_code == 2
    assert expected in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
