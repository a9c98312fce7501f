"""The actions of a person on the pages."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

FIRST_SCAN_MS = 30_000  # a server loads its networks at the first request


def choose_picture(page: Page, url: str, picture: Path) -> None:
    """Open the first page and choose a picture on the phone."""
    page.goto(url)
    page.locator("input[type=file]:not([capture])").set_input_files(picture)


def scan(page: Page, url: str, picture: Path) -> None:
    """Choose a picture and wait for its score."""
    choose_picture(page, url, picture)
    expect(total(page)).to_be_visible(timeout=FIRST_SCAN_MS)


def total(page: Page) -> Locator:
    """Return the total that the page displays."""
    return page.locator(".stamp strong")


def tile(page: Page, name: str) -> Locator:
    """Return the face of a card in the list below the picture."""
    return page.get_by_role("button", name=f"{name}: correct it")


def name_it(page: Page, card: str) -> None:
    """Choose a card among all 48 of the open sheet."""
    page.locator(f'.months [data-card="{card}"]').click()


def yaku(page: Page) -> list[str]:
    """Return the names of the yaku on the page, in Japanese."""
    return page.locator(".yaku .other-name").all_inner_texts()
