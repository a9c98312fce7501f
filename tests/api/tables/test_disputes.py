"""Disputes: opened by a player, resolved by agreement or by the host, kept, listed, and moved with the evening."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage

from tests.api.access_helpers import PHONE, paired_as
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import dealt, moved, open_table, played_round, submit

MOVE = 3
"""The event of the first move, after opening and dealing."""


@pytest.fixture
def table(client: FlaskClient) -> str:
    table, played = open_table(client), played_round(4)
    submit(client, table, dealt(played), *moved(played))
    return table


def seat_phone(
    client: FlaskClient, app: APIFlask, table: str, seat: int
) -> tuple[FlaskClient, dict[str, Any]]:
    """Pair a player's phone."""
    asked = {"role": "scorer", "seat": seat, "table": table, "name": f"Phone {seat}"}
    code = client.post("/api/pairings", json=asked).json["code"]
    phone = app.test_client()
    assert phone.post("/api/pair", json={"code": code}, environ_base=PHONE).status_code == 200
    return phone, {"environ_base": PHONE}


def dispute(client: FlaskClient, table: str, of: int = MOVE, status: int = 200, **options: Any) -> int:
    data = {"of": of, "seat": options.pop("seat", None), "text": options.pop("text", None)}
    response = submit(client, table, {"kind": "disputed", "data": data}, **options)
    assert response.status_code == status, response.json
    return int(response.json["events"][0]["seq"]) if status == 200 else 0


def dispute_of(client: FlaskClient, table: str, seq: int) -> dict[str, Any]:
    response = client.get(f"/api/tables/{table}/disputes/{seq}")
    assert response.status_code == 200, response.json
    return dict(response.json)


def decide(client: FlaskClient, table: str, kind: str, of: int, status: int = 200, **data: Any) -> None:
    options = data.pop("options", {})
    response = submit(client, table, {"kind": kind, "data": {"of": of, **data}}, **options)
    assert response.status_code == status, response.json


def test_a_dispute_shows_what_it_can_be_decided_by(client: FlaskClient, table: str) -> None:
    seq = dispute(client, table, text="It was the other chaff")
    found = dispute_of(client, table, seq)
    assert (found["dispute"]["state"], found["dispute"]["text"]) == ("open", "It was the other chaff")
    assert (found["dispute"]["of"], found["dispute"]["round"], found["step"]) == (MOVE, 1, 1)
    assert found["detected"]["source"] == "phone"
    reported, *others = found["readings"]
    assert (reported["says"], reported["illegal"]) == (None, 0)
    assert reported["points"] == client.get(f"/api/tables/{table}").json["state"]["night"]["points"]
    assert others
    assert client.get(f"/api/tables/{table}").json["state"]["undo"]["kind"] == "dealt"  # not the dispute


def test_the_rules_that_decide_are_named_with_their_sources(client: FlaskClient) -> None:
    for seed in range(1, 60):  # a round that somebody stopped with seven points or more
        played = played_round(seed)
        outcome = played.outcome()
        if outcome.how == "stop" and max(outcome.points) >= 14:
            break
    table = open_table(client)
    submit(client, table, dealt(played), *moved(played))
    state = client.get(f"/api/tables/{table}").json["state"]
    seq = dispute(client, table, state["history"][-1]["moves"][-1]["seq"])
    rules = {rule["key"]: rule for rule in dispute_of(client, table, seq)["rules"]}
    assert "seven" in rules
    assert rules["seven"]["source"]
    assert all(instead["points"] not in (None, list(outcome.points)) for instead in rules["seven"]["instead"])


