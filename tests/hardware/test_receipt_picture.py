"""The receipt image: every character has a glyph on any computer, everything fits the paper, and missing glyphs are reported."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from companion.hanafuda.cards import HANAFUDA
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS
from companion.hanafuda.scoring import scored_games
from companion.hanafuda.simulation import random_round
from companion.messages import render
from companion.paper.receipt import Receipt, receipt_of_rounds
from hardware.printers.lettering import Lettering, fonts
from hardware.printers.receipt_picture import LANGUAGES, PAPERS, Language, draw_receipt, ornament

OURS = fonts()[:1]
LONG = ("小鳥遊 龍之介", "勅使河原 さくら子")


def night(
    rounds: int = 12, game: str = "koikoi", players: tuple[str, ...] = LONG, title: str | None = None
) -> Receipt:
    played = [random_round(game, seed, players=len(players)) for seed in range(rounds)]
    receipt = receipt_of_rounds(played, players, title)
    return replace(
        receipt,
        began=datetime(2026, 11, 21, 19, 30, tzinfo=UTC),
        ended=datetime(2026, 11, 21, 22, 12, tzinfo=UTC),
    )


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("width", PAPERS.values())
@pytest.mark.parametrize("game", list(GAMES))
def test_a_night_of_every_game_needs_no_font_but_ours(game: str, width: int, lang: Language) -> None:
    lettering = Lettering(OURS)
    seats = {"kakkuri": 7, "kingo": 5, "kingo-bank": 5}.get(game, 2)
    picture = draw_receipt(night(3, game, ("",) * seats), width=width, lang=lang, lettering=lettering)
    assert (picture.mode, picture.width) == ("1", width)
    assert not lettering.missing


def test_our_font_has_whatever_the_program_may_print() -> None:
    """Yaku, cards, presets, months' numbers, and the commonest names of people, on a machine without any Japanese font."""
    words = [
        name
        for game in scored_games().values()
        for yaku in game.yaku.values()
        for name in (yaku["en"], yaku["ja"])
    ]
    words += [card.names.ja for card in HANAFUDA] + list(PRESETS)
    words += [render(game.title, "ja") + render(game.title) for game in GAMES.values()]
    words += [
        "佐藤鈴木高橋田中伊藤渡邊渡邉山本中村小林加藤齋藤斉藤澤櫻廣瀬濱崎﨑髙橋龍凜陽葵結翔蓮樹颯太朔彩羽紬琥珀"
    ]
    words += ["Åse Łukasz Zoë François Guðrún Straße Øyvind"]
    lettering = Lettering(OURS)
    lettering.width(" ".join(words), 20)
    assert lettering.missing <= {"Ł"}


def test_a_whole_evening_lists_each_winner_and_fits_the_paper() -> None:
    for width in PAPERS.values():
        short, long = (draw_receipt(night(rounds), width=width) for rounds in (6, 12))
        assert short.height < long.height < 2600
        ink = ImageChops.invert(long.convert("L")).getbbox()
        assert ink is not None
        assert (ink[0], ink[2]) == (0, width)


def test_letters_are_drawn_at_their_measured_positions() -> None:
    lettering = Lettering(OURS)
    for text in ("花子", "Koi-Koi", "三光 5・タン 1"):
        image = Image.new("L", (600, 80), 255)
        lettering.draw(ImageDraw.Draw(image), 20, 60, text, 40, 0)
        box = ImageChops.invert(image).getbbox()
        assert box is not None
        assert box[0] >= 18
        assert box[2] <= 22 + lettering.width(text, 40)


@pytest.mark.parametrize(
    ("name", "drawn", "missing"),
    [
        ("한지민", "HanJiMin", "한지민"),
        ("\u1112\u1161\u11ab", "Han", "한"),
        ("Aiko 🐸", "Aiko :frog:", ""),
        ("❤\ufe0f", ":heart:", ""),
        ("محمد علي", "mhmd 'ly", ""),  # no font: unjoined letters from left to right could not be read
        ("สมชาย", "smchay", ""),
        ("डेविड", "devid", ""),
        ("Zoe\u0308 x\u0335", "Zoë x", ""),
        ("𓂀", "D10", ""),
        ("\ue000", "", ""),
    ],
)
@pytest.mark.parametrize("files", [OURS, None])
def test_what_no_font_can_write_is_drawn_in_latin_letters(
    name: str, drawn: str, missing: str, files: list[Path] | None
) -> None:
    lettering = Lettering(files)
    if files is None and missing:
        pytest.skip("this machine may have a font for it")
    assert lettering.width(name, 30) == lettering.width(drawn, 30)
    assert lettering.missing == set(missing)
    assert lettering.writes(name) is bool(drawn)


def test_a_name_of_which_nothing_can_be_read_is_the_number_of_the_seat() -> None:
    pictures = [draw_receipt(night(1, players=(name, "Ren")), lang="en").tobytes() for name in ("\ue000", "")]
    assert pictures[0] == pictures[1]
    assert pictures[0] != draw_receipt(night(1, players=("x", "Ren")), lang="en").tobytes()


def test_letters_with_signs_that_a_font_lacks_lose_the_sign_only() -> None:
    lettering = Lettering(OURS)
    assert lettering.width("Erdős", 30) == lettering.width("Erdos", 30)
    assert not lettering.missing


def test_the_machines_fonts_come_after_ours(tmp_path: Path) -> None:
    assert fonts()[0].name.startswith("ZenOldMincho")
    assert all(path.is_file() for path in fonts())


@given(st.text(max_size=60), st.integers(60, 500))
@settings(max_examples=60, deadline=None)
def test_any_text_is_wrapped_and_cut_to_its_width(text: str, width: int) -> None:
    lettering = Lettering(OURS)
    lines = lettering.wrapped(text, 24, width)
    assert all(lettering.width(line, 24) <= width or len(line) == 1 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert lettering.width(lettering.cut(text, 24, width), 24) <= width


@given(
    st.lists(st.text(max_size=40), min_size=2, max_size=2),
    st.one_of(st.none(), st.text(max_size=40)),
    st.sampled_from(LANGUAGES),
    st.sampled_from(sorted(PAPERS.values())),
)
@settings(max_examples=25, deadline=None)
def test_whatever_people_call_themselves_is_printed(
    names: list[str], title: str | None, lang: Language, width: int
) -> None:
    picture = draw_receipt(night(2, players=(names[0], names[1]), title=title), width=width, lang=lang)
    assert picture.width == width


@pytest.mark.parametrize("width", [0, 100, 385])
def test_a_width_that_no_printer_has_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match="multiple of 8"):
        draw_receipt(night(1), width=width)


def test_the_pictures_are_of_their_size_and_neither_empty_nor_black() -> None:
    for name, size in (
        ("moon-and-susuki", (384, 153)),
        ("moon-and-susuki", (576, 230)),
        ("crest", (56, 56)),
        ("seal", (40, 40)),
    ):
        image = ornament(name, size[0])
        assert image.size == size
        dark = sum(image.histogram()[:128]) / (image.width * image.height)
        assert 0.1 < dark < 0.95
