"""``companion devices``, with and without a server."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from hardware.simulators.simulated_port import SimulatedPort
from hardware.simulators.simulated_readers import SimulatedRdm6300
from tests.hardware.bench_devices import bench_devices
from tests.hardware.server_with_devices import DECIDING, Served, working
from tests.hardware.wait_until import until

if not hasattr(os, "openpty"):
    pytest.skip("this system has no ptys", allow_module_level=True)

START_S = 60.0


def run(*args: str, stdin: str = "") -> Result:
    result = CliRunner().invoke(main, ["devices", *args], input=stdin, prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def complaint(result: Result) -> str:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.strip()


def lines(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "data")
    yield served
    served.stop()


# --- setting up


def test_devices_are_set_up_listed_and_forgotten(server: Served, tmp_path: Path) -> None:
    at = ("--server", server.url)
    assert "No device is set up" in run("list", *at).stdout
    added = run(
        "add", "box-1", "--driver", "button-box", "--port", str(tmp_path / "box"), "--seat", "2",
        "--option", "font=ascii", "--button", "raw-5=next", *at, "--json",
    )  # fmt: skip
    assert lines(added) == [{"added": "box-1"}]
    run("add", "lcd", "--driver", "serlcd", "--port", "socket://127.0.0.1:9", "--option", "columns=20", *at)
    (reported,) = lines(run(*at, "--json"))
    assert [
        (each["name"], each["options"], each["seat"], each["buttons"]) for each in reported["devices"]
    ] == [
        ("box-1", {"font": "ascii"}, 2, {"raw-5": "next"}),
        ("lcd", {"columns": 20}, None, {}),
    ]
    listed = run("list", *at)
    assert "No process controls the devices" in listed.stderr
    assert f"{tmp_path / 'box'}  (seat 2)" in listed.stdout
    assert "Our own button box" in listed.stdout
    assert run("remove", "box-1", *at).stdout == "box-1 was removed\n"
    (reported,) = lines(run("list", *at, "--json"))
    assert [each["name"] for each in reported["devices"]] == ["lcd"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("remove box-2", "there is no device 'box-2'; did you mean box-1?"),
        ("add box-1 --driver acg --port /dev/x", "a device box-1 exists already"),
        ("add new --driver agc --port /dev/x", "there is no driver 'agc'; did you mean acg?"),
        ("add new --driver serlcd --port /dev/x --option colour=1", "serlcd has no option 'colour'"),
        ("add new --driver serlcd --port /dev/x --option columns=--1", "from 8 to 40, not '--1'"),
        ("add new --driver serlcd --port /dev/x --option columns", "'columns' is not NAME=VALUE"),
        ("add new --driver acg --port usb:1", "'usb:1' is not a port"),
        ("test box-1 --scan", "button-box needs no trigger"),
        ("test box-1", "Nobody talks to the devices"),
        ("pair hanafuda pine-crabe", "'pine-crabe' is not a card of this deck; did you mean pine-crane"),
        ("pair unheard-of", "unheard-of"),
    ],
)
def test_errors_are_one_line(server: Served, args: str, message: str) -> None:
    server.configure({"name": "box-1", "driver": "button-box", "port": "/dev/none"})
    assert message in complaint(run(*args.split(), "--server", server.url))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("list --server http://127.0.0.1:9", "does not answer"),
        ("list --server box", "'box' is not a server's address"),
        ("simulate agc", "there is no driver 'agc'; did you mean acg?"),
        ("simulate acg --fault rust", "'rust' is not a fault; there are silent, deaf"),
        ("simulate acg --fault drop=2", "'drop=2' is not a fault"),
        ("probe acg usb:1", "'usb:1' is not a port"),
    ],
)
def test_errors_without_a_server_are_one_line(args: str, message: str) -> None:
    assert message in complaint(run(*args.split()))


# --- trying them


def test_probing_lists_the_devices_that_answer(tmp_path: Path) -> None:
    nothing = run("probe", "acg", str(tmp_path / "none"))
    assert (nothing.exit_code, "nothing is plugged in" in nothing.stdout) == (1, True)
    with SimulatedPort(SimulatedRdm6300("62E3086CED"), tmp_path / "reader"):
        wrong = run("probe", "button-box", str(tmp_path / "reader"), "--json")
        assert wrong.exit_code == 1
        assert json.loads(wrong.stdout)["fault"]["code"] in {"wrong-device", "no-answer"}
        (reported,) = lines(run("probe", "rdm6300", str(tmp_path / "reader"), "--json"))
        assert reported["state"] == "ready"


def test_trying_a_device_asks_it_for_all_that_it_can(server: Served, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("wait 60\n")
    with simulated("button-box", tmp_path / "box", script) as box, working(server.url):
        server.configure({"name": "box-1", "driver": "button-box", "port": str(tmp_path / "box")})
        until(lambda: server.state("box-1") == "ready")
        asked = lines(run("test", "box-1", "--server", server.url, "--json"))
        assert [each["asked"] for each in asked] == ["light", "draw"]
        assert any("hanafuda-" in str(message.get("shows")) for message in box)
        assert run("test", "box-1", "--again", "--server", server.url).exit_code == 0


def test_pairing_asks_for_card_after_card(server: Served, tmp_path: Path) -> None:
    server.call("POST", "/api/decks/hanafuda/tags", {"uid": "0000000001", "card": "pine-crane"})
    reader = SimulatedRdm6300()

    def lay() -> None:
        until(lambda: server.requests.count("/api/tags/last") > 1, START_S)
        for number in range(1, 4):
            with plug.lock:
                reader.tags[:] = [f"{number:010}"]
            until(lambda number=number: len(server.context.scanned.after(0)) == number, START_S)

    with working(server.url), SimulatedPort(reader, tmp_path / "reader") as plug:
        server.configure({"name": "reader", "driver": "rdm6300", "port": str(tmp_path / "reader")})
        laying = threading.Thread(target=lay)
        laying.start()
        paired = run("pair", "hanafuda", "pine-ribbon", "pine-chaff-1", "--server", server.url, "--json")
        laying.join()
    assert [(each.get("card"), each.get("uid")) for each in lines(paired)] == [
        ("pine-ribbon", "0000000002"),
        ("pine-chaff-1", "0000000003"),
        (None, None),
    ]
    assert "this is pine-crane's tag: lay pine-ribbon" in paired.stderr
    assert server.call("GET", "/api/decks/hanafuda/tags")["tags"] == {
        "0000000001": "pine-crane",
        "0000000002": "pine-ribbon",
        "0000000003": "pine-chaff-1",
    }


def test_pairing_can_leave_cards_out_and_end(server: Served) -> None:
    ended = run("pair", "hanafuda", "--server", server.url, stdin="\nb\n\n\nq\n")
    asked = [line.split("(")[1].rstrip(")") for line in ended.stdout.splitlines() if "Lay on" in line]
    assert asked == ["pine-crane", "pine-ribbon", "pine-crane", "pine-ribbon", "pine-chaff-1"]
    assert ended.stdout.endswith("0 paired.\n")


# --- processes


class simulated:  # noqa: N801  # used as a context
    """``companion devices simulate`` as a process; iterating tells what it says."""

    def __init__(self, driver: str, link: Path, script: Path) -> None:
        command = [sys.executable, "-m", "companion.cli", "devices", "simulate", driver, "--json"]
        self._command = [*command, "--port", str(link), "--script", str(script)]

    def __enter__(self) -> simulated:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=START_S)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            yield json.loads(line)


def test_a_script_plays_a_device(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(
        "# a tag, and all that may go wrong\nfault drop=0.5\nwell\ntag 0000000001\npull\nplug\nshow\n"
    )
    (plugged, displayed) = lines(
        run("simulate", "rdm6300", "--port", str(tmp_path / "x"), "--script", str(script), "--json")
    )
    assert plugged == {"port": str(tmp_path / "x"), "driver": "rdm6300"}
    assert displayed == {"shows": []}
    assert not (tmp_path / "x").exists()


def test_a_tag_of_a_script_must_be_hexadecimal(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("tag pine-crane\n")
    result = run("simulate", "rdm6300", "--port", str(tmp_path / "x"), "--script", str(script))
    assert result.exit_code == 2
    assert "does not support 'put pine-crane'" in result.stderr


def test_a_second_device_process_is_warned(server: Served) -> None:
    command = [sys.executable, "-m", "companion.cli", "devices", "run", "--server", server.url]
    with working(server.url):
        until(lambda: server.context.devices.running)
        second = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
        assert second.stderr is not None
        assert "Connected the devices of" in second.stderr.readline()
        assert "stop one of the two" in second.stderr.readline()
        second.send_signal(signal.SIGTERM)
        assert second.communicate(timeout=START_S)[1] == ""
        assert second.returncode == 0


def test_the_bench_measures_latency() -> None:
    result = CliRunner().invoke(bench_devices, ["--count", "2", "--json"])
    reported = lines(result)
    assert [(each["what"], each["n"]) for each in reported] == [("press", 2), ("draw", 2)]
    assert all(0 < each["ms"]["p50"] <= each["ms"]["max"] for each in reported)


def test_serving_starts_the_device_process_with_the_first_device_and_again_when_it_dies(
    tmp_path: Path,
) -> None:
    """End to end with separate processes: a key of a simulated box reaches the table of `companion serve`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    script = tmp_path / "script"
    script.write_text("wait 3\n1\nwait 3\n1\n" * 10)
    at = ("--server", f"http://127.0.0.1:{port}")
    command = [sys.executable, "-m", "companion.cli", "serve", "--json", "--host", "127.0.0.1"]
    serving = subprocess.Popen(
        [*command, "--port", str(port), "--data", str(tmp_path / "data")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        assert serving.stdout is not None
        assert json.loads(serving.stdout.readline())["serving"]
        table = call(port, "POST", "/api/tables", {"game": "koikoi", "players": ["Aiko", "Ben"]})["id"]
        call(port, "POST", f"/api/tables/{table}/events", {"events": DECIDING})
        with simulated("button-box", tmp_path / "box", script):
            run("add", "box-1", "--driver", "button-box", "--port", str(tmp_path / "box"), "--seat", "1", *at)
            until(
                lambda: "koikoi" in str(call(port, "GET", f"/api/tables/{table}")["state"]["history"]),
                START_S,
            )
            (reported,) = lines(run(*at, "--json"))
            assert reported["worker"]["running"]
            (worker,) = children(serving.pid)
            os.kill(worker, signal.SIGKILL)
            until(lambda: children(serving.pid) not in ([], [worker]), START_S)
            killed = time.monotonic()

            def ready_again() -> bool:
                ((found,),) = (each["devices"] for each in lines(run(*at, "--json")))
                status = found["status"]
                return bool(
                    status and status["state"] == "ready" and status["for_s"] < time.monotonic() - killed
                )

            until(ready_again, START_S)
        serving.send_signal(signal.SIGTERM)
        _, complained = serving.communicate(timeout=START_S)
        assert serving.returncode == 0
        assert "Traceback" not in complained
    finally:
        if serving.poll() is None:
            serving.kill()
            serving.communicate()


def children(pid: int) -> list[int]:
    """The device processes that a server has started and that still run; it has others, for pictures."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, encoding="utf-8", check=True
    ).stdout
    found = (line.split(maxsplit=3) for line in listed.splitlines())
    return [
        int(each)
        for each, parent, state, args in found
        if int(parent) == pid and not state.startswith("Z") and "devices run" in args
    ]


def call(port: int, method: str, path: str, body: object = None) -> Any:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()
