"""The common part of the fishing games Koi-Koi and Kekoro: matching, captures, hidden hands, records."""

from companion.hanafuda.families.fishing.captures import Captures
from companion.hanafuda.families.fishing.moves import PLAY_ON, Call, Draw, FishingMove, Play
from companion.hanafuda.families.fishing.round import FishingRound
from companion.hanafuda.families.fishing.state import FishingState, Phase

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
