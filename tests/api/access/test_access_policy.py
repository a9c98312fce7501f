"""The access policy: every route is tried in every role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.access import policy
from api.access.policy import POLICY, routes
from tests.api.access_helpers import ASKERS, NOBODY, Asker, paired_as
from tests.api.api_helpers import ScannerDouble, context_of, make_app

#: Who may use a route under each rule, in addition to hosts; repeated here, so that an accidental change of a
#: rule fails.
MAY = {
    "anyone": {
        "viewer",
        "nobody",
        "nobody, reading closed",
        "seat scorer",
        "table scorer",
        "camera",
        "device",
    },
    "reader": {"viewer", "nobody", "seat scorer", "table scorer", "camera", "device"},
    "own draft": {"seat scorer", "table scorer"},
    "paired": {"viewer", "seat scorer", "table scorer", "camera", "device"},
    "scorer": {"seat scorer", "table scorer"},
    "table scorer": {"table scorer"},
    "reporter": {"seat scorer", "table scorer", "device"},
    "equipment": {"seat scorer", "table scorer", "device"},
    "layout reader": {"seat scorer", "table scorer", "camera", "device"},
    "camera": {"camera"},
    "device": {"device"},
    "camera or device": {"camera", "device"},
    "host": set(),
}


class Home(NamedTuple):
    """Two running applications: one that everybody may read, and one that only paired phones may read."""

    app: APIFlask
    closed: APIFlask


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    app = make_app(tmp_path_factory.mktemp("home"), ScannerDouble())
    folder = tmp_path_factory.mktemp("closed")
    (folder / "settings.toml").write_text('read = "paired"\n')
    closed = make_app(folder, ScannerDouble())
    yield Home(app, closed)
    context_of(app).store.close()
    context_of(closed).store.close()


def _routes(app: APIFlask) -> list[tuple[str, str, str]]:
    return [
        (method, re.sub(r"{(seq|seat|number|round|dispute)}", "1", path), rule.name)
        for method, path, rule in routes(app)
    ]


def allowed(client: FlaskClient, method: str, path: str, rule: str, asker: Asker) -> bool:
    """Return whether a request passes the check of roles, whatever its response is."""
    response = client.open(path, method=method, **asker.options)
    if response.status_code == 303 and response.headers["Location"].startswith("/join?to="):
        return False
    if rule == "own draft" and response.status_code == 404 and asker.name in {"nobody", "viewer"}:
        return False  # the response for a scan that does not exist
    refused = response.status_code == 403
    if refused:
        assert response.json["type"] in {"/problems/not-paired", "/problems/role-too-low"}
    response.close()
    return not refused


@pytest.mark.parametrize("name", [*ASKERS, "nobody, reading closed"])
def test_everybody_tries_every_route(home: Home, name: str) -> None:
    """Strangers could change enrollments, list devices and printers, and read every scan."""
    app = home.closed if name == "nobody, reading closed" else home.app
    asker = NOBODY if app is home.closed else paired_as(app, name)
    wrong = []
    for method, path, rule in _routes(home.app):
        expected = name == "host" or name in MAY[rule]
        if allowed(asker.client(app), method, path, rule, asker) != expected:
            wrong.append((method, path, rule))
    assert wrong == []


def test_an_endpoint_without_an_entry_keeps_the_program_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = {endpoint: rule for endpoint, rule in POLICY.items() if endpoint != "scans.scan"}
    monkeypatch.setattr(policy, "POLICY", rest)
    with pytest.raises(RuntimeError, match=r"has no entry for scans\.scan"):
        make_app(tmp_path, ScannerDouble())


def test_an_entry_without_an_endpoint_keeps_the_program_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "POLICY", {**POLICY, "scans.gone": policy.HOST})
    with pytest.raises(RuntimeError, match=r"do not exist: scans\.gone"):
        make_app(tmp_path, ScannerDouble())


def test_a_route_that_was_added_later_is_for_the_host(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScannerDouble())
    app.add_url_rule("/later", view_func=lambda: "secret")
    response = app.test_client().get("/later", environ_base={"REMOTE_ADDR": "192.0.2.7"})
    assert response.status_code == 403
    context_of(app).close()


def test_openapi_documents_permissions(client: FlaskClient) -> None:
    spec = client.get("/api/openapi.json").json
    for operations in spec["paths"].values():
        for operation in operations.values():
            assert operation["x-roles"]
            assert {"401", "403", "421"} <= set(operation["responses"])
    devices = spec["paths"]["/api/devices"]
    assert (devices["put"]["x-access"], devices["put"]["x-roles"]) == ("host", ["host"])


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_other_methods_ask_for_the_same_role(home: Home, method: str) -> None:
    nobody = NOBODY
    for path in ("/api/devices", "/api/scans.json", "/api/pairings", "/api/printer"):
        response = nobody.client(home.app).open(path, method=method, **nobody.options)
        assert response.status_code == 403, path


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/devices/"),
        ("GET", "/api//devices"),
        ("GET", "/api/./devices"),
        ("GET", "/API/devices"),
        ("GET", "/api/devices;x=1"),
        ("GET", "/api/%64evices"),
        ("GET", "/static/../api/devices"),
        ("POST", "/api/devices"),
    ],
)
def test_another_spelling_of_a_path_does_not_get_past(home: Home, method: str, path: str) -> None:
    nobody = NOBODY
    response = nobody.client(home.app).open(
        path, method=method, headers={"X-HTTP-Method-Override": "PUT"}, **nobody.options
    )
    assert response.status_code in {308, 403, 404, 405}
    if response.status_code == 308:
        again = nobody.client(home.app).open(response.headers["Location"], method=method, **nobody.options)
        assert again.status_code == 403


def test_a_refused_body_is_not_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's 80 MB of photographs were parsed before they were refused."""

    class Body:
        def read(self, size: int = -1) -> bytes:
            raise AssertionError("the body was read")

        readline = read

    nobody = NOBODY
    environ: dict[str, Any] = {
        **nobody.options["environ_base"],
        "wsgi.input": Body(),
        "CONTENT_LENGTH": "1000",
    }
    for path in (
        "/api/enrollments",
        "/api/decks/files",
        "/api/tables/t/pictures",
        "/api/tables/t/observations",
    ):
        response = home.app.test_client().open(
            path, method="POST", content_type="multipart/form-data; boundary=x", environ_overrides=environ
        )
        assert response.status_code == 403


