"""Devices over HTTP: configuration, status, tests; arbitrary requests get a response or a problem."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.models.device_config import PortDoc, StatusDoc
from api.routes.devices import DevicesOut, ReportAnswerOut
from api.services.devices import Devices, RecentScans
from companion.hanafuda.errors import ConflictError
from companion.store import LogWriteError
from companion.store.documents import DocumentFiles
from hardware.device_faults import Fault
from hardware.driver_registry import DRIVERS
from hardware.transports.port_discovery import PortInfo
from hardware.transports.transport import DeviceStatus
from tests.api.api_helpers import Clock, ScannerDouble, context_of, make_app
from tests.api.table_helpers import open_table
from tests.message_text import raises_text

PHONE = {"REMOTE_ADDR": "192.0.2.7"}
TRAY = {"name": "tray-1", "driver": "acg", "port": "usb:0403:6001:A9", "place": "captured-1"}
BOX = {"name": "box", "driver": "button-box", "port": "/dev/ttyACM0", "seat": 2, "buttons": {"raw-5": "pass"}}
LCD = {
    "name": "lcd",
    "driver": "serlcd",
    "port": "/dev/ttyUSB1",
    "options": {"columns": 20, "rows": 4, "font": "ascii"},
}
SCANNER = {"name": "counter", "driver": "gm65", "port": "socket://192.168.0.7:4000", "place": "any"}
USUAL = {"options": {}, "table": None, "seat": None, "place": None, "buttons": {}, "on": True}


@pytest.fixture
def timed(client: FlaskClient, app: APIFlask, clock: Clock) -> FlaskClient:
    """A client of an application whose device clock is advanced by the test."""
    context_of(app).devices._clock = clock
    return client


def put(client: FlaskClient, *devices: dict[str, Any], revision: int = 0, **options: Any) -> Any:
    return client.put("/api/devices", json={"revision": revision, "devices": list(devices)}, **options)


def status(name: str, state: str = "ready", **changes: Any) -> dict[str, Any]:
    reported = {
        "device": name,
        "state": state,
        "for_s": 3.0,
        "port": "/dev/ttyUSB0",
        "says": "",
        "fault": None,
        "last_seen_s": 0.5,
        "last_frame": "02 31 03",
        "opened": 1,
    }
    return {"name": name, "status": {**reported, **changes}, "recent": ["02 31 03", "02 30 03"]}


def report(client: FlaskClient, *devices: dict[str, Any], **more: Any) -> Any:
    options = {key: more.pop(key) for key in ("environ_base", "headers") if key in more}
    return client.post("/api/devices/report", json={"devices": list(devices), "ports": [], **more}, **options)


def slug(response: Any) -> tuple[int, str]:
    return response.status_code, response.json["type"].rpartition("/")[2]


# --- configuration


def test_devices_are_put_and_kept(client: FlaskClient, data: Path) -> None:
    assert client.get("/api/devices").json["devices"] == []
    answer = put(client, TRAY, BOX, LCD, SCANNER)
    assert answer.status_code == 200
    DevicesOut.model_validate(answer.json)
    assert answer.json["revision"] == 1
    assert answer.json["devices"] == [
        {**USUAL, **each, "status": None, "recent": []} for each in (TRAY, BOX, LCD, SCANNER)
    ]
    again = make_app(data, ScannerDouble())
    assert again.test_client().get("/api/devices").json["devices"] == answer.json["devices"]
    context_of(again).store.close()


def test_an_outdated_revision_is_refused(client: FlaskClient) -> None:
    assert put(client, TRAY).json["revision"] == 1
    refused = put(client, BOX)
    assert slug(refused) == (409, "devices-changed")
    assert refused.json["revision"] == 1
    assert [each["name"] for each in client.get("/api/devices").json["devices"]] == ["tray-1"]
    assert put(client, BOX, revision=1).json["revision"] == 2


@pytest.mark.parametrize(
    ("devices", "says"),
    [
        ([{**TRAY, "driver": "agc"}], "tray-1: there is no driver 'agc'; did you mean acg?"),
        ([TRAY, {**TRAY, "port": "/dev/x"}], "tray-1: two devices have this name"),
        ([TRAY, {**BOX, "name": "Tray-1"}], "Tray-1: two devices have this name"),
        ([TRAY, {**TRAY, "name": "two"}], "two: tray-1 is at usb:0403:6001:A9 already"),
        ([{**TRAY, "port": "usb:04"}], "'usb:04' is not a port"),
        ([{**TRAY, "port": "spy:///dev/ttyUSB0?file=/etc/passwd"}], "an address begins with socket://"),
        ([{**TRAY, "port": "alt://x?class=y"}], "an address begins with socket://"),
        ([{**TRAY, "options": {"columns": 20}}], "acg has no option 'columns'"),
        ([{**LCD, "options": {"colums": 20}}], "did you mean columns"),
        ([{**LCD, "options": {"columns": 4}}], "columns must be a whole number from 8 to 40"),
        ([{**LCD, "options": {"columns": "20"}}], "columns must be a whole number"),
        ([{**LCD, "options": {"font": "gothic"}}], "font must be ascii or katakana"),
        ([{**TRAY, "table": "nix"}], "there is no table 'nix'"),
        ([{**TRAY, "place": "under the table"}], "devices.0.place"),
        ([{**TRAY, "place": "captured-13"}], "devices.0.place"),
        ([{**TRAY, "seat": 0}], "devices.0.seat"),
        ([{**TRAY, "seat": 1.0}], "devices.0.seat"),
        ([{**TRAY, "name": "a/b"}], "devices.0.name"),
        ([{**TRAY, "name": ""}], "devices.0.name"),
        ([{**TRAY, "on": 1}], "devices.0.on"),
        ([{**BOX, "buttons": {"raw-1": "win"}}], "devices.0.buttons.raw-1"),
        ([{**BOX, "buttons": {"big one": "stop"}}], "devices.0.buttons"),
        ([{**TRAY, "colour": "red"}], "devices.0.colour"),
        ([{**TRAY, "name": f"d{n}", "port": f"/dev/{n}"} for n in range(65)], "at most 64"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    client: FlaskClient, data: Path, devices: list[dict[str, Any]], says: str
) -> None:
    refused = put(client, *devices)
    assert refused.status_code == 422
    assert says in refused.json["detail"]
    assert not (data / "devices.json").exists()


def test_a_seat_that_its_table_has_not(client: FlaskClient) -> None:
    table = open_table(client)
    assert put(client, {**TRAY, "table": table, "place": "captured-2"}).status_code == 200
    for wrong in ({"place": "captured-3"}, {"place": "hand-3"}, {"seat": 3}):
        refused = put(client, {**TRAY, "table": table, **wrong}, revision=1)
        assert slug(refused) == (422, "bad-device")
        assert refused.json["detail"] == "tray-1: There is no seat 3 at this table of 2 players."


def test_two_of_a_kind_without_serial_numbers_are_no_clash(client: FlaskClient) -> None:
    assert (
        put(
            client, {**TRAY, "port": "usb:1a86:7523"}, {**TRAY, "name": "two", "port": "usb:1a86:7523"}
        ).status_code
        == 200
    )


@pytest.mark.parametrize("name", DRIVERS)
def test_every_driver_can_be_set_up_with_what_it_offers(client: FlaskClient, name: str) -> None:
    reported = {each["driver"]: each for each in client.get("/api/devices").json["drivers"]}[name]
    options = {each["name"]: each["default"] for each in reported["options"] if each["default"] is not None}
    assert put(client, {**TRAY, "driver": name, "options": options}).status_code == 200
    takes = set(inspect.signature(DRIVERS[name].make).parameters) - {"meanings"}  # which `buttons` are for
    assert {each["name"] for each in reported["options"]} == takes
    assert "again" in reported["tests"]
    assert ("draw" in reported["tests"]) == ("display" in reported["does"])
    assert ("light" in reported["tests"]) == ("lights" in reported["does"])


@pytest.mark.parametrize(
    "damaged", [b"", b"\xff", b"[]", b'{"revision": 7, "devices": [{"name": "x"}]}', b"[" * 100_000]
)
def test_a_damaged_file_is_set_aside_and_reported(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "devices.json").write_bytes(damaged)
    devices = Devices(DocumentFiles(tmp_path))
    assert devices.all == ()
    assert "devices.json.damaged-1" in str(devices.problem)
    assert (tmp_path / "devices.json.damaged-1").read_bytes() == damaged
    devices.put([], expect=devices.revision)
    assert devices.problem is None
    assert Devices(DocumentFiles(tmp_path)).problem is None
    assert (
        b'"revision": 7' not in damaged or devices.revision == 8
    )  # a client with the old list gets an error


def test_a_file_that_cannot_be_read_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "devices.json").mkdir()
    assert "devices.json cannot be read (" in str(Devices(DocumentFiles(tmp_path)).problem)


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = Devices(DocumentFiles(tmp_path))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with raises_text(LogWriteError, match="No space left"):
        devices.put([], expect=0)
    assert devices.revision == 0
    monkeypatch.undo()
    devices.put([], expect=0)
    with pytest.raises(ConflictError):
        devices.put([], expect=0)


# --- the device process


def test_the_process_reports_and_gets_its_commands(timed: FlaskClient, clock: Clock) -> None:
    put(timed, TRAY, BOX)
    assert timed.get("/api/devices").json["worker"] == {"seen_s": None, "running": False}
    answer = report(timed, status("tray-1"))
    ReportAnswerOut.model_validate(answer.json)
    assert answer.json == {
        "revision": 1,
        "devices": [{**USUAL, **TRAY}, {**USUAL, **BOX}],
        "commands": [],
        "table": None,
        "boot": answer.json["boot"],
    }
    table = open_table(timed)
    assert report(timed, status("tray-1")).json["table"] == table
    clock.now += 2
    reported = timed.get("/api/devices").json
    assert reported["worker"] == {"seen_s": 2.0, "running": True}
    tray, box = reported["devices"]
    assert (tray["status"]["state"], tray["status"]["for_s"], tray["status"]["last_seen_s"]) == (
        "ready",
        5.0,
        2.5,
    )
    assert tray["recent"] == ["02 31 03", "02 30 03"]
    assert box["status"] is None

    clock.now += 4
    assert timed.get("/api/devices").json["worker"] == {"seen_s": 6.0, "running": False}


def test_what_real_statuses_and_ports_say_fits(client: FlaskClient) -> None:
    put(client, TRAY)
    fault = Fault.of("port-in-use", "/dev/ttyUSB0")
    real = DeviceStatus("tray-1", "back-off", 3.0, "/dev/ttyUSB0", "ACG 1.2", fault, 4.0, b"V00\r\n", 7)
    StatusDoc.model_validate(real.to_dict(9.0))
    port = PortInfo("/dev/ttyUSB0", "FT232R", 0x403, 0x6001, "A9", None)
    PortDoc.model_validate(port.to_dict())
    answer = report(
        client,
        {"name": "tray-1", "status": real.to_dict(9.0), "recent": [real.last_frame.hex(" ")]},
        ports=[port.to_dict()],
    )
    assert answer.status_code == 200, answer.json
    reported = client.get("/api/devices").json
    assert reported["devices"][0]["status"]["fault"]["says"].keys() == {"en", "ja", "ko"}
    assert reported["ports"] == [port.to_dict()]


def test_what_was_read_is_for_the_host_alone(client: FlaskClient) -> None:
    put(client, {**TRAY, "place": "hand-1"})
    report(client, status("tray-1"))
    assert client.get("/api/devices", environ_base=PHONE).status_code == 403
    pin = client.post("/api/pairings", json={"role": "scorer"}).json["pin"]
    client.post("/api/pair", json={"pin": pin}, environ_base=PHONE)
    (seen,) = client.get("/api/devices", environ_base=PHONE).json["devices"]
    assert (seen["recent"], seen["status"]["last_frame"]) == ([], "")
    assert seen["status"]["state"] == "ready"


def test_a_command_is_handed_out_once_and_not_too_late(timed: FlaskClient, clock: Clock) -> None:
    put(timed, BOX)
    report(timed, status("box"))
    light = {"kind": "light", "number": 2, "how": "blink"}
    queued = timed.post("/api/devices/box/test", json=light)
    assert queued.status_code == 202
    assert report(timed, status("box")).json["commands"] == [
        {"id": queued.json["id"], "device": "box", "command": light}
    ]
    assert report(timed, status("box")).json["commands"] == []

    draw = {"kind": "draw", "rows": ["hello", "ｺﾝﾆﾁﾊ"]}
    assert timed.post("/api/devices/box/test", json=draw).json["id"] > queued.json["id"]
    clock.now += 11
    assert report(timed, status("box")).json["commands"] == []


@pytest.mark.parametrize(
    ("device", "state", "asked", "expected", "says"),
    [
        (BOX, "ready", {"kind": "light", "number": 1, "how": "on"}, 202, ""),
        (BOX, "ready", {"kind": "draw", "rows": ["hello"]}, 202, ""),
        (SCANNER, "ready", {"kind": "scan"}, 202, ""),
        (SCANNER, "absent", {"kind": "again"}, 202, ""),
        (BOX, None, {"kind": "again"}, 202, ""),
        (TRAY, "ready", {"kind": "draw", "rows": ["hello"]}, 422, "acg has no display"),
        (TRAY, "ready", {"kind": "light", "number": 1, "how": "on"}, 422, "acg has no lights"),
        (TRAY, "ready", {"kind": "scan"}, 422, "acg needs no trigger"),
        (BOX, "ready", {"kind": "light", "number": 1}, 422, "on or blink must be given"),
        (BOX, "ready", {"kind": "draw"}, 422, "rows to show must be given"),
        (BOX, "ready", {"kind": "draw", "rows": ["1", "2", "3", "4", "5"]}, 422, "rows"),
        (BOX, "ready", {"kind": "dance"}, 422, "kind"),
        (BOX, "back-off", {"kind": "draw", "rows": [""]}, 409, "is not ready: another program is using"),
        (BOX, None, {"kind": "draw", "rows": [""]}, 409, "not plugged in, or not found yet"),
        ({**BOX, "on": False}, None, {"kind": "draw", "rows": [""]}, 409, "switched off"),
    ],
)
def test_trying_a_device(
    client: FlaskClient,
    device: dict[str, Any],
    state: str | None,
    asked: dict[str, Any],
    expected: int,
    says: str,
) -> None:
    put(client, device)
    fault = Fault.of("port-in-use", "/dev/ttyACM0").to_dict() if state == "back-off" else None
    report(client, *([status(device["name"], state, fault=fault)] if state else []))
    answer = client.post(f"/api/devices/{device['name']}/test", json=asked)
    assert answer.status_code == expected, answer.json
    assert says in answer.json.get("detail", "")
    if fault:
        assert answer.json["fault"] == fault


def test_nobody_talks_to_the_devices(timed: FlaskClient, clock: Clock) -> None:
    put(timed, BOX)
    asked = {"kind": "again"}
    assert slug(timed.post("/api/devices/box/test", json=asked)) == (409, "devices-not-running")
    report(timed, status("box"))
    clock.now += 6
    assert slug(timed.post("/api/devices/box/test", json=asked)) == (409, "devices-not-running")
    assert slug(timed.post("/api/devices/nix/test", json=asked)) == (404, "no-such-device")


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (None, set()),
        ("scorer", set()),
        ("device", {"report"}),
        ("camera", set()),
        ("host", {"put", "report", "test"}),
    ],
)
def test_who_may_do_what(client: FlaskClient, app: APIFlask, role: str | None, may: set[str]) -> None:
    put(client, BOX)
    report(client, status("box"))
    options: dict[str, Any] = {"environ_base": PHONE}
    phone = app.test_client()
    if role is not None:
        pin = client.post("/api/pairings", json={"role": role}).json["pin"]
        token = phone.post("/api/pair", json={"pin": pin}, **options).json["token"]
        if token:
            options["headers"] = {"Authorization": f"Bearer {token}"}
    answers = {
        "put": put(phone, BOX, revision=1, **options).status_code,
        "report": report(phone, status("box"), **options).status_code,
        "test": phone.post("/api/devices/box/test", json={"kind": "again"}, **options).status_code,
    }
    assert {what for what, code in answers.items() if code < 300} == may
    assert {code for what, code in answers.items() if what not in may} <= {403}
    assert phone.get("/api/devices", **options).status_code == (403 if role in {None, "camera"} else 200)


def test_scans_that_no_table_took_are_kept_for_a_while(clock: Clock) -> None:
    scanned = RecentScans(clock)
    for n in range(100):
        scanned.saw("tray-1", f"{n:04x}", 0.5)
    scanned.saw("tray-1", "x" * 5000)
    clock.now += 1
    scans = scanned.after(0)
    assert [scan.number for scan, _ in scans] == list(range(37, 101))
    assert (scans[-1][0].tag, scans[-1][1]) == ("0063", 1.5)
    assert scanned.after(100) == []


def test_the_program_starts_without_the_drivers(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from api.app import create_app; from api.context import Context;"
        f"create_app(Context(Path({str(tmp_path)!r})));"
        "print({'hardware.driver_registry', 'companion.paper.stickers', 'reportlab'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# --- arbitrary requests

ODD = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
JSON = st.recursive(
    ODD, lambda each: st.lists(each, max_size=2) | st.dictionaries(st.text(max_size=4), each, max_size=2)
)
PORTS = st.sampled_from(
    [
        "usb:0403:6001:A9",
        "usb:1a86:7523",
        "usb:",
        "/dev/ttyUSB0",
        "COM3",
        "socket://x:1",
        "loop://",
        "spy://x",
        "://",
        "\x00",
        "a" * 400,
    ]
)
DEVICE = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["a", "b", "A", "é", "a b", "あ"]) | ODD,
        "driver": st.sampled_from([*DRIVERS, "nix"]) | ODD,
        "port": PORTS | ODD,
    },
    optional={
        "options": st.dictionaries(
            st.sampled_from(["columns", "rows", "font", "weakest_dbm", "meanings", "nix"]),
            st.integers(-130, 50) | st.sampled_from(["ascii", "katakana"]) | JSON,
            max_size=3,
        )
        | ODD,
        "table": st.sampled_from(["nix", "..", "a/b"]) | ODD,
        "seat": st.integers(-1, 14) | ODD,
        "place": st.sampled_from(["field", "stock", "any", "captured-1", "hand-12", "hand-13"]) | ODD,
        "buttons": st.dictionaries(
            st.sampled_from(["raw-1", "koi-koi", "raw-"]), st.sampled_from(["stop", "nix"]) | ODD
        )
        | ODD,
        "on": st.booleans() | ODD,
    },
)
STATUS = st.fixed_dictionaries(
    {
        "device": st.sampled_from(["a", "b"]) | ODD,
        "state": st.sampled_from(["absent", "ready", "nix"]) | ODD,
        "for_s": st.floats() | st.integers(),
        "port": st.none() | st.text(max_size=4) | ODD,
        "says": st.text(max_size=4) | ODD,
        "fault": st.none()
        | st.fixed_dictionaries({"code": st.text(max_size=4), "says": st.just({"en": "no"})})
        | ODD,
        "last_seen_s": st.none() | st.floats() | ODD,
        "last_frame": st.text(max_size=4) | ODD,
        "opened": st.integers(-1, 3) | ODD,
    }
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(devices=st.lists(DEVICE, max_size=3) | JSON, revision=st.just("now") | JSON)
def test_no_list_of_devices_makes_it_fail(fuzzed: FlaskClient, devices: Any, revision: Any) -> None:
    before = fuzzed.get("/api/devices").json
    body = {"revision": before["revision"] if revision == "now" else revision, "devices": devices}
    answer = fuzzed.put("/api/devices", data=json.dumps(body), content_type="application/json")
    assert answer.status_code in {200, 400, 409, 422}, answer.json
    after = fuzzed.get("/api/devices").json
    if answer.status_code == 200:
        DevicesOut.model_validate(answer.json)
        assert after["revision"] == before["revision"] + 1
        assert [each["name"] for each in after["devices"]] == [each["name"].strip() for each in devices]
    else:
        assert answer.mimetype == "application/problem+json"
        assert after["devices"] == before["devices"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    devices=st.lists(
        st.fixed_dictionaries({"name": st.sampled_from(["a", "b"]) | ODD, "status": STATUS | ODD}), max_size=2
    )
    | JSON,
    ports=st.just([]) | JSON,
    scans=st.lists(
        st.fixed_dictionaries(
            {"device": st.just("a") | ODD},
            optional={"uid": st.text(max_size=20) | ODD, "text": ODD, "ago_ms": ODD},
        ),
        max_size=3,
    )
    | JSON,
)
def test_no_report_makes_it_fail(fuzzed: FlaskClient, devices: Any, ports: Any, scans: Any) -> None:
    body = json.dumps({"devices": devices, "ports": ports, "scans": scans})
    answer = fuzzed.post("/api/devices/report", data=body, content_type="application/json")
    assert answer.status_code in {200, 400, 422}, answer.json
    assert fuzzed.get("/api/devices").status_code == 200
    assert fuzzed.get("/api/tags/last").status_code == 200


@settings(max_examples=80, deadline=None)
@given(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["draw", "light", "scan", "again"]) | ODD},
        optional={"rows": JSON, "number": ODD, "how": ODD},
    )
)
def test_no_trial_makes_it_fail(fuzzed: FlaskClient, asked: dict[str, Any]) -> None:
    revision = fuzzed.get("/api/devices").json["revision"]
    assert put(fuzzed, BOX, revision=revision).status_code == 200
    report(fuzzed, status("box"))
    answer = fuzzed.post("/api/devices/box/test", data=json.dumps(asked), content_type="application/json")
    assert answer.status_code in {202, 400, 422}, answer.json
