"""Rounds reported by readers: real bytes from simulated readers to a table's events, and a camera that is covered in
mid-round."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from companion.hanafuda.cards import HANAFUDA, first_of
from companion.observations import FIELD, captured_zone
from companion.store.tag_pairings import sticker_of
from hardware.simulators.simulated_port import SimulatedPort
from hardware.simulators.simulated_readers import SimulatedAcg, SimulatedLineScanner
from tests.hardware.server_with_devices import Served, working
from tests.hardware.wait_until import until
from tests.nets.stored import read_lines
from tests.scanned_round import FOLDER, play_scanned_round, recorded_turns

#: Minimum time between two cards, s: nobody plays faster.
HASTE = 0.6
TAGS = {card.id: f"E004015000{number:06X}" for number, card in enumerate(HANAFUDA, start=1)}
ptys = pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no ptys")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "data")
    yield served
    served.stop()


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    """Return a round of five turns, with a stop at its end."""
    about, *_ = read_lines(FOLDER / "alone.jsonl.gz")
    (played,) = about["records"]
    return dict(played)


def record_at(server: Served, table: str) -> dict[str, Any]:
    """Return the record of the round at a table, without turns if there are none yet."""
    with server.context.tables.at(table) as found:
        return found.record(1) if found.round_number else {"turns": []}


def cards_reported(server: Served, table: str) -> int:
    return sum(event.kind == "moved" and event.data["words"][0] != "call" for event in server.events(table))


class Trays:
    """Three multi-tag readers on ptys, under the field and both piles."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.plugs = {
            zone: stack.enter_context(SimulatedPort(SimulatedAcg(), folder / zone))
            for zone in (FIELD, captured_zone(1), captured_zone(2))
        }

    def configured(self) -> list[dict[str, Any]]:
        return [
            {"name": zone, "driver": "acg", "port": str(plug.link), "place": zone}
            for zone, plug in self.plugs.items()
        ]

    def put(self, zone: str, *cards: str) -> None:
        for card in cards:
            for where, plug in self.plugs.items():
                with plug.lock:
                    if where == zone:
                        plug.device.act("put", TAGS[card])
                    elif TAGS[card] in plug.device.tags:  # type: ignore[attr-defined]  # an ACG
                        plug.device.act("take", TAGS[card])


def laid(turn: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Return the cards of a turn in order, each with its captures."""
    cards = [(turn["play"], list(turn["captured"]))]
    return cards + ([(turn["draw"], list(turn["draw_captured"]))] if turn["draw"] else [])


def report_call(server: Served, table: str, turn: Mapping[str, Any]) -> None:
    if turn["call"]:
        words = ["call", turn["call"]]
        server.submit(table, {"kind": "moved", "data": {"player": turn["player"], "words": words}})


@ptys
def test_a_round_over_three_trays_from_bytes_to_events(
    server: Served, tmp_path: Path, record: dict[str, Any]
) -> None:
    server.call("PUT", "/api/decks/hanafuda/tags", {"tags": {tag: card for card, tag in TAGS.items()}})
    table = server.open_table()
    with ExitStack() as stack:
        trays = Trays(tmp_path, stack)
        stack.enter_context(working(server.url))
        server.configure(*trays.configured())
        until(lambda: all(server.state(zone) == "ready" for zone in trays.plugs))
        trays.put(FIELD, *record["deal"]["field"])
        until(lambda: server.context.tables.now(table).seq > 1)
        server.submit(table, {"kind": "began", "data": {"dealer": record["dealer"]}})
        cards = 0
        for turn in record["turns"]:
            captured: list[str] = []
            for card, takes in laid(turn):
                trays.put(FIELD, card)
                time.sleep(HASTE)
                captured += takes
            trays.put(captured_zone(turn["player"]), *dict.fromkeys(captured))
            cards += len(laid(turn))
            until(lambda: cards_reported(server, table) >= cards)  # noqa: B023  # at once
            report_call(server, table, turn)
    reported = record_at(server, table)
    assert recorded_turns(reported) == recorded_turns(record)
    assert reported["result"] == record["result"]
    assert {event.source for event in server.events(table) if event.kind == "moved" and "call" not in event.data["words"]} == {"scanner"}  # fmt: skip
    assert not [event for event in server.events(table) if event.kind == "noticed"]


@ptys
def test_a_round_with_one_scanner_in_the_hand(server: Served, tmp_path: Path, record: dict[str, Any]) -> None:
    """Stickers contain their card: nothing is paired."""
    table = server.open_table()
    with SimulatedPort(SimulatedLineScanner(), tmp_path / "scanner") as plug, working(server.url):
        scanned = count(1)

        def scan(*cards: str) -> None:
            for card in cards:
                with plug.lock:
                    plug.device.act("scan", sticker_of(card))
                number = next(scanned)
                until(lambda: sum(len(body["scans"]) for _, body in server.posted) >= number)  # noqa: B023  # at once

        server.configure(
            {"name": "gun", "driver": "line-scanner", "port": str(tmp_path / "scanner"), "place": "any"}
        )
        until(lambda: server.state("gun") == "ready")
        scan(*record["deal"]["field"])
        until(lambda: server.context.tables.now(table).seq > 1)
        server.submit(table, {"kind": "began", "data": {"dealer": record["dealer"]}})
        cards = 0
        for turn in record["turns"]:
            for card, takes in laid(turn):
                scan(card, *[each for each in takes if each != card])
            cards += len(laid(turn))
            until(lambda: cards_reported(server, table) >= cards)  # noqa: B023  # at once
            report_call(server, table, turn)
    reported = record_at(server, table)
    assert recorded_turns(reported) == recorded_turns(record)
    assert reported["result"] == record["result"]


def test_a_camera_that_is_covered_for_five_turns_with_readers_beside_it() -> None:
    """Observations of the demo's pictures, drawn with our own faces; the camera is covered in turns 2 to 6 of 8."""
    played = play_scanned_round("covered-camera")
    assert recorded_turns(played.table.record(1)) == recorded_turns(played.record)
    assert played.events_of_type("asked") == []
    assert played.events_of_type("noticed") == []
    assert {event.source for event in played.events_of_type("moved")} == {"camera", "scanner"}


def test_readers_alone_play_the_same_round() -> None:
    played = play_scanned_round("alone")
    assert recorded_turns(played.table.record(1)) == recorded_turns(played.record)
    assert played.table.record(1)["result"] == played.record["result"]
    assert {
        first(card) for event in played.events_of_type("dealt") for card in event.data["deal"]["field"]
    } == {first(card) for card in played.record["deal"]["field"]}


def first(card: str) -> str:
    return first_of(card)
