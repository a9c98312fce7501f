"""Jobs with faults, for a separate process."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path


class RefusedError(ValueError):
    """An error caused by the sender."""


class Jobs:
    """Each method does what its name says."""

    errors = (RefusedError,)

    def echo(self, value: object) -> object:
        return value

    def process(self) -> int:
        return os.getpid()

    def refuse(self) -> None:
        raise RefusedError("not this one")

    def fail(self) -> None:
        raise RuntimeError("a network ate itself")

    def hang(self, sign: Path | None = None) -> None:
        if sign is not None:
            sign.write_text(str(os.getpid()))
        time.sleep(600)

    def hang_without_letting_go(self) -> None:
        """Never lets another thread of the process run."""
        re.match(r"(a+)+$", "a" * 60 + "b")

    def fill_memory(self) -> int:
        return len(b"x" * 2**31)

    def die(self) -> None:
        os._exit(7)


class NoJobs:
    """Cannot even be made."""

    def __init__(self) -> None:
        raise RuntimeError("no")


if __name__ == "__main__":
    from companion.net.job_process import JobProcess

    # A shell that starts tests in the background lets them inherit SIGINT as ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    JobProcess(Jobs, 2**30).call("hang", Path(sys.argv[1]), limit_s=600)
