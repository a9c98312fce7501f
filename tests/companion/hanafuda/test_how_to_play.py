"""How to play: every game explains itself under the rules of a table, in every language."""

from __future__ import annotations

import re

import pytest

from companion.hanafuda.cards import DECKS
from companion.hanafuda.registry import GAMES
from companion.hanafuda.rules import PRESETS, Rules, resolve
from companion.messages import LANGUAGES, render

BUILT_IN = ("koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank")
VARIED = [
    *PRESETS.values(),
    resolve({"preset": "kakkuri", "deck": "hanafuda"}),
    resolve({"preset": "kakkuri", "deck": "western"}),
    resolve({"preset": "kingo", "deck": "kabufuda"}),
    resolve({"preset": "kingo-bank", "deck": "kabufuda", "arashi": False}),
    resolve({"preset": "koikoi-standard", "month_cards": 4, "poetry_blue": "add"}),
]


def words(rules: Rules, language: str = "en") -> str:
    """Return all that the chapters tell, without the pictures."""
    lines = []
    for chapter in GAMES[rules.game].how_to_play(rules):
        parts = [chapter.title, *chapter.text]
        for example in chapter.examples:
            parts += [each for each in (example.name, example.worth, example.text) if each is not None]
        lines += [render(each, language) for each in parts]
    return "\n".join(lines)


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_game_tells_its_aim_its_deal_its_turn_and_its_end(game: str) -> None:
    titles = [
        render(chapter.title) for chapter in GAMES[game].how_to_play(PRESETS[GAMES[game].rules.standard()])
    ]
    assert titles[:3] == ["What it is about", "The deal", "Your turn"]
    assert "The end of the game" in titles


@pytest.mark.parametrize("rules", VARIED, ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_in_the_catalogs_and_every_card_in_the_deck(rules: Rules, language: str) -> None:
    game = GAMES[rules.game]
    chapters = game.how_to_play(rules)
    for chapter in chapters:
        assert set(chapter.options) <= set(rules.options())
        assert {card for example in chapter.examples for card in example.cards} <= game.cards(rules)
    text = words(rules, language)
    assert not re.search(r"how-|rule-|\{|\(count=", text), text
    if language != "en":
        assert not re.search(r"[A-Za-z]{3}", text), text


@pytest.mark.parametrize(
    ("rules", "expected", "absent"),
    [
        ({"preset": "koikoi-standard"}, "Three Brights\n5 points\nThree brights without the Rain Man", "captures both"),
        ({"preset": "koikoi-hu"}, "Three Brights\n6 points\nThree brights", "without the Rain Man"),
        ({"preset": "koikoi-guide"}, "If two match, a card from the hand captures both.", "you choose one"),
        ({"preset": "koikoi-standard", "hand_size": 10}, "The dealer deals 10 cards", "deals 8"),
        ({"preset": "koikoi-standard", "moon_viewing": 0}, "Flower Viewing\n5 points", "Moon Viewing"),
        ({"preset": "kekoro", "yaku_points": 20}, "Each is worth 20 points.", "30 points"),
        ({"preset": "kekoro", "values": "kusaba"}, "Chaff: 8 each. Curtain and phoenix: 5 each.", "10 each"),
        ({"preset": "kakkuri", "lucky_shares": 5}, "Lucky hand\n5 shares\nDealt these three, you win at once", "3 shares"),
        ({"preset": "kakkuri-porges"}, "They stand for any number that may go now", "any card goes on them"),
        ({"preset": "kingo", "wager": 3}, "Everyone puts 3 stones into the pot", "1 stone"),
        ({"preset": "kingo", "deck": "kabufuda"}, "A card is worth its number.", "pine 1"),
        ({"preset": "kingo-bank", "arashi": False}, "only the dealer: a nine and a one", "Arashi"),
    ],
)  # fmt: skip
def test_the_house_rules_are_filled_in(rules: dict[str, object], expected: str, absent: str) -> None:
    text = words(resolve(rules))
    assert expected in text
    assert absent not in text


def test_the_pictures_are_of_the_deck_that_is_played() -> None:
    for deck, preset in (
        ("mekurifuda", "kakkuri"),
        ("western", "kakkuri"),
        ("kabufuda", "kingo"),
        ("hanafuda", "kingo"),
    ):
        rules = resolve({"preset": preset, "deck": deck})
        pictures = {
            card
            for chapter in GAMES[rules.game].how_to_play(rules)
            for each in chapter.examples
            for card in each.cards
        }
        assert pictures
        assert pictures <= {card.id for card in DECKS[deck]}
