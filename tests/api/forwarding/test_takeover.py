"""A camera's round at two real server processes, of which the referee's is stopped, killed and ended in the middle."""

from __future__ import annotations

import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg

from companion.hanafuda.simulation import random_round, record_of
from tests.api.forwarding.test_forwarding import turns, watched
from tests.real_server import START_S, RealServer, picture
from vision.worker.client import AwayError, TableClient


def test_a_round_is_refereed_by_whichever_process_lives(postgres_url: str, tmp_path: Path) -> None:
    record = record_of(random_round("koikoi", 1))
    seen = watched(record, 1)
    with ExitStack() as stack:
        servers = [RealServer(tmp_path / name, store=postgres_url) for name in ("first", "second")]
        for each in servers:
            stack.callback(each.stop)
            each.start()
        first, second = servers
        _, opened = first.request("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})
        table = opened["id"]
        cameras = [TableClient(f"http://127.0.0.1:{each.port}/t/{table}") for each in servers]

        def see(part: slice, *numbers: int) -> None:
            """Send observations to these servers in turn, each until it is accepted."""
            for number, observation in enumerate(seen[part]):
                deadline = time.monotonic() + START_S
                while True:
                    try:
                        cameras[numbers[number % len(numbers)]].send_observation(observation, picture(number))
                        break
                    except AwayError:
                        assert time.monotonic() < deadline
                        time.sleep(0.1)

        quarter = len(seen) // 4
        see(slice(quarter), 0, 1)
        os.kill(first.pid, signal.SIGSTOP)
        try:
            see(slice(quarter, 2 * quarter), 1)
        finally:
            os.kill(first.pid, signal.SIGCONT)
        see(slice(2 * quarter, 3 * quarter), 0, 1)
        second.kill()
        see(slice(3 * quarter, None), 0)
        _, played = first.request("GET", f"/api/tables/{table}/records")
        assert turns(played) == turns(record)
        assert played["result"] == record["result"]
        first.stop()
        with psycopg.connect(postgres_url) as connection:
            left = connection.execute("SELECT holder FROM leases WHERE resource = %s", [f"table:{table}"])
            assert left.fetchall() == [], "a process that ends gives up its leases"
