"""Errors are displayed in a sentence with advice, and the picture is not lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from .conftest import Phones, Server
from .steps import choose_picture, name_it, scan, tile, total
from .table import Table

JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def test_a_text_file_named_jpg(phones: Phones, steady: Server, tmp_path: Path) -> None:
    phone = phones.open("ja-JP")
    file = tmp_path / "shopping.jpg"
    file.write_text("milk, rice, a new deck\n" * 20)
    choose_picture(phone, steady.url, file)
    notice = phone.get_by_role("alert")
    expect(notice).to_contain_text("JPEG")
    assert JAPANESE.search(notice.inner_text())
    notice.get_by_role("button").click()
    expect(phone.locator(".take")).to_be_visible()


def test_an_empty_file(phone: Page, steady: Server, tmp_path: Path) -> None:
    file = tmp_path / "nothing.jpg"
    file.touch()
    choose_picture(phone, steady.url, file)
    expect(phone.get_by_role("alert")).to_contain_text("empty")


def test_a_file_that_is_too_large_is_not_sent(phone: Page, steady: Server, tmp_path: Path) -> None:
    file = tmp_path / "huge.jpg"
    with file.open("wb") as huge:
        huge.truncate(65 * 2**20)
    sent: list[str] = []
    phone.on("request", lambda request: sent.append(request.url))
    choose_picture(phone, steady.url, file)
    expect(phone.get_by_role("alert")).to_contain_text("64 MB")
    assert not [url for url in sent if url.endswith("/api/scan")]


def test_no_connection_keeps_the_picture(phone: Page, serve: type[Server], picture: Path) -> None:
    server = serve(str(picture.with_suffix(".json")))
    phone.goto(server.url)
    expect(phone.locator(".take")).to_be_visible()
    server.stop()
    phone.locator("input[type=file]:not([capture])").set_input_files(picture)
    expect(phone.get_by_role("alert")).to_contain_text("No answer from the program")
    expect(phone.locator(".preview img")).to_be_visible()
    server.start()
    phone.get_by_role("button", name="Try again").click()
    expect(total(phone)).to_have_text("5")


def test_no_connection_while_correcting(phone: Page, steady: Server, picture: Path) -> None:
    scan(phone, steady.url, picture)
    phone.context.set_offline(True)
    tile(phone, "Crane and Sun").click()
    phone.get_by_role("button", name="Not a card").click()
    expect(phone.get_by_role("alert")).to_contain_text("No answer from the program")
    phone.context.set_offline(False)
    phone.get_by_role("button", name="Try again").click()
    expect(total(phone)).to_have_text("0")
    expect(phone.get_by_role("alert")).to_have_count(0)


def test_a_broken_scanner(phone: Page, serve: type[Server], picture: Path) -> None:
    choose_picture(phone, serve("broken").url, picture)
    expect(phone.get_by_role("alert")).to_contain_text("failed while reading this picture")
    expect(phone.get_by_role("button", name="Try again")).to_be_visible()


def test_a_slow_network_shows_the_picture_at_once(phone: Page, steady: Server, picture: Path) -> None:
    pending: list[Route] = []

    def hold(route: Route) -> None:
        pending.append(route)

    phone.route("**/api/scan", hold)
    with phone.expect_request("**/api/scan"):
        choose_picture(phone, steady.url, picture)
    expect(phone.locator(".preview img")).to_be_visible()
    expect(phone.get_by_role("status")).to_contain_text(re.compile("Sending|Looking"))
    pending[0].continue_()
    expect(total(phone)).to_have_text("5")


def test_cancelling_a_slow_one(phone: Page, steady: Server, picture: Path) -> None:
    phone.route("**/api/scan", lambda _: None)
    choose_picture(phone, steady.url, picture)
    phone.get_by_role("button", name="Cancel").click()
    expect(phone.locator(".take")).to_be_visible()


def test_an_answer_that_is_not_ours(phone: Page, steady: Server, picture: Path) -> None:
    phone.route("**/api/scan", lambda route: route.fulfill(status=502, body="<h1>Bad Gateway</h1>"))
    choose_picture(phone, steady.url, picture)
    expect(phone.get_by_role("alert")).to_contain_text("Please try again")


def test_a_sample_that_does_not_arrive(phone: Page, steady: Server) -> None:
    phone.route("**/samples/*.jpg", lambda route: route.abort())
    phone.goto(steady.url)
    phone.locator("[data-sample]").first.click()
    expect(phone.get_by_role("alert")).to_contain_text("No answer from the program")
    phone.unroute("**/samples/*.jpg")
    phone.get_by_role("button", name="Try again").click()
    expect(total(phone)).to_have_text("5")


def test_a_picture_dropped_on_a_scan_is_the_next_scan(phone: Page, steady: Server, picture: Path) -> None:
    scan(phone, steady.url, picture)
    first = phone.url
    phone.evaluate(
        """async () => {
          const blob = await (await fetch("/static/samples/tatami.jpg")).blob();
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([blob], "dropped.jpg", { type: "image/jpeg" }));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
        }"""
    )
    expect(phone).not_to_have_url(first)
    expect(total(phone)).to_have_text("5")


def test_a_scan_that_was_deleted(phone: Page, steady: Server) -> None:
    phone.goto(f"{steady.url}/log/nowhere")
    expect(phone.get_by_role("alert")).to_contain_text("nowhere")


def test_a_log_without_a_server(phone: Page, steady: Server) -> None:
    phone.route("**/api/scans?*", lambda route: route.abort())
    phone.goto(f"{steady.url}/log#kept")
    expect(phone.get_by_role("alert")).to_contain_text("No answer from the program")
    phone.unroute("**/api/scans?*")
    phone.get_by_role("button", name="Try again").click()
    expect(phone.get_by_role("alert")).to_have_count(0)


def test_cards_of_an_unknown_deck(
    phone: Page, serve: type[Server], table: Table, tmp_path: Path, picture: Path
) -> None:
    """Each card can be named, and the deck can be enrolled."""
    unknown = tmp_path / "unknown.json"
    cards = [(None, quad) for _, quad in table.cards]
    size = {"width": table.width, "height": table.height}
    unknown.write_text(json.dumps({**size, "cards": cards, "quality": ["photo-unknown-deck"]}))
    choose_picture(phone, serve(str(unknown)).url, picture)
    notice = phone.locator("[data-quality='photo-unknown-deck']")
    expect(notice.get_by_role("link", name="Enroll this deck")).to_have_attribute("href", "/decks/new")
    for number, (name, _) in enumerate(table.cards[:4]):
        phone.locator(f".tile[data-index='{number}']").click()
        name_it(phone, str(name))
    expect(notice).to_have_count(0)


def test_a_card_that_is_there_twice(
    phone: Page, serve: type[Server], table: Table, tmp_path: Path, picture: Path
) -> None:
    """Both are marked, and the hint goes when one of them is something else."""
    (name, _), *others = table.cards
    cards = [(name, quad) if number == 0 else (card, quad) for number, (card, quad) in enumerate(others)]
    twice = tmp_path / "twice.json"
    size = {"width": table.width, "height": table.height}
    twice.write_text(json.dumps({**size, "cards": [table.cards[0], *cards], "quality": ["card-twice"]}))
    choose_picture(phone, serve(str(twice)).url, picture)
    expect(phone.locator(".outline.twice")).to_have_count(2)
    expect(phone.locator("[data-quality='card-twice']")).to_be_visible()
    phone.locator(".tile[data-index='1']").click()
    name_it(phone, str(others[0][0]))
    expect(phone.locator(".outline.twice")).to_have_count(0)
    expect(phone.locator("[data-quality='card-twice']")).to_have_count(0)


def test_a_picture_without_cards(phone: Page, serve: type[Server], tmp_path: Path, picture: Path) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text('{"width": 800, "height": 600, "cards": []}')
    choose_picture(phone, serve(str(empty)).url, picture)
    expect(phone.get_by_text("No cards found in this picture")).to_be_visible()
    phone.get_by_role("button", name="Add a missed card").click()
    expect(phone.locator(".sheet")).to_be_visible()
