"""The layout of the pages: no horizontal scrolling, tap targets large enough, nothing untranslated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.hanafuda.simulation import random_round
from vision.networks.onnx_sessions import MODELS

from .conftest import PHONE, Phones, Server
from .live import LiveTable
from .steps import scan, tile

SIDEWAYS = """(width) => [document.documentElement, ...document.body.querySelectorAll("*")]
  .filter((one) => one === document.documentElement ? one.scrollWidth > width : !one.closest(".picture, .night-points, svg") && one.getBoundingClientRect().right > width + 0.5)
  .map((one) => one.outerHTML.slice(0, 100))"""

SMALL_TARGETS = """() => [...document.querySelectorAll("button, .button, select, summary, nav a, input[type=text]")]
  .map((target) => [target, target.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.height < 43.9 || box.width < 40))
  .map(([target, box]) => `${target.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)"""

NAMELESS = """() => [...document.querySelectorAll("button, a, input:not([type=file]):not([type=radio]), select")]
  .filter((one) => !(one.textContent.trim() || one.ariaLabel || one.labels?.length))
  .map((one) => one.outerHTML.slice(0, 100))"""

ALL_TEXTS = """() => [document.title, document.body.innerText,
  ...[...document.body.querySelectorAll("[aria-label],[title],[alt],[placeholder]")].flatMap((one) =>
    ["aria-label", "title", "alt", "placeholder"].map((name) => one.getAttribute(name) ?? ""))].join("\\n")"""

# The same in every language: the switch to the other ones, file types, names of people, rules and decks, commands.
DECK_NAMES = sorted((path.stem for path in (MODELS / "decks").glob("*.deck")), key=len, reverse=True)
SAME_EVERYWHERE = re.compile(
    "|".join(
        (
            r"English|JSONL?|CSV|JPEG|PNG|WebP|HEIC|OBS|PIN|JavaScript|Kangni|FudaWiki|games\.porg\.es|companion [a-z]+|\b[0-9a-f]{6,}\b",
            r"(?:http://)?[0-9]+(?:\.[0-9]+){3}\S*|\b[A-Z0-9]{3} [A-Z0-9]{3}\b",  # addresses, PINs
            *map(re.escape, DECK_NAMES),
        )
    )
)


def _stations(page: Page, url: str, picture: Path):
    """Visit every page and state, and yield at each."""
    page.goto(url)
    expect(page.locator(".samples")).to_be_visible()
    yield "first page"
    scan(page, url, picture)
    yield "scan"
    page.locator(".tile").first.click()
    expect(page.locator(".sheet .months")).to_be_visible()
    yield "sheet"
    page.locator(".months .used").last.click()
    yield "clash"
    page.keyboard.press("Escape")
    page.locator(".more summary").click()
    page.locator(".stepper button").last.click()
    page.locator(".history summary").click()
    yield "more and history"
    page.locator(".rules-line").click()
    expect(page.locator(".rules-dialog")).to_be_visible()
    yield "rules"
    page.keyboard.press("Escape")
    page.locator(".keep button").click()
    expect(page.locator(".kept")).to_be_visible()
    page.locator(".scan-foot .danger").click()
    yield "delete"
    page.goto(f"{url}/log")
    expect(page.locator(".night-card, .empty").first).to_be_visible()
    yield "evenings"
    page.locator(".tabs button").nth(1).click()
    expect(page.locator(".entry").first).to_be_visible()
    yield "log"
    page.goto(f"{url}/404")
    expect(page.locator(".notice")).to_be_visible()
    yield "no such page"
    yield from _seven_players(page, url)


def _seven_players(page: Page, url: str):
    """A table with many names, and cards that are shown by their names."""
    played = random_round("kakkuri", 5, players=7)
    table = LiveTable.open(url, played, ("Åsa", "Bo", "千代子", "김민준", "Ôé", "文子", "한지민"))
    table.deal()
    page.goto(f"{url}/tables")
    expect(page.locator(".seat-link")).not_to_have_count(0)
    yield "lobby"
    table.play()
    page.goto(table.page)
    expect(page.locator(".outcome")).to_be_visible()
    yield "table of seven"
    page.goto(f"{table.page}/host")
    expect(page.locator(".screens")).to_be_visible()
    yield "host"


@pytest.mark.parametrize(
    ("locale", "widths"),
    [("en-GB", (320, PHONE["width"], 1280)), ("ja-JP", (PHONE["width"], 320)), ("ko-KR", (PHONE["width"],))],
)
def test_pages_fit_can_be_tapped_and_are_translated(
    phones: Phones, steady: Server, picture: Path, locale: str, widths: tuple[int, ...]
) -> None:
    page = phones.open(locale)
    for station in _stations(page, steady.url, picture):
        for width in widths:
            page.set_viewport_size({"width": width, "height": PHONE["height"]})
            assert page.evaluate(SIDEWAYS, width) == [], (station, width)
            if width >= PHONE["width"]:  # 48 cards beside each other are narrower on a smaller screen
                assert page.evaluate(SMALL_TARGETS) == [], (station, width)
            assert page.evaluate(NAMELESS) == [], (station, width)
        if locale != "en-GB":
            text = SAME_EVERYWHERE.sub("", page.evaluate(ALL_TEXTS))
            assert re.findall(r"[A-Za-z]{3,}", text) == [], station


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
