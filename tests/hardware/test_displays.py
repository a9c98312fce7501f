"""Displays: published byte sequences, a table in 16 x 2 and 20 x 4 cells, and distinct names."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.displays.crystalfontz import Crystalfontz, Packet, PacketParser, packet
from hardware.displays.kana import Font, displayable, encode_cells, romaji_to_katakana, short_names
from hardware.displays.matrix_orbital import MatrixOrbital
from hardware.displays.score_rows import score_rows
from hardware.displays.screen_updates import ScreenBuffer
from hardware.displays.serlcd import SerLcd
from hardware.driver import ShowRows
from hardware.simulators.simulated_displays import (
    SimulatedCrystalfontz,
    SimulatedMatrixOrbital,
    SimulatedSerLcd,
)
from tests.companion.table.fold_helpers import SEATS, moved, opened, reported, shuffled_deal

FONTS: list[Font] = ["ascii", "katakana"]


# --- bytes


def test_crystalfontz_packets_have_the_published_check() -> None:
    assert packet(0x0E, b"\x32") == bytes.fromhex("0E01329EDD")  # devices.md


def test_serlcd_bytes() -> None:
    display = SerLcd()
    assert display.restart(0) == bytes.fromhex("7C2D")
    display.send(ShowRows(("", "    a|b")), 0)
    display.tick(1)
    assert display.take_output() == bytes.fromhex("FE C4 61 7C7C 62")  # 80 + 40 + 4, and the pipe twice


def test_matrix_orbital_bytes() -> None:
    display = MatrixOrbital()
    assert display.restart(0).endswith(bytes.fromhex("FE58 FE37"))
    assert [event.data["says"] for event in display.feed(b"\x09", 0.1)] == ["module type 09"]
    assert display.send(ShowRows(("", "    ab")), 1) == bytes.fromhex("FE47 05 02 6162")


def test_crystalfontz_keys_lights_and_text() -> None:
    box = Crystalfontz()
    assert box.restart(0) == packet(1) + packet(6)
    events = box.feed(packet(0x41, b"CFA635:h1.0,k1.0") + packet(0x80, b"\x05") + packet(0x80, b"\x0b"), 0.1)
    assert [(event.kind, event.data.get("button")) for event in events] == [
        ("ready", None),
        ("button", "stop"),
    ]
    assert box.send(ShowRows(("", " ok")), 1) == packet(31, bytes([1, 1]) + b"ok")
    assert box.send(ShowRows(("", " on")), 1.05) == b""  # too soon: at most ten writes a second
    box.tick(1.11)
    assert packet(31, bytes([2, 1]) + b"n") in box.take_output()


@given(st.binary(max_size=300), st.integers(0, 63), st.binary(max_size=22))
def test_a_packet_is_found_behind_garbage_after_a_pause(garbage: bytes, kind: int, data: bytes) -> None:
    parser = PacketParser()
    parser.feed(garbage)
    parser.idle()
    assert parser.feed(packet(0x40 | kind, data)) == [Packet(0x40 | kind, data)]


# --- cells


@given(
    st.lists(st.lists(st.text("ab ", max_size=8), max_size=4), min_size=1, max_size=8),
    st.integers(1, 8),
    st.integers(1, 4),
)
def test_differences_add_up_to_what_is_wanted(draws: list[list[str]], columns: int, rows: int) -> None:
    screen, cells = ScreenBuffer(columns, rows), [[" "] * columns for _ in range(rows)]
    screen.cleared(0)
    for now, draw in enumerate(draws, start=1):
        screen.set_rows(draw)
        before = [list(row) for row in cells]
        for run in screen.take_changes(now):
            cells[run.row][run.column : run.column + len(run.text)] = run.text
        wanted = [(draw[row] if row < len(draw) else "")[:columns].ljust(columns) for row in range(rows)]
        assert ["".join(row) for row in cells] == wanted
        if before == cells:
            assert screen.take_changes(now + 0.5) == []


def test_a_change_of_one_cell_is_one_cell_and_near_ones_go_together() -> None:
    screen = ScreenBuffer(16, 2)
    screen.cleared(0)
    screen.set_rows(["Anna 12 Bob 7"])
    assert len(screen.take_changes(1)) == 1
    screen.set_rows(["Anna 13 Bob 7"])
    assert [(run.row, run.column, run.text) for run in screen.take_changes(2)] == [(0, 6, "3")]
    screen.set_rows(["Bnna 14 Bob 8"])
    assert [(run.column, run.text) for run in screen.take_changes(3)] == [(0, "B"), (6, "4"), (12, "8")]
    screen.set_rows(["Bnna 15 Bxb 8"])
    assert [(run.column, run.text) for run in screen.take_changes(4)] == [(6, "5 Bx")]


# --- characters and names


@pytest.mark.parametrize(
    ("text", "ascii_", "katakana"),
    [
        ("はなこ", "Hanako", "ﾊﾅｺ"),
        ("かをり", "Kaori", "ｶｦﾘ"),
        ("しょうた", "Shouta", "ｼｮｳﾀ"),
        ("じゅん", "Jun", "ｼﾞｭﾝ"),
        ("きっちょむ", "Kitchomu", "ｷｯﾁｮﾑ"),
        ("ｼﾞｪｰﾝ", "Jeen", "ｼﾞｪｰﾝ"),
        ("ヴァイオレット", "Vaioretto", "ｳﾞｧｲｵﾚｯﾄ"),
        ("パパとママ", "Papatomama", "ﾊﾟﾊﾟﾄﾏﾏ"),
        ("Björn Ørsted", "Bjorn Orsted", "Bjorn Orsted"),
        ("Ａｎｎａ　1", "Anna 1", "Anna 1"),
        ("a\\b~c", "a/b-c", "a/b-c"),
        ("Ann’s „2×1“", 'Ann\'s "2*1"', 'Ann\'s "2*1"'),
        ("太郎", None, None),
        ("안나", None, None),
        ("🦊", None, None),
    ],
)
def test_text_in_a_displays_characters(text: str, ascii_: str | None, katakana: str | None) -> None:
    assert displayable(text, "ascii") == ascii_
    assert displayable(text, "katakana") == katakana


@pytest.mark.parametrize(
    ("romaji", "kana"),
    [
        ("sankou", "サンコウ"),
        ("inoshikachou", "イノシカチョウ"),
        ("tsukimi de ippai", "ツキミ デ イッパイ"),
        ("kasu", "カス"),
        ("jin'ya", "ジンヤ"),
        ("Three", None),
    ],
)
def test_romaji_in_katakana(romaji: str, kana: str | None) -> None:
    assert romaji_to_katakana(romaji) == kana


@pytest.mark.parametrize(
    ("names", "font", "width", "short"),
    [
        (["Anna", "Bob"], "ascii", 5, ["Anna", "Bob"]),
        (["Anna Maria Schmidt", "Bob"], "ascii", 6, ["Anna", "Bob"]),
        (["Christopher", "Bob"], "ascii", 6, ["Christ", "Bob"]),
        (["Player 1", "Player 2"], "ascii", 5, ["Play1", "Play2"]),
        (["Alexandra", "Alexander"], "ascii", 5, ["Alex1", "Alex2"]),
        (["太郎", "はなこ"], "katakana", 5, ["P1", "ﾊﾅｺ"]),
        (["すずきさん", "Bob"], "katakana", 3, ["ｽｽﾞ", "Bob"]),
        (["さくらばさん", "Bob"], "katakana", 4, ["ｻｸﾗ", "Bob"]),  # not ｻｸﾗﾊ, another name
    ],
)
def test_short_names(names: list[str], font: Font, width: int, short: list[str]) -> None:
    assert short_names(names, font, width) == short


@given(st.lists(st.text(max_size=12), min_size=1, max_size=8), st.sampled_from(FONTS), st.integers(2, 10))
def test_any_names_are_displayable_distinct_and_fit(names: list[str], font: Font, width: int) -> None:
    short = short_names(names, font, width)
    assert len(set(short)) == len(names)
    assert all(0 < len(name) <= width for name in short)
    assert all(byte >= 0x20 for name in short for byte in encode_cells(name))
    assert font == "katakana" or all(name.isascii() for name in short)


# --- a table


def round_of(**more: Any) -> dict[str, Any]:
    """A view as `companion.table.view` makes it, as far as a display reads it."""
    seats = [{"seat": 1, "total": 6, "yaku": []}, {"seat": 2, "total": 0, "yaku": []}]
    return {
        "table": {"players": [{"seat": 1, "name": "あんな"}, {"seat": 2, "name": "Christopher"}]},
        "night": {"points": [12, 7], "over": None, "of": 12},
        "round": {
            "number": 3,
            "to_move": 2,
            "month": 3,
            "seats": seats,
            "decision": None,
            "outcome": None,
            **more,
        },
        "questions": [],
        "problems": [],
    }


SANKOU = {"name": "three-brights", "romaji": "sankou", "points": 6}
FORMED = [{"seat": 1, "total": 6, "yaku": [SANKOU]}, {"seat": 2, "total": 0, "yaku": []}]


def test_two_players_in_16_by_2() -> None:
    assert score_rows(round_of(), 16, 2) == (" Anna      6  12", ">Christ    0   7")


def test_two_players_in_20_by_4_with_round_month_and_the_best_yaku() -> None:
    assert score_rows(round_of(seats=FORMED), 20, 4) == (
        " Anna          6  12",
        ">Christophe    0   7",
        "Round 3/12 Mar      ",
        "Anna Sankou 6       ",
    )
    assert score_rows(round_of(seats=FORMED), 20, 4, "katakana")[2:] == (
        "3/12 ｶｲｾﾝ 3ｶﾞﾂ      ",
        "ｱﾝﾅ ｻﾝｺｳ 6          ",
    )


@pytest.mark.parametrize(
    ("more", "last"),
    [
        (
            {
                "decision": {
                    "seat": 1,
                    "options": [["call", "koikoi"], ["call", "stop"]],
                    "stake": {"points": 6},
                }
            },
            "Anna stop 6?",
        ),
        ({"outcome": {"winners": [2], "points": [-5, 5]}}, "Christo wins +5"),
        ({"outcome": {"winners": [], "points": [0, 0]}}, "Draw"),
    ],
)
def test_the_second_row_has_the_current_decision(more: dict[str, Any], last: str) -> None:
    first, second = score_rows(round_of(**more), 16, 2)
    assert (first, second.rstrip()) == (" Ann 12 >Chr  7 ", last)


def test_a_question_the_end_and_no_table() -> None:
    view = round_of()
    view["questions"] = [{}]
    assert score_rows(view, 16, 2)[1] == "? See the screen"
    view["night"]["over"] = {"winners": [1]}
    assert score_rows(view, 16, 2)[1] == "Anna won!       "
    assert score_rows(None, 16, 2) == ("No table yet    ", " " * 16)
    assert score_rows(None, 16, 2, "katakana")[0] == "ﾃｰﾌﾞﾙｶﾞ ｱﾘﾏｾﾝ   "


@pytest.mark.parametrize("game", list(SEATS))
@pytest.mark.parametrize("font", FONTS)
def test_real_tables_of_all_games_fill_every_display(game: str, font: Font) -> None:
    table = opened(game, players=["太郎", "はなこ", "Christopher", "Bob|~", "Ｄａｎ"][: SEATS[game]])
    before = table.view()
    reported(table, shuffled_deal(table, 4))
    for view in (before, table.view()):
        for columns, rows in ((16, 2), (20, 4), (16, 1), (8, 2), (40, 2)):
            displayed = score_rows(view, columns, rows, font)
            assert [len(row) for row in displayed] == [columns] * rows
            assert all(unicodedata.east_asian_width(char) in {"Na", "H"} for row in displayed for char in row)


def test_a_real_round_played_to_its_end() -> None:
    table = opened("koikoi", players=["Anna", "ベン"])
    reported(table, shuffled_deal(table, 4))
    seen: set[tuple[str, ...]] = set()
    while not table.view()["round"]["outcome"]:
        move = table.round.legal_moves()[-1]
        reported(table, moved(move.player, " ".join(move.words())))
        seen.add(score_rows(table.view(), 20, 4, "katakana"))
    assert len(seen) >= 4
    assert {row[0][1:5] for row in seen} == {"Anna"}
    winner = {1: "Anna ﾉ ｶﾁ", 2: "ﾍﾞﾝ ﾉ ｶﾁ"}[table.view()["round"]["outcome"]["winners"][0]]
    assert score_rows(table.view(), 20, 4, "katakana")[3].startswith(winner)


# --- the doubles show it


@pytest.mark.parametrize(
    ("driver", "double"),
    [
        (SerLcd(20, 4), SimulatedSerLcd(20, 4)),
        (SerLcd(), SimulatedSerLcd()),
        (MatrixOrbital(), SimulatedMatrixOrbital()),
        (Crystalfontz(), SimulatedCrystalfontz()),
    ],
    ids=["serlcd-20x4", "serlcd-16x2", "matrix-orbital", "crystalfontz"],
)
def test_every_cell_of_a_display_is_reached(driver: Any, double: Any) -> None:
    columns, rows = driver.screen.columns, driver.screen.rows
    double.plugged(0)
    double.feed(driver.restart(0), 0)
    for now, first in enumerate((33, 65, 40), start=1):
        wanted = tuple(
            "".join(chr((first + row * 7 + column) % 90 + 33) for column in range(columns))
            for row in range(rows)
        )
        double.feed(driver.send(ShowRows(wanted), now), now)
        assert double.shows() == wanted
