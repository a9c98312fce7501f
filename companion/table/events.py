"""The events of a table: what happened, in order, with the reporter and the evidence. Everything else is computed from them.

Event types (``kind``) and the keys of their ``data``. Cards are given by id, players and seats are numbered from 1, and
sentences are messages: ``{"code": …, "params": …}``, or texts by language, ``{"en": …, "ja": …}``, in events of earlier
versions and of clients without the catalogs.

============= ==========================================================================================================
opened        always the first event: ``name``, ``game``, ``rules`` (the whole record), ``players`` (names, in order),
              ``deck`` (or null); ``player_ids``: for each player the id in the list of players, "" for a guest, or null
              if the name is the id
seated        another player, or another name, at a seat: ``seat``, ``name``, ``player_id`` (as in ``player_ids``)
rules_changed other rules of the same game from the next round on: ``rules`` (the whole record), ``rules_name``
dealt         a round begins: ``deal`` (as in a round record; hidden cards null or absent), ``dealer`` (null if not known
              yet), ``month`` (or null), and further keys of the game's record (``pot``, ``wager``, ``stones``)
began         ``dealer``, reported after the deal
moved         ``player``, ``words``: one move as `companion.hanafuda.round.Move.words` writes it; ``others``, if the
              reporter was uncertain: a list of alternatives with ``words`` and ``p`` (0-1)
set           ``field``, ``captured`` (one list per player), ``to_move``: the table is reset to what was scanned
scored        the result of a round whose moves, or further moves, are not recorded: ``how``, ``winners`` (seats), ``seats``:
              for each player an object with ``yaku`` (further cards by slug), ``points``, ``calls``, ``captured``,
              ``paid``, ``out``; with ``new_round`` true it is a round of its own and may have ``dealer``, ``month`` and
              the further keys of a deal; otherwise it ends the current round
abandoned     the current round does not count
undone        ``of``: the number of an event that is undone, with all events of its group
corrected     ``of``: the number of an event; ``kind`` and ``data`` replace it, or ``kind`` is null to delete it
inserted      ``before``: the number of an event; ``kind`` and ``data``: an event before it that was missed
noticed       a problem: ``code``, ``message``, ``pictures`` (``before``, ``after``: names of pictures, or null), ``cards``
settled       ``of``: the number of a problem or question that is resolved
asked         a question: ``text``, ``choices``: a list of ``says`` (sentence), ``p`` (0-1), ``events`` (a list of ``kind``
              and ``data``); ``picture``
answered      ``of``: the number of the question; ``choice``: from 0, null for none of them. The events of the choice
              follow, in the same group
disputed      a player doubts an event: ``of``, its number; ``seat`` of the player (or null), ``text`` (or null)
agreed        players agree about a dispute: ``of``, its number; ``seats``; ``verdict``: ``stands``, or ``changed`` if the
              event was wrong (its correction is an event of its own). It is resolved when all seats agree
ruled         the host decides a dispute: ``of``, ``verdict``, ``text`` (or null)
odds          players agree that the wall display has the probabilities of winning: ``seats``; ``agrees``: with false it has
              not, and all players have to agree again
closed        the evening at this table is over; a later deal, move or change of the rules opens it again
removed       the table is hidden from all lists; its events stay
============= ==========================================================================================================

Undoing an ``undone`` or ``corrected`` event reverts its effect. A deal or move that the rules forbid is refused unless
its data has ``unchecked`` true. ``opened`` may have ``rules_name``, the name that the table uses for its rules, and
``night``, the id of the first table of the same evening.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

__all__ = ["KINDS", "VERDICTS", "Event", "Kind", "NewEvent", "Source", "Verdict"]

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


@dataclass(frozen=True, slots=True)
class NewEvent:
    """Something that happened, before the log has numbered it."""

    kind: Kind
    data: Mapping[str, Any]
    confidence: float = 1.0
    """The reporter's confidence, 0-1."""
    evidence: str | None = None
    """The picture that shows it: a frame's name or hash."""


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
