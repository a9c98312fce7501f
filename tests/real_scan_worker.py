"""`companion scan-worker` as a process that can be killed; as a script, that command with a scanner double."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from companion.store import DocumentStore
    from vision.jobs.picture_jobs import PictureJobs
    from vision.photograph.scan_result import ScanResult

LIMIT_S = 60.0
"""Maximum duration of anything here on a machine that is busy with other tests, s."""
_FOLDER = "SCANNER_DOUBLE"


class RealScanWorker:
    """A worker whose scanner hangs in every picture until `let_read`."""

    def __init__(self, folder: Path, store: str) -> None:
        """``folder`` is an empty one for the scanner double, ``store`` the address of the database."""
        self._folder = folder
        environment = {**os.environ, "COMPANION_STORE": store, _FOLDER: str(folder)}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "scan-worker", "--json"],
            env=environment,
            stdout=subprocess.PIPE,
            start_new_session=True,  # signals for its group do not reach the tests
        )

    def wait_until_reading(self) -> None:
        """Wait until the scanner has a picture."""
        end = time.monotonic() + LIMIT_S
        while not (self._folder / "begun").exists():
            assert time.monotonic() < end
            assert self._process.poll() is None
            time.sleep(0.02)

    def let_read(self) -> None:
        """Let the scanner read."""
        (self._folder / "go").touch()

    def send(self, number: signal.Signals, *, group: bool = False) -> None:
        """Send a signal to the worker, or also to its child processes, as service managers do."""
        (os.killpg if group else os.kill)(self._process.pid, number)

    def next_event(self) -> dict[str, Any]:
        """Wait for the next event that the worker prints."""
        assert self._process.stdout is not None
        event: dict[str, Any] = json.loads(self._process.stdout.readline())
        return event

    def ended(self) -> tuple[int, list[str]]:
        """Wait for the worker's end; return its exit code, negative for a signal, and the names of its last events."""
        output, _ = self._process.communicate(timeout=LIMIT_S)
        return self._process.returncode, [json.loads(line)["event"] for line in output.splitlines()]

    def close(self) -> None:
        """Kill the worker if it still runs."""
        if self._process.poll() is None:
            self.send(signal.SIGKILL, group=True)
        self._process.communicate()


class GatedScanner:
    """Detects no cards, as soon as the test lets it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def scan(self, bgr: np.ndarray, deck: str | None = None, focal: float | None = None) -> ScanResult:
        from vision.photograph.scan_result import ScanResult  # noqa: PLC0415  # only in the picture process

        (self._folder / "begun").touch()
        while not (self._folder / "go").exists():
            time.sleep(0.02)
        return ScanResult(bgr.shape[1], bgr.shape[0], "hanafuda", (), {"total": 1.0})


def gated_jobs(documents: DocumentStore) -> PictureJobs:
    from vision.jobs.picture_jobs import PictureJobs  # noqa: PLC0415  # only in the picture process

    return PictureJobs(documents, GatedScanner(Path(os.environ[_FOLDER])))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

    from api.pictures import service
    from companion.cli import main
    from companion.net.job_process import JobProcess
    from tests import real_scan_worker

    service.runner = lambda documents, scanner: JobProcess(
        partial(real_scan_worker.gated_jobs, documents), service.MEMORY_LIMIT
    )
    main()
