"""One spelling for what looks the same, and nothing in a name that is not seen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.names import (
    MAX_NAME,
    ReservedNameError,
    distinct_names,
    phone_name,
    same_names,
    tidy_name,
)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("  Aiko \t\n B ", "Aiko B"),
        ("\x1b]0;x\x07Eve\x9b31m\0", "]0;xEve31m"),
        ("a\u202eb\u2066c\u200e", "abc"),
        ("Ai\u200bko\u2060\ufeff\u00ad", "Aiko"),
        ("\u3164\u115f\u2800\ufe0f", "\ufe0f"),
        ("Zoe\u0308", "Zoë"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
        ("か\u3099", "が"),
        ("e\u200b\u0301", "é"),  # composed only without what was between
        ("Nguyễn Thị", "Nguyễn Thị"),
        ("สมชาย สุขใจ", "สมชาย สุขใจ"),
        ("محمد", "محمد"),
        ("O'Neill-Søren 🐸", "O'Neill-Søren 🐸"),
        ("a" + "\u0335" * 30 + "b", "a" + "\u0335" * 4 + "b"),
    ],
)
def test_a_name_is_stored_as_it_is_seen(typed: str, stored: str) -> None:
    assert tidy_name(typed) == stored


@given(st.text(max_size=60) | st.text("a \u0301\u200d\u202e\u3164\n\x1bé\u1112\u1161", max_size=20))
def test_every_stored_name_can_be_printed_and_stays_as_it_is(text: str) -> None:
    name = tidy_name(text)
    assert tidy_name(name) == name
    assert name.isprintable()
    assert unicodedata.is_normalized("NFC", name)
    assert name == " ".join(name.split())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Aiko", "AIKO", True),
        ("Zoë", "Zoe\u0308", True),
        ("한글", "\u1112\u1161\u11ab\u1100\u1173\u11af", True),
        ("Ａｉｋｏ", "Aiko", True),
        ("ｱｲ", "アイ", True),
        ("Strauß", "STRAUSS", True),
        ("Aiko", "Ai\u200bko", True),
        ("Aiko  B", " aiko b", True),
        ("Aiko", "Aika", False),
        ("", "", False),
        ("はな", "ハナ", False),
    ],
)
def test_names_that_look_the_same(one: str, other: str, same: bool) -> None:
    assert bool(same_names([one, other])) is same


def test_equal_names_get_numbers() -> None:
    assert distinct_names(["Aiko", "aiko", "", "Ben", "", "Aiko", "Aiko 3"]) == (
        *("Aiko", "aiko 2", "", "Ben", "", "Aiko 3", "Aiko 3 2"),
    )
    assert all(len(name) <= MAX_NAME for name in distinct_names(["x" * MAX_NAME] * 12))


@pytest.mark.parametrize(
    "name",
    [
        "this machine",
        "This  Machine",
        "ｔhis machine",
        "this mach\u200bine",
        "this m\u0430chine",  # Cyrillic
        "th\u0131s machine",
        "\u0442his machine",
        "this-machine",
        "This machine!",
        "thismachine",
        "camera of this machine",
        "http 192.0.2.7",
        "\u210cttp 192.0.2.7",
    ],
)
def test_nobody_is_called_like_the_program(name: str) -> None:
    with pytest.raises(ReservedNameError):
        phone_name(name)
