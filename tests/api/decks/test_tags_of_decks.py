"""Tags of a deck over HTTP: paired, moved, removed; the last scans; stickers to print."""

from __future__ import annotations

import json
from typing import Any
from unittest import mock

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.routes.decks import LastScanOut, TagsOut
from companion.hanafuda.cards import DECKS
from tests.api.api_helpers import context_of
from tests.api.table_helpers import open_table

PHONE = {"REMOTE_ADDR": "192.0.2.7"}
TAGS = "/api/decks/hanafuda/tags"


def slug(response: Any) -> tuple[int, str]:
    return response.status_code, response.json["type"].rpartition("/")[2]


def pair(client: FlaskClient, uid: str, card: str | None, **more: Any) -> Any:
    return client.post(TAGS, json={"uid": uid, "card": card, **more})


def scan(client: FlaskClient, **reported: Any) -> None:
    body = {"devices": [], "ports": [], "scans": [{"device": "tray-1", **reported}]}
    assert client.post("/api/devices/report", json=body).status_code == 200


def test_a_tag_is_paired_moved_and_taken_off(client: FlaskClient) -> None:
    assert client.get(TAGS).json == {"deck": "hanafuda", "pack": "hanafuda", "tags": {}, "problem": None}
    answer = pair(client, "04:a1:b2:c3", "pine-crane")
    TagsOut.model_validate(answer.json)
    assert answer.json["tags"] == {"04A1B2C3": "pine-crane"}

    refused = pair(client, "04a1b2c3", "plum-ribbon")
    assert slug(refused) == (409, "tag-taken")
    assert refused.json["card"] == "pine-crane"
    assert pair(client, "04a1b2c3", "plum-ribbon", move=True).json["tags"] == {"04A1B2C3": "plum-ribbon"}
    assert pair(client, "04A1B2C3", None).json["tags"] == {}


def test_all_are_put_at_once(client: FlaskClient) -> None:
    reported = {"AA01": "pine-crane", "AA02": "pine-crane", "AA03": "maple-deer"}
    assert client.put(TAGS, json={"tags": reported}).json["tags"] == reported
    assert client.put(TAGS, json={"tags": {}, "deck": "hanafuda"}).json["tags"] == {}
    assert client.put(TAGS, json={"tags": {}, "deck": "granny"}).status_code == 422


@pytest.mark.parametrize(
    ("reported", "status", "says"),
    [
        ({"uid": "AA01", "card": "pine-crain"}, 422, "did you mean pine-crane"),
        ({"uid": "AA01", "card": "clubs-1"}, 422, "belongs to another"),
        ({"uid": "hanafuda:pine-crane", "card": "pine-crane"}, 422, "needs no pairing"),
        ({"uid": "", "card": "pine-crane"}, 422, "uid"),
        ({"uid": " ", "card": "pine-crane"}, 422, "is not a tag"),
        ({"uid": "x" * 513, "card": "pine-crane"}, 422, "uid"),
        ({"uid": 7, "card": "pine-crane"}, 422, "uid"),
        ({"uid": "AA01"}, 422, "card"),
        ({"uid": "AA01", "card": "pine-crane", "move": "yes"}, 422, "move"),
    ],
)
def test_what_cannot_be_paired(client: FlaskClient, reported: dict[str, Any], status: int, says: str) -> None:
    refused = client.post(TAGS, json=reported)
    assert refused.status_code == status
    assert says in refused.json["detail"]
    assert client.get(TAGS).json["tags"] == {}


@pytest.mark.parametrize("deck", ["nix", "..", "a b", "%2e%2e", "x" * 200])
def test_a_deck_that_is_not_here(client: FlaskClient, deck: str) -> None:
    for answer in (
        client.get(f"/api/decks/{deck}/tags"),
        client.post(f"/api/decks/{deck}/tags", json={"uid": "AA01", "card": "pine-crane"}),
        client.get(f"/api/decks/{deck}/labels.pdf"),
    ):
        assert answer.status_code == 404, answer.json


@pytest.mark.parametrize(
    ("role", "may"), [(None, False), ("camera", False), ("scorer", True), ("device", True), ("host", True)]
)
def test_who_may_pair_and_see_what_is_scanned(
    client: FlaskClient, app: APIFlask, role: str | None, may: bool
) -> None:
    options: dict[str, Any] = {"environ_base": PHONE}
    phone = app.test_client()
    if role is not None:
        pin = client.post("/api/pairings", json={"role": role}).json["pin"]
        token = phone.post("/api/pair", json={"pin": pin}, **options).json["token"]
        if token:
            options["headers"] = {"Authorization": f"Bearer {token}"}
    answers = (
        phone.post(TAGS, json={"uid": "AA01", "card": "pine-crane"}, **options),
        phone.put(TAGS, json={"tags": {}}, **options),
        phone.get("/api/tags/last", **options),
    )
    assert {answer.status_code for answer in answers} == {200 if may else 403}
    assert phone.get(TAGS, **options).status_code == (200 if may else 403)


