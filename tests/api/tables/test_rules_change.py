"""Changing the rules of a running evening over HTTP: by whom, by which name, and what follows from it."""

from __future__ import annotations

from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from companion.hanafuda.rules import resolve
from companion.hanafuda.rules.share import encode
from tests.api.access_helpers import ASKERS, paired_as
from tests.api.api_helpers import context_of
from tests.api.table_helpers import dealt, moved, open_table, played_round, submit

OURS = resolve({"preset": "koikoi-hu", "three_brights": 50, "rounds": 3})


def change(client: FlaskClient, table: str, rules: Any, **options: Any) -> Any:
    return client.post(f"/api/tables/{table}/rules", json={"rules": rules, **options})


def play(client: FlaskClient, table: str, seed: int) -> None:
    """Play a whole round, even if it is another player's turn to deal."""
    played = played_round(seed)
    for event in (dealt(played), *moved(played)):
        event["data"]["unchecked"] = True
        assert submit(client, table, event).status_code == 200


@pytest.mark.parametrize(
    ("rules", "name"),
    [("Ours", "Ours"), (encode(OURS), "koikoi-hu with 2 changes"), ("koikoi-hu", "koikoi-hu")],
)
def test_the_next_rounds_have_rules_by_name_or_code(
    app: APIFlask, client: FlaskClient, rules: str, name: str
) -> None:
    context_of(app).store.house_rules.save("Ours", OURS, "a test")
    table = open_table(client)
    answer = change(client, table, rules)
    assert answer.status_code == 200, answer.json
    (event,) = answer.json["events"]
    assert (event["kind"], event["data"]["rules_name"]) == ("rules_changed", name)
    assert event["data"]["rules"] == resolve(OURS if rules == "Ours" else rules).to_dict()
    state = answer.json["state"]
    assert state["table"]["rules"]["name"] == name
    assert [line["kind"] for line in state["history"]] == ["rules"]


def test_a_running_round_keeps_its_rules(client: FlaskClient) -> None:
    table = open_table(client)
    played = played_round(1)
    submit(client, table, dealt(played))
    state = change(client, table, encode(OURS)).json["state"]
    assert state["table"]["rules"]["name"] == "koikoi-standard"
    assert state["table"]["next_rules"]["hash"] == OURS.hash
    assert {seat["rules"]["hash"] for seat in state["round"]["seats"]} == {resolve(None).hash}
    state = submit(client, table, *moved(played)).json["state"]
    assert state["table"]["rules"]["hash"] == OURS.hash
    assert state["night"]["rounds"][0]["rules"]["hash"] == resolve(None).hash
    undone = client.post(f"/api/tables/{table}/undo", json={})
    assert undone.status_code == 200


def test_the_log_of_nights_has_the_rules_of_each_round_and_a_rematch_the_last(client: FlaskClient) -> None:
    table = open_table(client)
    play(client, table, 1)
    change(client, table, encode(OURS))
    play(client, table, 2)
    (game,) = client.get(f"/api/nights/{table}").json["games"]
    assert [each["rules"]["hash"] for each in game["rounds"]] == [resolve(None).hash, OURS.hash]
    assert game["rules"]["hash"] == OURS.hash
    rematch = client.post(f"/api/nights/{table}/rematch", json={}).json["id"]
    state = client.get(f"/api/tables/{rematch}").json["state"]
    assert state["table"]["rules"]["hash"] == OURS.hash


def test_rules_of_another_game_and_unknown_ones_are_refused(client: FlaskClient) -> None:
    table = open_table(client)
    for rules, slug in (
        ("kekoro", "wrong-game"),
        ("Nobody's", "unknown-preset"),
        ({"rounds": 0}, "bad-rule-value"),
    ):
        answer = change(client, table, rules)
        assert (answer.status_code, answer.json["type"]) == (422, f"/problems/{slug}")
    assert client.get(f"/api/tables/{table}").json["seq"] == 1


def test_a_repeated_request_changes_the_rules_once(client: FlaskClient) -> None:
    table = open_table(client)
    for _ in range(2):
        assert change(client, table, "koikoi-hu", expect=1, key="0123456789abcdef").status_code == 200
    assert client.get(f"/api/tables/{table}").json["seq"] == 2
    assert change(client, table, "koikoi-guide", expect=1).status_code == 409


@pytest.mark.parametrize("name", sorted(set(ASKERS) - {"host"}))
def test_only_a_host_changes_the_rules(app: APIFlask, client: FlaskClient, name: str) -> None:
    table = open_table(client)
    asker = paired_as(app, name)
    sender = asker.client(app)
    event = {"kind": "rules_changed", "data": {"rules": OURS.to_dict()}}
    for path, body in (("rules", {"rules": "koikoi-hu"}), ("events", {"events": [event]})):
        answer = sender.post(f"/api/tables/{table}/{path}", json=body, **asker.options)
        assert answer.status_code == 403
    assert client.get(f"/api/tables/{table}").json["seq"] == 1
