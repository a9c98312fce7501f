"""``companion log``: listing, showing, exporting; for people and for programs."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from log_helpers import BRIGHTS, add

from companion.cli import main
from companion.store.scan_records import Changes, Scan
from companion.store.store import Store
from tests.league import fill


def run(*args: str | Path) -> Result:
    result = CliRunner().invoke(main, ["log", *map(str, args)], prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def kept(log: Store) -> Scan:
    scan = add(log, *BRIGHTS, None, game="koikoi")
    changes = Changes(corrections=[(3, "plum-ribbon")], added=["back"], kept=True, note="三光 in dispute")
    return log.scans.change(scan.id, changes, "Aki")


@pytest.fixture
def draft(log: Store, kept: Scan) -> Scan:
    return add(log, None)


def test_lists_newest_first(folder: Path, kept: Scan, draft: Scan) -> None:
    result = run("--data", folder, "--json")
    assert result.exit_code == 0
    assert [json.loads(line) for line in result.stdout.splitlines()] == [draft.summary(), kept.summary()]
    output = run("--data", folder).stdout.splitlines()
    assert output[0].startswith(draft.id)
    assert "no score" in output[0]
    assert "1 unnamed" in output[0]
    assert "5 points" in output[1]
    assert "三光 in dispute" in output[1]


def test_lists_kept_ones_only(folder: Path, kept: Scan, draft: Scan) -> None:
    listed = run("--data", folder, "--kept", "--json").stdout.splitlines()
    assert [json.loads(line)["id"] for line in listed] == [kept.id]


def test_shows_a_scan(folder: Path, kept: Scan) -> None:
    result = run("show", kept.id, "--data", folder, "--json")
    assert result.exit_code == 0
    displayed = json.loads(result.stdout)
    assert displayed["cards"] == json.loads(json.dumps(kept.cards))
    assert Path(displayed["picture"]).read_bytes() == b"a picture"
    output = run("--data", folder, "show", kept.id).stdout
    for part in (
        "三光 in dispute",
        "Crane and Sun",
        "card 3: unnamed → plum-ribbon",
        "added back",
        "Aki",
        "5 points",
    ):
        assert part in output


def test_exports(folder: Path, kept: Scan, draft: Scan) -> None:
    whole = json.loads(run("export", "--data", folder).stdout)
    assert [scan["id"] for scan in whole] == [kept.id, draft.id]
    assert run("export", "--json", "--data", folder).stdout == run("export", "--data", folder).stdout
    lines = list(
        csv.DictReader(io.StringIO(run("export", "--format", "csv", "--kept", "--data", folder).stdout))
    )
    assert [line["id"] for line in lines] == [kept.id]


@pytest.mark.parametrize(
    "args", [("show", "nix"), ("show", "nix", "--json"), ("export", "--format", "xml"), ("list",)]
)
def test_bad_usage_is_one_line(folder: Path, kept: Scan, args: tuple[str, ...]) -> None:
    result = run("--data", folder, *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert args[-1].removeprefix("--json") in result.stderr


def test_looking_at_a_log_that_is_not_there_makes_none(folder: Path) -> None:
    assert "has no scans yet" in run("--data", folder).stdout
    assert run("--data", folder, "--json").stdout == ""
    assert json.loads(run("export", "--data", folder).stdout) == []
    assert run("show", "nix", "--data", folder).exit_code == 2
    assert not folder.exists()


def test_what_is_no_log_is_refused_in_one_line(folder: Path) -> None:
    folder.mkdir()
    (folder / "log.sqlite3").write_bytes(b"no database at all, but long enough to look at" * 30)
    result = run("--data", folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "--data" in result.stderr


@pytest.fixture
def with_evening(log: Store, folder: Path) -> Path:
    """Return a data folder with an evening of two games."""
    fill(log, seed=3, players=4, nights=1, rounds=4)
    return folder


def test_lists_evenings_and_shows_their_rounds(with_evening: Path) -> None:
    listed = run("nights", "--data", with_evening)
    assert listed.exit_code == 0
    head, *games = listed.stdout.splitlines()
    assert games
    assert all("rounds: " in line or "round: " in line for line in games)
    printed = run("nights", head.split()[0], "--data", with_evening).stdout.splitlines()
    assert sum(line.startswith("    Round ") for line in printed) == 4
    (evening,) = map(json.loads, run("nights", "--data", with_evening, "--json").stdout.splitlines())
    assert len(evening["games"]) == len(games)


def test_an_unknown_evening_is_an_error(with_evening: Path, tmp_path: Path) -> None:
    for folder in (with_evening, tmp_path / "empty"):
        result = run("nights", "nope", "--data", folder)
        assert result.exit_code != 0
        assert "there is no evening 'nope'" in result.stderr
    assert "no evenings yet" in run("nights", "--data", tmp_path / "empty").stdout


def test_the_database_for_sql_has_no_keys(with_evening: Path, tmp_path: Path, log: Store) -> None:
    log.pairings.prepare()
    target = tmp_path / "copy.sqlite3"
    assert run("database", target, "--data", with_evening).exit_code == 0
    with closing(sqlite3.connect(target)) as copy:
        tables = {row[0] for row in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert copy.execute("SELECT count(*) FROM rounds").fetchone() == (4,)
    assert "table_events" in tables
    assert tables.isdisjoint({"access_values", "pairings", "invitations"})
    assert b"CREATE TABLE pairings" not in target.read_bytes()
    again = run("database", target, "--data", with_evening)
    assert again.exit_code != 0
    assert "exists already" in again.stderr
    assert run("database", tmp_path / "new.sqlite3", "--data", tmp_path / "empty").exit_code != 0
    assert not (tmp_path / "new.sqlite3").exists()
