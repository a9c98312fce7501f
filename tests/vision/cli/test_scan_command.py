"""``companion scan``: one line per picture, and a bad picture does not prevent the others."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from companion.cli import main
from tests.message_text import score_with_texts
from vision.decks.deck_errors import UnknownDeckError
from vision.networks.onnx_sessions import MissingModelError
from vision.photograph.scan_result import ScannedCard, ScanResult

PILE = ("susuki-moon", "cherry-curtain", "pine-crane", None, "back")


class ScannerDouble:
    """A scanner that returns the same cards for every picture."""

    cards: tuple[str | None, ...] = PILE

    def scan(self, bgr: np.ndarray, deck: str | None = None, focal: float | None = None) -> ScanResult:
        if deck not in {None, "hanafuda"}:
            raise UnknownDeckError(str(deck))
        cards = tuple(
            ScannedCard(
                card=name,
                confidence=0.9 if name else 0.4,
                quad=((x, 5.0), (x + 60, 5.0), (x + 60, 100.0), (x, 100.0)),
                visible=1.0,
                alternatives=(("iris-bridge", 0.4), ("back", 0.1)),
            )
            for x, name in ((70.0 * place, name) for place, name in enumerate(self.cards))
        )
        return ScanResult(bgr.shape[1], bgr.shape[0], "hanafuda", cards, {"total": 12.0})


@pytest.fixture(autouse=True)
def double(monkeypatch: pytest.MonkeyPatch) -> ScannerDouble:
    double = ScannerDouble()
    monkeypatch.setattr("vision.cli.scan.Scanner", lambda **_: double)
    return double


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "pile.jpg"
    Image.new("RGB", (400, 120), "darkgreen").save(path)
    return path


def run(*args: str | Path) -> Result:
    result = CliRunner().invoke(main, ["scan", *map(str, args)], prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def lines(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_json_line_per_picture(picture: Path, tmp_path: Path) -> None:
    second = tmp_path / "二枚目.png"
    Image.new("RGB", (50, 40)).save(second)
    result = run(picture, second, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    first, other = lines(result)
    assert set(first) == {"image", "width", "height", "deck", "cards", "ms", "quality"}
    assert (first["image"], first["width"], first["height"]) == (str(picture), 400, 120)
    assert other["image"] == str(second)


def test_the_cards_are_scored_by_the_rules_of_the_game(picture: Path) -> None:
    (answer,) = lines(run(picture, "--game", "koikoi", "--rules", "koikoi-hu", "--json"))
    captured = ["susuki-moon", "cherry-curtain", "pine-crane"]
    expected = score_with_texts({"game": "koikoi", "rules": "koikoi-hu", "captured": captured})
    assert answer["score"] == json.loads(json.dumps(expected))
    assert answer["left_out"] == {"unnamed": 1, "back": 1}


def test_a_card_that_is_there_twice_counts_once(picture: Path, double: ScannerDouble) -> None:
    double.cards = ("susuki-moon", "cherry-curtain", "pine-crane", "cherry-curtain")
    (answer,) = lines(run(picture, "--game", "koikoi", "--json"))
    assert answer["score"]["total"] == 5  # type: ignore[index]  # three brights
    assert len(answer["cards"]) == 4  # type: ignore[arg-type]


def test_cards_of_other_packs_are_not_scored(picture: Path, double: ScannerDouble) -> None:
    double.cards = ("kabu-4-b", "kabu-7-a")
    result = run(picture, "--game", "koikoi")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "aren’t scored" in result.stdout


def test_rules_without_a_game_are_those_of_koikoi(picture: Path) -> None:
    (answer,) = lines(run(picture, "--rules", "koikoi-hu", "--json"))
    assert answer["score"]["rules"]["name"] == "koikoi-hu"  # type: ignore[index]


def test_the_text_output_has_cards_uncertain_cards_and_score(picture: Path) -> None:
    text = run(picture, "--game", "koikoi").stdout
    assert "5 cards" in text
    assert "Brights 3" in text
    assert "Crane and Sun 松に鶴" in text
    assert "unsure" in text
    assert "Bridge 40%" in text
    assert "Face down 1" in text
    assert "5 points" in text
    assert "Not counted because they have no name: 1" in text


def test_a_picture_without_cards_is_no_error(picture: Path, double: ScannerDouble) -> None:
    double.cards = ()
    result = run(picture, "--game", "koikoi")
    assert result.exit_code == 0
    assert "0 cards" in result.stdout
    assert "No cards were detected" in result.stdout
    assert "0 points" in result.stdout


def _truncated(path: Path) -> None:
    Image.effect_noise((300, 200), 50).save(path, "JPEG")
    path.write_bytes(path.read_bytes()[:-500])


def _huge(path: Path) -> None:
    header = b"IHDR" + struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk + struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    )


BAD = {
    "text.jpg": (lambda path: path.write_text("no picture"), "text file"),
    "cut.jpg": (_truncated, "cut short"),
    "empty.jpg": (lambda path: path.write_bytes(b""), "0 bytes"),
    "huge.png": (_huge, "400 megapixels"),
    "heavy.jpg": (lambda path: path.write_bytes(b"\xff\xd8\xff" + b"\0" * (64 * 2**20)), "64 MB"),
    "missing.jpg": (lambda path: None, "No such file"),
    "folder.jpg": (lambda path: path.mkdir(), "directory"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_picture_is_an_error_of_one_line_and_the_others_are_scanned(picture: Path, name: str) -> None:
    make, says = BAD[name]
    bad = picture.with_name(name)
    make(bad)
    result = run(picture, bad, picture, "--json")
    assert result.exit_code == 2
    assert len(lines(result)) == 2
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"companion scan: {bad}: ")
    assert says in result.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "IMAGE"),
        (("--game", "poker"), "poker"),
        (("--rules", "koikoi-standart"), "koikoi-standard"),
        (("--deck", "tarot"), "tarot"),
        (("--shoe-size", "44"), "--shoe-size"),
    ],
)
def test_bad_usage_is_an_error_of_one_line(picture: Path, args: tuple[str, ...], says: str) -> None:
    result = run(*args, *([picture] if args else []))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert says in result.stderr


def test_the_error_for_an_unknown_rule_suggests_the_nearest(picture: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text('{"three_bright": 5}')
    result = run(picture, "--game", "koikoi", "--rules", rules)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "three_brights" in result.stderr


def test_missing_models_are_an_error_of_one_line(picture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise MissingModelError("the weights x.onnx are missing")

    monkeypatch.setattr("vision.cli.scan.Scanner", broken)
    result = run(picture)
    assert result.exit_code == 2
    assert result.stderr == "companion: the weights x.onnx are missing\n"


def test_drawings_overwrite_neither_each_other_nor_the_pictures(picture: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    twin = other / "pile.png"
    Image.new("RGB", (300, 120), "white").save(twin)
    before = picture.read_bytes()
    assert run(picture, twin, "--draw", tmp_path).exit_code == 0
    assert picture.read_bytes() == before
    first, second = cv2.imread(str(tmp_path / "pile-2.jpg")), cv2.imread(str(tmp_path / "pile-3.jpg"))
    assert first is not None
    assert second is not None
    assert (first.shape, second.shape) == ((120, 400, 3), (120, 300, 3))


def test_drawings_are_saved_in_a_new_folder_by_the_names_of_the_pictures(
    picture: Path, tmp_path: Path
) -> None:
    drawn = tmp_path / "new" / "drawn"
    for _ in range(2):  # a second run replaces what the first one drew
        assert run(picture, "--draw", drawn).exit_code == 0
    assert [path.name for path in drawn.iterdir()] == ["pile.jpg"]
    assert (cv2.imread(str(drawn / "pile.jpg")) != cv2.imread(str(picture))).any()


def test_an_unwritable_drawing_is_reported(picture: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    (drawn / "pile.jpg").mkdir(parents=True)
    result = run(picture, "--draw", drawn, "--json")
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


def test_a_single_drawing_is_saved_in_the_named_file(picture: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "new" / "checked.png"
    for _ in range(2):  # a second run replaces what the first one drew
        assert run(picture, "--draw", drawn).exit_code == 0
    assert [path.name for path in drawn.parent.iterdir()] == ["checked.png"]
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert (cv2.imread(str(drawn)) != cv2.imread(str(picture))).any()


def test_one_file_is_rejected_for_several_drawings_and_for_the_picture_itself(
    picture: Path, tmp_path: Path
) -> None:
    before = picture.read_bytes()
    several = run(picture, picture, "--draw", tmp_path / "checked.png")
    assert (several.exit_code, "name a folder" in several.stderr) == (2, True)
    itself = run(picture, "--draw", picture)
    assert (itself.exit_code, "is the picture itself" in itself.stderr) == (2, True)
    assert picture.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [picture.name]


def test_a_folder_may_have_the_name_of_a_picture(picture: Path, tmp_path: Path) -> None:
    (tmp_path / "all.png").mkdir()
    assert run(picture, "--draw", tmp_path / "all.png").exit_code == 0
    assert [path.name for path in (tmp_path / "all.png").iterdir()] == ["pile.jpg"]


def test_missing_pictures_are_reported_before_models_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.cli.scan.Scanner", None)
    result = run(tmp_path / "one.jpg", tmp_path / "two.jpg")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"companion scan: {tmp_path / name}: the file cannot be read: No such file or directory"
        for name in ("one.jpg", "two.jpg")
    ]
