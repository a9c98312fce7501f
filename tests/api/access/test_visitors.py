"""Unpaired phones that scan photographs: each may access only its own drafts."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from companion.store import scans as scan_store
from tests.api.access_helpers import PHONE, paired_as
from tests.api.api_helpers import ScannerDouble, context_of, jpeg, make_app, upload

OTHER = {"REMOTE_ADDR": "192.0.2.8"}


def phone(app: APIFlask, address: dict[str, str] = PHONE) -> FlaskClient:
    """Return an unpaired browser at an address of its own."""
    client = app.test_client()
    client.environ_base.update(address)
    return client


def answers(client: FlaskClient, scan: str) -> dict[str, int]:
    """Return the status of every operation on a scan; it is deleted last."""
    path = f"/api/scans/{scan}"
    responses = {
        "look": client.get(path),
        "picture": client.get(f"{path}/picture"),
        "thumbnail": client.get(f"{path}/picture?width=320"),
        "correct": client.patch(path, json={"corrections": [{"index": 0, "card": "plum-warbler"}]}),
        "delete": client.delete(path),
    }
    for response in responses.values():
        response.close()
    return {what: response.status_code for what, response in responses.items()}


def test_a_phone_that_is_not_paired_sees_and_corrects_what_it_scanned(app: APIFlask) -> None:
    visitor = phone(app)
    scan = upload(visitor)
    assert scan.status_code == 200
    cookie = scan.headers["Set-Cookie"]
    assert cookie.startswith("visitor=")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert answers(visitor, scan.json["id"]) == {
        "look": 200,
        "picture": 200,
        "thumbnail": 200,
        "correct": 200,
        "delete": 204,
    }


def test_a_phone_goes_back_and_forth_between_http_and_https(app: APIFlask) -> None:
    """A page on plain HTTP cannot replace a `Secure` cookie, so both need a name of their own."""
    visitor = phone(app)
    first = upload(visitor).json["id"]
    picture = {"image": (io.BytesIO(jpeg()), "pile.jpg")}
    second = visitor.post("/api/scan", data=picture, base_url="https://localhost")
    assert second.headers["Set-Cookie"].startswith("__Host-visitor=")
    assert "Secure" in second.headers["Set-Cookie"]
    for scheme in ("https", "http"):
        for scan in (first, second.json["id"]):
            response = visitor.get(f"/api/scans/{scan}", base_url=f"{scheme}://localhost")
            assert response.status_code == 200, (scheme, scan)


@pytest.mark.parametrize("who", ["the host's", "another phone's", "a kept one"])
def test_a_phone_that_is_not_paired_does_nothing_with_other_scans(
    app: APIFlask, client: FlaskClient, who: str
) -> None:
    """Anybody could change (200) and delete (204) every scan, and read all photographs of the home."""
    stranger = phone(app)
    upload(stranger)  # it is a visitor with a draft of its own
    scanner = phone(app, OTHER) if who == "another phone's" else client
    scan = upload(scanner).json["id"]
    if who == "a kept one":
        assert client.patch(f"/api/scans/{scan}", json={"kept": True}).status_code == 200
    missing = stranger.get("/api/scans/0000000000000")
    refused = stranger.get(f"/api/scans/{scan}")
    for key in ("type", "title", "status"):  # the response for a scan that does not exist
        assert refused.json[key] == missing.json[key]
    assert refused.json["detail"].replace(scan, "…") == missing.json["detail"].replace("0000000000000", "…")
    assert set(answers(stranger, scan).values()) == {404}
    assert client.get(f"/api/scans/{scan}").json["corrections"] == []


@pytest.mark.parametrize("cookie", [None, "", "x", "a" * 32, "a" * 4000, "é", "../../log", "visitor"])
def test_a_made_up_cookie_owns_nothing(app: APIFlask, client: FlaskClient, cookie: str | None) -> None:
    scan = upload(client).json["id"]
    stranger = phone(app)
    if cookie is not None:
        stranger.set_cookie("visitor", cookie)
    assert set(answers(stranger, scan).values()) == {404}


def test_what_the_log_stores_does_not_open_a_draft(app: APIFlask) -> None:
    """The database is in backups; a reader of a backup must not be able to impersonate a visitor."""
    visitor = phone(app)
    scan = upload(visitor).json["id"]
    cookie = visitor.get_cookie("visitor")
    stored = context_of(app).store.scans.draft_owner(scan)
    assert cookie is not None
    assert stored is not None
    assert cookie.value not in stored
    thief = phone(app)
    thief.set_cookie("visitor", stored)
    assert set(answers(thief, scan).values()) == {404}


@pytest.mark.parametrize("path", ["/api/scans", "/api/scans?kept=0", "/api/scans.json", "/api/scans.csv"])
def test_lists_and_exports_are_for_who_is_paired(app: APIFlask, client: FlaskClient, path: str) -> None:
    upload(client)
    assert phone(app).get(path).status_code == 403
    scorer = paired_as(app, "seat scorer")
    assert scorer.client(app).get(path, **scorer.options).status_code == 200


def test_only_who_is_paired_keeps_a_scan(app: APIFlask) -> None:
    """A kept scan is stored forever, so a stranger could have filled the disk in spite of the limit."""
    visitor = phone(app)
    scan = upload(visitor).json["id"]
    refused = visitor.patch(f"/api/scans/{scan}", json={"kept": True})
    assert (refused.status_code, refused.json["type"]) == (403, "/problems/not-paired")
    assert "To keep scans in the log" in refused.json["detail"]
    assert visitor.patch(f"/api/scans/{scan}", json={"note": "ours", "kept": False}).json["kept"] is False


def test_a_phone_that_is_paired_later_keeps_its_drafts(app: APIFlask, client: FlaskClient) -> None:
    visitor = phone(app)
    scan = upload(visitor).json["id"]
    code = client.post("/api/pairings", json={"role": "scorer", "name": "Aki"}).json["code"]
    assert visitor.post("/api/pair", json={"code": code}).status_code == 200
    assert visitor.patch(f"/api/scans/{scan}", json={"kept": True}).status_code == 200
    another = upload(visitor)
    assert "Set-Cookie" not in another.headers
    assert context_of(app).store.scans.draft_owner(another.json["id"]) is None


def test_a_phone_that_is_paired_as_a_viewer_still_has_its_drafts(app: APIFlask, client: FlaskClient) -> None:
    visitor = phone(app)
    scan = upload(visitor).json["id"]
    code = client.post("/api/pairings", json={"role": "viewer", "name": "Dai"}).json["code"]
    assert visitor.post("/api/pair", json={"code": code}).status_code == 200
    assert visitor.get(f"/api/scans/{scan}").status_code == 200


def test_a_program_without_cookies_gets_one_for_each_scan(app: APIFlask) -> None:
    scans = [upload(phone(app)) for _ in range(2)]
    cookies = [scan.headers["Set-Cookie"].partition(";")[0] for scan in scans]
    assert cookies[0] != cookies[1]
    for scan, cookie in zip(scans, cookies, strict=True):
        response = app.test_client(use_cookies=False).get(
            f"/api/scans/{scan.json['id']}", headers={"Cookie": cookie}, environ_base=PHONE
        )
        assert response.status_code == 200


def test_too_many_drafts_are_refused_before_they_are_read(
    app: APIFlask, scanner: ScannerDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_store, "MAX_PER_VISITOR", 1)
    visitor = phone(app)
    assert upload(visitor).status_code == 200
    read = len(scanner.pictures)
    refused = upload(visitor)
    assert (refused.status_code, refused.json["type"]) == (429, "/problems/too-many-drafts")
    assert "pair the phone" in refused.json["detail"]
    assert len(scanner.pictures) == read
    assert upload(phone(app, OTHER)).status_code == 200


def test_a_new_cookie_for_each_scan_does_not_help(app: APIFlask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_store, "MAX_PER_ADDRESS", 2)
    statuses = [upload(phone(app, {"REMOTE_ADDR": "2001:db8:1:2::7"})).status_code]
    statuses += [upload(phone(app, {"REMOTE_ADDR": f"2001:db8:1:2::{n}"})).status_code for n in (8, 9)]
    assert statuses == [200, 200, 429]  # a phone takes any address of its network
    assert upload(phone(app, {"REMOTE_ADDR": "2001:db8:1:3::7"})).status_code == 200


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[APIFlask]:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "settings.toml").write_text('read = "paired"\n')
    app = make_app(folder, ScannerDouble())
    yield app
    context_of(app).store.close()


def test_where_reading_is_closed_nobody_scans_either(closed: APIFlask) -> None:
    assert upload(phone(closed)).status_code == 403
    scorer = paired_as(closed, "seat scorer")
    paired = scorer.client(closed)
    paired.environ_base.update(PHONE)
    assert upload(paired).status_code == 200


def test_the_health_of_a_closed_server_is_a_single_word(closed: APIFlask) -> None:
    """A load balancer checks whether the server is alive; details are only for paired clients."""
    reported: Any = phone(closed).get("/api/health")
    assert (reported.status_code, reported.json) == (200, {"status": "ok"})
    scorer = paired_as(closed, "seat scorer")
    assert "notices" in scorer.client(closed).get("/api/health", **scorer.options).json
