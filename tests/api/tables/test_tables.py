"""Live tables over HTTP: opening, reporting, undoing, correcting; permissions; and a log that refuses writes."""

from __future__ import annotations

import gc
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.live import live_tables
from companion.store import LogWriteError, sqlite_database
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import PHONE, dealt, messages, moved, open_table, played_round, submit


def slug(response: Any) -> tuple[int, str]:
    return response.status_code, response.json["type"].rpartition("/")[2]


def pair(client: FlaskClient, role: str = "scorer", name: str = "Aki") -> None:
    """Pair the phone that the client is when it has PHONE's address."""
    pin = client.post("/api/pairings", json={"role": role, "name": name}).json["pin"]
    assert client.post("/api/pair", json={"pin": pin}, environ_base=PHONE).status_code == 200


@pytest.fixture
def table(client: FlaskClient) -> str:
    return open_table(client)


# --- opening and reading


def test_a_table_is_opened_listed_and_read(client: FlaskClient) -> None:
    assert client.get("/api/tables").json == {"tables": []}
    table = open_table(client, name="Parlour", rules="koikoi-hu", deck="hanafuda")
    (listed,) = client.get("/api/tables").json["tables"]
    assert {
        key: listed[key] for key in ("id", "seq", "name", "game", "deck", "players", "following", "camera")
    } == {
        "id": table,
        "seq": 1,
        "name": "Parlour",
        "game": "koikoi",
        "deck": "hanafuda",
        "players": ["Aiko", "Ben"],
        "following": 0,
        "camera": "absent",
    }
    assert listed["rules"]["name"] == "koikoi-hu"
    found = client.get(f"/api/tables/{table}").json
    assert (found["id"], found["seq"]) == (table, 1)
    assert found["state"]["table"]["id"] == table
    assert found["state"]["table"]["rules"]["name"] == "koikoi-hu"


def test_the_table_where_something_happened_last_is_first(client: FlaskClient) -> None:
    first, second = open_table(client, name="first"), open_table(client, name="second")
    assert [each["id"] for each in client.get("/api/tables").json["tables"]] == [second, first]
    submit(client, first, dealt(played_round()))
    assert [each["id"] for each in client.get("/api/tables").json["tables"]] == [first, second]
    assert [each["id"] for each in client.get("/api/tables?limit=1").json["tables"]] == [first]
    assert [client.get(f"/api/tables?limit={limit}").status_code for limit in ("0", "1001", "x")] == [422] * 3


@pytest.mark.parametrize(
    ("game", "count", "language", "detail"),
    [
        ("kakkuri", 3, "en", "By the rules “Passing costs”, 7–8 play, not 3."),
        ("kingo", 8, "ja", "ルール「場の碁石を争う」は2–7人です（8人が選ばれています）。"),
    ],
)
def test_a_wrong_number_of_players_is_refused_in_words(
    client: FlaskClient, game: str, count: int, language: str, detail: str
) -> None:
    """The refusal named the rules by their id."""
    players = [str(number) for number in range(count)]
    response = client.post(
        "/api/tables", json={"game": game, "players": players}, headers={"Accept-Language": language}
    )
    assert (response.status_code, response.json["detail"]) == (422, detail)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"players": ["Aiko"]}, "2"),
        ({"players": ["A", "B", "C"]}, "2"),
        ({"game": "bridge"}, "bridge"),
        ({"rules": "koikoi-huh"}, "koikoi-hu"),
        ({"rules": "kekoro-standard"}, "koikoi"),
        ({"players": "Aiko"}, "players"),
        ({"more": 1}, "more"),
    ],
)
def test_what_opens_no_table(client: FlaskClient, asked: dict[str, Any], says: str) -> None:
    response = client.post("/api/tables", json={"game": "koikoi", "players": ["A", "B"], **asked})
    assert response.status_code == 422
    assert says in response.json["detail"]
    assert client.get("/api/tables").json == {"tables": []}


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("GET", ""),
        ("GET", "/events"),
        ("HEAD", "/events"),
        ("POST", "/events"),
        ("POST", "/undo"),
        ("GET", "/moves"),
        ("GET", "/events/1/alternatives"),
        ("GET", "/records"),
        ("POST", "/rescan"),
        ("GET", "/camera"),
        ("GET", "/camera.jpg"),
        ("GET", "/layout"),
        ("PUT", "/layout"),
        ("GET", "/pictures/x"),
    ],
)
@pytest.mark.parametrize("table", ["nix", "..", "0" * 300, "%00", "桜"])
def test_no_such_table(client: FlaskClient, method: str, more: str, table: str) -> None:
    bodies = {"/events": {"events": [{"kind": "settled", "data": {"of": 1}}]}, "/layout": {"layout": None}}
    options = {"json": bodies.get(more, {})} if method in {"POST", "PUT"} else {}
    response = client.open(f"/api/tables/{table}{more}", method=method, **options)
    assert response.status_code == 404
    assert response.mimetype == "application/problem+json"


