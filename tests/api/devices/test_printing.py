"""Receipts over HTTP: anybody may preview one, the host prints, and no request waits for the printer."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from PIL import Image

from hardware.printers import print_job
from hardware.simulators.simulated_printer import PrinterInNetwork, SimulatedPrinter
from tests.api.table_helpers import PHONE, dealt, moved, open_table, played_round, submit
from tests.hardware.wait_until import until


@pytest.fixture(autouse=True)
def timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """A double on a busy machine may be slow."""
    monkeypatch.setattr(print_job, "_ANSWERS_S", 15.0)


@pytest.fixture
def table(client: FlaskClient) -> str:
    """A table with a finished round."""
    table = open_table(client, name="月見の夜")
    played = played_round()
    assert submit(client, table, dealt(played), *moved(played)).status_code == 200
    return table


def setting(client: FlaskClient, **reported: Any) -> Any:
    response = client.put("/api/printer", json={"port": None, **reported})
    assert response.status_code == 200, response.json
    return response.json


def test_the_slip_is_looked_at_without_a_printer(client: FlaskClient, table: str) -> None:
    response = client.get(f"/api/tables/{table}/slip.png")
    assert response.status_code == 200
    assert response.mimetype == "image/png"
    wide = Image.open(io.BytesIO(response.data))
    narrow = Image.open(io.BytesIO(client.get(f"/api/tables/{table}/slip.png?paper=58&lang=ja").data))
    assert (wide.width, narrow.width, wide.mode) == (576, 384, "1")


@pytest.mark.parametrize("asked", ["paper=57", "paper=x", "lang=fr"])
def test_a_slip_that_cannot_be_is_refused(client: FlaskClient, table: str, asked: str) -> None:
    response = client.get(f"/api/tables/{table}/slip.png?{asked}")
    assert response.status_code == 422
    assert "not" in response.json["detail"]


def test_without_a_round_there_is_nothing_to_print(client: FlaskClient) -> None:
    table = open_table(client)
    setting(client, port="socket://127.0.0.1:1")
    for response in (
        client.get(f"/api/tables/{table}/slip.png"),
        client.post(f"/api/tables/{table}/slip", json={}),
    ):
        assert response.status_code == 422
        assert "o round has ended" in response.json["detail"]
    assert client.get("/api/tables/nowhere/slip.png").status_code == 404


def test_a_receipt_is_printed_and_its_result_reported(client: FlaskClient, table: str) -> None:
    device = SimulatedPrinter()
    with PrinterInNetwork(device) as served:
        assert setting(client, port=served.address, paper=58)["job"] is None
        response = client.post(f"/api/tables/{table}/slip", json={})
        assert response.status_code == 202
        assert response.json["job"]["table"] == table
        until(lambda: client.get("/api/printer").json["job"]["state"] != "printing")
        job = client.get("/api/printer").json["job"]
        assert (job["state"], job["sure"], job["share"], job["fault"]) == ("done", True, 1, None)
        with served.lock:
            (paper,) = device.papers
    displayed = Image.open(io.BytesIO(client.get(f"/api/tables/{table}/slip.png").data))
    assert paper.size == displayed.size


def test_a_printer_fault_is_reported_and_blocks_no_request(client: FlaskClient, table: str) -> None:
    device = SimulatedPrinter()
    device.act("paper", "0")
    with PrinterInNetwork(device) as served:
        setting(client, port=served.address)
        assert client.post(f"/api/tables/{table}/slip", json={}).status_code == 202
        until(lambda: client.get("/api/printer").json["job"]["state"] == "failed")
        fault = client.get("/api/printer").json["job"]["fault"]
        assert fault["code"] == "paper-out"
        assert "用紙切れ" in fault["says"]["ja"]


def test_one_slip_at_a_time(client: FlaskClient, table: str) -> None:
    device = SimulatedPrinter()
    with PrinterInNetwork(device) as served:
        setting(client, port=served.address)
        with served.lock:  # it makes no progress
            assert client.post(f"/api/tables/{table}/slip", json={}).status_code == 202
            again = client.post(f"/api/tables/{table}/slip", json={})
            assert (again.status_code, again.json["type"]) == (409, "/problems/printing")
            assert client.get("/api/printer").json["job"]["state"] == "printing"
        until(lambda: client.get("/api/printer").json["job"]["state"] == "done")


def test_without_a_printer_printing_is_refused_with_advice(client: FlaskClient, table: str) -> None:
    response = client.post(f"/api/tables/{table}/slip", json={})
    assert (response.status_code, response.json["type"]) == (409, "/problems/no-printer")


def test_only_the_host_prints_and_sets_the_printer(client: FlaskClient, table: str) -> None:
    assert client.post(f"/api/tables/{table}/slip", json={}, environ_base=PHONE).status_code == 403
    assert client.put("/api/printer", json={"port": None}, environ_base=PHONE).status_code == 403
    assert client.get("/api/printer", environ_base=PHONE).status_code == 403


@pytest.mark.parametrize(
    "reported",
    [
        {"port": "nonsense"},
        {"port": "spy:///dev/ttyUSB0?file=/tmp/x"},
        {"port": None, "paper": 70},
        {"paper": 58},
    ],
)
def test_a_printer_that_cannot_be_is_refused(client: FlaskClient, reported: dict[str, Any]) -> None:
    response = client.put("/api/printer", json=reported)
    assert response.status_code == 422
    assert client.get("/api/printer").json["port"] is None


def test_the_house_remembers_its_printer(client: FlaskClient, tmp_path: Path) -> None:
    reported = {"port": "usb:04b8:0e15", "paper": 58, "lang": "ja", "baud": 115200}
    assert setting(client, **reported) == {**reported, "job": None}
    assert client.get("/api/printer").json == {**reported, "job": None}
