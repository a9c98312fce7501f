"""Fuzzes one driver and its parser with atheris, which is not a dependency (``pip install atheris``).

``python -m tests.hardware.fuzz NAME -max_total_time=600``: libFuzzer's options follow the driver's name. The input's first
bytes say where the rest is cut and where nothing comes for a while. Anything raised is a finding, and so are memory that
grows, and a good frame that is not read after a pause.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["hardware"]):
    from hardware.buttons.lines import line_of
    from hardware.displays.packets import packet
    from hardware.registry import DRIVERS

#: A good frame of each device that says anything.
GOOD = {
    "rdm6300": b"\x0262E3086CED08\x03",
    "pn532": bytes.fromhex("0000FF06FAD50332010607E800"),
    "acg": b"VE004010012345678\r\n",
    "r200": bytes.fromhex("BB01FF000115167E"),
    "gm65": bytes.fromhex("02000001003331"),
    "line-scanner": b"4901234567894\r\n",
    "button-box": line_of(0, "ALIVE", 5),
    "crystalfontz": packet(0x40),
}
LONGEST = 4400


def target(name: str) -> object:
    """Return what atheris calls with each input."""
    good = GOOD[name]

    def once(data: bytes) -> None:
        plan, rest = data[:6], data[6:]
        driver, now = DRIVERS[name].make(), 0.0
        driver.hello(now)
        parser = driver._parser  # type: ignore[attr-defined]
        for cut in plan:
            piece, rest = rest[:cut], rest[cut:]
            now += cut / 64
            driver.feed(piece, now)
            if cut & 1:
                driver.idle(now)
            driver.tick(now)
            driver.owed()
        driver.feed(rest, now)
        assert len(parser._held) <= LONGEST
        driver.idle(now + 1)
        before = driver.good
        driver.feed(good, now + 2)
        assert driver.good == before + 1

    return once


if __name__ == "__main__":
    which = sys.argv.pop(1)
    atheris.Setup(sys.argv, target(which))
    atheris.Fuzz()
