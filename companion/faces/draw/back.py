"""The back: plain dark russet paper like that of old decks, with faint waves."""

from companion.faces.draw.canvas import brush, card

_RUSSET, _WAVE = "#5c1f1a", "#6b2a22"


def draw() -> str:
    """Draw the back that all cards share."""
    waves = ""
    for row in range(16):
        for column in range(-1, 6):
            x, y = 14 + column * 64 + (row % 2) * 32, 46 + row * 32
            waves += f"M{x} {y}a32 32 0 0 1 64 0M{x + 16} {y}a16 16 0 0 1 32 0"
    return card(brush(waves, 3, _WAVE), background=_RUSSET)
