"""Rounds entered by their result on a phone: by yaku, by piles, by points; refused, undone and corrected."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from companion.hanafuda.simulation import random_round

from .conftest import Phones, Server
from .live import LiveTable, Taps, redo, undo


def opened(house: Server, phones: Phones, game: str = "koikoi", **how: str) -> tuple[LiveTable, Page]:
    players = ("Ren", "Hana", "Mei")[: 2 if game == "koikoi" else 3]
    table = LiveTable.open(house.url, random_round(game, 1, players=len(players)), players)
    page = phones.open(**how)
    page.goto(table.page)
    return table, page


def test_a_round_is_recorded_in_five_taps(house: Server, phones: Phones) -> None:
    table, page = opened(house, phones)
    tap = Taps(page)
    tap(".enter-result")
    tap("[data-winner='1']")
    tap("[data-yaku=three-brights]")
    tap(".steppers .stepper:nth-child(2) .button:last-child")  # Hana called koi-koi once
    expect(page.locator(".result-preview .won")).to_contain_text("10 points")
    tap("[data-record]")
    expect(page.locator(".outcome h2")).to_have_text("Ren wins")
    assert tap.count <= 5
    assert table.state()["night"]["points"] == [10, 0]
    expect(page.locator(".side-yaku")).to_contain_text("Three Brights")


def test_an_impossible_result_cannot_be_recorded(house: Server, phones: Phones) -> None:
    _, page = opened(house, phones)
    tap = Taps(page)
    for selector in (
        ".enter-result",
        "[data-winner='1']",
        "[data-yaku=three-brights]",
        "[data-yaku=four-brights]",
    ):
        tap(selector)
    expect(page.locator(".result-preview.wrong")).to_contain_text("does not count beside Four Brights")
    expect(page.locator("[data-record]")).to_be_disabled()


def test_a_result_is_undone_and_corrected(house: Server, phones: Phones) -> None:
    table, page = opened(house, phones)
    for selector in (".enter-result", "[data-winner='0']", "[data-record]"):
        page.locator(selector).click()
    expect(page.locator(".outcome")).to_be_visible()
    undo(page).click()
    expect(page.locator(".outcome")).to_have_count(0)
    redo(page).click()
    expect(page.locator(".outcome")).to_be_visible()
    page.locator(".table-history .entry-line").click()
    page.locator("[data-winner='2']").click()
    page.locator("[data-yaku=boar-deer-butterfly]").click()
    page.get_by_role("button", name="Correct the result").click()
    expect(page.locator(".outcome h2")).to_have_text("Hana wins")
    assert table.state()["night"]["points"] == [0, 5]
    page.locator(".table-history .entry-line").click()
    page.get_by_role("button", name="Delete this result").click()
    expect(page.locator(".outcome")).to_have_count(0)
    assert table.state()["night"]["points"] == [0, 0]


def test_piles_are_entered_by_taps(house: Server, phones: Phones) -> None:
    table, page = opened(house, phones)
    page.locator(".enter-result").click()
    page.locator("[data-winner='1']").click()
    page.get_by_text("Captured cards").click()
    pile = ("pine-crane", "pine-ribbon", "cherry-curtain", "cherry-ribbon", "susuki-moon")
    for card in pile:
        page.locator(f".piles-entry [data-card={card}]").click()
    expect(page.locator(".result-preview.wrong")).to_contain_text("captured in pairs")
    page.locator(".piles-entry [data-card=susuki-geese]").click()
    expect(page.locator(".result-preview .won")).to_contain_text("5 points")
    page.locator("[data-record]").click()
    expect(page.locator(".side.seat-1 .captures .face")).to_have_count(6)
    assert table.state()["night"]["points"] == [5, 0]


def test_the_result_ends_the_round_that_was_dealt(house: Server, phones: Phones) -> None:
    table, page = opened(house, phones)
    table.deal()
    table.play(2)
    expect(page.locator(".turn")).to_be_visible()
    page.locator(".enter-result").click()
    page.locator("[data-winner='2']").click()
    page.get_by_text("Points instead of yaku").click()
    page.get_by_label("Hana", exact=True).last.fill("7")
    expect(page.locator(".result-preview .won")).to_contain_text("7 points")
    page.locator("[data-record]").click()
    expect(page.locator(".outcome")).to_be_visible()
    assert table.state()["night"]["points"] == [0, 7]
    assert len(table.state()["night"]["rounds"]) == 1


def test_several_players_share_a_pot(house: Server, phones: Phones) -> None:
    table, page = opened(house, phones, "kingo", locale="ja-JP")
    for selector in (".enter-result", "[data-winner='1']", "[data-winner='3']", "[data-out='2']"):
        page.locator(selector).click()
    expect(page.locator(".result-preview .won")).to_have_count(2)
    page.locator("[data-record]").click()
    expect(page.locator(".outcome")).to_be_visible()
    assert sum(table.state()["night"]["points"]) == 0


def test_points_of_both_players_with_a_yaku(house: Server, phones: Phones) -> None:
    table = LiveTable.open(house.url, random_round("kekoro", 1, players=2), ("Ren", "Hana"))
    page = phones.open(locale="ko-KR")
    page.goto(table.page)
    page.locator(".enter-result").click()
    for place, points in enumerate(("180", "150")):
        page.locator(".result-points input").nth(place).fill(points)
    page.locator("details summary").first.click()
    page.locator("[data-yaku=ebi]").first.click()
    expect(page.locator(".result-preview .won")).to_contain_text("180")
    page.locator("[data-record]").click()
    expect(page.locator(".outcome")).to_be_visible()
    assert table.state()["night"]["points"] == [180, 150]
    assert [one["name"] for one in table.state()["round"]["seats"][0]["yaku"]] == ["ebi"]


def test_a_wrong_winner_is_corrected_in_three_taps_and_the_yaku_move(house: Server, phones: Phones) -> None:
    """The yaku stayed with the other player, invisibly: “both players would need Full Moon”."""
    table, page = opened(house, phones)
    table.submit(
        (
            "scored",
            {"winners": [1], "seats": [{"yaku": {"moon-viewing": 0}}, {}], "new_round": True, "month": 1},
        )
    )
    tap = Taps(page)
    tap(".table-history .entry-line")
    tap("dialog [data-winner='2']")
    expect(page.locator(".result-preview .won")).to_contain_text("Hana 5 points")
    tap("dialog [data-record]")
    expect(page.locator(".outcome h2")).to_have_text("Hana wins")
    assert tap.count <= 3
    assert table.state()["night"]["points"] == [0, 5]
    board = table.state()["round"]["seats"]
    assert [[one["name"] for one in seat["yaku"]] for seat in board] == [[], ["moon-viewing"]]


def test_yaku_follow_the_winner_while_a_result_is_entered(house: Server, phones: Phones) -> None:
    """Yaku ticked for one player do not count for the other one too; those of a round without a winner do not count."""
    table, page = opened(house, phones)
    for selector in (".enter-result", "[data-winner='1']", "[data-yaku=moon-viewing]", "[data-winner='0']"):
        page.locator(selector).click()
    expect(page.locator(".result-preview")).to_contain_text("ran out")
    page.locator("[data-winner='2']").click()
    expect(page.locator("[data-yaku=moon-viewing]")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-record]").click()
    expect(page.locator(".outcome h2")).to_have_text("Hana wins")
    assert table.state()["history"][-1]["data"]["seats"] == [{}, {"yaku": {"moon-viewing": 0}}]


def test_piles_without_a_winner_show_their_worth_and_ask_who_ended_the_round(
    house: Server, phones: Phones
) -> None:
    """“0 : 0, the cards ran out” could be recorded although a pile was worth 5."""
    table, page = opened(house, phones)
    page.locator(".enter-result").click()
    page.get_by_text("Captured cards").click()
    for card in (
        "cherry-curtain",
        "cherry-ribbon",
        "susuki-moon",
        "susuki-geese",
        "pine-crane",
        "pine-ribbon",
    ):
        page.locator(f".piles-entry [data-card={card}]").click()
    expect(page.locator(".piles-entry .seat-1.choice-button")).to_contain_text("6 cards · 5 points")
    expect(page.locator(".result-preview")).to_contain_text("Who ended the round?")
    expect(page.locator(".result-preview")).not_to_contain_text("ran out")
    expect(page.locator("[data-record]")).to_be_disabled()
    page.locator(".result-preview [data-winner='1']").click()
    expect(page.locator(".result-preview .won")).to_contain_text("5 points")
    page.locator("[data-record]").click()
    expect(page.locator(".outcome h2")).to_have_text("Ren wins")
    assert table.state()["night"]["points"] == [5, 0]


def test_the_cards_of_a_pile_are_never_beside_or_before_the_foot_of_the_sheet(
    house: Server, phones: Phones
) -> None:
    """They stuck out beside the foot of the sheet and over it."""
    _, page = opened(house, phones)
    page.locator(".enter-result").click()
    page.get_by_text("Captured cards").click()
    for size in ("100%", "200%"):
        page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
        assert page.evaluate(_OUTSIDE) == []


_OUTSIDE = """() => {
  const foot = document.querySelector(".result-foot").getBoundingClientRect();
  return [...document.querySelectorAll(".piles-entry .pick-card")].filter((each) => {
    const card = each.getBoundingClientRect();
    const covered = card.top < foot.bottom && card.bottom > foot.top;
    const inFront = [card.left + 1, card.right - 1].some((x) => !document.elementFromPoint(x, (Math.max(card.top, foot.top) + Math.min(card.bottom, foot.bottom)) / 2)?.closest(".result-foot"));
    return card.left < foot.left || card.right > foot.right || (covered && inFront);
  }).map((each) => each.dataset.card);
}"""
"""The cards of the grid that are beside the foot of the sheet, or in front of it."""


def test_after_a_corrected_winner_the_next_round_has_the_next_dealer(house: Server, phones: Phones) -> None:
    """The page had filled in the dealer of round 3, which then said in red that the other player should have dealt."""
    table, page = opened(house, phones)
    for winner in ("1", "1", "2"):
        for selector in (
            ".enter-result",
            f"[data-winner='{winner}']",
            "[data-yaku=moon-viewing]",
            "[data-record]",
        ):
            page.locator(selector).click()
        expect(page.locator("dialog")).to_have_count(0)
    page.locator(".table-history .entry-line").nth(1).click()
    page.locator("[data-winner='2']").click()
    page.locator("[data-record]").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".entry-line.corrected")).to_have_count(1)
    expect(page.locator(".entry-problem")).to_have_count(0)
    assert [each["dealer"] for each in table.state()["night"]["rounds"]] == [1, 1, 2]
