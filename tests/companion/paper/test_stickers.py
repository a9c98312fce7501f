"""Stickers: their codes are readable, they are within the page, and they have the card's names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
import zxingcpp
from click.testing import CliRunner
from numpy.typing import NDArray
from reportlab.pdfbase.ttfonts import TTFontFile

from companion.hanafuda.cards import DECKS, HANAFUDA
from companion.hanafuda.errors import BadRequestError
from companion.paper import stickers as printing
from companion.paper.stickers import KINDS, PAPERS, Kind, labels_pdf, printed_words, sheet_of
from companion.store.tag_pairings import sticker_of
from tests.message_text import raises_text
from vision.cli.labels import labels

DPI = 300
MM = 25.4
FORMATS = {"qr": zxingcpp.BarcodeFormat.QRCode, "datamatrix": zxingcpp.BarcodeFormat.DataMatrix}

Page = NDArray[np.uint8]


def pages(pdf: bytes, dpi: int = DPI) -> Iterator[Page]:
    """Render a PDF's pages, gray."""
    document = pypdfium2.PdfDocument(pdf)
    for page in document:
        yield np.asarray(page.render(scale=dpi / 72, grayscale=True).to_pil())
        page.close()
    document.close()


def texts(pdf: bytes) -> str:
    """Return all words of a PDF."""
    document = pypdfium2.PdfDocument(pdf)
    words = []
    for page in document:
        text = page.get_textpage()
        words.append(text.get_text_range())
        text.close()
        page.close()
    document.close()
    return "\n".join(words)


def wanted(*packs: str) -> list[str]:
    return sorted(sticker_of(card.id) for pack in packs for card in DECKS[pack])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pack", DECKS)
def test_every_sticker_is_read_back_from_the_page(kind: Kind, pack: str) -> None:
    read = [
        code.text
        for page in pages(labels_pdf([pack], kind=kind))
        for code in zxingcpp.read_barcodes(page, formats=FORMATS[kind])
    ]
    assert sorted(read) == wanted(pack)


def test_an_independent_decoder_reads_the_qr_codes_at_their_positions() -> None:
    (page,) = pages(labels_pdf(["hanafuda"]))
    sheet = sheet_of("A4", 15)
    reader = cv2.QRCodeDetector()
    for index, card in enumerate(HANAFUDA):
        left, top = (round(at * DPI / MM) for at in sheet.place(index))
        side = round(sheet.size * DPI / MM)
        cut = cv2.resize(page[top : top + side, left : left + side], None, fx=2, fy=2)
        assert reader.detectAndDecode(cut)[0] == sticker_of(card.id)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("size", [8.0, 22.5, 60.0])
def test_any_size_is_read_back_too(kind: Kind, paper: str, size: float) -> None:
    page = next(
        iter(
            pages(labels_pdf(["hanafuda"], kind=kind, paper=paper, size=size), 2 * DPI if size < 10 else 150)
        )
    )
    sheet = sheet_of(paper, size)
    first = [sticker_of(card.id) for card in HANAFUDA[: sheet.columns * sheet.rows]]
    assert sorted(code.text for code in zxingcpp.read_barcodes(page, formats=FORMATS[kind])) == sorted(first)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("size", [8.0, 10.0, 15.0, 33.3, 60.0])
def test_stickers_lie_on_the_page_and_apart(paper: str, size: float) -> None:
    sheet = sheet_of(paper, size)
    places = [sheet.place(index) for index in range(sheet.columns * sheet.rows)]
    assert len(places) >= 1
    for left, top in places:
        assert left >= 10
        assert top >= 10
        assert left + sheet.size <= sheet.page[0] - 10 + 1e-9
        assert top + sheet.height <= sheet.page[1] - 10 + 1e-9
    for number, (left, top) in enumerate(places):
        for other_left, other_top in places[:number]:
            beside = abs(left - other_left) >= sheet.size - 1e-9
            assert beside or abs(top - other_top) >= sheet.height - 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_a_code_has_the_light_room_around_it_that_readers_need(kind: Kind) -> None:
    """4 modules around a QR code, 1 around a DataMatrix, also to the names below."""
    sheet = sheet_of("A4", 30)
    (page, *_) = pages(labels_pdf(["hanafuda"], kind=kind, size=30))
    left, top = (at * DPI / MM for at in sheet.place(0))
    side = sheet.size * DPI / MM
    code = np.asarray(printing.modules(kind, sticker_of(HANAFUDA[0].id)))
    around = {"qr": 4, "datamatrix": 1}[kind]
    module = side / (len(code) + 2 * around)
    # The center of each module, as printed; the cutting lines are at the edge.
    grid = [
        [
            page[round(top + (y + 0.5) * module), round(left + (x + 0.5) * module)] < 128
            for x in range(len(code) + 2 * around)
        ]
        for y in range(len(code) + 2 * around)
    ]
    assert np.array_equal(np.asarray(grid), np.pad(code, around))


