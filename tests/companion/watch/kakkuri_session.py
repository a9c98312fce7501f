"""A table of Kakkuri for the tests: a simulated discard pile, the engine that watches it, and the log."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from companion.hanafuda.cards import first_of
from companion.hanafuda.games.kakkuri import Discard, KakkuriRound, OpenBox, Pass, Swap, ThreePairs
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.rules import resolve
from companion.observations import Observation
from companion.table import Table
from companion.table.events import Event, NewEvent
from companion.watch.referee import Referee
from tests.companion.watch.kakkuri_pile import Mess, PileTop

TIME = "2026-01-01T00:00:00Z"
QUIET = Mess(0, 0, 1.0, 0, 0, 0, 0, 0, 0, 1.0)
"""Error-free detections."""
LONG = 10
"""Observations, half a second apart, after which whatever is doubtful has been reported or asked."""


def kakkuri(deck: str = "hanafuda") -> KakkuriRules:
    rules = resolve({"preset": "kakkuri", "deck": deck, "players": "2_to_8"}, "kakkuri")
    assert isinstance(rules, KakkuriRules)
    return rules


class WatchedPile:
    """A table with a discard pile."""

    def __init__(
        self,
        players: int = 4,
        rules: KakkuriRules | None = None,
        *,
        mess: Mess = QUIET,
        dealer: int | None = 1,
        seed: int = 1,
    ) -> None:
        """``dealer``: reported by phone, if anybody is; else no deal is in the log."""
        rules = rules or kakkuri()
        names = [f"P{seat}" for seat in range(1, players + 1)]
        opened = {
            "name": "t",
            "game": "kakkuri",
            "rules": rules.to_dict(),
            "players": names,
            "deck": None,
        }
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.referee = Referee(rules, players)
        self.top = PileTop(Random(seed), mess, players, PACKS[rules.deck].ids)
        self.reported: list[Event] = []
        """What the engine reported."""
        if dealer:
            self.submit(NewEvent("dealt", {"deal": {}, "dealer": dealer}))

    def submit(self, *new: NewEvent) -> None:
        self.table.append(list(new), actor="phone", source="phone", time=TIME)

    def see(self, observation: Observation) -> list[Event]:
        new = self.referee.see(observation, self.table)
        events = self.table.append(new, actor="camera", source="camera", time=TIME) if new else []
        self.reported += events
        return list(events)

    def rest(self, count: int = LONG) -> list[Event]:
        """Observe the pile a number of times while nobody touches it."""
        return [event for _ in range(count) for event in self.see(self.top.observation())]

    def lay(self, seat: int, *cards: str) -> None:
        """Let a player discard cards at once, and observe the pile twice."""
        self.top.lay(seat, cards)
        self.rest(2)

    def open_box(self, seat: int, card: str) -> None:
        self.top.time += 1.0
        self.top.open_box(seat)
        self.lay(seat, card)

    def play(self, truth: KakkuriRound) -> Iterator[int]:
        """Play a round; yield, after each card, the number of moves made."""
        for number, move in enumerate(truth.moves, start=1):
            if isinstance(move, Swap | Pass | ThreePairs):
                self.top.time += 0.3
            elif isinstance(move, OpenBox):
                self.open_box(move.player, move.card)
                yield number
            else:
                assert isinstance(move, Discard)
                self.lay(move.player, *move.cards)
                yield number

    def rescan(self) -> list[Event]:
        """Set the table to what the camera sees, by phone."""
        new = self.referee.rescan(self.top.observation(), self.table)
        return list(self.table.append(new, actor="phone", source="phone", time=TIME)) if new else []

    def answer(self, number: int) -> None:
        """Answer the one open question."""
        (question,) = self.table.open_questions
        self.submit(NewEvent("answered", {"of": question.seq, "choice": number}))

    @property
    def moves(self) -> list[str]:
        """The moves of the log except for hands that were kept."""
        assert self.table.round is not None
        return [str(move) for move in self.table.round.moves if move.words() != ("keep",)]

    @property
    def questions(self) -> list[str]:
        """The codes of the open questions."""
        return [event.data["text"]["code"] for event in self.table.open_questions]

    @property
    def problems(self) -> list[str]:
        """The codes of all reported problems."""
        return [event.data["code"] for event in self.reported if event.kind == "noticed"]


def plain(moves: Any) -> list[tuple[Any, ...]]:
    """Return moves with look-alikes under one name and without what nobody can see, for comparison."""
    return [
        (
            move.player,
            *(first_of(word) if "-" in word and word != "three-pairs" else word for word in move.words()),
        )
        for move in moves
        if not isinstance(move, Swap)
    ]
