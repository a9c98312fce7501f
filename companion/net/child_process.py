"""Programs that run until they are told to stop, and such a program as a child: started again when it ends, often at first,
then slowly, and never given up in silence.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["PARENT", "Child", "ChildState", "Watchdog", "stopping"]

_LOGGER: Final = logging.getLogger(__name__)

PARENT: Final = "COMPANION_PARENT"
"""Set in a child's environment: it is to end when its standard input does, for then its parent is gone."""

_GENTLY_S: Final = 3.0
#: How often a child that must report is checked, s.
_CHECK_S: Final = 1.0
#: A child may need this long from its start to its first report, s: a Raspberry Pi takes about 40 s to load the networks.
_STARTING_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class Watchdog:
    """Detects a child that hangs without ending: it has stopped reporting."""

    silent_s: Callable[[], float | None]
    """Returns the time since the child's last report, s; None before the first one."""
    patience_s: float
    """A child that is silent for longer is killed and started again, s."""

    def expired(self, running_s: float) -> bool:
        """Return whether a child that has run for ``running_s`` hangs."""
        silent = self.silent_s()
        if silent is None or silent > running_s:  # the last report came from the process before this one
            return running_s > max(self.patience_s, _STARTING_S)
        return silent > self.patience_s


@dataclass(frozen=True, slots=True)
class ChildState:
    """How a child is."""

    state: Literal["running", "waiting", "ended"]
    """``waiting``: to be started again; ``ended``: it has done its work, or was told to stop."""
    restarts: int
    """How often it was started again."""
    code: int | None
    """What it ended with last; below zero the signal's number."""
    again_in: float | None
    """When it will be started again, s."""
    hangs: int = 0
    """How often it was killed because it had stopped reporting."""


class Child:
    """Runs a command until it ends well (exit code 0) or `stop` is called.

    ``budget`` times within ``window`` s it is started again at once, a little later each time; after that every ``slow`` s.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        budget: int = 5,
        window: float = 600.0,
        pause: float = 1.0,
        slow: float = 60.0,
        watchdog: Watchdog | None = None,
    ) -> None:
        """Start ``command``; ``environment`` is added to this process's."""
        self._watchdog = watchdog
        self._hangs = 0
        self._command = list(command)
        self._environment = {**os.environ, **(environment or {}), PARENT: "1"}
        self._budget, self._window, self._pause, self._slow = budget, window, pause, slow
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._restarts = 0
        self._code: int | None = None
        self._again: float | None = None
        self._ends: deque[float] = deque()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="child", daemon=True)
        self._thread.start()

    @property
    def state(self) -> ChildState:
        """How it is now."""
        with self._lock:
            if self._ended:
                return ChildState("ended", self._restarts, self._code, None, self._hangs)
            if self._again is not None:
                again_in = max(0.0, self._again - time.monotonic())
                return ChildState("waiting", self._restarts, self._code, again_in, self._hangs)
            return ChildState("running", self._restarts, self._code, None, self._hangs)

    def stop(self) -> None:
        """End it: gently by its standard input, then by a signal, then for good."""
        self._stopping.set()
        with self._lock:
            process = self._process
        if process is not None:
            _end(process)
        self._thread.join(_GENTLY_S)

    def _run(self) -> None:
        while not self._stopping.is_set():
            code = self._once()
            with self._lock:
                self._code = code
                if code == 0 or self._stopping.is_set():
                    break
                wait = self._wait()
                self._again = time.monotonic() + wait
            self._stopping.wait(wait)
            with self._lock:
                self._again = None
                self._restarts += not self._stopping.is_set()
        with self._lock:
            self._ended = True

    def _once(self) -> int:
        """Run it to its end and return its exit code; one that cannot be started has 127, as in a shell."""
        try:
            with self._lock:
                self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, env=self._environment)
        except OSError:
            return 127
        with self._process as process:
            if self._stopping.is_set():  # told to stop before there was anything to stop
                _end(process)
            return process.wait() if self._watchdog is None else self._guarded(process, self._watchdog)

    def _guarded(self, process: subprocess.Popen[bytes], watchdog: Watchdog) -> int:
        """Wait for a process to end, and kill it where it hangs."""
        started = time.monotonic()
        while True:
            try:
                return process.wait(_CHECK_S)
            except subprocess.TimeoutExpired:
                if not watchdog.expired(time.monotonic() - started):
                    continue
            _LOGGER.error(
                "%s has not reported for %.0f s: it is killed and started again",
                " ".join(self._command[2:5]),
                watchdog.silent_s() or time.monotonic() - started,
            )
            with self._lock:
                self._hangs += 1
            process.kill()
            return process.wait()

    def _wait(self) -> float:
        """Return how long to wait before it is started again, s."""
        now = time.monotonic()
        self._ends.append(now)
        while now - self._ends[0] > self._window:
            self._ends.popleft()
        return self._slow if len(self._ends) > self._budget else self._pause * len(self._ends)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    for harder in (process.terminate, process.kill):
        try:
            process.wait(_GENTLY_S)
            return
        except subprocess.TimeoutExpired:
            harder()
    process.wait()


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """Give an event that Ctrl-C and SIGTERM set, and in a child the end of its standard input; a second Ctrl-C ends at once."""
    stop = threading.Event()

    def ask(signum: int, frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {each: signal.signal(each, ask) for each in (signal.SIGINT, signal.SIGTERM)}
    if PARENT in os.environ:
        threading.Thread(target=_wait_for_the_end, args=(stop,), daemon=True).start()
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _wait_for_the_end(stop: threading.Event) -> None:
    """Stop when standard input ends: the parent that holds its other end has gone."""
    while sys.stdin.read(1):
        pass
    stop.set()