# --- reporting


def test_a_round_reported_by_hand_is_the_round(client: FlaskClient, table: str) -> None:
    played = played_round()
    reported = submit(client, table, dealt(played), *moved(played), expect=1)
    assert (reported.status_code, reported.json["seq"]) == (200, 2 + len(played.moves))
    assert [event["kind"] for event in reported.json["events"]] == ["dealt"] + ["moved"] * len(played.moves)
    assert {event["group"] for event in reported.json["events"]} == {2}
    assert {(event["actor"], event["source"]) for event in reported.json["events"]} == {
        ("this machine", "phone")
    }
    outcome = played.outcome()
    assert outcome is not None
    assert reported.json["state"]["night"]["points"] == list(outcome.points)
    assert client.get(f"/api/tables/{table}").json == {
        "id": table,
        "seq": reported.json["seq"],
        "state": reported.json["state"],
    }
    (record,) = map(__import__("json").loads, client.get(f"/api/tables/{table}/records").text.splitlines())
    assert record["result"]["points"] == {"1": outcome.points[0], "2": outcome.points[1]}


def test_the_moves_that_are_listed_can_be_made(client: FlaskClient, table: str) -> None:
    assert client.get(f"/api/tables/{table}/moves").json == {"seq": 1, "moves": []}
    played = played_round()
    submit(client, table, dealt(played))
    listed = client.get(f"/api/tables/{table}/moves").json
    first = played.moves[0]
    wanted = {"player": first.player, "words": list(first.words())}
    (found,) = (move for move in listed["moves"] if {key: move[key] for key in wanted} == wanted)
    assert found["says"].keys() - {"params"} == {"code", "message"}
    assert submit(client, table, {"kind": "moved", "data": wanted}, expect=listed["seq"]).status_code == 200


def test_a_report_after_another_event_is_refused(client: FlaskClient, table: str) -> None:
    played = played_round()
    submit(client, table, dealt(played))
    late = submit(client, table, moved(played)[0], expect=1)
    assert slug(late) == (409, "out-of-step")
    assert late.json["seq"] == 2
    assert submit(client, table, moved(played)[0], expect=2).status_code == 200


def test_a_request_sent_again_counts_once(client: FlaskClient, table: str) -> None:
    played = played_round()
    first = submit(client, table, dealt(played), expect=1, key="a1")
    again = submit(client, table, dealt(played), expect=1, key="a1")
    assert (again.status_code, again.json) == (200, first.json)
    submit(client, table, moved(played)[0])
    late = submit(client, table, dealt(played), expect=1, key="a1").json
    assert (late["events"], late["seq"]) == (first.json["events"], 3)


def test_a_key_counts_at_its_own_table_only(client: FlaskClient, table: str) -> None:
    played = played_round()
    other = open_table(client)
    assert submit(client, table, dealt(played), key="a1").json["seq"] == 2
    assert submit(client, other, dealt(played), key="a1").json["seq"] == 2


