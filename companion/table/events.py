"""The events of a table: what happened, in order, who told it and from what. Everything else is worked out from them.

Kinds and what their ``data`` holds (cards by id, players and seats from 1; sentences are ``{"en": …, "ja": …}``):

========== ==========================================================================================================
opened      ``name``, ``game``, ``rules`` (the whole record), ``players`` (names, in order), ``deck`` (or null): always first
seated      ``seat``, ``name``: somebody else sits there, or is called so
dealt       a round begins: ``deal`` (as a round record's; hidden cards null or absent), ``dealer`` (or null while nobody
            knows), ``month`` (or null), and what else the game's record has (``pot``, ``wager``, ``stones``)
began       ``dealer``: who dealt, told after the deal
moved       ``player``, ``words``: one move as `companion.hanafuda.round.Move.words` writes it; ``others``, where whoever told
            it was not sure: a list of ``words``, ``p`` (0-1)
set         ``field``, ``captured`` (a list a player), ``to_move``: the table is as it was scanned again (back in step)
abandoned   the round at hand does not count
undone      ``of``: the number of the event that no longer holds, with all events of its group
corrected   ``of``: the number of an event; ``kind`` and ``data``: what holds in its place, or ``kind`` null: nothing
inserted    ``before``: the number of an event; ``kind`` and ``data``: what happened before it and was missed
noticed     a problem: ``code``, ``message``, ``pictures`` (``before``, ``after``: names of pictures, or null), ``cards``
settled     ``of``: the number of a problem or question that is done with
asked       ``text``, ``choices``: a list of ``says`` (sentence), ``p`` (0-1), ``events`` (a list of ``kind`` and ``data``);
            ``picture``
answered    ``of``: the number of the question; ``choice``: from 0, null for none of them. The choice's events follow, in the
            same group
========== ==========================================================================================================

Undoing an ``undone`` or ``corrected`` event brings back what it took away. A deal or move that the rules forbid is
refused; with ``as_told`` true in its data it happened all the same. ``opened`` may tell ``rules_name``, what the table
calls its rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

__all__ = ["KINDS", "Event", "Kind", "NewEvent", "Source"]

Kind = Literal[
    "opened",
    "seated",
    "dealt",
    "began",
    "moved",
    "set",
    "abandoned",
    "undone",
    "corrected",
    "inserted",
    "noticed",
    "settled",
    "asked",
    "answered",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

Source = Literal["camera", "scanner", "phone", "button", "keyboard", "program"]


@dataclass(frozen=True, slots=True)
class NewEvent:
    """Something that happened, before the log has given it a number."""

    kind: Kind
    data: Mapping[str, Any]
    confidence: float = 1.0
    """How sure whoever tells it is, 0-1."""
    evidence: str | None = None
    """The picture that shows it: a frame's name or hash."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at a table, as the log holds it."""

    seq: int
    """Its number at its table, from 1, without gaps."""
    group: int
    """The number of the first event that was told together with it: they are undone together."""
    time: str
    """When the log took it, ISO 8601 in UTC."""
    actor: str
    """Who told it: a person's or a machine's name."""
    source: Source
    kind: Kind
    data: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0
    evidence: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the event as the API tells it."""
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
