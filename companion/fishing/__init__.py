"""What the fishing games, Koi-Koi and Kekoro, share: matching, captures, hidden hands, records."""

from companion.fishing.captures import Captures
from companion.fishing.moves import Call, Draw, FishingMove, Play
from companion.fishing.round import FishingRound
from companion.fishing.table import Phase, Table

__all__ = ["Call", "Captures", "Draw", "FishingMove", "FishingRound", "Phase", "Play", "Table"]
