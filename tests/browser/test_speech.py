"""Spoken announcements: off by default, what is new once, corrections as a net change, and nothing old after a reload."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .conftest import Phones, Server
from .live import LiveTable, round_where, says

VOICES = """
  window.spoken = [];
  const voices = [{ lang: "en-US", name: "double" }];
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  Object.defineProperty(window, "speechSynthesis", { value: {
    getVoices: () => voices, speak: ({ text }) => window.spoken.push(text), cancel: () => {}, addEventListener: () => {},
  } });
"""
AFTER_CONNECTING_MS = 1_200


def spoken(page: Page, text: str) -> None:
    """Wait until a text was spoken."""
    page.wait_for_function("text => window.spoken.some((one) => one.includes(text))", arg=text)


def test_what_is_new_is_spoken_once_and_a_correction_as_its_net_change(
    steady: Server, phones: Phones
) -> None:
    table = LiveTable.open(steady.url, round_where(lambda played: bool(says(played, "stop"))), ("Mei", "Ren"))
    table.deal()
    page = phones.open()
    page.add_init_script(VOICES)
    page.goto(table.page)
    page.get_by_role("button", name="Pages of this table").click()
    page.get_by_role("button", name="Speech…").click()
    expect(page.get_by_label("Volume")).to_have_count(0)
    page.get_by_label("Announce aloud").check()
    page.get_by_label("Volume").fill("50")
    page.get_by_role("button", name="Try it").click()
    page.get_by_role("button", name="Close", exact=True).click()
    assert page.evaluate("window.spoken.length") == 1

    page.wait_for_timeout(AFTER_CONNECTING_MS)
    table.play(table.upto(("call", "stop")))
    spoken(page, " captures ")
    table.play()
    outcome = table.round.outcome()
    assert outcome is not None
    winner = ("Mei", "Ren")[outcome.winners[0] - 1]
    points = max(outcome.points)
    spoken(page, f"{winner} wins the round: {points} point")

    page.evaluate("window.spoken = []")
    stop = table.state()["undo"]["seq"]
    table.submit(("undone", {"of": stop}))
    spoken(page, f"{winner}: {points} point")
    assert page.evaluate("window.spoken.length") == 1
    assert page.evaluate("window.spoken[0]").endswith(" less")

    page.reload()
    expect(page.locator(".captures .face").first).to_be_visible()
    page.wait_for_timeout(AFTER_CONNECTING_MS)
    assert page.evaluate("window.spoken") == []
    assert page.evaluate("JSON.parse(localStorage.speech).volume") == 0.5
