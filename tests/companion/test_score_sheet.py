"""The score sheet of an evening as a PDF: what is on it, and its QR code."""

from __future__ import annotations

import pypdfium2
import pytest
import zxingcpp

from companion.hanafuda.errors import BadRequestError
from companion.nights.night_results import Night, game_result
from companion.score_sheet import game_of, score_sheet_pdf
from companion.table import Table
from tests.companion.test_receipt import opened, play
from tests.message_text import raises_text

ADDRESS = "http://192.168.0.7:8420/nights/n1"


def evening(*tables: Table) -> Night:
    return Night("n1", tuple(game_result(table) for table in tables))


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def code_on(pdf: bytes) -> list[str]:
    picture = pypdfium2.PdfDocument(pdf)[0].render(scale=3).to_pil()
    return [code.text for code in zxingcpp.read_barcodes(picture)]


@pytest.mark.parametrize("language", ["en", "ja", "ko"])
def test_a_sheet_has_the_rounds_the_totals_and_a_code_that_phones_read(language: str) -> None:
    tables = [opened("koikoi", ["花子", "José 지민"], name="月見の夜") for _ in range(4)]
    for table in tables:
        for seed in range(12):
            play(table, seed)
    night = evening(*tables)
    pdf = score_sheet_pdf(night, ADDRESS, language)
    text = text_of(pdf)
    assert code_on(pdf) == [ADDRESS]
    assert "月見の夜" in text
    assert "José 지민" in text
    for points in night.games[0].points:
        assert str(points) in text
    assert len(pypdfium2.PdfDocument(pdf)) > 1
    assert score_sheet_pdf(night, ADDRESS, language) == pdf


def test_payments_are_listed_and_seven_players_fit_on_letter_paper() -> None:
    table = opened("kakkuri", ["Maximiliane-Charlotte", "Ren", "Yui", "Ben", "Mei", "", "Sora"])
    for seed in range(3):
        play(table, seed)
    pdf = score_sheet_pdf(evening(table), ADDRESS, "en", "letter")
    page = pypdfium2.PdfDocument(pdf)[0]
    assert page.get_size() == pytest.approx((612, 792), abs=0.5)
    assert ("Payments" in text_of(pdf)) == any(points < 0 for points in table.game.points)


def test_one_game_of_an_evening_and_what_cannot_be_printed() -> None:
    first, second = opened("koikoi", ["Ann", "Ben"], id="a"), opened("kekoro", ["Ann", "Cleo"], id="b")
    play(first, 2)
    night = evening(first, second)
    with raises_text(BadRequestError, match="nosuch"):
        game_of(night, "nosuch")
    with raises_text(BadRequestError, match="no round has ended"):
        score_sheet_pdf(evening(second), ADDRESS, "en")
    assert "Cleo" not in text_of(score_sheet_pdf(game_of(night, "a"), ADDRESS, "en"))