def test_what_was_scanned_last(client: FlaskClient) -> None:
    none = client.get("/api/tags/last").json
    LastScanOut.model_validate(none)
    assert (none["number"], none["uid"], none["scans"]) == (0, None, [])

    pair(client, "AA01", "pine-crane")
    scan(client, uid="aa01")
    scan(client, text="hanafuda:maple-deer", ago_ms=1500)
    scan(client, uid="AA02")
    last = client.get("/api/tags/last?after=1&deck=hanafuda").json
    LastScanOut.model_validate(last)
    assert (last["number"], last["device"], last["uid"], last["card"]) == (3, "tray-1", "AA02", None)
    assert [(each["uid"], each["card"], each["sticker"]) for each in last["scans"]] == [
        ("hanafuda:maple-deer", "maple-deer", True),
        ("AA02", None, False),
    ]
    assert last["scans"][0]["ago_s"] >= 1.5
    assert client.get("/api/tags/last").json["scans"][0]["card"] == "pine-crane"
    assert client.get("/api/tags/last?after=3").json["scans"] == []
    assert client.get("/api/tags/last?after=-1").status_code == 422
    assert client.get("/api/tags/last?deck=../x").status_code == 422


def test_while_somebody_pairs_no_scan_is_a_move(client: FlaskClient, app: APIFlask) -> None:
    now = 1000.0
    context_of(app).scanned._clock = lambda: now
    heard: list[Any] = []
    readers = mock.Mock(process=lambda table, found, **_: heard.append(found))
    context_of(app).driver = readers
    table = open_table(client)
    pair(client, "AA01", "pine-crane")
    reported = {
        "device": "tray-1",
        "place": "field",
        "scans": [{"uid": "AA01", "present": True, "ago_ms": 0}],
        "key": None,
    }

    def scan_at_the_table() -> Any:
        return client.post(f"/api/tables/{table}/scans", json=reported)

    def boot() -> str:
        return str(client.post("/api/devices/report", json={"devices": [], "ports": []}).json["boot"])

    before = boot()
    client.get("/api/tags/last?pairing=1")
    assert boot() == before
    answer = scan_at_the_table()
    assert answer.status_code == 200, answer.json
    assert heard == []
    assert client.get("/api/tags/last").json["uid"] == "AA01"
    now += 3.1
    assert boot() != before  # so that the device process reports the tags on its readers again
    assert scan_at_the_table().status_code == 200
    assert [[each.card for each in found] for found in heard] == [["pine-crane"]]


@pytest.mark.parametrize("pack", DECKS)
def test_stickers_of_a_deck(client: FlaskClient, pack: str) -> None:
    answer = client.get(f"/api/decks/{pack}/labels.pdf?kind=datamatrix&paper=letter&size=10")
    assert (answer.status_code, answer.mimetype) == (200, "application/pdf")
    assert answer.data.startswith(b"%PDF-")
    assert f"stickers-{pack}.pdf" in answer.headers["Content-Disposition"]


@pytest.mark.parametrize("query", ["size=7", "size=61", "size=nan", "size=x", "paper=A0", "kind=aztec"])
def test_stickers_that_cannot_be(client: FlaskClient, query: str) -> None:
    assert client.get(f"/api/decks/hanafuda/labels.pdf?{query}").status_code == 422


# --- arbitrary requests

ODD = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
TAG = st.sampled_from(["AA01", "aa01", "AA 01", "hanafuda:pine-crane", "", "\x00", "\ud800"]) | st.text(
    max_size=20
)
CARD = st.sampled_from(["pine-crane", "plum-ribbon", "clubs-1", "back", "nix"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.tuples(
        st.just("PUT"), st.fixed_dictionaries({"tags": st.dictionaries(TAG, CARD | ODD, max_size=4) | ODD})
    )
    | st.tuples(
        st.just("POST"),
        st.fixed_dictionaries({"uid": TAG | ODD, "card": CARD | ODD}, optional={"move": st.booleans() | ODD}),
    )
)
def test_no_pairing_makes_it_fail(fuzzed: FlaskClient, sent: tuple[str, Any]) -> None:
    method, body = sent
    before = fuzzed.get(TAGS).json["tags"]
    answer = fuzzed.open(TAGS, method=method, data=json.dumps(body), content_type="application/json")
    assert answer.status_code in {200, 400, 409, 422}, answer.json
    after = fuzzed.get(TAGS).json
    assert after["problem"] is None
    if answer.status_code == 200:
        TagsOut.model_validate(answer.json)
        assert set(after["tags"].values()) <= {"pine-crane", "plum-ribbon"}
    else:
        assert after["tags"] == before
