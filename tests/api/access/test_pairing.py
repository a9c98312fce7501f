"""Pairing: roles, PINs and codes, cookies and tokens, the local machine, and attacks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.services.pairings import Pairings
from api.services.wrong_pins import (
    GUESS_WINDOW_S,
    MAX_GUESSES,
    MAX_GUESSES_PER_CLIENT,
    PinsPausedError,
    TooManyGuessesError,
)
from api.serving.recognition import recognizer
from companion.store.pairings import (
    HOUSEHOLD,
    INVITATION_S,
    PHONE_LIFETIME,
    PIN_ALPHABET,
    PIN_LENGTH,
    NoSuchInvitationError,
    Pairing,
    Role,
)
from companion.store.store import open_store
from tests.api.api_helpers import Clock, context_of

PHONE = {"REMOTE_ADDR": "192.0.2.7"}
OTHER = {"REMOTE_ADDR": "192.0.2.8"}


@pytest.fixture
def store(app: APIFlask, clock: Clock) -> Pairings:
    stored = context_of(app).store.pairings
    stored.clock = stored.steady = clock
    return Pairings(stored, clock)


def guessed(pairings: Pairings, count: int) -> None:
    """Count wrong PINs, each from another client."""
    for number in range(count):
        pairings._wrong_pins.add(f"phone {number}")


def invite(client: FlaskClient, **asked: Any) -> dict[str, Any]:
    response = client.post("/api/pairings", json={"role": "scorer", **asked})
    assert response.status_code == 201
    reported: dict[str, Any] = response.json
    return reported


def pair(
    phone: FlaskClient, host: FlaskClient | None = None, *, called: str | None = None, **asked: Any
) -> dict[str, Any]:
    """Pair a phone with the code of an invitation."""
    code = invite(host or phone, **asked)["code"]
    response = phone.post("/api/pair", json={"code": code, "name": called}, environ_base=PHONE)
    assert response.status_code == 200
    reported: dict[str, Any] = response.json
    return reported


def listed(host: FlaskClient) -> list[dict[str, Any]]:
    pairings: list[dict[str, Any]] = host.get("/api/pairings").json["pairings"]
    return pairings


def opened(host: FlaskClient) -> str:
    """Open a table and return its id."""
    table = host.post("/api/tables", json={"game": "koikoi", "players": ["Aya", "Bo"]}).json
    return str(table["id"])


def set_clock(app: APIFlask, by_s: float) -> None:
    """Set the time of day to another one."""
    stored, before = context_of(app).store.pairings, context_of(app).store.pairings.clock
    stored.clock = lambda: before() + by_s


def pass_s(app: APIFlask, seconds: float) -> None:
    """Let time pass, on all clocks."""
    set_clock(app, seconds)
    stored, pairings = context_of(app).store.pairings, context_of(app).pairings
    steady = stored.steady
    stored.steady = pairings._clock = pairings._wrong_pins._clock = lambda: steady() + seconds


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def slug(response: Any) -> tuple[int, str]:
    return response.status_code, response.json["type"].rpartition("/")[2]


# --- over HTTP


def test_whoever_sits_at_the_machine_is_the_host(client: FlaskClient) -> None:
    assert client.get("/api/me").json == {
        "role": "host",
        "name": "this machine",
        "seat": None,
        "table": None,
        "paired": True,
        "id": None,
        "expires": None,
        "taken": [],
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
    reported = invite(client, seat=2)
    assert set(reported["pin"]).isdisjoint("0O1IL")
    assert (len(reported["pin"]), reported["path"]) == (6, f"/join#code={reported['code']}")
    assert reported["link"].endswith(reported["path"])
    assert reported["qr"].startswith("<?xml")
    displayed = f" {reported['pin'][:3].lower()}-{reported['pin'][3:]}" if how == "pin" else reported["code"]
    response = client.post("/api/pair", json={how: displayed, "name": "Aki"}, environ_base=PHONE)
    expected = {"role": "scorer", "name": "Aki", "seat": 2, "table": None, "paired": True}
    assert response.json.items() >= {**expected, "token": None}.items()
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert client.get("/api/me", environ_base=PHONE).json.items() >= expected.items()


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
def test_a_bad_token_is_refused_even_on_this_machine(client: FlaskClient, authorization: str) -> None:
    response = client.get("/api/me", headers={"Authorization": authorization})
    assert slug(response) == (401, "bad-token")
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_forged_cookie_is_none(app: APIFlask, client: FlaskClient, tmp_path: Path) -> None:
    pin = invite(client)["pin"]
    client.post("/api/pair", json={"pin": pin}, environ_base=PHONE)
    (pairing,) = context_of(app).store.pairings.pairings()
    elsewhere = open_store(tmp_path / "elsewhere")
    forged = elsewhere.pairings.token(pairing)
    elsewhere.close()
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
    assert 0 < int(guesses[-1].headers["Retry-After"]) <= GUESS_WINDOW_S
    right = client.post("/api/pair", json={"pin": pin}, environ_base=PHONE)
    assert slug(right) == (429, "too-many-guesses")
    assert client.post("/api/pair", json={"pin": pin}, environ_base=OTHER).status_code == 200


@pytest.mark.parametrize(
    "asked", [{}, {"pin": "ABCDEF", "code": "x"}, {"pin": 1}, {"pin": "A", "more": 1}, {"code": "x" * 81}]
)
def test_what_is_no_request_to_pair(client: FlaskClient, asked: dict[str, Any]) -> None:
    assert client.post("/api/pair", json=asked).status_code == 422


@pytest.mark.parametrize("asked", [{"role": "king"}, {"role": "scorer", "uses": 0}, {}])
def test_what_is_no_invitation(client: FlaskClient, asked: dict[str, Any]) -> None:
    assert client.post("/api/pairings", json=asked).status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("POST", "/api/enrollments", {"data": {}, "content_type": "multipart/form-data"}),
        ("POST", "/api/decks", {"json": {"enrollment": "x"}}),
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


# --- open invitations


@pytest.mark.parametrize("secret", ["code", "pin"])
@pytest.mark.parametrize("role", ["host", "scorer", "viewer", "camera", "device"])
@pytest.mark.parametrize("end", ["removed", "made a scorer", "made a viewer", "steps down", "all removed"])
def test_an_invitation_ends_with_the_role_of_its_maker(
    app: APIFlask, client: FlaskClient, end: str, role: str, secret: str
) -> None:
    """A host who was removed redeemed an invitation that it had made before, and was host again."""
    phone = app.test_client()
    mine = pair(phone, client, role="host")["id"]
    made = phone.post("/api/pairings", json={"role": role, "uses": 5}, environ_base=PHONE).json
    if end == "removed":
        client.delete(f"/api/pairings/{mine}")
    elif end == "all removed":
        client.delete("/api/pairings")
    elif end == "steps down":
        phone.patch(f"/api/pairings/{mine}", json={"role": "scorer"}, environ_base=PHONE)
    else:
        client.patch(f"/api/pairings/{mine}", json={"role": end.removeprefix("made a ")})
    for user in (phone, app.test_client()):
        answer = user.post("/api/pair", json={secret: made[secret]}, environ_base=OTHER)
        assert slug(answer) == (403, "no-such-invitation" if secret == "code" else "no-such-pin")
    assert client.get("/api/pairings").json["invitations"] == []


def test_hosts_see_open_invitations_and_withdraw_them(app: APIFlask, client: FlaskClient) -> None:
    """Nobody could see which invitations were open."""
    phone = app.test_client()
    pair(phone, client, role="host", called="Aki")
    theirs = phone.post("/api/pairings", json={"role": "camera"}, environ_base=PHONE).json
    ours = invite(client, seat=2, table="t1", name="Bo", uses=3)
    listed_ones = client.get("/api/pairings").json["invitations"]
    assert [(each["by"], each["role"], each["uses"]) for each in listed_ones] == [
        ("Aki", "camera", 1),
        (None, "scorer", 3),
    ]
    assert listed_ones[1].items() >= {"seat": 2, "table": "t1", "name": "Bo"}.items()
    assert listed_ones == phone.get("/api/pairings", environ_base=PHONE).json["invitations"]
    assert (
        abs(datetime.fromisoformat(listed_ones[0]["expires"]).timestamp() - time.time() - INVITATION_S) < 60
    )
    assert not {theirs["code"], theirs["pin"], ours["code"], ours["pin"]} & set(str(listed_ones).split("'"))
    address = f"/api/invitations/{listed_ones[1]['id']}"
    assert slug(app.test_client().delete(address, environ_base=OTHER)) == (403, "not-paired")
    assert phone.delete(address, environ_base=PHONE).status_code == 204
    assert phone.delete(address, environ_base=PHONE).status_code == 204
    assert slug(client.post("/api/pair", json={"code": ours["code"]}, environ_base=OTHER))[0] == 403
    assert [each["by"] for each in client.get("/api/pairings").json["invitations"]] == ["Aki"]


def test_an_invitation_from_the_machine_does_not_end_with_its_browsers_pairing(client: FlaskClient) -> None:
    """Whoever sits at the machine is a host even if the browser there is paired for a seat."""
    paired = client.post("/api/pair", json={"code": invite(client, seat=1)["code"]}).json
    made = invite(client, role="host")
    assert client.get("/api/pairings").json["invitations"][0]["by"] is None
    client.delete(f"/api/pairings/{paired['id']}")
    assert client.post("/api/pair", json={"code": made["code"]}, environ_base=PHONE).json["role"] == "host"


# --- whose requests have priority


def header_of(app: APIFlask, pairing: Pairing) -> dict[str, str]:
    return {"COOKIE": f"x=y; pairing={context_of(app).store.pairings.token(pairing)}"}


def test_a_removed_phone_is_no_longer_recognized(app: APIFlask, client: FlaskClient) -> None:
    """The limits of the server believed any cookie with a valid signature: a removed phone held 313 MB of bodies."""
    recognize = recognizer(context_of(app).pairings)
    pair(client)
    header = {"COOKIE": f"pairing={client.get_cookie('pairing').value}"}
    assert recognize(header)
    client.delete(f"/api/pairings/{listed(client)[0]['id']}")
    assert not recognize(header)
    wait_until(lambda: context_of(app).pairings._worker is None)
    assert not recognize(header)


@pytest.mark.parametrize("role", ["scorer", "camera"])
def test_a_phone_of_before_the_start_is_recognized_from_its_second_request(app: APIFlask, role: Role) -> None:
    stored = context_of(app).store.pairings
    pairing = stored.add(role)
    recognize = recognizer(context_of(app).pairings)
    headers = {"AUTHORIZATION": f"Bearer {stored.token(pairing)}"}
    assert not recognize(headers)
    wait_until(lambda: recognize(headers))


def test_a_phone_that_another_process_removed_is_not_recognized_for_long(
    app: APIFlask, store: Pairings, clock: Clock
) -> None:
    pairing = store.pair(code=context_of(app).store.pairings.invite("scorer").code, name=None, client="a")
    recognize = recognizer(store)
    assert recognize(header_of(app, pairing))
    context_of(app).store.pairings.revoke(pairing.id)  # as `companion log` would, without a signal
    clock.now += 60
    wait_until(lambda: not recognize(header_of(app, pairing)))
    store.close()


def test_recognizing_does_not_wait_for_the_database(
    app: APIFlask, store: Pairings, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairing = context_of(app).store.pairings.add("scorer")
    header, waiting = header_of(app, pairing), threading.Event()
    monkeypatch.setattr(context_of(app).store.pairings, "pairing", lambda pairing_id: waiting.wait(20))
    recognize = recognizer(store)
    assert not recognize(header)  # would wait for 20 s
    assert not recognize({"COOKIE": f"pairing={pairing.id}"})
    waiting.set()
    store.close()


# --- who is paired, and for how long


def test_a_phone_that_scans_again_is_listed_once_and_stays_host(client: FlaskClient) -> None:
    """A host who scanned the code of a seat became a scorer, and the list showed the phone twice."""
    pair(client, role="host", called="Aki")
    answer = pair(client, seat=2, table="t1", name="Bo")
    assert (answer["role"], answer["name"], answer["seat"], answer["table"]) == ("host", "Aki", 2, "t1")
    assert len(listed(client)) == 1


def test_a_scorer_who_scans_a_hosts_code_becomes_host(client: FlaskClient) -> None:
    """The host role could not be passed on: a pairing kept its role forever."""
    assert pair(client, seat=1)["role"] == "scorer"
    assert pair(client, role="host")["role"] == "host"


def test_the_host_role_is_passed_on_and_taken_back(client: FlaskClient) -> None:
    """The host left early, and nobody else could open the next table."""
    guest = pair(client)["id"]
    assert client.patch(f"/api/pairings/{guest}", json={"role": "host"}).json["role"] == "host"
    assert client.get("/api/me", environ_base=PHONE).json["role"] == "host"
    # The last host may step down: the machine itself can always create another one.
    down = client.patch(f"/api/pairings/{guest}", json={"role": "scorer"}, environ_base=PHONE)
    assert down.json["role"] == "scorer"
    assert slug(client.get("/api/pairings", environ_base=PHONE)) == (403, "role-too-low")


def test_a_host_changes_name_and_seat_of_a_phone(client: FlaskClient) -> None:
    """A phone that was paired for the wrong seat had to be removed and paired again."""
    guest = pair(client, seat=1, table="t1")["id"]
    changed = client.patch(f"/api/pairings/{guest}", json={"name": "Cho", "seat": 2, "table": "t2"}).json
    assert (changed["name"], changed["seat"], changed["table"]) == ("Cho", 2, "t2")
    assert client.patch(f"/api/pairings/{guest}", json={"name": "Dai"}).json["seat"] == 2
    assert client.patch(f"/api/pairings/{guest}", json={"seat": None}).json["seat"] is None


def test_a_phone_that_was_removed_cannot_be_changed(client: FlaskClient) -> None:
    guest = pair(client)["id"]
    client.delete(f"/api/pairings/{guest}")
    assert client.patch(f"/api/pairings/{guest}", json={"name": "Cho"}).status_code == 404


@pytest.mark.parametrize(("role", "wanted"), [("camera", "host"), ("scorer", "device")])
def test_a_phone_does_not_become_a_machine(client: FlaskClient, role: str, wanted: str) -> None:
    """A machine sends a token and a browser a cookie, so the changed pairing would be useless."""
    paired = pair(client, role=role)["id"] if role == "scorer" else None
    if paired is None:
        pair(client, role=role)
        paired = listed(client)[0]["id"]
    assert slug(client.patch(f"/api/pairings/{paired}", json={"role": wanted}))[0] == 422
    assert listed(client)[0]["role"] == role


def test_all_are_removed_at_once_but_the_one_who_asks(app: APIFlask, client: FlaskClient) -> None:
    """After a party the host wanted to remove everybody, and had to remove each phone separately."""
    pair(app.test_client(), client, name="guest 1")
    pair(app.test_client(), client, name="guest 2")
    open_code = invite(client)["code"]
    host = app.test_client()
    mine = pair(host, client, role="host")["id"]
    assert host.delete("/api/pairings", environ_base=PHONE).status_code == 204
    assert [each["id"] for each in listed(client)] == [mine]
    again = host.post("/api/pair", json={"code": open_code}, environ_base=OTHER)
    assert slug(again) == (403, "no-such-invitation")


def test_a_phone_renames_itself_and_nobody_else_does(client: FlaskClient) -> None:
    """A phone that used the host's code was called "host" in the history forever."""
    pair(client)
    assert client.patch("/api/me", json={"name": "Emi"}, environ_base=PHONE).json["name"] == "Emi"
    stranger = client.application.test_client()
    assert stranger.patch("/api/me", json={"name": "X"}, environ_base=OTHER).status_code == 403
    assert client.patch("/api/me", json={"name": " "}, environ_base=PHONE).status_code == 422


