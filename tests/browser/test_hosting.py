"""Hosting from phones: from `companion serve` on a machine without a screen to a table with two players' phones.

All pages are opened at a network address rather than the loopback address, so that these phones are strangers
to the server.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Locator, Page, expect

from companion.net.addresses import urls

from .conftest import START_S, Phones, free_port

MAX_TAPS = 7
"""Taps and scans of both phones together until the deal can be entered."""
TEST_ADDRESS = "198.51.100.7"
"""Reserved for documentation (RFC 5737); assigned to the loopback interface if the machine has no network."""
TARGET_PX = 44
"""Minimum width and height of tap targets, px."""


def _reaches_itself(address: str) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind((address, 0))
        return True
    return False


@pytest.fixture(scope="module")
def lan_address() -> Iterator[str]:
    """Return an address of this machine outside of its loopback network."""
    address = urls()[0].removeprefix("http://").rpartition(":")[0]
    if address != "localhost" and _reaches_itself(address):
        yield address
        return
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("ip")):
        pytest.skip("this machine has no network, and only root can add an address")
    change = ["ip", "addr", "add", f"{TEST_ADDRESS}/32", "dev", "lo"]
    subprocess.run(change, check=True)
    yield TEST_ADDRESS
    subprocess.run([*change[:2], "del", *change[3:]], check=True)


@dataclass
class Headless:
    """A `companion serve` of which only the terminal is visible."""

    url: str
    data: Path
    link: str
    """What the QR code in the terminal says."""

    def invite(self, *options: str) -> dict[str, Any]:
        """Return the output of `companion invite` there."""
        asked = [sys.executable, "-m", "companion.cli", "invite", "--data", str(self.data), "--json"]
        asked += ["--server", self.url, *options]
        ended = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True, timeout=60)
        return dict(json.loads(ended.stdout))


@pytest.fixture(scope="module")
def headless(lan_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headless]:
    data, port = tmp_path_factory.mktemp("headless"), free_port()
    command = [sys.executable, "-m", "companion.cli", "serve", "--json", "--no-devices"]
    command += ["--host", "0.0.0.0", "--port", str(port), "--data", str(data)]
    settings = {"COMPANION_HOSTS": json.dumps([lan_address]), "COMPANION_MDNS": "false"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, encoding="utf-8", env={**os.environ, **settings}
    )
    try:
        assert process.stdout
        reported = json.loads(process.stdout.readline())
        url = f"http://{lan_address}:{port}/"
        deadline = time.monotonic() + START_S
        while True:
            with suppress(OSError), urlopen(f"{url}api/me", timeout=5):
                break
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield Headless(url, data, url + reported["host"].partition(str(port) + "/")[2])
    finally:
        process.terminate()
        process.communicate(timeout=20)


@dataclass
class Taps:
    """Counts taps; a scan counts as a tap on what the camera detected."""

    done: list[str] = field(default_factory=list)

    def scan(self, page: Page, link: str) -> None:
        page.goto(link)
        self.done.append(f"scan {link.partition('#')[0]}")

    def tap(self, target: Locator) -> None:
        expect(target).to_be_visible()
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= TARGET_PX, target
        target.tap()
        self.done.append(str(target))


def me(page: Page) -> dict[str, Any]:
    return dict(page.evaluate("fetch('/api/me').then((answer) => answer.json())"))


def test_from_serve_to_a_table_with_two_phones_in_seven_taps(headless: Headless, phones: Phones) -> None:
    """A machine without a screen could not be set up: "Open the table" asked for a PIN that no page displayed."""
    phones.lan = headless.url
    taps, host, guest = Taps(), phones.open(), phones.open()
    taps.scan(host, headless.link)
    taps.tap(host.get_by_role("button", name="Continue"))  # the name is optional
    host.wait_for_url("**/tables")
    taps.tap(host.get_by_role("button", name="Open the table"))
    host.wait_for_url("**/t/*")
    table = host.url.rpartition("/")[2]
    taps.tap(host.locator("[data-sit='1']"))
    host.wait_for_url(f"**/t/{table}/seat/1")
    # The code of the table stays while a seat is free.
    code = host.locator("[data-table-code] [data-link]")
    expect(code.locator("img")).to_be_visible()
    assert code.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    link = code.get_attribute("data-link")
    assert link
    taps.scan(guest, link)
    expect(guest.locator("[data-sit='1']")).to_be_disabled()  # the host's
    taps.tap(guest.locator("[data-sit='2']"))
    guest.wait_for_url(f"**/t/{table}/seat/2")
    expect(guest.locator(".thumb.watching")).to_have_count(0)
    expect(
        guest.get_by_role("button", name="Enter the deal").or_(
            guest.get_by_role("button", name="Tell the deal")
        )
    ).to_be_visible()
    assert (me(guest)["role"], me(guest)["seat"], me(guest)["table"]) == ("scorer", 2, table)
    assert (me(host)["role"], me(host)["seat"], me(host)["table"]) == ("host", 1, table)
    expect(host.locator(".seating")).to_have_count(0)  # all seats are taken
    assert len(taps.done) <= MAX_TAPS, taps.done


def test_a_host_plays_under_the_name_just_typed_and_deals_in_four_taps(
    headless: Headless, phones: Phones
) -> None:
    """The page promised a camera that nobody had, and the host's own name was not among the players."""
    phones.lan = headless.url
    taps, host = Taps(), phones.open()
    host.goto(headless.invite()["link"])
    host.locator("input[name=name]").fill("Aki")
    taps.tap(host.get_by_role("button", name="Continue"))
    host.wait_for_url("**/tables")
    expect(host.locator("input[name=player-1]")).to_have_value("Aki")
    assert "camera" not in host.locator(".lobby").inner_text()
    taps.tap(host.get_by_role("button", name="Open the table"))
    host.wait_for_url("**/seat/1")
    expect(host.locator(".turn")).to_have_text("Deal the cards, then tap “Enter the deal”.")
    expect(host.locator("[data-table-code] img")).to_be_visible()
    taps.tap(host.get_by_role("button", name="Enter the deal"))
    host.locator(".deal [data-card=pine-crane]").tap()
    expect(host.locator(".dealt-field .face")).to_have_count(1)
    assert len(taps.done) + 1 == 4


