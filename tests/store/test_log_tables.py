"""The tables of the log: events are stored unchanged, in order, once, with their pictures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.hanafuda.errors import BadRequestError
from companion.store import LogWriteError, NoSuchTableError, OutOfStepError
from companion.store.pictures import PictureRows
from companion.store.store import Store
from companion.table import Event, NewEvent, Table
from tests.message_text import raises_text

HERE = Path(__file__).parent
OPENED = NewEvent(
    "opened", {"name": "居間", "game": "koikoi", "rules": None, "players": ["Aiko", "Ben"], "deck": None}
)
MESSAGE = {"en": "What?", "ja": "何？"}


@pytest.fixture
def log(open_store: Callable[[], Store]) -> Store:
    return open_store()


@pytest.fixture
def table_id(log: Store) -> str:
    return log.tables.create(OPENED, actor="host", source="keyboard")


def renamed(log: Store, table_id: str, name: str, evidence: str | None = None) -> list[Event]:
    """Return a numbered event that changes the first player's name."""
    table = Table.of(log.tables.load(table_id))
    new = NewEvent("seated", {"seat": 1, "name": name}, 0.5, evidence)
    return table.append([new], actor="a phone", source="phone", time="2026-11-21T19:00:00.000Z")


def test_events_come_back_as_they_were_reported(
    log: Store, table_id: str, open_store: Callable[[], Store]
) -> None:
    reported = renamed(log, table_id, "愛子")
    assert log.tables.append(table_id, reported) == reported
    again = open_store()
    opened, named = again.tables.load(table_id)
    assert (opened.kind, opened.actor, opened.source, opened.seq) == ("opened", "host", "keyboard", 1)
    assert opened.data == {"id": table_id, **OPENED.data}
    assert named == reported[0]
    assert again.tables.load(table_id, since=1) == reported
    assert again.tables.load(table_id, since=2) == []
    assert again.tables.newest(table_id) == named
    assert again.tables.newest_numbers([table_id, "none"]) == {table_id: 2}
    assert Table.of(again.tables.load(table_id)).names.given == ("愛子", "Ben")


def test_of_two_who_report_the_next_event_one_is_out_of_step(log: Store, table_id: str) -> None:
    first, second = renamed(log, table_id, "A"), renamed(log, table_id, "B")
    log.tables.append(table_id, first)
    with pytest.raises(OutOfStepError) as caught:
        log.tables.append(table_id, second)
    assert (caught.value.expected, caught.value.seq, caught.value.code) == (1, 2, "out-of-step")
    assert log.tables.load(table_id, since=1) == first


def test_a_key_is_stored_once(log: Store, table_id: str) -> None:
    reported = renamed(log, table_id, "A")
    log.tables.append(table_id, reported, key="tap-1")
    assert log.tables.append(table_id, reported, key="tap-1") == reported
    assert log.tables.with_key(table_id, "tap-1") == reported
    assert log.tables.with_key(table_id, "tap-2") is None
    assert len(log.tables.load(table_id)) == 2
    with raises_text(BadRequestError, match="used for something else"):
        log.tables.append(table_id, renamed(log, table_id, "B"), key="tap-1")
    other = log.tables.create(OPENED, actor="host", source="keyboard")
    assert log.tables.with_key(other, "tap-1") is None, "another table's keys are others"


def test_there_is_no_such_table(log: Store, table_id: str) -> None:
    reported = renamed(log, table_id, "A")
    for call in (
        lambda: log.tables.load("none"),
        lambda: log.tables.append("none", reported),
    ):
        with raises_text(NoSuchTableError, match="no table 'none'"):
            call()


def test_tables_are_listed_the_busiest_first(log: Store, table_id: str) -> None:
    other = log.tables.create(OPENED, actor="host", source="keyboard")
    late = Event(2, 2, "2999-01-01T00:00:00.000Z", "host", "phone", "seated", {"seat": 2, "name": "C"})
    log.tables.append(table_id, [late])
    assert log.tables.opened_last() == other
    assert [each.id for each in log.tables.list(1)] == [table_id]
    listed = log.tables.list()
    assert [(each.id, each.seq) for each in listed] == [(table_id, 2), (other, 1)]
    assert listed[0].opened.data["name"] == "居間"
    assert listed[0].time == late.time


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE table_events SET data = '{}'",
        "DELETE FROM table_events",
        "UPDATE table_pictures SET sha256 = ''",
        "DELETE FROM table_pictures",
    ],
)
def test_what_was_reported_is_never_changed(log: Store, table_id: str, statement: str) -> None:
    log.tables.append(table_id, renamed(log, table_id, "A", evidence="a" * 64))
    with raises_text(LogWriteError, match="never changed"), log.database.writing() as db:
        db.execute(statement)


def test_a_gap_cannot_be_stored(log: Store, table_id: str) -> None:
    """Not even by a program with wrong numbers: 2 and then 4."""
    (second,) = renamed(log, table_id, "A")
    fourth = Event(4, 2, second.time, "x", "phone", "seated", second.data)
    with raises_text(LogWriteError, match="without a gap"):
        log.tables.append(table_id, [second, fourth])
    assert len(log.tables.load(table_id)) == 1, "all or nothing"


def test_pictures_that_events_name_are_not_pruned(log: Store, table_id: str) -> None:
    kept = [log.pictures.put(name, "image/jpeg") for name in (b"frame", b"before", b"after", b"asked")]
    swept = log.pictures.put(b"nobody's", "image/jpeg")
    frame, before, after, asked = kept
    table = Table.of(log.tables.load(table_id))
    events = table.append(
        [
            NewEvent("seated", {"seat": 1, "name": "A"}, 1.0, frame),
            NewEvent(
                "noticed",
                {"code": "x", "message": MESSAGE, "pictures": {"before": before, "after": f"{after}.jpg"}},
            ),
            NewEvent("asked", {"text": MESSAGE, "choices": [], "picture": asked}),
        ],
        actor="camera",
        source="camera",
        time="2026-11-21T19:00:00.000Z",
    )
    log.tables.append(table_id, events)
    log.scans.prune()
    assert all(log.pictures.read(each, "image/jpeg") for each in kept)
    # In a database it is kept for a day, because another process may be about to refer to it.
    assert (log.pictures.read(swept, "image/jpeg") is not None) == isinstance(log.pictures, PictureRows)


def test_processes_beside_each_other_lose_and_double_nothing(
    log: Store, table_id: str, place: Path | str
) -> None:
    times = 25
    writers = [
        subprocess.Popen(
            [sys.executable, str(HERE / "table_writer.py"), str(place), table_id, name, str(times)]
        )
        for name in ("one", "two")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    events = log.tables.load(table_id)
    assert [event.seq for event in events] == list(range(1, 4 * times + 2))
    # Both seats get one name, with the number of the seat at its end.
    reported = [(event.data["name"].partition("-")[0], event.group) for event in events[1:]]
    assert reported[::2] == reported[1::2], "what was reported together stays together"
    assert sorted(name for name, _ in reported[::2]) == sorted(
        f"{name}{number}" for name in ("one", "two") for number in range(times)
    )
