"""Readers at a live table: tags to cards, cards to the referee, and what he says to everybody who follows."""

from __future__ import annotations

import time
from typing import Any

import pytest
from flask.testing import FlaskClient
from table_helpers import PHONE, open_table

FIELD = (
    "pine-chaff-1", "plum-ribbon", "cherry-ribbon", "wisteria-chaff-1",
    "iris-ribbon", "peony-ribbon", "clover-boar", "susuki-geese",
)  # fmt: skip
#: How long the tests wait for the referee, s: a busy machine is slow.
PATIENCE = 20.0


@pytest.fixture
def table(client: FlaskClient) -> str:
    return open_table(client)


def scan(
    client: FlaskClient,
    table: str,
    *cards: str,
    place: str = "field",
    device: str = "reader",
    present: bool = True,
    **more: Any,
) -> Any:
    """Scan stickers: their text is the card."""
    key = "uid" if more.pop("uid", True) else "text"
    scans = [{key: f"hanafuda:{card}", "present": present} for card in cards]
    environ = more.pop("environ_base", {})
    body = {"device": device, "place": place, "scans": scans, **more}
    return client.post(f"/api/tables/{table}/scans", json=body, environ_base=environ)


def events(client: FlaskClient, table: str) -> list[dict[str, Any]]:
    state = client.get(f"/api/tables/{table}").json
    log = client.get(f"/api/tables/{table}/records")
    assert log.status_code == 200
    return [state]


def view(client: FlaskClient, table: str) -> dict[str, Any]:
    state: dict[str, Any] = client.get(f"/api/tables/{table}").json["state"]
    return state


def until(client: FlaskClient, table: str, holds: Any) -> dict[str, Any]:
    """Wait until a table's view is as wanted, and return it."""
    end = time.monotonic() + PATIENCE
    while not holds(state := view(client, table)):
        assert time.monotonic() < end, state
        time.sleep(0.02)
    return state


def test_a_deal_and_a_turn_are_told_by_readers_alone(client: FlaskClient, table: str) -> None:
    answer = scan(client, table, *FIELD)
    assert answer.status_code == 200
    assert answer.json == {"seq": 1, "said": [], "unknown": []}
    dealt = until(client, table, lambda state: state["round"])
    assert sorted(dealt["round"]["field"]) == sorted(FIELD)
    scan(client, table, "pine-crane", "maple-deer")
    scan(client, table, "pine-crane", "pine-chaff-1", present=False)
    scan(client, table, "pine-crane", "pine-chaff-1", place="captured-1", device="tray-1")
    state = until(client, table, lambda state: len(state["history"]) > 1)
    line = state["history"][-1]
    assert (line["seat"], line["play"], line["draw"]) == (1, "pine-crane", "maple-deer")
    assert (line["source"], line["actor"], line["pictures"]) == ("scanner", "tray-1", {"before": None, "after": None})
