"""An evening of three games on two phones against a real `companion serve`, with the taps and seconds of each step.

``python -m tests.evening [--language ja] [--screenshots DIR]`` needs Chromium and a network address. It starts the
server on a new data folder, plays one game by results, one by captured piles and one by moves with a correction, kills and restarts
the server in between, closes the evening, finds it in the log, saves its story, and starts a rematch. axe-core checks each page and dialog;
violations fail the evening.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import IO, Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from companion.hanafuda.simulation import AnyRound, random_round
from tests.browser.conftest import CHROMIUM, KNOWS_GAMES, PHONE, free_port
from tests.browser.screens import WALL
from tests.browser.test_every_page import VIOLATIONS

MAX_TAPS_TO_FIRST_CARD = 10
MAX_SECONDS_TO_FIRST_CARD = 30
START_S = 60
TIMEOUT_MS = 15_000
SETTLE_MS = 700
WON = ("pine-crane", "pine-chaff-1", "cherry-curtain", "cherry-chaff-1", "susuki-moon", "susuki-chaff-1")
LOST = ("maple-deer", "maple-chaff-1")


@dataclass
class Server:
    """`companion serve` as a process on a folder."""

    folder: Path
    port: int
    process: subprocess.Popen[str] | None = None
    host_link: str = ""

    def start(self) -> None:
        """Start the server, and wait until it prints the link that makes a phone the host."""
        command = [sys.executable, "-m", "companion.cli", "serve", "--data", str(self.folder)]
        options = ["--port", str(self.port), "--no-devices", "--json"]
        self.process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, encoding="utf-8")
        output: IO[str] | None = self.process.stdout
        assert output is not None
        self.host_link = str(json.loads(output.readline())["host"])

    def kill(self) -> None:
        """End the process without a chance to clean up."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate(timeout=START_S)
            self.process = None


@dataclass
class Evening:
    """The steps of an evening, with their taps and seconds."""

    browser: Browser
    language: str
    screenshots: Path | None
    steps: list[tuple[str, int, float]] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    taps: int = 0
    seconds_unmeasured: float = 0.0
    shots: int = 0

    def phone(self, **options: Any) -> Page:
        """Return a new phone in the evening's language."""
        context = self.browser.new_context(
            **{
                "viewport": PHONE,
                "is_mobile": True,
                "has_touch": True,
                "locale": self.language,
                "accept_downloads": True,
                **options,
            }
        )
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        page.add_init_script(KNOWS_GAMES)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        return page

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the taps and seconds of a step; screenshots and checks in it do not count."""
        start, taps, unmeasured = perf_counter(), self.taps, self.seconds_unmeasured
        yield
        seconds = perf_counter() - start - (self.seconds_unmeasured - unmeasured)
        self.steps.append((name, self.taps - taps, seconds))
        print(f"{name:58}{self.taps - taps:5}{seconds:8.1f}", flush=True)

    def tap(self, target: Locator) -> None:
        """Tap an element."""
        target.first.click()
        self.taps += 1

    def scan(self, page: Page, link: str) -> None:
        """Scan a QR code, which counts as a tap."""
        page.goto(link)
        self.taps += 1

    def look(self, page: Page, name: str) -> None:
        """Take a screenshot and check the page's accessibility."""
        start = perf_counter()
        page.wait_for_timeout(SETTLE_MS)  # animations, charts
        self.shots += 1
        if self.screenshots is not None:
            self.screenshots.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=self.screenshots / f"{self.shots:02}-{name}-{self.language}.png")
        page.evaluate(AXE_SCRIPT)
        self.violations += [f"{name}: {each}" for each in page.evaluate(VIOLATIONS)]
        self.seconds_unmeasured += perf_counter() - start


