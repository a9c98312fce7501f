"""The probability of winning a round, estimated by playing it to its end many times."""

from companion.odds.probabilities import Probability, WinProbabilities, win_probabilities

__all__ = ["Probability", "WinProbabilities", "win_probabilities"]
