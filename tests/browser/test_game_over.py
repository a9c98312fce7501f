"""The end of a round, of a game, and of an evening, on each player's phone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from companion.hanafuda.games.koikoi.round import KoiKoiRound

from .conftest import Phones, Server
from .live import ELSEWHERE, LiveTable, round_where, says


def _won_by_a_stop(played: KoiKoiRound) -> bool:
    return bool(says(played, "stop")) and bool(played.moves)


def played_out(house: Server, rounds: int) -> tuple[LiveTable, int]:
    """Play the first round of a game; return the table and the seat that lost it."""
    saved = {"preset": "koikoi-standard", "rounds": rounds}
    played = round_where(_won_by_a_stop)
    table = LiveTable.open(house.url, played, rules=saved)
    table.deal()
    table.play()
    (winner,) = table.state()["round"]["outcome"]["winners"]
    return table, 3 - winner


def join(house: Server, phones: Phones, table: LiveTable, seat: int) -> Page:
    """Open the page of a seat on a phone that is paired for it."""
    page = phones.open(extra_http_headers=ELSEWHERE)
    invited = {"role": "scorer", "seat": seat, "table": table.id}
    page.goto(house.url + table.asked("/api/pairings", invited)["path"])
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(f"**/seat/{seat}")
    return page


def name_of(table: LiveTable, seat: int) -> str:
    return str(table.state()["table"]["players"][seat - 1]["name"])


def test_the_loser_of_a_round_sees_the_result_and_not_what_would_have_counted(
    house: Server, phones: Phones
) -> None:
    table, loser = played_out(house, 6)
    page = phones.open()
    page.goto(table.seat(loser))
    expect(page.locator(".outcome h2")).to_have_text(f"{name_of(table, 3 - loser)} wins")
    for gone in (".worth", ".near-one", ".game-over"):
        expect(page.locator(gone)).to_have_count(0)


def test_every_phone_has_the_final_score_and_a_player_starts_the_next_game(
    house: Server, phones: Phones
) -> None:
    table, loser = played_out(house, 1)
    points = sorted(table.state()["night"]["points"], reverse=True)
    pages = {seat: join(house, phones, table, seat) for seat in (1, 2)}
    for page in pages.values():
        expect(page.locator(".game-over h2")).to_have_text(
            f"{name_of(table, 3 - loser)} wins {points[0]} : {points[1]}"
        )
        expect(page.locator(".outcome h2")).to_contain_text("Round 1")
        expect(page.locator(".thumb .hand")).to_have_count(0)
    pages[loser].get_by_role("button", name="Play again").click()
    for seat, page in pages.items():
        page.wait_for_url(lambda url: table.id not in url)
        assert page.url.endswith(f"/seat/{seat}")
        expect(page.locator(".thumb .hand")).to_be_visible()
    assert pages[1].url.removesuffix("1") == pages[2].url.removesuffix("2")


def test_a_closed_evening_has_a_winner(house: Server, phones: Phones) -> None:
    table, loser = played_out(house, 6)
    page, log = phones.open(), phones.open()
    page.goto(table.seat(loser))
    expect(page.locator(".outcome")).to_be_visible()
    log.goto(f"{house.url}/nights/{table.id}")
    expect(log.locator(".night-result")).to_contain_text("leads")
    log.locator("[data-close]").click()
    wins = f"{name_of(table, 3 - loser)} wins"
    for place in (log.locator(".night-result"), page.locator(".game-over h2")):
        expect(place).to_contain_text(wins)
    expect(page.locator(".game-over")).to_contain_text("The evening is closed.")
    log.goto(f"{house.url}/log")
    expect(log.locator(".night-card").first).to_contain_text(wins)
    page.locator("[data-reopen]").click()
    expect(page.locator(".game-over")).to_have_count(0)
    expect(page.locator(".thumb .hand")).to_be_visible()
