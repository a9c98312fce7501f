"""Requests that another process has to answer: cameras, readers and devices at whichever process they reach."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest
from itsdangerous import URLSafeSerializer
from werkzeug.test import TestResponse

from api.access.forwarded import HEADER
from api.access.identity import Who
from api.cli.serve import _camera_age, _devices_age
from api.monitoring.lease_renewal import LeaseRenewal
from api.services.known_decks import NoSuchEnrollmentError
from api.services.ownership import PRINTER, of_enrollment, of_table
from companion.hanafuda.cards import first_of
from tests.api.forwarding.server_processes import ServerProcess, processes
from tests.api.table_helpers import observe, open_table, send
from tests.recorded_observations import recorded_round

__all__ = ["processes"]

Start = Callable[[], ServerProcess]
JPEG = b"\xff\xd8\xff\xe0 a picture \xff\xd9"


def expire_leases(process: ServerProcess) -> None:
    """Let all leases expire, as if they were not renewed."""
    with process.context.store.database.writing() as db:  # type: ignore[attr-defined]
        db.execute("UPDATE leases SET expires = clock_timestamp() - interval '1 ms'")


def see(process: ServerProcess, table: str, observation: Any) -> TestResponse:
    document = json.dumps(observation.to_json())
    return send(process.client, f"/api/tables/{table}/observations", observation=document)


def turns(record: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the turns of a record; which of two look-alikes it was is not to be seen."""
    return [
        (each["player"], *(card and first_of(card) for card in (each["play"], each["draw"])))
        for each in record["turns"]
    ]


def played(process: ServerProcess, table: str) -> list[tuple[Any, ...]]:
    return turns(process.context.tables.records(table)[-1])


def test_a_round_is_refereed_though_each_observation_reaches_another_process(processes: Start) -> None:
    servers = [processes(), processes()]
    table = open_table(servers[0].client)
    recorded = recorded_round("faultless-koikoi")
    for number, each in enumerate(recorded.observations):
        response = see(servers[number % 2], table, each)
        assert response.status_code == 200, response.json
    assert played(servers[0], table) == played(servers[1], table) == turns(recorded.records[0])
    owners = [each.context.ownership.holds(of_table(table)) for each in servers]
    assert owners == [True, False]


def test_a_round_goes_on_when_the_process_of_its_referee_ends(processes: Start) -> None:
    first, second = processes(), processes()
    table = open_table(first.client)
    recorded = recorded_round("faultless-koikoi")
    seen = recorded.observations
    half = len(seen) // 2
    for each in seen[:half]:
        assert see(first, table, each).status_code == 200
    first.stop()
    for each in seen[half:]:
        assert see(second, table, each).status_code == 200
    assert played(second, table) == turns(recorded.records[0])