def test_the_players_resolve_it_when_all_agree(client: FlaskClient, app: APIFlask, table: str) -> None:
    first, address = seat_phone(client, app, table, 1)
    second, _ = seat_phone(client, app, table, 2)
    seq = dispute(first, table, seat=1, **address)
    decide(first, table, "agreed", seq, seats=[1], verdict="stands", options=address)
    decide(second, table, "agreed", seq, seats=[2], verdict="changed", options=address)
    assert dispute_of(client, table, seq)["dispute"]["state"] == "open"
    decide(second, table, "agreed", seq, seats=[2], verdict="stands", options=address)
    found = dispute_of(client, table, seq)["dispute"]
    assert (found["state"], found["verdict"]) == ("agreed", "stands")
    decide(second, table, "agreed", seq, 422, seats=[2], verdict="changed", options=address)


def test_a_player_decides_only_for_the_own_seat(client: FlaskClient, app: APIFlask, table: str) -> None:
    first, address = seat_phone(client, app, table, 1)
    second, _ = seat_phone(client, app, table, 2)
    dispute(first, table, seat=2, status=403, **address)
    seq = dispute(first, table, seat=1, **address)
    decide(first, table, "agreed", seq, 403, seats=[1, 2], verdict="stands", options=address)
    decide(first, table, "ruled", seq, 403, verdict="stands", options=address)
    decide(second, table, "undone", seq, 403, options=address)
    ruling = client.get(f"/api/tables/{table}").json["seq"] + 1
    decide(client, table, "ruled", seq, verdict="changed", text="Seen on the picture")
    decide(first, table, "undone", ruling, 403, options=address)
    assert dispute_of(client, table, seq)["dispute"]["note"] == "Seen on the picture"
    nobody = paired_as(app, "nobody")
    dispute(nobody.client(app), table, status=403, **nobody.options)


def test_a_withdrawn_dispute_is_kept(client: FlaskClient, table: str) -> None:
    seq = dispute(client, table)
    decide(client, table, "undone", seq)
    assert dispute_of(client, table, seq)["dispute"]["state"] == "withdrawn"
    assert [each["state"] for each in client.get("/api/disputes").json["disputes"]] == ["withdrawn"]
    assert client.get(f"/api/tables/{table}").json["state"]["redo"] is None
    decide(client, table, "ruled", seq, 422, verdict="stands")


def test_disputes_are_listed_and_move_with_the_evening(
    client: FlaskClient, app: APIFlask, table: str, tmp_path: Path
) -> None:
    settled, opened = dispute(client, table), dispute(client, table, 4)
    decide(client, table, "agreed", settled, seats=[1, 2], verdict="changed")
    listed = client.get("/api/disputes").json
    assert [(each["seq"], each["state"]) for each in listed["disputes"]] == [
        (opened, "open"),
        (settled, "agreed"),
    ]
    assert client.get("/api/disputes?skip=0&night=none").json["total"] == 0
    night = client.get(f"/api/nights/{table}").json
    assert night["disputes"] == {"opened": 2, "settled": 1}
    file = client.get("/api/nights.jsonl").data
    other = make_app(tmp_path / "other", ScannerDouble())
    try:
        for _ in range(2):
            form = {"file": FileStorage(io.BytesIO(file), "nights.jsonl")}
            assert other.test_client().post("/api/nights/import", data=form).status_code == 200
        assert other.test_client().get("/api/disputes").json == listed
        assert other.test_client().get("/api/nights.jsonl").data == file
    finally:
        context_of(other).store.close()


@pytest.mark.parametrize("kind", ["dealt", "scored", "corrected", "undone", "opened"])
def test_any_event_can_be_disputed(client: FlaskClient, table: str, kind: str) -> None:
    if kind == "scored":
        submit(
            client,
            table,
            {"kind": "scored", "data": {"new_round": True, "winners": [1], "seats": [{"points": 5}, {}]}},
        )
    if kind == "corrected":
        alternative = client.get(f"/api/tables/{table}/events/{MOVE}/alternatives").json["alternatives"][0]
        move = alternative["data"]
        submit(client, table, {"kind": "corrected", "data": {"of": MOVE, "kind": "moved", "data": move}})
    if kind == "undone":
        client.post(f"/api/tables/{table}/undo", json={})
    events = context_of_events(client, table)
    of = next(seq for seq, each in events if each == kind)
    found = dispute_of(client, table, dispute(client, table, of))
    assert found["dispute"]["kind"] == kind
    assert found["dispute"]["says"]["code"]


