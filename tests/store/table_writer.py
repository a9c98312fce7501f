"""Reports groups of events at a table beside other processes; when out of step, it reads the new events and tries
again."""

from __future__ import annotations

import sys
from pathlib import Path

from companion.store import OutOfStepError, SqliteStore
from companion.table import NewEvent, Table

folder, table_id, name, times = sys.argv[1:]
log = SqliteStore(Path(folder))
table = Table.of(log.tables.load(table_id))
for number in range(int(times)):
    # Two events at a time, so that a split group would be detected.
    new = [NewEvent("seated", {"seat": seat, "name": f"{name}{number}"}) for seat in (1, 2)]
    while True:
        events = table.append(new, actor=name, source="program", time="2026-11-21T19:00:00.000Z")
        try:
            log.tables.append(table_id, events, key=f"{name}-{number}")
            break
        except OutOfStepError:
            table = Table.of(log.tables.load(table_id))
log.close()
