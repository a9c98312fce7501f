"""Requests that one server passes on to another over HTTPS, where each has a certificate authority of its own."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import psycopg

from companion.hanafuda.simulation import random_round, record_of
from companion.net.certificates import Authority
from tests.api.forwarding.test_forwarding import watched
from tests.real_server import RealServer, picture
from vision.worker.client import TableClient


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_servers_trust_each_others_authorities(postgres_url: str, tmp_path: Path) -> None:
    """Only the program's own certificates: the machine trusts neither of the authorities."""
    with ExitStack() as stack:
        servers, urls = [], []
        for name in ("first", "second"):
            Authority(tmp_path / name).create(name)
            port = free_port()
            urls.append(f"https://127.0.0.1:{port}")
            options = ["--https-port", str(port), "--advertise", urls[-1]]
            server = RealServer(tmp_path / name, store=postgres_url, options=options)
            stack.callback(server.stop)
            server.start()
            servers.append(server)
        _, opened = servers[0].request("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})
        seen = watched(record_of(random_round("koikoi", 1)), 1)
        for number, server in enumerate((servers[0], servers[1], servers[0])):
            camera = TableClient(f"http://127.0.0.1:{server.port}/t/{opened['id']}")
            camera.send_observation(seen[number], picture(number))
        with psycopg.connect(postgres_url) as connection:
            holders = connection.execute(
                "SELECT url FROM leases WHERE resource = %s", [f"table:{opened['id']}"]
            )
            assert holders.fetchall() == [(urls[0],)]
