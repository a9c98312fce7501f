"""The device process beside a real server, its devices doubles on ptys: real bytes at one end, a table's events at the other."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.net.client import Client
from hardware.simulators.simulated_box import SimulatedBox
from hardware.simulators.simulated_displays import SimulatedSerLcd
from hardware.simulators.simulated_port import SimulatedPort
from hardware.simulators.simulated_readers import SimulatedAcg, SimulatedRdm6300
from hardware.worker import outbox
from hardware.worker.device_worker import DeviceWorker
from tests.hardware.server_with_devices import DECIDING, TIMEOUT_S, Served, working
from tests.hardware.wait_until import open_resources, until

if not hasattr(os, "openpty"):
    pytest.skip("this system has no ptys", allow_module_level=True)


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """No thread and no descriptor is left behind."""
    before = open_resources()
    yield
    until(lambda: open_resources() <= before)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "data")
    yield served
    served.stop()


def box_at(link: Path, **more: Any) -> dict[str, Any]:
    return {"name": "box-1", "driver": "button-box", "port": str(link), "seat": 1, **more}


def press(plug: SimulatedPort, key: int) -> None:
    with plug.lock:
        plug.device.act("press", str(key))


def test_a_press_reaches_the_table_and_the_light_confirms(server: Served, tmp_path: Path) -> None:
    table = server.open_table(*DECIDING)
    box = SimulatedBox()
    with SimulatedPort(box, tmp_path / "box") as plug, working(server.url) as err:
        server.configure(box_at(tmp_path / "box"))
        until(lambda: server.state("box-1") == "ready")
        until(lambda: "on" in box.lights.values())  # the decision's lights
        press(plug, 1)
        until(lambda: server.calls(table) == ["koikoi"])
        until(lambda: box.lights.get("1") == "on")
        until(lambda: set(box.lights.values()) == {"off"})
        assert server.events(table)[-1].actor == "box-1"
    (output,) = err.getvalue().splitlines()
    assert "box-1: ready at" in output


@pytest.mark.usefixtures("nothing_left")
def test_the_display_shows_the_table_and_a_refusal_in_its_words(server: Served, tmp_path: Path) -> None:
    box = SimulatedBox(columns=20, rows=4)
    with SimulatedPort(box, tmp_path / "box") as plug, working(server.url):
        server.configure(box_at(tmp_path / "box", options={"font": "ascii"}))
        until(lambda: box.shows()[0].startswith("No table yet"))
        table = server.open_table()
        until(lambda: "Deal the cards" in " ".join(box.shows()))
        server.submit(table, *DECIDING)
        until(lambda: "Aiko stop 5?" in " ".join(box.shows()))
        press(plug, 3)  # pass: not in Koi-Koi
        until(lambda: box.lights.get("3") == "blink")
        until(lambda: "Aiko stop" not in " ".join(box.shows()))
        until(lambda: box.lights.get("3") == "off")
        until(lambda: "Aiko stop 5?" in " ".join(box.shows()))
        assert server.calls(table) == []


def test_a_display_reconnected_at_another_port_is_redrawn(server: Served, tmp_path: Path) -> None:
    server.open_table(*DECIDING)
    first, second = SimulatedSerLcd(20, 4), SimulatedSerLcd(20, 4)
    display = {
        "name": "lcd",
        "driver": "serlcd",
        "port": str(tmp_path / "lcd"),
        "options": {"columns": 20, "rows": 4, "font": "ascii"},
    }
    with SimulatedPort(first, tmp_path / "lcd") as plug, working(server.url):
        server.configure(display)
        until(lambda: "Aiko stop 5?" in " ".join(first.shows()))
        plug.pull()
        until(lambda: server.state("lcd") == "absent")
        with SimulatedPort(SimulatedSerLcd(), tmp_path / "another-takes-its-number"):
            plug.plug(second)
            until(lambda: second.shows() == first.shows())


def test_a_press_during_a_server_restart_is_sent_once(server: Served, tmp_path: Path) -> None:
    table = server.open_table(*DECIDING)
    box = SimulatedBox()
    with SimulatedPort(box, tmp_path / "box") as plug, working(server.url):
        server.configure(box_at(tmp_path / "box"))
        until(lambda: server.state("box-1") == "ready")
        server.stop()
        press(plug, 1)
        time.sleep(1)  # it is tried, in vain
        server.answers_lost = 1
        server.start()
        until(lambda: server.calls(table) == ["koikoi"])
        until(lambda: len(server.posted) == 2)
        assert len({body["key"] for _, body in server.posted}) == 1
        until(lambda: set(box.lights.values()) == {"off"})
        assert server.calls(table) == ["koikoi"]


def test_an_old_press_is_ignored(server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_EXPIRY_S", 1.0)
    table = server.open_table(*DECIDING)
    box = SimulatedBox(columns=20, rows=4)
    with SimulatedPort(box, tmp_path / "box") as plug, working(server.url):
        server.configure(box_at(tmp_path / "box", options={"font": "ascii"}))
        until(lambda: "Aiko stop 5?" in " ".join(box.shows()))
        server.stop()
        press(plug, 1)
        until(lambda: "Too late: press" in " ".join(box.shows()))
        until(lambda: "No server" in " ".join(box.shows()))
        server.start()
        until(lambda: "Aiko stop 5?" in " ".join(box.shows()))
        assert server.calls(table) == []
        press(plug, 2)
        until(lambda: server.calls(table) == ["stop"])


@pytest.mark.usefixtures("nothing_left")
def test_devices_change_while_it_runs(server: Served, tmp_path: Path) -> None:
    table = server.open_table(*DECIDING)
    box, other = SimulatedBox(), SimulatedBox()
    with (
        SimulatedPort(box, tmp_path / "box") as plug,
        SimulatedPort(other, tmp_path / "other"),
        working(server.url),
    ):
        server.configure(box_at(tmp_path / "box", seat=2))
        until(lambda: server.state("box-1") == "ready")
        press(plug, 1)
        until(lambda: box.lights.get("1") == "blink")  # not Ben's decision
        server.configure(box_at(tmp_path / "box", seat=1, buttons={"koi-koi": "stop", "stop": "koi-koi"}))
        until(lambda: box.lights.get("2") == "on")  # the decision's lights
        assert server.status("box-1")["opened"] == 1
        press(plug, 1)
        until(lambda: server.calls(table) == ["stop"])
        server.configure(box_at(tmp_path / "other"))
        until(lambda: "on" in other.lights.values() or "Aiko" in " ".join(other.shows()))
        server.configure(box_at(tmp_path / "other", on=False), box_at(tmp_path / "box", name="box-2"))
        until(lambda: server.state("box-2") == "ready")
        assert server.state("box-1") is None
        server.configure()


def test_trials_from_the_page_are_carried_out(server: Served, tmp_path: Path) -> None:
    box = SimulatedBox(columns=16, rows=2)
    with SimulatedPort(box, tmp_path / "box"), working(server.url):
        server.configure(box_at(tmp_path / "box"))
        until(lambda: server.state("box-1") == "ready")
        server.call("POST", "/api/devices/box-1/test", {"kind": "draw", "rows": ["hello", "table"]})
        until(lambda: box.shows() == ("hello".ljust(16), "table".ljust(16)))
        server.call("POST", "/api/devices/box-1/test", {"kind": "light", "number": 4, "how": "on"})
        until(lambda: box.lights.get("4") == "on")
        until(lambda: box.lights.get("4") == "off" and "hello" not in " ".join(box.shows()))
        server.call("POST", "/api/devices/box-1/test", {"kind": "again"})
        until(lambda: server.status("box-1")["opened"] == 1 and server.status("box-1")["for_s"] < 1)
        until(lambda: server.state("box-1") == "ready")


def test_a_table_that_is_opened_later_is_the_one_that_counts(server: Served, tmp_path: Path) -> None:
    first = server.open_table(*DECIDING)
    box = SimulatedBox()
    with SimulatedPort(box, tmp_path / "box") as plug, working(server.url):
        server.configure(box_at(tmp_path / "box"))
        until(lambda: "on" in box.lights.values())
        second = server.open_table()
        until(lambda: "on" not in box.lights.values())
        server.submit(second, *DECIDING)
        until(lambda: "on" in box.lights.values())
        press(plug, 2)
        until(lambda: server.calls(second) == ["stop"])
        assert server.calls(first) == []


def test_an_invalid_device_does_not_stop_the_others(server: Served, tmp_path: Path) -> None:
    """Somebody wrote devices.json by hand."""
    server.stop()
    wrong = {**box_at(tmp_path / "none", name="wrong"), "options": {"colour": "red"}}
    devices = {"revision": 3, "devices": [wrong, box_at(tmp_path / "box")]}
    (server.data / "devices.json").write_text(json.dumps(devices))
    server.start()
    with SimulatedPort(SimulatedBox(), tmp_path / "box"), working(server.url) as err:
        until(lambda: server.state("box-1") == "ready")
        assert "wrong: button-box has no option 'colour'" in err.getvalue()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_in_a_devices_thread_ends_the_process(
    server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parent starts it again; without this the device would stay dark, and nobody would know."""
    monkeypatch.setattr("hardware.worker.managed_device.score_rows", lambda *_: {}["missing"])
    with SimulatedPort(SimulatedSerLcd(), tmp_path / "lcd"), Client(server.url) as client:
        server.configure({"name": "lcd", "driver": "serlcd", "port": str(tmp_path / "lcd")})
        stop = threading.Event()
        timer = threading.Timer(TIMEOUT_S, stop.set)
        timer.start()
        with pytest.raises(RuntimeError, match="a thread of the device process has ended"):
            DeviceWorker(client).run(stop)
        timer.cancel()


