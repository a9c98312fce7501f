"""A phone photographs a table without a camera."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from companion.hanafuda.simulation import record_of
from hanafuda_training.rounds.film import SEED, TABLE
from hanafuda_training.rounds.fishing import round_moments
from hanafuda_training.rounds.greedy_players import evening
from hanafuda_training.rounds.renderer import Renderer
from hanafuda_training.rounds.stage import Manner, Stage

from .conftest import Phones, Server
from .live import LiveTable


def put(url: str, body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method="PUT")
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.status == 200


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("house"), "real")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Pictures of the table after the deal and after the first turn."""
    stage, renderer = Stage(np.random.default_rng((SEED, 9)), Manner()), Renderer(TABLE, mess=0.0)
    record = record_of(next(evening("koikoi", SEED)))
    settled = {each.turn: each for each in round_moments(stage, record) if each.settled}
    folder = tmp_path_factory.mktemp("photographs")
    for turn in range(2):
        cv2.imwrite(str(folder / f"{turn}.jpg"), renderer.draw(settled[turn], 0.0)[0])
    return [folder / f"{turn}.jpg" for turn in range(2)]


def test_a_photograph_a_turn_is_enough(house: Server, phones: Phones, photographs: list[Path]) -> None:
    table = LiveTable.open(house.url, next(evening("koikoi", SEED)))
    phone, other = phones.open(), phones.open(locale="ja-JP")
    phone.goto(table.page)
    other.goto(table.page)
    snap = phone.locator(".thumb .snap input")
    snap.set_input_files(photographs[0])
    for page in (phone, other):
        expect(page.locator(".field li")).to_have_count(8, timeout=20_000)
    snap.set_input_files(photographs[1])
    for page in (phone, other):
        expect(page.locator(".side.seat-2 .captures .face").first).to_be_visible(timeout=20_000)
    snap.set_input_files(photographs[1])
    expect(phone.locator(".snap-result")).to_contain_text("Nothing new", timeout=20_000)


def test_a_file_that_is_not_a_picture_is_refused_with_a_text(
    house: Server, phones: Phones, tmp_path: Path
) -> None:
    table = LiveTable.open(house.url, next(evening("koikoi", SEED)))
    phone = phones.open()
    phone.goto(table.page)
    note = tmp_path / "note.jpg"
    note.write_text("no picture")
    phone.locator(".thumb .snap input").set_input_files(note)
    expect(phone.locator(".banner.refused")).to_contain_text("not a picture")


def test_a_pile_outside_its_zone_is_refused_and_the_zones_are_drawn(
    house: Server, phones: Phones, photographs: list[Path]
) -> None:
    table = LiveTable.open(house.url, next(evening("koikoi", SEED)))
    phone = phones.open()
    phone.goto(table.page)
    snap = phone.locator(".thumb .snap input")
    snap.set_input_files(photographs[0])
    expect(phone.locator(".field li")).to_have_count(8, timeout=20_000)
    snap.set_input_files(photographs[1])
    expect(phone.locator(".side.seat-2 .captures .face").first).to_be_visible(timeout=20_000)
    before = table.state()["history"]
    # The whole picture is the field: the pile lies in it.
    whole = {"zones": [{"zone": "field", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}]}
    put(f"{house.url}/api/tables/{table.id}/layout", {"layout": whole})
    snap.set_input_files(photographs[1])
    expect(phone.locator(".snap-reason")).to_contain_text(
        "captured cards of Bo lie in the field", timeout=20_000
    )
    assert phone.locator(".snap-cards .wrong").count() >= 2
    expect(phone.locator(".snap-picture .zone")).to_have_count(1)
    assert table.state()["history"] == before
    put(f"{house.url}/api/tables/{table.id}/layout", {"layout": None})
    phone.locator(".snap-sheet input").set_input_files(photographs[1])
    expect(phone.locator(".snap-sheet")).to_have_count(0)
    expect(phone.locator(".snap-result")).to_contain_text("Nothing new", timeout=20_000)
    phone.get_by_role("button", name="Show the zones").click()
    expect(phone.locator(".snap-picture .zone-name").filter(has_text="captured")).to_have_count(2)
    assert table.state()["history"] == before
    phone.get_by_role("button", name="Adjust the zones").click()
    phone.locator(".snap-sheet .corner").first.press("ArrowRight")
    phone.get_by_role("button", name="Done").click()
    expect(phone.locator(".snap-sheet")).to_have_count(0)
    expect(phone.locator(".snap-result")).to_contain_text("Nothing new", timeout=20_000)
    with urllib.request.urlopen(f"{house.url}/api/tables/{table.id}/layout", timeout=20) as answer:
        zones = {each["zone"] for each in json.load(answer)["layout"]["zones"]}
    assert {"field", "captured-1", "captured-2"} <= zones
    assert table.state()["history"] == before
