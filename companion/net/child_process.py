"""Runs a program as a child process, and restarts it when it fails.

Also handles stop requests in programs that run until they are stopped.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final, Literal

_LOGGER: Final = logging.getLogger(__name__)

PARENT: Final = "COMPANION_PARENT"
"""Set in a child's environment: the child ends when its standard input is closed, because then its parent has ended."""

_STOP_TIMEOUT_S: Final = 3.0
#: First and longest wait before a restart, s; doubled each time.
_FIRST_WAIT_S: Final = 1.0
_MAX_WAIT_S: Final = 60.0
#: Time that a child must have run before the waits start from the first again, s.
_STABLE_S: Final = 600.0
#: How often to check whether a child hangs, s.
_CHECK_S: Final = 1.0
#: Maximum time without a report, s; children report once a second.
_PATIENCE_S: Final = 30.0
#: Maximum time from a child's start to its first report, s: a Raspberry Pi takes about 40 s to load the networks.
_START_TIMEOUT_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class ChildState:
    """The state of a child."""

    state: Literal["running", "waiting", "ended"]
    """``waiting``: it will be restarted; ``ended``: it finished, or was stopped."""
    restarts: int
    """Number of restarts."""
    code: int | None
    """Its last exit code; negative: the number of the signal that ended it."""
    again_in: float | None
    """Time until the restart, s."""
    hangs: int = 0
    """Number of times it was killed because it had stopped reporting."""


class Child:
    """Runs a command until it succeeds (exit code 0) or `stop` is called.

    After a failure it is restarted after 1 s, after each further one twice as late, up to 60 s, forever. A child that hangs, which
    means that it runs but has stopped reporting, is killed and restarted, too.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        silent_s: Callable[[], float | None] | None = None,
    ) -> None:
        """Start ``command``; ``environment`` is added to this process's.

        ``silent_s`` returns the time since the child's last report, s, and None before the first one.
        """
        self._command, self._silent_s = list(command), silent_s
        self._environment = {**os.environ, **(environment or {}), PARENT: "1"}
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._state = ChildState("running", 0, None, None)
        self._restart_at = 0.0
        self._thread = threading.Thread(target=self._run, name="child", daemon=True)
        self._thread.start()

    @property
    def state(self) -> ChildState:
        """The current state."""
        state = self._state
        if state.state != "waiting":
            return state
        return replace(state, again_in=max(0.0, self._restart_at - time.monotonic()))

    def stop(self) -> None:
        """End the child: close its standard input, then send SIGTERM, then kill it."""
        self._stopping.set()
        if self._process is not None:
            _end(self._process)
        self._thread.join(_STOP_TIMEOUT_S)

    def _run(self) -> None:
        wait = _FIRST_WAIT_S
        while True:
            started = time.monotonic()
            code = self._run_once()
            if code == 0 or self._stopping.is_set():
                break
            if time.monotonic() - started >= _STABLE_S:
                wait = _FIRST_WAIT_S
            self._restart_at = time.monotonic() + wait
            self._state = replace(self._state, state="waiting", code=code)
            if self._stopping.wait(wait):
                break
            wait = min(2 * wait, _MAX_WAIT_S)
            self._state = replace(self._state, state="running", restarts=self._state.restarts + 1)
        self._state = replace(self._state, state="ended", code=code)

    def _run_once(self) -> int:
        """Run the command and return its exit code; 127 if it cannot be started, as in a shell."""
        started = time.monotonic()
        try:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, env=self._environment)
        except OSError:
            return 127
        with self._process as process:
            if self._stopping.is_set():  # `stop` was called before the process existed
                _end(process)
            if self._silent_s is None:
                return process.wait()
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(_CHECK_S)
                silent, running = self._silent_s(), time.monotonic() - started
                if hangs(silent, running):
                    break
            name = " ".join(self._command[2:5])
            _LOGGER.error("%s has not reported for %.0f s: it is restarted", name, silent or running)
            self._state = replace(self._state, hangs=self._state.hangs + 1)
            process.kill()
            return process.wait()


def hangs(silent_s: float | None, running_s: float) -> bool:
    """Return whether a child that has run for ``running_s`` hangs; ``silent_s``: since its last report, None before the first."""
    if silent_s is None or silent_s > running_s:  # the last report came from the previous process
        return running_s > _START_TIMEOUT_S
    return silent_s > _PATIENCE_S


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    for stop_process in (process.terminate, process.kill):
        try:
            process.wait(_STOP_TIMEOUT_S)
            return
        except subprocess.TimeoutExpired:
            stop_process()
    process.wait()


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """Yield an event that is set by Ctrl-C and SIGTERM, and in a child by the end of its standard input.

    A second Ctrl-C ends the program at once.
    """
    stop = threading.Event()

    def on_signal(signum: int, frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {each: signal.signal(each, on_signal) for each in (signal.SIGINT, signal.SIGTERM)}
    if PARENT in os.environ:
        threading.Thread(target=_wait_for_the_end, args=(stop,), daemon=True).start()
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _wait_for_the_end(stop: threading.Event) -> None:
    """Set ``stop`` when standard input ends: then the parent, which holds its other end, has ended."""
    while sys.stdin.read(1):
        pass
    stop.set()
