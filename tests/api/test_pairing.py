"""Who may write: roles, PINs and codes, cookies and tokens, this machine, and everything somebody might try."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from api_helpers import Clock, held
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.access import pairings as pairings_module
from api.access.pairings import (
    NoSuchInvitationError,
    Pairings,
    TooManyGuessesError,
)
from companion.log import LogWriteError

PHONE = {"REMOTE_ADDR": "192.0.2.7"}
OTHER = {"REMOTE_ADDR": "192.0.2.8"}


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Pairings:
    return Pairings(tmp_path, clock)


def invite(client: FlaskClient, **asked: Any) -> dict[str, Any]:
    response = client.post("/api/pairings", json={"role": "scorer", **asked})
    assert response.status_code == 201
    told: dict[str, Any] = response.json
    return told


def slug(response: Any) -> tuple[int, str]:
    return response.status_code, response.json["type"].rpartition("/")[2]


# --- over HTTP


def test_whoever_sits_at_the_machine_is_the_host(client: FlaskClient) -> None:
    assert client.get("/api/me").json == {
        "role": "host",
        "name": "this machine",
        "seat": None,
        "paired": True,
    }


@pytest.mark.parametrize(
    ("environ", "headers"),
    [
        (PHONE, {}),
        ({}, {"X-Forwarded-For": "192.0.2.7"}),
        ({}, {"Forwarded": "for=192.0.2.7"}),
        (PHONE, {"Host": "127.0.0.1"}),
    ],
    ids=[
        "another address",
        "behind a proxy",
        "behind another proxy",
        "a false name",
    ],
)
def test_nobody_else_is(client: FlaskClient, environ: dict[str, str], headers: dict[str, str]) -> None:
    assert client.get("/api/me", environ_base=environ, headers=headers).json["role"] == "viewer"
    refused = client.post("/api/pairings", json={"role": "host"}, environ_base=environ, headers=headers)
    assert slug(refused) == (403, "not-paired")
    assert refused.json["join"] == "/join"


@pytest.mark.parametrize("how", ["pin", "code"])
def test_a_phone_pairs_by_pin_or_code(client: FlaskClient, how: str) -> None:
    told = invite(client, seat=2)
    assert set(told["pin"]).isdisjoint("0O1IL")
    assert (len(told["pin"]), told["path"]) == (6, f"/join?code={told['code']}")
    shown = f" {told['pin'][:3].lower()}-{told['pin'][3:]}" if how == "pin" else told["code"]
    response = client.post("/api/pair", json={how: shown, "name": "Aki"}, environ_base=PHONE)
    expected = {"role": "scorer", "name": "Aki", "seat": 2, "paired": True}
    assert response.json == {**expected, "token": None}
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert client.get("/api/me", environ_base=PHONE).json == expected


def test_an_invitation_is_used_up(client: FlaskClient, app: APIFlask) -> None:
    pin = invite(client, uses=2)["pin"]
    answers = [
        app.test_client().post("/api/pair", json={"pin": pin}, environ_base=PHONE).status_code
        for _ in range(3)
    ]
    assert answers == [200, 200, 403]


def test_a_machine_gets_a_token_and_no_cookie(client: FlaskClient) -> None:
    pin = invite(client, role="camera", name="camera 1")["pin"]
    response = client.post("/api/pair", json={"pin": pin}, environ_base=OTHER)
    assert "Set-Cookie" not in response.headers
    bearer = {"Authorization": f"Bearer {response.json['token']}"}
    me = client.get("/api/me", headers=bearer, environ_base=OTHER).json
    assert (me["role"], me["name"]) == ("camera", "camera 1")
    assert slug(client.get("/api/pairings", headers=bearer)) == (403, "role-too-low")


def test_a_machines_token_in_a_cookie_is_nothing(client: FlaskClient) -> None:
    pin = invite(client, role="camera")["pin"]
    token = client.post("/api/pair", json={"pin": pin}, environ_base=OTHER).json["token"]
    client.set_cookie("pairing", token)
    assert client.get("/api/me", environ_base=OTHER).json["role"] == "viewer"


@pytest.mark.parametrize(
    "authorization", ["Bearer nonsense", "Bearer ", "Basic aG9zdDpob3N0", "Bearer Im5peCI.x"]
)
def test_a_bad_token_is_told_of_even_on_this_machine(client: FlaskClient, authorization: str) -> None:
    response = client.get("/api/me", headers={"Authorization": authorization})
    assert slug(response) == (401, "bad-token")
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_forged_cookie_is_none(client: FlaskClient, tmp_path: Path) -> None:
    pin = invite(client)["pin"]
    client.post("/api/pair", json={"pin": pin}, environ_base=PHONE)
    pairing = client.get("/api/pairings").json["pairings"][0]["id"]
    stranger = Pairings(tmp_path / "elsewhere")
    forged = stranger.token(pairings_module.Pairing(pairing, "host", "mallory", None, ""))
    client.set_cookie("pairing", forged)
    assert client.get("/api/me", environ_base=PHONE).json["role"] == "viewer"


def test_the_host_sees_who_is_paired_and_revokes(client: FlaskClient) -> None:
    pin = invite(client)["pin"]
    client.post("/api/pair", json={"pin": pin, "name": "Aki"}, environ_base=PHONE)
    (pairing,) = client.get("/api/pairings").json["pairings"]
    assert (pairing["name"], pairing["role"]) == ("Aki", "scorer")
    assert pairing["seen"] is not None
    assert slug(client.delete(f"/api/pairings/{pairing['id']}", environ_base=PHONE)) == (403, "role-too-low")
    assert client.delete(f"/api/pairings/{pairing['id']}").status_code == 204
    assert client.get("/api/me", environ_base=PHONE).json["role"] == "viewer"
    assert slug(client.delete(f"/api/pairings/{pairing['id']}")) == (404, "no-such-pairing")


def test_guessing_is_slow(client: FlaskClient) -> None:
    pin = invite(client)["pin"]
    guesses = [client.post("/api/pair", json={"pin": "AAAAAA"}, environ_base=PHONE) for _ in range(11)]
    assert [response.status_code for response in guesses] == [403] * 10 + [429]
    assert 0 < int(guesses[-1].headers["Retry-After"]) <= 60
    right = client.post("/api/pair", json={"pin": pin}, environ_base=PHONE)
    assert slug(right) == (429, "too-many-guesses")
    assert client.post("/api/pair", json={"pin": pin}, environ_base=OTHER).status_code == 200


@pytest.mark.parametrize(
    "asked", [{}, {"pin": "ABCDEF", "code": "x"}, {"pin": 1}, {"pin": "A", "more": 1}, {"code": "x" * 81}]
)
def test_what_is_no_request_to_pair(client: FlaskClient, asked: dict[str, Any]) -> None:
    assert client.post("/api/pair", json=asked).status_code == 422


@pytest.mark.parametrize("asked", [{"role": "viewer"}, {"role": "king"}, {"role": "scorer", "uses": 0}, {}])
def test_what_is_no_invitation(client: FlaskClient, asked: dict[str, Any]) -> None:
    assert client.post("/api/pairings", json=asked).status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("POST", "/api/enrolments", {"data": {}, "content_type": "multipart/form-data"}),
        ("POST", "/api/decks", {"json": {"enrolment": "x"}}),
        ("POST", "/api/decks/files", {"data": {}, "content_type": "multipart/form-data"}),
        ("DELETE", "/api/decks/hanafuda", {}),
        ("PUT", "/api/rules/ours", {"json": {"rules": "koikoi-hu"}}),
    ],
)
def test_decks_and_rules_are_written_by_who_is_paired(
    client: FlaskClient, method: str, path: str, options: dict[str, Any]
) -> None:
    assert slug(client.open(path, method=method, environ_base=PHONE, **options)) == (403, "not-paired")
    client.post("/api/pair", json={"pin": invite(client)["pin"]}, environ_base=PHONE)
    assert client.open(path, method=method, environ_base=PHONE, **options).status_code != 403


def test_rules_are_saved_under_a_name(client: FlaskClient) -> None:
    saved = client.put("/api/rules/ours", json={"rules": {"preset": "koikoi-hu", "rounds": 6}})
    assert (saved.status_code, saved.json["name"], saved.json["rules"]["rounds"]) == (200, "ours", 6)
    assert client.get("/api/rules/ours").json["hash"] == saved.json["hash"]
    again = {"rules": "koikoi-standard"}
    assert slug(client.put("/api/rules/ours", json=again)) == (409, "rules-name-taken")
    assert client.put("/api/rules/ours", json={**again, "replace": True}).status_code == 200
    assert slug(client.put("/api/rules/koikoi-hu", json=again)) == (422, "bad-rules-name")


def test_what_another_sites_page_sends_is_refused(client: FlaskClient) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert client.delete("/api/decks/x", headers=elsewhere).status_code == 403
    put = client.put("/api/rules/ours", json={"rules": "koikoi-hu"}, headers=elsewhere)
    assert slug(put) == (403, "forbidden")


# --- what is kept


def test_pairings_outlive_the_program_and_invitations_do_not(tmp_path: Path, store: Pairings) -> None:
    invitation = store.invite("scorer", name=None, seat=None, uses=9)
    pairing = store.pair(invitation.pin, name="Aki", address="a")
    shown = store.token(pairing)
    again = Pairings(tmp_path)
    assert again.shown(shown) == pairing
    with pytest.raises(NoSuchInvitationError):
        again.pair(invitation.pin, name=None, address="a")


def test_the_key_is_the_owners_alone(tmp_path: Path, store: Pairings) -> None:
    store.pair(store.invite("host", name=None, seat=None, uses=1).code, name=None, address="a")
    (file,) = tmp_path.iterdir()
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text())["pairings"][0]["role"] == "host"


@pytest.mark.parametrize("damage", ["", "{", '{"key": "k", "pairings": [{"id": 1}]}', '{"key": "k"}', "[]"])
def test_a_damaged_file_lets_nobody_in_and_nobody_out(tmp_path: Path, damage: str) -> None:
    (tmp_path / "pairings.json").write_text(damage)
    store = Pairings(tmp_path)
    assert store.all() == []
    pairing = store.pair(store.invite("scorer", name=None, seat=None, uses=1).pin, name=None, address="a")
    assert Pairings(tmp_path).shown(store.token(pairing)) == pairing


def test_an_invitation_ends_after_ten_minutes(store: Pairings, clock: Clock) -> None:
    invitation = store.invite("scorer", name=None, seat=None, uses=9)
    clock.now += 599
    store.pair(invitation.pin, name=None, address="a")
    clock.now += 1
    for told in (invitation.pin, invitation.code):
        with pytest.raises(NoSuchInvitationError):
            store.pair(told, name=None, address="a")


def test_guesses_are_counted_over_all_addresses_and_forgotten_after_a_minute(
    store: Pairings, clock: Clock
) -> None:
    for guess in range(60):
        with pytest.raises(NoSuchInvitationError):
            store.pair("AAAAAA", name=None, address=f"phone {guess}")
    with pytest.raises(TooManyGuessesError) as caught:
        store.pair("AAAAAA", name=None, address="another")
    clock.now += caught.value.retry_after_s
    pin = store.invite("scorer", name=None, seat=None, uses=1).pin
    assert store.pair(pin, name=None, address="another").role == "scorer"


def test_where_it_cannot_be_kept_nobody_is_paired(tmp_path: Path, store: Pairings) -> None:
    invitation = store.invite("scorer", name=None, seat=None, uses=1)
    (tmp_path / "pairings.json.part").mkdir()
    with pytest.raises(LogWriteError, match="could not be written"):
        store.pair(invitation.pin, name=None, address="a")
    assert store.all() == []
    (tmp_path / "pairings.json.part").rmdir()
    assert store.pair(invitation.pin, name=None, address="a").role == "scorer"


def test_a_full_disk_is_told_of(client: FlaskClient, data: Path) -> None:
    pin = invite(client)["pin"]
    (data / "pairings.json.part").mkdir()
    assert slug(client.post("/api/pair", json={"pin": pin}, environ_base=PHONE)) == (507, "log-not-written")


def test_the_programs_own_camera_is_paired_while_it_runs(
    app: APIFlask, client: FlaskClient, data: Path
) -> None:
    store = held(app).pairings
    token = store.token(store.for_own("camera", "camera of this machine"))
    me = client.get("/api/me", headers={"Authorization": f"Bearer {token}"}).json
    assert (me["role"], me["name"]) == ("camera", "camera of this machine")
    assert Pairings(data).shown(token) is None
