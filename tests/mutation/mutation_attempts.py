"""Tests run against one mutant, in a fork made before the program is imported.

So nothing made at import time and no cache is left over from the unmutated code. (mutmut's own runs fork after the
import, and run only the tests they saw call the function: on tables built at import time they are blind.)
"""

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# Imports that every fork would repeat are done once, here; the program itself must not be imported.
import hypothesis.stateful  # noqa: F401
import pytest
from hypothesis import HealthCheck, Phase, settings

__all__ = ["Attempt", "attempt_all", "processor_seconds"]

_MEMORY = 6 << 30  # bytes; a mutant with endless allocation must not exhaust the machine's memory


@dataclass(frozen=True, slots=True)
class Attempt:
    """The tests to run with one mutant active ("": none), and their limit of CPU time, s."""

    mutant: str
    tests: tuple[str, ...]
    seconds: int


class _KillersFirst:
    """A pytest plugin that runs recently failed tests first, because the next mutant is often killed by the same
    test."""

    def __init__(self, place: Path) -> None:
        self._killers = place / "killers.txt"

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._killers.exists():
            rank = {line: number for number, line in enumerate(self._killers.read_text().splitlines())}
            items.sort(key=lambda item: -rank.get(item.nodeid, -1))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            with self._killers.open("a") as file:
                file.write(report.nodeid + "\n")


def attempt_all(attempts: Iterable[Attempt], place: Path, jobs: int) -> Iterator[tuple[Attempt, str]]:
    """Yield each attempt as it ends, with "killed", "survived" or "timeout"; ``jobs`` of them run at a time.

    ``place`` is the copy of the project, in which the tests run. Timeouts are measured in CPU time, so that a
    busy machine causes none; a mutant that sleeps forever is ended by wall-clock time.
    """
    waiting = iter(attempts)
    running: dict[int, tuple[Attempt, float]] = {}
    while True:
        while len(running) < jobs and (attempt := next(waiting, None)):
            running[_fork(attempt, place)] = attempt, time.monotonic() + 60 + 10 * attempt.seconds
        if not running:
            return
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            attempt, _ = running.pop(pid)
            yield attempt, _verdict(status)
        else:
            for late in [each for each, (_, end) in running.items() if time.monotonic() > end]:
                os.kill(late, signal.SIGKILL)
            time.sleep(0.01)


def processor_seconds() -> float:
    """Return the CPU time of all ended forks, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _verdict(status: int) -> str:
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL}:
        return "timeout"
    return "killed" if status else "survived"


def _fork(attempt: Attempt, place: Path) -> int:
    sys.stdout.flush()  # or the fork would print it again
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        code = _attempt(attempt, place)
    except BaseException:  # the fork must not return to the loop over the mutants
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _attempt(attempt: Attempt, place: Path) -> int:
    os.environ["MUTANT_UNDER_TEST"] = attempt.mutant
    os.chdir(place)
    sys.path.insert(0, str(place))
    sink = os.open(
        "/dev/null" if attempt.mutant else "unmutated.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600
    )
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (attempt.seconds, attempt.seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    phases = (Phase.explicit, Phase.generate)  # an example need not be minimal to kill
    settings.register_profile(
        "mutation",
        phases=phases,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("mutation")
    options = ["-x", "-q", "--rootdir=.", "-p", "no:cacheprovider", "--assert=plain", "--tb=short"]
    return int(pytest.main([*options, *attempt.tests], plugins=[_KillersFirst(place)]))
