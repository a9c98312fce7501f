"""Results of rounds without moves over HTTP: the form, the preview, the record, and the piles in a photograph."""

from __future__ import annotations

import io
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from tests.api.api_helpers import ScannerDouble, jpeg
from tests.api.table_helpers import PHONE, open_table, submit

THREE = {"winners": [1], "seats": [{"yaku": {"three-brights": 0}}, {"calls": 1}]}


def test_the_form_previews_and_records_a_round(client: FlaskClient) -> None:
    table = open_table(client)
    form = client.get(f"/api/tables/{table}/result").json
    assert (form["winners"], form["nobody"], form["calls"], form["piles"]) == ("one", True, True, True)
    assert (form["round"], form["month"], form["new_round"]) == (1, 1, True)
    data = {"new_round": True, **THREE}
    preview = client.post(f"/api/tables/{table}/result", json={"data": data})
    assert preview.status_code == 200
    assert preview.json["points"] == [10, 0]
    assert preview.json["seats"][0]["yaku"] == [{"name": "three-brights", "points": 5}]
    state = submit(client, table, {"kind": "scored", "data": data}).json["state"]
    assert state["night"]["points"] == [10, 0]
    (line,) = state["history"]
    assert (line["kind"], line["seat"], line["data"]["winners"]) == ("result", 1, [1])
    (game,) = client.get(f"/api/nights/{table}").json["games"]
    (result,) = game["rounds"]
    assert result["seats"][0]["yaku"] == [{"name": "three-brights", "points": 5}]
    assert [seat["calls"] for seat in result["seats"]] == [0, 1]
    assert client.get(f"/api/tables/{table}/result", query_string={"of": line["seq"]}).json["round"] == 1


@pytest.mark.parametrize(
    "result",
    [
        {"winners": [3]},
        {"winners": [1], "seats": [{}]},
        {"winners": [1], "seats": [{"yaku": ["three-brights"]}, {}]},
        {"winners": [1], "seats": [{"yaku": {"three-brights": -1}}, {}]},
        {"winners": [1], "seats": [{"calls": 99}, {}]},
        {"winners": [1], "seats": [{"tricks": 1}, {}]},
        {"winners": [1], "how": "flying", "seats": [{}, {}]},
        {"winners": [1], "seats": [{"captured": ["pine-crane"] * 200}, {}]},
    ],
)
def test_a_malformed_result_is_refused(client: FlaskClient, result: dict[str, Any]) -> None:
    table = open_table(client)
    for response in (
        client.post(f"/api/tables/{table}/result", json={"data": result}),
        submit(client, table, {"kind": "scored", "data": {"new_round": True, **result}}),
    ):
        assert response.status_code in {400, 422}, response.json
    assert client.get(f"/api/tables/{table}").json["seq"] == 1


def test_the_reason_of_a_refusal_names_the_player(client: FlaskClient) -> None:
    table = open_table(client)
    data = {"new_round": True, "winners": [1], "seats": [{}, {}]}
    for response in (
        client.post(f"/api/tables/{table}/result", json={"data": data}),
        submit(client, table, {"kind": "scored", "data": data}),
    ):
        assert "Aiko needs a yaku" in response.json["detail"]


def test_a_phone_that_only_watches_records_nothing(client: FlaskClient) -> None:
    table = open_table(client)
    event = {"kind": "scored", "data": {"new_round": True, **THREE}}
    assert submit(client, table, event, environ_base=PHONE).status_code in {401, 403}


def test_a_photograph_of_piles_is_read(client: FlaskClient, scanner: ScannerDouble) -> None:
    table = open_table(client)
    scanner.cards = ("susuki-moon", None, "back", "pine-crane")
    image = FileStorage(io.BytesIO(jpeg()), "piles.jpg")
    boundary, body = encode_multipart({"image": image})
    response = client.post(
        f"/api/tables/{table}/piles",
        data=body,
        content_type=f'multipart/form-data; boundary="{boundary}"',
    )
    assert response.status_code == 200, response.json
    assert [card["card"] for card in response.json["cards"]] == ["susuki-moon", None, "pine-crane"]
    assert all(0 <= x <= 1 and 0 <= y <= 1 for card in response.json["cards"] for x, y in card["quad"])
    assert client.get("/api/scans").json["scans"] == []
