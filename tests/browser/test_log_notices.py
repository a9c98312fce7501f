"""Notices about the log are on every page, in the page's language, and disappear when a host dismisses them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from companion.store.notices import Notices

from .conftest import Phones, Server
from .live import LiveTable, round_where, says

PAGES = (
    "/",
    "/log",
    "/r/koikoi-hu",
    "/decks",
    "/devices",
    "/tables",
    "/t/{}",
    "/t/{}/seat/1",
    "/t/{}/host",
    "/t/{}/display",
)


def test_every_page_shows_what_happened_to_the_log(
    serve: Callable[[str], Server], tmp_path: Path, phones: Phones
) -> None:
    (tmp_path / "data").mkdir()
    Notices(tmp_path / "data").add("log-repaired")
    server = serve("broken")
    table = LiveTable.open(server.url, round_where(lambda played: bool(says(played, "stop"))))
    page = phones.open()
    for path in PAGES:
        page.goto(server.url + path.format(table.id))
        expect(page.locator("[data-notice=log-repaired]")).to_contain_text("The log had damaged indexes")
    for path in ("/log", "/tables"):
        page.goto(f"{server.url}{path}?lang=ja")
        expect(page.locator("[data-notice=log-repaired]")).to_contain_text("記録の索引が壊れていた")
    page.locator("[data-notice=log-repaired] button").click()
    expect(page.locator("[data-notice]")).to_have_count(0)
    assert Notices(tmp_path / "data").all() == ()
