"""Run `python -m tests.cluster`; prints what happens, and the figures as JSON."""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import closing
from pathlib import Path

from tests.cluster.harness import run
from tests.postgres import Cluster, installed_programs

parser = argparse.ArgumentParser(
    prog="python -m tests.cluster", description="Measure several processes over PostgreSQL."
)
parser.add_argument("--processes", type=int, default=3)
parser.add_argument("--tables", type=int, default=30)
parser.add_argument("--phones", type=int, default=300)
parser.add_argument("--cameras", type=int, default=30)
parser.add_argument("--seconds", type=float, default=600.0)
parser.add_argument("--period", type=float, default=2.0, help="Time between a camera's observations, s.")
parser.add_argument(
    "--host-period",
    type=float,
    default=60.0,
    help="Time between a host's entries at a table, s. Each one renames a player, which folds the whole table again.",
)
outages = parser.add_mutually_exclusive_group()
outages.add_argument("--kill-every", type=float, help="Kill one process after another in this interval, s.")
outages.add_argument(
    "--restart-every",
    type=float,
    help="End one process after another with SIGTERM in this interval, s, and start it again.",
)
arguments = parser.parse_args()
programs = installed_programs()
if programs is None:
    parser.error("PostgreSQL is not installed")
with (
    tempfile.TemporaryDirectory(prefix="companion-cluster-") as folder,
    closing(Cluster(programs)) as cluster,
):
    result = run(
        Path(folder),
        cluster,
        processes=arguments.processes,
        tables=arguments.tables,
        phones=arguments.phones,
        cameras=arguments.cameras,
        seconds=arguments.seconds,
        period_s=arguments.period,
        host_period_s=arguments.host_period,
        kill_every_s=arguments.kill_every,
        restart_every_s=arguments.restart_every,
        report=lambda line: print(line, flush=True),
    )
    print(json.dumps(result), flush=True)
    if any(result[name] for name in ("not_stored_once", "faults", "behind", "refused")):
        raise SystemExit(1)