# --- scans


def test_scans_go_in_order_once_and_are_kept_while_the_server_is_away(server: Served, tmp_path: Path) -> None:
    server.open_table(*DECIDING)
    reader = SimulatedAcg()
    uids = [f"E00401000000{number:04X}" for number in range(12)]
    with SimulatedPort(reader, tmp_path / "reader") as plug, working(server.url):
        server.configure(
            {"name": "tray", "driver": "acg", "port": str(tmp_path / "reader"), "place": "captured-1"}
        )
        until(lambda: server.state("tray") == "ready")
        for count, uid in enumerate(uids):
            if count == 4:
                server.stop()
            with plug.lock:
                reader.act("put", uid)
            until(lambda count=count: len(reported(server)) > count or 4 <= count < 8)
            if count == 7:
                time.sleep(1)
                server.answers_lost = 1
                server.start()
        until(lambda: list(dict.fromkeys(reported(server))) == uids)
        bodies = [body for what, body in server.posted if what == "scans"]
        assert {body["place"] for body in bodies} == {"captured-1"}
        assert all(scan["present"] for body in bodies for scan in body["scans"])


def test_present_tags_are_sent_again_to_a_restarted_server(server: Served, tmp_path: Path) -> None:
    """After a server restart, a new table or a new place of the reader, the present tags are reported."""
    uid = "E004010000000001"
    tray = {"name": "tray", "driver": "acg", "port": str(tmp_path / "reader")}
    first = server.open_table()
    with SimulatedPort(SimulatedAcg(uid), tmp_path / "reader"), working(server.url):
        server.configure({**tray, "place": "captured-1"})
        until(lambda: reported(server) == [uid])
        server.stop()
        server.start()
        until(lambda: reported(server) == [uid] * 2)
        server.configure({**tray, "place": "captured-2"})
        until(lambda: reported(server) == [uid] * 3)
        server.open_table()
        until(lambda: reported(server) == [uid] * 4)
        server.configure({**tray, "place": "any"})
        server.configure({**tray, "place": "captured-2", "table": first})
        until(lambda: reported(server) == [uid] * 5)
        places = [body["place"] for body in scans(server)]
        assert places == ["captured-1"] * 2 + ["captured-2"] * 3