def _round_with_choice() -> tuple[AnyRound, int, str]:
    """Return a short round, the number of a play that captures one of two cards, and the other card, which later moves do not need."""
    for seed in range(5000):
        played = random_round("koikoi", seed, players=2)
        if len(played.moves) > 14:
            continue
        open_cards = set(played.deal.field)
        for at, move in enumerate(played.moves[:6]):
            word, *cards = move.words()
            if word not in {"play", "draw"}:
                break
            flower = cards[0].split("-")[0]
            rest = [each for each in open_cards if each.startswith(f"{flower}-") and each not in cards]
            needed = {each for later in played.moves[at + 1 :] for each in later.words()[1:]}
            if word == "play" and len(cards) == 2 and len(rest) == 1 and not {rest[0], cards[1]} & needed:
                return played, at, rest[0]
            open_cards = open_cards - set(cards[1:]) if len(cards) > 1 else open_cards | {cards[0]}
    raise AssertionError("no such round")


def _tell_moves(evening: Evening, page: Page, played: AnyRound, wrong_at: int, wrong: str) -> None:
    """Enter a round's moves by taps, one of them with the wrong captured card."""
    table = page.url.split("/t/")[1].split("/")[0]
    for at, move in enumerate(played.moves):
        word, *cards = move.words()
        if word == "call":
            if page.locator(".chooser").count() == 0:  # on the page of another seat than the one that decides
                evening.tap(page.locator(".thumb .hand"))
            evening.tap(page.locator(f".chooser [data-word={cards[0]}]"))
        else:
            if page.locator(".chooser").count() == 0:
                evening.tap(page.locator(".thumb .hand"))
            heading = page.locator(".chooser h3")
            expect(page.locator(f"dialog [data-card={cards[0]}]:enabled")).to_be_visible()
            before = heading.inner_text()
            evening.tap(page.locator(f"dialog [data-card={cards[0]}]"))
            takes = wrong if at == wrong_at else (cards[1] if len(cards) > 1 else None)
            if takes is not None:
                page.wait_for_function(
                    "before => !document.querySelector('.chooser h3') || document.querySelector('.chooser h3').textContent !== before",
                    arg=before,
                )
                choice = page.locator(f"dialog .pick-cards [data-card={takes}]:enabled")
                if choice.count() and page.locator("dialog .chooser-head .card-row").count():
                    evening.tap(choice)
        page.wait_for_function(
            "([path, count]) => fetch(path).then((answer) => answer.json())"
            ".then(({state}) => state.history.reduce((sum, one) => sum + one.moves.length, 0) >= count)",
            arg=[f"/api/tables/{table}", at + 1],
        )
        if at == wrong_at:
            _correct(evening, page, cards[1])


def _correct(evening: Evening, page: Page, right: str) -> None:
    """Correct the captured card of the last move: turn, wrong card, right card."""
    with evening.step("  correct the captured card"):
        evening.tap(page.locator("dialog .cross"))
        evening.tap(page.locator(".entry-line"))
        evening.tap(page.locator("dialog [data-part='play 1']"))
        expect(page.locator(f"dialog [data-card={right}]").first).to_be_visible()
        evening.look(page, "correction")
        evening.tap(page.locator(f"dialog [data-card={right}]"))
        expect(page.locator("dialog")).to_have_count(0)


def _sit_and_deal(evening: Evening, server: Server) -> tuple[Page, Page, Page]:
    """From the start of the server to the first card dealt with two phones; return the phones and the wall display."""
    host, guest = evening.phone(), evening.phone()
    with evening.step("companion serve starts"):
        server.start()
    with evening.step("the host's phone scans the QR code and opens a table"):
        evening.scan(host, server.host_link)
        evening.tap(host.locator("form.join button[type=submit]"))
        host.wait_for_url("**/tables")
        expect(host.locator(".open-table")).to_be_visible()
        evening.look(host, "lobby")
        evening.tap(host.locator(".open-table button[type=submit]"))
        host.wait_for_url("**/t/**")
    with evening.step("the guest's phone scans its seat; the host sits down"):
        code = host.locator("[data-table-code] [data-link]")
        expect(code).to_be_visible()
        evening.look(host, "table")
        evening.scan(guest, str(code.get_attribute("data-link")))
        evening.tap(guest.locator("[data-sit='1']"))
        guest.wait_for_url("**/seat/1")
        evening.tap(host.locator("[data-sit='2']"))
        host.wait_for_url("**/seat/2")
    with evening.step("the first card is dealt"):
        evening.tap(host.locator(".thumb .hand"))
        evening.look(host, "deal")
        evening.tap(host.locator(".deal [data-card=pine-crane]"))
        expect(host.locator(".dealt-field .face")).to_have_count(1)
    host.locator("dialog .cross").click()
    wall = evening.phone(viewport=WALL, is_mobile=False, has_touch=False)
    wall.goto(host.url.split("/seat")[0] + "/display")
    expect(wall.locator("[data-foot]")).to_be_attached()
    evening.look(wall, "display-before")
    return host, guest, wall


