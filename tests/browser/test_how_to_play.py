"""How to play: the rules of the game that is played, one tap away, and once without being asked."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from companion.hanafuda.simulation import random_round

from .conftest import Phones, Server
from .live import ELSEWHERE, LiveTable


def opened(page: Page, title: str) -> None:
    """Open the sheet by its button, read its title, and close it."""
    page.locator(".how-open").first.click()
    sheet = page.locator("dialog.how")
    expect(sheet.locator("h2").first).to_have_text(title)
    expect(sheet.locator("section h3").first).to_be_visible()
    assert sheet.evaluate("one => one.scrollWidth <= one.clientWidth")
    sheet.locator(".button.primary").click()
    expect(sheet).to_have_count(0)


def test_the_rules_are_one_tap_away(house: Server, phones: Phones) -> None:
    """No page explained a game."""
    table = LiveTable.open(house.url, random_round("koikoi", 1))
    page = phones.open()
    for address in (f"{house.url}/rules", f"{house.url}/r/koikoi-hu", f"{house.url}/tables", table.seat(1)):
        page.goto(address)
        opened(page, "How to play Koi-Koi")
    page.goto(table.page)
    page.locator(".bar-button").last.click()
    opened(page, "How to play Koi-Koi")


@pytest.mark.parametrize(
    ("game", "locale", "title"),
    [
        ("kakkuri", "ja-JP", "カックリの遊び方"),
        ("kingo", "ko-KR", "긴고 놀이 방법"),
        ("kingo-bank", "en-GB", "How to play Kingo against a banker"),
        ("kekoro", "ja-JP", "ケコロの遊び方"),
    ],
)
def test_every_game_in_every_language(
    house: Server, phones: Phones, game: str, locale: str, title: str
) -> None:
    page = phones.open(locale, viewport={"width": 320, "height": 640})
    page.goto(f"{house.url}/r/{game}")
    opened(page, title)


def test_the_sheet_fills_in_the_house_rules(house: Server, phones: Phones) -> None:
    page = phones.open()
    page.goto(f"{house.url}/r/koikoi-guide")
    page.locator(".how-open").click()
    sheet = page.locator("dialog.how")
    expect(sheet).to_contain_text("If two match, a card from the hand captures both.")
    viewing = sheet.locator("li").filter(has_text="Moon Viewing")
    expect(viewing.first).to_contain_text("3 points")
    expect(viewing.first.locator(".face")).to_have_count(2)
    expect(
        sheet.locator(".rule.marked").filter(has_text="What the winner’s own koi-koi calls do").first
    ).to_contain_text("× 2")


def test_a_phone_reads_the_rules_at_its_first_game_and_only_then(house: Server, phones: Phones) -> None:
    """Whoever sat down without knowing the game had nothing to read."""
    table = LiveTable.open(house.url, random_round("koikoi", 1))
    invitation = {"role": "scorer", "seat": 2, "table": table.id, "name": "Bo"}
    invited = phones.open().request.post(f"{house.url}/api/pairings", data=invitation).json()
    guest = phones.open(knows_games=False, extra_http_headers=ELSEWHERE)
    guest.goto(f"{house.url}/join")
    guest.locator("input[name=pin]").fill(invited["pin"])
    guest.get_by_role("button", name="Join").click()
    guest.wait_for_url("**/seat/2")
    sheet = guest.locator("dialog.how")
    expect(sheet).to_contain_text("What it is about")
    sheet.get_by_role("button", name="Got it").click()
    expect(sheet).to_have_count(0)
    guest.reload()
    expect(guest.locator(".seat-page .how-open")).to_be_visible()
    expect(sheet).to_have_count(0)
    # Another seat's page, which the phone only looks at, opens nothing either.
    guest.evaluate("localStorage.clear()")
    guest.goto(table.seat(1))
    expect(guest.locator(".seat-page .how-open")).to_be_visible()
    expect(sheet).to_have_count(0)


def test_a_table_is_opened_with_as_many_players_as_the_rules_allow(house: Server, phones: Phones) -> None:
    """Kakkuri's form let one remove players, and the server then refused the table."""
    page = phones.open()
    page.goto(f"{house.url}/tables")
    page.locator("input[name=game][value=kakkuri]").check(force=True)
    seats = page.locator(".players input")
    fewer, more = (
        page.get_by_role("button", name="Remove a player"),
        page.get_by_role("button", name="Add a player"),
    )
    expect(seats).to_have_count(7)
    expect(fewer).to_be_disabled()
    more.click()
    expect(seats).to_have_count(8)
    expect(more).to_be_disabled()
    page.locator("select[name=rules]").select_option("kakkuri-porges")
    for _ in range(6):
        fewer.click()
    expect(seats).to_have_count(2)
    expect(fewer).to_be_disabled()
    page.locator("select[name=rules]").select_option("kakkuri")
    expect(seats).to_have_count(7)
    page.get_by_role("button", name="Open the table").click()
    page.wait_for_url("**/t/*")
