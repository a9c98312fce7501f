"""Formats a pile of cards for the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from companion.cli.language import card_text, say
from companion.hanafuda.cards import BACK, DECKS, card
from companion.hanafuda.messages import Message, any_of, card_message


def _group(card_id: str) -> str:
    """Return the code of the name of a hanafuda card's type, or of another card's suit."""
    named = card(card_id)
    if named.kind:
        return f"kind-{named.kind}"
    if named.flower == "kabu":
        return "pack-kabufuda"
    pack = "mekurifuda" if card_id == "onifuda" or "-" in card_id else "western"
    return f"suit-{pack}-{named.flower}"


#: Hanafuda are grouped by type; cards without a type by suit, in the order of the packs.
_GROUPS = tuple(
    dict.fromkeys(
        (
            "kind-bright",
            "kind-animal",
            "kind-ribbon",
            "kind-chaff",
            *(_group(each.id) for pack in DECKS.values() for each in pack),
        )
    )
)
_ORDER = {each.id: each.index for pack in DECKS.values() for each in pack}
_MAX_ALTERNATIVES = 3
"""Names listed for a card that the program is unsure of."""
_WIDTH = 100
"""Width of a line, columns."""
_HEAD_WIDTH = 12
"""Width of the column before the cards, columns: that of the longest group and its count in most languages."""


def pile_lines(cards: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield lines with the cards of a photograph (in the format of ``scan --json``) by type or suit, then the uncertain ones."""
    cards = list(cards)
    named = sorted(
        (each["card"] for each in cards if each["card"] not in {None, BACK}), key=_ORDER.__getitem__
    )
    for group in _GROUPS:
        names = [card_text(name) for name in named if _group(name) == group]
        if names:
            yield from _rows(_count_text(len(names), group), names)
    backs = sum(each["card"] == BACK for each in cards)
    if backs:
        yield from _rows(_count_text(backs, "kind-back"), [say(Message("card-back"))])
    for each in cards:
        if each["card"] is None:
            yield from _rows(say(Message("cli-unsure")), [_alternatives_text(each)])


def _count_text(count: int, group: str) -> str:
    return say(Message("cli-group-count", {"count": count, "group": Message(group)}))


def _rows(head: str, items: Sequence[str]) -> Iterator[str]:
    """Yield lines of at most `_WIDTH` columns: the head, then the items with commas between them."""
    line, used = f"  {pad(head, _HEAD_WIDTH - 1)} ", 0
    for number, item in enumerate(items, start=1):
        text = item + ("," if number < len(items) else "")
        if used and _columns(line) + 1 + _columns(text) > _WIDTH:
            yield line
            line, used = " " * (_HEAD_WIDTH + 2), 0
        line += f"{' ' if used else ''}{text}"
        used += 1
    yield line


def pad(text: str, width: int) -> str:
    """Return a text with spaces after it, so that it takes at least `width` columns of a terminal."""
    return text + " " * max(0, width - _columns(text))


def _columns(text: str) -> int:
    """Return the width of a text in a terminal; full-width characters take two columns."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _alternatives_text(detection: Mapping[str, Any]) -> str:
    """Return an uncertain card's position (px) and its likeliest alternatives with their probabilities."""
    likely = [
        f"{say(card_message(name))} {probability:.0%}"
        for name, probability in detection["alternatives"][:_MAX_ALTERNATIVES]
    ]
    x, y = (f"{sum(point[axis] for point in detection['quad']) / 4:.0f}" for axis in (0, 1))
    if not likely:
        return say(Message("cli-unsure-nothing", {"x": x, "y": y}))
    return say(Message("cli-unsure-card", {"x": x, "y": y, "cards": any_of(likely)}))
