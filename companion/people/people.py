"""The people of the house: events about players, the rounds that guests claimed, and circles, and what follows from them.

Who played is in the events of the tables. Events about people are only added to; `Roster` is computed from them:

============== =======================================================================================================
player         a player's entry: ``player`` (id), ``name``, ``color`` (1-8 or null), ``emoji`` (of `EMOJI`, or null),
               ``picture`` (a JPEG in Base64, or null)
hidden         ``player`` is no longer offered
merged         ``player`` is the same person as the player ``into``
claimed        the rounds of the evening ``night`` under ``name`` are those of ``player``; ``confirmed``: by a host
confirmed      ``of``: the id of a claim that a host confirms
circle         a circle's entry: ``circle`` (id), ``name``, ``players`` (ids), ``game`` and ``rules`` (a name or a share code), or null
circle_removed ``circle`` is removed
undone         ``of``: the id of an event that is undone
============== =======================================================================================================
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, get_args

from companion.hanafuda.errors import BadRequestError, UnknownGameError, quote
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES
from companion.names import tidy_name

PeopleKind = Literal[
    "player", "hidden", "merged", "claimed", "confirmed", "circle", "circle_removed", "undone"
]
PEOPLE_KINDS: Final[tuple[PeopleKind, ...]] = get_args(PeopleKind)

COLORS: Final = 8
"""Colors of players, numbered from 1; the style sheets define them."""
EMOJI: Final = (
    *("🐸", "🐻", "🐼", "🦊", "🐱", "🐶", "🐰", "🐯"),
    *("🦁", "🐵", "🐧", "🦉", "🐢", "🐙", "🦋", "🐝"),
    *("🌸", "🍁", "🌙", "🌊", "⭐", "🔥", "🍵", "🎲"),
)
"""The emoji to choose from; later versions may add to them."""
MAX_PICTURE_BYTES: Final = 24 * 2**10
"""Size of a player's picture; 192 px square as JPEG take about 10 kB."""
_MAX_TEXT: Final = 40
"""Characters of a name or id."""
_MAX_PLAYERS: Final = 200
"""Players of a circle."""
_MAX_RULES: Final = 200
"""Characters of the name of rules or of a share code."""
_EVENT_ID: Final = re.compile(r"[0-9a-z]{1,20}")
_JPEG: Final = b"\xff\xd8\xff"


@dataclass(frozen=True, slots=True)
class PeopleEvent:
    """A stored event about people."""

    id: str
    """Unique, also among several logs."""
    time: str
    """When it was stored, ISO 8601 in UTC. Events are in the order of time and id."""
    actor: str
    kind: PeopleKind
    data: Mapping[str, Any]

    @property
    def order(self) -> tuple[str, str]:
        """The position among the events of merged logs."""
        return self.time, self.id


_Check: TypeAlias = Callable[[Any, str], Any]


def _id(value: Any, key: str) -> str:
    """Return the id of a player, night or circle; players have the name under which they first appeared as id."""
    found = tidy_name(value) if isinstance(value, str) else ""
    if not 0 < len(found) <= _MAX_TEXT:
        raise BadRequestError(f"{key} must be an id, not {quote(value)}")
    return found


def _event_id(value: Any, key: str) -> str:
    if not isinstance(value, str) or not _EVENT_ID.fullmatch(value):
        raise BadRequestError(f"{key} must be the id of an event, not {quote(value)}")
    return value


def _name(value: Any, key: str) -> str:
    name = tidy_name(value) if isinstance(value, str) else ""
    if not 0 < len(name) <= _MAX_TEXT:
        raise BadRequestError(Message("table-bad-name", {"name": quote(value), "max": _MAX_TEXT}))
    return name


def _color(value: Any, key: str) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= COLORS):
        return value
    raise BadRequestError(f"color must be 1 to {COLORS} or null, not {quote(value)}")


def _emoji(value: Any, key: str) -> str | None:
    if value is None or value in EMOJI:
        return value  # type: ignore[no-any-return]
    raise BadRequestError(f"emoji must be one of {' '.join(EMOJI)} or null, not {quote(value)}")


def _picture(value: Any, key: str) -> str | None:
    if value is None:
        return None
    try:
        data = base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except (binascii.Error, ValueError):
        data = b""
    if not data.startswith(_JPEG) or len(data) > MAX_PICTURE_BYTES:
        raise BadRequestError(f"picture must be a JPEG of at most {MAX_PICTURE_BYTES} bytes in Base64")
    return str(value)


def _flag(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        raise BadRequestError(f"{key} must be true or false, not {quote(value)}")
    return value


def _players(value: Any, key: str) -> list[str]:
    if not isinstance(value, list | tuple) or len(value) > _MAX_PLAYERS:
        raise BadRequestError(f"{key} must be a list of at most {_MAX_PLAYERS} ids")
    return list(dict.fromkeys(_id(each, key) for each in value))


def _game(value: Any, key: str) -> str | None:
    if value is None or (isinstance(value, str) and value in GAMES):
        return value
    raise UnknownGameError(value, GAMES)


def _rules(value: Any, key: str) -> str | None:
    if value is None or (isinstance(value, str) and 0 < len(value) <= _MAX_RULES):
        return value
    raise BadRequestError(f"rules must be a name or a share code, not {quote(value)}")


_SCHEMA: Final[Mapping[str, Mapping[str, _Check]]] = {
    "player": {"player": _id, "name": _name, "color": _color, "emoji": _emoji, "picture": _picture},
    "hidden": {"player": _id},
    "merged": {"player": _id, "into": _id},
    "claimed": {"night": _id, "name": _name, "player": _id, "confirmed": _flag},
    "confirmed": {"of": _event_id},
    "circle": {"circle": _id, "name": _name, "players": _players, "game": _game, "rules": _rules},
    "circle_removed": {"circle": _id},
    "undone": {"of": _event_id},
}


def checked(kind: object, data: object) -> dict[str, Any]:
    """Return the data of a new event with normalized names; raises `BadRequestError` if it violates the schema."""
    if kind not in PEOPLE_KINDS:
        raise BadRequestError(f"there is no event {quote(kind)} about people")
    keys = _SCHEMA[kind]
    if not isinstance(data, Mapping) or data.keys() != keys.keys():
        raise BadRequestError(f"the data of {kind} has exactly {', '.join(keys)}")
    return {key: check(data[key], key) for key, check in keys.items()}


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
