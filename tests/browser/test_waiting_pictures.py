"""The page of a picture that waits for a scan worker: its place in the queue, reloads, a phone that sleeps, and no worker at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from api.pictures.queued_scans import JobWorker
from api.pictures.service import Pictures, runner
from companion.store.store import Store, open_store
from vision.photograph.scan_result import ScanResult

from .conftest import Phones, Server
from .serve import TableScanner
from .steps import choose_picture, total

WAIT_MS = 30_000
POINTS = "5"
"""The score of the table's pile: three brights, without others."""


class GatedScanner(TableScanner):
    """Reads a picture only when the test opens the gate."""

    def __init__(self, table: Path) -> None:
        super().__init__(table)
        self.gate = threading.Event()

    def scan(self, bgr: np.ndarray, deck: str | None = None, focal: float | None = None) -> ScanResult:
        assert self.gate.wait(WAIT_MS / 1000)
        return super().scan(bgr, deck, focal)


@pytest.fixture
def server(postgres_url: str, picture: Path, tmp_path: Path) -> Iterator[Server]:
    """A server that does not read the pictures of its phones itself."""
    server = Server(tmp_path / "data", str(picture.with_suffix(".json")), store_url=postgres_url)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def store(postgres_url: str, server: Server) -> Iterator[Store]:
    with closing(open_store(postgres_url)) as store:
        yield store


@contextmanager
def worker(store: Store, picture: Path) -> Iterator[threading.Event]:
    """Run a scan worker, which reads as soon as the gate is open."""
    scanner = GatedScanner(picture.with_suffix(".json"))
    assert store.scan_queue is not None
    with JobWorker(store.scan_queue, Pictures(runner(store.documents, scanner))):
        yield scanner.gate
        scanner.gate.set()


def progress(page: Page) -> Locator:
    """Return the line that says what is done with the picture."""
    return page.locator(".progress p").first


def wait_in_line(page: Page, server: Server, picture: Path, words: str) -> None:
    choose_picture(page, server.url, picture)
    expect(progress(page)).to_have_text(words, timeout=WAIT_MS)


def test_the_page_says_the_place_and_whether_somebody_reads(
    server: Server, store: Store, phones: Phones, picture: Path
) -> None:
    lines = {
        "en-GB": ("Place 1 in the queue", "Pictures aren’t being read at the moment."),
        "ja-JP": ("2番目に読み取ります", "写真の読み取りが止まっています。"),
        "ko-KR": ("읽기 대기 3번째", "지금은 사진 읽기가 멈춰 있어요."),
    }
    pages = {locale: phones.open(locale) for locale in lines}
    for locale, (place, nobody) in lines.items():
        wait_in_line(pages[locale], server, picture, place)
        expect(pages[locale].locator(".progress .hint")).to_contain_text(nobody)
    with worker(store, picture) as gate:
        expect(progress(pages["en-GB"])).to_have_text("Looking for the cards…", timeout=WAIT_MS)
        expect(progress(pages["ja-JP"])).to_have_text("1番目に読み取ります", timeout=WAIT_MS)
        expect(progress(pages["ko-KR"])).to_have_text("읽기 대기 2번째", timeout=WAIT_MS)
        for page in pages.values():
            expect(page.locator(".progress .hint")).to_have_count(0)
        gate.set()
        for page in pages.values():
            expect(total(page)).to_have_text(POINTS, timeout=WAIT_MS)


def test_a_page_that_is_loaded_again_waits_for_the_same_result(
    server: Server, store: Store, phones: Phones, picture: Path
) -> None:
    phone = phones.open()
    wait_in_line(phone, server, picture, "Place 1 in the queue")
    phone.reload()
    expect(progress(phone)).to_have_text("Place 1 in the queue")
    expect(phone.locator(".preview")).to_have_text(
        "Your picture was sent. It is shown again when it has been read."
    )
    phone.locator(".languages summary").click()
    phone.locator('.languages [lang="ja"]').click()
    expect(progress(phone)).to_have_text("1番目に読み取ります")
    phone.goto(f"{server.url}/log")  # a look at the log does not end the wait either
    with worker(store, picture) as gate:
        gate.set()
        phone.goto(server.url)
        expect(total(phone)).to_have_text(POINTS, timeout=WAIT_MS)
    (scan,) = store.scans.newest()
    assert phone.url == f"{server.url}/log/{scan.id}"
    phone.goto(server.url)
    expect(phone.locator(".take")).to_be_visible()
    expect(phone.locator(".progress")).to_have_count(0)


def test_a_canceled_picture_is_not_waited_for_after_a_reload(
    server: Server, phones: Phones, picture: Path
) -> None:
    phone = phones.open()
    wait_in_line(phone, server, picture, "Place 1 in the queue")
    phone.get_by_role("button", name="Cancel").click()
    phone.reload()
    expect(phone.locator(".take")).to_be_visible()
    expect(phone.locator(".progress")).to_have_count(0)


@pytest.mark.parametrize("asleep", ["frozen", "without a network"])
def test_a_phone_that_slept_gets_its_result(
    server: Server, store: Store, phones: Phones, picture: Path, asleep: str
) -> None:
    phone = phones.open()
    wait_in_line(phone, server, picture, "Place 1 in the queue")
    session = phone.context.new_cdp_session(phone)
    if asleep == "frozen":
        session.send("Page.setWebLifecycleState", {"state": "frozen"})
    else:
        phone.context.set_offline(True)
    with worker(store, picture) as gate:
        gate.set()
        while not store.scans.newest():
            phone.wait_for_timeout(50) if asleep != "frozen" else threading.Event().wait(0.05)
        if asleep != "frozen":
            expect(phone.locator("[data-bar=away]")).to_be_visible(timeout=WAIT_MS)
    session.send("Page.setWebLifecycleState", {"state": "active"})
    phone.context.set_offline(False)
    expect(total(phone)).to_have_text(POINTS, timeout=WAIT_MS)


def test_a_result_that_could_not_be_stored_is_an_error_and_can_be_repeated(
    server: Server, store: Store, phones: Phones, picture: Path
) -> None:
    def fail(route: Route) -> None:
        problem = {"type": "/problems/log-not-written", "title": "", "detail": "The disk is full."}
        route.fulfill(status=507, content_type="application/problem+json", body=json.dumps(problem))

    phone = phones.open()
    phone.route("**/api/scan/jobs/*", fail)
    choose_picture(phone, server.url, picture)
    expect(phone.get_by_role("alert")).to_contain_text("The disk is full.", timeout=WAIT_MS)
    phone.unroute("**/api/scan/jobs/*")
    phone.get_by_role("button", name="Try again").click()
    expect(progress(phone)).to_have_text("Place 2 in the queue")
    phone.route("**/api/scan/jobs/*", fail)
    phone.reload()
    expect(phone.get_by_role("alert")).to_contain_text("The disk is full.", timeout=WAIT_MS)
    phone.get_by_role("button", name="Take another picture").click()
    expect(phone.locator(".take")).to_be_visible()
