"""The host prints the score receipt: sets the printer, then sees the result."""

from __future__ import annotations

from playwright.sync_api import expect

from hardware.simulators.simulated_printer import PrinterInNetwork, SimulatedPrinter

from .conftest import Phones, Server
from .live import LiveTable, round_where
from .screens import screen


def test_the_host_sets_the_printer_and_prints(serve: type[Server], phones: Phones) -> None:
    table = LiveTable.open(serve("broken").url, round_where(lambda played: len(played.moves) < 20))
    table.deal()
    page = screen(phones, "laptop")
    page.goto(f"{table.page}/host")
    slip = page.locator(".slip")
    press = slip.get_by_role("button", name="Print the receipt")
    expect(slip).to_contain_text("when the first round is over")
    expect(press).to_be_disabled()
    table.play()
    expect(press).to_be_enabled()

    device = SimulatedPrinter()
    device.act("paper", "0")
    with PrinterInNetwork(device) as served:
        slip.locator("summary").click()
        slip.get_by_label("Location").fill(served.address)
        slip.get_by_label("Paper").select_option("58")
        slip.get_by_role("button", name="Save").click()
        expect(slip.locator("summary")).to_contain_text(served.address)
        press.click()
        expect(slip.get_by_role("alert")).to_contain_text("out of paper")
        with served.lock:
            device.act("paper", "99999")
        press.click()
        expect(slip.get_by_role("status")).to_contain_text("Printed.")
        with served.lock:
            (paper,) = device.papers
    slip.get_by_role("button", name="Preview").click()
    displayed = page.locator(".slip-paper")
    expect(displayed).to_be_visible()
    expect(displayed).to_have_js_property("complete", True)
    assert displayed.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [
        paper.width,
        paper.height,
    ]
