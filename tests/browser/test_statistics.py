"""The statistics, the rounds behind them, and an evening's story on a phone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from random import Random

import pytest
from playwright.sync_api import Page, expect

from tests.league import game_events

from .conftest import Server

EVENING = "stats1"


@pytest.fixture
def page(phone: Page, house: Server) -> Page:
    """A phone, after an evening with one game was imported."""
    events = game_events(
        Random(9),
        EVENING,
        EVENING,
        "koikoi-standard",
        ["Aiko", "Ben"],
        datetime(2026, 11, 20, 19, tzinfo=UTC),
        6,
    )
    rows = [{"format": "hanafuda-companion-events", "version": 1}]
    rows += [{"table": EVENING, **event.to_json()} for event in events]
    file = {"name": "n.jsonl", "mimeType": "text/plain", "buffer": "\n".join(map(json.dumps, rows)).encode()}
    answer = phone.request.post(f"{house.url}/api/nights/import", multipart={"file": file})
    assert answer.ok, answer.text()
    return phone


def test_a_number_of_the_statistics_opens_its_rounds(page: Page, house: Server) -> None:
    page.goto(f"{house.url}/log")
    page.get_by_role("link", name="Statistics").click()
    expect(page.locator(".chart canvas")).to_be_visible()
    row = page.get_by_role("region", name="Players").get_by_role("row").filter(has_text="Aiko")
    wins = row.get_by_role("cell").nth(1).inner_text()
    row.get_by_role("cell").nth(1).get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{wins} rounds" if wins != "1" else "1 round")
    rounds = page.locator(".entries a")
    expect(rounds).to_have_count(int(wins))
    rounds.first.click()
    expect(page.locator("details[open]")).to_have_count(1)


def test_a_choice_of_a_player_stays_in_the_address(page: Page, house: Server) -> None:
    page.goto(f"{house.url}/stats")
    page.get_by_role("combobox", name="Player").select_option("Ben")
    expect(page.get_by_role("region", name="Players").get_by_role("row")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("combobox", name="Player")).to_have_value("Ben")


def test_the_story_of_an_evening_is_a_picture(page: Page, house: Server) -> None:
    page.goto(f"{house.url}/nights/{EVENING}")
    expect(page.get_by_text("Turning point")).to_be_visible()
    page.locator(".highlights a").first.click()
    expect(page.locator("details[open]")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("button", name="Share as picture").click()
    assert download.value.suggested_filename == "hanafuda-2026-11-20.png"
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
