"""Languages, the names in a picture, and dark phones."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from .conftest import PHONE, Phones, Server
from .steps import scan, tile


def test_the_language_can_be_switched_in_the_middle_of_a_scan(
    phone: Page, steady: Server, picture: Path
) -> None:
    scan(phone, steady.url, picture)
    phone.locator(".languages summary").click()
    phone.get_by_role("link", name="日本語").click()
    expect(phone.locator(".yaku .yaku-name")).to_have_text("三光")
    phone.locator(".languages summary").click()
    phone.get_by_role("link", name="English").click()
    expect(tile(phone, "Crane and Sun")).to_be_visible()


def test_names_in_the_picture_do_not_cover_each_other(phone: Page, steady: Server, picture: Path) -> None:
    scan(phone, steady.url, picture)
    labels = phone.locator(".label rect")
    expect(labels).to_have_count(6)
    boxes = [label.bounding_box() for label in labels.all()]
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
            above = a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]
            assert beside or above


def test_the_page_follows_a_dark_phone(phones: Phones, steady: Server) -> None:
    def paper(scheme: str) -> str:
        page = phones.open(color_scheme=scheme, viewport=PHONE)
        page.goto(steady.url)
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    assert paper("dark") != paper("light")
