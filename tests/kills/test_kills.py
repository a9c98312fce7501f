"""The short form of `python -m tests.kills`."""

from __future__ import annotations

from pathlib import Path

from tests.kills.harness import run
from tests.postgres import Cluster


def test_nothing_acknowledged_is_lost_when_the_server_is_killed_under_load(tmp_path: Path) -> None:
    """Phones report, scan and pair while the server is killed: each acknowledged event is stored exactly once."""
    result = run(tmp_path / "data", kills=2, seed=7, writers=3, report=print)
    assert result["events"] > 0


def test_nothing_acknowledged_is_lost_when_the_database_is_killed_and_connections_are_cut(
    tmp_path: Path, postgres_cluster: Cluster
) -> None:
    """The server runs on, and each acknowledged event is stored exactly once."""
    result = run(
        tmp_path / "data",
        kills=3,
        seed=2,
        writers=3,
        report=print,
        cluster=postgres_cluster,
        kinds=("database", "connections"),
    )
    assert result["events"] > 0
