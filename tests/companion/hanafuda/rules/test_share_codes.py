"""Share codes: they keep all values, damage is detected, they fit a small QR code, and old ones stay readable."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
import segno
from any_rules import edges, records
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import (
    PRESETS,
    BadShareCodeError,
    NewerShareCodeError,
    Rules,
    UnknownPresetError,
    named,
    resolve,
    share,
)
from companion.hanafuda.rules.share import decode, encode, grouped, is_like_a_code, link
from companion.hanafuda.rules.share_table import Choice
from companion.messages import error_text
from tests.message_text import raises_text

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
GOLDEN = Path(__file__).parents[3] / "golden" / "share-codes.txt"
SERVER = "http://192.168.100.100:8420"  # the longest address in a home network
OURS = resolve({"preset": "koikoi-hu", "own_call": ["+1", "x3"], "max_calls": "once_a_round"})


def golden() -> list[tuple[str, str, dict[str, object]]]:
    """Return the table's lines: code, game, and every value; the first line of a game has the values that the others
    omit."""
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    first: dict[str, dict[str, object]] = {}
    reported = []
    for line in lines:
        if line and not line.startswith("#"):
            code, game, values, _ = (cell.strip() for cell in line.split("|"))
            first.setdefault(game, json.loads(values))
            reported.append((code, game, first[game] | json.loads(values)))
    return reported


@pytest.mark.parametrize("game", GAMES)
def test_codes_of_earlier_versions_still_read(game: str) -> None:
    broken = []
    for code, of_game, values in golden():
        if of_game == game:
            # An option that is newer than the line has the value that its line calls absent.
            younger = {line.key: line.absent for line in GAMES[game].share.lines if line.key not in values}
            expected = GAMES[game].rules(**younger, **values)  # type: ignore[arg-type]  # takes the values for names
            if (decode(code), encode(expected)) != (expected, code.replace("-", "")):
                broken.append(code)
    assert not broken, (
        "these codes stood for other rules, or these rules had another code, in an earlier version"
    )


def test_the_golden_codes_cover_every_line_of_every_table() -> None:
    reported = {
        (game, key, json.dumps(value)) for _, game, values in golden() for key, value in values.items()
    }
    missing = [
        (game, line.key, value)
        for game, wire in ((slug, each.share) for slug, each in GAMES.items())
        for line in wire.lines
        for value in (line.values if isinstance(line, Choice) else [line.absent])
        if (game, line.key, json.dumps(value)) not in reported
    ]
    assert not missing, "add codes that tell these to tests/golden/share-codes.txt, and change none"


@settings(max_examples=150, deadline=None)
@given(records())
def test_what_is_written_is_read(rules: Rules) -> None:
    read = decode(encode(rules))
    assert read == rules
    assert type(read) is type(rules)
    assert read.hash == rules.hash
    assert json.dumps(read.to_dict()) == json.dumps(rules.to_dict())


@settings(max_examples=60, deadline=None)
@given(records(), st.data())
def test_one_wrong_character_never_passes(rules: Rules, data: st.DataObject) -> None:
    code = encode(rules)
    place = data.draw(st.integers(0, len(code) - 1))
    wrong = data.draw(st.sampled_from(ALPHABET.replace(code[place], "")))
    with raises_text(BadShareCodeError, match="does not add up"):
        decode(code[:place] + wrong + code[place + 1 :])


@settings(max_examples=60, deadline=None)
@given(records(), st.data())
def test_two_swapped_neighbors_never_pass(rules: Rules, data: st.DataObject) -> None:
    code = encode(rules)
    place = data.draw(st.integers(0, len(code) - 2))
    swapped = code[:place] + code[place + 1] + code[place] + code[place + 2 :]
    if swapped != code:
        with raises_text(BadShareCodeError, match="does not add up"):
            decode(swapped)


def test_nearly_no_other_damage_passes() -> None:
    """Of a lost, a doubled and two wrong characters at every position, chance accepts one in 32,749."""
    code = encode(OURS)
    places = range(len(code))
    damaged = {code[:at] + code[at + 1 :] for at in places} | {
        code[:at] + code[at] + code[at:] for at in places
    }
    for a in places:
        for b in places[a + 1 :]:
            turned = [ALPHABET[ALPHABET.index(code[at]) ^ 21] for at in (a, b)]
            damaged.add(code[:a] + turned[0] + code[a + 1 : b] + turned[1] + code[b + 1 :])
    passed = []
    for each in damaged - {code}:
        try:
            passed.append(decode(each))
        except (BadShareCodeError, NewerShareCodeError):
            continue
    assert passed == []


def _longest(record: type[Rules]) -> Rules:
    """Every option with a value that codes do not omit and that takes the most space."""
    wire = GAMES[record.game].share
    absent = {line.key: line.absent for line in wire.lines}

    def room(key: str, value: object) -> tuple[bool, int]:
        return value != absent[key], len(share._line_of(wire, key, value)[1])

    return record(
        **{
            key: max(edges(option), key=lambda value: room(key, value))
            for key, option in record.options().items()
        }
    )


@pytest.mark.parametrize("game", GAMES)
def test_the_longest_link_fits_a_qr_code_of_version_6(game: str) -> None:
    longest = _longest(GAMES[game].rules)
    standard = GAMES[game].rules()
    assert set(longest.changes(standard)) == set(longest.options())
    # As if there were no preset to start from: no record has a longer code.
    body = share._characters(share._body(longest, GAMES[game].share, 0))
    address = link(SERVER, f"{GAMES[game].share.letter}1{body}")
    address += share._check(address.rpartition("/")[2])
    qr = segno.make(address, error="m", micro=False, boost_error=False)
    assert qr.mode == "alphanumeric"
    assert qr.version <= 6, f"{len(address)} characters"
    assert decode(address) == longest
    assert len(link(SERVER, encode(longest))) <= len(address)


@pytest.mark.parametrize("name", PRESETS)
def test_a_presets_link_fits_a_qr_code_of_version_2(name: str) -> None:
    assert segno.make(link(SERVER, encode(PRESETS[name])), error="m", micro=False).version <= 2


def test_codes_are_read_as_people_write_them() -> None:
    code = encode(OURS)
    assert code == "K1C61030SGFPR"
    assert grouped(code) == "K1C6-1030-SGFP-R"
    for written in (
        "k1c6-1030-sgfp-r",
        " KLC6 lO3o SGFP R ",
        "kic6io3osgfpr",
        "HTTP://10.0.0.2:8420/R/K1C61030SGFPR",
        "http://pi.local/r/k1c61030sgfpr?lang=ja#top",
    ):
        assert decode(written) == OURS, written
        assert resolve(written) == OURS, written


def test_a_code_is_called_after_the_preset_it_is_nearest_to() -> None:
    assert decode(encode(OURS)).name == "koikoi-hu with 2 changes"
    near_guide = resolve({"preset": "koikoi-standard", **PRESETS["koikoi-guide"].to_dict(), "chaff": 3})
    assert decode(encode(near_guide)).name == "koikoi-guide with 1 change"
    for name, rules in PRESETS.items():
        assert decode(encode(rules)).name == name
        assert decode(encode(rules)).preset == name


def test_names_have_no_part_in_a_code() -> None:
    assert encode(replace(OURS, name="Aya's house", preset="koikoi-guide")) == encode(OURS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "K1C61030SGFPS",
            "'K1C61030SGFPS' does not add up, so a character is wrong, missing or in the wrong place",
        ),
        ("K1C6U030SGFPR", "has a 'U': a code is made of digits and letters, without I, L, O and U"),
        ("K1C6%030SGFPR", "has a '%'"),
        ("K1CTE", "has 5 characters, and that is not a whole code"),
        ("K1" + "0" * 299, "has 301 characters"),
        ("K1" + "0" * 298, "does not add up"),
        ("", "has 0 characters"),
    ],
)
def test_mistyped_codes_are_rejected(text: str, message: str) -> None:
    with pytest.raises(BadShareCodeError) as caught:
        decode(text)
    assert message in error_text(caught.value)
    assert error_text(caught.value).startswith("the share code '")
    assert error_text(caught.value).endswith("type it again, or scan it")
    assert caught.value.code == "bad-share-code"


def _made(front: str, bits: str) -> str:
    """A code as a later version might create it."""
    code = front + share._characters(bits)
    return code + share._check(code)


def _gamma(number: int) -> str:
    return "0" * (number.bit_length() - 1) + f"{number:b}"


def _code_of(key: str, bits: str) -> str:
    """A code of Koi-Koi with these bits for one option."""
    place = [line.key for line in GAMES["koikoi"].share.lines].index(key)
    return _made("K1", "1" + _gamma(place + 1) + bits)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(_made("K2", "1"), id="version 2"),
        pytest.param(_made("K0", "1"), id="version 0"),
        pytest.param(_made("Z1", "1"), id="no game Z"),
        pytest.param(_made("K1", "000010001"), id="record 16"),
        pytest.param(_made("K1", "1" + "0000001001000"), id="option 71"),
        pytest.param(_code_of("poetry_blue", "11"), id="an unknown value"),
        pytest.param(_code_of("five_brights", "1111111111"), id="1023 points"),
        pytest.param(_code_of("five_brights", "0"), id="half a value"),
        pytest.param(_made("K1", "0"), id="half a base"),
        pytest.param(_code_of("rounds", "0000000"), id="a game without an end"),
    ],
)
def test_codes_of_newer_versions_ask_for_an_update(code: str) -> None:
    with pytest.raises(NewerShareCodeError) as caught:
        decode(code)
    assert error_text(caught.value) == (
        f"the share code '{code}' was made by a newer version of the program; update this one to read it"
    )
    assert caught.value.code == "newer-share-code"


@pytest.mark.parametrize("game", GAMES)
def test_the_first_base_and_the_first_option_beyond_the_tables_are_a_newer_versions(game: str) -> None:
    wire = GAMES[game].share
    bases, lines = len(wire.bases), len(wire.lines)
    with pytest.raises(NewerShareCodeError):
        decode(_made(f"{wire.letter}1", _gamma(bases + 1)))
    with pytest.raises(NewerShareCodeError):
        decode(_made(f"{wire.letter}1", "1" + _gamma(lines + 1) + "1"))


def test_a_code_starts_from_the_base_that_makes_it_shortest() -> None:
    for name in ("koikoi-hu", "koikoi-guide"):
        changed = resolve({"preset": name, "chaff": 2})
        assert (
            len(encode(changed)) == len(encode(resolve({"chaff": 2}))) == 9 + (name != "koikoi-standard") * 0
        )


@given(st.text(max_size=20))
@example("koikoi-gide")
@example("kilo")
@example("K" * 400)
def test_any_invalid_code_is_an_error(text: str) -> None:
    with contextlib.suppress(UnknownPresetError, BadShareCodeError):
        assert resolve(text) is not None


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("K1G6-2R", True),
        ("a1", True),
        (" b-2", True),
        ("N 1", True),
        ("E9", True),
        ("http://x/r/abc", True),
        ("HTTP://X/R/", True),
        ("KK1", False),
        ("koikoi-hu", False),
        ("Z1G62R", False),
        ("1K", False),
        ("", False),
        ("kingo/rules", False),
    ],
)
def test_texts_that_look_like_codes(text: str, like: bool) -> None:
    assert is_like_a_code(text) is like


def test_unknown_names_get_a_suggestion_and_invalid_codes_a_reason() -> None:
    with raises_text(UnknownPresetError, match="did you mean koikoi-guide"):
        resolve("koikoi-gide")
    with raises_text(BadShareCodeError, match="does not add up"):
        resolve("K1G6-3R")


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("http://10.0.0.2:8420/", "HTTP://10.0.0.2:8420/R/K1G62R"),
        ("http://pi.local", "HTTP://PI.LOCAL/R/K1G62R"),
        ("https://club.example/Hana/", "HTTPS://CLUB.EXAMPLE/Hana/R/K1G62R"),
    ],
)
def test_links_are_in_capitals_as_far_as_they_may_be(base: str, address: str) -> None:
    assert link(base, "K1G62R") == address
    assert decode(address) == PRESETS["koikoi-standard"]


def test_the_error_for_a_value_without_encoding_explains_what_to_do() -> None:
    with pytest.raises(LookupError, match=r"no share code can hold chaff = 5000: add a line .*share\.py"):
        share._line_of(GAMES["koikoi"].share, "chaff", 5000)


def test_records_that_are_read_have_a_name() -> None:
    assert named(KoiKoiRules(chaff=2)).name == "koikoi-standard with 1 change"
    assert named(KoiKoiRules(chaff=2, ribbons=2)).name == "koikoi-standard with 2 changes"
