"""Buttons over HTTP: repeated requests, permissions, refusals with a message, and the actor in the history."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.routes import cameras
from companion.hanafuda.messages import Message
from companion.messages import render
from companion.table import Kind, NewEvent
from tests.api.api_helpers import context_of
from tests.api.table_helpers import PHONE, messages, open_table, send, submit
from tests.message_text import english

FIELD = "cherry-curtain plum-ribbon chrysanthemum-chaff-1 iris-bridge peony-ribbon clover-boar susuki-moon maple-deer"


def moved(player: int, words: str) -> dict[str, Any]:
    return {"kind": "moved", "data": {"player": player, "words": words.split()}}


@pytest.fixture
def table(client: FlaskClient) -> str:
    """Aiko has just made a yaku and has to decide."""
    table = open_table(client)
    response = submit(
        client,
        table,
        {"kind": "dealt", "data": {"deal": {"field": FIELD.split()}, "dealer": 1}},
        moved(1, "play chrysanthemum-sake chrysanthemum-chaff-1"),
        moved(1, "draw susuki-geese susuki-moon"),
    )
    assert response.status_code == 200
    return table


def press(client: FlaskClient, table: str, button: str, **more: Any) -> Any:
    options = {key: more.pop(key) for key in ("environ_base", "headers") if key in more}
    return client.post(f"/api/tables/{table}/presses", json={"button": button, **more}, **options)


def token(client: FlaskClient, role: str = "device", name: str = "the worker") -> dict[str, str]:
    """The token of a machine at another address."""
    pin = client.post("/api/pairings", json={"role": role, "name": name}).json["pin"]
    made = client.post("/api/pair", json={"pin": pin}, environ_base=PHONE).json["token"]
    return {"Authorization": f"Bearer {made}"}


def test_a_press_is_the_move_it_means(client: FlaskClient, table: str) -> None:
    response = press(client, table, "koi-koi", seat=1)
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert response.json["did"]["message"] == "Aiko calls koi-koi"
    assert render(Message.from_dict(response.json["did"]), "ja") == "Aiko：こいこい"
    (event,) = response.json["events"]
    assert (event["seq"], event["kind"], event["data"]) == (
        5,
        "moved",
        {"player": 1, "words": ["call", "koikoi"]},
    )
    assert (event["actor"], event["source"]) == ("this machine", "button")
    assert response.json["seq"] == client.get(f"/api/tables/{table}").json["seq"] == 5


def test_sent_again_it_counts_once_and_is_answered_alike(client: FlaskClient, table: str) -> None:
    """The repeated request has the same result, even after other events, and even if it would mean something else by
    now."""
    first = press(client, table, "undo", key="run1 box 7").json
    assert press(client, table, "undo", key="run1 box 7").json == first
    press(client, table, "undo", how="double", key="run1 box 8")
    press(client, table, "koi-koi", key="run1 box 9")
    again = press(client, table, "undo", key="run1 box 7").json
    assert {**again, "seq": first["seq"]} == first
    assert client.get(f"/api/tables/{table}").json["seq"] == 7


def test_without_a_key_every_press_counts(client: FlaskClient, table: str) -> None:
    reported = submit(client, table, moved(1, "call koikoi"))
    assert reported.status_code == 200
    assert [press(client, table, "undo").status_code for _ in range(3)] == [200, 200, 409]


def test_a_refused_press_has_a_reason_and_changes_nothing(client: FlaskClient, table: str) -> None:
    response = press(client, table, "koi-koi", seat=2, key="k")
    assert (response.status_code, response.mimetype) == (409, "application/problem+json")
    assert response.json["type"] == "/problems/another-decides"
    assert response.json["code"] == "another-decides"
    assert response.json["detail"] == "The decision is up to Aiko, not Ben."
    says = response.json["says"]
    assert says["code"] == "press-another-decides"
    assert (says["message"], render(Message.from_dict(says), "ja")) == (
        "The decision is up to Aiko, not Ben",
        "決めるのはAiko（Benではない）",
    )
    assert client.get(f"/api/tables/{table}").json["seq"] == 4
    # After a refusal the key is free, so the press may be sent again.
    assert press(client, table, "koi-koi", seat=1, key="k").status_code == 200


def test_a_press_that_comes_too_late_is_none(client: FlaskClient, table: str) -> None:
    response = press(client, table, "koi-koi", ago_ms=60_000.0)
    assert (response.status_code, response.json["code"]) == (409, "too-late")
    assert "60 s ago" in response.json["detail"]
    assert press(client, table, "koi-koi", ago_ms=800.0, key="k").status_code == 200
    # A press that was accepted in time gets the same response, however late it is repeated.
    assert press(client, table, "koi-koi", ago_ms=60_000.0, key="k").status_code == 200


def watch(client: FlaskClient, table: str) -> None:
    """Have a camera watch a table."""
    reported = send(client, f"/api/tables/{table}/camera", state=json.dumps({"state": "watching"}))
    assert reported.status_code == 200, reported.text


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def waiting() -> int:
    """Return the number of presses that wait."""
    slots = cameras._waiting_slots
    return slots._initial_value - slots._value  # type: ignore[attr-defined]


def test_a_press_waits_for_a_card_that_the_camera_has_not_reported_yet(
    app: APIFlask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand is faster than a stable picture: a koi-koi pressed when the yaku is made belongs to that yaku."""
    monkeypatch.setattr(cameras, "_SOON_S", 60.0)
    table = open_table(client)
    watch(client, table)

    def reported(kind: Kind, **data: Any) -> None:
        context_of(app).tables.report(table, [NewEvent(kind, data)], actor="eyes", source="camera")

    reported("dealt", deal={"field": FIELD.split()}, dealer=1)
    reported("moved", player=1, words=["play", "chrysanthemum-sake", "chrysanthemum-chaff-1"])
    with ThreadPoolExecutor(1) as hand:
        early = hand.submit(lambda: press(app.test_client(), table, "koi-koi", seat=1))
        until(lambda: waiting() == 1)
        assert not early.done()
        reported("moved", player=1, words=["draw", "susuki-geese", "susuki-moon"])
        answer = early.result(20)
    assert answer.status_code == 200
    assert english(answer.json["did"]) == "Aiko calls koi-koi"
    assert waiting() == 0


