"""Wall displays in the tests: how they are opened and measured."""

from __future__ import annotations

from playwright.sync_api import Page

from .conftest import Phones

WALL = {"width": 1920, "height": 1080}
SIZES = {"wall": WALL, "laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}

_SMALL_TEXT = """least => {
  const small = [];
  const walk = document.createTreeWalker(document.querySelector("#app"), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility()) continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (size < least) small.push(`${element.className}: ${node.data.trim()} ${size}`);
  }
  return small;
}"""

_OUTSIDE = """() => {
  const boxes = [...document.querySelectorAll("#app h2, #app p, #app b, #app td, #app th, #app img.face, #app .join img")];
  const slack = 2; // px: what drifts against burning in
  return boxes
    .filter((each) => each.checkVisibility() && !each.closest(".unseen"))
    .map((each) => [each.className + " " + each.textContent.trim().slice(0, 40), each.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0 && (box.left < -slack || box.top < -slack || box.right > innerWidth + slack || box.bottom > innerHeight + slack))
    .map(([name, box]) => `${name} ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`);
}"""

_STICKING_OUT = """() =>
  [...document.querySelectorAll(".side, .place, .ended, .night, .standings")]
    .flatMap((panel) => {
      const edge = panel.getBoundingClientRect();
      return [...panel.querySelectorAll("p, b, li, h2, td, .near-cards img")]
        .map((each) => [each, each.getBoundingClientRect()])
        .filter(([each, box]) => each.checkVisibility() && box.width > 0 && (box.bottom > edge.bottom + 3 || box.right > edge.right + 12))
        .map(([each]) => `${panel.className} > ${each.className} ${each.textContent.trim().slice(0, 40)}`);
    })"""


def screen(phones: Phones, size: str = "wall", **options: object) -> Page:
    """Open a screen without touch."""
    return phones.open(viewport=SIZES[size], is_mobile=False, has_touch=False, **options)


def small_text(page: Page, least: float) -> list[str]:
    """Return every text of a page that is smaller than ``least`` px."""
    return list(page.evaluate(_SMALL_TEXT, least))


def outside(page: Page) -> list[str]:
    """Return every text and card of a page that is partly outside the window or its panel."""
    page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
    return [*page.evaluate(_OUTSIDE), *page.evaluate(_STICKING_OUT)]


def notes_moments(page: Page) -> None:
    """Make a page record every moment that it displays from now on, for `moments`."""
    page.evaluate(
        """() => {
          window.moments = [];
          new MutationObserver((changes) => {
            for (const { addedNodes } of changes)
              for (const node of addedNodes)
                if (node.dataset?.moment) window.moments.push(`${node.dataset.moment} ${node.dataset.seat}`);
          }).observe(document.querySelector(".moments, .landings"), { childList: true });
        }"""
    )


def moments(page: Page) -> list[str]:
    """Return the moments that a page has displayed since `notes_moments`, each as its kind and seat."""
    return list(page.evaluate("window.moments"))


def size_of(page: Page, selector: str) -> float:
    """Return the font size of an element, px."""
    return float(page.locator(selector).first.evaluate("each => parseFloat(getComputedStyle(each).fontSize)"))
