"""The replay of a round and a dispute about one of its moves, on a phone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from random import Random

from playwright.sync_api import Page, expect

from companion.hanafuda.simulation import random_round
from tests.league import game_events

from .conftest import Server
from .live import LiveTable

EVENING = "replay"


def test_a_round_is_replayed_and_a_move_disputed(phone: Page, house: Server) -> None:
    start = datetime(2026, 11, 20, 19, tzinfo=UTC)
    events = game_events(Random(9), EVENING, EVENING, "koikoi-standard", ["Aiko", "Ben"], start, 2)
    rows = [{"format": "hanafuda-companion-events", "version": 1}]
    rows += [{"table": EVENING, **event.to_json()} for event in events]
    file = {"name": "n.jsonl", "mimeType": "text/plain", "buffer": "\n".join(map(json.dumps, rows)).encode()}
    assert phone.request.post(f"{house.url}/api/nights/import", multipart={"file": file}).ok

    phone.goto(f"{house.url}/nights/{EVENING}")
    phone.locator(".night-round > summary").first.click()
    phone.get_by_role("link", name="Replay").first.click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Round 1")
    for _ in range(3):
        phone.keyboard.press("ArrowRight")
    expect(phone.get_by_role("slider")).to_have_value("3")
    phone.get_by_role("button", name="Next step").click()
    assert phone.url.endswith("#step=4")
    expect(phone.locator(".replay-card.now").first).to_be_visible()
    phone.reload()  # the link leads to the same moment
    expect(phone.get_by_role("slider")).to_have_value("4")
    expect(phone.locator(".replay-odds canvas")).to_be_visible()
    for button in phone.locator(".replay-controls button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44

    says = phone.locator(".replay-says strong").inner_text()
    phone.get_by_role("button", name="Dispute this").click()
    phone.get_by_role("textbox").fill("It was the other card")
    phone.get_by_role("button", name="Open the dispute").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Dispute")
    expect(phone.get_by_text("It was the other card")).to_be_visible()
    expect(phone.get_by_text(says).first).to_be_visible()
    phone.get_by_role("button", name="All agree: the record stands").click()
    expect(phone.locator(".dispute-state")).to_contain_text("Resolved by agreement: the record stands")
    phone.goto(f"{house.url}/nights/{EVENING}")
    expect(phone.get_by_text("1 of 1", exact=True)).to_be_visible()
    expect(phone.locator(".dispute-card")).to_have_count(1)


def test_a_deleted_evening_is_restored_from_the_log(phone: Page, house: Server) -> None:
    """“You can restore it from this page”, which nothing linked to."""
    table = LiveTable.open(house.url, random_round("koikoi", 1, players=2), ("Rin", "Sora"))
    table.submit(("scored", {"winners": [1], "seats": [{"points": 5}, {}], "new_round": True}))
    phone.goto(f"{house.url}/nights/{table.id}")
    phone.get_by_role("button", name="Delete").click()
    expect(phone.get_by_role("dialog")).to_contain_text("For 30 days it is at the end of the log")
    phone.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(phone.locator(".notice")).to_contain_text("This evening is deleted.")
    phone.goto(f"{house.url}/log")
    deleted = phone.locator(".deleted-nights")
    deleted.get_by_text("Deleted in the last 30 days").click()
    expect(phone.get_by_text("Rin · Sora")).to_have_count(1)
    deleted.get_by_text("Rin · Sora").click()
    phone.get_by_role("button", name="Restore").click()
    expect(phone.locator(".notice")).to_have_count(0)
    phone.goto(f"{house.url}/log")
    expect(phone.get_by_text("Rin · Sora")).to_be_visible()
    expect(phone.locator(".deleted-nights")).to_have_count(0)