def test_the_stream_of_a_removed_phone_ends(app: APIFlask, client: FlaskClient) -> None:
    """A phone that was removed kept its open stream, and with it everything that its role may see."""
    guest = pair(client, seat=1)["id"]
    hub = context_of(app).hub
    follower, other = hub.follow("t", pairing=guest), hub.follow("t", pairing="another")
    client.delete(f"/api/pairings/{guest}")
    with pytest.raises(EOFError):
        follower.take()
    assert other.take() is None


def test_the_streams_of_phones_that_make_room_end(app: APIFlask, client: FlaskClient) -> None:
    stored = context_of(app).store.pairings
    stored.limits = replace(stored.limits, pairings=1)
    old = stored.add("scorer")
    stored.touch({old.id: stored.now(-60)})
    follower = context_of(app).hub.follow("t", pairing=old.id)
    newest = pair(client)["id"]
    with pytest.raises(EOFError):
        follower.take()
    assert [each["id"] for each in listed(client)] == [newest]
    assert not recognizer(context_of(app).pairings)(header_of(app, old))


@pytest.mark.parametrize("how", ["another code", "the host"])
def test_the_stream_of_a_seat_ends_when_the_phone_takes_another_one(
    app: APIFlask, client: FlaskClient, how: str
) -> None:
    """A phone that scanned the code of seat 2 kept the stream with the hidden cards of seat 1."""
    guest = pair(client, seat=1, table="t")["id"]
    follower = context_of(app).hub.follow("t", pairing=guest)
    if how == "the host":
        client.patch(f"/api/pairings/{guest}", json={"seat": 2, "table": "t"})
    else:
        assert pair(client, seat=2, table="t")["id"] == guest
    with pytest.raises(EOFError):
        follower.take()


