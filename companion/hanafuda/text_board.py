"""A round as aligned lines of text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["HIDDEN", "aligned"]

HIDDEN = "??"
"""A hidden card."""

_LABEL_WIDTH = 12
_CARD_WIDTH = 22
"""The length of the longest card id, chrysanthemum-chaff-1, and a space."""
_CARDS_PER_LINE = 4
"""The number of columns that fit a terminal of 100 characters."""


def aligned(rows: Iterable[tuple[str, str | Sequence[str | None]]]) -> str:
    """Return labels with their content: a text, or cards in columns, None for a hidden card."""
    lines = []
    for label, content in rows:
        cells = [content] if isinstance(content, str) else [card or HIDDEN for card in content] or ["-"]
        for start in range(0, len(cells), _CARDS_PER_LINE):
            row = "".join(cell.ljust(_CARD_WIDTH) for cell in cells[start : start + _CARDS_PER_LINE])
            lines.append(f"{'' if start else label:<{_LABEL_WIDTH}} {row}".rstrip())
    return "\n".join(lines)
