"""The deal and the turn of a fishing game in the words of a player."""

from __future__ import annotations

from ..description import Chapter
from ..messages import Message

__all__ = ["deal", "turn"]


def deal(hand: int, options: tuple[str, ...] = ()) -> Chapter:
    """Return the chapter about the deal; `hand` is the number of cards of a player."""
    return Chapter(Message("how-deal"), (Message("how-fishing-deal", {"hand": hand}),), options=options)


def turn(captures_both: bool) -> Chapter:
    """Return the chapter about a turn; ``captures_both``: a hand card captures both of two cards that match."""
    two = Message("how-fishing-two-all") if captures_both else Message("how-fishing-two-choose")
    return Chapter(Message("how-turn"), (Message("how-fishing-hand"), two, Message("how-fishing-draw")))
