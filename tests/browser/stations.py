"""Every page in its states, for the tests of layout and accessibility, and to look at.

``python -m tests.browser.stations FOLDER [--locale ja-JP] [--dark] [NAME …]`` writes a screenshot of each station (or of those whose name
contains one of the given words) at phone and desktop size and with text of 200 %.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from playwright.sync_api import Page, expect, sync_playwright

from companion.hanafuda.simulation import random_round
from tests.league import game_events

from .conftest import CHROMIUM, FLAGS, HEADLESS_SHELL, PHONE, THREE_BRIGHTS, Server
from .live import LiveTable, round_where, says
from .steps import scan
from .table import lay

SIZES = {"320": (320, 700), "390": (390, 844), "landscape": (844, 390), "1280": (1280, 800)}
SETTLE_MS = 120
SEVEN = ("Åsa", "Bo", "千代子", "김민준", "Ôé", "文子", "한지민")

Stations = Iterator[str]
"""The names of the stations that a page reaches one after the other."""


def _visited(page: Page, url: str, *stations: tuple[str, str, str]) -> Stations:
    """Open pages, each given by its station's name, its path, and a selector of what it contains."""
    for name, path, content in stations:
        page.goto(f"{url}/{path}")
        expect(page.locator(content).first).to_be_visible()
        yield name


def photographs(page: Page, url: str, picture: Path) -> Stations:
    """The home page and a scan with its sheets."""
    page.goto(url)
    expect(page.locator(".samples")).to_be_visible()
    yield "home"
    scan(page, url, picture)
    yield "scan"
    page.locator(".tile").first.click()
    expect(page.locator(".sheet .months")).to_be_visible()
    yield "scan: sheet"
    page.locator(".months .used").last.click()
    yield "scan: two of one card"
    page.keyboard.press("Escape")
    page.locator(".more summary").click()
    page.locator(".stepper button").last.click()
    page.locator(".history summary").click()
    yield "scan: month and history"
    page.locator(".rules-line").click()
    expect(page.locator(".rules-dialog")).to_be_visible()
    yield "scan: rules"
    page.keyboard.press("Escape")
    page.locator(".keep button").click()
    expect(page.locator(".kept")).to_be_visible()
    page.locator(".scan-foot .danger").click()
    yield "scan: delete"


def log(page: Page, url: str, picture: Path) -> Stations:
    """The log with imported evenings, their rounds and players."""
    rows: list[dict[str, object]] = [{"format": "hanafuda-companion-events", "version": 1}]
    for number in range(3):
        evening = f"evening{number}"
        start = datetime(2026, 11, 20 + number, 19, tzinfo=UTC)
        events = game_events(
            Random(9 + number), evening, evening, "koikoi-standard", ["Aiko", "Ben"], start, 6
        )
        rows += [{"table": evening, **event.to_json()} for event in events]
    lines = "\n".join(map(json.dumps, rows)).encode()
    file = {"name": "n.jsonl", "mimeType": "text/plain", "buffer": lines}
    assert page.request.post(f"{url}/api/nights/import", multipart={"file": file}).ok
    page.goto(f"{url}/log")
    expect(page.locator(".night-card").first).to_be_visible()
    yield "log"
    page.locator(".tabs button").nth(1).click()
    expect(page.locator(".entry, .empty").first).to_be_visible()
    yield "log: scans"
    yield from _visited(
        page,
        url,
        ("evening", "nights/evening1", ".night-round"),
        ("statistics", "stats", ".chart canvas"),
        ("rounds", "rounds", ".entries a"),
        ("replay", "rounds/evening1/1", ".replay-board"),
        ("disputes", "disputes", "h1"),
        ("players", "players", ".player-list"),
    )
    page.locator(".players-page section > .button").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "players: sheet"


def components(page: Page, url: str, picture: Path) -> Stations:
    """The page of all components."""
    page.goto(f"{url}/kit")
    expect(page.locator(".warning")).to_be_visible()
    yield "kit"


def settings(page: Page, url: str, picture: Path) -> Stations:
    """Decks, devices, house rules, joining, and what is not there."""
    yield from _visited(
        page,
        url,
        ("decks", "decks", ".known-deck"),
        ("enroll", "decks/new", ".deck-form"),
        ("tags", "decks/hanafuda/tags", ".tag-grid"),
        ("rules", "rules", ".rules-list"),
        ("rules: editor", "rules/edit?game=koikoi", ".rules-card"),
        ("join", "join", ".join"),
        ("not there", "404", ".notice"),
        ("devices", "devices", ".devices"),
    )
    page.locator(".devices .button.primary").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "devices: sheet"


