"""The permanent tables behind share codes contain every option and value."""

from __future__ import annotations

import pytest
from any_rules import OPTIONS, edges, option_of

from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS
from companion.hanafuda.rules.share import encode
from companion.hanafuda.rules.share_table import Bits, Choice, Effects, Number, UndefinedBitsError


@pytest.mark.parametrize(("game", "key"), OPTIONS)
def test_every_value_of_every_option_has_a_line(game: str, key: str) -> None:
    lines = [line for line in GAMES[game].share.lines if line.key == key]
    default = getattr(GAMES[game].rules(), key)
    for value in edges(option_of(game, key)):
        assert any(line.write(value) is not None for line in lines), (
            f"companion/hanafuda/rules/share_table.py cannot write {key} = {value!r} of {game}. Add a line at the end of the game's"
            f" table, change none: for a choice of words Choice({key!r}, {default!r}, (...)), for a number"
            f" Number({key!r}, {default!r}, BITS), for effects Effects({key!r}, {default!r})"
            + ("; with the same absent value as the lines that there are" if lines else "")
        )


@pytest.mark.parametrize("game", GAMES)
def test_lines_are_about_options_that_there_are(game: str) -> None:
    options = GAMES[game].rules.options()
    for line in GAMES[game].share.lines:
        assert line.key in options
        assert options[line.key].is_valid(line.absent)
        assert line.absent == next(other.absent for other in GAMES[game].share.lines if other.key == line.key)


@pytest.mark.parametrize("game", GAMES)
def test_the_first_base_is_the_absent_values_and_all_are_records(game: str) -> None:
    assert not GAMES[game].share.bases[0]
    for base in GAMES[game].share.bases:
        GAMES[game].rules(**base)


def test_each_game_has_its_own_letter() -> None:
    assert "".join(game.share.letter for game in GAMES.values()) == "KEANB"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_has_a_base_so_that_its_code_is_short(name: str) -> None:
    assert len(encode(PRESETS[name])) == 6, (
        f"add {name} to the bases of its game in companion/hanafuda/rules/share_table.py"
    )


@pytest.mark.parametrize(
    ("line", "value", "bits"),
    [
        (Number("n", 0, 4), 0, "0000"),
        (Number("n", 0, 4), 9, "1001"),
        (Number("n", 0, 4), 15, "1111"),
        (Number("n", 0, 4), 16, None),
        (Number("n", 0, 4), -1, None),
        (Number("n", 0, 4), True, None),
        (Number("n", 0, 4), "once", None),
        (Choice("c", "a", ("a", "b", "c")), "a", "00"),
        (Choice("c", "a", ("a", "b", "c")), "c", "10"),
        (Choice("c", "a", ("a", "b")), "b", "1"),
        (Choice("c", "a", ("a",)), "a", ""),
        (Choice("c", "a", ("a", "b")), "d", None),
        (Choice("c", 1, (0, 1)), True, None),
        (Choice("c", 1, (0, 1)), 1, "1"),
        (Choice("c", True, (True, False)), False, "1"),
        (Effects("e", ()), (), "0000"),
        (Effects("e", ()), ("x2",), "0001" + "1" + "0000010"),
        (Effects("e", ()), ("+1", "x99"), "0010" + "00000001" + "11100011"),
        (Effects("e", ()), ("x1",) * 15, "1111" + "10000001" * 15),
        (Effects("e", ()), ("x1",) * 16, None),
        (Effects("e", ()), ("x100",), None),
    ],
)
def test_how_values_are_written(line: Number | Choice | Effects, value: object, bits: str | None) -> None:
    assert line.write(value) == bits
    if bits is not None:
        assert line.read(Bits(bits + "1")) == value


def test_a_place_beyond_a_choice_is_a_newer_versions() -> None:
    with pytest.raises(UndefinedBitsError, match="seven has a value that this version does not know"):
        Choice("seven", "a", ("a", "b", "c")).read(Bits("11"))


def test_bits_are_taken_from_the_front() -> None:
    bits = Bits("101" + "1" + "010" + "00101" + "000")
    assert bits.take(3) == 5
    assert bits.take(0) == 0
    assert [bits.take_gamma() for _ in range(3)] == [1, 2, 5]
    assert bits.at_end()
    assert not Bits("0001").at_end()
    assert Bits("").at_end()


@pytest.mark.parametrize("bits", ["", "000", "001", "00010"])
def test_bits_that_end_too_early_are_a_newer_versions(bits: str) -> None:
    with pytest.raises(UndefinedBitsError, match="ends in the middle of a value"):
        Bits(bits).take_gamma()
