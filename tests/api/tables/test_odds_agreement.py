"""The odds on the display: only if every player agreed, and only from what everybody can see."""

from __future__ import annotations

import time
from typing import Any

from apiflask import APIFlask
from flask.testing import FlaskClient

from tests.api.table_helpers import dealt, moved, open_table, played_round, submit
from tests.api.tables.test_disputes import seat_phone

MOVES = 6
PATIENCE_S = 20.0


def agree(client: FlaskClient, table: str, *seats: int, agrees: bool = True, **options: Any) -> int:
    event = {"kind": "odds", "data": {"seats": list(seats), "agrees": agrees}}
    return submit(client, table, event, **options).status_code


def odds(client: FlaskClient, table: str) -> dict[str, Any]:
    """Return the odds as soon as they are computed."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := client.get(f"/api/tables/{table}/odds").json)["state"] == "computing":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return dict(found)


def is_displayed(client: FlaskClient, table: str) -> bool:
    return bool(client.get(f"/api/tables/{table}").json["state"]["odds"]["shown"])


def test_hands_that_somebody_knows_do_not_change_the_odds(client: FlaskClient) -> None:
    played = played_round(2)
    known = dealt(played)
    public = {"kind": "dealt", "data": {**known["data"], "deal": {"field": known["data"]["deal"]["field"]}}}
    found = []
    for deal in (known, public):
        table = open_table(client)
        assert odds(client, table)["state"] == "off"
        assert submit(client, table, deal, *moved(played)[:MOVES]).status_code == 200
        assert odds(client, table)["state"] == "off"
        assert agree(client, table, 1) == 200
        assert not is_displayed(client, table)
        assert agree(client, table, 2) == 200
        answer = odds(client, table)
        assert answer["state"] == "ready"
        found.append(answer["odds"])
    assert found[0] == found[1]
    assert 0.99 < sum(each["p"] for each in (*found[0]["wins"], found[0]["nobody"])) < 1.01


def test_nobody_is_made_to_agree(client: FlaskClient, app: APIFlask) -> None:
    table = open_table(client)
    phone, address = seat_phone(client, app, table, 1)
    assert agree(client, table, 1, 2) == 403
    assert agree(client, table, 2) == 200
    assert agree(phone, table, 2, **address) == 403
    assert agree(phone, table, 1, **address) == 200
    assert is_displayed(client, table)
    assert agree(phone, table, 1, agrees=False, **address) == 200
    seq = client.get(f"/api/tables/{table}").json["seq"]
    assert submit(client, table, {"kind": "undone", "data": {"of": seq}}).status_code == 200
    assert client.get(f"/api/tables/{table}").json["state"]["odds"] == {"seats": [], "shown": False}


def test_malformed_agreements_are_refused(client: FlaskClient) -> None:
    table = open_table(client)
    for data in (
        {},
        {"seats": [9], "agrees": True},
        {"seats": 1, "agrees": True},
        {"seats": [1], "agrees": "yes"},
    ):
        assert submit(client, table, {"kind": "odds", "data": data}).status_code == 422
    assert client.get("/api/tables/nosuch/odds").status_code == 404
