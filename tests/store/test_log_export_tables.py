"""The tables of the log as round records and as points."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.hanafuda.games.koikoi import KoiKoiRound
from companion.hanafuda.replay import replay
from companion.hanafuda.rules import resolve
from companion.store.export import POINT_COLUMNS
from companion.store.store import Store
from companion.table import NewEvent, Table


@pytest.fixture
def table_id(log: Store) -> str:
    """A table with a whole round and the beginning of a second one."""
    data = {"name": "Parlour", "game": "koikoi", "rules": None, "players": ["Aiko", ""], "deck": None}
    found = log.tables.create(NewEvent("opened", data), actor="host", source="keyboard")
    table = Table.of(log.tables.load(found))
    for seed, most in ((3, 100), (4, 4)):
        dealt = KoiKoiRound.shuffled(table.rules, Random(seed), dealer=table.game.dealer)  # type: ignore[arg-type]
        new = [NewEvent("dealt", {"deal": {"field": list(dealt.deal.field)}, "dealer": dealt.dealer})]
        while (legal := dealt.legal_moves()) and len(new) <= most:
            dealt.push(legal[0])
            new.append(NewEvent("moved", {"player": legal[0].player, "words": list(legal[0].words())}))
        reported = table.append(new, actor="camera", source="camera", time="2026-11-21T19:00:00.000Z")
        log.tables.append(found, reported)
    return found


def exported(folder: Path, *args: str) -> str:
    result = CliRunner().invoke(main, ["log", "export", "--tables", "--data", str(folder), *args])
    assert result.exit_code == 0, result.output
    return result.stdout_bytes.decode()


def test_rounds_are_records_that_replay_agrees_with(log: Store, table_id: str, folder: Path) -> None:
    first, second = map(json.loads, exported(folder).splitlines())
    assert (first["table"], first["round"]) == (table_id, 1)
    assert replay(first).agrees
    assert "result" not in second
    assert replay(second).legal
    assert second["deal"]["stock"] is None, "nobody saw it"


def test_points_have_the_rules_of_their_round(log: Store, table_id: str, folder: Path) -> None:
    table = Table.of(log.tables.load(table_id))
    other = {"rules": resolve("koikoi-hu").to_dict(), "rules_name": "Ours"}
    new = [NewEvent("rules_changed", other), NewEvent("abandoned", {})]
    log.tables.append(
        table_id, table.append(new, actor="host", source="phone", time="2026-11-21T20:00:00.000Z")
    )
    assert table.rules.name == "Ours"
    rows = list(csv.DictReader(io.StringIO(exported(folder, "--format", "csv"))))
    assert {(row["round"], row["rules"], row["rules_hash"]) for row in rows} == {
        ("1", "koikoi-standard", resolve(None).hash)
    }


def test_a_play_taken_back_before_its_draw_is_exported(log: Store, table_id: str, folder: Path) -> None:
    """Somebody undid a play whose draw stayed: the export ended there, without that table and all later ones."""
    table = Table.of(log.tables.load(table_id))
    play = next(event for event in table.events if event.kind == "moved" and event.data["words"][0] == "play")
    struck = NewEvent("corrected", {"of": play.seq, "kind": None})
    log.tables.append(
        table_id,
        table.append([struck], actor="host", source="phone", time="2026-11-21T19:05:00.000Z"),
    )
    data = {"name": "Later", "game": "koikoi", "rules": None, "players": ["C", "D"], "deck": None}
    later = log.tables.create(NewEvent("opened", data), actor="host", source="keyboard")
    field = KoiKoiRound.shuffled(table.rules, Random(5)).deal.field  # type: ignore[arg-type]
    dealt = Table.of(log.tables.load(later)).append(
        [NewEvent("dealt", {"deal": {"field": list(field)}, "dealer": 1})],
        actor="host",
        source="phone",
        time="2026-11-21T19:06:00.000Z",
    )
    log.tables.append(later, dealt)
    records = [json.loads(line) for line in exported(folder).splitlines()]
    assert [record["table"] for record in records] == [table_id, table_id, later]
    assert (records[0]["turns"][0]["play"], bool(records[0]["turns"][0]["draw"])) == (None, True)
    assert not replay(records[0]).legal


def test_points_are_a_line_a_player_and_round(log: Store, table_id: str, folder: Path) -> None:
    lines = list(csv.DictReader(io.StringIO(exported(folder, "--format", "csv"), newline="")))
    assert tuple(lines[0]) == POINT_COLUMNS
    points = Table.of(log.tables.load(table_id)).game.points
    assert [(line["round"], line["player"], int(line["so_far"])) for line in lines] == [
        ("1", "Aiko", points[0]),
        ("1", "player 2", points[1]),
    ]


def test_no_log_no_tables(tmp_path: Path) -> None:
    assert exported(tmp_path / "none") == ""
    result = CliRunner().invoke(main, ["log", "export", "--tables", "--kept"])
    assert result.exit_code == 2
