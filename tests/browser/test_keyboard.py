"""Keys as buttons on the pages of a table: pressed, held, pressed twice, reassigned; ignored while somebody types."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import Phones, Server
from .live import ELSEWHERE, LiveTable, round_where, says
from .screens import screen


@pytest.fixture
def table(house: Server) -> LiveTable:
    """Player 1 has just made a yaku and has to decide."""
    played = round_where(lambda played: says(played, "koikoi")[:1] == [1])
    table = LiveTable.open(house.url, played)
    table.deal()
    for _ in table.moves(table.upto(("call", "koikoi"))):  # reported one by one, as by a camera
        pass
    assert table.state()["round"]["decision"]["seat"] == 1
    return table


def toast(page: Page) -> Any:
    return page.locator(".toast.visible")


def opened(phones: Phones, url: str, **options: Any) -> Page:
    page = phones.open(viewport={"width": 1280, "height": 800}, is_mobile=False, has_touch=False, **options)
    page.goto(url)
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".toast")).to_have_count(1)  # keys are handled
    return page


def after_lockout(page: Page) -> None:
    """Wait until keys are accepted again after a press: 250 ms of the page's clock."""
    page.wait_for_timeout(300)


def twice(page: Page, key: str) -> None:
    """Press a key twice, quickly even on a busy machine."""
    page.evaluate(
        """key => ["keydown", "keyup", "keydown", "keyup"].forEach(
            kind => document.body.dispatchEvent(new KeyboardEvent(kind, { key, bubbles: true, cancelable: true })))""",
        key,
    )


@pytest.mark.parametrize("where", ["seat/1", "", "host"])
def test_a_key_is_a_button(phones: Phones, table: LiveTable, where: str) -> None:
    page = opened(phones, f"{table.page}/{where}".rstrip("/"))
    with page.expect_request("**/presses") as sent:
        page.keyboard.press("k")
    expect(toast(page)).to_have_text("Koi-koi Aya calls koi-koi")
    assert table.state()["history"][-1]["call"] == "koikoi"
    reported = sent.value.post_data_json
    assert (reported["button"], reported["how"], reported["source"]) == ("koi-koi", "press", "keyboard")
    assert reported["seat"] == (1 if where == "seat/1" else None)


def test_on_anothers_seat_the_key_names_who_decides(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.seat(2))
    before = table.state()
    page.keyboard.press("S")  # the same key with Shift
    expect(toast(page)).to_have_text("Stop The decision is up to Aya, not Bo.")
    expect(toast(page)).to_have_class("toast visible refused")
    assert table.state() == before


def test_in_japanese(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.seat(2), locale="ja-JP")
    page.keyboard.press("p")
    expect(toast(page)).to_have_text("パス こいこいではパスのボタンは使わない。Ayaが決めるところ。")
    page.goto(table.seat(1))
    expect(page.locator(".toast")).to_have_count(1)
    page.keyboard.press("k")
    expect(toast(page)).to_have_text("こいこい Aya：こいこい")


def test_a_key_that_repeats_itself_is_one_press(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.page)
    seqs = len(table.state()["history"])
    for _ in range(5):
        page.keyboard.down("k")  # from the second one on, the browser marks it as a repeat
    page.keyboard.up("k")
    expect(toast(page)).to_have_text("Koi-koi Aya calls koi-koi")
    assert len(table.state()["history"]) == seqs
    assert table.state()["history"][-1]["moves"][-1]["words"] == ["call", "koikoi"]


def test_undo_pressed_kept_down_and_pressed_twice(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.page)
    whole = table.state()["history"]
    page.keyboard.press("k")
    expect(toast(page)).to_contain_text("calls koi-koi")
    after_lockout(page)
    page.keyboard.press("u")
    expect(toast(page)).to_have_text("Undo Undone: Aya calls koi-koi")
    assert table.state()["history"] == whole
    # Held: reported before its release, and once.
    after_lockout(page)
    page.keyboard.down("u")
    # the one from the hand, and the drawn card
    expect(toast(page)).to_have_text(re.compile(r"^Undo Undone: Aya plays [^;:]+; Aya draws [^;:]+$"))
    page.keyboard.up("u")
    assert table.state()["history"] == whole[:-1]
    after_lockout(page)
    twice(page, "u")
    expect(toast(page)).to_have_text(re.compile(r"^Undo Restored: Aya plays [^;:]+; Aya draws [^;:]+$"))
    assert table.state()["history"] == whole


def test_next_takes_the_likeliest_answer(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.page)
    choice = {"en": "koi-koi", "ja": "こいこい"}
    other = {"en": "stop", "ja": "勝負"}
    table.referee_says(
        (
            "asked",
            {
                "text": {"en": "What was said?", "ja": "何と言った？"},
                "choices": [
                    {"says": other, "p": 0.2, "events": []},
                    {
                        "says": choice,
                        "p": 0.7,
                        "events": [{"kind": "moved", "data": {"player": 1, "words": ["call", "koikoi"]}}],
                    },
                ],
                "picture": None,
            },
        )
    )
    expect(page.locator("body")).to_contain_text("What was said?")
    page.keyboard.press("n")
    expect(toast(page)).to_have_text("Next Answered: koi-koi")
    assert table.state()["questions"] == []
    after_lockout(page)
    page.keyboard.press("n")
    expect(toast(page)).to_contain_text("Nothing waits for an answer. It is Bo's turn")


