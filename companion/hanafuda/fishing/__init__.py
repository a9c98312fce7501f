"""The common part of the fishing games Koi-Koi and Kekoro: matching, captures, hidden hands, records."""

from .captures import Captures
from .moves import PLAY_ON, Call, Draw, FishingMove, Play
from .round import FishingRound
from .state import FishingState, Phase

__all__ = [
    "PLAY_ON",
    "Call",
    "Captures",
    "Draw",
    "FishingMove",
    "FishingRound",
    "FishingState",
    "Phase",
    "Play",
]
