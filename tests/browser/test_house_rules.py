"""House rules in the browser: listed, changed, refused with the reason, saved, shared, renamed, deleted, played by."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import Phones, Server
from .test_every_page import ALL_TEXTS, NAMELESS, SIDEWAYS, SMALL_TARGETS

TOY = Path(__file__).parents[1] / "toy_game"


def rules_of(server: Server, name: str) -> dict:
    with urllib.request.urlopen(f"{server.url}/api/rules/{name}") as answer:
        return json.load(answer)


def open_section(page: Page, option: str) -> None:
    page.locator("details.rules-card", has=page.locator(f"[data-option={option}]")).locator("summary").click()


def make(page: Page, server: Server, name: str) -> None:
    """Make rules of Koi-Koi in which three brights pay 50 points, and save them."""
    page.goto(f"{server.url}/rules")
    page.locator("[data-game=koikoi] a.button").click()
    open_section(page, "three_brights")
    page.locator("[name=three_brights]").fill("50")
    page.locator(".rules-save [name=name]").fill(name)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_rules_are_made_and_an_evening_starts_by_them(house: Server, phone: Page) -> None:
    phone.goto(house.url)
    phone.get_by_role("link", name="House rules").click()
    make(phone, house, "Made here")
    assert rules_of(house, "Made%20here")["changes"] == {"three_brights": 50}
    phone.get_by_role("link", name="Open a table with these rules").click()
    expect(phone.locator("select[name=rules]")).to_have_value("Made here")
    phone.locator(".open-table button[type=submit]").click()
    phone.wait_for_url("**/t/*")
    table = phone.url.rsplit("/", 1)[1]
    with urllib.request.urlopen(f"{house.url}/api/tables/{table}") as answer:
        assert json.load(answer)["state"]["table"]["rules"]["name"] == "Made here"


def test_differences_are_marked_and_counted_and_taken_back(house: Server, phone: Page) -> None:
    phone.goto(f"{house.url}/rules/edit?rules=koikoi-standard")
    expect(phone.locator("details[open]")).to_have_count(0)
    open_section(phone, "zero_sum")
    phone.get_by_role("switch").check()
    phone.locator("[data-option=dealer] [type=radio]").nth(1).check()
    section = phone.locator("details[open]")
    expect(section.locator(".change-count")).to_have_text("2 changes")
    expect(section.locator(".rule-field.marked")).to_have_count(2)
    expect(phone.locator("[data-option=dealer]")).to_contain_text("in “Usual rules”: the winner")
    phone.locator("[data-option=dealer]").get_by_role("button", name="Reset").click()
    expect(section.locator(".change-count")).to_have_text("1 change")
    phone.get_by_role("button", name="Undo all changes").click()
    expect(section.locator(".rule-field.marked")).to_have_count(0)


def test_forbidden_rules_are_refused_beside_the_options(house: Server, phones: Phones) -> None:
    page = phones.open("ko-KR")
    page.goto(f"{house.url}/rules/edit?rules=koikoi-standard")
    open_section(page, "rounds")
    page.locator("[name=rounds]").fill("0")
    for option in ("rounds", "target"):
        expect(page.locator(f"[data-option={option}] .field-problem")).to_contain_text("끝나지 않아요")
    expect(page.locator(".rules-save button")).to_be_disabled()
    page.locator("[name=rounds]").fill("500")
    expect(page.locator("[data-option=rounds] .field-problem")).to_contain_text("120")
    page.locator("[name=rounds]").fill("6")
    expect(page.locator(".field-problem")).to_have_count(0)
    expect(page.locator(".rules-save button")).to_be_enabled()


def test_the_effects_of_calls_are_edited_one_by_one(house: Server, phone: Page) -> None:
    phone.goto(f"{house.url}/rules/edit?rules=koikoi-standard")
    open_section(phone, "own_call")
    calls = phone.locator("[data-option=own_call]")
    calls.get_by_role("button", name="Add a call").click()
    calls.locator("select").select_option("+")
    calls.locator("input").fill("3")
    phone.locator(".rules-save [name=name]").fill("Calls")
    phone.get_by_role("button", name="Save").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Calls")
    assert rules_of(house, "Calls")["changes"] == {"own_call": ["+3"]}


def test_rules_are_renamed_deleted_and_restored(house: Server, phone: Page) -> None:
    make(phone, house, "For a while")
    phone.locator("summary", has_text="Rename or delete").click()
    phone.locator(".rules-save [name=name]").fill("For good")
    phone.get_by_role("button", name="Rename").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("For good")
    phone.locator("summary", has_text="Rename or delete").click()
    phone.get_by_role("button", name="Delete").click()
    expect(phone.locator(".rules-deleted")).to_contain_text("“For good” is deleted.")
    expect(phone.locator(".rules-entry", has_text="For good")).to_have_count(0)
    phone.get_by_role("button", name="Undo").click()
    expect(phone.locator(".rules-entry", has_text="For good")).to_have_count(1)


def test_a_name_that_is_taken_is_replaced_only_on_request(house: Server, phone: Page) -> None:
    make(phone, house, "Twice")
    phone.goto(f"{house.url}/rules/edit?rules=koikoi-hu")
    phone.locator(".rules-save [name=name]").fill("Twice")
    phone.get_by_role("button", name="Save").click()
    expect(phone.get_by_role("alert")).to_contain_text(
        "there are rules called Twice already", ignore_case=True
    )
    phone.get_by_role("button", name="Replace them").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Twice")
    assert rules_of(house, "Twice")["changes"] == {}


def test_a_typed_code_opens_rules_and_a_mistyped_one_is_refused(house: Server, phone: Page) -> None:
    phone.goto(f"{house.url}/rules")
    phone.locator("[name=code]").fill("K1G6-3R")
    phone.get_by_role("button", name="Open").click()
    expect(phone.locator(".field-problem")).to_contain_text("does not add up")
    phone.locator("[name=code]").fill("k1g6 2r")
    phone.get_by_role("button", name="Open").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Usual rules")
    phone.locator("summary", has_text="Share these rules").click()
    expect(phone.locator(".invite code")).to_contain_text("/r/K1G6-2R")


@pytest.mark.parametrize("locale", ["en-GB", "ja-JP", "ko-KR"])
def test_the_pages_fit_a_small_phone_in_every_language(house: Server, phones: Phones, locale: str) -> None:
    page = phones.open(locale, viewport={"width": 320, "height": 640})
    for path in ("/rules", "/rules/edit?rules=koikoi-hu", "/rules/edit?rules=kakkuri"):
        page.goto(house.url + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator(".rules-entry, .rules-card").first).to_be_visible()
        for section in page.locator("details.rules-card > summary").all():
            section.click()
        assert page.evaluate(SIDEWAYS, 320) == [], path
        assert page.evaluate(SMALL_TARGETS) == [], path
        assert page.evaluate(NAMELESS) == [], path
        if locale != "en-GB":
            names = r"English|Kangni Hu|Made here|Calls|For good|Twice|[A-Z0-9]{4}(-[A-Z0-9]{2,4})+|http://\S+|[0-9.]+:\S+"
            assert re.findall(r"[A-Za-z]{3,}", re.sub(names, "", page.evaluate(ALL_TEXTS))) == [], path


@pytest.fixture(scope="module")
def toy_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server where the toy game is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(TOY)
        server = Server(tmp_path_factory.mktemp("toy"), "broken", start_method="spawn")
        server.start()
        yield server
        server.stop()


def test_rules_of_an_added_game_are_made_like_any_other(toy_house: Server, phone: Page) -> None:
    phone.goto(f"{toy_house.url}/rules")
    expect(phone.locator("[data-game=snap] .rules-entry b")).to_have_text("Table rules")
    phone.locator("[data-game=snap] a.button").click()
    open_section(phone, "hand")
    phone.locator("[name=hand]").fill("6")
    phone.locator(".rules-save [name=name]").fill("Long hands")
    phone.get_by_role("button", name="Save").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Long hands")
    assert rules_of(toy_house, "Long%20hands")["changes"] == {"hand": 6}


def post(server: Server, path: str, body: dict) -> dict:
    request = urllib.request.Request(
        server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


@pytest.mark.parametrize(
    ("locale", "button", "line"),
    [
        ("en-GB", "Change the rules", "Rules changed to “Six-point sets”"),
        ("ja-JP", "ルールを変える", "ルールを「三枚役は6点」に変えた"),
        ("ko-KR", "규칙 바꾸기", "규칙을 “세 장 족보 6점”으로 바꿨어요"),
    ],
)
def test_the_rules_of_an_evening_change_after_a_look_at_what_differs(
    house: Server, phones: Phones, locale: str, button: str, line: str
) -> None:
    table = post(house, "/api/tables", {"game": "koikoi", "players": ["Aya", "Bo"]})["id"]
    page = phones.open(locale)
    page.goto(f"{house.url}/t/{table}")
    page.locator(".bar-button").click()
    page.locator("dialog").get_by_role("button", name=button).click()
    sheet = page.locator(".rules-change")
    expect(sheet.locator(".button.primary")).to_have_count(0)
    sheet.locator("select").select_option("koikoi-standard")
    expect(sheet.locator(".hint")).to_be_visible()  # nothing differs, and nothing can be confirmed
    expect(sheet.locator(".button.primary")).to_have_count(0)
    sheet.locator("select").select_option("koikoi-hu")
    differences = len(rules_of(house, "koikoi-hu?against=koikoi-standard")["changes"])
    expect(sheet.locator(".rule-difference")).to_have_count(differences)
    assert page.evaluate(SIDEWAYS, 390) == []
    sheet.locator(".button.primary").click()
    entry = page.locator(".entry-line", has_text=line)
    expect(entry.locator(".rule-difference")).to_have_count(differences)
    expect(page.locator(".live-name p")).to_contain_text(
        line.translate(str.maketrans("“”「」", "\n\n\n\n")).split("\n")[1]
    )
    page.locator(".undo").click()
    expect(entry).to_have_count(0)


def test_rules_are_made_for_an_evening_of_an_added_game(toy_house: Server, phone: Page) -> None:
    table = post(toy_house, "/api/tables", {"game": "snap", "players": ["Aya", "Bo", "Cho"]})["id"]
    phone.goto(f"{toy_house.url}/t/{table}")
    phone.locator(".bar-button").click()
    phone.get_by_role("button", name="Change the rules").click()
    phone.get_by_role("link", name="Make other rules").click()
    open_section(phone, "full_month")
    phone.locator("[name=full_month]").fill("9")
    phone.get_by_role("link", name="Use at the table without saving").click()
    expect(phone.locator(".rule-difference")).to_contain_text("Four of a month")
    phone.get_by_role("button", name="Play by these rules").click()
    line = phone.locator(".entry-line", has_text="Rules changed to “Table rules, with 1 change”")
    expect(line).to_be_visible()
    line.click()
    phone.get_by_role("button", name="Delete this change").click()
    expect(line).to_have_count(0)
