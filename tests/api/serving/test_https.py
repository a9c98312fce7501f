"""HTTPS through the real server: trusting clients, cookies, streams, incomplete handshakes, and a renewed
certificate."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from api.page_shell import SECURE_PORT
from api.serving import limits
from api.serving.https_routes import Renewal
from api.serving.server import Server
from companion.net.certificates import Authority
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import dealt, played_round

TIMEOUT_S = 20.0
PHONES = 60


class House:
    """The application on a plain and an HTTPS port."""

    def __init__(self, data: Path) -> None:
        self.authority = Authority(data)
        self.authority.create("box")
        self.authority.certify(())
        self.app: APIFlask = make_app(data, ScannerDouble(), max_streams=PHONES + 20)
        self.server: Server = Server(self.app, "127.0.0.1", 0, most_streams=PHONES + 20)
        self.port = self.server.listen_tls("127.0.0.1", 0, self.authority.context())
        self.app.config[SECURE_PORT] = self.port
        self.trust = ssl.create_default_context(cafile=str(self.authority.folder / "ca.pem"))

    def connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=TIMEOUT_S, context=self.trust)

    def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[http.client.HTTPResponse, bytes]:
        connection = self.connect()
        try:
            sent = {"Content-Type": "application/json", **(headers or {})}
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()

    def open_table(self) -> str:
        response, body = self.call("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})
        assert response.status == 201
        return str(json.loads(body)["id"])


@contextmanager
def housed(data: Path) -> Iterator[House]:
    house = House(data)
    thread = threading.Thread(target=house.server.run)
    thread.start()
    try:
        yield house
    finally:
        context_of(house.app).hub.close()
        house.server.stop()
        thread.join(TIMEOUT_S)
        house.server.close()
        context_of(house.app).pictures.close()
        context_of(house.app).store.close()


@pytest.fixture
def house(data: Path) -> Iterator[House]:
    with housed(data) as running:
        yield running


def test_a_browser_that_trusts_the_root_gets_pages_and_secure_cookies(house: House) -> None:
    response, _ = house.call("GET", "/")
    assert (response.status, response.getheader("Content-Type")) == (200, "text/html; charset=utf-8")
    made = context_of(house.app).store.pairings.invite("scorer", name="Aiko", seat=None, uses=1)
    response, _ = house.call(
        "POST", "/api/pair", {"code": made.code}, {"Origin": f"https://127.0.0.1:{house.port}"}
    )
    assert response.status == 200
    cookie = response.getheader("Set-Cookie") or ""
    assert cookie.startswith("__Host-pairing=")
    assert "; Secure" in cookie
    assert "; HttpOnly" in cookie


def test_an_answer_larger_than_a_record_arrives_whole(house: House) -> None:
    """A TLS record holds 16 kB; the rest of one in memory does not make the socket readable again."""
    _, body = house.call("GET", "/api/openapi.json")
    assert json.loads(body)["openapi"].startswith("3.")
    response, _ = house.call("POST", "/api/tables", {"game": "koikoi", "players": ["A" * 100_000, "B"]})
    assert response.status in {400, 413, 422}  # read, and refused because of its content


def test_many_phones_follow_a_table_over_tls(house: House) -> None:
    table = house.open_table()
    phones = [house.connect() for _ in range(PHONES)]
    streams = []
    for phone in phones:
        phone.request("GET", f"/api/tables/{table}/events")
        streams.append(phone.getresponse())
    assert all(stream.readline() == b"event: snapshot\n" for stream in streams)
    response, _ = house.call("POST", f"/api/tables/{table}/events", {"events": [dealt(played_round())]})
    assert response.status == 200
    for stream in streams:
        while (line := stream.readline()) != b"event: change\n":
            assert line
    for phone, stream in zip(phones, streams, strict=True):
        stream.close()
        phone.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"])
def test_a_client_that_does_not_finish_the_handshake_is_given_up(
    data: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(limits, "HEADER_S", 0.5)
    with housed(data) as house:
        client = socket.create_connection(("127.0.0.1", house.port), timeout=TIMEOUT_S)
        client.sendall(sent)
        try:
            while client.recv(4096):
                pass
        except ConnectionError:
            pass
        client.close()
        assert house.call("GET", "/api/me")[0].status == 200


def test_an_old_version_of_tls_is_refused(house: House) -> None:
    old = ssl.create_default_context(cafile=str(house.authority.folder / "ca.pem"))
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with (
        socket.create_connection(("127.0.0.1", house.port), timeout=TIMEOUT_S) as client,
        pytest.raises((ssl.SSLError, ConnectionError)),
    ):
        old.wrap_socket(client, server_hostname="127.0.0.1").close()


def test_new_connections_get_the_renewed_certificate(house: House) -> None:
    """A router may give the machine another address at any time; open streams must survive it."""

    def names() -> set[str]:
        with house.trust.wrap_socket(
            socket.create_connection(("127.0.0.1", house.port), timeout=TIMEOUT_S),
            server_hostname="127.0.0.1",
        ) as client:
            displayed = client.getpeercert() or {}
            return {str(value) for _, value in displayed["subjectAltName"]}  # type: ignore[misc]

    table = house.open_table()
    phone = house.connect()
    phone.request("GET", f"/api/tables/{table}/events")
    stream = phone.getresponse()
    assert stream.readline() == b"event: snapshot\n"
    addresses = {"192.168.0.7"}
    renewal = Renewal(house.authority, house.server, addresses=lambda: frozenset(addresses))
    assert renewal.step()
    assert "192.168.0.7" in names()
    addresses.add("192.168.0.8")
    assert renewal.step()
    assert not renewal.step()
    assert {"192.168.0.7", "192.168.0.8"} <= names()
    house.call("POST", f"/api/tables/{table}/events", {"events": [dealt(played_round())]})
    while stream.readline() != b"event: change\n":
        pass
    stream.close()
    phone.close()


def test_a_phone_downloads_the_root_over_plain_http(data: Path, client: FlaskClient) -> None:
    assert client.get("/ca.crt").status_code == 404
    assert "turned off" in client.get("/install-certificate").get_json(force=True)["detail"]
    authority = Authority(data)
    authority.create("box")
    response = client.get("/ca.crt", environ_base={"REMOTE_ADDR": "192.0.2.7"})
    assert (response.status_code, response.mimetype) == (200, "application/x-x509-ca-cert")
    assert response.data == authority.root_bytes
    for language, word in (("en", "Download the certificate"), ("ja", "証明書をダウンロード")):
        page = client.get("/install-certificate", headers={"Accept-Language": language}).text
        assert word in page
        assert authority.fingerprint in page


def test_the_server_waits_for_nobody_who_shakes_hands_slowly(house: House) -> None:
    """An honest phone is served while others have started a handshake and do nothing."""
    silent = [socket.create_connection(("127.0.0.1", house.port), timeout=TIMEOUT_S) for _ in range(100)]
    began = time.monotonic()
    assert house.call("GET", "/api/me")[0].status == 200
    assert time.monotonic() - began < TIMEOUT_S
    for each in silent:
        each.close()