def scans(server: Served) -> list[dict[str, Any]]:
    """The scans of readers, without those repeated under the same key."""
    return list({body["key"]: body for what, body in server.posted if what == "scans"}.values())


def reported(server: Served) -> list[str]:
    """The tags that came."""
    return [scan["uid"] for body in scans(server) for scan in body["scans"]]


def test_tags_of_an_unassigned_reader_are_reported_for_pairing(server: Served, tmp_path: Path) -> None:
    with (
        SimulatedPort(SimulatedRdm6300("62E3086CED"), tmp_path / "reader"),
        working(server.url),
    ):
        server.configure({"name": "reader", "driver": "rdm6300", "port": str(tmp_path / "reader")})
        until(lambda: server.call("GET", "/api/tags/last")["uid"] == "62E3086CED")


def test_a_delayed_press_does_not_block_others(server: Served, tmp_path: Path) -> None:
    """With a camera the server delays a press; other seats' buttons and scans are not delayed."""
    table = server.open_table(*DECIDING)
    blocked = server.hold("box-2")
    boxes = {name: SimulatedPort(SimulatedBox(), tmp_path / name) for name in ("box-1", "box-2")}
    with (
        boxes["box-1"],
        boxes["box-2"],
        SimulatedPort(SimulatedAcg(), tmp_path / "reader") as reader,
        working(server.url),
    ):
        tray = {"name": "tray", "driver": "acg", "port": str(tmp_path / "reader"), "place": "captured-1"}
        devices = [box_at(tmp_path / name, name=name, seat=seat) for seat, name in enumerate(boxes, start=1)]
        server.configure(*devices, tray)
        until(lambda: all(server.state(name) == "ready" for name in (*boxes, "tray")))
        press(boxes["box-2"], 2)
        until(lambda: [body["device"] for _, body in server.posted] == ["box-2"])
        press(boxes["box-1"], 1)
        with reader.lock:
            reader.device.act("put", "E004010000000001")
        until(lambda: server.calls(table) == ["koikoi"] and reported(server))
        assert boxes["box-2"].device.lights.get("2") != "blink"  # type: ignore[attr-defined]
        blocked.set()
        until(lambda: boxes["box-2"].device.lights.get("2") == "blink")  # type: ignore[attr-defined]
