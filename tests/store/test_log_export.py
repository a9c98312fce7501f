"""The log as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json

from log_helpers import BRIGHTS, add

from companion.messages import with_texts
from companion.store.export import COLUMNS, to_csv, to_json
from companion.store.scan_records import Changes
from companion.store.store import Store


def test_json_is_one_list_on_one_line(log: Store) -> None:
    scans = [add(log, *BRIGHTS, game="koikoi"), add(log, None)]
    text = "".join(to_json(log.scans.all(), "en"))
    assert text.count("\n") == 1
    assert json.loads(text) == [with_texts(json.loads(json.dumps(scan.to_json())), "en") for scan in scans]


def test_no_scans() -> None:
    assert json.loads("".join(to_json([], "en"))) == []
    assert "".join(to_csv([])) == ",".join(COLUMNS) + "\r\n"


def test_csv_has_a_line_a_scan(log: Store) -> None:
    scan = add(log, *BRIGHTS, None, "back", game="koikoi")
    note = 'a, "b"\nc 三光'
    log.scans.change(
        scan.id, Changes(corrections=[(3, "plum-ribbon")], note=note, kept=True, settings={"month": 3}), "x"
    )
    add(log, None)
    first, second = csv.DictReader(io.StringIO("".join(to_csv(log.scans.all())), newline=""))
    assert tuple(first) == COLUMNS
    assert first | {"time": "", "sha256": "", "rules_hash": ""} == {
        "id": scan.id,
        "time": "",
        "kept": "1",
        "note": note,
        "image": "pile.jpg",
        "sha256": "",
        "game": "koikoi",
        "rules": "koikoi-standard",
        "rules_hash": "",
        "month": "3",
        "base": "5",
        "total": "5",
        "yaku": "three-brights",
        "cards": "pine-crane cherry-curtain susuki-moon plum-ribbon",
        "unnamed": "0",
        "corrections": "1",
    }
    assert (second["game"], second["total"], second["unnamed"]) == ("", "", "1")