def test_one_code_brings_players_to_free_seats_and_others_to_watch(
    headless: Headless, phones: Phones
) -> None:
    """ "Others join here" led to a page that said to scan the code that had just been scanned."""
    phones.lan = headless.url
    host, player, watcher = phones.open(), phones.open(), phones.open()
    host.goto(headless.invite()["link"])
    host.get_by_role("button", name="Continue").tap()
    host.wait_for_url("**/tables")
    host.get_by_role("button", name="Open the table").tap()
    host.wait_for_url("**/t/*")
    link = host.locator("[data-table-code] [data-link]").get_attribute("data-link")
    assert link
    for guest in (player, watcher):
        guest.goto(link)
        expect(guest.get_by_role("heading", name="Who are you?")).to_be_visible()
    player.locator("[data-sit='1']").tap()
    player.wait_for_url("**/seat/1")
    expect(host.locator("[data-seat='1'][data-taken=yes]")).to_be_visible()
    watcher.locator("[data-sit='1']").tap()  # the page still offers it
    expect(watcher.get_by_role("alert")).to_contain_text("Another phone has this seat")
    expect(watcher.locator("[data-sit='1']")).to_be_disabled()
    watcher.locator("[data-watch]").tap()
    expect(watcher.locator(".thumb.watching")).to_be_visible()
    assert me(watcher)["role"] == "viewer"
    # Who watches may sit down later, and who sat down wrongly may choose again.
    watcher.get_by_role("link", name="Take a seat").tap()
    watcher.locator("[data-sit='2']").tap()
    watcher.wait_for_url("**/seat/2")
    expect(host.locator(".seating")).to_have_count(0)
    player.goto(f"{headless.url}join")
    player.get_by_role("button", name="Choose another seat").tap()
    expect(player.locator("[data-sit='2']")).to_be_disabled()
    player.locator("[data-sit='1']").tap()
    player.wait_for_url("**/seat/1")


def test_the_hosts_link_works_once(headless: Headless, phones: Phones) -> None:
    """Whoever photographed the terminal could become a host at any later time."""
    phones.lan = headless.url
    link = headless.invite()["link"]
    first, second = phones.open(), phones.open()
    first.goto(link)
    expect(first.get_by_role("heading", name="This phone is a host now")).to_be_visible()
    assert "#" not in first.url
    second.goto(link)
    expect(second.get_by_role("alert")).to_contain_text("used already or has expired")
    assert me(second)["role"] == "viewer"
    # The phone that used it can open the link again.
    first.goto(link)
    first.get_by_role("link", name="Continue").tap()
    first.wait_for_url("**/tables")


