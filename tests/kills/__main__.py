"""Run `python -m tests.kills --kills 100`; prints a line for each kill, and a summary."""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path

from tests.kills.harness import run
from tests.postgres import Cluster, installed_programs

parser = argparse.ArgumentParser(
    description="Kill the server under load and look whether anything acknowledged is lost."
)
parser.add_argument("--kills", type=int, default=100)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--writers", type=int, default=6, help="Clients that report events.")
parser.add_argument(
    "--store",
    choices=["sqlite", "postgres"],
    default="sqlite",
    help="postgres: also kill the database, and cut the connections to it.",
)
arguments = parser.parse_args()
with ExitStack() as stack:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="companion-kills-"))
    cluster = None
    if arguments.store == "postgres":
        if (programs := installed_programs()) is None:
            parser.error("PostgreSQL is not installed")
        cluster = stack.enter_context(closing(Cluster(programs)))
    result = run(
        Path(folder) / "data",
        kills=arguments.kills,
        seed=arguments.seed,
        writers=arguments.writers,
        report=lambda line: print(line, flush=True),
        cluster=cluster,
    )
    print(json.dumps(result), flush=True)
