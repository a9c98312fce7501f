"""Backs up the data folder once a night, in a process of its own that lets everything else go first."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from api.monitoring.periodic import Periodic
from companion.store.notices import Notices
from companion.store.sqlite.data_folder import BACKUPS

__all__ = ["NightlyBackup", "is_due"]

_HOUR: Final = 4
"""When the night's backup is due, local time: late games are over."""
_FIRST_S: Final = 600.0
"""A server that was off at night makes up for it so long after its start, when the evening has begun."""
_PERIOD_S: Final = 60.0
_LIMIT_S: Final = 3600.0
"""A backup that takes longer is given up."""
_LAST: Final = ".last"
"""A file whose time says when the last backup was tried; most nights nothing has changed, and none is made."""

_logger = logging.getLogger(__name__)


def is_due(folder: Path, now: datetime) -> bool:
    """Whether no backup was tried since the last time it was four o'clock at night."""
    night = now.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    if night > now:
        night -= timedelta(days=1)
    try:
        last = (folder / BACKUPS / _LAST).stat().st_mtime
    except FileNotFoundError:
        return True
    # A time in the future is of a clock that was wrong then.
    return not night.timestamp() <= last <= now.timestamp()


class NightlyBackup(Periodic):
    """Starts the night's backup when it is due; use it with ``with``.

    A backup that is being made when the server ends is left unfinished, and the next one removes it.
    """

    def __init__(
        self,
        folder: Path,
        notices: Notices,
        *,
        first_s: float = _FIRST_S,
        clock: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        super().__init__("nightly backup", _PERIOD_S, first_s)
        self._folder = folder
        self._notices = notices
        self._clock = clock

    def step(self) -> None:
        """Make a backup if one is due."""
        if is_due(self._folder, self._clock()):
            self._back_up()

    def _back_up(self) -> None:
        last = self._folder / BACKUPS / _LAST
        last.parent.mkdir(mode=0o700, exist_ok=True)
        last.write_bytes(b"")
        command = [
            sys.executable,
            "-m",
            "companion.cli",
            "log",
            "backup",
            "--nightly",
            "--data",
            str(self._folder),
        ]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
        )
        waiting = threading.Thread(target=self._stop_at_end, args=(process,), daemon=True)
        waiting.start()
        try:
            _, said = process.communicate(timeout=_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            _, said = process.communicate()
        if process.returncode and not self._ended.is_set():
            lines = said.strip().splitlines()
            self._notices.add(
                "backup-failed", error=lines[-1] if lines else f"exit code {process.returncode}"
            )

    def _stop_at_end(self, process: subprocess.Popen[str]) -> None:
        while process.poll() is None:
            if self._ended.wait(0.5):
                process.terminate()
                return
