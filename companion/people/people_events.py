"""The events about people: their types, the keys of their data, and the limits.

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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from companion.hanafuda.errors import BadRequestError, UnknownGameError, quote
from companion.hanafuda.messages import Message
from companion.hanafuda.registry import GAMES

__all__ = ["COLORS", "EMOJI", "MAX_PICTURE_BYTES", "PEOPLE_KINDS", "PeopleEvent", "PeopleKind", "checked"]

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


def checked(kind: object, data: object) -> dict[str, Any]:
    """Return the data of a new event with normalized names; raises `BadRequestError` if it violates the schema."""
    if kind not in PEOPLE_KINDS:
        raise BadRequestError(f"there is no event {quote(kind)} about people")
    keys = _SCHEMA[kind]
    if not isinstance(data, Mapping) or data.keys() != keys.keys():
        raise BadRequestError(f"the data of {kind} has exactly {', '.join(keys)}")
    return {key: check(data[key], key) for key, check in keys.items()}


_Check: TypeAlias = Callable[[Any, str], Any]


def _id(value: Any, key: str) -> str:
    """Return the id of a player, night or circle; players have the name under which they first appeared as id."""
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_TEXT:
        raise BadRequestError(f"{key} must be an id, not {quote(value)}")
    return value


def _event_id(value: Any, key: str) -> str:
    if not isinstance(value, str) or not _EVENT_ID.fullmatch(value):
        raise BadRequestError(f"{key} must be the id of an event, not {quote(value)}")
    return value


def _name(value: Any, key: str) -> str:
    name = " ".join(value.split()) if isinstance(value, str) else ""
    if not 0 < len(name) <= _MAX_TEXT or not name.isprintable():
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