def test_an_unused_pairing_expires_on_the_server(app: APIFlask, client: FlaskClient) -> None:
    """A guest's phone was a host forever: only the age of its cookie, which the phone itself stores, ended it."""
    pair(client, role="host")
    life = PHONE_LIFETIME.total_seconds()
    pass_s(app, life - 60)
    assert client.get("/api/me", environ_base=PHONE).json["role"] == "host"
    pass_s(app, 3 * life)
    assert client.get("/api/me", environ_base=PHONE).json["role"] == "viewer"
    assert listed(client) == []


def test_a_pairing_in_use_is_extended(app: APIFlask, client: FlaskClient, clock: Clock) -> None:
    """The regular players' phones would have to pair again every three months."""
    access = context_of(app).store.pairings
    store = Pairings(access, clock)
    pairing = store.pair(code=access.invite("scorer").code, name=None, client="a")
    first = pairing.expires
    start = time.time()
    access.clock = lambda: start + 50 * 24 * 3600
    clock.now += 50 * 24 * 3600
    assert store.authenticate(access.token(pairing)) is not None
    wait_until(lambda: access.pairings()[0].expires != first)
    access.clock = lambda: start + 100 * 24 * 3600
    clock.now += 50 * 24 * 3600
    assert store.authenticate(access.token(pairing)) is not None


