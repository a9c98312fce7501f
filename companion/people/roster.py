"""The players, claims and circles, computed from the events about people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.people.people_events import PeopleEvent

__all__ = ["Circle", "Claim", "Merge", "Player", "Roster"]


@dataclass(frozen=True, slots=True)
class Player:
    """A player; somebody of whom only the name is known has it as id, and no color, emoji or picture."""

    id: str
    name: str
    color: int | None = None
    """From 1; None if none was chosen."""
    emoji: str | None = None
    picture: str | None = None
    """A JPEG in Base64."""
    hidden: str | None = None
    """The id of the event by which the player is no longer offered, for undoing it."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A player who turned out to be another one."""

    event: str
    """The id of the event, for undoing it."""
    player: str
    into: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The rounds of a name in one evening are those of a player."""

    event: str
    actor: str
    night: str
    name: str
    player: str
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Circle:
    """A group of players, such as a family or a club, with the game and rules that it usually plays."""

    id: str
    name: str
    players: tuple[str, ...]
    game: str | None
    rules: str | None


class Roster:
    """What is known of the people of a log. Immutable."""

    def __init__(self, events: Iterable[PeopleEvent] = ()) -> None:
        """The order of ``events`` does not matter; they have their own."""
        self._players: dict[str, Player] = {}
        self._claims: dict[str, Claim] = {}
        self._circles: dict[str, Circle] = {}
        self._merges: list[Merge] = []
        self._names: dict[str, str] = {}
        self._into: dict[str, str] = {}
        hidden: dict[str, str] = {}
        merges: list[Merge] = []
        for event in _effective(events):
            data = event.data
            match event.kind:
                case "player":
                    self._add_player(data)
                case "hidden":
                    hidden[data["player"]] = event.id
                case "merged":
                    merges.append(Merge(event.id, data["player"], data["into"]))
                case "claimed":
                    self._claims[event.id] = Claim(event=event.id, actor=event.actor, **data)
                case "confirmed" if (claim := self._claims.get(data["of"])) is not None:
                    self._claims[claim.event] = replace(claim, confirmed=True)
                case "circle":
                    circle = Circle(
                        data["circle"], data["name"], tuple(data["players"]), data["game"], data["rules"]
                    )
                    self._circles[circle.id] = circle
                case "circle_removed":
                    self._circles.pop(data["circle"], None)
        for merge in merges:
            self._merge(merge)
        self._hidden = {self.resolved(player): event for player, event in hidden.items()}
        self._claimed = {
            (each.night, each.name): each.player for each in self._claims.values() if each.confirmed
        }

    @property
    def players(self) -> tuple[Player, ...]:
        """The players with an entry of their own; everybody else is known by name only."""
        return tuple(self.player(each) for each in self._players if self.resolved(each) == each)

    @property
    def merges(self) -> tuple[Merge, ...]:
        """The merges in effect, in order."""
        return tuple(self._merges)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims in effect, in order."""
        return tuple(self._claims.values())

    @property
    def circles(self) -> tuple[Circle, ...]:
        """The circles by name; their players are those of today."""
        current = (
            replace(each, players=tuple(dict.fromkeys(map(self.resolved, each.players))))
            for each in self._circles.values()
        )
        return tuple(sorted(current, key=lambda each: (each.name.casefold(), each.id)))

    def circle(self, circle_id: str) -> Circle | None:
        """Return a circle by id, or None."""
        return next((each for each in self.circles if each.id == circle_id), None)

    def resolved(self, player: str) -> str:
        """Return the id of the player whom an id or a name without an id stands for, after all merges."""
        if player not in self._players:
            player = self._names.get(player, player)
        while (into := self._into.get(player)) is not None:
            player = into
        return player

    def player(self, player: str) -> Player:
        """Return the player whom an id stands for."""
        found = self.resolved(player)
        return replace(self._players.get(found) or Player(found, found), hidden=self._hidden.get(found))

    def seated(self, night: str, name: str, player: str) -> str:
        """Return the id of the player who played under a name in a night, or "" for a guest or nobody.

        ``player`` is the id in the events, "" for a guest.
        """
        found = self._claimed.get((night, name), player)
        return self.resolved(found) if found else ""

    def _add_player(self, data: Mapping[str, Any]) -> None:
        player = data["player"]
        self._players[player] = Player(**_renamed(data))
        name = data["name"]
        if name != player:
            self._names.setdefault(name, player)  # a name without an id means whoever had it first

    def _merge(self, merge: Merge) -> None:
        one, other = self.resolved(merge.player), self.resolved(merge.into)
        if one != other:
            self._into[one] = other
            self._merges.append(merge)


def _effective(events: Iterable[PeopleEvent]) -> list[PeopleEvent]:
    """Return the events that are not undone, in order; an undo may be undone itself."""
    ordered = sorted(events, key=lambda each: each.order)
    undone: set[str] = set()
    for event in reversed(ordered):
        if event.kind == "undone" and event.id not in undone:
            undone.add(event.data["of"])
    return [event for event in ordered if event.id not in undone]


def _renamed(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"id" if key == "player" else key: value for key, value in data.items()}
