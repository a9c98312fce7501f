"""The names of the zones of a table."""

from __future__ import annotations

__all__ = ["DISCARD", "ELSEWHERE", "FIELD", "STOCK", "captured_zone", "hand_zone"]

FIELD = "field"
STOCK = "stock"
DISCARD = "discard"
ELSEWHERE = "elsewhere"
"""Outside all other zones."""


def captured_zone(seat: int) -> str:
    """Return the zone of the cards that the player at a seat (from 1) has captured."""
    return f"captured-{seat}"


def hand_zone(seat: int) -> str:
    """Return the zone in which the player at a seat (from 1) lays the hand face up at a showdown."""
    return f"hand-{seat}"