def test_the_cookie_is_renewed_and_secure_over_https(client: FlaskClient) -> None:
    """A browser drops a cookie that is never renewed; and a cookie set over HTTPS was also sent over plain HTTP."""
    pair(client)
    renewed = client.get("/api/me", environ_base=PHONE).headers["Set-Cookie"]
    assert renewed.startswith("pairing=")
    assert "Secure" not in renewed
    https = client.get("/api/me", environ_base=PHONE, base_url="https://localhost").headers["Set-Cookie"]
    assert https.startswith("__Host-pairing=")
    assert "Secure" in https
    # A cookie set over HTTPS does not have to be replaced by the plain page, which browsers forbid.
    client.delete_cookie("pairing")
    assert client.get("/api/me", environ_base=PHONE, base_url="https://localhost").json["paired"]


def test_a_seat_goes_along_to_the_next_table_of_the_evening(app: APIFlask, client: FlaskClient) -> None:
    """At the second game of an evening every phone was still assigned to a seat of the first game's table."""
    table = opened(client)
    pair(client, seat=2, table=table)
    following = context_of(app).tables.open_next(table)
    assert client.get("/api/me", environ_base=PHONE).json["table"] == following


def test_a_seat_of_one_table_reports_at_no_other(client: FlaskClient) -> None:
    """Two tables of an evening: the player at seat 1 of one could report the moves of seat 1 of the other."""
    mine, other = opened(client), opened(client)
    pair(client, seat=1, table=mine)
    dealt = {"events": [{"kind": "began", "data": {"dealer": 1}}]}
    assert (
        slug(client.post(f"/api/tables/{other}/events", json=dealt, environ_base=PHONE))[1] == "role-too-low"
    )
    at_home = client.post(f"/api/tables/{mine}/events", json=dealt, environ_base=PHONE)
    assert at_home.status_code != 403  # no round yet, but the role permits it