def _results(evening: Evening, page: Page, winners: Sequence[int]) -> None:
    for winner in winners:
        with evening.step("a round by its result"):
            evening.tap(page.locator(".thumb .enter-result"))
            evening.tap(page.locator(f"[data-winner='{winner}']"))
            evening.tap(page.locator("[data-yaku=three-brights]"))
            expect(page.locator(".result-preview .won")).to_be_visible()
            evening.look(page, "result")
            evening.tap(page.locator("[data-record]"))
            expect(page.locator("dialog")).to_have_count(0)
    evening.look(page, "after-result")


def _piles(evening: Evening, page: Page) -> None:
    with evening.step("a round by its captured piles (8 cards tapped)"):
        evening.tap(page.locator(".thumb .enter-result"))
        evening.tap(page.locator("[data-winner='1']"))
        evening.tap(page.locator("dialog details:has(.piles-entry) > summary"))
        for card in WON:
            evening.tap(page.locator(f".piles-entry [data-card={card}]"))
        evening.tap(page.locator(".piles-entry [role=group] button").nth(1))
        for card in LOST:
            evening.tap(page.locator(f".piles-entry [data-card={card}]"))
        expect(page.locator(".result-preview .won")).to_be_visible()
        evening.look(page, "piles")
        evening.tap(page.locator("[data-record]"))
        expect(page.locator("dialog")).to_have_count(0)


def _rematch(evening: Evening, page: Page, guest: Page) -> None:
    """Start another game of the evening; the guest's phone follows to its seat."""
    old = page.url.split("/t/")[1].split("/")[0]
    with evening.step("another game of the evening"):
        evening.tap(page.locator(".live-bar .bar-button"))
        evening.look(page, "menu")
        evening.tap(page.locator("dialog a[href^='/nights/']"))
        page.wait_for_url("**/nights/*")
        evening.look(page, "night")
        evening.tap(page.locator("[data-rematch]"))
        page.wait_for_url("**/t/**")
        guest.wait_for_function(
            "old => !location.pathname.includes(old) && location.pathname.endsWith('/seat/1')", arg=old
        )