def context_of_events(client: FlaskClient, table: str) -> list[tuple[int, str]]:
    """Return the events of a table: number and type."""
    with context_of(client.application).tables.at(table) as found:
        return [(event.seq, event.kind) for event in found.events]


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("disputed", {"of": 999}),
        ("disputed", {"of": MOVE, "text": "x" * 401}),
        ("disputed", {"of": MOVE, "seat": 3}),
        ("disputed", {}),
        ("agreed", {"of": MOVE, "seats": [1], "verdict": "stands"}),
        ("agreed", {"of": MOVE, "seats": [], "verdict": "stands"}),
        ("ruled", {"of": MOVE, "verdict": "maybe"}),
    ],
)
def test_what_cannot_be_disputed_is_refused(
    client: FlaskClient, table: str, kind: str, content: dict[str, Any]
) -> None:
    before = client.get(f"/api/tables/{table}").json["seq"]
    assert submit(client, table, {"kind": kind, "data": content}).status_code == 422
    assert client.get(f"/api/tables/{table}").json["seq"] == before


def test_a_dispute_that_does_not_exist(client: FlaskClient, table: str) -> None:
    for seq in (MOVE, 999, "99999999999999999999"):
        response = client.get(f"/api/tables/{table}/disputes/{seq}")
        assert (response.status_code, "no dispute" in response.json["detail"]) == (422, True)
    assert client.get("/api/tables/none/disputes/1").status_code == 404


def test_a_seat_disputes_the_earlier_game_of_the_evening(
    client: FlaskClient, app: APIFlask, table: str
) -> None:
    """After a rematch the phones sit at the next table, and were refused at the one before, whose page has the button."""
    first, address = seat_phone(client, app, table, 1)
    second, _ = seat_phone(client, app, table, 2)
    assert client.post(f"/api/nights/{table}/rematch", json={}).status_code == 201
    seq = dispute(first, table, seat=1, **address)
    assert second.get(f"/api/tables/{table}/disputes/{seq}", **address).json["seat"] == 2
    decide(second, table, "agreed", seq, seats=[2], verdict="changed", options=address)
    decide(first, table, "agreed", seq, 403, seats=[1, 2], verdict="changed", options=address)
    decide(first, table, "undone", seq, options=address)
    assert dispute_of(client, table, seq)["dispute"]["state"] == "withdrawn"
    late = {"kind": "moved", "data": {"player": 1, "words": ["call", "koikoi"]}}
    assert submit(first, table, late, **address).status_code == 403
    elsewhere = open_table(client)
    submit(client, elsewhere, dealt(played_round(4)))
    dispute(first, elsewhere, 2, 403, seat=1, **address)


def test_another_reading_has_the_event_that_corrects_the_record_to_it(
    client: FlaskClient, table: str
) -> None:
    seq = dispute(client, table)
    reported, reading, *_ = dispute_of(client, table, seq)["readings"]
    assert reported["event"] is None
    assert (reading["event"]["kind"], reading["event"]["data"]["of"]) == ("corrected", MOVE)
    ruling = {"kind": "ruled", "data": {"of": seq, "verdict": "changed", "text": None}}
    assert submit(client, table, reading["event"], ruling).status_code == 200
    found = dispute_of(client, table, seq)
    assert (found["dispute"]["state"], found["dispute"]["verdict"]) == ("ruled", "changed")
    history = client.get(f"/api/tables/{table}").json["state"]["history"]
    words = [move["words"] for line in history for move in line["moves"] if move["seq"] == MOVE]
    assert words == [reading["event"]["data"]["data"]["words"]]