@pytest.mark.parametrize("name", ["this machine", "This m\u0430chine", "http 192.0.2.7"])
def test_nobody_acts_under_a_name_of_the_program(client: FlaskClient, name: str) -> None:
    """A scorer named its phone "this machine", and the history showed its moves as those of the host at the machine."""
    table, phone = opened(client), client.application.test_client()
    code = invite(client)["code"]
    asked = {"environ_base": PHONE}
    assert phone.post("/api/pair", json={"code": code, "name": name}, **asked).status_code == 422
    guest = phone.post("/api/pair", json={"code": code, "name": "Aki"}, **asked).json["id"]
    assert phone.patch("/api/me", json={"name": name}, **asked).status_code == 422
    assert client.patch(f"/api/pairings/{guest}", json={"name": name}).status_code == 422
    assert client.post("/api/pairings", json={"role": "scorer", "name": name}).status_code == 422
    assert (
        client.post(
            f"/api/tables/{table}/scans", json={"device": name, "place": "field", "scans": []}
        ).status_code
        == 422
    )
    pressed = client.post(f"/api/tables/{table}/presses", json={"button": "undo", "device": name})
    assert pressed.status_code == 422
    assert phone.get("/api/me", **asked).json["name"] == "Aki"


def test_a_name_that_no_page_can_show_is_refused(client: FlaskClient) -> None:
    """Half of a surrogate pair was stored as a name, and afterwards the list of phones always failed."""
    for name in ("\ud800", "", "x" * 41):
        body = json.dumps({"role": "scorer", "name": name})
        refused = client.post("/api/pairings", data=body, content_type="application/json")
        assert refused.status_code in {400, 422}
    assert client.get("/api/pairings").status_code == 200


