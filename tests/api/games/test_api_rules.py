"""House rules over HTTP: listed, described by code or name, checked, and used for scoring."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.routes.games import RulesDescriptionOut, RulesListOut, ScoreIn
from companion.hanafuda.rules import PRESETS, Rules, resolve
from companion.hanafuda.rules.reading import describe_rules
from companion.hanafuda.rules.share import encode, grouped
from companion.messages import with_texts
from companion.store.house_rules import RulesStore
from tests.api.api_helpers import context_of, upload

OURS = resolve({"preset": "koikoi-hu", "three_brights": 50})
PILE = ["pine-crane", "cherry-curtain", "susuki-moon"]


@pytest.fixture
def house(app: APIFlask) -> RulesStore:
    return context_of(app).store.house_rules


def test_whatever_a_game_asks_for_can_be_sent(client: FlaskClient) -> None:
    """A banker's hand could be scored by the command line only."""
    for game in client.get("/api/games").json["games"]:
        assert set(game["asks"]) <= set(ScoreIn.model_fields), game["game"]
    hand = {"game": "kingo-bank", "captured": ["pine-chaff-1", "pine-chaff-2", "plum-chaff-1"]}
    roles = [
        client.post("/api/score", json={**hand, "role": role}).json["role"] for role in ("bettor", "dealer")
    ]
    assert roles == ["bettor", "dealer"]


def _list(client: FlaskClient) -> list[dict[str, Any]]:
    answer = client.get("/api/rules").json
    RulesListOut.model_validate(answer)
    return list(answer["rules"])


def test_the_presets_of_all_games_are_listed(client: FlaskClient) -> None:
    listed = _list(client)
    assert [each["name"] for each in listed] == list(PRESETS)
    assert {each["game"] for each in listed} == {"koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"}
    for each in listed:
        assert each["hash"] == PRESETS[each["name"]].hash
        assert each["saved"] is None
        assert each["sentence"]["message"]


def test_saved_rules_are_listed_after_them(client: FlaskClient, house: RulesStore) -> None:
    saved = house.save("Aya's house", OURS, "a test")
    assert _list(client)[len(PRESETS) :] == [
        {
            "name": "Aya's house",
            "game": "koikoi",
            "hash": OURS.hash,
            "code": grouped(encode(OURS)),
            "sentence": None,
            "based_on": "koikoi-hu with 1 change",
            "players": [2],
            "saved": saved.time,
        }
    ]


def test_rules_that_a_newer_version_saved_are_left_out(client: FlaskClient, data: Path, caplog: Any) -> None:
    database = sqlite3.connect(data / "log.sqlite3")
    with database:
        database.execute(
            "INSERT INTO house_rules (time, actor, name, folded, code)"
            " VALUES ('2030-01-01T00:00:00.000Z', 'later', 'Later', 'later', 'K2G82W')"
        )
    database.close()
    assert len(_list(client)) == len(PRESETS)
    assert "Later: the share code 'K2G82W' was made by a newer version" in caplog.text
    answer = client.get("/api/rules/Later")
    assert (answer.status_code, answer.json["type"]) == (404, "/problems/newer-share-code")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_read_out_by_its_name_and_by_its_code(client: FlaskClient, name: str) -> None:
    by_name = client.get(f"/api/rules/{name}").json
    RulesDescriptionOut.model_validate(by_name)
    assert by_name == client.get(f"/api/rules/{by_name['code'].lower()}").json
    described = with_texts(describe_rules(PRESETS[name]), "en")
    assert {key: by_name[key] for key in described} == described
    assert by_name["how_to_play"]
    assert [option["key"] for option in by_name["options"]] == list(PRESETS[name].options())
    assert set(by_name["sections"]) == {option["section"] for option in by_name["options"]}


def test_differences_are_described_beside_the_presets_values(client: FlaskClient) -> None:
    reported = client.get(f"/api/rules/{encode(OURS)}").json
    assert (reported["name"], reported["differs_from"], reported["changes"]) == (
        "koikoi-hu with 1 change",
        "koikoi-hu",
        {"three_brights": 50},
    )
    differing = [option for option in reported["options"] if option["instead_of"]]
    assert [(option["key"], option["value"], option["instead_of"]) for option in differing] == [
        (
            "three_brights",
            50,
            {
                "value": 6,
                "meaning": {"code": "rule-unit-points", "params": {"count": 6}, "message": "6 points"},
            },
        )
    ]


