"""PostgreSQL that is down, is restarted, refuses, or cuts connections: nothing acknowledged is lost, and people learn what to do."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from companion.hanafuda.messages import Message
from companion.messages import error_text
from companion.store import (
    LogReadError,
    LogUnreachableError,
    LogUnusableError,
    LogWriteError,
    NoSuchTableError,
    postgres_database,
)
from companion.store.postgres_database import PostgresDatabase, translated
from companion.store.store import Store, open_store
from companion.table import NewEvent, Table
from tests.message_text import raises_text
from tests.postgres import GUEST, Cluster

OPENED = NewEvent(
    "opened", {"name": "x", "game": "koikoi", "rules": None, "players": ["Aki", "Ren"], "deck": None}
)


@pytest.fixture
def store(postgres_url: str, tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(postgres_url)) as store:
        yield store


def opened(store: Store) -> str:
    return store.tables.create(OPENED, actor="host", source="keyboard")


def append(store: Store, table_id: str, name: str) -> None:
    table = Table.of(store.tables.load(table_id))
    new = NewEvent("seated", {"seat": 1, "name": name})
    events = table.append([new], actor="a phone", source="phone", time="2026-11-21T19:00:00.000Z")
    store.tables.append(table_id, events, key=name)


def names(store: Store, table_id: str) -> list[str]:
    return [event.data["name"] for event in store.tables.load(table_id, since=1)]


def cut_connections(url: str) -> None:
    """Close all connections to a database from the server's side, as a broken network or an administrator does."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.mark.parametrize(
    ("user", "database", "code"),
    [
        (f"{GUEST}:secret", "postgres", "database-refused"),
        ("nobody:secret", "postgres", "database-refused"),
        (f"{GUEST}:right", "postgres", "database-not-permitted"),
        (None, "festival", "database-missing"),
    ],
)
def test_the_error_of_a_server_that_refuses_lacks_the_password(
    postgres_cluster: Cluster, user: str | None, database: str, code: str
) -> None:
    check_refusal(postgres_cluster.url(database, user), code)


@pytest.mark.parametrize("place", ["PGPASSWORD", "~/.pgpass"])
def test_the_password_may_be_where_other_programs_of_postgresql_find_it(
    place: str, postgres_cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who may create no tables is refused for that reason if the password is right, and because of it otherwise."""
    monkeypatch.setenv("HOME", str(tmp_path))
    check_refusal(postgres_cluster.url("postgres", GUEST), "database-refused")
    if place == "PGPASSWORD":
        monkeypatch.setenv("PGPASSWORD", "right")
    else:
        file = tmp_path / ".pgpass"
        file.write_text(f"*:*:*:{GUEST}:right\n", encoding="utf-8")
        file.chmod(0o600)
    check_refusal(postgres_cluster.url("postgres", GUEST), "database-not-permitted")


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("postgresql://aki:secret@127.0.0.1:1/festival", "database-unreachable"),
        ("postgresql://aki:secret@/festival?host=/nowhere", "database-unreachable"),
        ("postgresql://aki:p@secret@127.0.0.1/festival", "database-bad-address"),
        ("postgresql://aki:secret%ret@127.0.0.1/festival", "database-bad-address"),
        ("postgresql://aki:sec ret@127.0.0.1/festival", "database-bad-address"),
        ("postgresql://aki@127.0.0.1/festival?password=secret&nonsense=1", "database-bad-address"),
    ],
)
def test_the_error_of_a_wrong_address_lacks_the_password(url: str, code: str) -> None:
    check_refusal(url, code)


def check_refusal(url: str, code: str) -> None:
    with pytest.raises(LogUnusableError) as caught:
        open_store(url)
    message = caught.value.args[0]
    assert isinstance(message, Message)
    assert message.code == code
    assert not any(word in error_text(caught.value) for word in ("secret", "right@", "ret@"))


def test_cut_connections_are_replaced_at_the_next_use(store: Store, postgres_url: str) -> None:
    table_id = opened(store)
    for name in ("A", "B"):
        with ExitStack() as stack:  # several idle connections, all of which are cut
            barrier = threading.Barrier(3)
            threads = [threading.Thread(target=read_together, args=(store, barrier)) for _ in range(3)]
            for thread in threads:
                thread.start()
                stack.callback(thread.join)
        cut_connections(postgres_url)
        append(store, table_id, name)
    assert names(store, table_id) == ["A", "B"]
    assert store.fault() is None


def read_together(store: Store, barrier: threading.Barrier) -> None:
    with store.database.reading() as db:
        db.execute("SELECT 1")
        barrier.wait(30)


@contextmanager
def cut_at_commit(url: str) -> Iterator[None]:
    """The connection that appends the next event is cut while it commits."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$"
            " BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$"
        )
        connection.execute(
            "CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON table_events DEFERRABLE INITIALLY DEFERRED"
            " FOR EACH ROW EXECUTE FUNCTION cut()"
        )
        yield
        connection.execute("DROP TRIGGER cut ON table_events")
        connection.execute("DROP FUNCTION cut")


def test_a_connection_that_is_cut_in_a_transaction_stores_nothing(store: Store, postgres_url: str) -> None:
    table_id = opened(store)
    with raises_text(LogUnreachableError, match="nothing was stored"):
        write_while_cut(store, postgres_url)
    with store.database.reading() as db:
        assert db.execute("SELECT count(*) FROM house_rules").fetchone() == (0,)
    append(store, table_id, "A")
    assert names(store, table_id) == ["A"]


