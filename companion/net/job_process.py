"""A worker process that runs one job at a time, with limits of time and memory.

The process is started when it is first needed, and again after it was killed or died. It ends when its parent ends, even if
the parent is killed.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

START_LIMIT_S: Final = 60.0
"""Timeout of the process's start, s. It takes 1 s on a desktop computer, and several with a slow memory card."""

_NICE_INCREMENT: Final = 5
"""Added to the process's niceness, so that the server itself has priority."""

_OOM_SCORE_ADJ: Final = 500
"""The process's `oom_score_adj`: if memory runs out, the kernel kills this process rather than the server."""


class JobFailedError(Exception):
    """Raised if a job failed because of a bug, or its process died; the message has the details for developers."""


class JobTimeoutError(JobFailedError):
    """Raised if a job exceeded its time limit; the process was killed."""


class JobMemoryError(JobFailedError):
    """Raised if a job exceeded the memory limit."""


class InProcess:
    """Runs jobs in this process, without limits: for test doubles that cannot be sent to another one."""

    def __init__(self, jobs: Any) -> None:
        self.jobs = jobs

    def call(self, job: str, *arguments: Any, limit_s: float) -> Any:
        """Return the result of a job."""
        try:
            return getattr(self.jobs, job)(*arguments)
        except self.jobs.errors:
            raise
        except Exception as error:
            raise JobFailedError(str(error)) from error

    def stop(self) -> None:
        """Do nothing."""


class JobProcess:
    """Calls the methods of an object in a process of its own. Not thread-safe.

    ``make`` is called in the process and returns the object; it must be importable there. The object's attribute ``errors`` is a
    tuple of exception types that `call` raises unchanged; they must be picklable. ``memory`` limits the process's data, bytes
    (Linux only).
    """

    def __init__(self, make: Callable[[], Any], memory: int) -> None:
        self._make, self._memory = make, memory
        self._running: tuple[multiprocessing.process.BaseProcess, Connection] | None = None
        self._lock = threading.Lock()
        self.starts = 0
        """Number of times the process was started."""

    @property
    def pid(self) -> int | None:
        """The process's id; None while it is not running."""
        running = self._running
        return running[0].pid if running is not None and running[0].is_alive() else None

    def call(self, job: str, *arguments: Any, limit_s: float) -> Any:
        """Return the result of the method ``job``; raises its ``errors``, or `JobFailedError`, such as after ``limit_s`` s."""
        if self.pid is None:
            self._start()
        return self._answer((job, arguments), limit_s, job)

    def stop(self) -> int | None:
        """Kill the process, even during a job, and return its exit code; None if there was none."""
        with self._lock:
            running, self._running = self._running, None
        if running is None:
            return None
        process, connection = running
        process.kill()
        process.join()
        code = process.exitcode
        process.close()
        connection.close()
        return code

    def _start(self) -> None:
        self.stop()
        if "cv2" in sys.modules:
            # While OpenCV is being imported its own folder, with a module `typing`, is in sys.path, and a new process would
            # get that path. This waits until another thread has finished the import.
            importlib.import_module("cv2")
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_work, args=(theirs, self._make, self._memory), name="companion-jobs", daemon=True
        )
        process.start()
        theirs.close()
        with self._lock:
            self._running = process, ours
        self.starts += 1
        self._answer(None, START_LIMIT_S, "start")

    def _answer(self, request: object, limit_s: float, job: str) -> Any:
        """Send a request, if it is not None, and return the answer; the process is killed after ``limit_s`` s."""
        too_late = threading.Event()

        def end() -> None:
            too_late.set()
            with self._lock:
                if self._running is not None:
                    self._running[0].kill()

        timer = threading.Timer(limit_s, end)
        timer.daemon = True
        timer.start()
        try:
            if self._running is None:
                raise EOFError  # stopped by another thread
            connection = self._running[1]
            if request is not None:
                connection.send(request)
            outcome, value = connection.recv()
        except (EOFError, OSError) as error:
            code = self.stop()
            if too_late.is_set():
                raise JobTimeoutError(f"the job {job} took more than {limit_s:g} s") from error
            raise JobFailedError(f"the process died during the job {job} (exit code {code})") from error
        finally:
            timer.cancel()
        if outcome == "done":
            return value
        if outcome == "refused":
            raise value
        if outcome == "memory":
            self.stop()  # the only reliable method to free its memory
            raise JobMemoryError(f"the job {job} needed too much memory: {value}")
        raise JobFailedError(f"the job {job} failed:\n{value}")


JobRunner = JobProcess | InProcess


def _work(connection: Connection, make: Callable[[], Any], memory: int) -> None:
    """Run jobs until the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    _limit_resources(memory)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    jobs = make()  # if this fails, the parent notices that the process died
    connection.send(("done", None))
    with suppress(EOFError, OSError):  # the parent has ended
        while True:
            job, arguments = connection.recv()
            answer = _outcome(jobs.errors, getattr(jobs, job), arguments)
            del arguments
            connection.send(answer)
            del answer


def _end_with_parent() -> None:
    """Wait until the parent has ended, and end this process, even in the middle of a job."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(0)


def _outcome(
    errors: tuple[type[Exception], ...], job: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[str, Any]:
    try:
        return "done", job(*arguments)
    except errors as error:
        return "refused", error
    except MemoryError as error:
        return "memory", str(error)
    except Exception:  # the parent must get an answer in any case
        return "failed", traceback.format_exc()


def _limit_resources(memory: int) -> None:
    """Limit this process's memory and lower its priority, as far as the system supports it."""
    if sys.platform == "win32":
        return
    os.nice(_NICE_INCREMENT)
    if sys.platform == "linux":
        import resource  # noqa: PLC0415  # not on Windows

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE_ADJ), "ascii")