def test_a_preset_is_compared_with_the_first_of_its_game(client: FlaskClient) -> None:
    reported = client.get("/api/rules/kakkuri-porges").json
    assert reported["differs_from"] == "kakkuri"
    assert reported["changes"]["pass_penalty"] == 0
    assert client.get("/api/rules/kakkuri").json["changes"] == {}


def test_saved_rules_are_read_out_by_their_name(client: FlaskClient, house: RulesStore) -> None:
    house.save("Aya's house", OURS, "a test")
    reported = client.get("/api/rules/aya's%20HOUSE").json
    assert (reported["name"], reported["hash"], reported["preset"]) == ("Aya's house", OURS.hash, "koikoi-hu")
    assert reported["sentence"] is None


@pytest.mark.parametrize(
    ("name", "slug", "message"),
    [
        ("koikoi-gide", "unknown-preset", "did you mean koikoi-guide"),
        ("K1G6-3R", "bad-share-code", "does not add up"),
        ("K2G82W", "newer-share-code", "update this one"),
    ],
)
def test_rules_that_are_not_there(client: FlaskClient, name: str, slug: str, message: str) -> None:
    response = client.get(f"/api/rules/{name}")
    assert (response.status_code, response.json["type"]) == (404, f"/problems/{slug}")
    assert message in response.json["detail"]


def _post(client: FlaskClient, rules: Any) -> Any:
    return client.post("/api/rules", json={"rules": rules})


@pytest.mark.parametrize(
    ("rules", "meant"),
    [
        ({"preset": "koikoi-hu", "three_brights": 50}, OURS),
        ({"preset": "kingo-bank", "stones": 50}, resolve({"preset": "kingo-bank", "stones": 50})),
        ("kekoro", PRESETS["kekoro"]),
        (encode(OURS), OURS),
    ],
)
def test_rules_that_are_sent_come_back_with_their_code(client: FlaskClient, rules: Any, meant: Rules) -> None:
    answer = _post(client, rules)
    assert answer.status_code == 200
    RulesDescriptionOut.model_validate(answer.json)
    described = with_texts(describe_rules(meant), "en")
    assert {key: answer.json[key] for key in described} == described
    assert answer.json["code"] == grouped(encode(meant))


def test_every_wrong_value_is_named_with_the_nearest_right_one(client: FlaskClient) -> None:
    answer = _post(client, {"preset": "kakkuri", "players": "2_to_7", "stakes": -5, "swap": None})
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/bad-rule-value")
    assert [(each["key"], each["nearest"]) for each in answer.json["options"]] == [
        ("players", "2_to_8"),
        ("swap", None),
        ("stakes", resolve("kakkuri").options()["stakes"].low),  # type: ignore[attr-defined]
    ]
    assert all(each["problem"].startswith(f"{each['key']} must be") for each in answer.json["options"])
    assert "did you mean 2_to_8?" in answer.json["detail"]


def test_every_unknown_option_is_named_with_the_nearest_right_one(client: FlaskClient) -> None:
    wrong = {"preset": "kingo", "wagr": 1, "xyzzy": 2}
    answer = _post(client, wrong)
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/unknown-rule")
    assert answer.json["options"] == [
        {"key": "wagr", "problem": "is not an option of these rules", "nearest": "wager"},
        {"key": "xyzzy", "problem": "is not an option of these rules", "nearest": None},
    ]
    japanese = client.post("/api/rules", json={"rules": wrong}, headers={"Accept-Language": "ja"})
    assert japanese.json["options"][0]["problem"] == "このルールにない項目です"


def test_values_that_contradict_each_other_have_a_sentence(client: FlaskClient) -> None:
    answer = _post(client, {"rounds": 0})
    assert (answer.status_code, answer.json["options"]) == (422, [])
    assert "would never end" in answer.json["detail"]
    (contradiction,) = answer.json["contradictions"]
    assert contradiction["keys"] == ["rounds", "target"]
    assert contradiction["message"]["message"] in answer.json["detail"].replace("Without", "without")


def test_the_reason_is_in_the_language_of_the_request(client: FlaskClient) -> None:
    headers = {"Accept-Language": "ko"}
    answer = client.post("/api/rules", json={"rules": {"rounds": 0}}, headers=headers).json
    assert answer["detail"] == answer["contradictions"][0]["message"]["message"]
    assert "끝나지 않아요" in answer["detail"]


