"""Two server processes behind nginx or Caddy with the example configurations: a table has one process until that is killed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest

from companion.net.client import AwayError
from companion.observations import Observation
from tests.api.live.test_several_processes import turns, watched
from tests.cluster.proxies import PROXIES, proxy, proxy_program
from tests.kills.stored import in_database
from tests.real_server import START_S, NoAnswerError, RealServer, ask, picture
from vision.worker.client import TableClient

_MAX_TABLES = 40
"""Random tables until each process has one: all but one time in 10^11."""
_AGAIN_S = 0.1
AWAY = {502, 503, 504}
"""Statuses of a proxy whose server does not answer, and of a server that cannot use its log."""


def _repeated(attempt: Callable[[], bool]) -> None:
    """Repeat a request until it succeeds, as cameras and pages do."""
    deadline = time.monotonic() + START_S
    while True:
        try:
            if attempt():
                return
        except (AwayError, NoAnswerError):
            pass
        assert time.monotonic() < deadline
        time.sleep(_AGAIN_S)


def _sent(camera: TableClient, observation: Observation, number: int) -> bool:
    camera.send_observation(observation, picture(number))
    return True


def _invite(server: RealServer, role: str) -> dict[str, str]:
    status, invited = server.request("POST", "/api/pairings", {"role": role, "name": role})
    assert status == 201, invited
    return {"code": invited["code"]}


def _table_of_each(servers: list[RealServer], port: int, token: str) -> list[str]:
    """Open tables and report a camera at each through the proxy; return one for each server that has the camera."""
    found: dict[int, str] = {}
    for _ in range(_MAX_TABLES):
        _, opened = servers[0].request("POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})
        table = str(opened["id"])
        for _ in range(3):
            with closing(TableClient(f"http://127.0.0.1:{port}/t/{table}", token)) as camera:
                camera.send_camera_state({"state": "watching"}, None)
        states = [each.request("GET", f"/api/tables/{table}/camera")[1]["state"] for each in servers]
        assert sorted(states) == ["absent", "watching"]
        found[states.index("watching")] = table
        if len(found) == len(servers):
            return [found[number] for number in range(len(servers))]
    raise AssertionError(found)


@pytest.mark.parametrize("name", PROXIES)
def test_the_table_of_a_killed_process_goes_on_at_the_other(
    name: str, postgres_url: str, tmp_path: Path
) -> None:
    """A camera and a host use a table through the proxy; nothing that was acknowledged is lost, nothing is doubled."""
    if proxy_program(name) is None:
        pytest.skip(f"no {name} here (Debian: apt-get install {name})")
    record, seen = watched()
    with ExitStack() as stack:
        servers = [RealServer(tmp_path / each, store=postgres_url) for each in ("first", "second")]
        for each in servers:
            stack.callback(each.stop)
            each.start()
        port = stack.enter_context(proxy(name, tmp_path, [each.port for each in servers]))
        _, camera_pairing = servers[0].request("POST", "/api/pair", _invite(servers[0], "camera"))
        status, cookie = servers[0].cookie("/api/pair", _invite(servers[0], "host"), {"Via": "1.1 test"})
        assert status == 200
        table, other = _table_of_each(servers, port, camera_pairing["token"])
        camera = stack.enter_context(
            closing(TableClient(f"http://127.0.0.1:{port}/t/{table}", camera_pairing["token"]))
        )
        entered: Counter[tuple[str, str]] = Counter()

        def enter(table: str, name: str) -> None:
            entry = {"kind": "seated", "data": {"seat": 1, "name": name}}
            body = {"events": [entry], "key": name}

            def send() -> bool:
                status, answer = ask(port, "POST", f"/api/tables/{table}/events", body, {"Cookie": cookie})
                assert status in {200, *AWAY}, answer
                return status == 200

            _repeated(send)
            entered[table, name] += 1

        for number, each in enumerate(seen):
            if number == len(seen) // 2:
                servers[0].kill()

            _repeated(partial(_sent, camera, each, number))
            if number % 5 == 0:
                enter(table, f"Aiko {number}")
                enter(other, f"Ben {number}")
        status, played = servers[1].request("GET", f"/api/tables/{table}/records")
        assert status == 200
        assert turns(played) == turns(record)
        in_database(postgres_url).check(entered, {}, exactly=True)
