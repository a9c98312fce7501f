"""Says a pile of cards to a person at the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from companion.hanafuda.cards import BACK, DECKS, card

__all__ = ["pile_lines"]

#: Hanafuda are told by kind; cards that have none by suit, as the packs have them.
_GROUPS = tuple(
    dict.fromkeys(
        ("bright", "animal", "ribbon", "chaff", *(each.flower for pack in DECKS.values() for each in pack))
    )
)
_ORDER = {each.id: each.index for pack in DECKS.values() for each in pack}
_LIKELY = 3
_WIDTH = 100


def pile_lines(cards: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Say the cards of a picture (contract's ``scan --json``) by kind or suit, then the ones without a name."""
    cards = list(cards)
    named = sorted(
        (each["card"] for each in cards if each["card"] not in {None, BACK}), key=_ORDER.__getitem__
    )
    for group in _GROUPS:
        names = [card(name).names for name in named if (card(name).kind or card(name).flower) == group]
        if names:
            told = ", ".join(f"{each.en} {each.ja}" for each in names)
            yield _row(f"{len(names)} {group}", told)
    backs = sum(each["card"] == BACK for each in cards)
    if backs:
        yield _row(f"{backs} {BACK}", "face down")
    for each in cards:
        if each["card"] is None:
            yield _row("unsure", _guesses(each))


def _row(head: str, text: str) -> str:
    return click.wrap_text(text, _WIDTH, initial_indent=f"  {head:<10}", subsequent_indent=" " * 12)


def _guesses(seen: Mapping[str, Any]) -> str:
    """Say where an unnamed card lies and what it may be, the likely names first."""
    likely = [
        f"{'face down' if name == BACK else card(name).names.en} {share:.0%}"
        for name, share in seen["alternatives"][:_LIKELY]
    ]
    x, y = (sum(point[axis] for point in seen["quad"]) / 4 for axis in (0, 1))
    return f"at {x:.0f}, {y:.0f}: " + (" or ".join(likely) or "no idea")