def test_the_names_stand_below_in_both_languages() -> None:
    words = re.sub(r"\s+", " ", texts(labels_pdf(["hanafuda"])))
    for card in HANAFUDA:
        for name in (*card.names.en.split(), card.names.ja):
            assert name in words
    assert "Pine Chaff 1" in words
    assert "Pine Chaff 2" in words


def test_several_decks_come_one_after_the_other() -> None:
    pdf = labels_pdf(["kabufuda", "hanafuda", "kabufuda"], size=12)
    read = [[code.text for code in zxingcpp.read_barcodes(page)] for page in pages(pdf)]
    assert [sorted(page) for page in read] == [wanted("kabufuda"), wanted("hanafuda"), wanted("kabufuda")]


def test_the_font_has_every_character_that_is_printed() -> None:
    font = TTFontFile(str(Path(printing.__file__).parents[1] / "fonts" / "ZenOldMincho-SemiBold-subset.ttf"))
    assert {
        letter for text in printed_words() for letter in text if ord(letter) not in font.charToGlyph
    } == set()


def test_the_same_stickers_are_the_same_file() -> None:
    assert labels_pdf(["hanafuda"], kind="datamatrix") == labels_pdf(["hanafuda"], kind="datamatrix")


@pytest.mark.parametrize("size", [0, 7.9, 60.1, float("nan"), float("inf"), -15])
def test_sizes_that_no_printer_or_card_has_room_for(size: float) -> None:
    with raises_text(BadRequestError, match="8 to 60 mm"):
        sheet_of("A4", size)


def test_the_command_writes_the_stickers_and_prints_their_number(tmp_path: Path) -> None:
    out = tmp_path / "stickers.pdf"
    done = CliRunner().invoke(
        labels,
        [
            "hanafuda",
            "mekurifuda",
            "--kind",
            "DataMatrix",
            "--paper",
            "Letter",
            "--size",
            "12",
            "--out",
            str(out),
            "--json",
        ],
    )
    assert done.exit_code == 0
    reported = json.loads(done.stdout)
    assert (reported["packs"], reported["labels"], reported["pages"]) == (["hanafuda", "mekurifuda"], 97, 2)
    assert (reported["kind"], reported["paper"], reported["size_mm"][0]) == ("datamatrix", "letter", 12)
    read = [code.text for page in pages(out.read_bytes()) for code in zxingcpp.read_barcodes(page)]
    assert sorted(read) == wanted("hanafuda", "mekurifuda")


def test_a_known_deck_gets_the_stickers_of_its_pack(tmp_path: Path) -> None:
    out = tmp_path / "stickers.pdf"
    arguments = ["kabufuda-standard", "--data", str(tmp_path), "--out", str(out), "--json"]
    done = CliRunner().invoke(labels, arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["packs"] == ["kabufuda"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hanafudo"], "hanafuda, mekurifuda, kabufuda"),
        (["--size", "3"], "8 to 60 mm"),
        (["--kind", "aztec"], "'qr', 'datamatrix'"),
        (["--out", "/no/such/folder/labels.pdf"], "No such file"),
    ],
)
def test_invalid_options_are_reported(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(labels, ["--data", str(tmp_path), *arguments])
    assert done.exit_code != 0
    assert message in f"{done.output}{done.exception}"
