"""Writes scans into a log until it is killed, and prints each id once it is stored and corrected."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from log_helpers import BRIGHTS, add

from companion.store.scan_records import Changes
from companion.store.store import open_store

log = open_store(Path(sys.argv[1]))
for number in count():
    scan = add(log, *BRIGHTS, picture=b"%d" % number * 5000, game="koikoi")
    log.scans.change(scan.id, Changes(corrections=[(0, "pine-ribbon")], kept=True), "the writer")
    print(scan.id, flush=True)
