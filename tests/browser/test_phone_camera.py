"""A phone as the camera: from the QR code to points on another page, in a real browser whose camera plays the demo's film."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import pytest
from playwright.sync_api import Browser, Page, expect

from companion.net.addresses import urls
from tests.real_server import START_S, RealServer
from vision.demo.film_source import FilmSource

from .conftest import CHROMIUM

SECONDS = 30.0
"""How much of the film the camera plays over and over: the deal and the first two turns."""
ROUND_S = 88.0
"""Until the end of the film's first round."""
PUSHED_S = 58.0
"""When the phone is pushed, between two turns."""
SIZE = (960, 540)
BROWSER_FPS = 30
"""The rate at which Chromium plays a file of motion JPEG, frames/s."""
WATCHED_MS = 120_000
"""How long recognition may take to start on a busy machine, ms."""


def _write(path: Path, seconds: float, *, moved_s: float = float("inf"), rest_s: float = 0.0) -> Path:
    """Write the beginning of the film as motion JPEG; from ``moved_s`` on by a phone that was pushed, with its last frame for ``rest_s``."""
    now = [0.0]

    def sleep(duration: float) -> None:
        now[0] += duration

    pushed = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), angle=7.0, scale=0.93)
    pushed[:, 2] += (0.04 * SIZE[0], -0.02 * SIZE[1])
    with FilmSource(clock=lambda: now[0], sleep=sleep) as source, path.open("wb") as file:
        jpeg = b""
        while (frame := source.next(1.0)) is None or frame.time < seconds:
            if frame is not None:
                small = cv2.resize(frame.bgr, SIZE, interpolation=cv2.INTER_AREA)
                if frame.time >= moved_s:
                    small = cv2.warpAffine(small, pushed, SIZE, borderMode=cv2.BORDER_REPLICATE)
                jpeg = cv2.imencode(".jpg", small)[1].tobytes()
                file.write(jpeg * round(BROWSER_FPS * source._step))
        file.write(jpeg * round(BROWSER_FPS * rest_s))
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


@contextmanager
def _phone(browser: Browser, film: Path) -> Iterator[Browser]:
    """A browser with a film as its camera."""
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


