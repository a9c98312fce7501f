"""The demo's rounds with card readers, and a camera that is covered for a while: rendered pictures and simulated
readers.

``python -m tests.scanned_demo --seeds 0-5`` plays rounds and prints the results; the pictures and the scans
are synthetic.
"""

from __future__ import annotations

import argparse
import time as clock
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from companion.hanafuda.cards import first_of
from companion.hanafuda.round import IllegalMoveError
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import record_of
from companion.observations import FIELD, STOCK, captured_zone
from companion.readers import ReaderReport, ScannedTable
from companion.referee import referee_for
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from tests.message_text import english
from vision.demo.fishing import round_moments
from vision.demo.greedy_players import evening
from vision.demo.renderer import Renderer
from vision.demo.round_frames import frames
from vision.demo.stage import Manner, Moment, Stage
from vision.photograph.scanner import Scanner
from vision.sources import Frame
from vision.tracking.frame_selection import FrameSelector
from vision.tracking.table_observer import TableObserver

TIME = "2026-01-01T00:00:00Z"
EVERYWHERE = frozenset({FIELD, captured_zone(1), captured_zone(2)})


def scans_of(
    moments: Sequence[Moment], places: frozenset[str], rng: np.random.Generator
) -> Iterator[ReaderReport]:
    """Yield the readers' reports of cards that are laid and taken: arrivals at once, removals a little later."""
    lay: dict[str, str] = {}
    began = 0.0
    for moment in moments:
        now = {each.card: each.zone for each in moment.cards if each.zone != STOCK}
        for card in {**lay, **now}:
            old, new = lay.get(card), now.get(card)
            if old == new:
                continue
            if old in places:
                yield ReaderReport(
                    card, f"reader-{old}", old, began + float(rng.uniform(0.3, 0.7)), present=False
                )
            if new in places:
                yield ReaderReport(card, f"reader-{new}", new, began + float(rng.uniform(0.05, 0.35)))
        lay, began = now, began + moment.seconds


class Desk:
    """A table with a camera and readers."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        rules = resolve(record["rules"], record["game"])
        opened = {
            "name": "t", "game": rules.game, "rules": rules.to_dict(), "players": ["A", "B"], "deck": None,
        }  # fmt: skip
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.scanned_table = ScannedTable(rules, referee_for(rules, 2))
        self.reported: list[Event] = []

    def take(self, new: Sequence[NewEvent], source: Source = "scanner") -> None:
        if new:
            self.reported += self.table.append(list(new), actor="eyes", source=source, time=TIME)

    def events_of_type(self, kind: str) -> list[Event]:
        return [event for event in self.reported if event.kind == kind]


def played(
    record: Mapping[str, Any],
    seed: int,
    scanner: Scanner | None,
    *,
    places: frozenset[str] = EVERYWHERE,
    black: range = range(0),
    fps: float = 4.0,
) -> Desk:
    """Play a round; the camera sees nothing in the turns ``black``. Without ``scanner`` there is no camera."""
    stage = Stage(np.random.default_rng((seed, 9)), Manner(pause=0.8, rest=1.6))
    moments = list(round_moments(stage, record))
    rng = np.random.default_rng((seed, 7))
    moving = sorted(scans_of(moments, places, rng), key=lambda scan: scan.time)
    calls = []
    began = 0.0
    for moment in moments:
        if moment.call is not None:
            calls.append((began + 0.5, *moment.call))
        began += moment.seconds
    desk = Desk(record)
    selector = FrameSelector()
    observer = None if scanner is None else TableObserver(scanner, record["game"], 2)
    dark = Renderer(seed, size=(1280, 720) if scanner else (64, 36), mess=0.2)
    for picture in frames(moments, dark, fps if scanner else 10.0):
        while moving and moving[0].time <= picture.time:
            desk.scanned_table.process([moving.pop(0)], desk.table)
        while calls and calls[0][0] <= picture.time:
            _, seat, said = calls.pop(0)
            with suppress(IllegalMoveError):  # a win needs no call; a table that is behind refuses it
                desk.take([NewEvent("moved", {"player": seat, "words": ["call", said]})], "phone")
        if observer is not None:
            bgr = picture.bgr
            if picture.truth["turn"] in black:
                bgr = rng.integers(0, 6, picture.bgr.shape, dtype=np.uint8)
            if stable := selector.feed(Frame(picture.name, picture.time, bgr=bgr)):
                desk.take(
                    desk.scanned_table.camera(observer.observe(stable), picture.time, desk.table), "camera"
                )
                selector.card_px = observer.card_px
        due = desk.scanned_table.due()
        if due is not None and due <= picture.time:
            new = desk.scanned_table.tick(
                picture.time,
                desk.table,
                watching=observer is not None,
                moving=observer is not None and selector.moving,
            )
            desk.take(new, "camera" if desk.scanned_table.by_camera else "scanner")
    desk.take(desk.scanned_table.referee.close(desk.table))
    return desk


def plain(record: Mapping[str, Any]) -> list[Any]:
    """Return a record's turns with look-alikes under one name."""

    def first(card: str | None) -> str | None:
        return card and first_of(card)

    return [
        (
            turn["player"], first(turn["play"]), sorted(map(str, map(first, turn["captured"]))),
            first(turn["draw"]), sorted(map(str, map(first, turn["draw_captured"]))), turn["call"],
        )
        for turn in record["turns"]
    ]  # fmt: skip


def main() -> None:
    """Play rounds and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0-3")
    parser.add_argument("--game", default="koikoi")
    parser.add_argument("--no-camera", action="store_true")
    parser.add_argument("--black", default="5-9", help="the turns in which the camera is covered")
    parser.add_argument("--places", default=",".join(sorted(EVERYWHERE)))
    asked = parser.parse_args()
    first, last = map(int, asked.seeds.split("-"))
    dark = range(*(int(each) + number for number, each in enumerate(asked.black.split("-"))))
    scanner = None if asked.no_camera else Scanner()
    right = 0
    for seed in range(first, last + 1):
        began = clock.monotonic()
        record = record_of(next(evening(asked.game, seed)))
        places = frozenset(filter(None, asked.places.split(",")))
        desk = played(record, seed, scanner, places=places, black=dark)
        reported = desk.table.record(desk.table.round_number)
        good = plain(reported) == plain(record) and reported.get("result") == record["result"]
        right += good
        problems = [event.data["code"] for event in desk.events_of_type("noticed")]
        asked_for = [english(event.data["text"]) for event in desk.events_of_type("asked")]
        print(
            seed,
            good,
            len(record["turns"]),
            "turns",
            problems,
            asked_for,
            f"{clock.monotonic() - began:.0f} s",
            flush=True,
        )
        for one, other in zip(plain(reported), plain(record), strict=False):
            if one != other:
                print("  told", one, "\n  true", other)
                break
    print(f"{right} of {last - first + 1} rounds right")


if __name__ == "__main__":
    main()
