"""A watched table of Kakkuri with a simulated discard pile."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from companion.hanafuda.cards import first_of
from companion.hanafuda.games.kakkuri import Discard, KakkuriRound, OpenBox, Pass, Swap, ThreePairs
from companion.hanafuda.games.kakkuri.cards import PACKS
from companion.table import Table
from companion.table.events import Event, NewEvent
from companion.watch.interface import referee_for
from tests.companion.watch.kakkuri_pile import Mess, PileTop

__all__ = ["Mess", "PileTop", "Session", "plain"]

TIME = "2026-01-01T00:00:00Z"


class Session:
    """A watched table of Kakkuri."""

    def __init__(self, played: KakkuriRound, mess: Mess, seed: int = 1, *, dealer_known: bool = True) -> None:
        self.truth = played
        names = [f"P{seat}" for seat in range(1, played.players + 1)]
        opened = {
            "name": "t",
            "game": "kakkuri",
            "rules": played.rules.to_dict(),
            "players": names,
            "deck": None,
        }
        self.table = Table.open(NewEvent("opened", opened), actor="t", source="program", time=TIME)
        self.referee = referee_for(played.rules, played.players)
        pack = PACKS[played.rules.deck]
        self.top = PileTop(Random(seed), mess, played.players, pack.ids)
        self.reported: list[Event] = []
        if dealer_known:
            deal = {"dropped": played.dropped} if played.dropped else {}
            self.submit(NewEvent("dealt", {"deal": deal, "dealer": played.dealer}))

    def submit(self, *new: NewEvent) -> None:
        self.table.append(list(new), actor="phone", source="phone", time=TIME)

    def observation(self) -> list[Event]:
        new = self.referee.see(self.top.observation(), self.table)
        applied = self.table.append(new, actor="camera", source="camera", time=TIME) if new else []
        self.reported += applied
        return list(applied)

    def observations(self, count: int = 3) -> list[Event]:
        return [event for _ in range(count) for event in self.observation()]

    def play(self) -> Iterator[int]:
        """Play the true round; yield, after each card, the number of moves made."""
        for number, move in enumerate(self.truth.moves, start=1):
            if isinstance(move, Swap | Pass | ThreePairs):
                self.top.time += 0.3
                continue
            assert isinstance(move, OpenBox | Discard)
            cards = (move.card,) if isinstance(move, OpenBox) else move.cards
            if isinstance(move, OpenBox):
                self.top.time += 1.0
                self.top.open_box(move.player)
            self.top.lay(move.player, cards)
            if self.top.rng.random() >= self.top.mess.at_once:
                self.observations(self.top.rng.randint(2, 3))
            yield number
        self.observations(3)

    @property
    def codes(self) -> list[str]:
        return [event.data["code"] for event in self.reported if event.kind == "noticed"]


def plain(moves: Any) -> list[tuple[Any, ...]]:
    """Return moves with look-alikes under one name and without what nobody can see, for comparison."""
    found: list[tuple[Any, ...]] = []
    for move in moves:
        if not isinstance(move, Swap):
            words = tuple(
                first_of(word) if "-" in word and word != "three-pairs" else word for word in move.words()
            )
            found.append((move.player, *words))
    return found
