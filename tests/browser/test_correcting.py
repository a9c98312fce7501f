"""Correcting a scan: by a tap in the picture or in the list, by swapping, adding and removing cards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import Server
from .steps import name_it, scan, tile, total
from .table import Table


@pytest.fixture
def pile(phone: Page, steady: Server, picture: Path) -> Page:
    scan(phone, steady.url, picture)
    return phone


def test_a_tap_in_the_picture_picks_the_card_there(pile: Page, table: Table) -> None:
    name, quad = table.cards[3]
    assert name == "plum-ribbon"
    surface = pile.locator(".picture-surface")
    box = surface.bounding_box()
    assert box
    scale = box["width"] / table.width
    x, y = (sum(axis) / 4 * scale for axis in zip(*quad, strict=True))
    surface.click(position={"x": x, "y": y})
    expect(pile.locator(".sheet .now")).to_have_text("Plum Poetry Ribbon")


def test_the_likely_cards_come_first_with_their_share(pile: Page) -> None:
    tile(pile, "Deer").click()
    likely = pile.locator(".likely .choice")
    expect(likely.first).to_have_attribute("data-card", "maple-deer")
    expect(likely.first).to_contain_text("97%")


def test_all_48_are_offered_by_flower(pile: Page) -> None:
    tile(pile, "Deer").click()
    expect(pile.locator(".months li")).to_have_count(12)
    expect(pile.locator(".months .choice")).to_have_count(48)


def test_a_card_that_is_elsewhere_is_found_and_swapped(pile: Page) -> None:
    tile(pile, "Deer").click()
    name_it(pile, "susuki-moon")
    clash = pile.locator(".clash")
    expect(clash).to_contain_text("Full Moon is already in the pile")
    expect(clash).to_be_in_viewport(ratio=1)
    expect(clash.locator(".crop")).to_be_visible()
    clash.get_by_role("button", name="Swap").click()
    expect(pile.locator(".sheet")).to_have_count(0)
    expect(pile.locator(".tile.by-person")).to_have_count(2)
    expect(total(pile)).to_have_text("5")


def test_a_missed_card_is_added_and_taken_out_again(pile: Page) -> None:
    pile.get_by_role("button", name="Add a missed card").click()
    name_it(pile, "paulownia-phoenix")
    expect(total(pile)).to_have_text("16")  # four brights: 8, doubled at seven
    tile(pile, "Phoenix").click()
    pile.get_by_role("button", name="Remove").click()
    expect(total(pile)).to_have_text("5")


def test_an_added_card_that_turns_out_to_lie_there_is_no_longer_counted_apart(
    phone: Page, serve: type[Server], table: Table, picture: Path, tmp_path: Path
) -> None:
    unsure = tmp_path / "unsure.json"
    cards = [(None if name == "plum-ribbon" else name, quad) for name, quad in table.cards]
    unsure.write_text(json.dumps({"width": table.width, "height": table.height, "cards": cards}))
    scan(phone, serve(str(unsure)).url, picture)
    phone.get_by_role("button", name="Add a missed card").click()
    name_it(phone, "plum-ribbon")
    phone.get_by_role("button", name="Not named yet").click()
    name_it(phone, "plum-ribbon")
    phone.get_by_role("button", name="Use it here").click()
    expect(phone.get_by_role("heading", name="6 cards")).to_be_visible()
    expect(tile(phone, "Plum Poetry Ribbon")).to_have_count(1)
    expect(phone.locator(".open-line")).to_have_count(0)


def test_what_is_not_a_card_goes(pile: Page) -> None:
    tile(pile, "Crane and Sun").click()
    pile.get_by_role("button", name="Not a card").click()
    expect(total(pile)).to_have_text("0")
    expect(tile(pile, "Crane and Sun")).to_have_count(0)
    expect(pile.get_by_role("heading", name="5 cards")).to_be_visible()


def test_face_down_does_not_count(pile: Page) -> None:
    tile(pile, "Crane and Sun").click()
    pile.get_by_role("button", name="Face down").click()
    expect(total(pile)).to_have_text("0")
    expect(tile(pile, "Face down")).to_be_visible()


def test_escape_leaves_everything_as_it_is(pile: Page) -> None:
    tile(pile, "Deer").click()
    pile.keyboard.press("Escape")
    expect(pile.locator(".sheet")).to_have_count(0)
    expect(pile.locator(".by-person")).to_have_count(0)


def test_a_yaku_shows_its_cards_in_the_picture(pile: Page) -> None:
    pile.locator(".yaku button").click()
    expect(pile.locator(".outline.lit")).to_have_count(3)
    pile.locator(".yaku button").click()
    expect(pile.locator(".outline.lit")).to_have_count(0)
