"""Players on a phone: last time's evening starts with two taps, a guest's rounds are claimed, spellings are merged."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .conftest import Phones, Server


def _evening(phone: Page, house: Server) -> str:
    """Play and close an evening of Aiko and a guest, and return its id."""

    def post(path: str, body: dict[str, object]) -> dict[str, object]:
        answer = phone.request.post(f"{house.url}/api/{path}", data=body)
        assert answer.ok, answer.text()
        return dict(answer.json())

    players = {"players": ["Aiko", "Guest 1"], "player_ids": [None, ""]}
    night = str(post("tables", {"game": "kekoro", "rules": "kekoro", **players})["id"])
    result = {"new_round": True, "dealer": 1, "winners": [2], "seats": [{"points": 0}, {"points": 7}]}
    post(f"tables/{night}/events", {"events": [{"kind": "scored", "data": result}]})
    post(f"nights/{night}/close", {})
    return night


def test_two_seats_of_one_name_are_refused_in_the_language_of_the_phone(
    house: Server, phones: Phones
) -> None:
    for language, sentence in (
        ("en-US", "Two seats have the name ZOË: change one, for example ZOË B."),
        ("ja-JP", "ZOËという名前の席が二つあります。"),
        ("ko-KR", "이름이 ZOË인 자리가 둘이에요."),
    ):
        phone = phones.open(locale=language)
        phone.goto(f"{house.url}/tables")
        phone.locator("[name=player-1]").fill("Zoe\u0308")
        phone.locator("[name=player-2]").fill("ZOË")
        phone.locator(".open-table button[type=submit]").click()
        expect(phone.get_by_role("alert")).to_contain_text(sentence)
        expect(phone.locator("[name=player-2]")).to_have_value("ZOË")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.locator("[name=player-2]").fill("Ren")
    phone.locator(".open-table button[type=submit]").click()
    phone.wait_for_url("**/t/*")
    answer = phone.request.get(f"{house.url}/api/tables/{phone.url.rsplit('/', 1)[1]}").json()
    assert [each["name"] for each in answer["state"]["table"]["players"]] == ["Zoë", "Ren"]


def test_players_are_remembered(phone: Page, house: Server) -> None:
    night = _evening(phone, house)
    phone.goto(f"{house.url}/players")
    phone.get_by_role("button", name="Add a player").click()
    sheet = phone.get_by_role("dialog")
    sheet.get_by_label("Name").fill("Chiyo")
    sheet.get_by_label("Color: 3").check(force=True)
    sheet.get_by_label("🐸").check(force=True)
    sheet.get_by_role("button", name="Save").click()
    expect(phone.get_by_text("Chiyo is saved.")).to_be_visible()
    expect(phone.locator("[data-player=Chiyo] .avatar.color-3")).to_have_text("🐸")

    phone.goto(f"{house.url}/nights/{night}")
    phone.get_by_label("Who was Guest 1?").select_option("Chiyo")
    phone.get_by_role("button", name="Assign").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Aiko · Chiyo")

    phone.goto(house.url)
    phone.get_by_role("link", name="Same players and rules as last time").click()
    phone.get_by_role("button", name="Start with Aiko and Chiyo").click()
    expect(phone.locator(".seating")).to_be_visible()
    table = phone.request.get(f"{house.url}/api/tables/{phone.url.rsplit('/', 1)[1]}").json()["state"][
        "table"
    ]
    assert [each["player"] for each in table["players"]] == ["Aiko", "Chiyo"]
    assert (table["game"], table["rules"]["name"]) == ("kekoro", "kekoro")
    seat = "getComputedStyle(document.querySelector('.seat-2')).getPropertyValue('--seat').trim()"
    phone.wait_for_function(
        f"{seat} === getComputedStyle(document.documentElement).getPropertyValue('--player-3').trim()"
    )

    phone.goto(f"{house.url}/players")
    phone.locator("[data-player=Aiko] button").click()
    sheet.get_by_label("The same person as").select_option("Chiyo")
    sheet.get_by_role("button", name="Merge").click()
    expect(phone.locator("[data-player=Aiko]")).to_have_count(0)
    phone.get_by_role("button", name="Undo").click()
    expect(phone.locator("[data-player=Aiko]")).to_be_visible()


def test_a_seat_is_chosen_from_those_who_played(phone: Page, house: Server) -> None:
    _evening(phone, house)
    phone.goto(f"{house.url}/tables")
    phone.locator("[data-player=Aiko]").click()
    phone.get_by_role("button", name="Guest", exact=True).click()
    expect(phone.locator("[name=player-1]")).to_have_value("Aiko")
    expect(phone.locator("[name=player-2]")).to_have_value("Guest 1")
    phone.get_by_role("button", name="Remove: Guest 1").click()
    phone.locator("[name=player-2]").fill("Emi")
    phone.get_by_role("button", name="Open the table").click()
    expect(phone.locator(".seating")).to_be_visible()
    table = phone.request.get(f"{house.url}/api/tables/{phone.url.rsplit('/', 1)[1]}").json()["state"][
        "table"
    ]
    assert [each["player"] for each in table["players"]] == ["Aiko", "Emi"]