def test_rules_are_compared_with_others(client: FlaskClient) -> None:
    answer = client.get(f"/api/rules/koikoi-hu?against={encode(OURS)}").json
    RulesDescriptionOut.model_validate(answer)
    assert (answer["differs_from"], answer["changes"]) == ("koikoi-hu with 1 change", {"three_brights": 6})
    other_game = client.get("/api/rules/koikoi-hu?against=kekoro")
    assert (other_game.status_code, other_game.json["type"]) == (404, "/problems/wrong-game")


def test_saved_rules_are_renamed(client: FlaskClient, house: RulesStore) -> None:
    for name in ("Ours", "Theirs"):
        house.save(name, OURS, "a test")
    answer = client.patch("/api/rules/ours", json={"name": "Aya's house"})
    RulesDescriptionOut.model_validate(answer.json)
    assert (answer.json["name"], answer.json["hash"]) == ("Aya's house", OURS.hash)
    assert [each.name for each in house.all()] == ["Aya's house", "Theirs"]
    refused = [
        client.patch(f"/api/rules/{name}", json={"name": new})
        for name, new in (("Theirs", "aya's house"), ("Ours", "Free"), ("Theirs", "kekoro"))
    ]
    assert [(each.status_code, each.json["type"].split("/")[-1]) for each in refused] == [
        (409, "rules-name-taken"),
        (404, "no-such-rules"),
        (422, "bad-rules-name"),
    ]


def test_saved_rules_are_deleted_and_restored_by_their_code(client: FlaskClient, house: RulesStore) -> None:
    house.save("Ours", OURS, "a test")
    answer = client.delete("/api/rules/OURS").json
    assert answer == {"name": "Ours", "code": grouped(encode(OURS))}
    assert house.all() == []
    assert client.delete("/api/rules/Ours").status_code == 404
    assert client.put(f"/api/rules/{answer['name']}", json={"rules": answer["code"]}).status_code == 200
    assert house.get("ours").rules() == OURS  # type: ignore[union-attr]


def test_an_evening_starts_by_saved_rules_and_by_a_code(client: FlaskClient, house: RulesStore) -> None:
    house.save("Ours", OURS, "a test")
    for rules, name in (("Ours", "Ours"), (encode(OURS), "koikoi-hu with 1 change")):
        table = {"game": "koikoi", "rules": rules, "players": ["Aya", "Bo"]}
        opened = client.post("/api/tables", json=table).json["state"]["table"]["rules"]
        assert opened == {"name": name, "hash": OURS.hash, "code": encode(OURS)}


@pytest.mark.parametrize("body", [{}, {"rules": 5}, {"rules": None}, {"rules": "kekoro", "game": "kekoro"}])
def test_a_request_of_another_shape_is_a_problem(client: FlaskClient, body: Any) -> None:
    answer = client.post("/api/rules", json=body)
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/invalid-request")


@pytest.mark.parametrize("rules", [encode(OURS), grouped(encode(OURS)).lower(), "Aya's house"])
def test_piles_and_pictures_are_scored_by_codes_and_saved_names(
    client: FlaskClient, house: RulesStore, rules: str
) -> None:
    house.save("Aya's house", OURS, "a test")
    answer = client.post("/api/score", json={"game": "koikoi", "captured": PILE, "rules": rules})
    assert answer.json["yaku"][0]["points"] == 50
    assert answer.json["rules"]["hash"] == OURS.hash
    scanned = upload(client, game="koikoi", rules=rules).json
    assert scanned["score"]["rules"] == answer.json["rules"]
    changed = client.patch(f"/api/scans/{scanned['id']}", json={"rules": "koikoi-standard"}).json
    assert changed["score"]["rules"]["name"] == "koikoi-standard"
    assert (
        client.patch(f"/api/scans/{scanned['id']}", json={"rules": rules}).json["rules"]["hash"] == OURS.hash
    )


@pytest.mark.parametrize("path", ["/r/K1G62R", "/R/K1G62R", "/R/k1g6-2r?lang=ja"])
def test_a_link_opens_a_page_that_knows_its_code(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.mimetype) == (200, "text/html")
    assert f'"rules": "{path[3:].partition("?")[0]}"' in response.text
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