def test_a_page_that_is_closed_leads_to_the_page_where_one_joins(home: Home) -> None:
    nobody = NOBODY
    for app, path in ((home.app, "/devices"), (home.closed, "/t/abc/seat/2?lang=ja"), (home.closed, "/")):
        response = app.test_client().get(path, **nobody.options)
        assert response.status_code == 303
    assert response.headers["Location"] == "/join?to=%2F"
    join = home.closed.test_client()
    assert join.get("/join?to=%2F", **nobody.options).status_code == 200
    with join.get("/static/css/base.css", **nobody.options) as sheet:
        assert sheet.status_code == 200
    assert join.get("/api/me", **nobody.options).json["paired"] is False


def test_a_refusal_has_advice(home: Home) -> None:
    nobody, seat = NOBODY, paired_as(home.app, "seat scorer")
    watching = nobody.client(home.app).post("/api/tables/t/undo", json={}, **nobody.options).json
    assert watching["detail"] == "This phone can only watch. To keep score, scan the host’s QR code."
    assert (watching["join"], watching["needs"]) == ("/join", ["device", "host", "scorer"])
    whole = seat.client(home.app).post("/api/tables/t/rescan", json={}, **seat.options).json
    assert whole["detail"] == (
        "Aki is paired as scorer for seat 1, but this needs a scorer for the whole table. Ask the host."
    )
