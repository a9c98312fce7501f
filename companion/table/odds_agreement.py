"""Whether the players agree that the wall display has the probabilities of winning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.table.events import Event

__all__ = ["odds_agreement"]


def odds_agreement(events: Iterable[Event], players: int) -> dict[str, Any]:
    """Return as JSON the ``seats`` whose players agree, and whether the odds are ``shown``: only if all do.

    One refusal ends the agreement of all, and a new player has not agreed. Undoing an event changes nothing here, so nobody
    can be made to agree by it.
    """
    agreed: set[int] = set()
    for event in events:
        if event.kind == "seated":
            agreed.discard(event.data["seat"])
        elif event.kind == "odds":
            agreed = agreed | set(event.data["seats"]) if event.data["agrees"] else set()
    return {"seats": sorted(agreed), "shown": len(agreed) == players}
