"""The pages for devices and tags, with simulated devices on real ports and the real device process."""

from __future__ import annotations

import json
import re
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from companion.net.client import Client

from .conftest import PHONE, Phones, Server
from .test_every_page import ALL_TEXTS, NAMELESS, SIDEWAYS, SMALL_TARGETS

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no ptys for the simulated devices"
)

DESK = {"viewport": {"width": 1280, "height": 800}, "is_mobile": False, "has_touch": False}
#: A device is detected, reported and displayed in about a second; longer on a busy machine.
DEVICE_MS = 45_000
ELSEWHERE = {"X-Forwarded-For": "192.0.2.7"}


@pytest.fixture(scope="module")
def running(picture: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of this file."""
    server = Server(tmp_path_factory.mktemp("devices"), str(picture.with_suffix(".json")))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def server(running: Server) -> Server:
    """The server with an empty data folder."""
    set_up(running)
    for pack in ("hanafuda", "kabufuda"):
        call(running, "PUT", f"/api/decks/{pack}/tags", {"tags": {}})
    return running


@pytest.fixture
def ports(server: Server, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Simulated devices that are plugged in, by their port names, and the device process."""
    from hardware.simulators.simulated_box import SimulatedBox  # noqa: PLC0415  # needs ptys
    from hardware.simulators.simulated_port import SimulatedPort  # noqa: PLC0415
    from hardware.simulators.simulated_readers import SimulatedRdm6300  # noqa: PLC0415
    from hardware.worker.device_worker import DeviceWorker  # noqa: PLC0415

    stop = threading.Event()
    with ExitStack() as plugs:
        client = plugs.enter_context(Client(server.url))
        worker = threading.Thread(target=DeviceWorker(client, list_ports=list).run, args=(stop,))
        plugged = {
            str(tmp_path / "reader"): plugs.enter_context(
                SimulatedPort(SimulatedRdm6300(), tmp_path / "reader")
            ),
            str(tmp_path / "box"): plugs.enter_context(SimulatedPort(SimulatedBox(), tmp_path / "box")),
        }
        worker.start()
        yield plugged
        stop.set()
        worker.join()


def call(server: Server, method: str, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(
        server.url + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def set_up(server: Server, *devices: dict[str, Any]) -> None:
    revision = call(server, "GET", "/api/devices")["revision"]
    call(server, "PUT", "/api/devices", {"revision": revision, "devices": list(devices)})


def act(plug: Any, *words: str) -> None:
    with plug.lock:
        plug.device.act(*words)


def reader(ports: dict[str, Any]) -> dict[str, Any]:
    return {"name": "tray-1", "driver": "rdm6300", "port": next(iter(ports)), "place": "captured-1"}


def box(ports: dict[str, Any]) -> dict[str, Any]:
    return {"name": "box", "driver": "button-box", "port": list(ports)[1], "seat": 2}


def card(page: Page, name: str) -> Any:
    return page.locator(f'[data-device="{name}"]')


def test_a_device_is_added_tried_pulled_changed_and_removed(
    server: Server, ports: dict[str, Any], phone: Page
) -> None:
    port, plug = list(ports.items())[1]
    phone.goto(f"{server.url}/decks")
    phone.get_by_role("link", name="Devices").click()
    expect(phone.get_by_text("Nothing is plugged in yet")).to_be_visible()

    phone.get_by_role("button", name="Add a device").click()
    phone.get_by_label("Another path or address").check()
    phone.locator("[name=other-port]").fill(port)
    phone.locator('[data-driver="button-box"]').click()
    phone.locator("[name=seat]").select_option("2")
    expect(phone.locator("[name=name]")).to_have_value("button-box")
    phone.locator("[name=name]").fill("Bens-box")
    phone.get_by_role("button", name="Add", exact=True).click()
    there = card(phone, "Bens-box")
    expect(there.locator(".lamp")).to_have_text("Ready", timeout=DEVICE_MS)
    expect(there.locator(".device-where")).to_contain_text("Seat 2")
    expect(phone.locator(".worker")).to_have_text("Connected to the devices", timeout=DEVICE_MS)

    there.get_by_role("button", name="Blink light 2").click()
    expect(there.get_by_role("status")).to_have_text("Look at its lights.")
    there.get_by_label("Text to show").fill("GOOD EVENING")
    there.get_by_role("button", name="Show", exact=True).click()
    expect(there.get_by_role("status")).to_have_text("Look at its display.")
    there.get_by_text("Details").click()
    expect(there.locator(".frames li").first).not_to_be_empty(timeout=DEVICE_MS)

    plug.pull()
    expect(there.locator(".lamp")).to_have_text("Not plugged in", timeout=DEVICE_MS)
    plug.plug()
    expect(there.locator(".lamp")).to_have_text("Ready", timeout=DEVICE_MS)

    there.get_by_role("button", name="Change: Bens-box").click()
    phone.locator("[name=seat]").select_option("1")
    phone.get_by_role("button", name="Save", exact=True).click()
    expect(there.locator(".device-where")).to_contain_text("Seat 1")

    there.get_by_role("switch").uncheck()
    expect(there.locator(".lamp")).to_have_text("Switched off", timeout=DEVICE_MS)
    there.get_by_role("button", name="Remove: Bens-box").click()
    phone.locator(".dialog .danger").click()
    expect(phone.get_by_text("Nothing is plugged in yet")).to_be_visible()
    assert call(server, "GET", "/api/devices")["devices"] == []


def test_lights_and_words_arrive_at_the_device(server: Server, ports: dict[str, Any], phone: Page) -> None:
    set_up(server, box(ports))
    plug = list(ports.values())[1]
    phone.goto(f"{server.url}/devices")
    there = card(phone, "box")
    there.get_by_role("button", name="Blink light 3").click()
    wait(phone, lambda: plug.device.lights.get("3") not in {None, "off", "OFF", "0"})
    there.get_by_label("Text to show").fill("GOOD EVENING")
    there.get_by_role("button", name="Show", exact=True).click()
    wait(phone, lambda: "GOOD EVENING" in " ".join(plug.device.shows()))


def wait(page: Page, until: Callable[[], bool]) -> None:
    """Wait for something outside the page."""
    for _ in range(400):
        if until():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it never happened")


def test_errors_are_in_the_pages_language(server: Server, ports: dict[str, Any], phones: Phones) -> None:
    removed = {"name": "gone", "driver": "pn532", "port": "socket://127.0.0.1:9"}
    set_up(server, {**reader(ports), "driver": "pn532"}, removed)
    page = phones.open("ja-JP")
    page.goto(f"{server.url}/devices")
    expect(card(page, "gone").locator(".device-why")).to_contain_text("に接続できません", timeout=DEVICE_MS)
    expect(card(page, "tray-1").locator(".device-why")).to_contain_text(
        "機器が応答しません", timeout=DEVICE_MS
    )
    text = page.evaluate(ALL_TEXTS)
    assert "Not plugged in" not in text
    assert "check its power" not in text


def test_somebody_else_changed_them_meanwhile(server: Server, ports: dict[str, Any], phone: Page) -> None:
    set_up(server, reader(ports))
    phone.goto(f"{server.url}/devices")
    there = card(phone, "tray-1")
    expect(there.locator(".lamp")).to_have_text("Ready", timeout=DEVICE_MS)
    phone.get_by_role("button", name="Change: tray-1").click()
    phone.locator("[name=name]").fill("box")
    set_up(server, reader(ports), box(ports))
    phone.get_by_role("button", name="Save", exact=True).click()
    expect(phone.locator(".dialog .notice")).to_be_visible()
    phone.locator("[name=name]").fill("tray-one")
    phone.get_by_role("button", name="Save", exact=True).click()
    expect(card(phone, "tray-one")).to_be_visible()
    expect(card(phone, "box")).to_be_visible()


def test_only_the_host_can_change_devices(server: Server, ports: dict[str, Any], phones: Phones) -> None:
    set_up(server, reader(ports))
    page = phones.open(extra_http_headers=ELSEWHERE)
    page.goto(f"{server.url}/devices")
    expect(page).to_have_url(f"{server.url}/join?to=%2Fdevices")
    code = call(server, "POST", "/api/pairings", {"role": "scorer", "name": "Aki"})["code"]
    assert page.request.post(f"{server.url}/api/pair", data={"code": code}, headers=ELSEWHERE).ok
    page.goto(f"{server.url}/devices")
    expect(card(page, "tray-1").locator(".lamp")).to_have_text("Ready", timeout=DEVICE_MS)
    expect(page.get_by_text("Only the host can change devices")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)


# --- tags


def place(page: Page, name: str) -> Any:
    return page.locator(f'.tag-place[data-card="{name}"]')


def tags(server: Server) -> dict[str, str]:
    reported: dict[str, str] = call(server, "GET", "/api/decks/hanafuda/tags")["tags"]
    return reported


def test_tap_scan_and_the_next_card_is_up(server: Server, ports: dict[str, Any], phone: Page) -> None:
    set_up(server, reader(ports))
    plug = next(iter(ports.values()))
    phone.goto(f"{server.url}/decks/hanafuda/tags")
    expect(phone.locator(".tag-place")).to_have_count(48)
    place(phone, "pine-crane").click()
    expect(phone.locator(".readers")).to_contain_text("tray-1", timeout=DEVICE_MS)

    act(plug, "put", "01020304AA")
    expect(phone.locator(".pairing h2")).to_have_text(
        "Now scan the tag of Pine Poetry Ribbon", timeout=DEVICE_MS
    )
    expect(place(phone, "pine-crane")).to_have_class(re.compile(r"\bpaired struck\b"))
    act(plug, "take", "01020304AA")
    act(plug, "put", "01020304BB")
    expect(phone.locator(".pairing h2")).to_have_text("Now scan the tag of Pine Chaff", timeout=DEVICE_MS)
    expect(phone.get_by_text("2 of 48 cards have a tag")).to_be_visible()
    assert tags(server) == {"01020304AA": "pine-crane", "01020304BB": "pine-ribbon"}

    call(server, "POST", "/api/decks/hanafuda/tags", {"uid": "01020304CC", "card": "pine-crane"})
    act(plug, "take", "01020304BB")
    act(plug, "put", "01020304CC")
    expect(phone.get_by_role("heading", name="This tag is Crane and Sun")).to_be_visible()
    phone.get_by_role("button", name="Keep it").click()
    expect(phone.locator(".pairing h2")).to_have_text("Now scan the tag of Pine Chaff")
    assert tags(server)["01020304CC"] == "pine-crane"


def test_a_scanner_that_types_pairs_moves_and_asks_whose_a_tag_is(server: Server, phones: Phones) -> None:
    page = phones.open(**DESK)
    page.clock.install()
    page.goto(f"{server.url}/decks/hanafuda/tags")
    expect(page.get_by_role("heading", name="Which card first?")).to_be_visible()

    def typed(text: str) -> None:
        # A scanner types faster than this test can on a busy machine, so the page's clock is stopped
        # meanwhile.
        page.clock.pause_at(page.evaluate("Date.now() / 1000") + 30)
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        page.clock.resume()

    typed("0012345678")
    expect(page.get_by_role("heading", name="Whose tag is this?")).to_be_visible()
    place(page, "maple-deer").click()
    expect(place(page, "maple-deer").locator(".tag-mark")).to_have_text("✓")

    page.get_by_role("button", name="Undo").click()
    expect(place(page, "maple-deer").locator(".tag-mark")).to_have_count(0)
    assert tags(server) == {}
    typed("0012345678")
    expect(place(page, "maple-deer").locator(".tag-mark")).to_have_text("✓")

    place(page, "maple-deer").click()  # a second tag for it, while its button is focused
    expect(page.locator(".pairing h2")).to_have_text("Now scan the tag of Deer")
    typed("0012345679")
    expect(place(page, "maple-deer").locator(".tag-mark")).to_have_text("2")
    expect(page.locator(".pairing h2")).to_have_text("Now scan the tag of Maple Blue Ribbon")

    typed("0012345679")
    page.get_by_role("button", name="Move it").click()
    page.get_by_role("button", name="Undo").click()
    expect(place(page, "maple-deer").locator(".tag-mark")).to_have_text("2")
    typed("0012345679")
    page.get_by_role("button", name="Move it").click()
    expect(place(page, "maple-ribbon").locator(".tag-mark")).to_have_text("✓")
    assert tags(server) == {"0012345678": "maple-deer", "0012345679": "maple-ribbon"}

    typed("hanafuda:pine-crane")
    expect(page.locator(".feedback")).to_have_text(
        "This sticker already names Crane and Sun, so it needs no pairing."
    )
    place(page, "maple-deer").click()
    page.get_by_role("button", name="Remove: 0012345678").click()
    expect(place(page, "maple-deer").locator(".tag-mark")).to_have_count(0)
    page.get_by_text("Enter the number").click()
    page.get_by_label("Tag number").fill("04:a1:b2:c3")
    page.get_by_role("button", name="Pair", exact=True).click()
    expect(place(page, "maple-deer").locator(".tag-mark")).to_have_text("✓")
    assert tags(server) == {"0012345679": "maple-ribbon", "04A1B2C3": "maple-deer"}


def test_the_last_card_ends_it(server: Server, phone: Page) -> None:
    cards = [each["id"] for each in call(server, "GET", "/api/cards?pack=kabufuda")["cards"]]
    kabufuda_tags = {f"{number:08X}": name for number, name in enumerate(cards[1:])}
    call(server, "PUT", "/api/decks/kabufuda/tags", {"tags": kabufuda_tags})
    phone.goto(f"{server.url}/decks/kabufuda/tags")
    phone.get_by_role("button", name="Begin with").click()
    phone.keyboard.type("FFFFFFFF\n")
    expect(phone.get_by_text("40 of 40 cards have a tag")).to_be_visible()
    expect(phone.locator(".feedback")).to_contain_text("and so does every other card")


def test_stickers_are_had_as_a_file(server: Server, phone: Page) -> None:
    phone.goto(f"{server.url}/decks/hanafuda/tags")
    phone.locator("[name=kind]").select_option("datamatrix")
    with phone.expect_download() as started:
        phone.get_by_role("link", name="PDF to print").click()
    assert started.value.suggested_filename == "stickers-hanafuda.pdf"
    assert Path(started.value.path()).read_bytes().startswith(b"%PDF-")


def test_a_deck_that_is_not_here(server: Server, phone: Page) -> None:
    phone.goto(f"{server.url}/decks/nix/tags")
    expect(phone.get_by_role("alert")).to_contain_text("no deck called nix")


# --- layout


@pytest.mark.parametrize("locale", ["en-GB", "ja-JP"])
def test_everything_fits_can_be_tapped_and_has_a_name(
    server: Server, ports: dict[str, Any], phones: Phones, locale: str
) -> None:
    names = {"en-GB": "Ready", "ja-JP": "使えます"}
    set_up(
        server,
        reader(ports),
        box(ports),
        {"name": "away", "driver": "gm65", "port": "socket://127.0.0.1:9", "place": "any"},
    )
    page = phones.open(locale)

    def check(station: str) -> None:
        for width in (320, DESK["viewport"]["width"], PHONE["width"]):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(SIDEWAYS, width)[:12] == [], (station, width)
            assert page.evaluate(SMALL_TARGETS) == [], (station, width)
        assert page.evaluate(NAMELESS) == [], station

    page.goto(f"{server.url}/devices")
    expect(card(page, "box").locator(".lamp")).to_have_text(names[locale], timeout=DEVICE_MS)
    card(page, "box").locator("summary").click()
    check("devices")
    page.locator(".devices-head .button").click()
    page.locator('[data-driver="serlcd"]').click()
    expect(page.locator("[name=font]")).to_be_visible()
    check("form")
    page.goto(f"{server.url}/decks/hanafuda/tags")
    place(page, "iris-bridge").click()
    expect(page.locator(".readers")).to_contain_text("tray-1", timeout=DEVICE_MS)
    page.locator(".by-hand summary").click()
    check("tags")
