"""The taps that entering and correcting take, counted on the page of the table: a deal, a turn, a result, a wrong winner, a wrong card."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from companion.hanafuda.simulation import AnyRound, random_round

from .conftest import Phones, Server
from .live import LiveTable, Taps, forced, round_where

WITHOUT_CHOICE = round_where(
    lambda each: (
        [move.words()[0] for move in each.moves[:4]] == ["play", "draw"] * 2
        and all(forced(each, at) for at in range(4))
        and each.dealer == 1
    )
)
"""A round in whose first two turns the rules leave no choice of what a card captures."""


def opened(house: Server, phones: Phones, played: AnyRound = WITHOUT_CHOICE) -> tuple[LiveTable, Page, Taps]:
    table = LiveTable.open(house.url, played.copy())
    page = phones.open()
    page.goto(table.page)
    return table, page, Taps(page)


def test_a_deal_takes_nine_taps_and_a_turn_two(house: Server, phones: Phones) -> None:
    table, page, tap = opened(house, phones)
    tap(".thumb .hand")
    for card in table.round.deal.field:
        tap(f".deal .pick-card[data-card={card}]")
    expect(page.locator(".turn")).to_be_visible()
    assert tap.count <= 9
    tap(".thumb .hand")
    for number, move in enumerate(table.round.moves[:4], start=1):
        if number == 3:  # the form for moves stays open at the table, for the next player's turn
            tap.count = 0
        tap(f".chooser .pick-card[data-card={move.words()[1]}]")
        page.wait_for_function(
            "([path, moves]) => fetch(path).then(answer => answer.json())"
            ".then(({state}) => state.history.reduce((sum, one) => sum + one.moves.length, 0) >= moves)",
            arg=[f"/api/tables/{table.id}", number],
        )
    assert tap.count == 2


def test_a_result_takes_four_taps_and_a_wrong_winner_three(house: Server, phones: Phones) -> None:
    table, page, tap = opened(house, phones)
    for selector in (".enter-result", "[data-winner='1']", "[data-yaku=moon-viewing]", "[data-record]"):
        tap(selector)
    expect(page.locator(".outcome h2")).to_have_text("Aya wins")
    assert tap.count <= 4
    tap.count = 0
    for selector in (".last-entry", "[data-winner='2']", "[data-record]"):
        tap(selector)
    expect(page.locator(".outcome h2")).to_have_text("Bo wins")
    assert tap.count <= 3
    assert table.state()["night"]["points"] == [0, 5]


def test_a_wrong_card_takes_three_taps(house: Server, phones: Phones) -> None:
    """The last entry is on the first screen, with its correction."""
    table, page, tap = opened(house, phones, random_round("koikoi", 4, players=2))
    table.deal()
    table.play(1)
    line = page.locator(".last-entry")
    expect(line).to_be_in_viewport(ratio=1)
    before = table.state()["history"][-1]["moves"][0]["words"]
    tap(".last-entry")
    tap(".part-card")
    tap(".correct .pick-card:enabled")
    expect(page.locator("dialog")).to_have_count(0)
    assert tap.count <= 3
    assert table.state()["history"][-1]["moves"][0]["words"] != before
