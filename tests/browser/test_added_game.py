"""A game of another distribution (``tests/toy_game``) on the pages: chosen, dealt, played and displayed like any
other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .conftest import Phones, Server

TOY = Path(__file__).parents[1] / "toy_game"
WALL = {"viewport": {"width": 1920, "height": 1080}, "is_mobile": False, "has_touch": False}


@pytest.fixture(scope="module")
def toy_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server where the toy game is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(TOY)
        server = Server(tmp_path_factory.mktemp("toy"), "broken", start_method="spawn")
        server.start()
        yield server
        server.stop()


def test_an_added_game_is_opened_dealt_played_and_displayed(toy_house: Server, phones: Phones) -> None:
    page = phones.open()
    page.goto(f"{toy_house.url}/tables")
    page.locator("label.game-choice", has_text="Snap").click()
    expect(page.locator(".players input")).to_have_count(3)
    for number, name in enumerate(("Aya", "Bo", "Cho"), start=1):
        page.locator(f"input[name=player-{number}]").fill(name)
    page.locator(".open-table button[type=submit]").click()
    expect(page.locator("h1")).to_contain_text("Aya")
    table = page.url

    page.locator("button", has_text="the deal").first.click()
    expect(page.locator(".deal .dealt-field")).to_have_count(0)
    expect(page.locator(".deal select")).to_have_count(0)
    page.locator(".dealer button").nth(1).click()
    page.locator("dialog .button.primary.big").click()
    expect(page.locator(".turn")).to_be_visible()

    wall = phones.open(**WALL)
    wall.goto(f"{table}/display")
    expect(wall.locator(".board.ring")).to_have_attribute("data-players", "3")
    expect(wall.locator(".pile-count")).to_contain_text("left over")

    for card in ("plum-ribbon", "pine-ribbon"):  # both ribbons: the second takes the first
        page.locator(".thumb button, .by-hand button").filter(has_text="move").first.click()
        page.locator(f".chooser .pick-card[data-card={card}]").click()
        if card == "plum-ribbon":
            expect(wall.locator(".discards .face")).to_have_count(1)
        page.locator("dialog .cross").click()
    expect(wall.locator(".discards .face")).to_have_count(0)
    expect(wall.locator("[data-seat='3'] .tag")).to_have_text("leads")
    expect(wall.locator("[data-foot=last]")).to_contain_text("Cho puts")
