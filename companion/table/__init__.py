"""A table: its events and the state computed from them.

>>> from companion.hanafuda.messages import Message
>>> from companion.messages import render
>>> from companion.table import NewEvent, Table
>>> new = NewEvent("opened", {"name": "Parlour", "game": "koikoi", "rules": None, "players": ["Aiko", "Ben"], "deck": None})
>>> table = Table.open(new, actor="a host", source="keyboard", time="2026-11-21T19:00:00Z")
>>> field = "pine-ribbon plum-ribbon cherry-chaff-1 iris-bridge peony-ribbon clover-boar susuki-geese maple-deer"
>>> deal = NewEvent("dealt", {"deal": {"field": field.split()}, "dealer": 1})
>>> play = NewEvent("moved", {"player": 1, "words": ["play", "pine-crane", "pine-ribbon"]})
>>> [event.seq for event in table.append([deal, play], actor="a host", source="phone", time="2026-11-21T19:01:00Z")]
[2, 3]
>>> table.round.captured(1)
('pine-crane', 'pine-ribbon')
>>> render(Message.from_dict(table.view()["history"][-1]["says"]))
'Aiko plays Crane and Sun and takes Pine Poetry Ribbon'
"""

from companion.table.events import KINDS, Event, Kind, NewEvent, Source
from companion.table.live_round import LiveRound
from companion.table.table import Table

__all__ = ["KINDS", "Event", "Kind", "LiveRound", "NewEvent", "Source", "Table"]
