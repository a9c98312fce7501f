"""A worker process that runs one job at a time, with limits of time and memory.

The process is started when it is first needed, and again after it was killed or died. It ends when its parent ends, even if
the parent is killed.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import queue
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
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self.starts = 0
        """Number of times the process was started."""

    @property
    def pid(self) -> int | None:
        """The process's id; None while it is not running."""
        process = self._process
        return process.pid if process is not None and process.is_alive() else None

    def call(self, job: str, *arguments: Any, limit_s: float) -> Any:
        """Return the result of the method ``job``; raises its ``errors``, or `JobFailedError`, such as after ``limit_s`` s."""
        connection = self._started()
        return self._answer(connection, (job, arguments), limit_s, job)

    def stop(self) -> None:
        """Kill the process, even during a job."""
        with self._lock:
            process, connection = self._process, self._connection
            self._process = self._connection = None
        if process is not None:
            process.kill()
            process.join()
            process.close()
        if connection is not None:
            connection.close()

    def _started(self) -> Connection:
        if self._connection is not None and self.pid is not None:
            return self._connection
        self.stop()
        if "cv2" in sys.modules:
            # While OpenCV is being imported its own folder, with a module `typing`, is in sys.path, and a new process would
            # get that path. This waits until another thread has finished the import.
            importlib.import_module("cv2")
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_work,
            args=(theirs, self._make, self._memory),
            name="companion-jobs",
            daemon=True,
        )
        process.start()
        theirs.close()
        with self._lock:
            self._process, self._connection = process, ours
        self.starts += 1
        self._answer(ours, None, START_LIMIT_S, "start")
        return ours

    def _answer(self, connection: Connection, request: object, limit_s: float, job: str) -> Any:
        """Send a request, if it is not None, and return the answer; the process is killed after ``limit_s`` s."""
        too_late = threading.Event()

        def end() -> None:
            too_late.set()
            with self._lock:
                if self._process is not None:
                    self._process.kill()

        timer = threading.Timer(limit_s, end)
        timer.daemon = True
        timer.start()
        try:
            if request is not None:
                connection.send(request)
            outcome, value = connection.recv()
        except (EOFError, OSError) as error:
            code = self._kill_and_get_code()
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

    def _kill_and_get_code(self) -> int | None:
        process = self._process
        if process is None:
            return None
        process.kill()
        process.join()
        code = process.exitcode
        self.stop()
        return code


JobRunner = JobProcess | InProcess


def _work(connection: Connection, make: Callable[[], Any], memory: int) -> None:
    """Run jobs until the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    _limit_resources(memory)
    requests: queue.SimpleQueue[tuple[str, tuple[Any, ...]]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, requests), daemon=True).start()
    jobs = make()  # if this fails, the parent notices that the process died
    connection.send(("done", None))
    while True:
        job, arguments = requests.get()
        answer = _outcome(jobs.errors, getattr(jobs, job), arguments)
        del arguments
        connection.send(answer)
        del answer


def _receive(connection: Connection, requests: queue.SimpleQueue[tuple[str, tuple[Any, ...]]]) -> None:
    """Queue the parent's requests; end this process when the parent has ended, even in the middle of a job."""
    while True:
        try:
            requests.put(connection.recv())
        except (EOFError, OSError):
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
