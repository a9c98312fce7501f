"""Legal captures, and the problems of illegal ones."""

import pytest

from companion.hanafuda.cards import HANAFUDA, single_bits, to_bits
from companion.hanafuda.fishing import Captures
from companion.hanafuda.fishing.captures import bit_of, flower_of, id_of, ids_of
from companion.messages import render

LIGHTNING = bit_of("willow-lightning")
PLAIN, BOTH, WILD = Captures(), Captures(hand_takes_both=True), Captures(wild=LIGHTNING)
IRIS = "iris-bridge iris-ribbon iris-chaff-1 iris-chaff-2"


def _bits(text: str) -> int:
    return to_bits(text.split())


@pytest.mark.parametrize(
    ("captures", "card", "field", "hand", "drawn"),
    [
        (PLAIN, "iris-bridge", "", [""], [""]),
        (PLAIN, "iris-bridge", "plum-ribbon peony-ribbon", [""], [""]),
        (PLAIN, "iris-bridge", "wisteria-chaff-2 iris-ribbon peony-butterflies", ["iris-ribbon"], ["iris-ribbon"]),
        (PLAIN, "iris-bridge", "iris-ribbon iris-chaff-2", ["iris-ribbon", "iris-chaff-2"], ["iris-ribbon", "iris-chaff-2"]),
        (PLAIN, "iris-bridge", "iris-ribbon iris-chaff-1 iris-chaff-2 plum-ribbon", ["iris-ribbon iris-chaff-1 iris-chaff-2"], ["iris-ribbon iris-chaff-1 iris-chaff-2"]),
        (BOTH, "iris-bridge", "iris-ribbon", ["iris-ribbon"], ["iris-ribbon"]),
        (BOTH, "iris-bridge", "iris-ribbon iris-chaff-2", ["iris-ribbon iris-chaff-2"], ["iris-ribbon", "iris-chaff-2"]),
        (BOTH, "iris-bridge", "iris-ribbon iris-chaff-1 iris-chaff-2", ["iris-ribbon iris-chaff-1 iris-chaff-2"], ["iris-ribbon iris-chaff-1 iris-chaff-2"]),
        (WILD, "willow-lightning", "", [""], [""]),
        (WILD, "willow-lightning", "plum-ribbon iris-bridge", ["plum-ribbon", "iris-bridge"], ["plum-ribbon", "iris-bridge"]),
        (WILD, "willow-lightning", "plum-ribbon willow-ribbon", ["willow-ribbon", "plum-ribbon"], ["willow-ribbon", "plum-ribbon"]),
        (WILD, "willow-lightning", "plum-ribbon willow-rainman willow-swallow willow-ribbon", ["willow-rainman willow-swallow willow-ribbon", "plum-ribbon"], ["willow-rainman willow-swallow willow-ribbon", "plum-ribbon"]),
        (WILD, "willow-ribbon", "plum-ribbon iris-bridge", [""], [""]),
        (WILD, "plum-ribbon", "willow-lightning iris-bridge", [""], [""]),
        (WILD, "willow-ribbon", "willow-lightning iris-bridge", ["willow-lightning"], ["willow-lightning"]),
    ],
)  # fmt: skip
def test_options(captures: Captures, card: str, field: str, hand: list[str], drawn: list[str]) -> None:
    for from_hand, expected in ((True, hand), (False, drawn)):
        options = captures.options(bit_of(card), _bits(field), from_hand=from_hand)
        assert options == tuple(_bits(each) for each in expected)
        for takes in options:
            assert captures.problems(bit_of(card), takes, _bits(field), from_hand=from_hand) == []


