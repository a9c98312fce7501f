"""The whole deck, drawn."""

from companion.faces.draw import (
    cherry,
    chrysanthemum,
    clover,
    iris,
    maple,
    paulownia,
    peony,
    pine,
    plum,
    susuki,
    willow,
    wisteria,
)
from companion.faces.draw.canvas import brush, card

_MONTHS = (pine, plum, cherry, wisteria, iris, peony, clover, susuki, chrysanthemum, maple, willow, paulownia)

_RUSSET, _WAVE = "#5c1f1a", "#6b2a22"


def draw_all() -> dict[str, str]:
    """Draw every face: card id (and "back") to the text of its SVG file."""
    drawn: dict[str, str] = {}
    for month in _MONTHS:
        drawn |= month.cards()
    return drawn | {"back": _draw_back()}


def _draw_back() -> str:
    """Draw the back: plain dark russet paper like that of old decks, with faint waves."""
    waves = ""
    for row in range(16):
        for column in range(-1, 6):
            x, y = 14 + column * 64 + (row % 2) * 32, 46 + row * 32
            waves += f"M{x} {y}a32 32 0 0 1 64 0M{x + 16} {y}a16 16 0 0 1 32 0"
    return card(brush(waves, 3, _WAVE), background=_RUSSET)
