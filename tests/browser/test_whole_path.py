"""A phone at the table: photograph, score, correction, log, and the log after a restart of the server."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from .conftest import Server
from .steps import FIRST_SCAN_MS, name_it, scan, tile, total, yaku


def test_picture_to_log_and_back_after_a_restart(phone: Page, serve: type[Server], picture: Path) -> None:
    server = serve("real")

    scan(phone, server.url, picture)
    expect(total(phone)).to_have_text("5")
    assert yaku(phone) == ["三光"]
    expect(phone.locator(".yaku .why")).to_contain_text("5 points")

    tile(phone, "Full Moon").click()
    name_it(phone, "susuki-geese")
    expect(total(phone)).to_have_text("0")
    assert yaku(phone) == []
    expect(tile(phone, "Geese")).to_be_visible()

    phone.get_by_label("Note").fill("round 3, Aya’s pile")
    phone.get_by_role("button", name="Keep", exact=True).click()
    expect(phone.locator(".kept")).to_be_visible()

    server.stop()
    server.start()

    phone.goto(server.url)
    phone.get_by_role("link", name="Log").click()
    phone.get_by_role("button", name="Scans", exact=True).click()
    entry = phone.locator(".entry").filter(has_text="round 3, Aya’s pile")
    expect(entry).to_contain_text("0 points")
    expect(entry).to_contain_text("6 cards")
    entry.get_by_role("link").click()
    expect(phone).to_have_url(re.compile(r"/log/.+"))
    expect(total(phone)).to_have_text("0")
    phone.get_by_text("Details").click()
    expect(phone.locator(".history")).to_contain_text(re.compile(r"Full Moon .* corrected to: Geese"))

    tile(phone, "Geese").click()
    name_it(phone, "susuki-moon")
    expect(total(phone)).to_have_text("5")


def test_a_sample_goes_the_same_way(phone: Page, serve: type[Server]) -> None:
    phone.goto(serve("real").url)
    phone.locator("[data-sample]").first.click()
    expect(total(phone)).to_be_visible(timeout=FIRST_SCAN_MS)
    expect(phone.locator(".picture img")).to_have_js_property("complete", True)


def test_a_reload_keeps_the_scan(phone: Page, steady: Server, picture: Path) -> None:
    scan(phone, steady.url, picture)
    phone.reload()
    expect(total(phone)).to_have_text("5")


def test_back_leads_to_the_first_page(phone: Page, steady: Server, picture: Path) -> None:
    scan(phone, steady.url, picture)
    phone.go_back()
    expect(phone.get_by_text("Take a picture")).to_be_visible()


def test_the_rules_chosen_are_the_rules_of_the_next_picture(
    phone: Page, steady: Server, picture: Path
) -> None:
    scan(phone, steady.url, picture)
    phone.locator(".rules-line").click()
    phone.locator(".preset").filter(has=phone.locator("[value=koikoi-hu]")).click()
    expect(total(phone)).to_have_text("6")
    scan(phone, steady.url, picture)
    expect(total(phone)).to_have_text("6")


def test_a_call_of_the_opponent_doubles(phone: Page, steady: Server, picture: Path) -> None:
    scan(phone, steady.url, picture)
    phone.get_by_text("Month and koi-koi calls").click()
    phone.get_by_role("button", name=re.compile("opponent: one more")).click()
    expect(total(phone)).to_have_text("10")
    expect(phone.locator(".reason")).to_contain_text("koi-koi")


def test_deleting_a_kept_scan(phone: Page, steady: Server, picture: Path) -> None:
    scan(phone, steady.url, picture)
    phone.get_by_label("Note").fill("to be deleted")
    phone.get_by_role("button", name="Keep", exact=True).click()
    phone.get_by_role("link", name="See the log").click()
    entry = phone.locator(".entry").filter(has_text="to be deleted")
    entry.get_by_role("button", name=re.compile("Delete")).click()
    phone.get_by_role("button", name="Cancel").click()
    expect(entry).to_be_visible()
    entry.get_by_role("button", name=re.compile("Delete")).click()
    phone.get_by_role("button", name="Delete", exact=True).click()
    expect(entry).to_have_count(0)
    phone.reload()
    expect(phone.locator(".log-head")).to_be_visible()
    expect(entry).to_have_count(0)


def test_what_was_not_kept_is_among_the_drafts(phone: Page, steady: Server, picture: Path) -> None:
    scan(phone, steady.url, picture)
    here = phone.url
    phone.goto(f"{steady.url}/log")
    phone.get_by_role("button", name="Scans not kept").click()
    expect(phone.locator(f'.entry a[href="/log/{here.rsplit("/", 1)[1]}"]')).to_be_visible()
