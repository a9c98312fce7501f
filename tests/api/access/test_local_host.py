"""The local host: only requests over loopback that name this machine and do not come through a proxy."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from companion.net.addresses import own_addresses
from tests.api.api_helpers import ScannerDouble, context_of, make_app

NEW_TABLE = {"game": "koikoi", "players": ["Aiko", "Ben"]}


def role(client: FlaskClient, address: str = "127.0.0.1", **headers: str) -> str:
    response = client.get("/api/me", environ_base={"REMOTE_ADDR": address}, headers=headers)
    return str(response.json["role"]) if response.status_code == 200 else f"{response.status_code}"


@pytest.mark.parametrize(
    "header",
    [
        "X-Real-IP: 192.0.2.7",
        "Via: 1.1 proxy",
        "CF-Connecting-IP: 192.0.2.7",
        "True-Client-IP: 192.0.2.7",
        "X-Forwarded-For: 192.0.2.7",
        "X-Forwarded-Host: cards.example",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Anything: x",
        "x-forwarded: x",
        "Forwarded: for=192.0.2.7",
        "X-Client-IP: 192.0.2.7",
        "X-Cluster-Client-IP: 192.0.2.7",
        "Fastly-Client-IP: 192.0.2.7",
        "X-Original-URL: /",
        "X-Original-Forwarded-For: 192.0.2.7",
        "X-ProxyUser-Ip: 192.0.2.7",
        "CF-RAY: 1",
        "CDN-Loop: cloudflare",
        "Tailscale-User-Login: aki@example.com",
        "X-Real-IP: ",
    ],
)
def test_what_a_proxy_passes_on_is_not_from_this_machine(fuzzed: FlaskClient, header: str) -> None:
    """`X-Real-IP` or `Via` alone through loopback still counted as the host, and opened tables."""
    name, _, value = header.partition(":")
    headers = {name: value.strip()}
    assert fuzzed.get("/api/me", headers=headers).json["role"] == "viewer"
    assert fuzzed.post("/api/tables", json=NEW_TABLE, headers=headers).status_code == 403
    assert fuzzed.get("/api/tables").json["tables"] == []


def test_what_is_passed_on_in_http_1_0_is_not_from_a_browser_here(client: FlaskClient) -> None:
    """nginx with only `proxy_pass` replaces `Host`, adds no header, and speaks HTTP/1.0."""
    response = client.get("/api/me", environ_overrides={"SERVER_PROTOCOL": "HTTP/1.0"})
    assert response.json["role"] == "viewer"


@pytest.mark.parametrize(
    ("address", "host", "expected"),
    [
        ("127.0.0.1", "localhost", "host"),
        ("127.0.0.1", "localhost:8420", "host"),
        ("127.0.0.1", "LOCALHOST.:8420", "host"),
        ("127.0.0.1", "127.0.0.1:8420", "host"),
        ("127.8.9.10", "127.0.0.2", "host"),
        ("::1", "[::1]:8420", "host"),
        ("::ffff:127.0.0.1", "127.0.0.1", "host"),
        ("127.0.0.1", "192.0.2.1:8420", "viewer"),
        ("127.0.0.1", "[2001:db8::1]", "viewer"),
        ("127.0.0.1", "0.0.0.0:8420", "viewer"),
        ("192.0.2.7", "localhost", "viewer"),
        ("192.0.2.7", "127.0.0.1", "viewer"),
        ("::ffff:192.0.2.7", "127.0.0.1", "viewer"),
        ("127.0.0.1", "user@localhost", "421"),
        ("127.0.0.1", "localhost@evil.example", "421"),
        ("127.0.0.1", "localhost, evil.example", "421"),
        ("127.0.0.1", "localhost.evil.example", "421"),
        ("127.0.0.1", "127.0.0.1.evil.example", "421"),
        ("127.0.0.1", "2130706433", "421"),
        ("127.0.0.1", "localhost:8420:1", "421"),
        ("127.0.0.1", "", "421"),
    ],
)
def test_the_address_and_the_host_name_are_this_machines(
    fuzzed: FlaskClient, address: str, host: str, expected: str
) -> None:
    assert role(fuzzed, address, Host=host) == expected


def test_this_machines_own_name_is_the_host_over_loopback_only(client: FlaskClient) -> None:
    name = socket.gethostname()
    assert role(client, Host=f"{name}:8420") == "host"
    assert role(client, "192.0.2.7", Host=f"{name}:8420") == "viewer"


def test_this_machines_own_address_in_the_network_is_not_the_host(client: FlaskClient) -> None:
    """Requests from the machine's own network address counted as the host: containers, proxies, guests' programs."""
    for address in own_addresses():
        assert role(client, address, Host="localhost") == "viewer"
        assert role(client, address) == "viewer"


# --- behind a configured proxy


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[APIFlask]:
    folder = tmp_path / "proxied"
    folder.mkdir()
    (folder / "settings.toml").write_text('proxies = 1\nhosts = ["cards.home.example"]\n')
    app = make_app(folder, ScannerDouble())
    yield app
    context_of(app).store.close()


def test_behind_a_trusted_proxy_nobody_is_the_local_host(proxied: APIFlask) -> None:
    client = proxied.test_client()
    assert role(client) == "viewer"
    assert role(client, Host="cards.home.example", **{"X-Forwarded-For": "127.0.0.1"}) == "viewer"


def test_a_trusted_proxy_determines_client_and_scheme(proxied: APIFlask) -> None:
    client = proxied.test_client()
    headers = {
        "Host": "cards.home.example",
        "Origin": "https://cards.home.example",
        "X-Forwarded-For": "198.51.100.1, 192.0.2.7",  # the first address is invented by the phone
        "X-Forwarded-Proto": "https",
    }
    me = client.get("/api/me", headers=headers).json
    assert me["name"] == "http 192.0.2.7"


def test_a_page_does_not_choose_the_host_name_through_a_proxy(proxied: APIFlask) -> None:
    """nginx passes on an `X-Forwarded-Host` that a page made up, unless it is told to replace it."""
    headers = {
        "Host": "evil.example",
        "X-Forwarded-Host": "cards.home.example",
        "X-Forwarded-For": "192.0.2.7",
    }
    assert proxied.test_client().get("/api/tables", headers=headers).status_code == 421