def test_an_illegal_move_is_refused_with_all_problems(client: FlaskClient, table: str) -> None:
    played = played_round()
    submit(client, table, dealt(played))
    wrong = {"kind": "moved", "data": {"player": 3 - played.dealer, "words": ["play", "pine-crane"]}}
    response = submit(client, table, wrong)
    assert slug(response) == (422, "illegal-move")
    for each in response.json["problems"]:
        assert each["code"]
        assert each["message"].keys() - {"params"} == {"code", "message"}
    assert client.get(f"/api/tables/{table}").json["seq"] == 2


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "moved", "data": {}},
        {"kind": "moved", "data": {"player": 9, "words": ["play", "pine-crane"]}},
        {"kind": "moved", "data": {"player": 1, "words": ["fly"]}},
        {"kind": "moved", "data": {"player": 1, "words": "play"}},
        {"kind": "moved"},
        {"kind": "dealt", "data": {"deal": 7}},
        {"kind": "undone", "data": {"of": 99}},
        {"kind": "corrected", "data": {"of": 1, "kind": "noticed", "data": {}}},
        {"kind": "answered", "data": {"of": 1, "choice": 0}},
        {"kind": "noticed", "data": {"code": "x", "message": {"en": "x", "ja": "x"}}},
        {"kind": "asked", "data": {}},
        {"kind": "opened", "data": {}},
        {"kind": "nix", "data": {}},
        {"kind": "moved", "data": [], "more": 1},
    ],
)
def test_what_cannot_be_leaves_everything_as_it_was(
    client: FlaskClient, table: str, event: dict[str, Any]
) -> None:
    before = client.get(f"/api/tables/{table}").json
    response = submit(client, table, event)
    assert response.status_code == 422
    assert client.get(f"/api/tables/{table}").json == before


def test_all_of_a_request_is_taken_or_nothing(client: FlaskClient, table: str) -> None:
    played = played_round()
    wrong = {"kind": "moved", "data": {"player": 1, "words": ["fly"]}}
    assert submit(client, table, dealt(played), moved(played)[0], wrong).status_code == 422
    assert client.get(f"/api/tables/{table}").json["seq"] == 1


# --- undoing and correcting


def test_undo_and_undo_of_the_undo(client: FlaskClient, table: str) -> None:
    assert slug(client.post(f"/api/tables/{table}/undo", json={})) == (409, "nothing-to-undo")
    played = played_round()
    reported = submit(client, table, dealt(played), *moved(played)[:2]).json
    undone = client.post(f"/api/tables/{table}/undo", json={"expect": reported["seq"], "key": "u"})
    assert [(event["kind"], event["data"]) for event in undone.json["events"]] == [("undone", {"of": 2})]
    assert undone.json["state"]["round"] is None
    again = client.post(f"/api/tables/{table}/undo", json={"expect": reported["seq"], "key": "u"})
    assert again.json == undone.json
    brought = submit(client, table, {"kind": "undone", "data": {"of": undone.json["seq"]}})
    assert brought.json["state"]["round"] == reported["state"]["round"]


def test_a_correction_changes_what_follows(client: FlaskClient, table: str) -> None:
    played = played_round()
    submit(client, table, dealt(played))
    submit(client, table, moved(played)[0])
    offered = client.get(f"/api/tables/{table}/events/3/alternatives").json
    assert offered["seq"] == 3
    assert offered["alternatives"]
    instead = offered["alternatives"][0]
    data = {"of": 3, "kind": instead["kind"], "data": instead["data"]}
    corrected = submit(client, table, {"kind": "corrected", "data": data})
    assert corrected.status_code == 200, corrected.json
    assert corrected.json["state"]["history"][-1]["corrected"] is True
    assert slug(client.get(f"/api/tables/{table}/events/99/alternatives")) == (404, "no-such-event")


# --- permissions


@pytest.mark.parametrize("role", ["scorer", "host", "device", None])
@pytest.mark.parametrize(
    ("event", "allowed"),
    [
        ({"kind": "dealt", "data": {"deal": {}}}, {"scorer", "host"}),
        ({"kind": "moved", "data": {}}, {"scorer", "host", "device"}),
        ({"kind": "undone", "data": {"of": 1}}, {"host", "device"}),
        ({"kind": "seated", "data": {}}, {"host"}),
        ({"kind": "abandoned", "data": {}}, {"host"}),
        ({"kind": "set", "data": {}}, {"host"}),
        ({"kind": "scored", "data": {}}, {"scorer", "host"}),
        ({"kind": "corrected", "data": {"of": 1, "kind": "opened", "data": {}}}, {"host"}),
        ({"kind": "inserted", "data": {"before": 1, "kind": "abandoned", "data": {}}}, {"host"}),
        ({"kind": "corrected", "data": {"of": 1, "kind": None}}, {"host"}),
    ],
)
def test_who_may_report_what(
    client: FlaskClient, table: str, event: dict[str, Any], allowed: set[str], role: str | None
) -> None:
    headers = {}
    if role is not None:
        pin = client.post("/api/pairings", json={"role": role}).json["pin"]
        token = client.post("/api/pair", json={"pin": pin}, environ_base=PHONE).json["token"]
        headers = {"Authorization": f"Bearer {token}"} if token else {}
    response = submit(client, table, event, environ_base=PHONE, headers=headers)
    if role in allowed:
        assert response.status_code != 403
    else:
        assert slug(response) == (403, "not-paired" if role is None else "role-too-low")


