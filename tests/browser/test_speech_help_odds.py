"""Spoken announcements, help for beginners, and the odds on the wall display, at the tables of one server."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .conftest import Phones, Server
from .live import LiveTable, round_where, says
from .screens import screen

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


def test_what_is_new_is_spoken_once_and_a_correction_as_its_net_change(house: Server, phones: Phones) -> None:
    table = LiveTable.open(house.url, round_where(lambda played: bool(says(played, "stop"))), ("Mei", "Ren"))
    table.deal()
    page = phones.open()
    page.add_init_script(VOICES)
    page.goto(table.page)
    page.get_by_role("button", name="Pages of this table").click()
    page.get_by_role("button", name="Speech").click()
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


def test_a_card_is_explained_by_a_tap_and_any_other_in_the_overview(house: Server, phones: Phones) -> None:
    table = LiveTable.open(
        house.url, round_where(lambda played: bool(says(played, "koikoi"))), ("Mei", "Ren")
    )
    table.deal()
    state = table.play(table.upto(("call", "koikoi")))
    seat = next(one for one in state["round"]["seats"] if one["yaku"])
    page = phones.open()
    page.goto(table.seat(seat["seat"]))
    card = seat["yaku"][0]["cards"][0]
    captured = page.locator(f'.captures [data-card="{card}"]')
    captured.evaluate(
        "card => scrollTo(0, scrollY + card.getBoundingClientRect().top - 150)"
    )  # above the panel
    captured.click(position={"x": 4, "y": 20})
    made = page.locator(f'.help-yaku[data-yaku="{seat["yaku"][0]["name"]}"]')
    expect(page.locator(".help-card")).to_have_attribute("data-card", card)
    expect(made).to_contain_text(f"{('Mei', 'Ren')[seat['seat'] - 1]}: ")

    page.get_by_role("button", name="All cards").click()
    expect(page.locator(".help .near-one")).to_have_count(len(seat["near"]))
    page.locator('.help .pick-card[data-card="susuki-moon"]').click()
    expect(page.locator(".help-card")).to_contain_text("Month: August")
    expect(page.locator(".help-card")).to_contain_text("Type: Brights")
    expect(page.locator('.help-yaku[data-yaku="moon-viewing"]')).to_contain_text("of 2")


def test_the_wall_has_odds_after_all_players_agreed(house: Server, phones: Phones) -> None:
    table = LiveTable.open(
        house.url, round_where(lambda played: bool(says(played, "koikoi"))), ("Mei", "Ren")
    )
    table.deal()
    wall, phone = screen(phones), phones.open()
    wall.goto(f"{table.page}/display")
    expect(wall.locator(".board")).to_be_visible()
    phone.goto(table.page)
    phone.get_by_role("button", name="Pages of this table").click()
    phone.get_by_role("button", name="Odds on the display").click()
    agree = phone.get_by_role("button", name="Agree", exact=True)
    expect(agree).to_have_count(2)
    agree.first.click()
    expect(agree).to_have_count(1)
    expect(phone.get_by_text("The display shows no odds.")).to_be_visible()
    expect(wall.locator(".odds")).to_have_count(0)
    agree.click()
    expect(wall.locator(".odds")).to_have_count(2)
    expect(wall.locator(".odds").first).to_contain_text("% to win")
    phone.get_by_role("button", name="Turn off for everybody").click()
    expect(wall.locator(".odds")).to_have_count(0)


def test_a_program_that_changes_its_mind_is_spoken_as_one_sentence(house: Server, phones: Phones) -> None:
    table = LiveTable.open(house.url, round_where(lambda played: len(played.moves) > 8), ("Mei", "Ren"))
    table.deal()
    moves = [
        ("moved", {"player": move.player, "words": list(move.words())}) for move in table.round.moves[:4]
    ]
    table.referee_says(*moves[:2])
    table.referee_says(*moves[2:])
    page = phones.open()
    page.add_init_script(VOICES)
    page.add_init_script("localStorage.speech = JSON.stringify({ on: true })")
    page.goto(table.page)
    expect(page.locator(".entry-line")).to_have_count(3)
    page.wait_for_timeout(AFTER_CONNECTING_MS)
    play, draw = (move["seq"] for move in table.state()["history"][-1]["moves"])
    # Both cards of the last turn were others; "unchecked" because the rules are not what is tested.
    player = table.round.moves[2].player
    others = ((play, ["play", "pine-crane"]), (draw, ["draw", "paulownia-phoenix"]))
    data = [(seq, {"player": player, "words": words, "unchecked": True}) for seq, words in others]
    table.referee_says(*(("corrected", {"of": seq, "kind": "moved", "data": each}) for seq, each in data))
    spoken(page, "Turn 2 corrected: ")
    sentences = page.evaluate("window.spoken")
    name = ("Mei", "Ren")[player - 1]
    assert sentences[0] == f"Turn 2 corrected: {name} plays Crane and Sun; draws Phoenix"
    assert not any("captures" in sentence for sentence in sentences)