@contextmanager
def _page(phone_browser: Browser) -> Iterator[Page]:
    """A phone whose user goes on after the browser's warning of the certificate."""
    context = phone_browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, ignore_https_errors=True
    )
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def phone_browser(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with _phone(browser, _write(tmp_path_factory.mktemp("film") / "film.mjpeg", SECONDS)) as phone:
        yield phone


@pytest.fixture
def phone(phone_browser: Browser, home: Home) -> Iterator[Page]:
    with _page(phone_browser) as page:
        yield page


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


HINTS = (None, "no-cards", "dark", "small", "steep", "glare", "edge", "moved")
FITS = """() => {
  const bar = document.querySelector(".viewfinder-bar"), picture = document.querySelector("video").getBoundingClientRect();
  const targets = [...document.querySelectorAll("button, select")].map((each) => each.getBoundingClientRect());
  const isWhole = bar.getBoundingClientRect().bottom <= innerHeight && document.documentElement.scrollWidth <= innerWidth;
  return isWhole && targets.length > 0 && picture.height >= 100 && targets.every(({ width, height }) => Math.min(width, height) >= 44);
}"""
"""Whether picture, sentence and controls are on the screen, and the controls large enough to be tapped."""


@pytest.mark.parametrize("language", ["en", "ja", "ko"])
@pytest.mark.parametrize(
    ("width", "height", "text", "hints"),
    [
        (320, 568, "200%", HINTS),
        (320, 568, "100%", ("glare",)),
        (390, 844, "100%", ("glare",)),
        (844, 390, "100%", ("glare",)),
    ],
)
def test_every_hint_fits_the_screen(
    home: Home,
    phone_browser: Browser,
    language: str,
    width: int,
    height: int,
    text: str,
    hints: Sequence[str | None],
) -> None:
    invited = home.request("POST", "/api/pairings", {"role": "camera", "table": home.table})[1]["path"]
    card = {"card": "chrysanthemum-sake", "quad": [[0.4, 0.3], [0.6, 0.3], [0.6, 0.7], [0.4, 0.7]]}
    seen: dict[str, Any] = {"cards": [card], "zones": []}
    answer = {"state": "watching", "source": "phone", "viewfinder": seen}
    context = phone_browser.new_context(
        viewport={"width": width, "height": height}, locale=language, ignore_https_errors=True
    )
    page = context.new_page()
    seen["hint"] = hints[0]
    page.route("**/camera/frame", lambda route: route.fulfill(json=answer))
    page.goto(f"{home.secure.rstrip('/')}{invited}")
    page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", text)
    sentence, before = page.locator(".viewfinder-hint"), set[str]()
    for hint in hints:
        seen["hint"] = hint
        page.wait_for_function(
            "(before) => document.querySelector('.viewfinder-controls button')"
            " && !before.includes(document.querySelector('.viewfinder-hint').textContent)",
            arg=sorted(before),
        )
        before.add(sentence.text_content() or "")
        assert page.evaluate(FITS), hint
    page.locator(".viewfinder-controls button").click()
    lines = page.locator(".seen-name text")
    expect(lines.last).to_contain_text("9 · ")
    context.close()


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


LOCK = """locked => {
  Object.defineProperty(document, "hidden", { value: locked, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Locks and unlocks the phone."""
CALL = """async () => {
  const media = navigator.mediaDevices, open = media.getUserMedia.bind(media);
  window.kept = await open({ video: { width: 1920, height: 1080 } }); // otherwise the film begins again
  media.getUserMedia = () => Promise.reject(new DOMException("", "NotReadableError"));
  window.hangUp = () => { media.getUserMedia = open; };
  const [track] = document.querySelector("video").srcObject.getVideoTracks();
  track.stop();
  track.dispatchEvent(new Event("ended"));
}"""
"""Lets a call take the camera, until `hangUp`."""
MUTE = """muted => {
  const [track] = document.querySelector("video").srcObject.getVideoTracks();
  Object.defineProperty(track, "muted", { value: muted, configurable: true });
  track.dispatchEvent(new Event(muted ? "mute" : "unmute"));
}"""
"""Interrupts and continues the picture, as a phone's system does."""


def test_no_interruption_loses_the_round(home: Home, browser: Browser, tmp_path: Path) -> None:
    """The phone is locked, called, cut off and pushed while the film's first round is played, which is worth 14 points."""
    table = str(home.request("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})[1]["id"])
    invited = home.request("POST", "/api/pairings", {"role": "camera", "table": table})[1]["path"]

    def played() -> dict[str, Any]:
        found: dict[str, Any] = home.request("GET", f"/api/tables/{table}")[1]["state"]["round"] or {}
        return found

    def wait_for_stock(cards: int) -> None:
        end = time.monotonic() + WATCHED_MS / 1000
        while played().get("stock", 25) > cards:
            assert time.monotonic() < end
            page.wait_for_timeout(200)

    with (
        _phone(browser, _write(tmp_path / "film.mjpeg", ROUND_S, moved_s=PUSHED_S, rest_s=60)) as phone,
        _page(phone) as page,
    ):
        page.goto(f"{home.secure.rstrip('/')}{invited}")
        hint = page.locator(".viewfinder-hint")
        sent = list[str]()
        page.on("request", lambda request: sent.append(request.url))
        wait_for_stock(23)
        page.evaluate(LOCK, True)
        page.wait_for_timeout(1_000)
        sent.clear()
        page.wait_for_timeout(4_000)
        assert sent == [], "a locked phone sends nothing"
        page.evaluate(LOCK, False)
        wait_for_stock(21)
        page.evaluate(CALL)
        expect(page.get_by_role("alert")).to_have_text(
            "The camera doesn’t start. Another app may be using it."
        )
        page.wait_for_timeout(4_000)
        page.evaluate("hangUp()")
        expect(hint).to_be_visible()
        wait_for_stock(19)
        page.context.set_offline(True)
        expect(hint).to_have_text("No connection")
        page.wait_for_timeout(4_000)
        page.context.set_offline(False)
        expect(hint).not_to_have_text("No connection")
        wait_for_stock(17)
        page.evaluate(MUTE, True)
        expect(hint).to_contain_text("The picture is interrupted")
        page.wait_for_timeout(4_000)
        page.evaluate(MUTE, False)
        wait_for_stock(13)
    assert [seat["total"] for seat in played()["seats"]] == [0, 14]
