"""Enrolling a deck on a phone: photograph it and check the names; then export and delete it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from companion.hanafuda.cards import HANAFUDA

from .conftest import Phones, Server
from .table import lay
from .test_every_page import ALL_TEXTS, NAMELESS, SAME_EVERYWHERE, SIDEWAYS, SMALL_TARGETS

LEARNING_MS = (
    120_000  # the networks are loaded, 48 cards detected, and their appearance under several lights learned
)
MONTH_BY_MONTH = [HANAFUDA[4 * month + index].id for index in range(4) for month in range(12)]


@pytest.fixture(scope="module")
def deck_photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole deck in 4 x 12, one column per flower."""
    picture = tmp_path_factory.mktemp("deck") / "deck.jpg"
    picture.write_bytes(lay(*MONTH_BY_MONTH, columns=12).jpeg)
    return picture


def _fill(page: Page, url: str, photo: Path, name: str = "grandmother") -> None:
    page.goto(f"{url}/decks/new")
    page.locator("[name=deck-name]").fill(name)
    page.locator(".take input[multiple]").set_input_files(photo)
    expect(page.locator(".photos li")).to_have_count(1)


def _place(page: Page, card: str) -> Locator:
    return page.locator(f'.place[data-card="{card}"]')


def _pixels(place: Locator) -> str:
    return str(place.locator("img").get_attribute("src"))


def test_a_deck_is_enrolled_from_a_photograph(phone: Page, reading: Server, deck_photo: Path) -> None:
    phone.goto(reading.url)
    phone.get_by_role("link", name="Decks", exact=True).click()
    phone.get_by_role("link", name="Learn a deck").click()
    find = phone.get_by_role("button", name="Find the cards")
    expect(find).to_be_disabled()
    _fill(phone, reading.url, deck_photo)
    find.click()
    expect(phone.locator(".place")).not_to_have_count(0, timeout=LEARNING_MS)
    expect(phone).to_have_url(re.compile(r"/decks/new/.+"))

    # When a card gets another card's name, the two names are swapped.
    one, other = (phone.locator(".place").nth(number).get_attribute("data-card") for number in (0, 5))
    first, sixth = _pixels(_place(phone, one)), _pixels(_place(phone, other))
    _place(phone, one).click()
    phone.locator(f'.months [data-card="{other}"]').click()
    expect(_place(phone, other).locator("img")).to_have_attribute("src", first)
    expect(_place(phone, one).locator("img")).to_have_attribute("src", sixth)
    expect(_place(phone, one)).to_have_class(
        re.compile("doubtful")
    )  # it was swapped: a person should check it
    phone.reload()
    expect(_place(phone, other).locator("img")).to_have_attribute("src", first)

    # And back, with the question that is displayed first after the swap.
    _place(phone, other).click()
    phone.locator(f'.months [data-card="{one}"]').click()
    doubt = phone.locator(".doubt-card", has=phone.locator(f'img[src="{sixth}"]'))
    doubt.get_by_role("button", name="That’s right").click()
    expect(doubt).to_have_count(0)

    # At this moment, somebody else keeps a deck of the same name.
    taken = json.dumps({"type": "/problems/deck-taken", "deck": "grandmother"})
    phone.route("**/api/decks", lambda route: route.fulfill(status=409, body=taken), times=1)
    phone.get_by_role("button", name="Learn this deck").click()
    expect(phone.get_by_role("dialog")).to_contain_text("Grandmother already exists")
    phone.get_by_role("button", name="Replace", exact=True).click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Grandmother is ready", timeout=LEARNING_MS)
    with phone.expect_download() as download:
        phone.get_by_role("link", name="Download", exact=True).click()
    assert download.value.suggested_filename == "grandmother.deck"
    friend = deck_photo.with_name("aya.deck")
    download.value.save_as(friend)

    phone.goto(reading.url)
    phone.locator(".deck-choice select").select_option("grandmother")

    phone.goto(f"{reading.url}/decks")
    phone.locator(".take-in input").set_input_files(friend)
    phone.get_by_role("button", name="Replace", exact=True).click()  # the file contains its name
    expect(phone.get_by_text("Grandmother was added.")).to_be_visible()
    phone.get_by_role("button", name="Delete: Grandmother").click()
    phone.get_by_role("button", name="Delete", exact=True).click()
    expect(phone.locator('[data-deck="grandmother"]')).to_have_count(0)


def test_a_picture_without_a_deck_is_refused_and_the_form_is_unchanged(
    phone: Page, reading: Server, picture: Path
) -> None:
    _fill(phone, reading.url, picture)
    phone.get_by_role("button", name="Find the cards").click()
    expect(phone.get_by_role("alert")).to_contain_text("4 rows of 12", timeout=LEARNING_MS)
    expect(phone.locator("[name=deck-name]")).to_have_value("grandmother")
    expect(phone.locator(".photos li")).to_have_count(1)


def test_a_file_that_is_not_a_deck_is_refused(phone: Page, steady: Server, picture: Path) -> None:
    phone.goto(f"{steady.url}/decks")
    phone.locator(".take-in input").set_input_files(picture)
    expect(phone.get_by_role("alert")).to_contain_text("not a deck file")
    phone.get_by_role("button", name="OK").click()
    expect(phone.get_by_role("alert")).to_have_count(0)


def test_an_expired_enrollment_is_photographed_again(phone: Page, steady: Server) -> None:
    phone.goto(f"{steady.url}/decks/new/gone")
    expect(phone.get_by_role("alert")).to_contain_text("no longer stored")
    expect(phone.locator(".deck-form")).to_be_visible()


@pytest.mark.parametrize(("locale", "widths"), [("en-GB", (320, 360)), ("ja-JP", (320, 1280))])
def test_the_pages_fit_and_can_be_tapped(
    phones: Phones, steady: Server, widths: tuple[int, ...], locale: str
) -> None:
    page = phones.open(locale)
    for path in ("/decks", "/decks/new"):
        page.goto(steady.url + path)
        expect(page.locator(".decks section, .deck-form").first).to_be_visible()
        if path.endswith("new"):
            page.locator(".single summary").click()
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(SIDEWAYS, width) == [], (path, width)
            assert page.evaluate(SMALL_TARGETS) == [], (path, width)
        assert page.evaluate(NAMELESS) == [], path
        if locale == "ja-JP":
            assert re.findall(r"[A-Za-z]{3,}", SAME_EVERYWHERE.sub("", page.evaluate(ALL_TEXTS))) == [], path
