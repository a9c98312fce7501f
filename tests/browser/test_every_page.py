"""Every page in every state: it fits, can be tapped and read, has names for screen readers, and is translated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from vision.networks.onnx_sessions import MODELS

from .conftest import Phones, Server
from .stations import SETTLE_MS, SIZES, WALKS, text_of_200_percent

SIDEWAYS = """() => [document.documentElement, ...document.body.querySelectorAll("*")]
  .filter((one) => one === document.documentElement ? one.scrollWidth > one.clientWidth : one.checkVisibility() && !one.closest(".picture, .stats-scroll, .night-points, svg") && one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
  .map((one) => one.outerHTML.slice(0, 100))"""
"""What a page is wider than its window by; some tables and pictures scroll in a frame of their own."""

SMALL_TARGETS = """() => [...document.querySelectorAll("button, .button, select, summary, nav a, input[type=text]")]
  .map((target) => [target, target.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.height < 43.9 || box.width < 40))
  .map(([target, box]) => `${target.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)"""

NAMELESS = """() => [...document.querySelectorAll("button, a, input:not([type=file]):not([type=radio]), select")]
  .filter((one) => !(one.textContent.trim() || one.ariaLabel || one.labels?.length))
  .map((one) => one.outerHTML.slice(0, 100))"""

BROKEN_WORDS = r"""() => {
  const broken = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!node.parentElement.checkVisibility() || node.parentElement.closest("code, .token, .unseen, svg, select") || getComputedStyle(node.parentElement).hyphens === "auto") continue;
    for (const { 0: word, index } of node.data.matchAll(/[\p{Script=Latin}\p{N}’\u00ad]{2,}/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1 && !word.includes("\u00ad")) broken.push(word);
    }
  }
  return broken;
}"""
"""The words that stand on two lines; without the addresses and commands that have to break."""

CUT_OFF = """() => [...document.querySelectorAll("button, .button, h1, h2, h3, summary, legend")]
  .filter((one) => one.checkVisibility() && !one.matches(".unseen") && getComputedStyle(one).textOverflow !== "ellipsis" && (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 || one.scrollHeight > one.clientHeight + 4) && getComputedStyle(one).overflow !== "visible")
  .map((one) => one.outerHTML.slice(0, 100))"""
"""Buttons and headings whose text is cut off without a sign of it."""

VIOLATIONS = """() => axe.run(document, {resultTypes: ["violations"]})
  .then(({violations}) => violations.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`)))"""

ALL_TEXTS = """() => [document.title, document.body.innerText,
  ...[...document.body.querySelectorAll("[aria-label],[title],[alt],[placeholder]")].flatMap((one) =>
    ["aria-label", "title", "alt", "placeholder"].map((name) => one.getAttribute(name) ?? ""))].join("\\n")"""

# The same in every language: the switch to the other ones, file types, names of people, rules and decks, commands.
DECK_NAMES = sorted((path.stem for path in (MODELS / "decks").glob("*.deck")), key=len, reverse=True)
PLAYERS = "Aiko|Ben|Aya|Bo|Åsa|Ôé"
SAME_EVERYWHERE = re.compile(
    "|".join(
        (
            r"English|Glicko|JSONL?|CSV|JPEG|PNG|WebP|HEIC|OBS|PIN|JavaScript|Kangni|FudaWiki|games\.porg\.es|companion [a-z]+(?: simulate)?|\b[0-9a-f]{6,}\b",
            r"(?:http://)?[0-9]+(?:\.[0-9]+){3}\S*|\b[A-Z0-9]{3} [A-Z0-9]{3}\b",  # addresses, PINs
            *(rf"(?i:{name.replace('-', '[- ]')})" for name in DECK_NAMES),
            rf"(?:{PLAYERS})(?![a-z])",
            r"button-box|PDF|/dev/\w+",
        )
    )
)


def _resize(page: Page, size: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(SETTLE_MS)


def _assert_none(found: dict[str, list[str]]) -> None:
    lines = [
        f"{station}: {defect}" for station, defects in found.items() for defect in dict.fromkeys(defects)
    ]
    assert not lines, "\n".join(lines)


def _defects(page: Page, checks: Iterable[str]) -> list[str]:
    return [defect for check in checks for defect in page.evaluate(check)]


@pytest.mark.parametrize("walk", WALKS)
def test_every_page_fits_can_be_tapped_and_read(
    phones: Phones, steady: Server, picture: Path, walk: str
) -> None:
    page = phones.open("en-GB", reduced_motion="reduce")
    found: dict[str, list[str]] = {}
    for station in WALKS[walk](page, steady.url, picture):
        for size in SIZES:
            _resize(page, size)
            checks = [SIDEWAYS, NAMELESS, BROKEN_WORDS, CUT_OFF]
            if size != "320":  # 48 cards beside each other are narrower on the smallest phones
                checks.append(SMALL_TARGETS)
            found[f"{station}, {size}"] = _defects(page, checks)
        _resize(page, "390")
        if station != "wall":  # its text grows with the screen, not with the settings of a browser
            with text_of_200_percent(page):
                found[f"{station}, text of 200 %"] = _defects(page, [SIDEWAYS, CUT_OFF])
        page.evaluate(AXE_SCRIPT)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found[f"{station}, {scheme}"] = _defects(page, [VIOLATIONS])
        page.emulate_media(color_scheme="light")
    _assert_none(found)


@pytest.mark.parametrize("walk", [walk for walk in WALKS if walk != "components"])
@pytest.mark.parametrize("locale", ["ja-JP", "ko-KR"])
def test_every_page_is_translated_and_fits(
    phones: Phones, steady: Server, picture: Path, locale: str, walk: str
) -> None:
    page = phones.open(locale, reduced_motion="reduce")
    found: dict[str, list[str]] = {}
    for station in WALKS[walk](page, steady.url, picture):
        for size in ("320", "390"):
            _resize(page, size)
            found[f"{station}, {size}"] = _defects(page, [SIDEWAYS, CUT_OFF])
        if station == "devices: sheet":
            continue  # names of products
        text = SAME_EVERYWHERE.sub("", page.evaluate(ALL_TEXTS))
        found[f"{station}, words"] = re.findall(r"[A-Za-z]{3,}", text)
    _assert_none(found)
