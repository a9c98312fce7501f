"""Small records that a store returns: saved rules, summaries of tables, and the visitors who own drafts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from companion.hanafuda.rules import Rules
from companion.hanafuda.rules.share import decode
from companion.table.events import Event

__all__ = ["DRAFT_DAYS", "VISITOR_DRAFT_DAYS", "Merged", "SavedRules", "TableSummary", "Visitor"]

DRAFT_DAYS: Final = 7
"""Days after which a scan that nobody kept is removed."""
VISITOR_DRAFT_DAYS: Final = 1
"""The same for a visitor's scan: the evening and the morning after."""

Merged: TypeAlias = Literal["new", "extended", "same", "conflict"]
"""What a merge did with a table: all its events were added, only its last ones, none because all are stored, or none because
other events are stored under their numbers."""


@dataclass(frozen=True, slots=True)
class SavedRules:
    """Rules under the name that a person gave them; `code` is their share code, which later versions still read."""

    name: str
    code: str
    time: str
    actor: str

    def rules(self) -> Rules:
        """Return the rules under this name; raises `NewerShareCodeError` if a newer version saved them."""
        return replace(decode(self.code), name=self.name)


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A table's entry in a list of tables."""

    id: str
    opened: Event
    seq: int
    """The number of its last event."""
    time: str
    """Time of its last event."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser that is not paired."""

    id: str
    """The id under which its drafts are stored; never the browser's secret itself."""
    address: str
    """Its network address."""
