"""Validate values of requests and round records: numbers, keys, cards, the hands of a deal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .cards import to_bits
from .errors import BadRequestError, did_you_mean, nearest, quote

__all__ = ["card_set", "deal_hands", "only_keys", "whole_number"]


def whole_number(value: Any, key: str, low: int | None, high: int | None = None) -> int:
    """Return a whole number given under `key`; raise `BadRequestError` for anything else or out of range."""
    fits = isinstance(value, int) and not isinstance(value, bool)
    if not fits or (low is not None and value < low) or (high is not None and value > high):
        bounds = "" if low is None else f", {low} or more" if high is None else f" from {low} to {high}"
        raise BadRequestError(f"{key} must be a whole number{bounds}, not {quote(value)}")
    return int(value)


def deal_hands(deal: Mapping[str, Any], players: int) -> dict[str, Any]:
    """Return the hands of a record's deal by player, in order; None for a hand that is not recorded."""
    hands = deal.get("hands")
    hands = {} if hands is None else hands
    seats = [str(player) for player in range(1, players + 1)]
    if not isinstance(hands, Mapping) or not set(hands) <= set(seats):
        raise BadRequestError(
            f"deal.hands must be an object of hands by player ({', '.join(seats)}), not {quote(hands)}"
        )
    return {seat: hands.get(seat) for seat in seats}


def only_keys(record: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise `BadRequestError` for the first key of an object that is not in `known`."""
    for key in record:
        if key not in known:
            hint = did_you_mean(nearest(key, known)[:1]) or f"; it takes {', '.join(known)}"
            raise BadRequestError(f"{where} has an unknown key {quote(key)}{hint}")


def card_set(value: Any, key: str) -> int:
    """Return a list of hanafuda ids as a 48-bit set; raise `BadRequestError` for anything else."""
    if not isinstance(value, list | tuple):
        raise BadRequestError(f"{key} must be a list of card ids, not {quote(value)}")
    return to_bits(value)
