"""Reports groups of events at a table beside other processes; when out of step, it reads the new events and tries
again."""

from __future__ import annotations

import sys

from companion.store import OutOfStepError
from companion.store.store import open_store
from companion.table import NewEvent, Table

place, table_id, name, times = sys.argv[1:]
log = open_store(place)
table = Table.of(log.tables.load(table_id))
for number in range(int(times)):
    # Two events at a time, so that a split group would be detected.
    new = [NewEvent("seated", {"seat": seat, "name": f"{name}{number}-{seat}"}) for seat in (1, 2)]
    while True:
        events = table.append(new, actor=name, source="program", time="2026-11-21T19:00:00.000Z")
        try:
            log.tables.append(table_id, events, key=f"{name}-{number}")
            break
        except OutOfStepError:
            table = Table.of(log.tables.load(table_id))
log.close()
