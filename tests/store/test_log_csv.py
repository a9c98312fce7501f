"""CSV cells are data: a spreadsheet must not run text that somebody typed as a name."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.hanafuda.simulation import random_round, record_of
from companion.store.export import csv_line
from companion.store.store import Store
from companion.table import NewEvent, Table


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ('=HYPERLINK("http://evil.example","win")', """'=HYPERLINK("http://evil.example","win")"""),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\\u000d=1"),
        ("  =1", "'  =1"),
        ("＝1", "'＝1"),
        ("Aiko", "Aiko"),
        ("a=b", "a=b"),
        ("'=1", "'=1"),
        ("", ""),
        (-12, "-12"),
        (-1.5, "-1.5"),
        (None, ""),
    ],
)
def test_a_cell_is_no_formula(value: object, cell: str) -> None:
    (read,) = csv.reader(io.StringIO(csv_line([value, "x"]), newline=""))
    assert read == [cell, "x"]


def a_table(log: Store, name: str, players: list[str]) -> str:
    """Store a table with a round of Kingo that has a winner, and return its id."""
    data = {"name": name, "game": "kingo", "rules": None, "players": players, "deck": None}
    table_id = log.tables.create(NewEvent("opened", data), actor="host", source="keyboard")
    table = Table.of(log.tables.load(table_id))
    played = random_round("kingo", 5, players=2)
    new = [NewEvent("dealt", {"deal": record_of(played)["deal"], "dealer": played.dealer})]
    new += [NewEvent("moved", {"player": move.player, "words": list(move.words())}) for move in played.moves]
    events = table.append(new, actor="host", source="phone", time="2026-11-21T19:00:00.000Z")
    log.tables.append(table_id, events)
    return table_id


def test_a_player_named_like_a_formula(log: Store, folder: Path) -> None:
    """A player called =HYPERLINK(…) became a link in the host's spreadsheet; negative points must stay numbers."""
    name = '=HYPERLINK("//e.tt","x")'
    a_table(log, "@table", [name, "-Ben"])
    result = CliRunner().invoke(main, ["log", "export", "--tables", "--format", "csv", "--data", str(folder)])
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(io.StringIO(result.stdout_bytes.decode(), newline="")))
    assert [row["player"] for row in rows] == [f"'{name}", "'-Ben"]
    assert {row["name"] for row in rows} == {"'@table"}
    assert sorted(int(row["points"]) for row in rows)[0] < 0


@pytest.mark.parametrize("form", ["json", "csv"])
def test_one_table_that_cannot_be_exported_does_not_stop_the_others(
    log: Store, folder: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error at one table ended the export: that table and all later ones were missing."""
    ids = [a_table(log, f"T{number}", ["A", "B"]) for number in range(3)]
    load = type(log.tables).load

    def damaged(tables: object, table_id: str, since: int = 0) -> object:
        if table_id == ids[1]:
            raise KeyError("words")
        return load(tables, table_id, since)  # type: ignore[arg-type]

    monkeypatch.setattr(type(log.tables), "load", damaged)
    result = CliRunner().invoke(main, ["log", "export", "--tables", "--format", form, "--data", str(folder)])
    assert result.exit_code == 1
    assert ids[1] in result.stderr
    assert "Traceback" not in result.output
    exported = result.stdout_bytes.decode()
    assert ids[0] in exported
    assert ids[2] in exported


def test_a_cell_has_no_control_characters() -> None:
    assert csv_line(["\x1b[1mred\x9b\n\u202e", 1]) == '"\\u001b[1mred\\u009b\n\\u202e",1\r\n'