# --- clocks that are wrong


DAY_S = 24 * 3600.0
JUMPS_S = [-20_000 * DAY_S, -400 * DAY_S, -DAY_S, -120, 120, DAY_S, 100 * DAY_S, 400 * DAY_S, 9_000 * DAY_S]


@pytest.mark.parametrize("jump_s", JUMPS_S)
@pytest.mark.parametrize("role", ["host", "camera"])
def test_a_pairing_survives_that_the_clock_is_set(
    app: APIFlask, store: Pairings, clock: Clock, jump_s: float, role: Role
) -> None:
    """A phone that paired before a Raspberry Pi had the time had expired once it had; and one day ahead removed it for good."""
    stored = context_of(app).store.pairings
    clock.now = 1_800_000_000.0
    pairing = store.pair(code=stored.invite(role).code, name=None, client="a")
    token = stored.token(pairing)
    stored.clock = lambda: clock() + jump_s
    for _ in range(2):
        found = store.authenticate(token)
        assert found is not None
        assert [each.id for each in store.all()] == [pairing.id]
        assert recognizer(store)({"AUTHORIZATION": f"Bearer {token}"})
        # Another start of the program finds the right time.
        wait_until(lambda: stored.pairings()[0].seen in (stored.now(), stored.now(-2)))
        stored.clock = clock  # and back again
        clock.now += 2
    clock.now += pairing.lifetime.total_seconds()
    assert store.authenticate(token) is None
    assert store.all() == []


@pytest.mark.parametrize("jump_s", JUMPS_S)
def test_wrong_pins_count_for_ten_minutes_although_the_clock_is_set(
    app: APIFlask, store: Pairings, clock: Clock, jump_s: float
) -> None:
    """After wrong PINs on a day that was over once the clock was right, a page said: wait 1,450 minutes."""
    clock.now = 1_800_000_000.0
    stored = context_of(app).store.pairings
    for _ in range(MAX_GUESSES_PER_CLIENT):
        with pytest.raises(NoSuchInvitationError):
            store.pair(pin="AAAAAA", name=None, client="a")
    stored.clock = lambda: clock() + jump_s
    clock.now += 60
    pin = stored.invite("scorer").pin
    with pytest.raises(TooManyGuessesError) as caught:
        store.pair(pin=pin, name=None, client="a")
    assert caught.value.retry_after_s == GUESS_WINDOW_S - 60
    clock.now += GUESS_WINDOW_S - 60
    assert store.pair(pin=stored.invite("scorer").pin, name=None, client="a").role == "scorer"


def test_the_eleventh_wrong_pin_waits_for_the_first_to_be_forgotten(store: Pairings, clock: Clock) -> None:
    for _ in range(MAX_GUESSES_PER_CLIENT):
        with pytest.raises(NoSuchInvitationError):
            store.pair(pin="AAAAAA", name=None, client="a")
        clock.now += 10
    with pytest.raises(TooManyGuessesError) as caught:
        store.pair(pin="AAAAAA", name=None, client="a")
    assert caught.value.retry_after_s == GUESS_WINDOW_S - 10 * MAX_GUESSES_PER_CLIENT
    clock.now += caught.value.retry_after_s
    with pytest.raises(NoSuchInvitationError):
        store.pair(pin="AAAAAA", name=None, client="a")


# --- guessing


def test_wrong_pins_from_six_addresses_lock_nobody_else_out(app: APIFlask, client: FlaskClient) -> None:
    """Ten wrong PINs from each of six addresses locked out everybody for a minute, right QR codes included."""
    made = invite(client, uses=2)
    for address in range(6):
        guess_from = {"REMOTE_ADDR": f"192.0.2.{100 + address}"}
        answers = [
            client.post("/api/pair", json={"pin": "AAAAAA"}, environ_base=guess_from) for _ in range(11)
        ]
        assert [each.status_code for each in answers] == [403] * 10 + [429]
    phone = app.test_client()
    assert phone.post("/api/pair", json={"pin": made["pin"]}, environ_base=PHONE).status_code == 200
    # Even from an address that guessed, because a code cannot be guessed.
    by_code = app.test_client().post("/api/pair", json={"code": made["code"]}, environ_base=guess_from)
    assert by_code.status_code == 200


