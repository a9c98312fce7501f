"""The table as it was before the last thing that was told, for players who take it back."""

from __future__ import annotations

from dataclasses import dataclass

from companion.fishing import FishingRound
from companion.referee.base import AgreedTable
from companion.referee.position import Position

__all__ = ["Before", "before"]


@dataclass(frozen=True, slots=True)
class Before:
    """A position that was agreed on before."""

    of: int
    """The number of the event to undo."""
    position: Position


def before(table: AgreedTable) -> Before | None:
    """Return the position before the last moves that were told together, None where there were none to take back."""
    target, played = table.undo_target(), table.round
    if target is None or target.kind != "moved" or not isinstance(played, FishingRound):
        return None
    group = [event for event in table.events if event.group == target.group and event.kind == "moved"]
    words = [(event.data["player"], tuple(event.data["words"])) for event in group]
    last = [(move.player, move.words()) for move in played.moves[-len(words) :]]
    if words != last:
        return None  # corrected since: what it was before is not what a pop would bring back
    earlier = played.copy()
    for _ in words:
        earlier.pop()
    return Before(target.seq, Position(earlier))
