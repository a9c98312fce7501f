"""The log of nights after a correction is the same as if it were computed from scratch, and nothing else has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.store import SqliteStore
from companion.store.sqlite import night_store
from companion.table import NewEvent, Table
from tests.league import fill

TABLES = ("night_games", "night_seats", "night_rounds", "night_round_seats", "night_yaku")
Rows = dict[str, list[tuple[Any, ...]]]


def rows(log: SqliteStore, *, without: str = "") -> Rows:
    """Return the log of nights, without a table if one is given."""
    log.nights.choices()
    with log.database.reading() as db:
        query = "SELECT * FROM {} WHERE table_id <> ? ORDER BY 1, 2, 3, 4"
        return {name: db.execute(query.format(name), [without]).fetchall() for name in TABLES}


def rebuilt(log: SqliteStore) -> Rows:
    with log.database.writing() as db:
        for name in (*reversed(TABLES), "night_state"):
            db.execute(f"DELETE FROM {name}")
    return rows(log)


def seq_of(table: Table, kind: str) -> int:
    """Return the last event of a type in the oldest round in which somebody moved."""
    oldest = next(live for live in table.rounds if len(live.items) > 1)
    return next(item.seq for item in reversed(oldest.items) if item.kind == kind)


CORRECTIONS: dict[str, Callable[[Table], NewEvent]] = {
    "a name": lambda table: NewEvent("seated", {"seat": 1, "name": "Zoe"}),
    "an undone move": lambda table: NewEvent("undone", {"of": seq_of(table, "moved")}),
    "a deleted move": lambda table: NewEvent(
        "corrected", {"of": seq_of(table, "moved"), "kind": None, "data": {}}
    ),
    "an abandoned round": lambda table: NewEvent(
        "inserted", {"before": seq_of(table, "moved"), "kind": "abandoned", "data": {}}
    ),
    "a deleted game": lambda table: NewEvent("removed", {}),
}


def test_the_people_change_what_a_rebuild_changes(tmp_path: Path) -> None:
    log = SqliteStore(tmp_path / "data")
    try:
        fill(log, seed=5, players=4, nights=3, rounds=30)
        before = rows(log)
        night = next(each.id for each in log.nights.nights() if "Chiyo" in each.players)
        log.people.add(
            "player", {"player": "Aiko", "name": "Ai", "color": 1, "emoji": None, "picture": None}, "host"
        )
        merged = log.people.add("merged", {"player": "Ben", "into": "Aiko"}, "host")
        claim = {"night": night, "name": "Chiyo", "player": "Zoe", "confirmed": True}
        claimed = log.people.add("claimed", claim, "host")
        changed = rows(log)
        assert changed != before
        assert {row[2] for row in changed["night_seats"]} >= {"Aiko", "Daichi", "Zoe"}
        assert all(row[2] != "Ben" for row in changed["night_seats"])
        assert changed == rebuilt(log)
        for event in (claimed, merged):
            log.people.add("undone", {"of": event.id}, "host")
        assert rows(log) == before == rebuilt(log)
    finally:
        log.close()


@pytest.mark.parametrize("change", CORRECTIONS)
def test_a_correction_of_the_oldest_round_changes_what_a_rebuild_changes(
    tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(night_store, "_BATCH", 2)  # several batches
    log = SqliteStore(tmp_path / "data")
    try:
        fill(log, seed=5, players=4, nights=3, rounds=30)
        oldest = min(log.tables.list(), key=lambda each: each.opened.time).id
        before, others = rows(log), rows(log, without=oldest)
        table = Table.of(log.tables.load(oldest))
        events = table.append(
            [CORRECTIONS[change](table)], actor="host", source="phone", time="2026-02-01T10:00:00.000Z"
        )
        log.tables.append(oldest, events)
        after = rows(log)
        assert after != before
        assert rows(log, without=oldest) == others
        assert after == rebuilt(log)
    finally:
        log.close()


def test_results_of_an_interrupted_computation_are_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(night_store, "_BATCH", 1)
    log = SqliteStore(tmp_path / "data")
    try:
        fill(log, seed=6, players=4, nights=3, rounds=6)
        with monkeypatch.context() as interrupted:
            results = log.nights._results
            calls: list[str] = []

            def failing(tables: Any) -> Any:
                calls.append("")
                if len(calls) > 2:
                    raise KeyboardInterrupt
                return results(tables)

            interrupted.setattr(log.nights, "_results", failing)
            with pytest.raises(KeyboardInterrupt):
                log.nights.choices()
        with log.database.reading() as db:
            assert db.execute("SELECT count(*) FROM night_games").fetchone() == (2,)
        assert rows(log) == rebuilt(log)
        assert len(log.nights.nights()) == 3
    finally:
        log.close()