def test_fetching_the_link_burns_nothing(headless: Headless, phones: Phones) -> None:
    """A messenger that previewed a link used it up before its recipient could open it."""
    phones.lan = headless.url
    link = headless.invite()["link"]
    for _ in range(2):
        with urlopen(link, timeout=10) as answer:
            assert answer.status == 200
    page = phones.open()
    page.goto(link)
    expect(page.get_by_role("heading", name="This phone is a host now")).to_be_visible()
    page.locator("input[name=name]").fill("Aki")
    page.get_by_role("button", name="Continue").tap()
    page.wait_for_url("**/tables")
    assert me(page)["name"] == "Aki"


def test_the_code_reaches_no_server_but_in_the_body(headless: Headless, phones: Phones) -> None:
    """Codes were in the address, so they were in a proxy's access log and in the Referer of the page's requests."""
    phones.lan = headless.url
    link = headless.invite()["link"]
    code = link.partition("#code=")[2]
    page = phones.open()
    sent: list[str] = []
    page.on(
        "request",
        lambda request: sent.append(f"{request.url.partition('#')[0]} {json.dumps(request.headers)}"),
    )
    page.goto(link)
    expect(page.get_by_role("heading", name="This phone is a host now")).to_be_visible()
    assert sent
    assert not [each for each in sent if code in each]


def test_viewers_see_how_to_keep_score(headless: Headless, phones: Phones) -> None:
    """A viewer filled in the whole form of a table and was then asked for a PIN that no page displays."""
    phones.lan = headless.url
    page = phones.open()
    page.goto(f"{headless.url}tables")
    panel = page.locator(".watching-only")
    expect(panel).to_contain_text("This phone can only watch")
    expect(panel).to_contain_text("companion invite")
    expect(page.get_by_role("button", name="Open the table")).to_have_count(0)
    assert "PIN that the host" not in page.locator("body").inner_text()
    # The alternative: the PIN that the same command prints.
    panel.get_by_role("link", name="Join with a PIN").tap()
    page.locator("input[name=pin]").fill(headless.invite()["pin"])
    page.get_by_role("button", name="Join").tap()
    page.get_by_role("button", name="Continue").tap()
    page.wait_for_url("**/tables")
    expect(page.get_by_role("button", name="Open the table")).to_be_visible()


def test_a_host_passes_the_role_on_and_removes_phones(headless: Headless, phones: Phones) -> None:
    """The role could not be passed on, and a removed phone kept its access until its page was reloaded."""
    phones.lan = headless.url
    host, guest = phones.open(), phones.open()
    host.goto(headless.invite("--name", "Host A")["link"])
    host.wait_for_url("**/tables")
    opened = host.evaluate(
        "fetch('/api/tables', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        " body: JSON.stringify({game: 'koikoi', players: ['Aya', 'Bo']})}).then((answer) => answer.json())"
    )
    guest.goto(headless.invite("--seat", "2", "--table", opened["id"], "--name", "Guest B")["link"])
    guest.wait_for_url(f"**/t/{opened['id']}/seat/2")
    host.goto(f"{headless.url}t/{opened['id']}/host")
    row = host.locator("[data-pairing]", has_text="Guest B")
    expect(row).to_contain_text("last seen")
    assert row.locator("select").bounding_box()["height"] >= TARGET_PX
    row.locator("select").select_option("host")
    expect(host.locator("[data-pairing=host]", has_text="Guest B")).to_be_visible()
    guest.goto(f"{headless.url}t/{opened['id']}/host")
    expect(guest.locator(".people")).to_be_visible()
    # The stream of the open page ends, which tells the page its new role.
    host.get_by_role("button", name="Remove: Guest B").tap()
    host.get_by_role("button", name="Remove", exact=True).tap()
    expect(host.locator("[data-pairing]", has_text="Guest B")).to_have_count(0)
    expect(guest.locator(".people")).to_have_count(0)
    expect(guest.locator(".watching-only")).to_be_visible()
    host.get_by_role("button", name="Remove all others").tap()
    host.get_by_role("button", name="Remove", exact=True).tap()
    expect(host.locator("[data-pairing]")).to_have_count(1)
    expect(host.locator("[data-pairing]")).to_contain_text("Host A")


def test_a_camera_gets_a_token_with_its_command(headless: Headless, phones: Phones) -> None:
    """The page displayed a PIN for a program that accepts no PIN."""
    phones.lan = headless.url
    host = phones.open()
    host.goto(headless.invite("--name", "Host C")["link"])
    host.wait_for_url("**/tables")
    host.locator("[data-invite=camera]").tap()
    expect(host.locator(".token")).to_contain_text("COMPANION_TOKEN=")
    expect(host.locator(".token")).to_contain_text("companion watch 0 --table")
    host.keyboard.press("Escape")
    expect(host.locator("[data-pairing=camera]")).to_be_visible()
