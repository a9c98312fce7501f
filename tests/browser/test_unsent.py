"""Entries of a phone without a connection: kept, sent once when it is back, or explained if the table went on."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .conftest import Phones, Server
from .live import LiveTable, round_where, says

PLAYED = round_where(lambda played: says(played, "koikoi")[:1] == [1] and says(played, "stop"))


def _before_a_call(house: Server, page: Page) -> LiveTable:
    """Open a dealt table at which the first player has to decide, with its seat page."""
    table = LiveTable.open(house.url, PLAYED.copy())
    table.deal()
    table.play(table.upto(("call", "koikoi")))
    page.goto(table.seat(1))
    expect(page.locator("[data-call=koikoi]")).to_be_visible()
    return table


def test_an_entry_without_a_connection_is_kept_and_counts_once(house: Server, phones: Phones) -> None:
    page = phones.open()
    table = _before_a_call(house, page)
    page.context.set_offline(True)
    page.locator("[data-call=koikoi]").click()
    unsent = page.locator(".banner.unsent")
    expect(unsent).to_contain_text("Not sent yet: 1 entry")
    expect(unsent).to_contain_text("Aya: Koi-koi")
    expect(page.locator("[data-call=stop]")).to_be_disabled()
    assert [seat["calls"] for seat in table.state()["round"]["seats"]] == [0, 0]
    page.context.set_offline(False)
    expect(unsent).to_have_count(0)
    assert [seat["calls"] for seat in table.state()["round"]["seats"]] == [1, 0]


def test_an_entry_survives_a_reload_and_is_explained_if_the_table_went_on(
    house: Server, phones: Phones
) -> None:
    page = phones.open()
    table = _before_a_call(house, page)
    page.route("**/events", lambda route: route.abort())
    page.locator("[data-call=stop]").click()
    unsent = page.locator(".banner.unsent")
    expect(unsent).to_contain_text("Not sent yet")
    table.submit(("moved", {"player": 1, "words": ["call", "koikoi"]}))
    page.unroute("**/events")
    page.reload()
    expect(unsent).to_contain_text("The table went on in the meantime. Its last event: Aya")
    unsent.get_by_role("button", name="Enter it now").click()
    expect(
        unsent.get_by_role("button", name="Enter it now")
    ).to_be_visible()  # refused again: no longer legal
    assert table.state()["round"]["outcome"] is None
    unsent.get_by_role("button", name="Discard").click()
    expect(unsent).to_have_count(0)


def test_results_of_two_rounds_without_a_connection_arrive_in_order(house: Server, phones: Phones) -> None:
    table = LiveTable.open(house.url, PLAYED.copy())
    page = phones.open()
    page.goto(table.page)
    with page.expect_response("**/result"):
        pass
    page.context.set_offline(True)
    for winner, points in ((1, "5"), (2, "3")):
        page.locator(".thumb .enter-result").click()
        page.locator(f"[data-winner='{winner}']").click()
        page.get_by_text("Points instead of yaku").click()
        page.locator(".result-points input").fill(points)
        expect(page.locator(".result-preview")).to_contain_text("No connection")
        page.locator("[data-record]").click()
        expect(page.locator("dialog.result")).to_have_count(0)
    entries = page.locator(".banner.unsent li b")
    expect(entries).to_have_text(
        ["1. Result entered: Aya wins · 5 points", "2. Result entered: Bo wins · 3 points"]
    )
    page.context.set_offline(False)
    expect(page.locator(".banner.unsent")).to_have_count(0)
    assert [each["points"] for each in table.state()["night"]["rounds"]] == [[5, 0], [0, 3]]
