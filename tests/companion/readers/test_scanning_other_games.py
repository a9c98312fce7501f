"""Kakkuri's discard pile on a reader, and Kingo's hands laid on readers at the showdown."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from scanners_sim import TIME, first_of

from companion.hanafuda.games.kakkuri import Discard, KakkuriRound, OpenBox, Swap
from companion.hanafuda.games.kingo.moves import Bareta
from companion.hanafuda.rules import resolve
from companion.hanafuda.simulation import random_round
from companion.observations import DISCARD, hand_zone
from companion.readers import ANY, ReaderReport, ScannedTable
from companion.table import Table
from companion.table.events import Event, NewEvent
from companion.watch.referee import Referee

RULES = resolve({"preset": "kakkuri", "deck": "hanafuda", "players": "2_to_8"}, "kakkuri")


class Read:
    """A table with readers only."""

    def __init__(self, truth: Any, seed: int = 1) -> None:
        self.truth, rules = truth, truth.rules
        names = [f"P{seat}" for seat in range(1, truth.players + 1)]
        opened = {"name": "t", "game": rules.game, "rules": rules.to_dict(), "players": names, "deck": None}
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.scanned_table, self.referee = ScannedTable(), Referee(rules, truth.players)
        self.rng, self.now = Random(seed), 0.0
        self.reported: list[Event] = []
        if isinstance(truth, KakkuriRound):
            self.submit(
                NewEvent(
                    "dealt",
                    {"deal": {"dropped": truth.dropped} if truth.dropped else {}, "dealer": truth.dealer},
                )
            )

    def submit(self, *new: NewEvent) -> None:
        self.table.append(list(new), actor="phone", source="phone", time=TIME)

    def scan(self, card: str, place: str, seat: int | None = None, *, present: bool = True) -> None:
        device = f"of-{seat}" if seat else f"at-{place}"
        self.scanned_table.process(
            [ReaderReport(card, device, place, self.now, present, keeps=place != ANY, seat=seat)], self.table
        )
        self.wait(self.rng.uniform(0.05, 0.2))

    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while (due := self.scanned_table.due) is not None and due <= until:
            self.now = max(self.now, due)
            if new := self.scanned_table.tick(self.now, self.table, self.referee, watching=False):
                self.reported += self.table.append(new, actor="readers", source="scanner", time=TIME)
        self.now = until


def plain(moves: Any) -> list[tuple[Any, ...]]:
    """Return moves with look-alikes under one name and without what nobody can see."""
    return [
        (move.player, *(first_of(word) if "-" in word else word for word in move.words()))
        for move in moves
        if not isinstance(move, Swap)
    ]


def answer(read: Read) -> int:
    """Answer the open questions truthfully; return their number."""
    truth, asked = plain(read.truth.moves), list(read.table.open_questions)
    for question in asked:
        done = plain(read.table.round.moves) if read.table.round else []
        for number, choice in enumerate(question.data["choices"]):
            reported = [
                read.truth.read_move(event["data"]["player"], event["data"]["words"])
                for event in choice["events"]
                if event["kind"] == "moved"
            ]
            if truth[: len(done) + len(reported)] == done + plain(reported):
                read.submit(NewEvent("answered", {"of": question.seq, "choice": number}))
                break
    return len(asked)


def discards(read: Read, *, seats: bool) -> int:
    """Play a round of Kakkuri onto its pile; return the number of questions."""
    asked = 0
    for move in read.truth.moves:
        if isinstance(move, OpenBox | Discard):
            for card in (move.card,) if isinstance(move, OpenBox) else move.cards:
                read.scan(card, ANY if seats else DISCARD, move.player if seats else None)
            read.wait(6.5)
            asked += answer(read)
            read.wait(1.0)
    return asked


@pytest.mark.parametrize(("seed", "players"), [(1, 3), (2, 4), (5, 7)])
def test_a_round_of_kakkuri_with_a_scanner_per_player(seed: int, players: int) -> None:
    read = Read(kakkuri(seed, players), seed)
    asked = discards(read, seats=True)
    assert read.table.round is not None
    assert plain(read.table.round.moves) == plain(read.truth.moves)
    assert asked <= len(read.truth.moves) // 10


def test_a_reader_under_the_pile_identifies_cards_and_asks_for_the_player() -> None:
    read = Read(kakkuri(2, 4))
    asked = discards(read, seats=False)
    assert asked
    assert read.table.round is not None
    reported = plain(read.table.round.moves)
    assert reported == plain(read.truth.moves)[: len(reported)]


def kakkuri(seed: int, players: int) -> KakkuriRound:
    """Return a random round that has been played."""
    while (played := random_round("kakkuri", seed, RULES, players)).moves[-1:] == () or not any(
        isinstance(move, Discard) for move in played.moves
    ):
        seed += 1000
    assert isinstance(played, KakkuriRound)
    return played


@pytest.mark.parametrize(("seed", "players"), [(3, 4), (5, 2), (8, 3)])
def test_hands_laid_on_readers_are_a_showdown_of_kingo(seed: int, players: int) -> None:
    truth = random_round("kingo", seed, players=players)
    read = Read(truth)
    read.submit(NewEvent("dealt", {"deal": {}, "dealer": truth.dealer}))
    hands = {seat: list(truth.captured(seat)) for seat in range(1, players + 1)}
    bareta = [move.player for move in truth.moves if isinstance(move, Bareta)]
    for seat in [*bareta, *(seat for seat in hands if seat not in bareta)]:
        for card in hands[seat]:
            read.scan(card, hand_zone(seat))
        read.wait(3.0)
    read.wait(8.0)
    assert read.table.round is not None
    want, got = truth.outcome(), read.table.round.outcome()
    assert want is not None
    assert got is not None, [event.data for event in read.reported]
    assert (got.winners, got.points) == (want.winners, want.points)