@pytest.mark.parametrize(
    ("captures", "card", "takes", "field", "code", "sentence"),
    [
        (
            PLAIN, "iris-bridge", "plum-ribbon", "plum-ribbon", "wrong-flower",
            "Bridge took Plum Poetry Ribbon, but it takes cards of its own flower only",
        ),
        (
            PLAIN, "iris-bridge", "", "iris-ribbon plum-ribbon", "capture-refused",
            "Bridge matches Iris Ribbon on the field and must capture",
        ),
        (
            PLAIN, "iris-bridge", "iris-ribbon", "iris-ribbon iris-chaff-1 iris-chaff-2", "one-of-three",
            "Bridge matches three cards, Iris Ribbon, Iris Chaff, and Iris Chaff,"
            " and takes all of them, not only Iris Ribbon",
        ),
        (
            PLAIN, "iris-bridge", "iris-ribbon iris-chaff-1", "iris-ribbon iris-chaff-1", "one-of-two",
            "Bridge matches two cards, Iris Ribbon and Iris Chaff, and takes one of them, not both",
        ),
        (
            BOTH, "iris-bridge", "iris-ribbon", "iris-ribbon iris-chaff-1", "both-of-two",
            "Bridge matches Iris Ribbon and Iris Chaff, and by these rules a hand card takes both,"
            " not only Iris Ribbon",
        ),
        (
            WILD, "willow-lightning", "", "iris-ribbon plum-ribbon", "capture-refused",
            "Lightning matches Plum Poetry Ribbon and Iris Ribbon on the field and must capture",
        ),
        (
            WILD, "willow-lightning", "iris-ribbon plum-ribbon", "iris-ribbon plum-ribbon", "one-of-many",
            "Lightning is wild and takes one card of any flower, or all that its own flower lets it:"
            " it took Plum Poetry Ribbon and Iris Ribbon",
        ),
    ],
)  # fmt: skip
def test_problem(captures: Captures, card: str, takes: str, field: str, code: str, sentence: str) -> None:
    (problem,) = captures.problems(bit_of(card), _bits(takes), _bits(field), from_hand=True)
    assert (problem.code, render(problem.text)) == (code, sentence)
    assert render(problem.text, "ja")
    assert render(problem.text, "ja") != render(problem.text)


@pytest.mark.parametrize(
    ("takes", "field", "codes"),
    [
        ("plum-ribbon", "iris-ribbon plum-ribbon", ["wrong-flower", "capture-refused"]),
        ("iris-ribbon plum-ribbon", "iris-ribbon plum-ribbon", ["wrong-flower"]),
        ("iris-ribbon plum-ribbon", "iris-ribbon iris-chaff-1 iris-chaff-2 plum-ribbon", ["wrong-flower", "one-of-three"]),
        ("iris-ribbon iris-chaff-1 plum-ribbon", "iris-ribbon iris-chaff-1 plum-ribbon", ["wrong-flower", "one-of-two"]),
    ],
)  # fmt: skip
def test_every_problem_is_reported(takes: str, field: str, codes: list[str]) -> None:
    problems = PLAIN.problems(bit_of("iris-bridge"), _bits(takes), _bits(field), from_hand=True)
    assert [problem.code for problem in problems] == codes


def test_a_drawn_card_chooses_by_any_rules() -> None:
    both = _bits("iris-ribbon iris-chaff-1")
    (problem,) = BOTH.problems(bit_of("iris-bridge"), both, both, from_hand=False)
    assert problem.code == "one-of-two"


def test_a_card_matches_no_card_but_others() -> None:
    """A played card that is already on the field is a duplicate, not a refused capture."""
    assert PLAIN.problems(bit_of("iris-bridge"), 0, bit_of("iris-bridge"), from_hand=True) == []


def test_cards_as_sets() -> None:
    for card in HANAFUDA:
        assert bit_of(card.id) == card.bit
        assert id_of(card.bit) == card.id
        assert {each.id for each in HANAFUDA if each.bit & flower_of(card.bit)} == {
            each.id for each in HANAFUDA if each.flower == card.flower
        }
    assert ids_of(_bits(IRIS)) == tuple(IRIS.split())
    assert list(single_bits(_bits(IRIS))) == [bit_of(card) for card in IRIS.split()]
    assert list(single_bits(0)) == []
