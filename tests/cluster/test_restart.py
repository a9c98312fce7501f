"""The short form of `python -m tests.cluster --restart-every`."""

from __future__ import annotations

from pathlib import Path

from tests.cluster.harness import run
from tests.postgres import Cluster


def test_a_process_is_restarted_under_load_and_nobody_misses_an_event(
    tmp_path: Path, postgres_cluster: Cluster
) -> None:
    """Phones follow, a host enters events and a camera reports while one of two processes ends and starts again."""
    result = run(
        tmp_path,
        postgres_cluster,
        processes=2,
        tables=8,  # all of them at one process: one time in 128
        phones=8,
        cameras=1,
        seconds=8.0,
        period_s=0.5,
        host_period_s=5.0,
        restart_every_s=3.0,
        report=print,
    )
    assert result["restarts"] > 0
    assert result["reconnected"] > 0, "the phones of the restarted process moved to the other one"
    assert result["entries"] > 0
    assert result["observations"] > 0
    assert result["events"] >= result["entries"]
    wrong = {name: result[name] for name in ("not_stored_once", "faults", "behind", "refused")}
    assert not any(wrong.values()), wrong