def write_while_cut(store: Store, url: str) -> None:
    insert = "INSERT INTO house_rules (time, actor, name, folded) VALUES ('', '', '', '')"
    with store.database.writing() as db:
        db.execute(insert)
        cut_connections(url)
        db.execute(insert)


def test_a_commit_whose_result_is_unknown_can_be_repeated(store: Store, postgres_url: str) -> None:
    table_id = opened(store)
    with (
        cut_at_commit(postgres_url),
        raises_text(LogUnreachableError, match="not known whether it was stored"),
    ):
        append(store, table_id, "A")
    append(store, table_id, "A")
    assert names(store, table_id) == ["A"]


def test_a_read_that_is_cut_is_an_error_of_reading(store: Store, postgres_url: str) -> None:
    with pytest.raises(LogReadError):
        read_while_cut(store, postgres_url)
    assert store.tables.list() == []


def read_while_cut(store: Store, url: str) -> None:
    with store.database.reading() as db:
        db.execute("SELECT 1")
        cut_connections(url)
        db.execute("SELECT 1")


def test_a_server_that_stops_is_reported_and_used_again_when_it_is_back(
    store: Store, postgres_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_database, "_WAIT_S", 0.3)
    monkeypatch.setattr("companion.store.store._FAULT_CHECK_S", -1.0)
    table_id = opened(store)
    append(store, table_id, "A")
    assert store.fault() is None
    for how in (signal.SIGINT, signal.SIGQUIT):
        postgres_cluster.stop(how)
        try:
            with pytest.raises(LogReadError):
                store.tables.load(table_id)
            with raises_text(LogUnreachableError, match="nothing was stored"):
                opened(store)
            fault = store.fault()
            assert fault is not None
            assert fault.reason == "unreachable"
        finally:
            postgres_cluster.start()
        monkeypatch.setattr(postgres_database, "_WAIT_AGAIN_S", 10.0)  # a busy machine connects slowly
        assert names(store, table_id)[0] == "A"
        append(store, table_id, how.name)
        assert store.fault() is None
    assert names(store, table_id) == ["A", "SIGINT", "SIGQUIT"]


def test_requests_wait_for_a_server_that_is_restarted(
    store: Store, postgres_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_database, "_WAIT_S", 60.0)
    table_id = opened(store)
    postgres_cluster.stop()
    waiting = threading.Thread(target=append, args=(store, table_id, "A"))
    waiting.start()
    postgres_cluster.start()
    waiting.join(60)
    assert names(store, table_id) == ["A"]


@pytest.mark.parametrize("table", ["table_events", "people_events", "house_rules", "table_pictures"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_what_is_stored_is_never_removed(store: Store, table: str, statement: str) -> None:
    with raises_text(LogWriteError, match="never changed"), store.database.writing() as db:
        db.execute(statement.format(table))


def test_text_is_compared_by_code_points(store: Store) -> None:
    with store.database.reading() as db:
        others = db.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
            " AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'"
            " AND table_name IN (SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE')"
        ).fetchall()
    assert others == []


def test_of_processes_that_start_together_one_migrates(postgres_cluster: Cluster) -> None:
    url = postgres_cluster.new_database()
    migrations = [["CREATE TABLE extra (name {text})"]]
    try:
        threads = [
            threading.Thread(target=lambda: PostgresDatabase(url, migrations).close()) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with closing(PostgresDatabase(url, migrations)) as database, database.reading() as db:
            assert db.execute("SELECT name FROM extra").fetchall() == []
        with raises_text(LogUnusableError, match="newer version of this program"):
            PostgresDatabase(url)
    finally:
        postgres_cluster.remove_database(url)


def test_a_scope_belongs_to_one_transaction(store: Store) -> None:
    """Increments that read and write lose nothing, though each is in a transaction of its own."""
    with store.database.writing() as db:
        db.execute("INSERT INTO access_values (name, value) VALUES ('counter', '0')")

    def count() -> None:
        for _ in range(10):
            with store.database.writing("counter") as db:
                (value,) = (
                    db.execute("SELECT value FROM access_values WHERE name = 'counter'").fetchone() or ()
                )
                db.execute("UPDATE access_values SET value = ? WHERE name = 'counter'", [str(int(value) + 1)])

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.database.reading() as db:
        assert db.execute("SELECT value FROM access_values WHERE name = 'counter'").fetchone() == ("40",)


def test_a_character_that_postgresql_cannot_store_is_replaced(store: Store) -> None:
    with pytest.raises(NoSuchTableError):
        store.tables.load("\0")
    assert store.pairings.change(store.pairings.add("viewer").id, name="A\0ki").name == "A\0ki"
    assert [each.name for each in store.pairings.pairings()] == ["A\ufffdki"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT ?, :name", "SELECT %s, %(name)s"),
        ("SELECT '?', ':x', ''':x?'", "SELECT '?', ':x', ''':x?'"),
        ("SELECT \"a?\" FROM b WHERE c LIKE '%:d%'", "SELECT \"a?\" FROM b WHERE c LIKE '%%:d%%'"),
        ("SELECT a::text, 5 % 2", "SELECT a::text, 5 %% 2"),
    ],
)
def test_parameters_are_translated_outside_of_texts(sql: str, expected: str) -> None:
    assert translated(sql) == expected
