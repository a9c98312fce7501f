"""Nights as a file: export, import, and merging of logs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.cli import main
from companion.people.people import PeopleEvent
from companion.people.statistics import RoundFilter
from companion.store.errors import EventFileError
from companion.store.event_lines import MergeResult, event_lines, merge_lines
from companion.store.store import Store, open_store
from companion.table import Event
from tests.league import fill, league

TABLES = [(table_id, events[:90]) for table_id, events in league(seed=4, players=4, nights=3, rounds=12)]


@contextmanager
def new_log() -> Iterator[Store]:
    with TemporaryDirectory() as folder, closing(open_store(Path(folder) / "data")) as log:
        yield log


def exported(log: Store) -> bytes:
    return "".join(event_lines(log)).encode()


def merge(log: Store, file: bytes) -> MergeResult:
    return merge_lines(log, file.splitlines(keepends=True))


def add(log: Store, counts: list[int]) -> None:
    """Add the first events of each table."""
    firsts = zip(TABLES, counts, strict=True)
    log.tables.merge([(table_id, events[:count]) for (table_id, events), count in firsts if count])


def test_import_into_an_empty_log_gives_the_same_bytes(log: Store) -> None:
    fill(log, seed=4, players=4, nights=2, rounds=20)
    log.people.merge(ABOUT_PEOPLE)
    file = exported(log)
    with new_log() as other:
        result = merge(other, file)
        assert len(result.new) == len(log.tables.list())
        assert exported(other) == file
        assert other.nights.statistics(RoundFilter()) == log.nights.statistics(RoundFilter())
        assert other.tables.opened_last() == sorted(result.new)[-1]


prefixes = st.lists(st.sampled_from([0, 1, 2, 30, 90]), min_size=len(TABLES), max_size=len(TABLES))


PEOPLE = (
    {"player": "Aiko", "name": "Ai", "color": 1, "emoji": "🐸", "picture": None},
    {"player": "Zoe", "name": "Zoe", "color": None, "emoji": None, "picture": "/9j/"},
)
ABOUT_PEOPLE = [
    PeopleEvent(f"{number:04}", f"2026-01-0{1 + number // 2}T10:00:00.000Z", "host", kind, data)
    for number, (kind, data) in enumerate(
        [
            *(("player", each) for each in PEOPLE),
            ("hidden", {"player": "Zoe"}),
            ("merged", {"player": "Ben", "into": "Aiko"}),
            ("claimed", {"night": "n00000", "name": "Guest 1", "player": "Zoe", "confirmed": False}),
            ("confirmed", {"of": "0004"}),
            ("circle", {"circle": "c", "name": "会", "players": ["Aiko"], "game": None, "rules": None}),
            ("circle_removed", {"circle": "c"}),
            ("undone", {"of": "0007"}),
        ]
    )
]
some_people = st.sets(st.sampled_from(range(len(ABOUT_PEOPLE))))


@settings(max_examples=20, deadline=None)
@given(prefixes, prefixes, some_people, some_people)
@example([0, 0, 90], [30, 0, 0], set(), set())  # two best rounds with equal points, merged in the other order
def test_merging_gives_the_union_in_either_direction_and_only_once(
    one: list[int], other: list[int], people: set[int], other_people: set[int]
) -> None:
    with new_log() as first, new_log() as second, new_log() as union:
        for log, chosen in (
            (first, people),
            (second, other_people),
            (union, people | other_people),
        ):
            log.people.merge([ABOUT_PEOPLE[number] for number in chosen])
        add(first, one)
        add(second, other)
        add(union, [max(counts) for counts in zip(one, other, strict=True)])
        files = exported(first), exported(second)
        last = first.tables.opened_last()
        merge(first, files[1])
        merge(second, files[0])
        assert exported(first) == exported(second) == exported(union)
        if last is not None:
            assert first.tables.opened_last() == last
        before = exported(first)
        again = merge(first, files[1])
        assert (again.new, again.extended, again.conflict, again.people) == ((), (), (), 0)
        assert first.nights.statistics(RoundFilter()) == union.nights.statistics(RoundFilter())
        assert first.people.roster().circles == union.people.roster().circles
        assert exported(first) == before


def test_a_table_that_was_continued_differently_stays_as_it_is(log: Store) -> None:
    (first, events), (second, _) = TABLES[:2]
    add(log, [10, *[0] * (len(TABLES) - 1)])
    mine = exported(log)
    with new_log() as other:
        add(other, [12, 5, *[0] * (len(TABLES) - 2)])
        changed = exported(other).replace(events[6].time.encode(), b"2031-01-01T00:00:00.000Z")
    result = merge(log, changed)
    assert (result.conflict, result.new) == ((first,), (second,))
    assert exported(log).startswith(mine)


def lines(*changes: tuple[int, dict[str, object]]) -> list[bytes]:
    """Return the lines of a file with one table, with changed members; None removes one."""
    table_id, events = TABLES[0]
    rows: list[dict[str, object]] = [{"format": "hanafuda-companion-events", "version": 1}]
    rows += [{"table": table_id, **event.to_json()} for event in events[:6]]
    for number, change in changes:
        rows[number].update(change)
    return [json.dumps(row).encode() + b"\n" for row in rows]


def about_people(**change: object) -> list[bytes]:
    """Return the lines of a file with one event about people, with changed members."""
    row = {"people": "0001", "time": "2026-01-01T10:00:00.000Z", "actor": "host", "kind": "hidden"}
    return [*lines(), json.dumps({**row, "data": {"player": "Ben"}, **change}).encode()]


BAD = {
    "people of an unknown type": (about_people(kind="danced"), 8),
    "people without an id": (about_people(people="../x"), 8),
    "people at no time": (about_people(time="yesterday"), 8),
    "people with other data": (about_people(data={"player": "Ben", "extra": 1}), 8),
    "a picture that is none": (
        about_people(kind="player", data={**PEOPLE[0], "picture": "PHN2Zz4="}),
        8,
    ),
    "no header": (lines()[1:], 1),
    "an empty file": ([], 1),
    "another format": (lines((0, {"version": 2})), 1),
    "not JSON": ([*lines()[:3], b"{\n"], 4),
    "not an object": ([*lines()[:3], b"[]\n"], 4),
    "not UTF-8": ([*lines()[:3], b'"\xff"\n'], 4),
    "a gap": ([*lines()[:3], *lines()[4:]], 4),
    "not from the first event": ([lines()[0], *lines()[2:]], 2),
    "a table in two parts": ([*lines(), *lines((1, {"table": "other"}))[1:2], *lines()[1:]], 8),
    "a wrong id": (lines(*((n, {"table": "../../x"}) for n in range(1, 7))), 2),
    "another id in the event": (lines(*((n, {"table": "other1"}) for n in range(1, 7))), 7),
    "an unknown type": (lines((3, {"kind": "danced"})), 4),
    "another first event": (lines((1, {"kind": "closed"})), 7),
    "an unknown game": (
        lines((1, {"data": {"id": TABLES[0][0], "game": "poker", "players": ["a", "b"]}})),
        7,
    ),
    "data that no version has written": (lines((2, {"data": {"deal": 7}})), 7),
    "a group after the event": (lines((2, {"group": 3})), 3),
    "a time that is none": (lines((2, {"time": "yesterday"})), 3),
    "a confidence above 1": (lines((2, {"confidence": 1.5})), 3),
    "an additional member": (lines((2, {"extra": 1})), 3),
    "an actor that is no text": (lines((2, {"actor": None})), 3),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_with_an_invalid_line_is_refused_as_a_whole(log: Store, name: str) -> None:
    file, line = BAD[name]
    with pytest.raises(EventFileError) as refused:
        merge_lines(log, file)
    assert refused.value.line == line
    assert list(log.tables.list()) == []


def test_the_command_exports_and_imports(log: Store, folder: Path, tmp_path: Path) -> None:
    add(log, [10, 20, *[0] * (len(TABLES) - 2)])
    run = CliRunner().invoke
    file = tmp_path / "nights.jsonl"
    file.write_bytes(run(main, ["log", "export", "--events", "--data", str(folder)]).stdout_bytes)
    assert file.read_bytes() == exported(log)
    target = ["--data", str(tmp_path / "other")]
    first = run(main, ["log", "import", str(file), *target, "--json"])
    assert json.loads(first.stdout)["new"] == [TABLES[0][0], TABLES[1][0]]
    again = run(main, ["log", "import", str(file), *target])
    assert (again.exit_code, "2 were here already" in again.stdout) == (0, True)
    file.write_bytes(file.read_bytes().replace(b'"actor":"host"', b'"actor":"Mei"'))
    conflict = run(main, ["log", "import", str(file), *target])
    assert conflict.exit_code == 1
    assert TABLES[0][0] in conflict.stderr
    assert run(main, ["log", "export", "--events", "--tables"]).exit_code == 2


def test_the_views_have_plain_names(log: Store, folder: Path) -> None:
    fill(log, seed=4, players=4, nights=2, rounds=20)
    rounds = log.nights.rounds(RoundFilter()).total
    section = Path("docs/data.md").read_text(encoding="utf-8").split("## The log in SQL")[1].split("\n## ")[0]
    cells = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    documented = {cell[1].strip(" `"): cell[3].split("`")[1::2] for cell in cells}
    with closing(sqlite3.connect(folder / "log.sqlite3")) as db:
        views = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view'")]
        assert sorted(documented) == sorted(views)
        for view, columns in documented.items():
            found = [column[0] for column in db.execute(f"SELECT * FROM {view}").description]
            assert found == columns
        assert db.execute("SELECT count(*) FROM rounds").fetchone() == (rounds,)
        assert db.execute("SELECT sum(rounds) FROM nights").fetchone() == (rounds,)
        assert (
            db.execute("SELECT sum(rounds) FROM players").fetchone()
            == db.execute("SELECT count(*) FROM round_players").fetchone()
        )


def test_events_of_every_kind_keep_their_values(log: Store) -> None:
    table_id, events = TABLES[0]
    noticed = Event(
        seq=2,
        group=2,
        time="2025-01-03T10:00:09.000Z",
        actor="カメラ",
        source="camera",
        kind="seated",
        data={"seat": 1, "name": "愛子 \"'"},
        confidence=0.123456789,
        evidence="f1 \u2028",
    )
    log.tables.merge([(table_id, [events[0], noticed])])
    with new_log() as other:
        merge(other, exported(log))
        assert other.tables.load(table_id) == [events[0], noticed]
