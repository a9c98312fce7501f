"""The events of a table: what happened, in order, with the reporter and the evidence. Everything else is computed from them.

`docs/tables.md` says what each event type (``kind``) means, `companion.table.schema` which keys its data has. Cards are given
by id, players and seats are numbered from 1, and sentences are messages: ``{"code": …, "params": …}``, or texts by
language, ``{"en": …, "ja": …}``, of clients without the catalogs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from companion.names import tidy_name

Kind = Literal[
    "opened",
    "seated",
    "rules_changed",
    "dealt",
    "began",
    "moved",
    "set",
    "scored",
    "abandoned",
    "undone",
    "corrected",
    "inserted",
    "noticed",
    "settled",
    "asked",
    "answered",
    "disputed",
    "agreed",
    "ruled",
    "odds",
    "closed",
    "removed",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

Verdict = Literal["stands", "changed"]
"""What was decided about a disputed event."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

Source = Literal["camera", "scanner", "phone", "button", "keyboard", "program"]
PEOPLE: frozenset[Source] = frozenset({"phone", "button", "keyboard"})
"""The sources by which people report; what they report counts more than what a camera or a program concludes."""

_NAMING = ("opened", "seated", "corrected", "inserted")
"""Event types whose data has names of people and tables, or another event that may have them."""
_NAMES = ("name", "players", "player_id", "player_ids")


def with_tidy_names(kind: object, data: Any) -> Any:
    """Return the data of an event with the names of players and tables as `companion.names` writes them.

    The id of a player is the name under which the player first appeared.
    """
    if not isinstance(data, Mapping):
        return data  # the schema refuses it
    if kind in ("corrected", "inserted"):
        return {**data, "data": with_tidy_names(data.get("kind"), data["data"])} if "data" in data else data
    names = {key: data[key] for key in _NAMES if key in data and kind in _NAMING}
    return {**data, **{key: _tidied(value) for key, value in names.items()}}


def _tidied(value: Any) -> Any:
    if isinstance(value, str):
        return tidy_name(value)
    return [_tidied(each) for each in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class NewEvent:
    """Something that happened, before the log has numbered it."""

    kind: Kind
    data: Mapping[str, Any]
    confidence: float = 1.0
    """The reporter's confidence, 0-1."""
    evidence: str | None = None
    """The picture that shows it: a frame's name or hash."""

    def __post_init__(self) -> None:
        if self.kind in _NAMING:
            object.__setattr__(self, "data", with_tidy_names(self.kind, self.data))


@dataclass(frozen=True, slots=True)
class Event:
    """An event as stored in the log of a table."""

    seq: int
    """Its number at its table: 1, 2, 3 … without gaps."""
    group: int
    """Number of the first event appended together with it; the events of a group are undone together."""
    time: str
    """When the log stored it, ISO 8601 in UTC."""
    actor: str
    """Name of the person or device that reported it."""
    source: Source
    kind: Kind
    data: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0
    evidence: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the event as JSON for the API."""
        return {
            "seq": self.seq,
            "group": self.group,
            "time": self.time,
            "actor": self.actor,
            "source": self.source,
            "kind": self.kind,
            "data": dict(self.data),
            "confidence": self.confidence,
            "evidence": self.evidence,
        }