def play(evening: Evening, server: Server) -> None:
    """Play the evening."""
    host, guest, wall = _sit_and_deal(evening, server)
    to_first = evening.steps[:]
    taps, seconds = sum(step[1] for step in to_first), sum(step[2] for step in to_first)
    print(f"{'from companion serve to the first card':58}{taps:5}{seconds:8.1f}")
    _results(evening, host, (1, 2))
    expect(guest.locator(".tally b")).to_have_text(["5", "5"])
    evening.look(wall, "display-result")

    _rematch(evening, host, guest)
    with evening.step("the server is killed; a result is entered meanwhile"):
        host.wait_for_load_state("networkidle")
        expect(host.locator(".thumb .enter-result")).to_be_visible()
        host.wait_for_function(
            "localStorage.getItem('hanafuda-companion.result-form')?.includes(location.pathname.split('/')[2])"
        )
        server.kill()
        evening.tap(host.locator(".thumb .enter-result"))
        evening.tap(host.locator("[data-winner='2']"))
        evening.tap(host.locator("[data-yaku=three-brights]"))
        evening.tap(host.locator("[data-record]"))
        expect(host.locator(".banner.unsent")).to_be_visible()
        evening.look(host, "not-sent-yet")
    with evening.step("the server starts again; the phones go on"):
        server.start()
        expect(host.locator(".banner.unsent")).to_have_count(0, timeout=START_S * 1000)
        expect(guest.locator(".banner.offline")).to_have_count(0, timeout=START_S * 1000)
        expect(guest.locator(".tally b")).to_have_text(["0", "5"])
    _piles(evening, host)
    evening.look(guest, "guest")

    _rematch(evening, host, guest)
    played, wrong_at, wrong = _round_with_choice()
    with evening.step("a deal by eight taps"):
        evening.tap(host.locator(".thumb .hand"))
        if played.dealer != 1:
            evening.tap(host.locator(".dealer button").nth(played.dealer - 1))
        host.locator(".deal select").select_option(str(played.situation()["month"]))
        for card in played.deal.field:
            evening.tap(host.locator(f".deal .pick-card[data-card={card}]"))
        expect(host.locator("dialog")).to_have_count(0)
    evening.look(wall, "display-round")
    with evening.step(f"{len(played.moves)} moves by taps, one corrected"):
        _tell_moves(evening, host, played, wrong_at, wrong)
    outcome = played.outcome()
    assert outcome is not None
    expect(guest.locator(".tally b")).to_have_text([str(points) for points in outcome.points])
    evening.look(host, "after-moves")
    evening.look(wall, "display-over")

    with evening.step("the evening is closed"):
        if host.locator("dialog .cross").count():
            evening.tap(host.locator("dialog .cross"))
        evening.tap(host.locator(".live-bar .bar-button"))
        evening.tap(host.locator("dialog a[href^='/nights/']"))
        evening.tap(host.locator("[data-close]"))
        expect(host.locator("[data-reopen]")).to_be_visible()
    night = host.url.split("#")[0]
    with evening.step("found in the log on the guest's phone"):
        evening.tap(guest.locator(".live-bar .seal"))
        evening.tap(guest.locator(".masthead a[href='/log']"))
        link = guest.locator(f"a[href='/nights/{night.split('/nights/')[1]}']")
        expect(link.first).to_be_visible()
        evening.look(guest, "log")
        evening.tap(link)
        guest.wait_for_url("**/nights/*")
        expect(guest.locator(".night-game-full")).to_have_count(3)
        evening.look(guest, "night-closed")
    with evening.step("its story saved as a picture"):
        with guest.expect_download() as download:
            evening.tap(guest.locator("[data-share]"))
        saved = download.value.path()
        assert saved.read_bytes().startswith(b"\x89PNG")
        if evening.screenshots is not None:
            (evening.screenshots / f"story-{evening.language}.png").write_bytes(saved.read_bytes())
    with evening.step("a rematch started"):
        evening.tap(host.locator("[data-rematch]"))
        host.wait_for_url("**/t/**")
        expect(host.locator(".thumb .enter-result")).to_be_visible()
    evening.look(host, "rematch")
    assert taps <= MAX_TAPS_TO_FIRST_CARD, taps
    assert seconds <= MAX_SECONDS_TO_FIRST_CARD, seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the evening and print its steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", default="en", choices=("en", "ja", "ko"))
    parser.add_argument("--screenshots", type=Path, metavar="DIR")
    options = parser.parse_args(arguments)
    executable = next(filter(None, map(which, CHROMIUM)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "data", free_port())
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        evening = Evening(browser, options.language, options.screenshots)
        try:
            play(evening, server)
        except BaseException:
            for number, context in enumerate(browser.contexts):
                for page in context.pages:
                    if options.screenshots is not None:
                        page.screenshot(path=options.screenshots / f"failed-{number}.png")
            raise
        finally:
            server.kill()
            print(*evening.violations, sep="\n")
            browser.close()
        print(f"{'all':58}{evening.taps:5}{sum(step[2] for step in evening.steps):8.1f}")
        assert not evening.problems, evening.problems
        assert not evening.violations, "axe-core found violations"


if __name__ == "__main__":
    main()
