"""Requests that pages of other sites make a browser send are refused on every route."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from api.access.sites import HostName, is_known
from tests.api.api_helpers import ScannerDouble, context_of, jpeg, make_app, upload
from tests.api.table_helpers import open_table

OWN = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}

OTHERS: dict[str, dict[str, str]] = {
    "another site, old browser": {"Origin": "http://evil.example"},
    "a file or a sandboxed frame": {"Origin": "null"},
    "another port": {"Origin": "http://localhost:9999"},
    "another scheme": {"Origin": "https://localhost"},
    "another name of this machine": {"Origin": "http://127.0.0.1"},
    "a name that begins like ours": {"Origin": "http://localhost.evil.example"},
    "ours as the user's name": {"Origin": "http://localhost@evil.example"},
    "an empty origin": {"Origin": ""},
    "no origin at all": {"Origin": "http://["},
    "two origins": {"Origin": "http://localhost http://evil.example"},
    "ours with a path": {"Origin": "http://localhost:80/evil"},
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "another port of this machine": {"Sec-Fetch-Site": "same-site"},
    "ours, but sent by another site": {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
    "something new": {"Sec-Fetch-Site": "fenced-frame"},
    "DNS rebinding": {"Host": "evil.example"},
    "DNS rebinding, with our port": {"Host": "evil.example:8420", "Origin": "http://evil.example:8420"},
    "DNS rebinding, as our own page": {
        "Host": "evil.example",
        "Origin": "http://evil.example",
        "Sec-Fetch-Site": "same-origin",
    },
}


def write(client: FlaskClient, what: str, table: str, scan: str, headers: dict[str, str]) -> Any:
    match what:
        case "scan":
            data = {"image": (io.BytesIO(jpeg()), "pile.jpg")}
            return client.post("/api/scan", data=data, headers=headers)
        case "table":
            return client.post("/api/tables", json={"game": "koikoi", "players": ["A", "B"]}, headers=headers)
        case "event":
            event = {"kind": "seated", "data": {"seat": 1, "name": "Mallory"}}
            return client.post(f"/api/tables/{table}/events", json={"events": [event]}, headers=headers)
        case "invitation":
            return client.post("/api/pairings", json={"role": "host"}, headers=headers)
        case "deletion":
            return client.delete(f"/api/scans/{scan}", headers=headers)
    raise AssertionError(what)


@pytest.mark.parametrize("what", ["scan", "table", "event", "invitation", "deletion"])
@pytest.mark.parametrize("other", OTHERS)
def test_a_page_of_another_site_writes_nothing(fuzzed: FlaskClient, other: str, what: str) -> None:
    """Writes with a foreign or null `Origin` and no `Sec-Fetch-Site` were accepted, and those of another port too."""
    client = fuzzed
    table, scan = open_table(client), upload(client).json["id"]
    before = (client.get("/api/tables").json, client.get("/api/scans").json)
    refused = write(client, what, table, scan, OTHERS[other])
    assert refused.status_code == (421 if "Host" in OTHERS[other] else 403)
    assert refused.mimetype == "application/problem+json"
    assert (client.get("/api/tables").json, client.get("/api/scans").json) == before
    assert write(client, what, table, scan, OWN).status_code in {200, 201, 204}


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
@pytest.mark.parametrize(
    "path", ["/api/scans.json", "/api/tables", "/api/tags/last?pairing=1", "/api/nothing"]
)
def test_a_page_of_another_site_reads_nothing(
    client: FlaskClient, path: str, headers: dict[str, str]
) -> None:
    """`Host: evil.example` read the whole log."""
    assert client.get(path, headers=headers).status_code in {403, 421}


@pytest.mark.parametrize("path", ["/", "/join?code=x", "/api/scans.csv"])
def test_a_link_on_another_site_may_be_followed(client: FlaskClient, path: str) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get(path, headers=headers).status_code == 200


def test_a_stream_program_shows_the_overlay(client: FlaskClient) -> None:
    """OBS opens the page as a separate document, and the page follows the table like any other page."""
    table = open_table(client)
    opened = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get(f"/t/{table}/overlay", headers=opened).status_code == 200
    followed = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
    with client.get(f"/api/tables/{table}/events", headers=followed, buffered=False) as stream:
        assert stream.status_code == 200


@pytest.mark.parametrize(
    ("path", "status"), [("/", 200), ("/api/tables", 200), ("/api/nothing", 404), ("/faces/back.svg", 200)]
)
def test_no_other_site_can_embed_or_open_what_is_served(client: FlaskClient, path: str, status: int) -> None:
    with client.get(path) as response:
        assert response.status_code == status
        assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in response.headers


def test_a_preflight_request_allows_nothing(client: FlaskClient) -> None:
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "DELETE"}
    response = client.options("/api/scans/x", headers=asked)
    assert response.status_code == 403
    assert not any(name.startswith("Access-Control") for name, _ in response.headers)


def test_a_method_in_a_header_changes_nothing(client: FlaskClient) -> None:
    scan = upload(client).json["id"]
    client.post("/api/scan", headers={"X-HTTP-Method-Override": "DELETE"})
    client.get(f"/api/scans/{scan}?_method=DELETE", headers={"X-HTTP-Method-Override": "DELETE"})
    assert client.get(f"/api/scans/{scan}").status_code == 200


def test_a_refused_host_name_names_the_setting(client: FlaskClient) -> None:
    problem = client.get("/", headers={"Host": "cards.home.example:8420"}).json
    assert problem["type"] == "/problems/unknown-host"
    assert "`hosts` in settings.toml" in problem["detail"]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[APIFlask]:
    folder = tmp_path_factory.mktemp("named")
    (folder / "settings.toml").write_text('hosts = ["Cards.Home.Example"]\n')
    app = make_app(folder, ScannerDouble())
    yield app
    context_of(app).store.close()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("cards.home.example", 200),
        ("CARDS.home.example.:8420", 200),
        ("192.0.2.1:8420", 200),
        ("[fe80::1]:8420", 200),
        ("10.0.0.1", 200),
        (f"{socket.gethostname()}:8420", 200),
        (f"{socket.gethostname().partition('.')[0]}.local", 200),
        ("other.home.example", 421),
        ("cards.home.example.evil.example", 421),
        ("evil.cards.home.example", 421),
        ("evil.example", 421),
        (f"{socket.gethostname()}.evil.example", 421),
        ("cards.home.example, evil.example", 421),
        ("cards.home.example/evil", 421),
        ("cards.home.example:evil", 421),
        ("[evil]", 421),
        ("[", 421),
        ("x" * 5000, 421),
    ],
)
def test_names_by_which_browsers_reach_the_server(named: APIFlask, host: str, status: int) -> None:
    response = named.test_client().get("/api/tables", headers={"Host": host})
    assert response.status_code == status
    assert response.is_json or response.mimetype == "application/problem+json"


@given(st.text(max_size=40))
def test_no_text_breaks_the_reading_of_a_host_name(text: str) -> None:
    host = HostName.parse(text)
    if host is not None:
        assert host.name == host.name.lower()
        is_known(host, ())


@given(st.text("abclocalhost.0123456789:@[]/ ,", max_size=24).map(lambda text: f"{text}.evil.example"))
def test_no_name_under_another_domain_is_ours(text: str) -> None:
    host = HostName.parse(text)
    assert host is None or not is_known(host, ())
