"""Formats a pile of cards for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from companion.hanafuda.cards import BACK, DECKS, card

__all__ = ["pile_lines"]

#: Hanafuda are grouped by type; cards without a type by suit, in the order of the packs.
_GROUPS = tuple(
    dict.fromkeys(
        ("bright", "animal", "ribbon", "chaff", *(each.flower for pack in DECKS.values() for each in pack))
    )
)
_ORDER = {each.id: each.index for pack in DECKS.values() for each in pack}
_MAX_ALTERNATIVES = 3
_WIDTH = 100


def pile_lines(cards: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield lines with the cards of a photograph (in the format of ``scan --json``) by type or suit, then the uncertain ones."""
    cards = list(cards)
    named = sorted(
        (each["card"] for each in cards if each["card"] not in {None, BACK}), key=_ORDER.__getitem__
    )
    for group in _GROUPS:
        card_names = [card(name).names for name in named if (card(name).kind or card(name).flower) == group]
        if card_names:
            names_text = ", ".join(f"{each.en} {each.ja}" for each in card_names)
            yield _row(f"{len(card_names)} {group}", names_text)
    backs = sum(each["card"] == BACK for each in cards)
    if backs:
        yield _row(f"{backs} {BACK}", "face down")
    for each in cards:
        if each["card"] is None:
            yield _row("unsure", _alternatives_text(each))


def _row(head: str, text: str) -> str:
    return click.wrap_text(text, _WIDTH, initial_indent=f"  {head:<10}", subsequent_indent=" " * 12)


def _alternatives_text(detection: Mapping[str, Any]) -> str:
    """Return an uncertain card's position (px) and its likeliest alternatives with their probabilities."""
    likely = [
        f"{'face down' if name == BACK else card(name).names.en} {probability:.0%}"
        for name, probability in detection["alternatives"][:_MAX_ALTERNATIVES]
    ]
    x, y = (sum(point[axis] for point in detection["quad"]) / 4 for axis in (0, 1))
    return f"at {x:.0f}, {y:.0f}: " + (" or ".join(likely) or "no idea")