def koikoi(page: Page, url: str, picture: Path) -> Stations:
    """A round of two on the page of the table, of a seat and of the host, with their sheets."""
    played = round_where(lambda each: bool(says(each, "stop")) and bool(says(each, "koikoi")))
    table = LiveTable.open(url, played)
    turn = page.locator(".turn, .live-bar").first

    def visit(address: str) -> None:
        page.goto(address)
        expect(turn).to_be_visible()

    page.goto(f"{url}/tables")
    expect(page.locator(".open-table")).to_be_visible()
    yield "lobby"
    visit(table.page)
    yield "table: no round"
    visit(table.seat(1))
    yield "seat: no round"
    table.deal()
    expect(page.locator(".entry-line").first).to_be_visible()
    yield "seat: dealt"
    table.play(4)
    visit(table.page)
    yield "table: play"
    calls = table.upto(("call", "koikoi"))
    table.play(calls - 4)
    caller = says(played, "koikoi")[0]
    visit(table.seat(caller))
    expect(page.locator(".decision")).to_be_visible()
    yield "seat: koi-koi or stop"
    visit(table.seat(3 - caller))
    yield "seat: the other decides"
    table.play(5)
    visit(table.seat(1))
    yield "seat: play"
    page.locator(".bar-button").last.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "seat: menu"
    page.keyboard.press("Escape")
    page.locator(".thumb .hand").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "seat: enter a move"
    visit(table.page)
    page.locator(".entry-line").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "table: correct a move"
    visit(table.page)
    page.locator(".enter-result").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "table: result"
    page.goto(f"{table.page}/host")
    expect(page.locator(".screens")).to_be_visible()
    yield "host"
    table.play()
    visit(table.seat(1))
    expect(page.locator(".outcome")).to_be_visible()
    yield "seat: end of a round"
    visit(table.page)
    yield "table: end of a round"
    assert page.request.post(f"{url}/api/nights/{table.id}/close", data={}).ok
    expect(page.locator(".game-over")).to_be_visible()
    yield "table: the evening is closed"
    visit(table.seat(1))
    expect(page.locator(".game-over")).to_be_visible()
    yield "seat: the evening is closed"


def corrections(page: Page, url: str, picture: Path) -> Stations:
    """Results by yaku and by piles, what is corrected or disputed, and an evening that was deleted."""
    table = LiveTable.open(url, round_where(lambda each: bool(says(each, "stop"))))
    page.goto(table.page)
    page.locator(".enter-result").click()
    page.locator("[data-winner='2']").click()
    page.locator("[data-yaku=animals]").click()
    expect(page.locator(".result-preview .won")).to_be_visible()
    yield "result: yaku"
    page.locator(".result-more > summary").last.click()
    page.locator(".piles-entry [data-card=pine-crane]").click()
    expect(page.locator(".result-preview.wrong")).to_be_visible()
    yield "result: impossible piles"
    page.goto(table.page)
    page.locator(".enter-result").click()
    page.locator(".result-more > summary").last.click()
    for card in ("pine-crane", "pine-ribbon", "cherry-curtain", "cherry-ribbon"):
        page.locator(f".piles-entry [data-card={card}]").click()
    expect(page.locator(".result-preview [data-winner]").first).to_be_visible()
    yield "result: whose round"
    page.goto(table.page)
    page.locator(".thumb .hand").first.click()
    expect(page.locator(".deal .pick-card").first).to_be_visible()
    yield "deal"
    table.deal()
    table.play(2)
    page.goto(table.page)
    page.locator(".thumb .hand").first.click()
    expect(page.locator(".just-entered")).to_be_visible()
    yield "turn: just entered"
    page.goto(table.page)
    page.locator(".last-entry").click()
    page.locator(".part-card").first.click()
    expect(page.locator(".correct .pick-card").first).to_be_visible()
    yield "correction: another card"
    page.goto(table.page)
    page.locator(".last-entry").click()
    page.get_by_role("dialog").locator("> .dialog-body > .button").last.click()
    expect(page.locator(".dispute-form")).to_be_visible()
    yield "dispute: form"
    page.locator(".dispute-form .primary").click()
    expect(page.locator("[data-reading]").first).to_be_visible()
    yield "dispute"
    assert page.request.post(f"{url}/api/nights/{table.id}/delete", data={}).ok
    page.goto(f"{url}/log")
    page.locator(".deleted-nights summary").click()
    yield "log: deleted evenings"


