"""Small records that a store returns: saved rules, summaries of tables, and the visitors who own drafts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from companion.hanafuda.rules import Rules
from companion.hanafuda.rules.share import decode
from companion.table.events import Event

__all__ = ["DRAFT_DAYS", "VISITOR_DRAFT_DAYS", "SavedRules", "TableSummary", "Visitor"]

DRAFT_DAYS: Final = 7
"""Days after which a scan that nobody kept is removed."""
VISITOR_DRAFT_DAYS: Final = 1
"""The same for a visitor's: an evening, and the morning after to look at it again."""


@dataclass(frozen=True, slots=True)
class SavedRules:
    """Rules under the name that a person gave them; `code` is their share code, which later versions still read."""

    name: str
    code: str
    time: str
    actor: str

    def rules(self) -> Rules:
        """Return the record, called by this name; `NewerShareCodeError` where a newer version saved it."""
        return replace(decode(self.code), name=self.name)


@dataclass(frozen=True, slots=True)
class TableSummary:
    """What a list of tables tells of one."""

    id: str
    opened: Event
    seq: int
    """The number of its last event."""
    time: str
    """When that was told."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser that is not paired."""

    id: str
    """What its drafts are known by; never the secret itself that the browser shows."""
    address: str
    """Its network address."""
