"""The parameters of the engine: probabilities that `hanafuda_training.training.fit_watch` (`models/training`) fits by likelihood to
composed rounds, and writes into the file beside this module.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["FILE", "PARAMETERS", "Parameters"]

FILE: Final = Path(__file__).with_name("parameters.json")


@dataclass(frozen=True, slots=True)
class Parameters:
    """Probabilities, unless stated otherwise."""

    missed: float
    """That a card is not detected in a zone in which cards lie side by side."""
    missed_in_pile: float
    """The same in a pile."""
    misread: float
    """That the recognizer's posterior of a whole card means nothing."""
    clutter: float
    """Mean number of whole detections in a zone that show none of its cards."""
    blurred: float
    """Both for a strip of a card; also the mean number of detections while something moves that show no card of the table."""
    covered: float
    """That a card under others is detected as a whole one."""
    covered_strip: float
    """That it is detected as a strip."""
    late: float
    """That a captured card still lies on the field."""
    another: float
    """That another turn follows before the next observation."""
    mid_turn: float
    """That an observation shows the middle of a turn."""
    following: float
    """That an observation after a round shows that the table was cleared, or, then, the next deal; also, between rounds, the mean number
    of detections for each that a table shows: anything may lie there."""
    given_up: float
    """That a round is given up between two observations."""
    rare: float
    """Of whatever players and cameras seldom do: a turn is taken back, a card is laid beside what it captures, exactly onto its look-alike
    or before the one below it was seen, or cannot be read in a deal; something lies on a whole zone; an
    arm belongs to nobody who acts."""
    unseen: float
    """That a card on a pile is covered before a camera detects it."""
    unseen_posted: float
    """That it is covered before the next picture that people post: they post one a turn, in which several cards may be laid."""
    relocated: float
    """That what looks like a new card on a pile is one that lay there."""
    over_players: float
    """Standard deviation of the players' usual offsets from their seats, fractions of a full turn."""
    of_arms: float
    """Standard deviation of single arms around their player's offset, fractions of a full turn."""
    of_cards: float
    """The same of the directions of cards."""
    upside_down: float
    """That a card lies with its upper end toward the player who laid it."""
    squared_up: float
    """That a card does not lie as its player faced, until the table shows how often."""
    other_side: float
    """That the seat is another one if only a side of the picture is known."""
    touched: float
    """That the image of the stock changes when a card is taken from it."""
    reached: float
    """That an arm is detected at the stock when a card is taken from it."""
    untouched: float
    """Of either when no card is taken from it."""
    wrong_tag: float
    """That what a card reader reports means nothing: a tag was paired with the wrong card, or read in another zone."""
    order: Mapping[str, float]
    """Log-odds for each feature of the order of play and draw (`companion.watch.order.Features`)."""


PARAMETERS: Final = Parameters(**json.loads(FILE.read_text(encoding="utf-8")))
