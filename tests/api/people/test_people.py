"""Players, guests who claim their rounds, and circles."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.datastructures import FileStorage

from companion.people.people import MAX_PICTURE_BYTES
from tests.api.access_helpers import paired_as
from tests.api.api_helpers import context_of, jpeg
from tests.api.table_helpers import PHONE
from tests.league import league


def people(client: FlaskClient, **query: str) -> dict[str, Any]:
    return dict(client.get("/api/players", query_string=query).json)


def names(client: FlaskClient) -> dict[str, str]:
    return {each["id"]: each["name"] for each in people(client)["players"] if not each["hidden"]}


def post(client: FlaskClient, path: str, status: int = 200, **body: object) -> dict[str, Any]:
    response = client.post(path, json=body)
    assert response.status_code == status, response.json
    return dict(response.json)


def play(
    client: FlaskClient, players: list[str], ids: list[str | None] | None = None, winner: int = 1
) -> str:
    """Open a table, record one result, and return its id."""
    table = post(client, "/api/tables", 201, game="koikoi", players=players, player_ids=ids or [])["id"]
    seats: list[dict[str, int]] = [{"points": 0}, {"points": 0}]
    seats[winner - 1] = {"points": 5}
    result = {"new_round": True, "dealer": 1, "winners": [winner], "seats": seats}
    events = [{"kind": "scored", "data": result}]
    response = client.post(f"/api/tables/{table}/events", json={"events": events})
    assert response.status_code == 200, response.json
    return str(table)


def wins(client: FlaskClient) -> dict[str, int]:
    return {each["player"]: each["wins"] for each in client.get("/api/stats").json["players"]}


def test_a_renamed_player_keeps_the_rounds(client: FlaskClient) -> None:
    night = play(client, ["Aiko", "Ben"])
    post(client, "/api/players", player="Aiko", name="Aiko T.", color=3, emoji="🐸")
    assert names(client) == {"Aiko": "Aiko T.", "Ben": "Ben"}
    found = client.get(f"/api/nights/{night}").json
    assert found["players"] == ["Aiko T.", "Ben"]
    assert found["games"][0]["player_ids"] == ["Aiko", "Ben"]
    assert "Aiko T." in str(found["games"][0]["rounds"][0]["why"])
    play(client, ["Aiko T.", "Ben"])  # typed, without an id
    play(client, ["Aiko T.", "Ben"], ["Aiko", None])
    assert wins(client) == {"Aiko": 3, "Ben": 0}
    assert client.get("/api/stats/choices").json["players"][0] == {"id": "Aiko", "name": "Aiko T."}
    assert client.get("/api/rounds.csv").text.count("Aiko T.") == 3


def test_somebody_else_gets_a_name_that_became_free(client: FlaskClient) -> None:
    play(client, ["Aiko", "Ben"])
    post(client, "/api/players", player="Aiko", name="Aiko T.")
    new = post(client, "/api/players", name="Aiko")["id"]
    assert new not in {"Aiko", "Ben"}
    play(client, ["Aiko", "Ben"], [new, None])
    assert wins(client) == {"Aiko": 1, new: 1, "Ben": 0}
    post(client, "/api/players", 409, name="ben")
    post(client, "/api/players", 409, player=new, name="AIKO T.")


def test_two_spellings_are_merged_and_separated(client: FlaskClient) -> None:
    play(client, ["Aiko", "Ben"])
    play(client, ["aiko", "Ben"])
    event = post(client, "/api/players/merge", player="aiko", into="Aiko")["event"]
    assert wins(client) == {"Aiko": 2, "Ben": 0}
    (aiko,) = (each for each in people(client)["players"] if each["id"] == "Aiko")
    assert (aiko["rounds"], aiko["merged"]) == (2, [{"event": event, "player": "aiko"}])
    post(client, "/api/players/merge", 422, player="aiko", into="Aiko")
    post(client, "/api/people/undo", event=event)
    assert wins(client) == {"Aiko": 1, "aiko": 1, "Ben": 0}


def test_a_hidden_player_comes_back(client: FlaskClient) -> None:
    play(client, ["Aiko", "Ben"])
    event = post(client, "/api/players/hide", player="Ben")["event"]
    assert names(client) == {"Aiko": "Aiko"}
    assert wins(client) == {"Aiko": 1, "Ben": 0}
    undone = post(client, "/api/people/undo", event=event)["event"]
    assert names(client) == {"Aiko": "Aiko", "Ben": "Ben"}
    post(client, "/api/people/undo", 404, event=undone)


def test_a_guest_claims_the_rounds_of_an_evening(app: APIFlask, client: FlaskClient) -> None:
    first = play(client, ["Aiko", "Guest 1"], [None, ""], winner=2)
    second = play(client, ["Aiko", "Guest 1"], [None, ""], winner=2)
    assert wins(client) == {"Aiko": 0}
    post(client, "/api/players", name="Chiyo")
    phone = paired_as(app, "seat scorer")
    asked = phone.client(app).post(
        f"/api/nights/{first}/claims", json={"name": "Guest 1", "player": "Chiyo"}, **phone.options
    )
    assert asked.status_code == 200, asked.json
    assert wins(client) == {"Aiko": 0}
    (open_claim,) = people(client)["claims"]
    assert (open_claim["night"], open_claim["player"], open_claim["confirmed"]) == (first, "Chiyo", False)
    post(client, "/api/claims/confirm", event=open_claim["event"])
    assert wins(client) == {"Aiko": 0, "Chiyo": 1}
    assert client.get(f"/api/nights/{first}").json["players"] == ["Aiko", "Chiyo"]
    assert client.get(f"/api/nights/{second}").json["players"] == ["Aiko", "Guest 1"]
    assert people(client)["claims"] == []
    assert [each["confirmed"] for each in people(client, night=first)["claims"]] == [True]
    post(client, f"/api/nights/{first}/claims", 404, name="Guest 1", player="Aiko")
    post(client, "/api/people/undo", event=open_claim["event"])
    assert wins(client) == {"Aiko": 0}
    post(client, f"/api/nights/{first}/claims", name="Guest 1", player="Aiko")
    assert wins(client) == {"Aiko": 1}


def test_a_picture_is_a_small_square_without_metadata(client: FlaskClient) -> None:
    play(client, ["Aiko", "Ben"])

    def send(player: str, picture: bytes) -> int:
        form = {"image": FileStorage(io.BytesIO(picture), "me.jpg")}
        return client.post("/api/players/picture", query_string={"player": player}, data=form).status_code

    assert client.get("/api/players/picture?player=Aiko").status_code == 404
    assert send("Aiko", jpeg(3000, 2000)) == 200
    (address,) = (each["picture"] for each in people(client)["players"] if each["id"] == "Aiko")
    stored = client.get(address)
    assert stored.mimetype == "image/jpeg"
    assert Image.open(io.BytesIO(stored.data)).size == (192, 192)
    assert len(stored.data) < MAX_PICTURE_BYTES
    assert client.get(address, headers={"If-None-Match": stored.headers["ETag"]}).status_code == 304
    assert send("Aiko", b"<svg onload=alert(1)>") == 415
    assert send("nobody", jpeg()) == 404
    post(client, "/api/players", player="Aiko", name="Aiko", keep_picture=False)
    assert client.get(address).status_code == 404


def test_the_largest_picture_fits() -> None:
    noise = Image.effect_noise((192, 192), 200).convert("RGB")
    out = io.BytesIO()
    noise.save(out, "JPEG", quality=85)
    assert len(base64.b64encode(out.getvalue())) < 2 * MAX_PICTURE_BYTES


def test_a_circle_has_the_rounds_among_its_members(app: APIFlask, client: FlaskClient) -> None:
    context_of(app).store.tables.merge(league(seed=2, players=4, nights=6, rounds=48))
    members = ["Aiko", "Ben", "Chiyo"]
    rounds = client.get("/api/rounds").json["rounds"]
    among = [each for each in rounds if set(each["player_ids"]) <= set(members)]
    assert 0 < len(among) < len(rounds)
    circle = post(
        client, "/api/circles", name="Family", players=members, game="koikoi", rules="koikoi-guide"
    )["id"]
    assert client.get(f"/api/rounds?circle={circle}").json["rounds"] == among
    found = client.get(f"/api/stats?circle={circle}").json
    assert {each["player"] for each in found["players"]} <= set(members)
    nights = {each["id"] for each in client.get(f"/api/nights?circle={circle}").json["nights"]}
    assert nights >= {each["night"] for each in among}
    post(client, "/api/circles", circle=circle, name="Family", players=members[:1])
    assert client.get(f"/api/rounds?circle={circle}").json["total"] == 0
    event = post(client, "/api/circles/remove", circle=circle)["event"]
    assert people(client)["circles"] == []
    post(client, "/api/people/undo", event=event)
    assert [each["name"] for each in people(client)["circles"]] == ["Family"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/players", {"name": "x" * 41}, 422),
        ("/api/players", {"name": " "}, 422),
        ("/api/players", {"name": "\u202e"}, 422),
        ("/api/players", {"name": "Ren", "color": 9}, 422),
        ("/api/players", {"name": "Ren", "emoji": "<b>"}, 422),
        ("/api/players", {"name": "Ren", "player": "nobody"}, 404),
        ("/api/players/merge", {"player": "nobody", "into": "nobody"}, 404),
        ("/api/players/hide", {"player": "nobody"}, 404),
        ("/api/people/undo", {"event": "nothing"}, 404),
        ("/api/claims/confirm", {"event": "nothing"}, 404),
        ("/api/nights/nothing/claims", {"name": "Guest 1", "player": "nobody"}, 404),
        ("/api/circles", {"name": "Club", "players": ["nobody"]}, 404),
        ("/api/circles", {"name": "Club", "players": [], "game": "poker"}, 422),
        ("/api/circles", {"name": "Club", "players": ["x"] * 201}, 422),
        ("/api/circles/remove", {"circle": "nothing"}, 404),
        ("/api/tables", {"game": "koikoi", "players": ["a", "b"], "player_ids": ["a"]}, 422),
    ],
)
def test_a_request_that_cannot_be_is_refused(
    client: FlaskClient, path: str, body: dict[str, object], status: int
) -> None:
    response = client.post(path, json=body)
    assert response.status_code == status, response.json
    assert people(client)["players"] == []


def test_a_phone_that_is_not_paired_changes_nothing(client: FlaskClient) -> None:
    for path in (
        "/api/players",
        "/api/players/hide",
        "/api/players/merge",
        "/api/people/undo",
        "/api/circles",
    ):
        assert client.post(path, json={}, environ_base=PHONE).status_code == 403
