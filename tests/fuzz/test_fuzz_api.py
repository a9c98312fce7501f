"""The short form of `fuzz_api`: a request to each operation in each role, always the same ones."""

from __future__ import annotations

import pytest
from fuzz_api import ROLES, Role, fuzzer
from schemathesis import GenerationMode


@pytest.mark.parametrize("role", ROLES)
def test_every_operation_answers_as_documented(role: Role) -> None:
    with fuzzer(role, real_scanner=False) as fuzzing:
        modes = list(GenerationMode)
        found = [
            fuzzing.check(operation, modes[(place + ROLES.index(role)) % len(modes)], 1, place)
            for place, operation in enumerate(fuzzing.operations)
        ]
        assert not [output for output in found if output]
        assert fuzzing.requests > len(fuzzing.operations) / 2
