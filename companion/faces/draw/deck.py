"""The whole deck, drawn."""

from companion.faces.draw import (
    back,
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

_MONTHS = (pine, plum, cherry, wisteria, iris, peony, clover, susuki, chrysanthemum, maple, willow, paulownia)


def draw_all() -> dict[str, str]:
    """Draw every face: card id (and "back") to the text of its SVG file."""
    drawn: dict[str, str] = {}
    for month in _MONTHS:
        drawn |= month.cards()
    return drawn | {"back": back.draw()}
