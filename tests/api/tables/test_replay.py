"""The replay of a round over the API, and the probabilities of winning."""

from __future__ import annotations

import time
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.hanafuda.simulation import random_round, record_of
from tests.api.table_helpers import PHONE, dealt, moved, open_table, played_round, submit


def replay(client: FlaskClient, table: str, number: int = 1, status: int = 200, **options: Any) -> Any:
    response = client.get(f"/api/tables/{table}/rounds/{number}", **options)
    assert response.status_code == status, response.json
    return response.json


def odds(client: FlaskClient, table: str, number: int = 1) -> Any:
    """Return the probabilities of a round once all are computed."""
    for _ in range(600):
        response = client.get(f"/api/tables/{table}/rounds/{number}/odds")
        assert response.status_code == 200, response.json
        if response.json["state"] != "computing":
            return response.json
        time.sleep(0.05)
    raise AssertionError("the probabilities were never ready")


def test_a_round_is_replayed_step_by_step(client: FlaskClient) -> None:
    table, played = open_table(client), played_round(4)
    submit(client, table, dealt(played), *moved(played))
    result = replay(client, table)
    steps = result["steps"]
    assert [step["words"] for step in steps] == [[], *(list(move.words()) for move in played.moves)]
    assert [step["seq"] for step in steps] == list(range(2, len(steps) + 2))
    for step in steps:  # every card is in exactly one place
        board = step["board"]
        cards = [
            *board["field"],
            *(card for seat in board["seats"] for card in (*seat["cards"], *seat["captured"])),
        ]
        assert len(set(cards)) == len(cards) == 48 - board["stock"]
    last = steps[-1]["board"]["seats"]
    assert [seat["captured"] for seat in last] != [[], []]
    assert [sorted(seat["captured"]) for seat in last] == [sorted(played.captured(seat)) for seat in (1, 2)]
    outcome = played.outcome()
    assert result["result"]["points"] == list(outcome.points)
    assert result["before"] == [0, 0]


def test_the_hands_of_a_running_round_stay_hidden(client: FlaskClient) -> None:
    table, played = open_table(client), played_round(4)
    submit(client, table, dealt(played), *moved(played)[:3])
    result = replay(client, table, environ_base=PHONE)
    assert {
        card for step in result["steps"] for seat in step["board"]["seats"] for card in seat["cards"]
    } == {None}
    assert result["result"] is None
    assert client.get(f"/api/tables/{table}/rounds/1/odds").json["state"] == "none"


def test_a_result_has_no_steps(client: FlaskClient) -> None:
    table = open_table(client)
    scored = {"new_round": True, "winners": [1], "seats": [{"points": 5}, {}]}
    assert submit(client, table, {"kind": "scored", "data": scored}).status_code == 200
    result = replay(client, table)
    assert (result["steps"], result["result"]["points"]) == ([], [5, 0])
    assert client.get(f"/api/tables/{table}/rounds/1/odds").json["state"] == "none"


@pytest.mark.parametrize("game", ["koikoi", "kekoro", "kakkuri", "kingo", "kingo-bank"])
def test_every_game_is_replayed(client: FlaskClient, game: str) -> None:
    played = random_round(game, 2)
    record = record_of(played)
    names = ["Aiko", "Ben", "Chiyo", "Dai", "Emi", "Fumi", "Go", "Hana"][: played.players]
    table = open_table(client, game=game, players=names)
    skipped = {"game", "rules", "players", "turns", "result"}
    deal = {"kind": "dealt", "data": {key: value for key, value in record.items() if key not in skipped}}
    for event in (deal, *moved(played)):
        assert submit(client, table, event).status_code == 200
    result = replay(client, table)
    assert [step["moves"] for step in result["steps"]] == list(range(len(played.moves) + 1))
    assert result["result"]["points"] == list(played.outcome().points)


def test_the_probabilities_end_at_the_result(client: FlaskClient) -> None:
    table, played = open_table(client), played_round(4)
    submit(client, table, dealt(played), *moved(played))
    result = odds(client, table)
    assert result["state"] == "ready"
    assert len(result["after"]) == result["positions"] == len(played.moves) + 1
    first, last = result["after"][0], result["after"][-1]
    assert first["playouts"] > 0
    assert first["wins"][0]["low"] < first["wins"][0]["p"] < first["wins"][0]["high"]
    winners = played.outcome().winners
    assert [win["p"] for win in last["wins"]] == [float(seat in winners) for seat in (1, 2)]
    assert result["policy"]["code"] == "koikoi-policy"


@pytest.mark.parametrize("number", ["0", "2", "999999999999999999999"])
def test_a_round_that_does_not_exist(client: FlaskClient, number: str) -> None:
    table, played = open_table(client), played_round(4)
    submit(client, table, dealt(played))
    for path in (f"/api/tables/{table}/rounds/{number}", f"/api/tables/{table}/rounds/{number}/odds"):
        response = client.get(path)
        assert response.status_code == 422
        assert "no round" in response.json["detail"]
    assert client.get("/api/tables/none/rounds/1").status_code == 404
    assert client.get(f"/api/tables/{table}/rounds/x").status_code == 404
