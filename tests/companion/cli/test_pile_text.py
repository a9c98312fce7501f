"""The text form of a pile of any pack."""

from __future__ import annotations

from typing import Any

import pytest

from companion.cli.pile_text import pile_lines
from companion.hanafuda.cards import DECKS

SQUARE = [[10, 10], [30, 10], [30, 50], [10, 50]]


def seen(name: str | None, *guesses: tuple[str, float]) -> dict[str, Any]:
    return {"card": name, "quad": SQUARE, "alternatives": [*guesses]}


def test_hanafuda_are_listed_by_type():
    cards = [seen("pine-chaff-1"), seen("pine-crane"), seen("back"), seen("plum-warbler")]
    assert list(pile_lines(cards)) == [
        "  Brights 1   Crane and Sun 松に鶴",
        "  Animals 1   Bush Warbler 梅に鶯",
        "  Chaff 1     Pine Chaff 松のカス",
        "  Face down 1 a face-down card",
    ]


def test_cards_without_a_type_are_listed_by_suit_in_order():
    cards = [seen("swords-2"), seen("clubs-12"), seen("onifuda"), seen("clubs-1")]
    cards.append(seen(None, ("cups-4", 0.6), ("onifuda", 0.3), ("back", 0.1)))
    assert list(pile_lines(cards)) == [
        "  Clubs 2     1 of Clubs (Dragon) ハウの一, 12 of Clubs (King) ハウの十二",
        "  Swords 1    2 of Swords イスの二",
        "  Ogre 1      Onifuda (Ogre) 鬼札",
        "  unsure      at 20, 30: 4 of Cups 60% or Onifuda (Ogre) 30% or a face-down card 10%",
    ]


@pytest.mark.parametrize("pack", DECKS)
def test_every_card_of_a_pack_is_listed_once(pack: str):
    output = "\n".join(pile_lines([seen(card.id) for card in DECKS[pack]]))
    counts = [int(line[:14].split()[-1]) for line in output.splitlines() if not line.startswith(" " * 14)]
    assert sum(counts) == len(DECKS[pack])
