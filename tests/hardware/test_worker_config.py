"""Devices as people configure them, and a table's stream as the device process reads it."""

from __future__ import annotations

from typing import Any

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.messages import error_text
from hardware.driver_registry import create_driver
from hardware.firmware.pico.hanafuda_box.lines import line_of
from hardware.worker.managed_device import DeviceSettings


def test_options_reach_the_driver() -> None:
    lcd = create_driver("serlcd", {"columns": 20, "rows": 4, "font": "ascii"})
    assert (lcd.screen.columns, lcd.screen.rows, lcd.font) == (20, 4, "ascii")  # type: ignore[attr-defined]
    box = create_driver("button-box", {"meanings": {"1": "stop", "1 long": "next", "2": "koi-koi"}})
    assert [box.light_for(each) for each in ("koi-koi", "stop", "next", "raw-7")] == [2, 1, None, 7]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("serlcd", {"column": 20}, "serlcd has no option 'column'; did you mean columns?"),
        ("acg", {"columns": 20}, "acg has no option 'columns'; it has none"),
        ("serlcd", {"columns": 4}, "columns must be a whole number from 8 to 40, not 4"),
        ("serlcd", {"columns": "20"}, "columns must be a whole number from 8 to 40, not '20'"),
        ("serlcd", {"rows": True}, "rows must be a whole number from 1 to 4, not True"),
        ("serlcd", {"font": "kanji"}, "font must be ascii or katakana, not 'kanji'"),
        ("button-box", {"meanings": ["stop"]}, "meanings sets the action of each key"),
        ("button-box", {"meanings": {"one": "stop"}}, "'one' is not a key"),
        ("button-box", {"meanings": {"1 hard": "stop"}}, "'1 hard' is not a key"),
        ("button-box", {"meanings": {"1": "win"}}, "'win' is not one of koi-koi, stop"),
        ("button-bax", {}, "there is no driver 'button-bax'; did you mean button-box?"),
    ],
)
def test_invalid_configurations_are_reported(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequestError) as error:
        create_driver(name, options)
    assert message in error_text(error.value)


def test_a_configuration_is_read_whatever_a_later_version_added() -> None:
    reported = {"name": "box", "driver": "acg", "port": "/dev/x", "colour": "red", "on": False}
    assert DeviceSettings.from_dict(reported) == DeviceSettings("box", "acg", "/dev/x", on=False)


@pytest.mark.parametrize(
    ("change", "another"),
    [
        ({"port": "/dev/y"}, True), ({"driver": "pn532"}, True), ({"options": {"rows": 2}}, True),
        ({"seat": 2}, False), ({"place": "field"}, False), ({"table": "t"}, False), ({"buttons": {"raw-1": "stop"}}, False),
    ],
)  # fmt: skip
def test_only_port_settings_reopen_a_port(change: dict[str, Any], another: bool) -> None:
    reported = {"name": "box", "driver": "acg", "port": "/dev/x"}
    assert (
        DeviceSettings.from_dict(reported).connection_key
        != DeviceSettings.from_dict({**reported, **change}).connection_key
    ) is another


def test_a_box_without_lights_is_never_asked_for_one() -> None:
    from hardware.driver import SetLight  # noqa: PLC0415  # one test's

    box = create_driver("button-box", {})
    box.restart(0)
    box.feed(line_of(0, "HELLO", "hanafuda", 1, "x", "A001", 4, 2, "0x0", 5), 0.1)
    sent = box.send(SetLight(1, "on"), 0.2) + box.send(SetLight(3, "on"), 0.3)
    assert (b"LIGHT 1 on" in sent, b"LIGHT 3" in sent) == (True, False)
