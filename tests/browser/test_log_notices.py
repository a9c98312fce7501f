"""Notices about the log are on every page, in the page's language, and disappear when a host dismisses them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
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


@pytest.mark.parametrize(
    ("language", "words"), [("en", "The log had damaged indexes"), ("ja", "記録の索引が壊れていた")]
)
def test_every_page_shows_what_happened_to_the_log(
    serve: Callable[[str], Server], tmp_path: Path, phones: Phones, language: str, words: str
) -> None:
    (tmp_path / "data").mkdir()
    Notices(tmp_path / "data").add("log-repaired")
    server = serve("broken")
    table = LiveTable.open(server.url, round_where(lambda played: bool(says(played, "stop"))))
    page = phones.open()
    for path in PAGES:
        page.goto(f"{server.url}{path.format(table.id)}?lang={language}")
        expect(page.locator("[data-notice=log-repaired]")).to_contain_text(words)
    page.goto(f"{server.url}/tables?lang={language}")
    page.locator("[data-notice=log-repaired] button").click()
    expect(page.locator("[data-notice]")).to_have_count(0)
    assert Notices(tmp_path / "data").all() == ()
