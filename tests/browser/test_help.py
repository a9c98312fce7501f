"""Help for beginners: a tap on a card explains it, and the overview has what can still be made."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import Phones, Server
from .live import LiveTable, round_where, says


def test_a_card_is_explained_by_a_tap_and_any_other_in_the_overview(steady: Server, phones: Phones) -> None:
    table = LiveTable.open(
        steady.url, round_where(lambda played: bool(says(played, "koikoi"))), ("Mei", "Ren")
    )
    table.deal()
    state = table.play(table.upto(("call", "koikoi")))
    seat = next(one for one in state["round"]["seats"] if one["yaku"])
    page = phones.open()
    page.goto(table.seat(seat["seat"]))
    card = seat["yaku"][0]["cards"][0]
    page.locator(f'.captures [data-card="{card}"]').click(position={"x": 4, "y": 20})
    made = page.locator(f'.help-yaku[data-yaku="{seat["yaku"][0]["name"]}"]')
    expect(page.locator(".help-card")).to_have_attribute("data-card", card)
    expect(made).to_contain_text(f"{('Mei', 'Ren')[seat['seat'] - 1]}: ")

    page.get_by_role("button", name="All cards").click()
    expect(page.locator(".help .near-one")).to_have_count(len(seat["near"]))
    page.locator('.help .pick-card[data-card="susuki-moon"]').click()
    expect(page.locator(".help-card")).to_contain_text("Month: August")
    expect(page.locator(".help-card")).to_contain_text("Type: bright")
    expect(page.locator('.help-yaku[data-yaku="moon-viewing"]')).to_contain_text("of 2")
