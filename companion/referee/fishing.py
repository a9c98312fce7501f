"""The referee of Koi-Koi and Kekoro."""

from __future__ import annotations

from companion.referee.base import AgreedTable
from companion.rules import Rules
from companion.sightings import Look
from companion.table.events import NewEvent

__all__ = ["FishingReferee"]


class FishingReferee:
    """Explains looks at a table of Koi-Koi or Kekoro."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules, self.players = rules, players

    def see(self, look: Look, table: AgreedTable) -> list[NewEvent]:
        """Return what must have happened since the last agreed state."""
        return []

    def close(self, table: AgreedTable) -> list[NewEvent]:
        """Return what the end of the watching tells."""
        return []

    def rescan(self, look: Look, table: AgreedTable) -> list[NewEvent]:
        """Return the event that takes the table as it lies."""
        return []
