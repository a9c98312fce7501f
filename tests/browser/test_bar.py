"""The bar at the bottom of a table's pages: one line at every size, and nothing of it lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Phones, Server
from .live import ELSEWHERE, LiveTable, round_where, undo

BROKEN_WORDS = """() => [...document.querySelectorAll(".bar button, .bar a, .bar label, .bar-items > span")]
  .filter((one) => one.getClientRects().length > 0).flatMap((one) => {
    const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), broken = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      for (const { 0: word, index } of text.data.matchAll(/\\S+/g)) {
        const range = new Range();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (range.getClientRects().length > 1) broken.push(word);
      }
    return broken;
  })"""

OUTSIDE = """() => [...document.querySelectorAll(".bar button, .bar a, .bar label, .bar-items > span")]
  .map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.left < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5))
  .map(([text]) => text)"""

MOST_OF_THE_SCREEN = 0.2
SIZES = [(390, 844, 100), (320, 700, 100), (844, 390, 100), (390, 844, 200), (320, 700, 200)]


def dealt(house: Server) -> LiveTable:
    table = LiveTable.open(house.url, round_where(lambda each: len(each.moves) > 8))
    table.deal()
    table.play(4)
    return table


def resize(page: Page, width: int, height: int, text: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("size => document.documentElement.style.fontSize = `${size}%`", text)
    page.wait_for_timeout(150)


def expect_one_line(page: Page, height: int) -> None:
    assert page.evaluate(BROKEN_WORDS) == []
    assert page.evaluate(OUTSIDE) == []
    box = page.locator(".bar").bounding_box()
    assert box["height"] <= max(MOST_OF_THE_SCREEN * height, 80)


def buttons(page: Page) -> Locator:
    return page.locator(".bar-items > :is(button, label):visible")


@pytest.mark.parametrize("locale", ["en-GB", "ja-JP", "ko-KR"])
def test_after_an_undo_five_buttons_fit_or_are_behind_more(
    house: Server, phones: Phones, locale: str
) -> None:
    page = phones.open(locale)
    page.goto(dealt(house).page)
    undo(page).click()
    expect(page.locator(".thumb .redo")).to_have_count(1)
    for width, height, text in SIZES:
        resize(page, width, height, text)
        expect(page.locator(".thumb .hand")).to_be_visible()
        expect_one_line(page, height)
        if buttons(page).count() < 5:
            page.locator(".bar-more").click()
            expect(buttons(page)).to_have_count(5)
            assert page.evaluate(BROKEN_WORDS) == []
            assert page.evaluate(OUTSIDE) == []
            page.locator(".bar-more").click()
        expect_one_line(page, height)


def test_what_is_behind_more_works(house: Server, phones: Phones) -> None:
    table = dealt(house)
    page = phones.open()
    page.goto(table.page)
    before = len(table.state()["history"])
    undo(page).click()
    resize(page, 320, 700, 200)
    redo = page.locator(".thumb .redo")
    expect(redo).to_be_hidden()
    page.locator(".bar-more").click()
    redo.click()
    expect(page.locator(".entry-line")).to_have_count(before)
    expect(page.locator(".bar-more")).to_have_attribute("aria-expanded", "false")


def test_a_watcher_can_read_how_to_join(house: Server, phones: Phones) -> None:
    page = phones.open(extra_http_headers=ELSEWHERE)
    page.goto(dealt(house).page)
    expect(page.locator(".watching a")).to_be_visible()
    for width, height, text in SIZES:
        resize(page, width, height, text)
        expect(page.locator(".watching a")).to_be_visible()
        expect_one_line(page, height)
