"""The host's page: the camera picture, zones that are moved and stored, pairings, and control of rounds."""

from __future__ import annotations

import json
import re
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from .conftest import Phones, Server
from .live import ELSEWHERE, LiveTable, round_where, says
from .screens import screen
from .table import Table

SIZE = (810, 610)
FIELD = [[200, 200], [600, 200], [600, 400], [200, 400]]
STALE_S = 42.0


@pytest.fixture
def opened(house: Server) -> LiveTable:
    return LiveTable.open(house.url, round_where(lambda played: bool(says(played, "stop"))))


def _camera(state: str = "watching", **more: Any) -> dict[str, Any]:
    """A camera's status report."""
    return {
        "state": state,
        "fps": 9.7,
        "size": list(SIZE),
        "source": "/dev/video0",
        "quads": [
            {"key": 1, "card": "pine-crane", "quad": [[40, 40], [190, 40], [190, 285], [40, 285]]},
            {"key": 2, "card": None, "quad": [[230, 40], [380, 40], [380, 285], [230, 285]]},
        ],
        "zones": [
            {"zone": "field", "polygon": FIELD},
            {"zone": "captured-1", "polygon": [[20, 450], [780, 450], [780, 600], [20, 600]]},
        ],
        "more": {},
        **more,
    }


def report(table: LiveTable, state: dict[str, Any], jpeg: bytes) -> None:
    """Send what a camera worker sends."""
    edge = "edge"
    body = b"".join(
        (
            f'--{edge}\r\nContent-Disposition: form-data; name="state"\r\n\r\n{json.dumps(state)}\r\n'.encode(),
            f'--{edge}\r\nContent-Disposition: form-data; name="frame"; filename="frame.jpg"\r\n'.encode(),
            b"Content-Type: image/jpeg\r\n\r\n" + jpeg + f"\r\n--{edge}--\r\n".encode(),
        )
    )
    asked = urllib.request.Request(
        f"{table.url}/api/tables/{table.id}/camera",
        body,
        {"Content-Type": f"multipart/form-data; boundary={edge}"},
    )
    urllib.request.urlopen(asked, timeout=10).close()


@pytest.fixture
def host(opened: LiveTable, phones: Phones, table: Table) -> Page:
    """The host's page with a camera that has just reported."""
    report(opened, _camera(), table.jpeg)
    page = screen(phones, "laptop")
    page.goto(f"{opened.page}/host")
    expect(page.locator(".camera-picture")).to_be_visible()
    return page


def test_the_camera_is_seen_with_its_cards_zones_and_age(host: Page) -> None:
    expect(host.locator(".seen")).to_have_count(2)
    expect(host.locator(".seen.unnamed")).to_have_count(1)
    expect(host.locator(".seen-name")).to_contain_text("Crane")
    expect(host.locator(".zone-name")).to_have_text(["Field", "Aya: captured"])
    expect(host.locator(".lamp")).to_have_text("Watching")
    expect(host.locator("[data-age]")).to_have_text(re.compile(r"picture \d+(\.\d)? s old"))
    expect(host.locator("[data-health=camera]")).to_contain_text("/dev/video0")


def _corner(page: Page, number: int) -> tuple[float, float]:
    box = page.locator(f"[data-corner='{number}']").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _polygon(page: Page) -> list[list[float]]:
    reported = page.locator("[data-zone=field] polygon").get_attribute("points")
    assert reported
    return [[float(each) for each in point.split(",")] for point in reported.split()]


def test_a_dragged_corner_is_remembered(host: Page, opened: LiveTable) -> None:
    host.get_by_role("button", name="Adjust the zones").click()
    host.locator(".adjust [data-zone=field]").click()
    x, y = _corner(host, 2)
    picture = host.locator(".camera-picture").bounding_box()
    assert picture
    scale = SIZE[0] / picture["width"]
    host.mouse.move(x, y)
    host.mouse.down()
    host.mouse.move(x + 30, y + 20, steps=4)
    host.mouse.up()
    expect(host.locator("[data-kept=kept]")).to_be_visible()
    wanted = [600 + 30 * scale, 400 + 20 * scale]
    host.reload()
    expect(host.locator(".camera-picture")).to_be_visible()
    expect(host.locator("[data-zone=field] polygon")).to_be_visible()
    expect(host.locator("[data-zone=field] polygon")).not_to_have_attribute("points", re.compile("600,400"))
    moved = _polygon(host)
    assert moved[2] == pytest.approx(wanted, abs=1.5)
    assert [moved[i] for i in (0, 1, 3)] == [FIELD[i] for i in (0, 1, 3)]
    other = host.locator("[data-zone='captured-1'] polygon").get_attribute("points")
    assert other == "20,450 780,450 780,600 20,600"


