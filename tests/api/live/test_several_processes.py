"""Two server processes over one store, without a proxy that keeps them apart: the log stays right whoever refereed or wrote last."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from werkzeug.test import TestResponse

from api.monitoring.background import ProcessReports
from companion.hanafuda.cards import first_of
from companion.observations import Observation
from companion.table import Table
from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.api.table_helpers import observe, open_table, send
from tests.recorded_observations import recorded_round

JPEG = b"\xff\xd8\xff\xe0 a picture \xff\xd9"
REPORT: dict[str, Any] = {"devices": [], "ports": []}
TIMEOUT_S = 20.0

Apps = tuple[APIFlask, APIFlask]


@pytest.fixture(params=["sqlite", "postgres"])
def apps(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Apps]:
    """The applications of two processes on one store."""
    if request.param == "sqlite":
        made = tuple(make_app(tmp_path / "data", ScannerDouble()) for _ in range(2))
    else:
        url = request.getfixturevalue("postgres_url")
        made = tuple(make_app(tmp_path / name, ScannerDouble(), store_url=url) for name in "ab")
    first, second = made
    yield first, second
    for app in made:
        context_of(app).driver.close()
        context_of(app).store.close()


@pytest.fixture
def shared(postgres_url: str, tmp_path: Path) -> Iterator[Apps]:
    """The applications of two processes that receive each other's signals."""
    first, second = (make_app(tmp_path / name, ScannerDouble(), store_url=postgres_url) for name in "ab")
    yield first, second
    for app in (first, second):
        context_of(app).store.close()


def watched() -> tuple[Mapping[str, Any], Sequence[Observation]]:
    """Return the record of a round, and what a camera without errors observed of it."""
    recorded = recorded_round("faultless-koikoi")
    return recorded.records[0], recorded.observations


def see(app: APIFlask, table: str, observation: Observation) -> TestResponse:
    document = json.dumps(observation.to_json())
    return send(app.test_client(), f"/api/tables/{table}/observations", observation=document)