def test_never_while_somebody_types(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.page)
    before = table.state()
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<input id=typed><textarea id=more></textarea>')"
    )
    for field in ("#typed", "#more"):
        page.locator(field).press_sequentially("skunkpun")
        expect(page.locator(field)).to_have_value("skunkpun")
    page.locator("#more").blur()
    for key in ("Control+k", "Alt+u", "Meta+s"):
        page.keyboard.press(key)
    expect(toast(page)).to_have_count(0)
    assert table.state() == before


def test_a_viewer_has_no_keys(phones: Phones, table: LiveTable) -> None:
    page = phones.open(extra_http_headers=ELSEWHERE)
    page.goto(table.page)
    expect(page.locator(".watching")).to_be_visible()
    page.keyboard.press("k")
    expect(page.locator(".toast")).to_have_count(0)
    page.locator(".bar-button").click()
    expect(page.locator(".menu")).to_be_visible()
    expect(page.get_by_role("button", name="Keys as buttons")).to_have_count(0)
    assert table.state()["round"]["decision"]


def choose_keys(page: Page) -> None:
    page.locator(".bar-button").click()
    page.get_by_role("button", name="Keys as buttons").click()


def row(page: Page, button: str) -> Any:
    return page.locator(f".keys [data-button={button}]")


def test_keys_are_chosen_and_remembered_for_the_page(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.seat(1))
    choose_keys(page)
    row(page, "koi-koi").click()
    expect(row(page, "koi-koi")).to_have_text("Press the key for Koi-koi…")
    page.keyboard.press("Enter")  # it operates the page
    expect(page.locator(".keys .taken")).to_be_visible()
    page.keyboard.press("PageDown")
    expect(row(page, "koi-koi")).to_have_text("PageDown")
    row(page, "stop").click()
    expect(row(page, "stop")).to_have_text("Press the key for Stop…")
    page.keyboard.press("n")  # it was next's: a key belongs to one button
    expect(row(page, "stop")).to_have_text("N")
    expect(row(page, "next")).to_have_text("none: choose one")
    row(page, "undo").click()
    expect(row(page, "undo")).to_have_text("Press the key for Undo…")
    page.keyboard.press("Escape")  # not changed
    expect(row(page, "undo")).to_have_text("U")
    assert table.state()["round"]["decision"], "while keys are chosen none of them counts"
    page.locator(".keys .cross").click()
    page.keyboard.press("k")
    page.keyboard.press("PageDown")
    expect(toast(page)).to_have_text("Koi-koi Aya calls koi-koi")
    table.submit(("undone", {"of": table.state()["undo"]["seq"]}))
    page.reload()
    expect(page.locator(".toast")).to_have_count(1)
    page.keyboard.press("n")
    expect(toast(page)).to_have_text("Stop Aya stops")
    # Another seat's page has its own keys.
    page.goto(table.seat(2))
    choose_keys(page)
    expect(row(page, "koi-koi")).to_have_text("K")


def test_the_keys_of_old_are_back_with_a_tap(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.page)
    choose_keys(page)
    row(page, "pass").click()
    expect(row(page, "pass")).to_have_text("Press the key for Pass…")
    page.keyboard.press("q")
    expect(row(page, "pass")).to_have_text("Q")
    page.get_by_role("button", name="Reset").click()
    expect(row(page, "pass")).to_have_text("P")


def test_two_keys_at_once_are_one_press(phones: Phones, table: LiveTable) -> None:
    page = opened(phones, table.page)
    page.keyboard.down("k")
    page.keyboard.down("s")
    page.keyboard.up("s")
    page.keyboard.up("k")
    expect(toast(page)).to_have_text("Koi-koi Aya calls koi-koi")
    assert table.state()["round"]["outcome"] is None


def test_the_cards_to_choose_from_are_one_tab_stop(phones: Phones, house: Server) -> None:
    played = round_where(lambda each: len(each.deal.field) == 8)
    table = LiveTable.open(house.url, played)
    table.deal()
    page = screen(phones, "laptop")
    page.goto(table.seat(played.dealer))
    page.locator(".thumb .hand").click()
    cards = page.locator(".pick-grid .pick-card:not(:disabled)")
    expect(page.locator(".pick-grid .pick-card[tabindex='0']")).to_have_count(1)
    cards.first.focus()
    page.keyboard.press("ArrowRight")
    expect(cards.nth(1)).to_be_focused()
    below = cards.nth(1).bounding_box()
    page.keyboard.press("ArrowDown")
    focused = page.locator(".pick-card:focus").bounding_box()
    assert below
    assert focused
    assert focused["y"] > below["y"]
    page.keyboard.press("ArrowUp")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(cards.last).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".entry-line, .chooser h3").first).to_be_visible()
