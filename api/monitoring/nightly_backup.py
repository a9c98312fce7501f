"""Backs up the data folder once a night, in a separate low-priority process."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from api.monitoring.periodic import Periodic
from companion.hanafuda.messages import Message
from companion.store.data_folder import BACKUPS
from companion.store.notices import Notices

__all__ = ["NightlyBackup", "is_due"]

_HOUR: Final = 4
"""When the backup is due, hour in local time: late games are over by then."""
_FIRST_S: Final = 600.0
"""Delay of a missed backup after the start of a server that was off at night, s; the evening has begun by then."""
_PERIOD_S: Final = 60.0
_LIMIT_S: Final = 3600.0
"""Time limit of a backup, s."""
_CHECK_S: Final = 0.5
"""How often to check whether a backup has to end, s."""
_LAST: Final = ".last"
"""A file whose modification time is that of the last attempt; most nights nothing has changed, and no backup is made."""


def is_due(folder: Path, now: datetime) -> bool:
    """Return whether no backup was attempted since the last 4 a.m."""
    night = now.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    if night > now:
        night -= timedelta(days=1)
    try:
        last = (folder / BACKUPS / _LAST).stat().st_mtime
    except FileNotFoundError:
        return True
    # A time in the future was written while the clock was wrong.
    return not night.timestamp() <= last <= now.timestamp()


class NightlyBackup(Periodic):
    """Starts the nightly backup when it is due, while the context manager is active.

    A backup that is running when the server ends stays unfinished; the next one removes it.
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
        """Start a backup if one is due."""
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
        latest = time.monotonic() + _LIMIT_S
        while True:
            try:
                _, errors = process.communicate(timeout=_CHECK_S)
                break
            except subprocess.TimeoutExpired:
                if self._ended.is_set():
                    process.terminate()
                elif time.monotonic() > latest:
                    process.kill()
        if process.returncode and not self._ended.is_set():
            lines = errors.strip().splitlines()
            reason = lines[-1] if lines else f"exit code {process.returncode}"
            self._notices.add("backup-failed", Message("backup-failed", {"error": reason}))
