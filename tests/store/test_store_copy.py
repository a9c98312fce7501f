"""A copy of a store has everything, in both directions between SQLite and PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast, get_args

import pytest
from click.testing import CliRunner
from log_helpers import BRIGHTS, reading

from companion.cli.log import log
from companion.hanafuda.rules import resolve
from companion.store import DocumentKind, is_url
from companion.store.event_lines import event_lines
from companion.store.export import to_json
from companion.store.scan_records import Changes, ScanDraft
from companion.store.store import Store, open_store
from companion.store.store_copy import COPIED, NOT_COPIED, copy_store
from companion.table import NewEvent, Table
from tests.league import fill, small_league

PICTURE = b"\xff\xd8 a table"


def at(place: Path | str, tmp_path: Path) -> Store:
    return cast("Store", open_store(place))


def add_event(store: Store, table_id: str, kind: str, data: dict[str, Any], key: str | None = None) -> None:
    table = Table.of(store.tables.load(table_id))
    new = table.append([NewEvent(kind, data)], actor="host", source="phone", time="2026-02-01T10:00:00.000Z")  # type: ignore[arg-type]
    store.tables.append(table_id, new, key=key)


def fill_with_everything(store: Store) -> None:
    """Store something of each kind."""
    fill(store, seed=5, players=4, nights=3, rounds=30)
    newest, oldest = (store.tables.list()[index].id for index in (0, -1))
    add_event(store, oldest, "seated", {"seat": 1, "name": "晴子"}, key="tap")
    store.tables.follow(oldest, newest)
    sha256 = store.pictures.put(PICTURE, "image/jpeg")
    with store.database.writing(f"table:{newest}") as db:
        db.execute("INSERT INTO table_pictures (sha256, table_id, seq) VALUES (?, ?, 2)", [sha256, newest])
    for name in ("Aiko", "Ben"):
        store.people.add("hidden", {"player": name}, "host")
    store.house_rules.save("House", resolve("koikoi-guide"), "Aki")
    store.house_rules.save("house", resolve("koikoi-hu"), "Ben", instead=True)
    store.house_rules.save("Other", resolve("koikoi-hu"), "Ben")
    store.house_rules.forget("other", "Ben")
    for picture in (b"a picture", b"another"):
        scan = store.scans.add(
            ScanDraft(
                picture=picture,
                media_type="image/png",
                image="pile.png",
                reading=reading(*BRIGHTS),
                settings={"game": "koikoi"},
                actor="http",
            ),
        )
    store.scans.change(scan.id, Changes(kept=True, note="Aunt 晴子", corrections=[(0, "pine-ribbon")]), "Aki")
    store.pairings.add("host", name="Aki")
    store.pairings.invite("scorer", seat=2, table=newest)
    for kind in get_args(DocumentKind):
        store.documents.write(kind, "one", b"\x00\xff")


def rows(store: Store) -> dict[str, list[str]]:
    """Return all copied rows, without the numbers that the database gave them."""
    with store.database.reading() as db:
        return {
            table: sorted(
                repr([(name, value) for name, value in sorted(row.items()) if not _number(name, value)])
                for row in db.query(f"SELECT * FROM {table}")
            )
            for table in sorted(COPIED)
        }


def _number(name: str, value: object) -> bool:
    return name == "rowid" or (name == "id" and isinstance(value, int))


def contents(store: Store) -> dict[str, Any]:
    """Return what people and programs see of a store."""
    scans = list(store.scans.all())
    return {
        "rows": rows(store),
        "events": list(event_lines(store)),
        "scans": list(to_json(scans, "en")),
        "pictures": [store.pictures.read(each.sha256, each.media_type) for each in scans],
        "order": [each.id for each in store.tables.list()],
        "opened": store.tables.opened_last(),
        "rules": store.house_rules.all(),
        "pairings": store.pairings.pairings(),
        "tokens": [store.pairings.token(each) for each in store.pairings.pairings()],
        "documents": [store.documents.read(kind, "one") for kind in get_args(DocumentKind)],
        "nights": store.nights.nights(),
    }


def test_sqlite_to_postgresql_and_back_gives_the_same(tmp_path: Path, postgres_url: str) -> None:
    first, second, third = (
        at(place, tmp_path) for place in (tmp_path / "one", postgres_url, tmp_path / "two")
    )
    fill_with_everything(first)
    expected = contents(first)
    for source, target in ((first, second), (second, third)):
        result = copy_store(source, target)
        assert (result.conflicts, result.same.total()) == ([], 0)
        assert contents(target) == expected
        again = copy_store(source, target)
        assert (again.conflicts, again.copied.total(), again.same) == ([], 0, result.copied)
    # A table goes on at the target, with a key, and its number follows those of the copied ones.
    oldest = first.tables.list()[-1].id
    add_event(second, oldest, "seated", {"seat": 1, "name": "Zoe"})
    assert second.tables.with_key(first.tables.list()[0].id, "tap") is not None
    assert second.tables.list()[0].id == oldest
    assert copy_store(second, first).copied == {"tables": 1}
    assert list(event_lines(first)) == list(event_lines(second))
    assert {each.name for each in first.nights.played_by()} >= {"Zoe"}
    for store in (first, second, third):
        store.close()


class CutError(Exception):
    """Stands for a kill or a lost connection."""


@pytest.mark.parametrize("writes", [0, 1, 4, 9])
def test_an_interrupted_copy_goes_on_when_it_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    first, second = at(tmp_path / "one", tmp_path), at(tmp_path / "two", tmp_path)
    fill_with_everything(first)
    writing, calls = second.database.writing, []

    def interrupted(scope: str = "") -> Any:
        calls.append(scope)
        if len(calls) > writes:
            raise CutError
        return writing(scope)

    with monkeypatch.context() as context:
        context.setattr(second.database, "writing", interrupted)
        with pytest.raises(CutError):
            copy_store(first, second)
    assert copy_store(first, second).conflicts == []
    assert contents(second) == contents(first)
    first.close()
    second.close()


def test_what_differs_stays_and_everything_else_is_copied(tmp_path: Path) -> None:
    first, second = at(tmp_path / "one", tmp_path), at(tmp_path / "two", tmp_path)
    fill_with_everything(first)
    table_id = first.tables.list()[0].id
    second.tables.merge([each for each in small_league(5, 4, 3, 30) if each[0] == table_id])
    add_event(second, table_id, "seated", {"seat": 1, "name": "other"})
    add_event(first, table_id, "seated", {"seat": 1, "name": "one"})
    second.documents.write("layout", "one", b"other")
    second.pairings.add("host", name="Ben")  # creates another key
    before = second.tables.load(table_id), second.pairings.pairings()
    result = copy_store(first, second)
    assert set(result.conflicts) == {("documents", "layout/one"), ("access", "key"), ("tables", table_id)}
    assert (second.tables.load(table_id), second.pairings.pairings()) == before
    assert second.documents.read("layout", "one") == b"other"
    assert len(second.tables.list()) == len(first.tables.list())
    assert list(to_json(second.scans.all(), "en")) == list(to_json(first.scans.all(), "en"))
    first.close()
    second.close()


TABLES: dict[str, str] = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
}
OF_ONE_DATABASE = {
    "sqlite": {"schema_version"},
    # Pictures and documents are files in a data folder, and are copied as such; the rest concerns running servers.
    "postgres": {
        "schema_version",
        "pictures",
        "documents",
        "damaged_documents",
        "scan_jobs",
    },
}


def test_every_table_is_copied_or_known_not_to_be(place: Path | str, tmp_path: Path) -> None:
    kind = "postgres" if is_url(place) else "sqlite"
    store = at(place, tmp_path)
    with store.database.reading() as db:
        tables = {name for (name,) in db.execute(TABLES[kind]).fetchall()}
    store.close()
    assert tables - OF_ONE_DATABASE[kind] == COPIED | NOT_COPIED


def test_the_command_copies_and_reports(tmp_path: Path, postgres_url: str) -> None:
    first = at(tmp_path / "one", tmp_path)
    fill_with_everything(first)
    run = CliRunner().invoke
    copied = run(log, ["copy", str(tmp_path / "one"), postgres_url, "--json"])
    assert copied.exit_code == 0, copied.output
    answer = json.loads(copied.stdout)
    assert answer["complete"]
    assert answer["counts"]["tables"] == {"copied": len(first.tables.list()), "same": 0}
    add_event(first, first.tables.list()[0].id, "seated", {"seat": 1, "name": "one"})
    second = at(postgres_url, tmp_path)
    add_event(second, first.tables.list()[0].id, "seated", {"seat": 1, "name": "other"})
    differing = run(log, ["copy", str(tmp_path / "one"), postgres_url])
    assert differing.exit_code == 1
    assert first.tables.list()[0].id in differing.stderr
    first.close()
    second.close()


def test_the_command_says_now_and_then_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.cli.log_copy._LINES_S", 0.0)
    store = at(tmp_path / "one", tmp_path)
    fill(store, seed=5, players=4, nights=1, rounds=8)
    count = len(store.tables.list())
    store.close()
    ran = CliRunner().invoke(log, ["copy", str(tmp_path / "one"), str(tmp_path / "two")])
    assert ran.exit_code == 0, ran.output
    assert [ran.stderr.count(f"Tables: {count} of {count} {done}\n") for done in ("copied", "compared")] == [
        1,
        1,
    ]
    assert len(ran.stderr.splitlines()) >= 2 * count


def test_on_a_terminal_one_line_changes_and_is_empty_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.cli.log_copy._TERMINAL_S", 0.0)
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: True, raising=False)
    store = at(tmp_path / "one", tmp_path)
    fill(store, seed=5, players=4, nights=1, rounds=8)
    store.close()
    ran = CliRunner().invoke(log, ["copy", str(tmp_path / "one"), str(tmp_path / "two")], color=True)
    assert "\r\x1b[KTables: 1 of " in ran.stderr
    assert ran.stderr.endswith("\r\x1b[K")
    assert "\n" not in ran.stderr


def test_what_the_database_cannot_store_is_named(tmp_path: Path, postgres_url: str) -> None:
    """PostgreSQL stores no character NUL: the rules are copied with another character, and the comparison says so."""
    first = at(tmp_path / "one", tmp_path)
    first.house_rules.save("House", resolve("koikoi-guide"), "a\0b")
    first.house_rules.save("Other", resolve("koikoi-guide"), "ab")
    first.close()
    copied = CliRunner().invoke(log, ["copy", str(tmp_path / "one"), postgres_url, "--json"])
    assert copied.exit_code == 1
    assert json.loads(copied.stdout)["conflicts"] == [{"kind": "rules", "id": "house"}]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(["one", "two"], "no log in one"), (["one", "./one"], "the same place"), (["one"], "Missing argument")],
)
def test_wrong_places_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if text == "the same place":
        at("one", tmp_path).close()
    result = CliRunner().invoke(log, ["copy", *arguments])
    assert result.exit_code == 2
    assert text in result.stderr
    assert not Path("two").exists()
