"""A table of a fishing game for the tests: a simulated table top, the engine that watches it, and the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Any

from companion.hanafuda.fishing import Call, Draw, FishingMove, Play
from companion.hanafuda.rules import Rules, resolve
from companion.observations import STOCK, Observation, TrackedCard
from companion.table import Table
from companion.table.events import Event, NewEvent, Source
from companion.watch.referee import Referee
from tests.companion.watch.fishing_sim import QUIET, Mess, TableTop, play_turn

FIELD = (
    "pine-chaff-1", "plum-ribbon", "cherry-ribbon", "wisteria-chaff-1",
    "iris-ribbon", "peony-ribbon", "clover-boar", "susuki-geese",
)  # fmt: skip
"""A deal on which no two cards match."""
LONG = 12
"""Observations, half a second apart, after which whatever is doubtful has been reported or asked."""


class WatchedTable:
    """A table with two players."""

    def __init__(
        self,
        rules: str | Rules = "koikoi-standard",
        *,
        mess: Mess = QUIET,
        dealer: int | None = 1,
        seed: int = 1,
    ) -> None:
        """``dealer``: reported by phone after the deal, if anybody is."""
        found = resolve(rules)
        opened = {
            "name": "t",
            "game": found.game,
            "rules": found.to_dict(),
            "players": ["A", "B"],
            "deck": None,
        }
        self.table = Table.open(
            NewEvent("opened", opened), actor="test", source="program", time="2026-01-01T00:00:00Z"
        )
        self.referee = Referee(found, 2)
        self.top = TableTop(Random(seed), mess)
        self.dealer = dealer
        self.reported: list[Event] = []
        """What the engine reported."""

    def deal(self, field: Iterable[str] = FIELD) -> WatchedTable:
        self.top.deal(list(field))
        self.rest(1)
        if self.dealer:
            self.submit(NewEvent("began", {"dealer": self.dealer}))
        return self

    def submit(self, *events: NewEvent, source: Source = "phone") -> list[Event]:
        return self.table.append(events, actor="test", source=source, time="2026-01-01T00:00:00Z")

    def answer(self, number: int, source: Source = "phone") -> None:
        """Answer the one open question."""
        (question,) = self.table.open_questions
        self.submit(NewEvent("answered", {"of": question.seq, "choice": number}), source=source)

    def see(self, observation: Observation) -> list[Event]:
        new = self.referee.see(observation, self.table)
        events = self.submit(*new, source="camera") if new else []
        self.reported += events
        return events

    def rest(self, count: int = LONG) -> list[Event]:
        """Observe the table a number of times while nobody touches it."""
        return [event for _ in range(count) for event in self.see(self.top.observation())]

    def turn(self, *moves: FishingMove) -> list[Event]:
        """Play a turn, with the observations that the table top's mess requires."""
        return [event for observation in play_turn(self.top, list(moves)) for event in self.see(observation)]

    def play(self, player: int, card: str, *takes: str) -> None:
        """Put a card down and take the cards that it captures."""
        self.top.lay(player, card, takes)
        if takes:
            self.top.take(player, (card, *takes))

    def clear(self) -> None:
        """Take all cards from the table."""
        self.top.cards.clear()

    def cover(self, *cards: str) -> None:
        """Cover cards with others, so that no observation shows them."""
        for card in cards:
            self.top.cards[card].covered = 1.0

    def uncover(self, *cards: str) -> None:
        for card in cards:
            self.top.cards[card].covered = 0.0

    def close(self) -> list[Event]:
        new = self.referee.close(self.table)
        return self.submit(*new, source="camera") if new else []

    @property
    def moves(self) -> list[str]:
        """The moves of the table in notation."""
        assert self.table.round is not None
        return [str(move) for move in self.table.round.moves]

    @property
    def field(self) -> set[str]:
        """The cards that were dealt to the field."""
        assert self.table.round is not None
        return set(self.table.round.deal.field)

    @property
    def kinds(self) -> list[str]:
        """The kinds of the reported events."""
        return [event.kind for event in self.reported]

    @property
    def problems(self) -> list[str]:
        """The codes of all reported problems."""
        return [event.data["code"] for event in self.reported if event.kind == "noticed"]

    @property
    def open_problems(self) -> list[str]:
        return [event.data["code"] for event in self.table.open_problems]


def turn(
    player: int, play: tuple[str, ...], draw: tuple[str, ...], call: str | None = None
) -> list[FishingMove]:
    """Return a turn's moves: a card and its captures, twice, and a call."""
    moves: list[FishingMove] = [Play(player, play[0], play[1:]), Draw(player, draw[0], draw[1:])]
    return [*moves, Call(player, call)] if call else moves  # type: ignore[arg-type]  # the tests know the words


FIRST = turn(1, ("pine-crane", "pine-chaff-1"), ("plum-warbler", "plum-ribbon"))
SECOND = turn(2, ("cherry-curtain", "cherry-ribbon"), ("maple-deer",))


def cards(*turns: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return what does not depend on the order of play and draw: players, cards and captures."""
    return sorted((move.player, move.card, move.takes) for moves in turns for move in moves)


def played(session: WatchedTable) -> list[tuple[Any, ...]]:
    """Return the moves of a table without calls, as `cards` does."""
    assert session.table.round is not None
    return cards([move for move in session.table.round.moves if not isinstance(move, Call)])


def read_as(observation: Observation, name: str, *likely: tuple[str, float]) -> Observation:
    """Return an observation in which one card is read otherwise."""
    return replace(
        observation,
        cards=tuple(
            replace(card, likely=likely, card=None) if card.likely[0][0] == name else card
            for card in observation.cards
        ),
    )


def face_down(observation: Observation, name: str) -> Observation:
    """Return an observation in which one card lies face down."""
    back = "back", 0.99
    seen = read_as(observation, name, back)
    turned = (replace(card, zone=STOCK) if card.likely[:1] == (back,) else card for card in seen.cards)
    return replace(seen, cards=tuple(turned))


def with_more(observation: Observation, *more: TrackedCard) -> Observation:
    """Return an observation with further cards."""
    return replace(observation, cards=(*observation.cards, *more))


def play_all(*cards: tuple[Any, ...]) -> Callable[[WatchedTable], None]:
    """Return a function that puts down cards: player, card, and what it captures."""

    def act(session: WatchedTable) -> None:
        for each in cards:
            session.play(*each)

    return act