@pytest.mark.parametrize("button", ["koi-koi", "stop"])
def test_a_press_that_waited_in_vain_is_refused(
    app: APIFlask, client: FlaskClient, table: str, monkeypatch: pytest.MonkeyPatch, button: str
) -> None:
    monkeypatch.setattr(cameras, "_SOON_S", 0.05)
    watch(client, table)
    assert press(client, table, button, seat=2).json["code"] == "another-decides"
    assert waiting() == 0


def test_what_no_card_can_change_is_refused_at_once(client: FlaskClient, table: str) -> None:
    """With the real waiting time; if the presses waited, three of them would take 9 s."""
    watch(client, table)
    began = time.monotonic()
    codes = [
        press(client, table, "pass").json["code"],
        press(client, table, "next").json["code"],
        press(client, table, "undo", how="double").json["code"],
    ]
    assert codes == ["not-in-this-game", "nothing-open", "nothing-to-bring-back"]
    assert time.monotonic() - began < 9


def test_two_who_take_the_same_back_at_once_take_it_back_once(client: FlaskClient, table: str) -> None:
    submit(client, table, moved(1, "call koikoi"))
    assert press(client, table, "undo", device="box-1").status_code == 200
    other = press(client, table, "undo", device="box-2")
    assert (other.status_code, other.json["code"]) == (409, "undone-already")
    assert "Undone: Aiko calls koi-koi" in other.json["detail"]
    # After the state has been seen, another undo is accepted.
    assert press(client, table, "undo", device="box-1").status_code == 200


def test_who_may(client: FlaskClient, table: str) -> None:
    viewer = press(client, table, "koi-koi", environ_base=PHONE)
    assert (viewer.status_code, viewer.json["type"]) == (403, "/problems/not-paired")
    camera = press(
        client, table, "koi-koi", environ_base=PHONE, headers=token(client, "camera", "the camera")
    )
    assert (camera.status_code, camera.json["type"]) == (403, "/problems/role-too-low")
    device = token(client)
    reported = press(client, table, "koi-koi", device="box-1", environ_base=PHONE, headers=device).json[
        "events"
    ][0]
    assert (reported["actor"], reported["source"]) == ("box-1", "button")
    reported = press(client, table, "undo", environ_base=PHONE, headers=device).json["events"][0]
    assert (reported["actor"], reported["source"]) == ("the worker", "button")


def test_a_scorer_presses_keys_under_his_own_name(client: FlaskClient, table: str) -> None:
    pin = client.post("/api/pairings", json={"role": "scorer", "name": "Aki", "seat": 1}).json["pin"]
    assert client.post("/api/pair", json={"pin": pin}, environ_base=PHONE).status_code == 200
    reported = press(client, table, "stop", source="keyboard", device="box-1", environ_base=PHONE)
    (event,) = reported.json["events"]
    assert (event["actor"], event["source"]) == ("Aki", "keyboard")


@pytest.mark.parametrize(
    "asked",
    [
        {"button": "raw-1"},
        {"button": "koi-koi", "how": "triple"},
        {"button": "koi-koi", "seat": 0},
        {"button": "koi-koi", "seat": "1"},
        {"button": "koi-koi", "key": ""},
        {"button": "koi-koi", "ago_ms": -1.0},
        {"button": "koi-koi", "source": "camera"},
        {"how": "press"},
        {},
    ],
)
def test_what_is_no_press(client: FlaskClient, table: str, asked: dict[str, Any]) -> None:
    response = client.post(f"/api/tables/{table}/presses", json=asked)
    assert (response.status_code, response.json["type"]) == (422, "/problems/invalid-request")


def test_no_such_table(client: FlaskClient) -> None:
    assert press(client, "nix", "undo").status_code == 404


def test_those_who_follow_see_it(client: FlaskClient, table: str) -> None:
    stream = messages(client.get(f"/api/tables/{table}/events"))
    assert next(stream)[0] == "snapshot"
    press(client, table, "stop")
    kind, seq, change = next(stream)
    assert (kind, seq, change["events"][0]["data"]["words"]) == ("change", "5", ["call", "stop"])
