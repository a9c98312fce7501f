"""Run `python -m tests.kills --kills 100`; prints a line for each kill, and a summary."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from tests.kills.harness import run

parser = argparse.ArgumentParser(
    description="Kill the server under load and look whether anything acknowledged is lost."
)
parser.add_argument("--kills", type=int, default=100)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--writers", type=int, default=6, help="Clients that report events.")
arguments = parser.parse_args()
with tempfile.TemporaryDirectory(prefix="companion-kills-") as folder:
    result = run(
        Path(folder) / "data",
        kills=arguments.kills,
        seed=arguments.seed,
        writers=arguments.writers,
        report=lambda line: print(line, flush=True),
    )
    print(json.dumps(result), flush=True)
