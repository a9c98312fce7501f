"""Pages without a connection, from the service worker's copy, and pages of an older version than the server's."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from .conftest import Phones, Server
from .live import LiveTable, captured, expect_captured, holds, round_where

INSTALL = """() => navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready)
  .then(() => caches.keys()).then(async ([name]) => {
    const cache = await caches.open(name);
    while (!(await cache.match(location.pathname, { ignoreVary: true }))) await new Promise((done) => setTimeout(done, 50));
    return (await cache.keys()).map(({ url }) => new URL(url).pathname + new URL(url).search);
  })"""

VERSIONS = """async () => ({
    sheet: document.querySelector("link[rel=stylesheet]").href.split("/")[4],
    page: JSON.parse(document.getElementById("boot").textContent).version,
    copies: (await caches.keys()).map((name) => name.replace("hanafuda-companion-", "")).join(),
  })"""

REPLACED = """async (version) => {
    while (await caches.has(`hanafuda-companion-${version}`)) await new Promise((done) => setTimeout(done, 50));
  }"""


def test_a_table_opens_without_a_connection_and_goes_on_after_it(serve: type[Server], phones: Phones) -> None:
    server = serve("broken")
    table = LiveTable.open(server.url, round_where(lambda played: len(played.moves) > 12))
    table.deal()
    page = phones.open(service_workers="allow")
    page.goto(table.seat(1))
    cards = holds(table.play(6), 1)
    expect_captured(page, cards)
    kept = page.evaluate(INSTALL)
    assert {each for each in kept if each.startswith("/api/")} == {
        "/api/games",
        *(f"/api/cards?pack={pack}" for pack in ("hanafuda", "mekurifuda", "kabufuda", "western")),
    }
    server.stop()
    page.reload()
    expect(page.locator(".banner.offline")).to_be_visible()
    assert captured(page) == cards
    page.goto(f"{server.url}/log")
    expect(page.locator("[data-bar=away]")).to_be_visible()
    page.goto(f"{server.url}/nights/unknown")
    expect(page.get_by_role("alert")).to_contain_text("No answer from the program")
    page.goto(table.seat(1))
    expect(page.locator(".banner.offline")).to_be_visible()
    server.start()
    expect_captured(page, holds(table.play(7), 1))
    expect(page.locator(".banner.offline")).to_have_count(0)


def test_an_update_replaces_the_copy(serve: type[Server], phones: Phones) -> None:
    server = serve("broken")
    page = phones.open(service_workers="allow")
    page.goto(f"{server.url}/tables")
    page.evaluate(INSTALL)
    before = page.evaluate(VERSIONS)
    assert before["sheet"] == before["page"] == before["copies"]
    server.stop()
    server.addition = b":root { --edition: second; }"
    server.start()
    page.reload()
    page.evaluate(REPLACED, before["copies"])
    after = page.evaluate(VERSIONS)
    assert after["sheet"] == after["page"] == after["copies"] != before["copies"]
    page.evaluate(INSTALL)
    server.stop()
    page.reload()
    expect(page.locator("[data-bar=away]")).to_be_visible()
    assert page.evaluate(VERSIONS) == after
    assert (
        page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--edition')") == "second"
    )


def test_a_page_whose_files_another_server_refuses_opens_a_moment_later(
    house: Server, phones: Phones
) -> None:
    refusals = iter([404])

    def other_version(route: Route) -> None:
        if status := next(refusals, None):
            route.fulfill(status=status)
        else:
            route.continue_()

    page = phones.open()
    page.route("**/files/*/js/live/lobby.js", other_version)
    page.goto(f"{house.url}/tables")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert next(refusals, None) is None


def test_a_page_of_another_version_says_so(house: Server, phones: Phones) -> None:
    page = phones.open()
    page.route(
        "**/api/health",
        lambda route: route.fulfill(json={"status": "ok"}, headers={"App-Version": "another"}),
    )
    page.goto(f"{house.url}/tables")
    bar = page.locator("[data-bar=updated]")
    expect(bar).to_contain_text("The program was updated")
    page.unroute("**/api/health")
    bar.get_by_role("button", name="Reload").click()
    expect(bar).to_have_count(0)