def sheets(page: Page, url: str, picture: Path) -> Stations:
    """The sheets of a table's menu, the help, a question and a problem of the referee, the wall display."""
    played = round_where(lambda each: says(each, "koikoi")[:1] == [1])
    table = LiveTable.open(url, played)
    table.deal()
    table.play(6)
    for sheet in ("rules", "camera", "speech", "odds", "keys"):
        page.goto(table.seat(1))
        page.locator(".bar-button").last.click()
        page.locator(f"[data-open={sheet}]").click()
        expect(page.get_by_role("dialog").last).to_be_visible()
        yield f"menu: {sheet}"
    page.goto(table.seat(1))
    page.locator(".help-open").click()
    expect(page.locator(".help .pick-grid")).to_be_visible()
    yield "help"
    page.locator(".help .pick-card").first.click()
    expect(page.locator(".help-head")).to_be_visible()
    yield "help: a card"
    question = {"code": "result-who-won", "params": {}}
    choices = [{"says": question, "p": p, "events": []} for p in (0.5, 0.4)]
    problem = {
        "code": "wrong-flower",
        "message": question,
        "pictures": {"before": None, "after": None},
        "cards": ["clover-boar"],
    }
    table.referee_says(
        ("asked", {"text": question, "choices": choices, "picture": None}), ("noticed", problem)
    )
    page.goto(table.page)
    expect(page.locator(".ask.wrong")).to_be_visible()
    yield "referee: question and problem"
    page.goto(f"{table.page}/display")
    expect(page.locator(".display")).to_be_visible()
    yield "wall"
    page.goto(f"{table.page}/camera")
    expect(page.locator("h1")).to_be_visible()
    yield "camera: before HTTPS"


def _other(game: str, players: int) -> Callable[[Page, str, Path], Stations]:
    def stations(page: Page, url: str, picture: Path) -> Stations:
        played = random_round(game, 5, players=players)
        table = LiveTable.open(url, played, SEVEN[:players])
        table.deal()
        table.play(len(played.moves) // 2)
        page.goto(table.seat(2))
        expect(page.locator(".tally")).to_be_visible()
        yield f"{game}: seat"
        page.goto(table.page)
        expect(page.locator(".tally")).to_be_visible()
        yield f"{game}: table"
        page.locator(".bar-button").last.click()
        page.locator(".how-open").click()
        expect(page.locator(".how section").first).to_be_visible()
        yield f"{game}: how to play"
        page.goto(table.page)
        if game == "kingo":
            return  # its showdown is tested in test_result
        table.play()
        expect(page.locator(".outcome")).to_be_visible()
        yield f"{game}: end of a round"

    return stations


WALKS: dict[str, Callable[[Page, str, Path], Stations]] = {
    "components": components,
    "photographs": photographs,
    "log": log,
    "settings": settings,
    "koikoi": koikoi,
    "corrections": corrections,
    "sheets": sheets,
    "kekoro": _other("kekoro", 2),
    "kakkuri": _other("kakkuri", 7),
    "kingo": _other("kingo", 3),
}
"""The stations by area; each takes a page, the address of a server, and a photograph that its scanner can read."""


@contextmanager
def text_of_200_percent(page: Page) -> Iterator[None]:
    """Double the text of a page, as a browser's setting does."""
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.wait_for_timeout(SETTLE_MS)
    yield
    page.evaluate("document.documentElement.style.fontSize = ''")


def _look() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--locale", default="en-GB")
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    data = Path(tempfile.mkdtemp())
    picture = lay(*THREE_BRIGHTS).save(data)
    server = Server(data / "data", str(picture.with_suffix(".json")))
    server.start()
    try:
        _walk_all(server.url, picture, options)
    finally:
        server.stop()


def _walk_all(url: str, picture: Path, options: argparse.Namespace) -> None:
    executable = next(filter(None, map(shutil.which, (HEADLESS_SHELL, *CHROMIUM))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        page = browser.new_page(
            viewport=PHONE,
            is_mobile=True,
            has_touch=True,
            locale=options.locale,
            service_workers="block",
            reduced_motion="reduce",
            color_scheme="dark" if options.dark else "light",
        )
        for walk in WALKS.values():
            for station in walk(page, url, picture):
                if not options.names or any(name in station for name in options.names):
                    _picture(page, options.folder, station)
        browser.close()


def _picture(page: Page, folder: Path, station: str) -> None:
    name = re.sub(r"\W+", "-", station)
    whole = not page.locator("dialog[open]").count()
    for size in ("390", "1280"):
        page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
        page.wait_for_timeout(SETTLE_MS)
        page.screenshot(path=folder / f"{name}.{size}.png", full_page=whole)
    page.set_viewport_size(PHONE)
    with text_of_200_percent(page):
        page.screenshot(path=folder / f"{name}.200.png", full_page=whole)


if __name__ == "__main__":
    _look()