def test_all_addresses_of_an_ipv6_network_are_one_phone(app: APIFlask, client: FlaskClient) -> None:
    """1,000 wrong PINs from one household's IPv6 network paused PINs for everybody: each had an address of its own."""
    pin = invite(client)["pin"]
    answers = []
    for address in ("2001:db8::1", "2001:db8::2:1", "2001:db8::ffff:ffff:ffff:ffff", "2001:db8:0:0:5::"):
        for _ in range(3):
            guess_from = {"REMOTE_ADDR": address}
            answers.append(client.post("/api/pair", json={"pin": "AAAAAA"}, environ_base=guess_from))
    assert [each.status_code for each in answers] == [403] * 10 + [429] * 2
    next_door = {"REMOTE_ADDR": "2001:db8:0:1::1"}
    assert client.post("/api/pair", json={"pin": pin}, environ_base=next_door).status_code == 200


def test_so_many_wrong_pins_pause_pins_and_not_codes(app: APIFlask, store: Pairings, clock: Clock) -> None:
    """With many addresses, the limit per address is not enough: PINs are paused before a guess is likely to succeed."""
    guessed(store, MAX_GUESSES - 1)
    with pytest.raises(NoSuchInvitationError):
        store.pair(pin="AAAAAA", name=None, client="one more phone")
    made = context_of(app).store.pairings.invite("scorer", name=None, seat=None, uses=2)
    with pytest.raises(PinsPausedError) as caught:
        store.pair(pin=made.pin, name=None, client="another")
    assert store.pins_paused_s() == caught.value.retry_after_s == GUESS_WINDOW_S
    assert store.pair(code=made.code, name=None, client="another").role == "scorer"
    clock.now += caught.value.retry_after_s
    assert store.pins_paused_s() is None
    made = context_of(app).store.pairings.invite("scorer", name=None, seat=None)
    assert store.pair(pin=made.pin, name=None, client="another").role == "scorer"


def test_guessing_succeeds_less_than_once_in_ten_thousand() -> None:
    """The probability of a right guess is as documented, with all invitations open and as many guesses as are
    accepted."""
    chance = HOUSEHOLD.invitations * MAX_GUESSES / len(PIN_ALPHABET) ** PIN_LENGTH
    assert chance < 1e-4
    assert GUESS_WINDOW_S >= INVITATION_S  # so that the limit applies to the whole life of a PIN


def test_the_host_sees_that_pins_are_paused(app: APIFlask, client: FlaskClient) -> None:
    """PINs stopped working and no page displayed the reason."""
    assert client.get("/api/pairings").json["pins_paused"] is None
    guessed(context_of(app).pairings, MAX_GUESSES)
    assert 0 < client.get("/api/pairings").json["pins_paused"] <= GUESS_WINDOW_S
    refused = client.post("/api/pair", json={"pin": "BBBBBB"}, environ_base=PHONE)
    assert slug(refused) == (429, "pins-paused")


# --- what is stored


def test_a_full_disk_pairs_nobody_and_spends_no_invitation(app: APIFlask, client: FlaskClient) -> None:
    """On a full disk the phone was reported as paired, and after a restart it was not."""
    code = invite(client)["code"]
    with context_of(app).store.database.writing() as db:
        db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON pairings BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    assert slug(client.post("/api/pair", json={"code": code}, environ_base=PHONE)) == (507, "log-not-written")
    with context_of(app).store.database.writing() as db:
        db.execute("DROP TRIGGER full")
    assert client.post("/api/pair", json={"code": code}, environ_base=PHONE).status_code == 200


def test_a_second_process_invites_and_revokes(app: APIFlask, client: FlaskClient, data: Path) -> None:
    """Two processes overwrote each other's pairings.json, and invitations were only in one process's memory."""
    beside = open_store(data)
    try:
        code = beside.pairings.invite("host", name="terminal").code
        paired = client.post("/api/pair", json={"code": code}, environ_base=PHONE).json
        assert (paired["role"], paired["name"]) == ("host", "terminal")
        beside.pairings.revoke(paired["id"])
    finally:
        beside.close()
    wait_until(lambda: client.get("/api/me", environ_base=PHONE).json["role"] == "viewer")


def test_requests_are_answered_while_another_thread_writes(app: APIFlask, client: FlaskClient) -> None:
    """Each request queried the database for its sender, and waited for any write in progress."""
    pair(client)
    log = context_of(app).store
    writing, done = threading.Event(), threading.Event()

    def write() -> None:
        with log.database.writing():
            writing.set()
            done.wait(20)

    thread = threading.Thread(target=write)
    thread.start()
    writing.wait(20)
    try:
        context_of(app).pairings._note_change()  # as after some seconds
        token = client.get_cookie("pairing").value
        assert context_of(app).pairings.authenticate(token) is not None
        assert not done.is_set()
    finally:
        done.set()
        thread.join()


