"""Fixtures: a server that can be restarted, Chromium, and phones in it."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import random
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from .serve import serve_pages
from .table import Table, lay

CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
HEADLESS_SHELL = "chromium-headless-shell"
"""Chromium without windows of its own: a third faster, but pages cannot keep the screen on."""
FLAGS = ("--no-sandbox", "--renderer-process-limit=1", "--process-per-site")
"""A page keeps the process it is opened in: otherwise its first address starts a second one, a fifth of all work."""
KNOWS_GAMES = """
try {
  for (const game of ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"]) localStorage.setItem(`hanafuda-companion.how-to-play.${game}`, "seen");
} catch {}
"""
"""A script for pages: the phone has seen how to play each game, so that no sheet opens when it sits down."""
PHONE: ViewportSize = {"width": 390, "height": 844}
START_S = 120.0  # on two busy cores it took more than 30
TIMEOUT_MS = 10_000
MAX_CONTEXTS = 4
"""Unused contexts that stay open: each takes a process with about 100 MB."""
STORED = "cookies,local_storage,cache_storage,indexeddb,service_workers"
"""What a page stores, in the words of Chromium's protocol: all but the cache of files."""

THREE_BRIGHTS = ("pine-crane", "cherry-curtain", "susuki-moon", "plum-ribbon", "maple-deer", "iris-chaff-1")

# Servers are forked from a process that has imported the program, which takes ten times as long as their start.
multiprocessing.set_forkserver_preload(["api.app"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@cache
def lasting_port(purpose: str) -> int:
    """Return the port of all servers of one purpose, so that contexts have the pages' files when the next one starts.

    It is none of those that the system gives to other programs in the meantime.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@dataclass
class Server:
    """A server process on one data folder; `stop` and `start` are a restart at the same address."""

    data: Path
    scanner: str
    port: int = field(default_factory=free_port)
    start_method: str = "forkserver"
    """``spawn``: a process that imports everything itself, with the games of `sys.path`."""
    process: BaseProcess | None = None
    store_url: str | None = None
    """The PostgreSQL database that has the log, if it is not in the data folder."""
    addition: bytes = b""
    """What is added to a style sheet, for another version of the pages."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        processes = multiprocessing.get_context(self.start_method)
        self.process = processes.Process(
            target=serve_pages,
            args=(self.data, self.port, self.scanner, self.store_url, self.addition),
        )
        self.process.start()
        try:
            self._wait_for(self.process)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.join(10)
            self.process = None

    def kill(self) -> None:
        """Kill the server at once."""
        assert self.process is not None
        self.process.kill()
        self.process.join()

    def _wait_for(self, process: BaseProcess) -> None:
        deadline = time.monotonic() + START_S
        while not self._answers():
            assert process.is_alive(), "the server ended instead of answering"
            assert time.monotonic() < deadline, f"no answer from the server within {START_S} s"
            time.sleep(0.05)

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/api/games")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    executable = next(filter(None, map(shutil.which, (HEADLESS_SHELL, *CHROMIUM))), None)
    if not executable:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def table() -> Table:
    """A pile with three brights."""
    return lay(*THREE_BRIGHTS)


@pytest.fixture(scope="session")
def picture(table: Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table.save(tmp_path_factory.mktemp("table"))


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[type[Server]]:
    """Start servers on one new data folder; they end with the test."""
    running: list[Server] = []

    def start(scanner: str) -> Server:
        port = free_port() if running else lasting_port("one test")
        server = Server(tmp_path / "data", scanner, port)
        running.append(server)
        server.start()
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="session")
def steady(picture: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server with the scanner double, for all tests that do not stop it."""
    server = Server(tmp_path_factory.mktemp("steady"), str(picture.with_suffix(".json")))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server with the real scanner, whose networks are loaded once for a test file."""
    server = Server(tmp_path_factory.mktemp("reading"), "real", lasting_port("reading"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tables of a test file; no picture is scanned by it."""
    server = Server(tmp_path_factory.mktemp("house"), "broken", lasting_port("house"))
    server.start()
    yield server
    server.stop()


@dataclass
class Contexts:
    """Browser contexts, used again by later tests with the same options: their caches keep the pages' scripts and styles.

    The files of a page take a second of computing, most of what a short test takes.
    """

    browser: Browser
    free: dict[str, list[BrowserContext]] = field(default_factory=dict)
    taken: list[tuple[str, BrowserContext]] = field(default_factory=list)

    def take(self, options: dict[str, object]) -> BrowserContext:
        """Return a context without cookies, stored data and open pages."""
        key = json.dumps(options, sort_keys=True)
        free = self.free.setdefault(key, [])
        if free:
            context = free.pop()
        else:
            context = self.browser.new_context(**options)
            context.new_page()  # stays open, so that the process with its cache stays
        self.taken.append((key, context))
        return context

    def give_back(self, origins: set[str]) -> None:
        """Close the pages of a test, and delete what they stored for these origins."""
        for key, context in self.taken:
            kept, *pages = context.pages
            for page in pages:
                page.close()
            if "service_workers" in key and '"allow"' in key:
                context.close()
                continue
            context.set_offline(False)
            context.clear_cookies()
            session = context.new_cdp_session(kept)
            for origin in origins:
                session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": STORED})
            session.detach()
            self.free[key].append(context)
        self.taken.clear()
        self._close_oldest()

    def _close_oldest(self) -> None:
        """Close contexts of rarely used options, so that no more than `MAX_CONTEXTS` take memory."""
        while sum(map(len, self.free.values())) > MAX_CONTEXTS:
            key = next(key for key, free in self.free.items() if free)
            self.free[key].pop().close()
            self.free[key] = self.free.pop(key)


@dataclass
class Phones:
    """Opens phones, and records console errors and requests to other hosts."""

    contexts: Contexts
    complaints: list[str] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    lan: str = "http://127.0.0.1:"
    """Where calls may go besides the loopback: the address of a server that is reached by the network."""

    def open(
        self,
        locale: str = "en-GB",
        *,
        viewport: ViewportSize = PHONE,
        color_scheme: Literal["dark", "light"] = "light",
        reduced_motion: Literal["reduce", "no-preference"] = "no-preference",
        knows_games: bool = True,
        **options: object,
    ) -> Page:
        """Open a page. Its size, colors and motion are set for it alone, so that pages with others can use its context.

        Unless it is one that ``knows_games``, how to play opens when it sits down at its first table.
        """
        context = self.contexts.take(
            {
                "viewport": PHONE,
                "is_mobile": True,
                "has_touch": True,
                "locale": locale,
                "service_workers": "block",
                **options,
            }
        )
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        if knows_games:
            page.add_init_script(KNOWS_GAMES)
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.calls.add("/".join(request.url.split("/")[:3])))
        return page

    def _note(self, message: object) -> None:
        if message.type in {"error", "warning"}:
            # Chromium itself reports refused requests, a missing network, and a header that only applies to
            # HTTPS, and Playwright that it blocks the service worker; only the page's own messages count.
            own = (
                "Failed to load resource",
                "The Cross-Origin-Opener-Policy header has been ignored",
                "Service Worker registration blocked by Playwright",
            )
            kind = self.refused if message.text.startswith(own) else self.complaints
            kind.append(message.text)

    def close(self) -> None:
        self.contexts.give_back({host for host in self.calls if host.startswith("http")})


@pytest.fixture(scope="package")
def contexts(browser: Browser) -> Contexts:
    """The contexts of all tests of the pages."""
    return Contexts(browser)


@pytest.fixture
def phones(contexts: Contexts) -> Iterator[Phones]:
    """Phones, none of which may end a test with an error in its console or a call to another host."""
    opened = Phones(contexts)
    yield opened
    opened.close()
    assert opened.complaints == []
    assert all(
        host.startswith(("http://127.0.0.1:", "blob:", opened.lan.rstrip("/"))) for host in opened.calls
    ), opened.calls


@pytest.fixture
def phone(phones: Phones) -> Page:
    return phones.open()
