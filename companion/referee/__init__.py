"""Referees: find the legal moves that best explain the difference between the committed state and an observation.

>>> referee = referee_for(rules, players=2)
>>> for observation in observations:
...     table.append(referee.see(observation, table), actor="camera", source="camera", time=now)
"""

from companion.referee.interface import CommittedTable, NoRefereeError, Referee, referee_for

__all__ = ["CommittedTable", "NoRefereeError", "Referee", "referee_for"]
