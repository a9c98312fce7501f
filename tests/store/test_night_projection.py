"""The log of nights after a correction is the same as if it were computed from scratch, and nothing else has changed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.hanafuda.errors import BadRequestError
from companion.hanafuda.rules import resolve
from companion.people.nights import game_result
from companion.people.statistics import RoundFilter
from companion.store import night_projection
from companion.store.database import Database
from companion.store.store import Store
from companion.store.timestamps import now_utc
from companion.table import Event, NewEvent, Table
from tests.league import fill, game_events, small_league

VIEWS = ("nights", "games", "game_players", "rounds", "round_players", "disputes", "round_yaku", "players")
TABLES = ("night_games", "night_seats", "night_rounds", "night_round_seats", "night_yaku", "night_disputes")
Rows = dict[str, list[tuple[Any, ...]]]


OpenStore = Callable[[], Store]


def database_of(log: Store) -> Database:
    database: Database = log.database  # type: ignore[attr-defined]  # of both implementations
    return database


def projection_of(log: Store) -> night_projection.NightProjection:
    projection: night_projection.NightProjection = log.nights._projection  # type: ignore[attr-defined]
    return projection


def rows(log: Store, *, without: str = "") -> Rows:
    """Return the log of nights, without a table if one is given."""
    log.nights.choices()
    with database_of(log).reading() as db:
        query = "SELECT * FROM {} WHERE table_id <> ? ORDER BY 1, 2, 3, 4"
        return {name: db.execute(query.format(name), [without]).fetchall() for name in TABLES}


def without_results(log: Store) -> None:
    with database_of(log).writing() as db:
        for name in (*reversed(TABLES), "night_state"):
            db.execute(f"DELETE FROM {name}")
        db.execute("UPDATE table_activity SET results = 0")


def rebuilt(log: Store) -> Rows:
    """Return the log of nights after all of it was computed again."""
    without_results(log)
    night_projection.NightProjection(database_of(log), log.tables, log.people).refresh()
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


def test_the_people_change_what_a_rebuild_changes(open_store: OpenStore) -> None:
    log = open_store()
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


@pytest.mark.parametrize("change", CORRECTIONS)
def test_a_correction_of_the_oldest_round_changes_what_a_rebuild_changes(
    open_store: OpenStore, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(night_projection, "_BATCH", 2)  # several batches
    log = open_store()
    fill(log, seed=5, players=4, nights=3, rounds=12)
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


def test_results_of_an_interrupted_computation_are_completed(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(night_projection, "_BATCH", 1)
    log = open_store()
    fill(log, seed=6, players=4, nights=3, rounds=6)
    with monkeypatch.context() as interrupted:
        results = projection_of(log)._results
        calls: list[str] = []

        def failing(tables: Any) -> Any:
            calls.append("")
            if len(calls) > 2:
                raise KeyboardInterrupt
            return results(tables)

        interrupted.setattr(projection_of(log), "_results", failing)
        with pytest.raises(KeyboardInterrupt):
            log.nights.choices()
    with database_of(log).reading() as db:
        assert db.execute("SELECT count(*) FROM night_games").fetchone() == (2,)
    assert rows(log) == rebuilt(log)
    assert len(log.nights.nights()) == 3


TABLE_IDS = (f"played{number}" for number in itertools.count())


def game(rounds: int, seed: int = 1, ago: timedelta = timedelta()) -> tuple[str, list[Event]]:
    """Return the id and the events of a new table."""
    table_id = next(TABLE_IDS)
    start = datetime.now(UTC) - ago
    return table_id, game_events(
        Random(seed), table_id, table_id, "koikoi-standard", ["Aki", "Ben"], start, rounds
    )


OTHER_RULES = resolve({"preset": "koikoi-hu", "rounds": 2})
LATER: tuple[Callable[[Table, int], NewEvent], ...] = (
    lambda table, of: NewEvent("undone", {"of": of}),
    lambda table, of: NewEvent("corrected", {"of": of, "kind": None}),
    lambda table, of: NewEvent("inserted", {"before": of, "kind": "abandoned", "data": {}}),
    lambda table, of: NewEvent("seated", {"seat": 1 + of % 2, "name": f"Guest {of}"}),
    lambda table, of: NewEvent("rules_changed", {"rules": OTHER_RULES.to_dict(), "rules_name": f"Ours {of}"}),
    lambda table, of: NewEvent(
        "corrected",
        {
            "of": 1,
            "kind": "opened",
            "data": {**table.opened, "name": f"Table {of}", "rules_name": f"Ours {of}"},
        },
    ),
    lambda table, of: NewEvent("disputed", {"of": of, "seat": 1, "text": "No!"}),
    lambda table, of: NewEvent("ruled", {"of": of, "verdict": "changed"}),
    lambda table, of: NewEvent("closed", {}),
    lambda table, of: NewEvent("removed", {}),
)
"""What may happen at a table besides the play, given the number of an event to which it may refer; undo and deletion first."""


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_results_after_each_of_some_events_are_those_of_a_rebuild(
    open_store: OpenStore, data: st.DataObject
) -> None:
    log = open_store()
    table_id, (opened, *play) = game(rounds=2, seed=data.draw(st.integers(0, 50)))
    log.tables.merge([(table_id, [opened])])
    table = Table.of([opened])
    for _ in range(data.draw(st.integers(2, 12))):
        later = data.draw(st.none() | st.sampled_from(LATER[:2]) | st.sampled_from(LATER))
        if later is None:
            count = data.draw(st.integers(1, 30))
            new = [NewEvent(each.kind, each.data) for each in play[:count]]
            del play[:count]
        else:
            # Often one of the last events, so that an undo is undone, a dispute decided.
            ago = data.draw(st.integers(0, 3) | st.integers(0, table.seq))
            new = [later(table, max(1, table.seq - ago))]
        for each in new:
            with suppress(BadRequestError):
                events = table.append([each], actor="host", source="phone", time=now_utc(), strict=False)
                log.tables.append(table_id, events)
        if data.draw(st.booleans()):
            (found,) = log.nights.night(table_id).games
            assert found == game_result(Table.of(log.tables.load(table_id)))
    assert rows(log) == rebuilt(log)


def test_a_table_that_cannot_be_computed_stays_as_it_was(
    open_store: OpenStore, caplog: pytest.LogCaptureFixture
) -> None:
    log = open_store()
    table_id, events = game(rounds=1)
    log.tables.merge([(table_id, events[:10])])
    before = rows(log)
    for seq, new in enumerate(
        (NewEvent("seated", {"seat": 9, "name": "Nobody"}), NewEvent("closed", {})), 11
    ):
        log.tables.append(table_id, [Event(seq, seq, now_utc(), "host", "phone", new.kind, new.data)])
        assert rows(log) == before
    assert [each.message for each in caplog.records] == [
        f"table {table_id} is missing in the log of nights"
    ] * 2


def test_a_move_writes_no_row_of_a_finished_round(log: Store) -> None:
    table_id, events = game(rounds=2)
    dealt = [each.seq for each in events if each.kind == "dealt"]
    log.tables.merge([(table_id, events[: dealt[1]])])
    log.nights.refresh()
    with log.database.writing() as db:
        for name in TABLES[1:]:
            for change in ("INSERT", "UPDATE", "DELETE"):
                db.execute(
                    f"CREATE TRIGGER {name}_{change} BEFORE {change} ON {name} BEGIN SELECT RAISE(ABORT, 'written'); END"
                )
    log.tables.append(table_id, events[dealt[1] : dealt[1] + 1])
    (night,) = log.nights.nights()
    assert (night.games[0].played, night.ended) == (1, events[dealt[1]].time)


def test_events_of_a_restored_backup_replace_later_ones(log: Store) -> None:
    table_id, events = game(rounds=1)
    log.tables.merge([(table_id, events[:12])])
    log.nights.refresh()
    with log.database.writing() as db:
        db.execute("DROP TRIGGER table_events_are_never_changed_by_delete")
        db.execute("DELETE FROM table_events WHERE seq > 10")
    without_results(log)
    others = [
        Event(seq, seq, now_utc(), "host", "phone", "seated", {"seat": seq - 10, "name": f"Guest {seq}"})
        for seq in (11, 12)
    ]
    last = Event(13, 13, now_utc(), "host", "phone", "closed", {})
    log.tables.merge([(table_id, [*events[:10], *others, last])])
    (night,) = log.nights.nights()
    assert (night.players, night.status) == (("Guest 11", "Guest 12"), "closed")


def renamed(log: Store, table_id: str, name: str) -> None:
    """Append an event that renames the first player of a table."""
    new = NewEvent("seated", {"seat": 1, "name": name})
    table = Table.of(log.tables.load(table_id))
    log.tables.append(
        table_id, table.append([new], actor="host", source="phone", time="2026-02-01T10:00:00.000Z")
    )


@pytest.mark.parametrize("faster", [True, False], ids=["refreshed", "only changed"])
def test_results_do_not_replace_those_of_later_events(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch, faster: bool
) -> None:
    """While one process computes the results of a table, another appends to it, and may also store its results first."""
    one, other = open_store(), open_store()
    fill(one, seed=5, players=4, nights=1, rounds=6)
    (table_id,) = [each.id for each in one.tables.list()]
    store = projection_of(one)._store

    def store_late(*arguments: Any) -> None:
        monkeypatch.undo()
        renamed(other, table_id, "Zoe")
        if faster:
            other.nights.refresh()
        store(*arguments)

    monkeypatch.setattr(projection_of(one), "_store", store_late)
    one.nights.refresh()
    if faster:
        with database_of(one).reading() as db:
            (seat,) = db.execute("SELECT name FROM night_seats WHERE seat = 1").fetchall()
        assert seat == ("Zoe",)
    assert rows(one) == rows(other) == rebuilt(one)
    assert "Zoe" in {each.name for each in one.nights.played_by()}


def test_two_processes_refresh_at_the_same_time_while_events_are_added(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(night_projection, "_BATCH", 1)
    stores = [open_store() for _ in range(3)]
    league = small_league(seed=5, players=4, nights=3, rounds=12)
    with ThreadPoolExecutor() as threads:
        stores[0].tables.merge(league[:2])
        running = [threads.submit(each.nights.played_by) for each in stores[:2] for _ in range(3)]
        for number, (table_id, _) in enumerate(league):
            stores[2].tables.merge(league[number : number + 1])
            renamed(stores[2], table_id, f"Zoe {number}")
            stores[2].people.add("hidden", {"player": f"Zoe {number}"}, "host")
        for each in running:
            each.result()
    assert not caplog.records
    assert rows(stores[0]) == rebuilt(stores[1])
    names = {each.name for each in stores[0].nights.played_by()}
    assert names >= {f"Zoe {number}" for number in range(len(league))}


def test_a_newer_program_computes_everything_again_and_an_older_one_leaves_it(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = open_store()
    fill(log, seed=5, players=4, nights=3, rounds=12)
    before = rows(log)

    def spoil() -> Rows:
        with database_of(log).writing() as db:
            db.execute("UPDATE night_games SET played = 99")
        return rows(log)

    spoiled = spoil()
    assert spoiled != before
    monkeypatch.setattr(night_projection, "_VERSION", night_projection._VERSION + 1)
    assert rows(log) == before
    monkeypatch.undo()
    assert spoil() == spoiled


def test_the_views_for_sql_agree_with_the_log_of_nights(open_store: OpenStore) -> None:
    log = open_store()
    fill(log, seed=5, players=4, nights=3, rounds=12)
    nights = log.nights.nights()
    with database_of(log).reading() as db:
        views = {name: list(db.query(f"SELECT * FROM {name}")) for name in VIEWS}
    assert {
        row["night_id"]: (row["games"], row["rounds"], set(row["players"].split(", ")))
        for row in views["nights"]
    } == {
        night.id: (len(night.games), sum(game.played for game in night.games), set(night.players))
        for night in nights
    }
    games = [game for night in nights for game in night.games]
    assert len(views["games"]) == len(games)
    assert len(views["game_players"]) == sum(len(game.players) for game in games)
    assert len(views["rounds"]) == log.nights.rounds(RoundFilter()).total
    statistics = log.nights.statistics(RoundFilter())
    totals: Counter[str] = Counter()
    for row in views["players"]:
        totals[row["player_id"]] += row["points"]
    assert totals == {each.player: each.points for each in statistics.players}
    assert len(views["round_players"]) == sum(each.rounds for each in statistics.players)
    assert Counter(row["yaku"] for row in views["round_yaku"]) == {
        each.yaku: each.rounds for each in statistics.yaku
    }
    assert views["disputes"] == []