def test_corners_go_by_arrow_keys_and_back_to_the_default(host: Page) -> None:
    host.get_by_role("button", name="Adjust the zones").click()
    corner = host.get_by_role("button", name="Field, corner 1")
    corner.press("ArrowRight")
    corner.press("Shift+ArrowDown")
    expect(host.locator("[data-kept=kept]")).to_be_visible()
    assert _polygon(host)[0] == [204, 224]
    host.get_by_role("button", name="Reset to default").click()
    host.wait_for_function(
        "document.querySelector('[data-zone=field] polygon').getAttribute('points').startsWith('200,200')"
    )


def test_a_zone_goes_no_further_than_the_picture(host: Page) -> None:
    host.get_by_role("button", name="Adjust the zones").click()
    corner = host.get_by_role("button", name="Field, corner 1")
    for _ in range(12):
        corner.press("Shift+ArrowLeft")
    assert _polygon(host)[0][0] == 0


def test_states_are_displayed_as_text(opened: LiveTable, phones: Phones) -> None:
    page = screen(phones, "laptop")
    reported = {"state": "starting", "age": 0.1, "picture_age": None, "message": ""}
    page.route("**/camera", lambda route: route.fulfill(json=reported))
    page.goto(f"{opened.page}/host")
    for state, words in (
        ("starting", "Starting"),
        ("hands", "A hand is in the picture"),
        ("failed", "The camera isn’t working"),
        ("silent", "The camera isn’t responding"),
        ("absent", "No camera"),
    ):
        reported |= {"state": state, "message": "Look at the cable." * (state == "failed")}
        expect(page.locator(".lamp")).to_have_text(words)
        expect(page.locator(".no-picture")).to_be_visible()
        if state == "failed":
            expect(page.locator(".camera-message")).to_have_text("Look at the cable.")


def test_a_phone_that_has_left_can_be_replaced(opened: LiveTable, phones: Phones) -> None:
    page = screen(phones, "laptop")
    left = {"state": "ended", "source": "phone", "age": 30.0, "picture_age": None, "message": None}
    page.route("**/camera", lambda route: route.fulfill(json=left))
    page.goto(opened.page)
    banner = page.locator(".camera-failed")
    expect(banner).to_contain_text("The phone no longer watches this table")
    banner.get_by_role("button", name="Use a phone as the camera").click()
    expect(page.locator(".camera-invite [data-link]")).to_be_visible()
    page.keyboard.press("Escape")
    banner.get_by_role("button", name="OK").click()
    expect(banner).to_have_count(0)


def test_an_old_picture_is_marked(opened: LiveTable, phones: Phones, table: Table) -> None:
    def old(route: Route) -> None:
        route.fulfill(body=table.jpeg, content_type="image/jpeg", headers={"X-Picture-Age": str(STALE_S)})

    page = screen(phones, "laptop")
    page.route("**/camera.jpg", old)
    page.goto(f"{opened.page}/host")
    expect(page.locator(".camera-picture.stale")).to_be_visible()
    expect(page.locator(".stale-mark")).to_contain_text(f"{STALE_S:.0f} seconds old")


def test_what_is_saved_is_asked_of_the_log(opened: LiveTable, host: Page) -> None:
    saved = host.locator("[data-health=log].good")
    expect(saved).to_contain_text("entry 1 saved")
    opened.deal()
    expect(saved).to_contain_text("entry 2 saved")
    log = {"seq": 2, "saved": "", "age": 7000.0, "fault": "the log could not be written (disk full)"}
    host.route(
        "**/health",
        lambda route: route.fulfill(json={"log": log, "camera": "absent", "worker": None, "notices": []}),
    )
    host.reload()
    expect(host.locator("[data-health=log].bad")).to_contain_text("free up disk space")


def test_a_phone_is_let_in_by_its_pin_and_removed_again(house: Server, host: Page, phones: Phones) -> None:
    code = host.locator("[data-table-code]")
    pin = code.locator("[data-pin]").get_attribute("data-pin")
    assert pin
    assert code.locator(".join-code").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    guest = phones.open(extra_http_headers=ELSEWHERE)
    guest.goto(f"{house.url}/join")
    guest.locator("input[name=pin]").fill(pin)
    guest.get_by_role("button", name="Join").click()
    guest.locator("[data-sit='2']").click()
    guest.wait_for_url("**/seat/2")
    expect(host.locator("[data-seat='2'][data-taken=yes]")).to_be_visible()
    paired = host.locator("[data-pairing=scorer]")
    expect(paired.locator("option:checked")).to_have_text("Player: Bo")
    expect(paired).to_contain_text("last seen")
    paired.get_by_role("button", name="Remove").click()
    host.get_by_role("button", name="Remove", exact=True).click()
    expect(paired).to_have_count(0)
    assert guest.evaluate("fetch('/api/me').then((answer) => answer.json())")["role"] == "viewer"


