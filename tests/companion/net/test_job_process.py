"""A process for jobs that may fail: real processes that hang, die, exhaust the memory, and lose their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import job_doubles
import pytest
from job_doubles import Jobs, NoJobs, RefusedError

from companion.net.job_process import JobFailedError, JobMemoryError, JobProcess, JobTimeoutError
from tests.message_text import raises_text

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and /proc are Linux's")


def until(true: Callable[[], object], timeout: float = 20.0) -> None:
    end = time.monotonic() + timeout
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Return whether a process is running; a zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def shared() -> Iterator[JobProcess]:
    process = JobProcess(Jobs, 2**30)
    yield process
    process.stop()


def test_jobs_are_done_in_another_process_which_stays(shared: JobProcess) -> None:
    assert shared.call("echo", {"a": b"x" * 10**6}, limit_s=20) == {"a": b"x" * 10**6}
    pid = shared.call("process", limit_s=20)
    assert pid != os.getpid()
    assert shared.call("process", limit_s=20) == pid == shared.pid


def test_errors_come_back_as_the_senders_or_as_the_programs(shared: JobProcess) -> None:
    pid = shared.call("process", limit_s=20)
    with raises_text(RefusedError, match="not this one"):
        shared.call("refuse", limit_s=20)
    with pytest.raises(JobFailedError, match="a network ate itself"):
        shared.call("fail", limit_s=20)
    assert shared.call("process", limit_s=20) == pid


@pytest.mark.parametrize("job", ["hang", "hang_without_letting_go"])
def test_a_job_that_hangs_is_killed_and_the_next_one_is_done(shared: JobProcess, job: str) -> None:
    """A picture took 93 s in the thread of its request, and nothing could end that."""
    pid = shared.call("process", limit_s=20)
    with pytest.raises(JobTimeoutError, match=job):
        shared.call(job, limit_s=0.3)
    assert shared.call("process", limit_s=20) != pid


@LINUX
def test_a_job_that_fills_the_memory_is_ended_and_the_next_one_is_done(shared: JobProcess) -> None:
    """A picture took 7.7 GB."""
    with pytest.raises(JobMemoryError):
        shared.call("fill_memory", limit_s=20)
    assert shared.call("echo", 1, limit_s=20) == 1


def test_a_process_that_dies_is_started_again(shared: JobProcess) -> None:
    with pytest.raises(JobFailedError, match="exit code 7"):
        shared.call("die", limit_s=20)
    assert shared.call("echo", 1, limit_s=20) == 1


@LINUX
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_killed_in_the_middle_of_a_job_is_started_again(
    shared: JobProcess, blow: signal.Signals, tmp_path: Path
) -> None:
    sign = tmp_path / "sign"

    def kill() -> None:
        until(lambda: sign.exists() and sign.read_text())
        os.kill(int(sign.read_text()), blow)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(JobFailedError, match="died"):
        shared.call("hang", sign, limit_s=60)
    killer.join()
    assert shared.call("echo", 1, limit_s=20) == 1


@LINUX
def test_a_process_killed_between_two_jobs_is_started_again(shared: JobProcess) -> None:
    pid = shared.call("process", limit_s=20)
    os.kill(pid, signal.SIGKILL)
    until(lambda: shared.pid is None)  # /proc calls it ended while its other threads still end
    assert shared.call("process", limit_s=20) != pid


@LINUX
def test_a_suspended_process_is_killed(shared: JobProcess) -> None:
    pid = shared.call("process", limit_s=20)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(JobTimeoutError):
        shared.call("echo", b"x" * 2**24, limit_s=0.3)
    assert shared.call("process", limit_s=20) != pid


def test_jobs_that_cannot_be_started_fail() -> None:
    process = JobProcess(NoJobs, 2**30)
    with pytest.raises(JobFailedError, match="start"):
        process.call("echo", 1, limit_s=20)
    assert process.pid is None


def test_it_is_started_when_it_is_needed_and_leaves_nothing() -> None:
    process = JobProcess(Jobs, 2**30)
    assert process.pid is None
    pid = process.call("process", limit_s=20)
    process.stop()
    process.stop()
    assert process.pid is None
    assert not is_running(pid)


@LINUX
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_its_parent_even_in_the_middle_of_a_job(tmp_path: Path, blow: signal.Signals) -> None:
    sign = tmp_path / "sign"
    root = Path(__file__).parents[3]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(root), str(Path(job_doubles.__file__).parent))),
    }
    with subprocess.Popen(
        [sys.executable, job_doubles.__file__, str(sign)], env=environment, stderr=subprocess.DEVNULL
    ) as parent:
        until(lambda: sign.exists() and sign.read_text())
        child = int(sign.read_text())
        assert is_running(child)
        parent.send_signal(blow)
        parent.wait(20)
    until(lambda: not is_running(child))
