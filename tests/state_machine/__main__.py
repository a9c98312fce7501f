"""Run `python -m tests.state_machine --minutes 60`."""

from __future__ import annotations

import argparse
import json
import time

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.state_machine.machine import Machine, Stage

parser = argparse.ArgumentParser(
    description="The program over HTTP against a plain model, with kills and restarts."
)
parser.add_argument("--minutes", type=float, default=60)
parser.add_argument("--examples", type=int, default=20, help="Examples of one run; then another seed.")
parser.add_argument("--steps", type=int, default=60)
arguments = parser.parse_args()
end = time.monotonic() + arguments.minutes * 60
Machine.stage = Stage()
number = 0
try:
    while time.monotonic() < end:
        number += 1
        run_state_machine_as_test(
            seed(number)(Machine),
            settings=settings(
                max_examples=arguments.examples,
                stateful_step_count=arguments.steps,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )
        print(json.dumps({"runs": number, **Machine.stage.counts}), flush=True)
finally:
    Machine.stage.close()
