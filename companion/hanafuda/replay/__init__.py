"""Replay of round records: check every move against the rules and compute the result.

>>> from companion.hanafuda.replay import replay
>>> from companion.hanafuda.simulation import random_round, record_of
>>> replayed = replay(record_of(random_round("koikoi", seed=1)))
>>> replayed.legal, replayed.agrees
(True, True)
"""

from .interpretation import Noted
from .json_lines import JsonLine, read_lines
from .replayed import Replayed, replay

__all__ = ["JsonLine", "Noted", "Replayed", "read_lines", "replay"]