@pytest.mark.parametrize(
    ("path", "body"), [("", {"game": "koikoi", "players": ["A", "B"]}), ("/undo", {}), ("/rescan", {})]
)
def test_looking_is_free_and_writing_is_not(
    client: FlaskClient, table: str, path: str, body: dict[str, Any]
) -> None:
    where = f"/api/tables{f'/{table}{path}' if path else ''}"
    assert slug(client.post(where, json=body, environ_base=PHONE)) == (403, "not-paired")
    assert client.get(f"/api/tables/{table}", environ_base=PHONE).status_code == 200


def test_events_have_their_reporter(client: FlaskClient, table: str) -> None:
    pair(client, name="Aki")
    (event,) = submit(client, table, dealt(played_round()), environ_base=PHONE).json["events"]
    assert (event["actor"], event["source"]) == ("Aki", "phone")


# --- the log


def test_a_table_outlives_the_program(app: APIFlask, client: FlaskClient, data: Path, table: str) -> None:
    played = played_round()
    reported = submit(client, table, dealt(played), *moved(played), key="a1").json
    context_of(app).store.close()
    again = make_app(data, ScannerDouble())
    try:
        after = again.test_client()
        assert after.get(f"/api/tables/{table}").json["state"] == reported["state"]
        assert submit(after, table, dealt(played), key="a1").json["events"] == reported["events"]
    finally:
        context_of(again).store.close()


@pytest.mark.parametrize(
    ("fault", "refusal"), [("locked", (503, "log-busy")), ("full", (507, "log-not-written"))]
)
def test_what_the_log_refuses_did_not_happen(
    app: APIFlask,
    client: FlaskClient,
    data: Path,
    table: str,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    refusal: tuple[int, str],
) -> None:
    played = played_round()
    stream = client.get(f"/api/tables/{table}/events", buffered=False)
    following = messages(stream)
    assert next(following)[0] == "snapshot"
    if fault == "locked":
        monkeypatch.setattr(sqlite_database, "BUSY_S", 0.01)
        other = sqlite3.connect(data / "log.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        response = submit(client, table, dealt(played), key="k")
        other.execute("ROLLBACK")
        other.close()
    else:

        def full(*_: object, **__: object) -> None:
            raise LogWriteError("the log could not be written (database or disk is full)")

        with monkeypatch.context() as patched:
            patched.setattr(context_of(app).store.tables, "append", full)
            response = submit(client, table, dealt(played), key="k")
    assert slug(response) == refusal
    assert client.get(f"/api/tables/{table}").json["seq"] == 1
    # Nothing was published in between: the next message is that of the next attempt.
    assert submit(client, table, dealt(played), key="k", expect=1).status_code == 200
    event, seq, _ = next(following)
    assert (event, seq) == ("change", "2")
    stream.close()


@pytest.mark.parametrize(("most", "unused", "stay"), [(2, 900.0, 2), (32, 0.0, 1)])
def test_only_tables_in_use_stay_in_memory(
    data: Path, monkeypatch: pytest.MonkeyPatch, most: int, unused: float, stay: int
) -> None:
    monkeypatch.setattr(live_tables, "MAX_FOLDED", most)
    monkeypatch.setattr(live_tables, "UNUSED_S", unused)
    app = make_app(data, ScannerDouble())
    client = app.test_client()
    tables = [open_table(client) for _ in range(5)]
    for table in tables:
        submit(client, table, dealt(played_round()))
    gc.collect()
    assert len(context_of(app).tables._entries) == stay
    for table in tables:
        assert client.get(f"/api/tables/{table}").json["state"]["round"]["number"] == 1
        assert submit(client, table, moved(played_round())[0], expect=2).status_code == 200