def test_a_camera_tries_again_while_the_process_of_its_referee_is_silent(processes: Start) -> None:
    first, second = processes(), processes()
    table = open_table(first.client)
    observation = recorded_round("faultless-koikoi").observations[0]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        first.context.store.leases.advertise(f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert see(first, table, observation).status_code == 200
        expiry = threading.Timer(0.2, expire_leases, [second])
        expiry.start()
        response = see(second, table, observation)
        expiry.join()
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "1"
    assert response.json["code"] == "problem-owner-away"
    assert see(second, table, observation).status_code == 200


def test_a_process_that_stood_still_cannot_write_any_more(processes: Start) -> None:
    """Its referee was interrupted while it was thinking; when it goes on, another has refereed the table."""
    first, second = processes(), processes()
    table = open_table(first.client)
    recorded = recorded_round("faultless-koikoi")
    seen = recorded.observations
    referees = first.context.referees
    see_there = referees.see

    def interrupted(*args: Any) -> Any:
        report = see_there(*args)
        if report.events:
            referees.see = see_there  # type: ignore[method-assign]
            expire_leases(second)
            for each in seen[:6]:
                assert see(second, table, each).status_code == 200
        return report

    referees.see = interrupted  # type: ignore[method-assign]
    refused = [response for each in seen[:6] if (response := see(first, table, each)).status_code != 200]
    assert [each.json["code"] for each in refused] == ["problem-lease-lost"]
    events = second.context.store.tables.load(table)
    assert [each.kind for each in events].count("dealt") == 1
    for each in seen[6:]:
        assert see(first, table, each).status_code == 200
    assert not first.context.ownership.holds(of_table(table))
    assert played(second, table) == turns(recorded.records[0])


def test_the_state_and_picture_of_a_camera_are_the_same_everywhere(processes: Start) -> None:
    first, second = processes(), processes()
    table = open_table(first.client)
    state = json.dumps({"state": "watching"})
    assert second.client.get(f"/api/tables/{table}/camera").json["state"] == "absent"
    assert send(first.client, f"/api/tables/{table}/camera", JPEG, state=state).status_code == 200
    for each in (first, second):
        assert each.client.get(f"/api/tables/{table}/camera").json["state"] == "watching"
        picture = each.client.get(f"/api/tables/{table}/camera.jpg")
        assert picture.data == JPEG
        assert picture.mimetype == "image/jpeg"
        assert each.client.get(f"/api/tables/{table}/health").json["camera"] == "watching"
    assert send(second.client, f"/api/tables/{table}/camera", state=state).status_code == 200
    assert not second.context.cameras.tables()


def test_an_unknown_table_is_owned_by_nobody(processes: Start) -> None:
    first, second = processes(), processes()
    assert observe(first.client, "nowhere").status_code == 404
    assert observe(second.client, "nowhere").status_code == 404
    assert not first.context.ownership.holds("table:nowhere")


def test_the_sender_is_who_the_first_process_says(processes: Start) -> None:
    """Also a child process, whose pairing only the process that started it knows."""
    first, second = processes(), processes()
    table = open_table(first.client)
    assert observe(first.client, table).status_code == 200
    own = second.context.pairings.for_own("camera", "camera of two")
    token = second.context.store.pairings.token(own)
    client = second.app.test_client()
    client.environ_base |= {"REMOTE_ADDR": "192.0.2.9", "HTTP_AUTHORIZATION": f"Bearer {token}"}
    assert observe(client, table, time=2.0).status_code == 200
    stranger = second.app.test_client()
    stranger.environ_base |= {"REMOTE_ADDR": "192.0.2.9"}
    assert observe(stranger, table).status_code == 403


@pytest.mark.parametrize("forge", ["nonsense", "other key", "other path", "other lease"])
def test_a_client_cannot_pretend_to_be_forwarded(processes: Start, forge: str) -> None:
    first = processes()
    table = open_table(first.client)
    assert observe(first.client, table).status_code == 200
    lease = first.context.store.leases.holder(of_table(table))
    assert lease is not None
    path, host = f"/api/tables/{table}/camera.jpg", f"127.0.0.1:{first.port}"
    key = first.context.ownership.key
    if forge == "other key":
        key = b"guessed"
    elif forge == "other lease":
        lease = replace(lease, token=lease.token + 1)
    signed_path = "/api/tables" if forge == "other path" else path
    facts = ["GET", f"{signed_path}?", Who("host", "me", paired=True).to_json(), "127.0.0.1", "http", host]
    header = URLSafeSerializer(key, b"forwarded request").dumps([*facts, lease.resource, lease.token])
    status, _ = first.raw("GET", path, {HEADER: "nonsense" if forge == "nonsense" else header})
    assert status == (503 if forge == "other lease" else 403)


def test_commands_for_devices_reach_their_process(processes: Start) -> None:
    first, second = processes(), processes()
    report = {"devices": [], "ports": [], "scans": [{"device": "pad", "uid": "04A1", "ago_ms": 0}]}
    assert first.client.post("/api/devices/report", json=report).status_code == 200
    scans = second.client.get("/api/tags/last").json["scans"]
    assert [each["uid"] for each in scans] == ["04A1"]
    assert second.client.get("/api/devices").json["worker"]["running"]


def test_readers_report_their_tags_again_when_another_process_referees_their_table(processes: Start) -> None:
    first, second = processes(), processes()
    table = open_table(first.client)
    reader = {"name": "pad", "driver": "rdm6300", "port": "COM1", "on": True, "place": "field"}
    put = first.client.put("/api/devices", json={"revision": 0, "devices": [reader]})
    assert put.status_code == 200, put.json
    report = {"devices": [], "ports": []}
    assert observe(second.client, table).status_code == 200
    boots = [first.client.post("/api/devices/report", json=report).json["boot"] for _ in range(2)]
    assert boots[0] == boots[1]
    lease = second.context.ownership.own(of_table(table))
    second.context.store.leases.release([lease])
    assert observe(first.client, table).status_code == 200
    assert first.client.post("/api/devices/report", json=report).json["boot"] != boots[0]


def test_scans_at_another_process_are_no_moves_while_tags_are_paired(processes: Start) -> None:
    first, second = processes(), processes()
    table = open_table(first.client)
    scans = {"device": "pad", "place": "field", "scans": [{"uid": "04A1"}]}
    path = f"/api/tables/{table}/scans"
    assert second.client.post(path, json=scans).status_code == 200
    first.client.get("/api/tags/last?pairing=1")
    renewal = LeaseRenewal(
        first.context.ownership, first.context.cameras, first.context.scanned, first.context.hub
    )
    renewal.step()
    refused = second.client.post(path, json=scans)
    assert (refused.status_code, refused.json["code"]) == (409, "problem-tags-being-paired")


def test_a_deck_is_enrolled_and_a_receipt_printed_at_any_process(processes: Start) -> None:
    first, second = processes(), processes()
    enrollment: Any = first.context.enrollments.add("mine", cast(Any, None))
    first.context.ownership.claim(of_enrollment(enrollment.id))
    assert second.client.delete(f"/api/enrollments/{enrollment.id}").status_code == 204
    with pytest.raises(NoSuchEnrollmentError):
        first.context.enrollments.get(enrollment.id)
    assert second.client.post("/api/decks", json={"enrollment": enrollment.id}).status_code == 404
    first.context.ownership.claim(PRINTER)
    first.context.printing._job = {"table": "t", "state": "done", "share": 1.0, "sure": True, "low": False}
    first.context.printing._job |= {"fault": None, "missing": []}
    assert second.client.get("/api/printer").json["job"]["state"] == "done"


def test_a_process_knows_that_its_camera_and_devices_report_to_another(processes: Start) -> None:
    """Otherwise it would restart them again and again because they seem to hang."""
    first, second = processes(), processes()
    table = open_table(first.client)
    assert _camera_age(second.context, table) is _devices_age(second.context) is None
    state = json.dumps({"state": "watching"})
    assert send(first.client, f"/api/tables/{table}/camera", state=state).status_code == 200
    assert first.client.post("/api/devices/report", json={"devices": [], "ports": []}).status_code == 200
    LeaseRenewal(
        first.context.ownership, first.context.cameras, first.context.scanned, first.context.hub
    ).step()
    for each in (first, second):
        assert _camera_age(each.context, table) is not None
        assert _devices_age(each.context) is not None
    assert second.client.get("/api/tables").json["tables"][0]["camera"] == "watching"
