"""The short form of `python -m tests.state_machine`."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.state_machine.machine import Machine, Stage


def test_what_the_server_does_is_what_a_plain_model_expects() -> None:
    """Kills, restarts, locks and backups between moves, undos, corrections, scans and pairings lose and double nothing."""
    Machine.stage = Stage()
    try:
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=3,
                stateful_step_count=15,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )
        machine = Machine()
        machine.begin("koikoi")
        machine.start_again(kill=True, one_in=1)
        machine.teardown()
    finally:
        Machine.stage.close()