def test_a_request_reads_only_the_pairing_of_its_sender(
    app: APIFlask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every phone that joined made all processes read the pairings of all others again."""
    pairings, stored = context_of(app).pairings, context_of(app).store.pairings
    phones = [stored.add("scorer", name=f"phone {number}") for number in range(3)]
    read: list[str] = []
    read_one = stored.pairing

    def noted(pairing_id: str) -> Pairing | None:
        read.append(pairing_id)
        return read_one(pairing_id)

    monkeypatch.setattr(stored, "pairing", noted)
    monkeypatch.delattr(type(stored), "pairings")
    for phone in (*phones, *phones):
        assert pairings.authenticate(stored.token(phone)) == phone
    assert read == [phone.id for phone in phones]
    pairings.revoke(phones[1].id)
    found = [pairings.get(phone.id) for phone in phones]
    assert [each and each.id for each in found] == [phones[0].id, None, phones[2].id]


def test_the_programs_own_camera_is_paired_while_it_runs(
    app: APIFlask, client: FlaskClient, data: Path
) -> None:
    store = context_of(app).pairings
    token = context_of(app).store.pairings.token(store.for_own("camera", "camera of this machine"))
    me = client.get("/api/me", headers={"Authorization": f"Bearer {token}"}).json
    assert (me["role"], me["name"]) == ("camera", "camera of this machine")
    assert Pairings(context_of(app).store.pairings).authenticate(token) is None


# --- the code of a table


def guest(app: APIFlask, host: FlaskClient, table: str) -> FlaskClient:
    """Return a phone that scanned the code of a table."""
    phone = app.test_client()
    answer = pair(phone, host, role="viewer", table=table)
    assert (answer["role"], answer["seat"], answer["table"]) == ("viewer", None, table)
    return phone


def sit(phone: FlaskClient, seat: int | None) -> Any:
    return phone.patch("/api/me", json={"seat": seat}, environ_base=PHONE)


def test_guests_take_free_seats_and_leave_them(app: APIFlask, client: FlaskClient) -> None:
    """A phone that scanned the code of a table could only watch, and had to scan that of a seat."""
    table = opened(client)
    first, second = guest(app, client, table), guest(app, client, table)
    taken = sit(first, 2).json
    assert (taken["role"], taken["seat"], taken["name"], taken["taken"]) == ("scorer", 2, "Bo", [2])
    assert slug(sit(second, 2)) == (409, "seat-taken")
    assert second.get("/api/me", environ_base=PHONE).json["taken"] == [2]
    assert sit(second, 3).status_code == 422, "a table of two"
    left = sit(first, None).json
    assert (left["role"], left["seat"], left["table"]) == ("viewer", None, table)
    assert sit(second, 2).json["seat"] == 2


def test_a_seat_for_any_table_is_taken_at_each(app: APIFlask, client: FlaskClient) -> None:
    pair(app.test_client(), client, seat=1)
    assert slug(sit(guest(app, client, opened(client)), 1)) == (409, "seat-taken")


def test_only_who_was_invited_to_a_table_sits_down(app: APIFlask, client: FlaskClient) -> None:
    opened(client)
    viewer, scorer = app.test_client(), app.test_client()
    pair(viewer, client, role="viewer")
    pair(scorer, client)
    for phone in (viewer, scorer):
        assert sit(phone, 1).status_code == 422
    assert slug(sit(app.test_client(), 1)) == (403, "not-paired")


def test_the_code_of_another_table_brings_a_player_there_and_no_other_role_ends(
    app: APIFlask, client: FlaskClient
) -> None:
    table, other = opened(client), opened(client)
    player = guest(app, client, table)
    sit(player, 1)
    assert pair(player, client, role="viewer", table=table)["seat"] == 1, "scanned again"
    moved = pair(player, client, role="viewer", table=other)
    assert (moved["role"], moved["seat"], moved["table"]) == ("viewer", None, other)
    for role in ("host", "scorer"):
        phone = app.test_client()
        pair(phone, client, role=role)
        assert pair(phone, client, role="viewer", table=other)["role"] == role
    anywhere = app.test_client()
    pair(anywhere, client, seat=2)
    assert pair(anywhere, client, role="viewer", table=other)["seat"] == 2
