"""A phone as the camera: from the QR code to points on another page, in a real browser whose camera plays the demo's film."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest
from playwright.sync_api import Browser, Page, expect

from companion.net.addresses import urls
from tests.real_server import START_S, RealServer
from vision.demo.film_source import FilmSource

from .conftest import CHROMIUM

SECONDS = 30.0
"""How much of the film the camera plays over and over: the deal and the first two turns."""
SIZE = (960, 540)
BROWSER_FPS = 30
"""The rate at which Chromium plays a file of motion JPEG, frames/s."""
WATCHED_MS = 120_000
"""How long recognition may take to start on a busy machine, ms."""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The film as motion JPEG."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    path = tmp_path_factory.mktemp("film") / "film.mjpeg"
    with FilmSource(clock=lambda: now[0], sleep=sleep) as source, path.open("wb") as file:
        while (frame := source.next(1.0)) is None or frame.time < SECONDS:
            if frame is not None:
                small = cv2.resize(frame.bgr, SIZE, interpolation=cv2.INTER_AREA)
                file.write(cv2.imencode(".jpg", small)[1].tobytes() * round(BROWSER_FPS * source._step))
    return path


class Home(RealServer):
    """`companion serve` in this machine's network, as a process, with HTTPS from its first start."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.table = self.secure = ""

    def stop(self) -> int:
        """End it."""
        assert self._process is not None
        self._process.terminate()
        self._process.communicate(timeout=START_S)
        return self._process.returncode

    def start(self) -> float:
        """Start it, and open a table."""
        with self._errors.open("ab") as errors:
            command = [sys.executable, "-m", "companion.cli", "serve", "--port", str(self.port)]
            self._process = subprocess.Popen(
                [*command, "--data", str(self.folder), "--no-devices", "--json"],
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert self._process.stdout is not None
        addresses = json.loads(self._process.stdout.readline())["serving"]
        self.secure = next(url for url in addresses if url.startswith("https"))
        opened = self.request("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})[1]
        self.table = str(opened["id"])
        return 0.0


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    if "localhost" in urls()[0]:
        pytest.skip("this machine has no network")
    server = Home(tmp_path_factory.mktemp("home") / "data")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def phone_browser(browser: Browser, film: Path) -> Iterator[Browser]:
    """A browser with the film as its camera."""
    executable = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if not executable:
        pytest.skip("Chromium is not installed")
    phone = browser.browser_type.launch(
        executable_path=executable,
        args=[
            "--no-sandbox",
            "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-video-capture={film}",
        ],
    )
    yield phone
    phone.close()


@pytest.fixture
def phone(phone_browser: Browser, home: Home) -> Iterator[Page]:
    """A phone whose user goes on after the browser's warning of the certificate."""
    context = phone_browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, ignore_https_errors=True
    )
    yield context.new_page()
    context.close()


def test_a_phone_watches_the_table_from_the_qr_code_on(home: Home, phone: Page, browser: Browser) -> None:
    wall = browser.new_page()
    wall.goto(f"http://127.0.0.1:{home.port}/t/{home.table}")
    wall.get_by_role("button", name="Pages of this table").click()
    expect(wall.locator(".menu").get_by_role("button", name="Use a phone as the camera")).to_be_visible()
    wall.keyboard.press("Escape")
    wall.get_by_role("button", name="Use a phone as the camera").click()
    link = wall.locator(".camera-invite [data-link]").get_attribute("data-link")
    assert link is not None
    wall.keyboard.press("Escape")

    phone.goto(link)
    phone.get_by_role("link", name="Go on to the camera").click()
    assert phone.evaluate("isSecureContext")
    expect(phone.locator(".viewfinder-hint.good")).to_be_visible(timeout=WATCHED_MS)
    assert "code" not in phone.evaluate("location.hash"), "the code is used, and not in the history"
    expect(phone.locator(".outlines .named").first).to_be_visible()
    expect(wall.locator(".field li").first).to_be_visible(timeout=WATCHED_MS)
    expect(wall.locator(".side .captures [data-card]").first).to_be_visible(timeout=WATCHED_MS)
    status, camera = home.request("GET", f"/api/tables/{home.table}/camera")
    assert (status, camera["source"]) == (200, "phone")

    wall.get_by_role("button", name="What just happened?").click()
    pictures = wall.locator(".last-turn-pictures img")
    expect(pictures).to_have_count(2)
    assert all(
        pictures.nth(each).evaluate("async (image) => (await image.decode(), image.naturalWidth > 0)")
        for each in (0, 1)
    )
    wall.goto(f"http://127.0.0.1:{home.port}/t/{home.table}/display")
    wall.locator("button[data-foot=last]").click()
    expect(wall.locator(".last-turn-pictures img")).to_have_count(2)
    wall.close()

    phone.context.set_offline(True)
    expect(phone.locator(".viewfinder-hint")).to_have_text("No connection")
    phone.context.set_offline(False)
    expect(phone.locator(".viewfinder-hint.good")).to_be_visible(timeout=WATCHED_MS)
    phone.reload()  # the phone was locked, and its browser threw the page away
    expect(phone.locator(".viewfinder-hint.good")).to_be_visible(timeout=WATCHED_MS)


@pytest.mark.parametrize("language", ["en", "ja", "ko"])
def test_the_page_before_https_fits_a_small_phone_with_large_text(
    home: Home, phone_browser: Browser, language: str
) -> None:
    context = phone_browser.new_context(viewport={"width": 320, "height": 640}, locale=language)
    page = context.new_page()
    page.goto(f"{urls(port=home.port)[0]}t/{home.table}/camera")
    expect(page.locator(".browser-warning")).to_have_count(2)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    tall = "(element) => element.getBoundingClientRect().height >= 44"
    assert page.locator(".camera-secure a.button").evaluate(tall)
    context.close()


def test_a_phone_without_an_invitation_learns_what_to_scan(home: Home, phone: Page) -> None:
    phone.goto(f"{home.secure}t/{home.table}/camera")
    expect(phone.locator("#app")).to_contain_text("Use a phone as the camera")
