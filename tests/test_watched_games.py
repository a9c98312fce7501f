"""A Kakkuri round and a Kingo showdown with four players from pictures: frames, camera worker, referee, lines.

The pictures are the demo's, drawn with our own faces (synthetic).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import pytest

from companion.hanafuda.rules import resolve
from companion.watch_session import WatchSession
from tests.vision.fast_scanner import swift_scanner
from vision.demo.reference_rounds import MESS, REFERENCE_ROUNDS
from vision.demo.round_frames import render
from vision.photograph.scanner import Scanner
from vision.sources import Frame
from vision.tracking.frame_selection import FrameSelector
from vision.tracking.table_observer import TableObserver

PAPERS = {paper.name: paper for paper in REFERENCE_ROUNDS}
#: Number of turns of the Kakkuri round that are watched: they include two cards on their look-alikes and
#: eight passes.
TURNS = 13


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return swift_scanner()


def watched(record: Mapping[str, Any], seed: int, scanner: Scanner, turns: int = 99) -> list[dict[str, Any]]:
    """Return the lines of ``companion watch --json`` for the first turns of a round."""
    rules, players = resolve(record["rules"], record["game"]), record["players"]
    gate, observer = FrameSelector(), TableObserver(scanner, record["game"], players)
    table = WatchSession(rules, [f"P{seat}" for seat in range(1, players + 1)], None)
    lines: list[dict[str, Any]] = []
    pictures = render(record, seed, mess=MESS)
    for frame in takewhile(lambda frame: frame.truth["turn"] <= turns, pictures):
        stable = gate.feed(Frame(frame.name, frame.time, bgr=frame.bgr))
        if stable is not None:
            lines += table.observe(observer.observe(stable))
            gate.card_px = observer.card_px
    return [*lines, *table.finish()]


def kind(card: str) -> str:
    """Return a card's name without its distinction from its look-alike."""
    return card.removesuffix("-1").removesuffix("-2") if "-chaff-" in card else card


def discarded(turns: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Return who turned up and discarded what; an empty list for a pass."""
    return [
        (
            turn["player"],
            kind(turn.get("box", "")),
            [[kind(card) for card in laid] for laid in turn["discards"]],
        )
        for turn in turns
        if "swap" not in turn
    ]


def test_of_a_kakkuri_round_every_discard_and_pass_is_told(scanner: Scanner) -> None:
    record = PAPERS["kakkuri"].record()
    lines = watched(record, PAPERS["kakkuri"].seed, scanner, TURNS)
    reported = discarded([line for line in lines if line["event"] == "turn"])
    # The last watched turn has not ended: the player may discard again.
    assert reported == discarded(record["turns"])[: len(reported)]
    assert len(reported) >= TURNS - 1
    assert not [line for line in lines if line["event"] in {"problem", "undone"}]


def test_a_kingo_showdown_of_four_is_worked_out(scanner: Scanner) -> None:
    record = PAPERS["kingo-of-four"].record()
    lines = watched(record, PAPERS["kingo-of-four"].seed, scanner)
    (reported,) = [line for line in lines if line["event"] == "round"]
    assert reported["dealer"] == record["dealer"]
    assert reported["result"] == record["result"]
    draws = [(turn["player"], len(turn["draws"])) for turn in reported["turns"] if "draws" in turn]
    assert draws == [(turn["player"], len(turn["draws"])) for turn in record["turns"]]
    displayed = {
        turn["player"]: {kind(card) for card in turn["show"]} for turn in reported["turns"] if "show" in turn
    }
    hands = {int(seat): set(map(kind, cards)) for seat, cards in record["deal"]["hands"].items()}
    for turn in record["turns"]:
        hands[turn["player"]] |= set(map(kind, turn["draws"]))
    assert displayed == hands
    assert not [line for line in lines if line["event"] in {"problem", "question", "undone"}]