def turns(record: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the player and the cards of each turn; which of two look-alikes it was, and which card came first, may not be seen."""
    return [
        (each["player"], *sorted(first_of(card) for card in (each["play"], each["draw"]) if card))
        for each in record["turns"]
    ]


def stored_turns(app: APIFlask, table: str) -> list[tuple[Any, ...]]:
    """Return the turns in the log, folded from scratch."""
    folded = Table.of(context_of(app).store.tables.load(table))
    return turns(folded.record(folded.round_number))


def reports(app: APIFlask) -> ProcessReports:
    ctx = context_of(app)
    return ProcessReports(ctx.peers, ctx.cameras, ctx.driver, ctx.scanned, ctx.hub)


def until(check: Callable[[], object]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_round_that_two_referees_watch_in_turns_is_stored_once(apps: Apps) -> None:
    table = open_table(apps[0].test_client())
    record, seen = watched()
    for number, each in enumerate(seen):
        response = see(apps[number % 2], table, each)
        assert response.status_code == 200, response.json
    assert stored_turns(apps[0], table) == turns(record)


def test_a_round_goes_on_with_the_referee_of_another_process(apps: Apps) -> None:
    first, second = apps
    table = open_table(first.test_client())
    record, seen = watched()
    third = len(seen) // 3
    for app, part in ((first, seen[:third]), (second, seen[third : 2 * third]), (first, seen[2 * third :])):
        for each in part:
            assert see(app, table, each).status_code == 200
    assert stored_turns(first, table) == turns(record)
    with context_of(first).tables.at(table) as watched_table:
        assert turns(watched_table.record(watched_table.round_number)) == turns(record)


def test_a_referee_that_stood_still_adds_nothing_to_what_another_one_has_stored(apps: Apps) -> None:
    """It was interrupted while it was thinking; when it goes on, another one has refereed the table."""
    first, second = apps
    table = open_table(first.test_client())
    record, seen = watched()
    there = context_of(first).driver.watched(table)
    see_there = there.see
    interrupted = []

    def interrupt(*args: Any) -> Any:
        report = see_there(*args)
        if report and not interrupted:
            for each in seen[:6]:
                assert see(second, table, each).status_code == 200
            interrupted.append(context_of(second).store.tables.load(table))
        return report

    there.see = interrupt  # type: ignore[method-assign]
    dealing = next(each for each in seen[:6] if see(first, table, each).status_code == 200 and interrupted)
    stored = context_of(first).store.tables.load(table)
    assert stored == interrupted[0], dealing
    assert [each.kind for each in stored].count("dealt") == 1
    for each in seen[6:]:
        assert see(first, table, each).status_code == 200
    assert stored_turns(first, table) == turns(record)


def test_entries_at_both_processes_while_both_referee_are_stored_once(apps: Apps) -> None:
    """Each process renames a player again and again, and gets every second observation of a round."""
    table = open_table(apps[0].test_client())
    _, seen = watched()
    acknowledged: list[str] = []
    unexpected: list[Any] = []

    def enter(app: APIFlask, seat: int) -> None:
        client = app.test_client()
        for number in range(15):
            name = f"{seat} {number}"
            entry = {"kind": "seated", "data": {"seat": seat, "name": name}}
            response = client.post(f"/api/tables/{table}/events", json={"events": [entry], "key": name})
            if response.status_code == 200:
                acknowledged.append(name)
            else:
                unexpected.append(response.json)

    def watch(app: APIFlask, part: Sequence[Observation]) -> None:
        unexpected.extend(
            response.json for each in part if (response := see(app, table, each)).status_code != 200
        )

    threads = [
        threading.Thread(target=work, args=args)
        for number, app in enumerate(apps)
        for work, args in ((enter, (app, number + 1)), (watch, (app, seen[number::2])))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not unexpected
    events = context_of(apps[0]).store.tables.load(table)
    assert [each.seq for each in events] == list(range(1, len(events) + 1))
    assert Counter(each.data["name"] for each in events if each.kind == "seated") == Counter(acknowledged)
    assert len(acknowledged) == 30
    assert Table.of(events).seq == len(events)
    assert [each.kind for each in events].count("dealt") <= 1


def test_pages_at_any_process_list_the_cameras_of_all(shared: Apps) -> None:
    first, second = shared
    table = open_table(first.test_client())
    assert (
        send(first.test_client(), f"/api/tables/{table}/camera", state='{"state": "watching"}').status_code
        == 200
    )
    reports(first).step()
    until(context_of(second).peers.cameras)
    client = second.test_client()
    assert client.get("/api/tables").json["tables"][0]["camera"] == "watching"
    assert [(each["table"], each["state"]) for each in client.get("/api/health").json["cameras"]] == [
        (table, "watching")
    ]


def test_a_camera_that_reports_to_another_process_now_is_not_called_silent(
    shared: Apps, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = shared
    table = open_table(first.test_client())
    for app in shared:
        assert (
            send(
                app.test_client(), f"/api/tables/{table}/camera", JPEG, state='{"state": "watching"}'
            ).status_code
            == 200
        )
    published: list[bytes] = []
    monkeypatch.setattr(context_of(first).hub, "publish", lambda table, data: published.append(data))
    monkeypatch.setattr(context_of(first).cameras, "fell_silent", lambda table: True)
    reports(second).step()
    until(context_of(first).peers.cameras)
    reports(first).step()
    assert not published
    assert context_of(first).cameras.tables() == []


def test_scans_at_another_process_are_no_moves_while_tags_are_paired(shared: Apps) -> None:
    first, second = shared
    table = open_table(first.test_client())
    scans = {"device": "pad", "place": "field", "scans": [{"uid": "04A1"}]}
    path = f"/api/tables/{table}/scans"
    assert second.test_client().post(path, json=scans).status_code == 200
    first.test_client().get("/api/tags/last?pairing=1")
    reports(first).step()
    until(lambda: context_of(second).peers.pairing)
    refused = second.test_client().post(path, json=scans)
    assert (refused.status_code, refused.json["code"]) == (409, "problem-tags-being-paired")


def test_readers_report_their_tags_again_when_another_process_referees_their_table(shared: Apps) -> None:
    first, second = shared
    table = open_table(first.test_client())
    reader = {"name": "pad", "driver": "rdm6300", "port": "COM1", "on": True, "place": "field"}
    client = first.test_client()
    put = client.put("/api/devices", json={"revision": 0, "devices": [reader]})
    assert put.status_code == 200, put.json

    def boot() -> str:
        return str(client.post("/api/devices/report", json=REPORT).json["boot"])

    before = boot()
    assert boot() == before
    assert observe(second.test_client(), table).status_code == 200
    reports(second).step()
    until(lambda: context_of(first).peers.watching(table))
    assert boot() != before
