"""Names are stored as they are seen wherever they enter, and no two seats of a table have one."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from click.testing import CliRunner
from flask.testing import FlaskClient

from companion.cli import main
from companion.store.event_lines import event_lines
from companion.store.store import open_store
from companion.table import Event
from tests.api.access_helpers import paired_as

TYPED, STORED = "\x1b[31mZoe\u0308\n\u202e\u200b \u1112\u1161\u11ab", "[31mZoë 한"
PLAYERS = {"game": "koikoi", "players": ["Aiko", "Ben"]}


def posted(client: FlaskClient, path: str, body: dict[str, Any], status: int) -> Any:
    response = client.post(path, json=body)
    assert response.status_code == status, response.json
    return response.json


def test_each_name_is_stored_as_it_is_seen(app: APIFlask, client: FlaskClient) -> None:
    posted(client, "/api/players", {"name": TYPED}, 200)
    posted(client, "/api/circles", {"name": f"Club {TYPED}", "players": []}, 200)
    table = posted(client, "/api/tables", {**PLAYERS, "players": [TYPED, "Ben"], "name": TYPED}, 201)["id"]
    renamed = {"kind": "seated", "data": {"seat": 2, "name": f"B{TYPED}"}}
    posted(client, f"/api/tables/{table}/events", {"events": [renamed]}, 200)
    invited = posted(client, "/api/pairings", {"role": "scorer", "name": TYPED}, 201)
    assert invited["name"] == STORED
    phone = app.test_client()
    assert (
        posted(phone, "/api/pair", {"code": invited["code"], "name": f"P{TYPED}"}, 200)["name"]
        == f"P{STORED}"
    )
    people = client.get("/api/players").json
    assert STORED in {each["name"] for each in people["players"]}
    assert [each["name"] for each in people["circles"]] == [f"Club {STORED}"]
    state = client.get(f"/api/tables/{table}").json
    assert state["state"]["table"]["name"] == STORED
    assert [each["name"] for each in state["state"]["table"]["players"]] == [STORED, f"B{STORED}"]
    answers = [
        client.get(path).text
        for path in (f"/api/tables/{table}", "/api/tables", "/api/players", "/api/pairings")
    ]
    for answer in answers:
        assert not any(
            escape in answer for escape in ("\\u001b", "\x1b", "\u202e", "\\u202e", "\u200b", "e\u0308")
        )


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Two seats have the name AIKO: change one, for example AIKO B."),
        ("ja", "AIKOという名前の席が二つあります。「AIKOB」のように、どちらかを変えてください。"),
        ("ko", "이름이 AIKO인 자리가 둘이에요. ‘AIKO B’처럼 하나를 바꿔 주세요."),
    ],
)
def test_two_seats_of_one_name_are_refused_in_the_language_of_the_phone(
    client: FlaskClient, language: str, sentence: str
) -> None:
    body = {**PLAYERS, "players": ["Aiko", "AIKO"]}
    refused = client.post("/api/tables", json=body, headers={"Accept-Language": language})
    assert (refused.status_code, refused.json["code"], refused.json["detail"]) == (
        422,
        "table-same-name",
        sentence,
    )
    assert client.get("/api/tables").json["tables"] == []


@pytest.mark.parametrize("name", ["Zoë", "ZOE\u0308", "Ｚｏë"])
def test_two_players_cannot_look_the_same(client: FlaskClient, name: str) -> None:
    posted(client, "/api/players", {"name": "Zoe\u0308"}, 200)
    assert posted(client, "/api/players", {"name": name}, 409)["type"] == "/problems/player-name-taken"


def test_no_phone_is_called_like_the_servers_own_machine(app: APIFlask, client: FlaskClient) -> None:
    phone = paired_as(app, "table scorer")
    for name in ("This machine", "this\u200b machine "):
        for refused in (
            client.post("/api/pairings", json={"role": "scorer", "name": name}),
            phone.client(app).patch("/api/me", json={"name": name}, **phone.options),
        ):
            assert (refused.status_code, refused.json["type"]) == (422, "/problems/reserved-name")


def test_names_of_an_imported_log_are_written_as_they_are_seen(tmp_path: Path) -> None:
    opened = {
        "id": "t1",
        "name": TYPED,
        "game": "koikoi",
        "rules": None,
        "players": [TYPED, "Zoe\u0308"],
        "deck": None,
    }
    event = Event(1, 1, "2026-01-01T20:00:00.000Z", TYPED, "phone", "opened", opened)
    again = {"seat": 1, "name": f"{TYPED}!"}
    events = [event, Event(2, 2, "2026-01-01T20:01:00.000Z", "x", "phone", "seated", again)]
    header = {"format": "hanafuda-companion-events", "version": 1}
    entry = {"player": "Zoe\u0308", "name": "Zoe\u0308 T.", "color": 3, "emoji": None, "picture": None}
    player = {
        "people": "p1",
        "time": "2026-01-01T20:02:00.000Z",
        "actor": "x",
        "kind": "player",
        "data": entry,
    }
    lines = [header, *({"table": "t1", **each.to_json()} for each in events), player]
    (tmp_path / "file.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    data = ["--data", str(tmp_path / "data")]
    assert CliRunner().invoke(main, ["log", "import", str(tmp_path / "file.jsonl"), *data]).exit_code == 0
    with closing(open_store(tmp_path / "data")) as store:
        first, second = store.tables.load("t1")
        assert (first.actor, first.data["players"], first.data["name"]) == (STORED, [STORED, "Zoë"], STORED)
        assert second.data["name"] == f"{STORED}!"
        assert [(each.id, each.name) for each in store.people.roster().players] == [("Zoë", "Zoë T.")]
        exported = "".join(event_lines(store))
    assert exported.replace("\n", "").isprintable()
    for command in ("nights", "export --tables --format csv", "export --events"):
        printed = CliRunner().invoke(main, ["log", *command.split(), *data])
        assert printed.exit_code == 0, printed.output
        assert printed.stdout.replace("\r\n", "").replace("\n", "").isprintable(), command


@pytest.mark.parametrize("sign", "=+-@")
def test_a_name_is_no_formula_in_a_spreadsheet(client: FlaskClient, sign: str) -> None:
    table = posted(client, "/api/tables", {**PLAYERS, "players": [f"\u200b{sign}1+1", "Ben"]}, 201)["id"]
    result = {"new_round": True, "dealer": 1, "winners": [1], "seats": [{"points": 5}, {"points": 0}]}
    posted(client, f"/api/tables/{table}/events", {"events": [{"kind": "scored", "data": result}]}, 200)
    assert f",'{sign}1+1," in client.get("/api/rounds.csv").text