def test_players_are_swapped_and_the_points_stay(
    house: Server, host: Page, opened: LiveTable, phones: Phones
) -> None:
    """Names that were typed for the wrong seats could not be put right."""
    guest = phones.open(extra_http_headers=ELSEWHERE)
    invited = opened.asked("/api/pairings", {"role": "scorer", "seat": 1, "table": opened.id, "name": "Aya"})
    guest.goto(house.url + invited["path"])
    guest.wait_for_url("**/seat/1")
    opened.deal()
    opened.play()
    points = opened.state()["night"]["points"]
    assert points[0] != points[1]
    host.locator("[data-swap='2']").click()
    expect(host.locator(".seating [data-seat='1']")).to_contain_text("Bo")
    expect(host.locator(".seating [data-seat='2'][data-taken=yes]")).to_contain_text("Aya")
    state = opened.state()
    assert [each["name"] for each in state["table"]["players"]] == ["Bo", "Aya"]
    assert state["night"]["points"] == points
    guest.wait_for_url("**/seat/2")
    assert guest.evaluate("fetch('/api/me').then((answer) => answer.json())")["seat"] == 2


def test_an_open_invitation_is_listed_and_withdrawn(house: Server, host: Page, phones: Phones) -> None:
    """Nobody could see which invitations were open."""
    pin = host.locator("[data-table-code] [data-pin]").get_attribute("data-pin")
    count = len(host.request.get(f"{house.url}/api/pairings").json()["invitations"])
    expect(host.locator("[data-invitation]")).to_have_count(count)
    invitation = host.locator("[data-invitation=viewer]").last
    expect(invitation).to_contain_text("Seats · 50 ×")
    expect(invitation).to_contain_text("by the program’s machine, until Today")
    invitation.get_by_role("button", name="Remove: Seats").click()
    expect(host.locator("[data-invitation]")).to_have_count(count - 1)
    guest = phones.open(extra_http_headers=ELSEWHERE)
    guest.goto(f"{house.url}/join")
    guest.locator("input[name=pin]").fill(str(pin))
    guest.get_by_role("button", name="Join").click()
    expect(guest.locator(".refused")).to_be_visible()


def test_a_host_reads_that_pins_are_paused_and_codes_work(host: Page) -> None:
    """PINs were refused because somebody was guessing, and the page still displayed them."""

    def paused(route: Route) -> None:
        if route.request.method == "GET":
            route.fulfill(json={"pairings": [], "invitations": [], "pins_paused": 300, "read": "everyone"})
        else:
            route.continue_()

    host.route("**/api/pairings", paused)
    host.reload()
    expect(host.locator(".people .banner")).to_contain_text("PINs are paused for 5 min. QR codes still work.")
    expect(host.locator("[data-table-code] .join-code")).to_be_visible()
    expect(host.locator("[data-pin]")).to_have_count(0)


def test_a_round_is_given_up_and_that_taken_back(opened: LiveTable, host: Page) -> None:
    opened.deal()
    host.get_by_role("button", name="Abandon the round").click()
    host.locator("dialog").get_by_role("button", name="Abandon the round").click()
    expect(host.get_by_role("button", name="Enter the deal")).to_be_visible()
    assert opened.state()["round"] is None
    host.get_by_role("button", name="Undo").click()
    expect(host.get_by_role("button", name="Abandon the round")).to_be_visible()
    assert opened.state()["round"]["number"] == 1


def test_viewers_have_no_buttons(opened: LiveTable, phones: Phones, table: Table) -> None:
    report(opened, _camera(), table.jpeg)
    page = screen(phones, "laptop", extra_http_headers=ELSEWHERE)
    page.goto(f"{opened.page}/host")
    expect(
        page.locator(".no-picture")
    ).to_be_visible()  # the camera's picture shows the home: only for paired phones
    expect(page.locator(".watching-only")).to_be_visible()
    for name in ("Adjust the zones", "Enter the deal"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    expect(page.locator(".people")).to_have_count(0)


def test_in_japanese_on_a_phone(opened: LiveTable, phones: Phones, table: Table) -> None:
    report(opened, _camera(more={"recording": "/tmp/frames"}), table.jpeg)
    page = phones.open(locale="ja-JP")
    page.goto(f"{opened.page}/host")
    expect(page.locator(".lamp")).to_have_text("見ています")
    expect(page.locator("[data-health=recording]")).to_contain_text("/tmp/frames")
    page.get_by_role("button", name="置き場所を調整").tap()
    expect(page.locator(".corner")).to_have_count(4)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_phone_in_use_was_not_seen_last_at_some_time(
    house: Server, opened: LiveTable, phones: Phones
) -> None:
    """The host's own phone was “last seen” hours ago."""
    page = phones.open(extra_http_headers=ELSEWHERE)
    asked = urllib.request.Request(
        f"{house.url}/api/pairings",
        json.dumps({"role": "host"}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked, timeout=20) as answer:
        page.goto(house.url + json.load(answer)["path"])
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/tables")
    page.goto(f"{opened.page}/host")
    own = page.locator("[data-pairing=host]").filter(has_text="(this phone)")
    expect(own).to_be_visible()
    expect(own).not_to_contain_text("last seen")
    expect(own.locator(".paired-seen")).to_be_empty()
