"""Decks, names, orders and sets of cards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.hanafuda.cards import (
    DECKS,
    FLOWERS,
    HANAFUDA,
    KABUFUDA,
    MEKURIFUDA,
    MONTH_ORDERS,
    WESTERN,
    CardTwiceError,
    UnknownCardError,
    card,
    from_bits,
    to_bits,
    twin,
)
from companion.messages import error_text
from tests.message_text import raises_text

# The contract's list, month by month.
CONTRACT = """
pine-crane pine-ribbon pine-chaff-1 pine-chaff-2
plum-warbler plum-ribbon plum-chaff-1 plum-chaff-2
cherry-curtain cherry-ribbon cherry-chaff-1 cherry-chaff-2
wisteria-cuckoo wisteria-ribbon wisteria-chaff-1 wisteria-chaff-2
iris-bridge iris-ribbon iris-chaff-1 iris-chaff-2
peony-butterflies peony-ribbon peony-chaff-1 peony-chaff-2
clover-boar clover-ribbon clover-chaff-1 clover-chaff-2
susuki-moon susuki-geese susuki-chaff-1 susuki-chaff-2
chrysanthemum-sake chrysanthemum-ribbon chrysanthemum-chaff-1 chrysanthemum-chaff-2
maple-deer maple-ribbon maple-chaff-1 maple-chaff-2
willow-rainman willow-swallow willow-ribbon willow-lightning
paulownia-phoenix paulownia-yellow paulownia-chaff-1 paulownia-chaff-2
""".strip().splitlines()


def test_hanafuda_in_deck_order() -> None:
    by_month = [[each.id for each in HANAFUDA if each.month == month] for month in range(1, 13)]
    assert by_month == [line.split() for line in CONTRACT]
    assert [each.index for each in HANAFUDA] == list(range(48))


def test_kinds() -> None:
    counts = {
        kind: sum(each.kind == kind for each in HANAFUDA) for kind in ("bright", "animal", "ribbon", "chaff")
    }
    assert counts == {"bright": 5, "animal": 9, "ribbon": 10, "chaff": 24}
    assert card("chrysanthemum-sake").kind == "animal"
    assert card("willow-lightning").kind == "chaff"
    assert card("paulownia-yellow").kind == "chaff"


def test_mekurifuda() -> None:
    assert len(MEKURIFUDA) == 49
    assert [each.id for each in MEKURIFUDA[:2]] == ["clubs-1", "clubs-2"]
    assert {each.id for each in MEKURIFUDA if each.month == 12} == {
        "clubs-12",
        "swords-12",
        "cups-12",
        "coins-12",
    }
    assert MEKURIFUDA[-1].id == "onifuda"


def test_kabufuda() -> None:
    assert len(KABUFUDA) == 40
    assert KABUFUDA[0].id == "kabu-1-a"
    assert KABUFUDA[-1].id == "kabu-10-d"
    assert "red" in card("kabu-1-a").names.en
    assert "silver" in card("kabu-4-a").names.en
    assert card("kabu-4-b").names.en == "Kabu 4"


def test_western_cards_stand_in_for_mekurifuda() -> None:
    """Clubs are clubs, swords spades, cups hearts, coins diamonds; there are no tens."""
    assert [each.month for each in WESTERN] == [each.month for each in MEKURIFUDA[:48]]
    assert " ".join(each.id for each in WESTERN[:12]) == "C1 C2 C3 C4 C5 C6 C7 C8 C9 CJ CQ CK"
    assert {each.id[0]: each.flower for each in WESTERN} == {
        "C": "clubs",
        "S": "spades",
        "H": "hearts",
        "D": "diamonds",
    }
    assert card("D2").names.to_dict() == {
        "en": "2 of Diamonds",
        "ja": "ダイヤの2",
        "romaji": "daiya no ni",
        "ko": None,
    }
    assert card("SQ").names.en == "Queen of Spades"
    assert card("H1").names.ja == "ハートのA"


def test_ids_are_one_of_a_kind_across_decks() -> None:
    ids = [each.id for deck in DECKS.values() for each in deck]
    assert len(ids) == len(set(ids)) == 185


def test_names_in_every_language() -> None:
    for each in HANAFUDA:
        assert all((each.names.en, each.names.ja, each.names.romaji, each.names.ko)), each.id
        assert each.names.romaji.isascii()
    assert card("willow-rainman").names.ko == "비광"
    assert card("clubs-3").names.ko is None


def test_month_orders() -> None:
    assert list(MONTH_ORDERS["japan"]) == list(FLOWERS)
    nagoya = MONTH_ORDERS["nagoya"]
    assert (nagoya["willow"], nagoya["paulownia"], nagoya["peony"], nagoya["plum"]) == (2, 6, 11, 12)
    assert (MONTH_ORDERS["korea"]["paulownia"], MONTH_ORDERS["korea"]["willow"]) == (11, 12)
    for order in MONTH_ORDERS.values():
        assert sorted(order) == sorted(FLOWERS)
        assert sorted(order.values()) == list(range(1, 13))


def test_twins() -> None:
    assert twin("plum-chaff-2") == "plum-chaff-1"
    assert twin("paulownia-chaff-1") == "paulownia-chaff-2"
    assert twin("paulownia-yellow") is None
    assert twin("willow-lightning") is None
    assert sum(twin(each.id) is not None for each in HANAFUDA) == 22


@given(st.sets(st.sampled_from([each.id for each in HANAFUDA])))
def test_sets_there_and_back(ids: set[str]) -> None:
    cards = from_bits(to_bits(ids))
    assert {each.id for each in cards} == ids
    assert [each.index for each in cards] == sorted(each.index for each in cards)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("pine-crain", "pine-crane"),
        ("Plum-Warbler", "plum-warbler"),
        ("sake", "companion decks"),
        ("back", "face-down"),
        (7, "7"),
        (None, "None"),
        (["pine-crane"], "pine-crane"),
    ],
)
def test_the_error_for_an_unknown_card_suggests_the_nearest(wanted: str, message: str) -> None:
    with raises_text(UnknownCardError, match="there is no card") as error:
        card(wanted)
    assert message in error_text(error.value)
    with pytest.raises(UnknownCardError):
        to_bits([wanted])


def test_a_card_of_another_deck_is_not_hanafuda() -> None:
    with raises_text(UnknownCardError, match="belongs to another"):
        to_bits(["clubs-3"])


def test_a_card_twice_names_its_twin() -> None:
    with raises_text(CardTwiceError, match="pine-chaff-2") as error:
        to_bits(["pine-chaff-1", "pine-crane", "pine-chaff-1"])
    assert error.value.card == "pine-chaff-1"
