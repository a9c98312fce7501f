"""The referee: from the last agreed state of a table and what it looks like now to the legal turn that explains it best.

>>> referee = referee_for(rules, players=2)
>>> for look in looks:
...     table.append(referee.see(look, table), actor="camera", source="camera", time=now)
"""

from companion.referee.interface import CommittedTable, NoRefereeError, Referee, referee_for

__all__ = ["CommittedTable", "NoRefereeError", "Referee", "referee_for"]
