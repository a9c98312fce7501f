"""The life of a port, in virtual time."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from companion.messages import render
from hardware.buttons.button_box import ButtonBox
from hardware.device_faults import FaultCode
from hardware.driver import DeviceDriver, SetLight, ShowRows, TriggerScan
from hardware.readers.acg import Acg
from hardware.readers.gm65 import Gm65
from hardware.readers.pn532 import Pn532
from hardware.readers.r200 import R200
from hardware.readers.rdm6300 import Rdm6300
from hardware.simulators.simulated_box import SimulatedBox
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_port import PortFaults
from hardware.simulators.simulated_readers import (
    SimulatedAcg,
    SimulatedGm65,
    SimulatedPn532,
    SimulatedR200,
    SimulatedRdm6300,
)
from hardware.transports.transport import DeviceStatus, ReceivedEvent, Transport
from tests.hardware.virtual_port import VirtualClock, VirtualPort

ONE, TWO = "62E3086CED", "0102030405"
HOURS = 3600.0


class Bench:
    """A transport, a device and a clock."""

    def __init__(
        self, driver: DeviceDriver, device: SimulatedDevice, faults: PortFaults | None = None
    ) -> None:
        self.clock = VirtualClock()
        self.device = device
        self.port = VirtualPort(device, self.clock, faults)
        self.heard: list[ReceivedEvent] = []
        self.states: list[DeviceStatus] = []
        self.transport = Transport(
            "device",
            driver,
            self.port.find,
            self.heard.append,
            on_status=self.states.append,
            clock=self.clock,
            open_connection=self.port.open,
            rng=random.Random(5),
        )

    @property
    def state(self) -> str:
        return self.transport.status.state

    def run(self, seconds: float) -> None:
        end = self.clock.time + seconds
        while self.clock.time < end:
            self.transport.step()

    def until(self, true: Callable[[], object], patience: float = 30.0) -> float:
        """How long it took, s."""
        start = self.clock.time
        while not true():
            assert self.clock.time < start + patience, f"it never came: {self.transport.status}"
            self.transport.step()
        return self.clock.time - start

    def walked(self) -> list[str]:
        """The states that were gone through, each once in a row."""
        states = [each.state for each in self.states]
        return [state for at, state in enumerate(states) if not at or states[at - 1] != state]


def test_a_box_is_absent_then_probed_then_ready_and_comes_back() -> None:
    bench = Bench(ButtonBox(), SimulatedBox())
    bench.run(60)
    assert bench.state == "absent"
    bench.port.plug()
    assert bench.until(lambda: bench.state == "ready") <= 2
    assert bench.transport.status.says == "box e66038b7: 4 keys, 4 lights, display 16x2"
    bench.port.pull()
    bench.until(lambda: bench.state == "absent")
    bench.run(3 * HOURS)
    bench.port.plug()
    assert bench.until(lambda: bench.state == "ready") <= 2
    assert bench.walked() == [
        "opening", "probing", "ready", "back-off", "absent", "opening", "probing", "ready",
    ]  # fmt: skip


def test_a_query_during_startup_is_repeated() -> None:
    class Starting(SimulatedAcg):
        missed = 0

        def feed(self, data: bytes, now: float) -> bytes:
            self.missed += 1
            return b"" if self.missed == 1 else super().feed(data, now)

    bench = Bench(Acg(), Starting())
    bench.port.plug()
    assert bench.until(lambda: bench.state == "ready") <= 2
    assert len(bench.port.opened) == 1


def test_a_status_as_pages_show_it() -> None:
    bench = Bench(Rdm6300(), SimulatedRdm6300(ONE))
    bench.port.plug()
    bench.until(lambda: bench.heard)
    bench.port.refuses = "port-in-use"
    bench.port.pull()
    bench.port.plug()
    bench.until(lambda: bench.state == "back-off" and len(bench.port.opened) == 2)
    reported = bench.transport.status.to_dict(bench.clock.time + 60)
    assert reported.pop("last_seen_s") >= 60
    assert reported.pop("for_s") >= 60
    assert reported.pop("fault") == {
        "code": "port-in-use",
        "says": {
            "en": "another program is using virtual; close it (a serial monitor or a second companion) and it connects automatically",
            "ja": "virtual は別のプログラムが使っています。シリアルモニターなどを閉じると自動でつながります",
            "ko": "다른 프로그램이 virtual을 사용 중이에요. 그 프로그램을 닫으면 자동으로 연결돼요",
        },
    }
    assert reported == {
        "device": "device",
        "state": "back-off",
        "port": "virtual",
        "says": "",
        "last_frame": "02 36 32 45 33 30 38 36 43 45 44 30 38 03",
        "opened": 1,
    }


@pytest.mark.parametrize("code", ["port-in-use", "forbidden", "unreachable"])
def test_waits_double_to_ten_seconds_with_jitter_for_ever(code: FaultCode) -> None:
    bench = Bench(Rdm6300(), SimulatedRdm6300())
    bench.port.refuses = code
    bench.port.plug()
    bench.run(200)
    tries = bench.port.opened
    gaps = [later - earlier for earlier, later in pairwise(tries)]
    for gap, wait in zip(gaps, [0.5, 1, 2, 4, 8, *[10] * 99], strict=False):
        assert 0.7 * wait <= gap <= 1.3 * wait
    assert len({round(gap, 3) for gap in gaps[5:]}) > 5
    fault = bench.transport.status.fault
    assert fault is not None
    assert fault.code == code
    bench.port.refuses = None
    assert bench.until(lambda: bench.state == "ready") <= 13
    assert bench.transport.status.fault is None


def test_a_reconnected_device_does_not_wait_for_the_retry_time() -> None:
    bench = Bench(Rdm6300(), SimulatedRdm6300())
    bench.port.refuses = "port-in-use"
    bench.port.plug()
    bench.run(100)
    bench.port.refuses = None
    bench.port.pull()
    bench.run(0.1)
    bench.port.plug()
    assert bench.until(lambda: bench.state == "ready") <= 2


def test_a_port_removed_during_listing_is_absent() -> None:
    bench = Bench(Rdm6300(), SimulatedRdm6300())
    bench.port.plug()
    listed, bench.transport._port_finder = (
        bench.transport._port_finder,
        lambda: next(Path("/nowhere").iterdir()),
    )
    bench.run(2)
    assert bench.state == "absent"
    bench.transport._port_finder = listed
    assert bench.until(lambda: bench.state == "ready") <= 2


def test_a_silent_box_is_queried_once_then_reopened_until_it_answers() -> None:
    bench = Bench(ButtonBox(), SimulatedBox())
    bench.port.plug()
    bench.until(lambda: bench.state == "ready")
    bench.run(60)
    assert bench.state == "ready"
    bench.port.faults.silent = True
    assert bench.until(lambda: bench.state == "stale") <= 5
    assert bench.until(lambda: bench.state == "back-off") <= 5
    fault = bench.transport.status.fault
    assert fault is not None
    assert fault.code == "no-answer"
    assert "115200" in render(fault.message)
    bench.port.faults.silent = False
    assert bench.until(lambda: bench.state == "ready") <= 16


def test_a_box_that_was_silent_for_a_moment_is_ready_again_without_opening() -> None:
    bench = Bench(ButtonBox(), SimulatedBox())
    bench.port.plug()
    bench.until(lambda: bench.state == "ready")
    bench.port.faults.silent = True
    bench.until(lambda: bench.state == "stale")
    bench.port.faults.silent = False
    bench.until(lambda: bench.state == "ready")
    assert len(bench.port.opened) == 1


def test_a_display_gets_the_newest_contents_when_it_connects() -> None:
    bench = Bench(ButtonBox(), SimulatedBox())
    for number in range(1000):
        assert bench.transport.send(ShowRows((f"{number}",)))
        assert bench.transport.send(SetLight(1 + number % 2, "on" if number > 500 else "blink"))
    bench.port.plug()
    bench.until(lambda: bench.device.shows()[0].rstrip() == "999")
    bench.until(lambda: lights(bench) == {"1": "on", "2": "on", "3": "off", "4": "off"})
    assert sum(b" ROW " in data for _, data in bench.port.wrote) == 1


def lights(bench: Bench) -> dict[str, str]:
    assert isinstance(bench.device, SimulatedBox)
    return bench.device.lights


def test_a_scan_is_not_kept_for_later() -> None:
    bench = Bench(Gm65(), SimulatedGm65())
    assert not bench.transport.send(TriggerScan())
    bench.port.plug()
    bench.until(lambda: bench.state == "ready")
    assert bench.transport.send(TriggerScan())


@pytest.mark.parametrize(
    ("driver", "double", "uid"),
    [
        (Pn532, SimulatedPn532, "9AB1C2D3"),
        (Acg, SimulatedAcg, "E004010012345678"),
        (R200, SimulatedR200, "30751FEB705C5904E3D50D70"),
    ],
)
def test_a_silent_reader_does_not_remove_its_tags(
    driver: Callable[[], DeviceDriver], double: Callable[[str], SimulatedDevice], uid: str
) -> None:
    bench = Bench(driver(), double(uid))
    reported = lambda: [each.event.data["present"] for each in bench.heard]  # noqa: E731
    bench.port.plug()
    bench.until(lambda: reported() == [True])
    bench.port.faults.silent = True
    bench.until(lambda: bench.state == "back-off")
    bench.run(60)
    assert reported() == [True]
    bench.port.faults.silent = False
    bench.until(lambda: bench.state == "ready")
    bench.run(10)
    assert reported() == [True]
    bench.device.act("take", uid)
    bench.until(lambda: reported() == [True, False], 5)


def test_a_rejected_request_is_reported_and_the_driver_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.firmware.pico.hanafuda_box.lights._MODES", ())
    bench = Bench(ButtonBox(), SimulatedBox())
    bench.port.plug()
    bench.until(lambda: bench.state == "ready")
    bench.transport.send(SetLight(3, "on"))
    bench.until(lambda: bench.transport.status.fault is not None)
    fault = bench.transport.status.fault
    assert fault is not None
    assert (fault.code, bench.state) == ("refused", "ready")
    assert "LIGHT 3 on" in render(fault.message)


def test_a_display_is_drawn_by_differences_not_too_often_and_whole_after_a_plug_was_pulled() -> None:
    bench = Bench(ButtonBox(), SimulatedBox())
    bench.port.plug()
    bench.until(lambda: bench.state == "ready")
    bench.transport.send(SetLight(2, "blink"))
    began = bench.clock.time
    for number in range(100):
        bench.transport.send(ShowRows((f"Anna {number:>3}", "ﾊﾅｺ | 100% *")))
        bench.run(0.02)
    displayed = ("Anna  99        ", "ﾊﾅｺ | 100% *    ")
    bench.until(lambda: bench.device.shows() == displayed)
    rows = [time for time, data in bench.port.wrote if b" ROW " in data]
    assert len(rows) <= 2 + 10 * (bench.clock.time - began)  # the first write has two rows
    assert all(len(data) < 40 for _, data in bench.port.wrote if b" ROW 0 " in data and b"Anna" not in data)
    bench.port.pull()
    bench.until(lambda: bench.state == "absent")
    bench.port.plug()
    bench.until(lambda: bench.device.shows() == displayed)
    bench.until(lambda: lights(bench) == {"1": "off", "2": "blink", "3": "off", "4": "off"})
